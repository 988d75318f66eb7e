// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the registers that hold `sent` and `acked` are free, or their pulse is counted now,
//   whenever the next one comes: none is lost.
// of: rnic_w64 rnic_w64_sq_responder
// kind: induction 3
// bug in: rnic_w64_sq_responder
// bug from: counts = acked_q_q || sent_q_q;
// bug to: counts = sent_q_q;
module sq_responder_sent(input clock, input reset);
    rnic_w64_sq_responder dut(.clock(clock), .reset(reset));
    (* hierconn *) wire \dut.sent , \dut.acked , \dut.fresh , \dut.fresh_ready , \dut.sent_q_q , \dut.acked_q_q , \dut.counts , \dut.progress_write_enable ;
    (* hierconn *) wire [3:0] \dut.sent_qp , \dut.acked_qp , \dut.progress_write_address ;

    // Pulses given and counted of one queue pair. The difference is what the register holds.
    (* anyconst *) reg [3:0] i;
    wire writes = \dut.progress_write_enable && !\dut.fresh && ( \dut.progress_write_address == i);
    reg [3:0] given, counted;
    reg known = 0, sent, acked, acked_before, mine, ours;
    always @(posedge clock) begin
        known <= 1;
        sent <= \dut.sent ;
        acked <= \dut.acked ;
        acked_before <= acked;
        if ( \dut.acked ) ours <= \dut.acked_qp == i;
        if ( \dut.sent ) mine <= \dut.sent_qp == i;
        given <= reset ? 0 : given + ( \dut.sent && ( \dut.sent_qp == i)) + ( \dut.acked && ( \dut.acked_qp == i));
        counted <= reset ? 0 : counted + writes;
    end
    always @(*) begin
        if (!known) assume(reset);
        // sq_sent_apart and sq_acked_apart prove these of the producers; the third is what
        // `fresh_ready` is for.
        if (known && sent) assume(!\dut.sent );
        if (known && acked) assume(!\dut.acked );
        if ( \dut.fresh ) assume( \dut.fresh_ready && !\dut.acked );
        if (reset) assume(!\dut.sent && !\dut.acked );
        if (known) begin
            assert( \dut.acked_q_q == acked);
            if ( \dut.sent_q_q && !sent) assert(acked_before);
            assert(given == counted + ( \dut.sent_q_q && mine) + (acked && ours));
        end
    end
endmodule
