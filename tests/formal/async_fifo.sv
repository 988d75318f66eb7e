// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a FIFO of four places between two clocks gives each word once, in order and unchanged,
//   never holds more than four, and at most one bit of a pointer that crosses changes at a time.
// of: async_fifo_w8 async_fifo_w8
// kind: induction 2
// memories: registers
// clocks: two
// bug in: async_fifo_w8
// bug from: written_gray <= written_up ^ (written_up >> 1);
// bug to: written_gray <= written_up;
// bug depth: 16
module async_fifo(input clock, input read_clock);
    async_fifo_w8 dut(.clock(clock), .read_clock(read_clock));
    (* hierconn *) wire [7:0] \dut.rx_item , \dut.tx_item , \dut.words[0] , \dut.words[1] , \dut.words[2] , \dut.words[3] ;
    (* hierconn *) wire \dut.reset , \dut.read_reset , \dut.rx_valid , \dut.rx_ready , \dut.tx_valid , \dut.tx_ready ;
    (* hierconn *) wire [2:0] \dut.written , \dut.written_gray , \dut.written_near , \dut.written_here ;
    (* hierconn *) wire [2:0] \dut.read , \dut.read_gray , \dut.read_near , \dut.read_here ;

    // Both clocks rise in any step or in none. Of eight words that follow each other one is
    // watched: `at` words are before it.
    (* anyconst *) reg [2:0] n;
    reg [2:0] ins, outs;
    reg [7:0] want;
    wire [2:0] held = ins - outs, at = n - outs;
    wire [1:0] place = outs[1:0] + at[1:0];
    wire [31:0] words = { \dut.words[3] , \dut.words[2] , \dut.words[1] , \dut.words[0] };
    wire enters = \dut.rx_valid && \dut.rx_ready , leaves = \dut.tx_valid && \dut.tx_ready ;
    always @(posedge clock) begin
        ins <= ins + enters;
        if (enters && (ins == n)) want <= \dut.rx_item ;
    end
    always @(posedge read_clock) outs <= outs + leaves;

    // Numbers of the pointers that have crossed, as words that are behind them.
    wire [2:0] w1 = { \dut.written_near [2], ^ \dut.written_near [2:1], ^ \dut.written_near } - outs;
    wire [2:0] w2 = { \dut.written_here [2], ^ \dut.written_here [2:1], ^ \dut.written_here } - outs;
    wire [2:0] r1 = ins - { \dut.read_near [2], ^ \dut.read_near [2:1], ^ \dut.read_near };
    wire [2:0] r2 = ins - { \dut.read_here [2], ^ \dut.read_here [2:1], ^ \dut.read_here };
    reg begun = 0;
    reg [2:0] written_before, read_before;
    always @($global_clock) begin
        begun <= 1;
        written_before <= \dut.written_gray ;
        read_before <= \dut.read_gray ;
    end
    wire [2:0] written_change = written_before ^ \dut.written_gray , read_change = read_before ^ \dut.read_gray ;
    always @(*) begin
        assume(!\dut.reset && !\dut.read_reset );
        if (!begun) begin
            // as both resets leave it
            assume((ins == 0) && (outs == 0) && ( \dut.written == 0) && ( \dut.written_gray == 0) && ( \dut.read == 0));
            assume(( \dut.read_gray == 0) && ( \dut.written_near == 0) && ( \dut.written_here == 0));
            assume(( \dut.read_near == 0) && ( \dut.read_here == 0));
        end else begin
            assert((written_change & (written_change - 3'd1)) == 0);
            assert((read_change & (read_change - 3'd1)) == 0);
        end
        assert(held <= 4);
        assert(( \dut.written == ins) && ( \dut.read == outs));
        assert( \dut.written_gray == (ins ^ (ins >> 1)));
        assert( \dut.read_gray == (outs ^ (outs >> 1)));
        assert((w2 <= w1) && (w1 <= held));
        assert((held <= r1) && (r1 <= r2) && (r2 <= 4));
        if (at < held) assert(want == words[8 * place +: 8]);
        if ( \dut.tx_valid ) assert(held != 0);
        if ( \dut.tx_valid && (at == 0)) assert( \dut.tx_item == want);
        if (enters) assert(held != 4);
    end
endmodule
