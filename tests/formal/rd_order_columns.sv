// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each tag's bits of order follow what names that tag: its issue, its end, its link, and
//   its predecessor that leaves.
// of: rnic_w64 rnic_w64_rd_order
// kind: induction 1
// bug in: rnic_w64_rd_order
// bug from: done_up = (done_up & ~(1 << (finish
// bug to: done_up = (done_q & ~(1 << (finish
module rd_order_columns(input clock, input reset);
    rnic_w64_rd_order dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [31:0] \dut.done_q , \dut.bad_q , \dut.first_q , \dut.linked_q ;
    (* hierconn *) wire [30:0] \dut.issue , \dut.part ;
    (* hierconn *) wire [6:0] \dut.finish ;
    (* hierconn *) wire [4:0] \dut.follower , \dut.newest_q ;
    (* hierconn *) wire \dut.issued , \dut.finish_valid , \dut.joins , \dut.newest_left_q , \dut.newest_bad_q , \dut.steps , \dut.follows , \dut.is_bad ;

    (* anyconst *) reg [4:0] i;
    wire issued = \dut.issued && (\dut.issue [4:0] == i);
    wire ends = \dut.finish_valid && (\dut.finish [4:0] == i);
    wire links = \dut.joins && !\dut.newest_left_q && (\dut.newest_q == i);
    wire led = \dut.steps && !\dut.part [30] && \dut.follows && (\dut.follower == i);
    wire leads = \dut.issue [29];
    reg known = 0;
    reg [3:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[3] <= !reset && (ends || (\dut.done_q [i] && !issued));
        must[2] <= !reset && (links || (\dut.linked_q [i] && !issued));
        must[1] <= !reset && ((ends && \dut.finish [5]) || (led && \dut.is_bad ) || (issued ? !leads && \dut.newest_left_q && \dut.newest_bad_q : \dut.bad_q [i]));
        must[0] <= !reset && (led || (issued ? leads || \dut.newest_left_q : \dut.first_q [i]));
    end
    always @(*) if (known) assert({\dut.done_q [i], \dut.linked_q [i], \dut.bad_q [i], \dut.first_q [i]} == must);
endmodule
