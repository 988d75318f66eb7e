// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a fork gives both readers each beat once, in order and unchanged, and holds what it
//   offers until it is taken.
// of: fork_w16 fork_w16
// kind: induction 2
// bug in: fork_w16
// bug from: left_has_d = left_done && ~right_done;
// bug to: left_has_d = left_skid_rx_ready && ~right_done;
module fork(input clock, input reset);
    fork_w16 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.rx_data , \dut.left_data , \dut.right_data ;
    (* hierconn *) wire [1:0] \dut.rx_bytes , \dut.left_bytes , \dut.right_bytes ;
    (* hierconn *) wire \dut.rx_last , \dut.rx_err , \dut.left_last , \dut.left_err , \dut.right_last , \dut.right_err ;
    (* hierconn *) wire \dut.rx_valid , \dut.rx_ready , \dut.left_valid , \dut.left_ready , \dut.right_valid , \dut.right_ready ;
    (* hierconn *) wire [19:0] \dut.left_skid.main_q , \dut.left_skid.spare_q , \dut.right_skid.main_q , \dut.right_skid.spare_q ;
    (* hierconn *) wire \dut.left_skid.main_valid_q , \dut.left_skid.spare_valid_q ;
    (* hierconn *) wire \dut.right_skid.main_valid_q , \dut.right_skid.spare_valid_q , \dut.left_has_q , \dut.right_has_q ;

    // One side is watched, and of eight beats that follow each other one: `at` beats are before it.
    (* anyconst *) reg [2:0] n;
    (* anyconst *) reg right;
    wire [19:0] put = { \dut.rx_err , \dut.rx_last , \dut.rx_bytes , \dut.rx_data };
    wire [19:0] got = right ? { \dut.right_err , \dut.right_last , \dut.right_bytes , \dut.right_data }
        : { \dut.left_err , \dut.left_last , \dut.left_bytes , \dut.left_data };
    wire valid = right ? \dut.right_valid : \dut.left_valid , ready = right ? \dut.right_ready : \dut.left_ready ;
    wire [19:0] main = right ? \dut.right_skid.main_q : \dut.left_skid.main_q ;
    wire [19:0] spare = right ? \dut.right_skid.spare_q : \dut.left_skid.spare_q ;
    wire has_main = right ? \dut.right_skid.main_valid_q : \dut.left_skid.main_valid_q ;
    wire has_spare = right ? \dut.right_skid.spare_valid_q : \dut.left_skid.spare_valid_q ;
    wire has = right ? \dut.right_has_q : \dut.left_has_q ;
    wire enters = \dut.rx_valid && \dut.rx_ready ;
    reg [2:0] ins, outs;
    reg [19:0] want, before, offered;
    wire [2:0] held = has_main + has_spare, at = n - outs;
    reg known = 0, waits, offers;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + (valid && ready);
        if ( \dut.rx_valid && (ins == n)) want <= put;
        waits <= !reset && valid && !ready;
        before <= got;
        offers <= !reset && \dut.rx_valid && !\dut.rx_ready ;
        offered <= put;
    end
    always @(*) begin
        if (!known) assume(reset);
        if (offers) assume( \dut.rx_valid && (put == offered));
        if (known) begin
            assert(held == ins + has - outs);
            assert(has_main || !has_spare);
            assert(!( \dut.left_has_q && \dut.right_has_q ) && (!has || offers));
            if (offers && (ins == n)) assert(want == offered);
            if (at < held) assert(want == ((at == 0) ? main : spare));
            if (valid && (at == 0)) assert(got == want);
            if (waits) assert(valid && (got == before));
        end
    end
endmodule
