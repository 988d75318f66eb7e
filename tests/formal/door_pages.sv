// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a doorbell of one place, and what its arm asks for, are kept while another one leaves;
//   one that comes as its place leaves waits again.
// of: rnic_w64 rnic_w64_pages
// kind: induction 1
// bug in: rnic_w64_pages
// bug from: waits_d = (free & ~(1 << (place))
// bug to: waits_d = (waits_q & ~(1 << (place))
module door_pages(input clock, input reset);
    rnic_w64_pages dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [127:0] \dut.waits_q ;
    (* hierconn *) wire [31:0] \dut.arms_q , \dut.any_q ;
    (* hierconn *) wire \dut.pops , \dut.bell_valid , \dut.is_arm ;
    (* hierconn *) wire [6:0] \dut.oldest , \dut.place ;
    (* hierconn *) wire [4:0] \dut.page , \dut.old_page ;
    (* hierconn *) wire [1:0] \dut.old_family ;
    (* hierconn *) wire [56:0] \dut.bell ;

    (* anyconst *) reg [6:0] i;
    (* anyconst *) reg [4:0] cq;
    wire gone = \dut.pops && ( \dut.oldest == i);
    wire rung = \dut.bell_valid && ( \dut.place == i);
    wire told = \dut.pops && ( \dut.old_family == 2) && ( \dut.old_page == cq);
    wire armed = \dut.bell_valid && \dut.is_arm && ( \dut.page == cq);
    reg known = 0;
    reg [2:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[2] <= !reset && (rung || ( \dut.waits_q [i] && !gone));
        must[1] <= !reset && (armed || ( \dut.arms_q [cq] && !told));
        must[0] <= !reset && ((armed && !\dut.bell [8]) || ( \dut.any_q [cq] && !told));
    end
    always @(*) if (known) assert({ \dut.waits_q [i], \dut.arms_q [cq], \dut.any_q [cq]} == must);
endmodule
