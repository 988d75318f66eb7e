// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a packet FIFO of four beats gives the beats of good frames once, in order and unchanged,
//   and none of a bad or too long one.
// of: packet_fifo_w16 packet_fifo_w16
// kind: bounded 11
// memories: registers
// bug in: packet_fifo_w16
// bug from: put_d = start_q;
// bug to: put_d = put_q;
module packet_fifo(input clock, input reset);
    packet_fifo_w16 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.rx_data , \dut.tx_data ;
    (* hierconn *) wire [1:0] \dut.rx_bytes , \dut.tx_bytes ;
    (* hierconn *) wire \dut.rx_last , \dut.rx_err , \dut.rx_valid , \dut.rx_ready , \dut.discard ;
    (* hierconn *) wire \dut.tx_last , \dut.tx_err , \dut.tx_valid , \dut.tx_ready ;
    (* hierconn *) wire \dut.ram.write_enable , \dut.ram.read_enable ;
    (* hierconn *) wire [1:0] \dut.ram.write_address , \dut.ram.read_address ;

    // Bit 15 of each beat says whether its frame is to be dropped: for `err`, for a discard, or as
    // it has more than four beats.
    wire bad = \dut.rx_data [15], enters = \dut.rx_valid && \dut.rx_ready , leaves = \dut.tx_valid && \dut.tx_ready ;
    reg known = 0, inside, marked, doomed, waits, offers;
    reg [2:0] beats;
    reg [19:0] offered, before;
    wire [19:0] put = { \dut.rx_err , \dut.rx_last , \dut.rx_bytes , \dut.rx_data };
    wire [19:0] got = { \dut.tx_err , \dut.tx_last , \dut.tx_bytes , \dut.tx_data };
    wire dooms = doomed || \dut.discard ;

    // Of sixteen good beats that follow each other one is watched.
    (* anyconst *) reg [3:0] n;
    reg [3:0] ins, outs;
    reg [19:0] want;
    always @(posedge clock) begin
        known <= 1;
        inside <= !reset && (enters ? !\dut.rx_last : inside);
        doomed <= !reset && !(enters && \dut.rx_last ) && dooms && ( \dut.rx_valid || inside);
        if (enters) marked <= bad;
        beats <= (reset || (enters && \dut.rx_last )) ? 0 : beats + (enters && (beats != 5));
        offers <= !reset && \dut.rx_valid && !\dut.rx_ready ;
        offered <= put;
        ins <= reset ? 0 : ins + (enters && !bad);
        outs <= reset ? 0 : outs + leaves;
        if (enters && !bad && (ins == n)) want <= put;
        waits <= !reset && \dut.tx_valid && !\dut.tx_ready ;
        before <= got;
    end
    always @(*) begin
        assume(reset == !known);
        if (known && offers) assume( \dut.rx_valid && (put == offered));
        if ( \dut.rx_valid && inside) assume(bad == marked);
        if ( \dut.rx_valid && !bad) assume(!\dut.rx_err && !\dut.discard && ( \dut.rx_last || (beats < 3)));
        if (!\dut.rx_valid && inside && !marked) assume(!\dut.discard );
        if ( \dut.rx_valid && bad && \dut.rx_last ) assume( \dut.rx_err || dooms || (beats >= 4));
        if (known) begin
            if ( \dut.tx_valid ) assert(!\dut.tx_data [15] && !\dut.tx_err );
            if ( \dut.tx_valid && (outs == n)) assert((ins != outs) && (got == want));
            if ( \dut.ram.write_enable && \dut.ram.read_enable ) assert( \dut.ram.write_address != \dut.ram.read_address );
            if (waits) assert( \dut.tx_valid && (got == before));
        end
    end
endmodule
