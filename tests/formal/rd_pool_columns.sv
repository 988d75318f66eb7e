// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each tag's bits follow what names that tag: issue, sending, completion, time limit,
//   leaving and rest, all in one cycle.
// of: rnic_w64 rnic_w64_rd_pool
// kind: induction 1
// bug in: rnic_w64_rd_pool
// bug from: waits_up = (waits_up & ~(1 << (sent))
// bug to: waits_up = (waits_q & ~(1 << (sent))
module rd_pool_columns(input clock, input reset);
    rnic_w64_rd_pool dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [31:0] \dut.unsent_q , \dut.lost_q , \dut.waits_q , \dut.holds_q , \dut.rests_q ;
    (* hierconn *) wire \dut.counts , \dut.expires , \dut.rested , \dut.left_valid , \dut.sent_valid , \dut.sent_lost , \dut.issued ;
    (* hierconn *) wire [6:0] \dut.upshot ;
    (* hierconn *) wire [4:0] \dut.at , \dut.left , \dut.sent ;
    (* hierconn *) wire [30:0] \dut.issue ;

    (* anyconst *) reg [4:0] i;
    wire ends = (\dut.counts || \dut.expires ) && (\dut.upshot [4:0] == i);
    wire rested = \dut.rested && (\dut.at == i);
    wire left = \dut.left_valid && (\dut.left == i);
    wire sent = \dut.sent_valid && (\dut.sent == i);
    wire issued = \dut.issued && (\dut.issue [4:0] == i);
    reg known = 0;
    reg [4:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[4] <= !reset && (issued || (\dut.unsent_q [i] && !sent));
        must[3] <= !reset && (sent ? \dut.sent_lost : \dut.lost_q [i]);
        must[2] <= !reset && (sent || (\dut.waits_q [i] && !ends));
        must[1] <= !reset && (issued || (\dut.holds_q [i] && !left));
        must[0] <= !reset && (!rested && (ends ? \dut.upshot [6] : \dut.rests_q [i]));
    end
    always @(*) if (known) assert({\dut.unsent_q [i], \dut.lost_q [i], \dut.waits_q [i], \dut.holds_q [i], \dut.rests_q [i]} == must);
endmodule
