// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: an answer, a take, a row and a read count for their queue pair, whatever is done for
//   another one in that cycle.
// of: rnic_w64 rnic_w64_rq
// kind: induction 1
// bug in: rnic_w64_rq
// bug from: here_now = (here_now & ~(1 << (closes_qp)) | ((1'b1)
// bug to: here_now = (here_q & ~(1 << (closes_qp)) | ((1'b1)
module rq_columns(input clock, input reset);
    rnic_w64_rq dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.busy_q , \dut.here_q , \dut.both_q , \dut.wants_q , \dut.rung_to , \dut.upcoming ;
    (* hierconn *) wire \dut.store_done , \dut.store_done_more , \dut.second_q ;
    (* hierconn *) wire [3:0] \dut.store_done_qp , \dut.pump_row , \dut.count_q ;
    (* hierconn *) wire [2:0] \dut.pump_kind ;

    (* anyconst *) reg [3:0] i;
    wire answered = \dut.store_done && (\dut.store_done_qp == i) && \dut.busy_q [i];
    wire mine = \dut.pump_row == i;
    wire clears = mine && (\dut.pump_kind == 1); // Setup
    wire rings = mine && (\dut.pump_kind == 2); // Bell
    wire takes = mine && (\dut.pump_kind == 4) && \dut.count_q [3]; // the end of Move
    wire fetches = mine && (\dut.pump_kind == 5); // Fetch
    wire unrung = \dut.second_q && (\dut.rung_to == \dut.upcoming );
    wire asks = fetches && !unrung;
    wire ends = mine && (\dut.pump_kind == 6) && !\dut.store_done ; // Short
    wire came = (answered && !\dut.store_done_more ) || ends;
    // before an answer
    wire here = !clears && (takes ? \dut.both_q [i] : \dut.here_q [i]);
    wire both = !clears && !takes && \dut.both_q [i];
    reg known = 0, other;
    reg [2:0] must;
    reg wants;
    always @(posedge clock) begin
        known <= 1;
        must[2] <= !reset && !came && (asks || \dut.busy_q [i]);
        must[1] <= !reset && (came || here);
        must[0] <= !reset && (came ? here : both);
        other <= reset || !(rings || asks);
        wants <= !reset && !clears && \dut.wants_q [i];
    end
    always @(*) if (known) begin
        assert({\dut.busy_q [i], \dut.here_q [i], \dut.both_q [i]} == must);
        if (other) assert(\dut.wants_q [i] == wants);
    end
endmodule
