// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: an arbiter gives each input's beats once, in order, whole frame by whole frame, tells
//   whose they are, and holds what it offers.
// of: arbiter3_w16 arbiter3_w16
// kind: induction 2
// bug in: arbiter3_w16
// bug from: found = busy_q;
// bug to: found = busy_q && front_0_tx_valid;
module arbiter(input clock, input reset);
    arbiter3_w16 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.rx_0_data , \dut.rx_1_data , \dut.rx_2_data , \dut.tx_data ;
    (* hierconn *) wire [1:0] \dut.rx_0_bytes , \dut.rx_1_bytes , \dut.rx_2_bytes , \dut.tx_bytes ;
    (* hierconn *) wire \dut.rx_0_last , \dut.rx_1_last , \dut.rx_2_last , \dut.tx_last ;
    (* hierconn *) wire \dut.rx_0_err , \dut.rx_1_err , \dut.rx_2_err , \dut.tx_err ;
    (* hierconn *) wire \dut.rx_0_valid , \dut.rx_1_valid , \dut.rx_2_valid , \dut.tx_valid ;
    (* hierconn *) wire \dut.rx_0_ready , \dut.rx_1_ready , \dut.rx_2_ready , \dut.tx_ready ;
    (* hierconn *) wire [19:0] \dut.front_0.main_q , \dut.front_1.main_q , \dut.front_2.main_q ;
    (* hierconn *) wire [19:0] \dut.front_0.spare_q , \dut.front_1.spare_q , \dut.front_2.spare_q , \dut.out_q ;
    (* hierconn *) wire \dut.front_0.main_valid_q , \dut.front_1.main_valid_q , \dut.front_2.main_valid_q ;
    (* hierconn *) wire \dut.front_0.spare_valid_q , \dut.front_1.spare_valid_q , \dut.front_2.spare_valid_q ;
    (* hierconn *) wire \dut.out_valid_q , \dut.busy_q ;
    (* hierconn *) wire [2:0] \dut.from , \dut.turn_q , \dut.out_from_q ;

    // Input `j` is watched, and of eight beats of it that follow each other one: `at` beats of that
    // input are before it.
    (* anyconst *) reg [2:0] n;
    (* anyconst *) reg [1:0] j;
    wire [19:0] put = (j == 0) ? { \dut.rx_0_err , \dut.rx_0_last , \dut.rx_0_bytes , \dut.rx_0_data }
        : (j == 1) ? { \dut.rx_1_err , \dut.rx_1_last , \dut.rx_1_bytes , \dut.rx_1_data }
        : { \dut.rx_2_err , \dut.rx_2_last , \dut.rx_2_bytes , \dut.rx_2_data };
    wire [2:0] enters = { \dut.rx_2_valid && \dut.rx_2_ready , \dut.rx_1_valid && \dut.rx_1_ready , \dut.rx_0_valid && \dut.rx_0_ready };
    wire [59:0] mains = { \dut.front_2.main_q , \dut.front_1.main_q , \dut.front_0.main_q };
    wire [59:0] spares = { \dut.front_2.spare_q , \dut.front_1.spare_q , \dut.front_0.spare_q };
    wire [2:0] has_main = { \dut.front_2.main_valid_q , \dut.front_1.main_valid_q , \dut.front_0.main_valid_q };
    wire [2:0] has_spare = { \dut.front_2.spare_valid_q , \dut.front_1.spare_valid_q , \dut.front_0.spare_valid_q };
    wire [19:0] got = { \dut.tx_err , \dut.tx_last , \dut.tx_bytes , \dut.tx_data };
    wire mine = \dut.out_valid_q && ( \dut.out_from_q == j), leaves = \dut.tx_valid && \dut.tx_ready ;
    reg [2:0] ins, outs, before_from;
    reg [19:0] want, before;
    wire [2:0] held = mine + has_main[j] + has_spare[j], at = n - outs, place = at + !mine;
    reg known = 0, waits, inside;
    reg [2:0] owner;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters[j];
        outs <= reset ? 0 : outs + (leaves && ( \dut.from == j));
        if (enters[j] && (ins == n)) want <= put;
        waits <= !reset && \dut.tx_valid && !\dut.tx_ready ;
        {before, before_from} <= {got, \dut.from };
        inside <= !reset && (leaves ? !\dut.tx_last : inside);
        if (leaves) owner <= \dut.from ;
    end
    always @(*) begin
        assume(j < 3);
        if (!known) assume(reset);
        else begin
            assert(held == ins - outs);
            assert(has_main[j] || !has_spare[j]);
            if (at < held) assert(want == ((place == 0) ? \dut.out_q : (place == 1) ? mains[20 * j +: 20] : spares[20 * j +: 20]));
            if ( \dut.tx_valid && ( \dut.from == j) && (at == 0)) assert(got == want);
            if ( \dut.tx_valid ) assert( \dut.from < 3);
            if ( \dut.tx_valid && inside) assert( \dut.from == owner);                    // no frame inside another
            if (waits) assert( \dut.tx_valid && ({got, \dut.from } == {before, before_from}));
            // who goes on is the one whose beat was taken last
            if ( \dut.out_valid_q ) assert(( \dut.busy_q == !\dut.tx_last ) && ( \dut.turn_q == \dut.out_from_q ));
            else assert(( \dut.busy_q == inside) && (!inside || ( \dut.turn_q == owner)));
        end
    end
endmodule
