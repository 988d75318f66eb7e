// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: at each grant the octets reserved since SND.UNA are within SND.WND; window and SND.UNA
//   are those of set-ups and facts taken.
// of: rnic_w64 rnic_w64_tcp_tx_seqs
// instead: rnic_w64_tcp_tx_seqs_rows
// kind: induction 4
// bug in: rnic_w64_tcp_tx_seqs
// bug from: fits = (need_q <= row[(64'h40)+:(32)])
// bug to: fits = (need_q <= row[(64'h40)+:(32)] + 32'h1)
module tcp_tx_window(input clock, input reset);
    rnic_w64_tcp_tx_seqs dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [3:0] \dut.rows.i , \dut.set_qp , \dut.ask_qp ;
    (* hierconn *) wire [170:0] \dut.rows.row ;
    (* hierconn *) wire \dut.rows.lives ;
    (* hierconn *) wire [201:0] \dut.set ;
    (* hierconn *) wire [75:0] \dut.fact_item ;
    (* hierconn *) wire [100:0] \dut.asks ;
    (* hierconn *) wire [103:0] \dut.given_d ;
    (* hierconn *) wire \dut.set_valid , \dut.set_take , \dut.fact_valid , \dut.fact_ready , \dut.granted_d , \dut.granted_q ;
    (* hierconn *) wire \dut.busy_q , \dut.asked_q , \dut.size_valid , \dut.sized_valid , \dut.sized_ready ;
    (* hierconn *) wire [16:0] \dut.piece_q ;
    (* hierconn *) wire \dut.kept_q ;
    (* hierconn *) wire [74:0] \dut.sized_item ;
    (* hierconn *) wire [3:0] \dut.pump_kind ;
    (* hierconn *) wire \dut.decides_q ;

    // The state of one connection, as told.
    reg [31:0] una, wnd;
    wire set = \dut.set_take && ( \dut.set_qp == \dut.rows.i ) && !\dut.set [124];
    // facts of a connection that was never set up change nothing
    wire fact = \dut.fact_ready && ( \dut.fact_item [7:0] == \dut.rows.i ) && \dut.rows.lives ;
    wire grant = \dut.granted_d && !\dut.granted_q && \dut.given_d [0] && ( \dut.ask_qp == \dut.rows.i );
    wire fpdu = \dut.asks [25:24] == 0;
    wire [31:0] end_ = \dut.given_d [33:2] + \dut.given_d [58:43];
    reg known = 0, sets, facts, reserves, sizes, full;
    reg [205:0] held_set;
    reg [75:0] held_fact;
    reg [74:0] held_size;
    always @(posedge clock) begin
        known <= 1;
        una <= reset ? 0 : set ? \dut.set [31:0] : (fact && \dut.fact_item [8]) ? \dut.fact_item [40:9] : una;
        wnd <= reset ? 0 : set ? \dut.set [95:64] : (fact && \dut.fact_item [41]) ? \dut.fact_item [73:42] : wnd;
        sets <= !reset && \dut.set_valid && !\dut.set_take ;
        facts <= !reset && \dut.fact_valid && !\dut.fact_ready ;
        held_set <= { \dut.set_qp , \dut.set };
        held_fact <= \dut.fact_item ;
        // A size comes some time after its question, and stays until it is taken.
        full <= !reset && ( \dut.size_valid || (full && !\dut.sized_ready ));
        sizes <= !reset && \dut.sized_valid && !\dut.sized_ready ;
        held_size <= \dut.sized_item ;
        reserves <= !reset && grant && !\dut.asks [26];
    end
    always @(*) begin
        if (!known) assume(reset);
        // What is offered stays until it is taken; numbers of queue pairs are below 16.
        if (sets) assume( \dut.set_valid && ({ \dut.set_qp , \dut.set } == held_set));
        if (facts) assume( \dut.fact_valid && ( \dut.fact_item == held_fact));
        assume( \dut.fact_item [7:4] == 0);
        assume(full || !\dut.sized_valid );
        if (sizes) assume( \dut.sized_valid && ( \dut.sized_item == held_size));
        // The send queue asks for the rest of an FPDU by what it was granted before: less than the
        // FPDU. Other segments are whole.
        assume(fpdu || \dut.asks [83:68] == 0);
        if (fpdu && \dut.sized_valid ) assume( \dut.asks [83:68] < \dut.sized_item [73:57]);
        if (known) begin
            // One reservation at a time: asked, then sized, then granted.
            assert(( \dut.pump_kind <= 8) && (( \dut.pump_kind != 0) || !\dut.decides_q ));
            assert(\dut.busy_q == ( \dut.asked_q || full || \dut.granted_q ));
            assert(( \dut.asked_q + full + \dut.granted_q <= 1) && ( full || !\dut.sized_valid ));
            if ( full ) assert(fpdu);
            if ( \dut.pump_kind == 8) assert(\dut.asked_q && fpdu);
            if ( \dut.pump_kind == 7) assert(fpdu ? \dut.sized_valid : \dut.asked_q );
            // A segment is made smaller if it is an FPDU's.
            if ( \dut.kept_q ) assert(fpdu && \dut.sized_valid );
            if (( \dut.pump_kind == 7) && !fpdu)
                assert(\dut.piece_q == ( \dut.asks [25:24] == 2 ? 1 : \dut.asks [23:8]));
            assert(( \dut.rows.row [31:0] == una) && ( \dut.rows.row [95:64] == wnd));
            if (grant) assert(end_ - una <= wnd);
            if (reserves) assert(\dut.rows.row [63:32] - una <= wnd);
        end
    end
endmodule

// The rows, of which one is modelled. Others, and one read as it is written, are anything.
module rnic_w64_tcp_tx_seqs_rows(
    input clock, input reset, input write_enable, input [3:0] write_address, input [170:0] write_data,
    input read_enable, input [3:0] read_address, output [170:0] read_data, output reg [170:0] word, output reg live,
    output reg ready
);
    (* anyconst *) reg [3:0] i;
    reg [170:0] row;
    reg lives;
    wire [170:0] any = $anyseq;
    wire some = $anyseq;
    wire up = $anyseq, exact = (read_address == i) && !(write_enable && (write_address == i));
    always @(posedge clock) begin
        ready <= !reset && (ready || up);
        if (reset) { row, lives } <= 0;
        else if (write_enable && (write_address == i)) { row, lives } <= { write_data, 1'b1 };
        if (read_enable) { word, live } <= exact ? { row, lives } : { any, some };
    end
    assign read_data = live ? word : 0;
endmodule
