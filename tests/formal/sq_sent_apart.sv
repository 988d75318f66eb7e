// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: `sent` of the responder never pulses in two cycles that follow each other: what it counts
//   on at its producer.
// of: rnic_w64 rnic_w64_sq_work
// kind: induction 1
// bug in: rnic_w64_sq_work
// bug from: response_sent = push && (kind == response) && hands_ends;
// bug to: response_sent = (kind == response) && hands_ends;
module sq_sent_apart(input clock, input reset);
    rnic_w64_sq_work dut(.clock(clock), .reset(reset));
    (* hierconn *) wire \dut.response_sent ;
    reg known = 0, before;
    always @(posedge clock) {known, before} <= {1'b1, \dut.response_sent };
    always @(*) if (known) assert(!(before && \dut.response_sent ));
endmodule
