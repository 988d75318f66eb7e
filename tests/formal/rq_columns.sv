// proves: an answer sets `here` and `spoilt` and clears `busy` of its queue pair whatever is done for another one, which keeps its own.
// of: rnic_w64 rnic_w64_rq
// kind: induction 1
// bug in: rnic_w64_rq
// bug from: busy_now = (busy_now & ~(1 << (qp_q)) | ((1'b1)
// bug to: busy_now = (busy_q & ~(1 << (qp_q)) | ((1'b1)
module rq_columns(input clock, input reset);
    rnic_w64_rq dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.busy_q , \dut.here_q , \dut.spoilt_q ;
    (* hierconn *) wire \dut.store_done , \dut.store_done_bad , \dut.req_full_q ;
    (* hierconn *) wire [3:0] \dut.store_done_qp , \dut.qp_q , \dut.count_q ;
    (* hierconn *) wire [2:0] \dut.st_q ;

    (* anyconst *) reg [3:0] i;
    wire came = \dut.store_done && (\dut.store_done_qp == i) && \dut.busy_q [i];
    wire mine = \dut.qp_q == i;
    wire gone = mine && ((\dut.st_q == 1) || ((\dut.st_q == 4) && \dut.count_q [3])); // Setup, or the end of Move
    wire asks = mine && (\dut.st_q == 5) && !\dut.req_full_q ; // Fetch
    reg known = 0;
    reg [2:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[2] <= !reset && (asks || (\dut.busy_q [i] && !came));
        must[1] <= !reset && (!gone && (came || \dut.here_q [i]));
        must[0] <= !reset && (came ? \dut.store_done_bad : \dut.spoilt_q [i]);
    end
    always @(*) if (known) assert({\dut.busy_q [i], \dut.here_q [i], \dut.spoilt_q [i]} == must);
endmodule
