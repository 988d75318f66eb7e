// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each connection's bit `stopped` is set by a bad FPDU of that connection, cleared by its
//   set-up, and else kept.
// of: rnic_w64 rnic_w64_mpa_rx_check
// kind: induction 1
// bug in: rnic_w64_mpa_rx_check
// bug from: now_stopped = (now_stopped & ~(1 << (t_conn))
// bug to: now_stopped = (stopped_q & ~(1 << (t_conn))
module mpa_rx_stopped(input clock, input reset);
    rnic_w64_mpa_rx_check dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.stopped_q ;
    (* hierconn *) wire \dut.clear , \dut.t_end_q ;
    (* hierconn *) wire [3:0] \dut.clear_conn , \dut.t_conn ;
    (* hierconn *) wire [2:0] \dut.judge ;

    (* anyconst *) reg [3:0] i;
    wire set = \dut.t_end_q && (\dut.judge != 0) && (\dut.t_conn == i);
    wire clear = \dut.clear && (\dut.clear_conn == i);
    reg known = 0, must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (set || (\dut.stopped_q [i] && !clear));
    end
    always @(*) if (known) assert(\dut.stopped_q [i] == must);
endmodule
