// proves: a queue pair's bit `for_replay` is that of its newest job, and is kept while others are fetched.
// of: rnic_w64 rnic_w64_sq_fetch
// kind: induction 1
// bug in: rnic_w64_sq_fetch
// bug from: for_replay_d = (for_replay_q & ~(1 <<
// bug to: for_replay_d = (for_replay_q & ~(3 <<
module sq_replay_flags(input clock, input reset);
    rnic_w64_sq_fetch dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.for_replay_q ;
    (* hierconn *) wire \dut.job_valid , \dut.jobs_d_ready ;
    (* hierconn *) wire [72:0] \dut.job ;

    (* anyconst *) reg [3:0] i;
    wire mine = \dut.job_valid && \dut.jobs_d_ready && (\dut.job [3:0] == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (mine ? \dut.job [72] : \dut.for_replay_q [i]);
    end
    always @(*) if (known) assert(\dut.for_replay_q [i] == must);
endmodule
