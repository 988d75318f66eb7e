// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a queue of four gives each item once, in order and unchanged, takes one while it holds
//   less than four, and holds what it offers.
// of: queue_w8 queue_w8
// kind: induction 2
// memories: registers
// bug in: queue_w8
// bug from: full_d = write_up == read_q;
// bug to: full_d = write_up == read_up;
module queue(input clock, input reset);
    queue_w8 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [7:0] \dut.rx_item , \dut.tx_item , \dut.ram.words[0] , \dut.ram.words[1] , \dut.ram.words[2] , \dut.ram.words[3] ;
    (* hierconn *) wire \dut.rx_valid , \dut.rx_ready , \dut.tx_valid , \dut.tx_ready , \dut.full_q , \dut.some_q ;
    (* hierconn *) wire [1:0] \dut.read_q , \dut.write_q ;

    // Of eight items that follow each other one is watched: `at` items are before it.
    (* anyconst *) reg [2:0] n;
    reg [2:0] ins, outs;
    reg [7:0] want, before;
    wire [2:0] held = ins - outs;
    wire [2:0] at = n - outs;
    wire [1:0] place = \dut.read_q + at[1:0];
    wire [31:0] words = { \dut.ram.words[3] , \dut.ram.words[2] , \dut.ram.words[1] , \dut.ram.words[0] };
    wire enters = \dut.rx_valid && \dut.rx_ready ;
    reg known = 0, waits;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + ( \dut.tx_valid && \dut.tx_ready );
        if (enters && (ins == n)) want <= \dut.rx_item ;
        waits <= !reset && \dut.tx_valid && !\dut.tx_ready ;
        before <= \dut.tx_item ;
    end
    always @(*) begin
        if (!known) assume(reset);
        else begin
            assert(held <= 4);
            assert(held[1:0] == \dut.write_q - \dut.read_q );
            assert((\dut.full_q == (held == 4)) && (\dut.some_q == (held != 0)));
            assert((\dut.rx_ready == (held != 4)) && (\dut.tx_valid == (held != 0)));
            if (at < held) assert(want == words[8 * place +: 8]);
            if ((at == 0) && \dut.tx_valid ) assert(\dut.tx_item == want);
            if (waits) assert(\dut.tx_valid && (\dut.tx_item == before));
        end
    end
endmodule
