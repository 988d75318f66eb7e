// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each queue pair's bit `stops` is set by a fault of it, cleared with its row, and else
//   kept.
// of: rnic_w64 rnic_w64_ddp_judge
// kind: induction 1
// bug in: rnic_w64_ddp_judge
// bug from: set = (now & ~(1 << (qp))
// bug to: set = (stops_q & ~(1 << (qp))
module ddp_rx_stops(input clock, input reset);
    rnic_w64_ddp_judge dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.stops_q ;
    (* hierconn *) wire \dut.clear , \dut.fault_valid ;
    (* hierconn *) wire [3:0] \dut.clear_qp , \dut.qp ;

    (* anyconst *) reg [3:0] i;
    wire set = \dut.fault_valid && (\dut.qp == i);
    wire clear = \dut.clear && (\dut.clear_qp == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (set || (\dut.stops_q [i] && !clear));
    end
    always @(*) if (known) assert(\dut.stops_q [i] == must);
endmodule
