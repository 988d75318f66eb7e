// proves: no owner of these memories reads the word that it writes in the same cycle, which would give nobody knows what.
// of: rnic_w64 rnic_w64_mr rnic_w64_net_rx_find_tuples_search rnic_w64_sq_ring
// kind: induction 2
// bug depth: 6
// bug in: rnic_w64_sq_ring
// bug from: entries_read_enable = replay_reads && ~puts;
// bug to: entries_read_enable = puts;
module ram_tables(input clock, input reset);
    rnic_w64_mr mr(.clock(clock), .reset(reset));
    rnic_w64_net_rx_find_tuples_search tuples(.clock(clock), .reset(reset));
    rnic_w64_sq_ring ring(.clock(clock), .reset(reset));
    (* hierconn *) wire \mr.rows_write_enable , \mr.rows_read_enable ;
    (* hierconn *) wire [7:0] \mr.rows_write_address , \mr.rows_read_address ;
    (* hierconn *) wire \tuples.keys_write_enable , \tuples.keys_read_enable ;
    (* hierconn *) wire [15:0] \tuples.keys_write_address , \tuples.keys_read_address ;
    (* hierconn *) wire \ring.entries_write_enable , \ring.entries_read_enable ;
    (* hierconn *) wire [9:0] \ring.entries_write_address , \ring.entries_read_address ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        if (known) begin
            if ( \mr.rows_write_enable && \mr.rows_read_enable ) assert(\mr.rows_write_address != \mr.rows_read_address );
            if ( \tuples.keys_write_enable && \tuples.keys_read_enable ) assert(\tuples.keys_write_address != \tuples.keys_read_address );
            if ( \ring.entries_write_enable && \ring.entries_read_enable ) assert(\ring.entries_write_address != \ring.entries_read_address );
        end
    end
endmodule
