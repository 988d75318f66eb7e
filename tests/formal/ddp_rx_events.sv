// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each queue pair's `seen` and `owed` are set by its first FPDU, cleared with its row,
//   `owed` also when it is told, and else kept.
// of: rnic_w64 rnic_w64_ddp_events
// kind: induction 1
// bug in: rnic_w64_ddp_events
// bug from: owed_now = (owed_now & ~(1 << (clear_qp))
// bug to: owed_now = (owed_q & ~(1 << (clear_qp))
module ddp_rx_events(input clock, input reset);
    rnic_w64_ddp_events dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.seen_q , \dut.owed_q ;
    (* hierconn *) wire \dut.clear , \dut.fresh , \dut.some , \dut.slot_rx_ready ;
    (* hierconn *) wire [3:0] \dut.clear_qp , \dut.narrow_q , \dut.first_index ;

    (* anyconst *) reg [3:0] i;
    wire set = \dut.fresh && (\dut.narrow_q == i);
    wire clear = \dut.clear && (\dut.clear_qp == i);
    wire told = \dut.some && \dut.slot_rx_ready && (\dut.first_index == i);
    reg known = 0;
    reg [1:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[1] <= !reset && (set || (\dut.seen_q [i] && !clear));
        must[0] <= !reset && (set || (\dut.owed_q [i] && !clear && !told));
    end
    always @(*) if (known) assert({\dut.seen_q [i], \dut.owed_q [i]} == must);
endmodule
