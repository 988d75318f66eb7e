// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a queue pair's read is known from its job to the end of its answer, whatever is read for
//   another one.
// of: rnic_w64 rnic_w64_sq_fetch
// kind: induction 1
// bug in: rnic_w64_sq_fetch
// bug from: reads_now = (reads_now & ~(1 << (given_qp))
// bug to: reads_now = (reads_now & ~(3 << (given_qp))
module sq_fetch_reads(input clock, input reset);
    rnic_w64_sq_fetch dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.reads_q ;
    (* hierconn *) wire \dut.job_valid , \dut.job_ready , \dut.ans_valid , \dut.ans_last , \dut.ans_final ;
    (* hierconn *) wire [74:0] \dut.job_item ;
    (* hierconn *) wire [7:0] \dut.ans_tag ;

    (* anyconst *) reg [3:0] i;
    wire begins = \dut.job_valid && \dut.job_ready && (\dut.job_item [3:0] == i);
    wire ends = \dut.ans_valid && \dut.ans_last && \dut.ans_final && (\dut.ans_tag [3:0] == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && !ends && (begins || \dut.reads_q [i]);
    end
    always @(*) if (known) assert(\dut.reads_q [i] == must);
endmodule
