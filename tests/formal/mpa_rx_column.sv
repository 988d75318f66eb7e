// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the CRC of a connection goes on from where its last octets left it, though its column may
//   not be read as it is written.
// of: rnic_w64 rnic_w64_mpa_rx
// instead: rnic_w64_mpa_rx_check_column rnic_w64_mpa_rx_check_step rnic_w64_mpa_rx_front_rows
// kind: induction 6
// bug in: rnic_w64_mpa_rx_check
// bug from: if (s_q[(64'h13)+:(1)] && ~(crc_known_q && (crc_conn_q == s_conn)))
// bug to: if (s_q[(64'h13)+:(1)])
module mpa_rx_column(input clock, input reset);
    rnic_w64_mpa_rx dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [3:0] \dut.part_check.column.i , \dut.part_check.crc_conn_q , \dut.part_check.s_conn ;
    (* hierconn *) wire [31:0] \dut.part_check.column.word , \dut.part_check.crc_q , \dut.part_check.crc_d , \dut.part_check.from ;
    (* hierconn *) wire \dut.part_check.s_valid_q ,  \dut.part_check.crc_known_q , \dut.part_front.asked_q , \dut.part_front.ready_q ;
    (* hierconn *) wire [1:0] \dut.part_check.s_words , \dut.part_check.p_words ;
    (* hierconn *) wire [3:0] \dut.part_frame.conn_q , \dut.part_check.p_conn ;
    (* hierconn *) wire \dut.part_frame.active_q , \dut.part_frame.seg_first_q , \dut.part_check.p_valid ;
    (* hierconn *) wire [112:0] \dut.part_check.p_item , \dut.part_check.s_q ;

    // The CRC of connection `i` after its octets so far.
    wire mine = \dut.part_check.s_conn == \dut.part_check.column.i ;
    wire step = \dut.part_check.s_valid_q && ( \dut.part_check.s_words != 0) && mine;
    wire here = \dut.part_check.crc_known_q && ( \dut.part_check.crc_conn_q == \dut.part_check.column.i );
    // Rows of connections: a header that was read has words left. What is written says so, what is
    // read may be trusted to.
    (* hierconn *) wire \dut.part_front.rows_write_enable ;
    (* hierconn *) wire [126:0] \dut.part_front.rows_write_data , \dut.part_front.rows_read_data , \dut.part_frame.row_q ;
    (* hierconn *) wire [260:0] \dut.part_front.held_q ;

    // Inside a segment all steps are of its connection: whose the last one was, seen from `s`, `p`
    // and the framer.
    wire s_steps = \dut.part_check.s_valid_q && ( \dut.part_check.s_words != 0), p_steps = \dut.part_check.p_valid && ( \dut.part_check.p_words != 0);
    wire [3:0] before_p = s_steps ? \dut.part_check.s_conn : \dut.part_check.crc_conn_q , before_f = p_steps ? \dut.part_check.p_conn : before_p;
    (* hierconn *) wire \dut.part_front.done_q ;
    wire idle = \dut.part_front.done_q && !\dut.part_front.asked_q && !\dut.part_front.ready_q && !\dut.part_frame.active_q && !\dut.part_frame.row_q [56]
        && !\dut.part_check.p_valid && !\dut.part_check.s_valid_q && !live;
    reg [31:0] last;
    reg known = 0, live;
    always @(posedge clock) begin
        known <= 1;
        live <= !reset && (live || step);
        if (step) last <= \dut.part_check.crc_d ;
    end
    always @(*) begin
        // From reset, or after the scrub with nothing under way.
        if (!known) assume(reset || idle);
        assume(!\dut.part_front.rows_read_data [56] || ( \dut.part_front.rows_read_data [75:60] != 0));
        if (known) begin
            assert(!\dut.part_front.rows_write_enable || !\dut.part_front.rows_write_data [56] || ( \dut.part_front.rows_write_data [75:60] != 0));
            assert(!\dut.part_frame.row_q [56] || ( \dut.part_frame.row_q [75:60] != 0));
            if ( \dut.part_front.ready_q ) assert(!\dut.part_front.held_q [166] || ( \dut.part_front.held_q [185:170] != 0));
            assert(!( \dut.part_front.asked_q && \dut.part_front.ready_q ));
            if (s_steps && !\dut.part_check.s_q [19] ) assert(\dut.part_check.crc_known_q && ( \dut.part_check.crc_conn_q == \dut.part_check.s_conn ));
            if (p_steps && !\dut.part_check.p_item [19] ) assert((s_steps || \dut.part_check.crc_known_q ) && (before_p == \dut.part_check.p_conn ));
            if ( \dut.part_frame.active_q && !\dut.part_frame.seg_first_q && !\dut.part_frame.row_q [59] )
                assert((p_steps || s_steps || \dut.part_check.crc_known_q ) && (before_f == \dut.part_frame.conn_q ));
            if (live) assert( \dut.part_check.crc_known_q );
            if (live) assert(last == (here ? \dut.part_check.crc_q : \dut.part_check.column.word ));
            if (live && step && !\dut.part_check.s_q [18] ) assert( \dut.part_check.from == last);
        end
    end
endmodule

// The column, of which one word is modelled. Others, and one read as it is written, are anything.
module rnic_w64_mpa_rx_check_column(
    input clock, input write_enable, input [3:0] write_address, input [31:0] write_data,
    input read_enable, input [3:0] read_address, output reg [31:0] read_data
);
    (* anyconst *) reg [3:0] i;
    reg [31:0] word;
    wire [31:0] any = $anyseq;
    wire exact = (read_address == i) && !(write_enable && (write_address == i));
    always @(posedge clock) begin
        if (write_enable && (write_address == i)) word <= write_data;
        if (read_enable) read_data <= exact ? word : any;
    end
endmodule

// What a step computes does not matter here.
module rnic_w64_mpa_rx_check_step(input [31:0] state, input [63:0] data, input [1:0] words, output [31:0] out);
    assign out = $anyseq;
endmodule

// Rows of the framer: any that fit the assumption above.
module rnic_w64_mpa_rx_front_rows(
    input clock, input write_enable, input [3:0] write_address, input [126:0] write_data,
    input read_enable, input [3:0] read_address, output reg [126:0] read_data
);
    wire [126:0] any = $anyseq;
    always @(posedge clock) if (read_enable) read_data <= any;
endmodule
