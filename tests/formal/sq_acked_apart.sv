// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: `acked` of the responder never pulses in two cycles that follow each other, nor while the
//   ring is ready for a fresh connection.
// of: rnic_w64 rnic_w64_sq_ring
// kind: induction 1
// bug in: rnic_w64_sq_ring_retirer
// bug from: state_d = Retire_Give;
// bug to: state_d = Retire_Judge;
module sq_acked_apart(input clock, input reset);
    rnic_w64_sq_ring dut(.clock(clock), .reset(reset));
    (* hierconn *) wire \dut.response_retires , \dut.fresh_ready ;
    reg known = 0, before;
    always @(posedge clock) {known, before} <= {1'b1, \dut.response_retires };
    always @(*) begin
        if (known) assert(!(before && \dut.response_retires ));
        assert(!( \dut.fresh_ready && \dut.response_retires ));
    end
endmodule
