// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a merge gives each input's items once, in order and unchanged, and holds what it offers
//   until it is taken.
// of: merge_w8 merge_w8
// kind: induction 2
// bug in: merge_w8_pick
// bug from: rx_0_ready = tx_ready;
// bug to: rx_0_ready = tx_ready && (turn_q == 1);
module merge(input clock, input reset);
    merge_w8 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [7:0] \dut.a_item , \dut.b_item , \dut.q_item , \dut.out.main_q , \dut.out.spare_q ;
    (* hierconn *) wire [7:0] \dut.first.main_q , \dut.first.spare_q , \dut.second.main_q , \dut.second.spare_q ;
    (* hierconn *) wire \dut.a_valid , \dut.a_ready , \dut.b_valid , \dut.b_ready , \dut.q_valid , \dut.q_ready ;
    (* hierconn *) wire \dut.first.main_valid_q , \dut.first.spare_valid_q , \dut.second.main_valid_q , \dut.second.spare_valid_q ;
    (* hierconn *) wire \dut.out.main_valid_q , \dut.out.spare_valid_q ;

    // Bit 7 says which input an item is of. One is watched, and of eight items of it that follow
    // each other one.
    (* anyconst *) reg [2:0] n;
    (* anyconst *) reg b;
    wire enters = b ? \dut.b_valid && \dut.b_ready : \dut.a_valid && \dut.a_ready ;
    wire mine = \dut.q_item [7] == b;
    wire out0 = \dut.out.main_valid_q && ( \dut.out.main_q [7] == b), out1 = \dut.out.spare_valid_q && ( \dut.out.spare_q [7] == b);
    wire in0 = b ? \dut.second.main_valid_q : \dut.first.main_valid_q , in1 = b ? \dut.second.spare_valid_q : \dut.first.spare_valid_q ;
    wire [7:0] main = b ? \dut.second.main_q : \dut.first.main_q , spare = b ? \dut.second.spare_q : \dut.first.spare_q ;
    reg [2:0] ins, outs;
    reg [7:0] want, before;
    wire [2:0] held = out0 + out1 + in0 + in1, at = n - outs, inside = out0 + out1;
    wire [7:0] there = (at < inside) ? ((out0 && (at == 0)) ? \dut.out.main_q : \dut.out.spare_q ) : (at == inside) ? main : spare;
    reg known = 0, waits;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + ( \dut.q_valid && \dut.q_ready && mine);
        if (enters && (ins == n)) want <= b ? \dut.b_item : \dut.a_item ;
        waits <= !reset && \dut.q_valid && !\dut.q_ready ;
        before <= \dut.q_item ;
    end
    always @(*) begin
        assume(!\dut.a_item [7] && \dut.b_item [7]);
        if (!known) assume(reset);
        else begin
            assert(held == ins - outs);
            assert((in0 || !in1) && ( \dut.out.main_valid_q || !\dut.out.spare_valid_q ));
            if ( \dut.first.main_valid_q ) assert(!\dut.first.main_q [7]);
            if ( \dut.first.spare_valid_q ) assert(!\dut.first.spare_q [7]);
            if ( \dut.second.main_valid_q ) assert(\dut.second.main_q [7]);
            if ( \dut.second.spare_valid_q ) assert(\dut.second.spare_q [7]);
            if (at < held) assert(want == there);
            if ( \dut.q_valid && mine && (at == 0)) assert( \dut.q_item == want);
            if (waits) assert( \dut.q_valid && ( \dut.q_item == before));
        end
    end
endmodule
