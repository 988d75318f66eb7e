// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a tag is fresh from its issue to its first completion, whatever comes for others.
// of: rnic_w64 rnic_w64_rd_check
// kind: induction 1
// bug in: rnic_w64_rd_check
// bug from: fresh_up = (fresh_up & ~(1 << (issue
// bug to: fresh_up = (fresh_q & ~(1 << (issue
module rd_check_fresh(input clock, input reset);
    rnic_w64_rd_check dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [31:0] \dut.fresh_q ;
    (* hierconn *) wire \dut.counts , \dut.issued ;
    (* hierconn *) wire [4:0] \dut.tag ;
    (* hierconn *) wire [30:0] \dut.issue ;

    (* anyconst *) reg [4:0] i;
    wire came = \dut.counts && (\dut.tag == i);
    wire issued = \dut.issued && (\dut.issue [4:0] == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (issued || (\dut.fresh_q [i] && !came));
    end
    always @(*) if (known) assert(\dut.fresh_q [i] == must);
endmodule
