// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a header split gives the first 14 octets of each frame, and a join behind it gives back
//   every beat, once and in order.
// of: split_join_w64 split14_w64 join14_w64
// kind: bounded 8
// bug in: join14_w64
// bug from: rest_d = front_tx_data >> down;
// bug to: rest_d = rest_q;
module split_join(input clock, input reset);
    wire [111:0] hdr_data;
    wire [63:0] mid_data;
    wire [3:0] mid_bytes;
    wire hdr_short, hdr_empty, hdr_err, hdr_valid, hdr_ready, mid_last, mid_err, mid_valid, mid_ready;
    split14_w64 split(
        .clock(clock), .reset(reset), .hdr_data(hdr_data), .hdr_short(hdr_short), .hdr_empty(hdr_empty), .hdr_err(hdr_err),
        .hdr_valid(hdr_valid), .hdr_ready(hdr_ready), .tx_data(mid_data), .tx_bytes(mid_bytes), .tx_last(mid_last), .tx_err(mid_err),
        .tx_valid(mid_valid), .tx_ready(mid_ready)
    );
    join14_w64 join_(
        .clock(clock), .reset(reset), .hdr_data(hdr_data), .hdr_short(hdr_short), .hdr_empty(hdr_empty), .hdr_err(hdr_err),
        .hdr_valid(hdr_valid), .hdr_ready(hdr_ready), .rx_data(mid_data), .rx_bytes(mid_bytes), .rx_last(mid_last), .rx_err(mid_err),
        .rx_valid(mid_valid), .rx_ready(mid_ready)
    );
    (* hierconn *) wire [63:0] \split.rx_data , \join_.tx_data ;
    (* hierconn *) wire [3:0] \split.rx_bytes , \join_.tx_bytes ;
    (* hierconn *) wire \split.rx_last , \split.rx_err , \split.rx_valid , \split.rx_ready ;
    (* hierconn *) wire \join_.tx_last , \join_.tx_err , \join_.tx_valid , \join_.tx_ready ;

    // Of sixteen beats that follow each other one is watched, and of eight frames one header.
    (* anyconst *) reg [3:0] n;
    (* anyconst *) reg [2:0] m;
    wire enters = \split.rx_valid && \split.rx_ready , leaves = \join_.tx_valid && \join_.tx_ready ;
    // Octets behind the last one count for nothing.
    wire [63:0] in_data = \split.rx_data & ~(~64'd0 << (8 * \split.rx_bytes )), out_data = \join_.tx_data & ~(~64'd0 << (8 * \join_.tx_bytes ));
    wire [69:0] put = { \split.rx_err , \split.rx_last , \split.rx_bytes , in_data};
    wire [69:0] got = { \join_.tx_err , \join_.tx_last , \join_.tx_bytes , out_data};
    reg [3:0] ins, outs;
    reg [2:0] frame, head;
    reg [1:0] beat;
    reg [69:0] want, offered, before;
    reg [111:0] want_head;
    reg known = 0, offers, waits;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + leaves;
        beat <= (reset || (enters && \split.rx_last )) ? 0 : beat + (enters && (beat != 2));
        frame <= reset ? 0 : frame + (enters && \split.rx_last );
        head <= reset ? 0 : head + (hdr_valid && hdr_ready);
        if (enters && (ins == n)) want <= put;
        if (enters && (frame == m) && (beat == 0)) want_head[63:0] <= \split.rx_data ;
        if (enters && (frame == m) && (beat == 1)) want_head[111:64] <= \split.rx_data [47:0];
        {offers, offered} <= {!reset && \split.rx_valid && !\split.rx_ready , put};
        {waits, before} <= {!reset && \join_.tx_valid && !\join_.tx_ready , got};
    end
    always @(*) begin
        assume(reset == !known);
        // Frames of 14 octets or more; only the last beat is short or bad.
        if ( \split.rx_valid ) begin
            assume( \split.rx_last ? ( \split.rx_bytes != 0) && ( \split.rx_bytes <= 8) : ( \split.rx_bytes == 8) && !\split.rx_err );
            assume((beat == 2) || !\split.rx_last || ((beat == 1) && ( \split.rx_bytes >= 6)));
        end
        if (known && offers) assume( \split.rx_valid && (put == offered));
        if (known) begin
            if (hdr_valid) assert(!hdr_short);
            if (hdr_valid && (head == m)) assert(hdr_data == want_head);
            if ( \join_.tx_valid && (outs == n)) assert((ins != outs) && (got == want));
            if (waits) assert( \join_.tx_valid && (got == before));
        end
    end
endmodule
