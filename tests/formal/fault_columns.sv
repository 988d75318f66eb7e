// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: `works`, `halted`, `kept` and `over` change only where a row, a fault, a walk or an
//   overrun names them; all of a cycle count.
// of: rnic_w64 rnic_w64_fault
// kind: induction 1
// bug in: rnic_w64_fault
// bug from: over_now = (over_now & ~(1 << (over_pick_q))
// bug to: over_now = (overs_q & ~(1 << (over_pick_q))
module fault_columns(input clock, input reset);
    rnic_w64_fault dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.works_q , \dut.halted_q , \dut.kept_q ;
    (* hierconn *) wire [31:0] \dut.overs_q ;
    (* hierconn *) wire [2:0] \dut.st_q ;
    (* hierconn *) wire [232:0] \dut.row ;
    (* hierconn *) wire [3:0] \dut.qp_q ;
    (* hierconn *) wire [4:0] \dut.over_cq , \dut.over_pick_q ;
    (* hierconn *) wire \dut.over_valid , \dut.up , \dut.cites_pulls , \dut.qpw_valid ;
    (* hierconn *) wire \dut.over_waits_q , \dut.is_first_q , \dut.hit , \dut.its_works ;
    (* hierconn *) wire \dut.walks_q , \dut.asked_q ;

    (* anyconst *) reg [3:0] i;
    (* anyconst *) reg [4:0] cq;
    wire begins = (\dut.st_q == 0) && \dut.up && !\dut.cites_pulls && !\dut.qpw_valid ;
    wire looks = (\dut.st_q == 2) && !\dut.walks_q && !\dut.asked_q ;
    wire fails = looks && \dut.its_works && (\dut.qp_q == i);
    wire taken = begins && \dut.over_waits_q && (\dut.over_pick_q == cq);
    wire full = \dut.over_valid && (\dut.over_cq == cq);
    wire setup = (\dut.st_q == 1) && (\dut.qp_q == i);
    wire first = (\dut.st_q == 3) && \dut.is_first_q && (\dut.qp_q == i);
    wire swept = (\dut.st_q == 5) && \dut.hit && (\dut.qp_q == i);
    wire [7:0] state = \dut.row [7:0];
    reg known = 0;
    reg [3:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[3] <= !reset && (setup ? (state == 1) : \dut.works_q [i]);
        must[2] <= !reset && (fails || swept || (setup ? (state == 2) : \dut.halted_q [i]));
        must[1] <= !reset && (first || swept || (\dut.kept_q [i] && !setup));
        must[0] <= !reset && (!taken && (full || \dut.overs_q [cq]));
    end
    always @(*) if (known) assert({\dut.works_q [i], \dut.halted_q [i], \dut.kept_q [i], \dut.overs_q [cq]} == must);
endmodule
