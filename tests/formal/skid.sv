// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a skid buffer gives each beat once, in order and unchanged, and holds what it offers
//   until it is taken.
// of: skid_w16 skid_w16
// kind: induction 2
// bug in: skid_w16
// bug from: main_d = spare_q;
// bug to: main_d = main_q;
module skid(input clock, input reset);
    skid_w16 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.rx_data , \dut.tx_data ;
    (* hierconn *) wire [1:0] \dut.rx_bytes , \dut.tx_bytes ;
    (* hierconn *) wire \dut.rx_last , \dut.tx_last , \dut.rx_err , \dut.tx_err ;
    (* hierconn *) wire \dut.rx_valid , \dut.rx_ready , \dut.tx_valid , \dut.tx_ready ;
    (* hierconn *) wire \dut.main_valid_q , \dut.spare_valid_q ;
    (* hierconn *) wire [19:0] \dut.main_q , \dut.spare_q ;

    // Of eight beats that follow each other one is watched: `at` beats are before it.
    (* anyconst *) reg [2:0] n;
    reg [2:0] ins, outs;
    reg [19:0] want;
    wire [19:0] put = { \dut.rx_err , \dut.rx_last , \dut.rx_bytes , \dut.rx_data };
    wire [19:0] got = { \dut.tx_err , \dut.tx_last , \dut.tx_bytes , \dut.tx_data };
    wire [2:0] held = \dut.main_valid_q + \dut.spare_valid_q ;
    wire [2:0] at = n - outs;
    wire enters = \dut.rx_valid && \dut.rx_ready ;
    reg known = 0, waits;
    reg [19:0] before;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + ( \dut.tx_valid && \dut.tx_ready );
        if (enters && (ins == n)) want <= put;
        waits <= !reset && \dut.tx_valid && !\dut.tx_ready ;
        before <= got;
    end
    always @(*) begin
        if (!known) assume(reset);
        else begin
            assert(held == ins - outs);
            assert(\dut.tx_valid == (held != 0));
            if (at < held) assert(want == (at == 0 ? \dut.main_q : \dut.spare_q ));
            if ((at == 0) && \dut.tx_valid ) assert(got == want);
            if (waits) assert(\dut.tx_valid && (got == before));
        end
    end
endmodule
