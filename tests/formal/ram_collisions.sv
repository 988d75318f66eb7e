// proves: no owner of these memories reads the word that it writes in the same cycle, which would give nobody knows what.
// of: rnic_w64 rnic_w64_admin_taker rnic_w64_counters rnic_w64_events rnic_w64_fault rnic_w64_sq_sched rnic_w64_tcp_tx_seqs
// kind: induction 2
// bug depth: 6
// bug in: rnic_w64_counters
// bug from: ram_write_address = place_q;
// bug to: ram_write_address = turn_q;
module ram_collisions(input clock, input reset);
    rnic_w64_admin_taker admin(.clock(clock), .reset(reset));
    rnic_w64_counters counters(.clock(clock), .reset(reset));
    rnic_w64_events events(.clock(clock), .reset(reset));
    rnic_w64_fault fault(.clock(clock), .reset(reset));
    rnic_w64_sq_sched sched(.clock(clock), .reset(reset));
    rnic_w64_tcp_tx_seqs seqs(.clock(clock), .reset(reset));
    (* hierconn *) wire \admin.store_write_enable , \admin.store_read_enable ;
    (* hierconn *) wire [4:0] \admin.store_write_address , \admin.store_read_address ;
    (* hierconn *) wire \counters.ram_write_enable , \counters.ram_read_enable ;
    (* hierconn *) wire [6:0] \counters.ram_write_address , \counters.ram_read_address ;
    (* hierconn *) wire \events.places_write_enable , \events.places_read_enable ;
    (* hierconn *) wire [4:0] \events.places_write_address , \events.places_read_address ;
    (* hierconn *) wire \fault.quotes_write_enable , \fault.quotes_read_enable ;
    (* hierconn *) wire [3:0] \fault.quotes_write_address , \fault.quotes_read_address ;
    (* hierconn *) wire \sched.confs_write_enable , \sched.confs_read_enable ;
    (* hierconn *) wire [3:0] \sched.confs_write_address , \sched.confs_read_address ;
    (* hierconn *) wire \sched.rows_write_enable , \sched.rows_read_enable ;
    (* hierconn *) wire [3:0] \sched.rows_write_address , \sched.rows_read_address ;
    (* hierconn *) wire \seqs.rows_write_enable , \seqs.rows_read_enable ;
    (* hierconn *) wire [3:0] \seqs.rows_write_address , \seqs.rows_read_address ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        if (known) begin
            if ( \admin.store_write_enable && \admin.store_read_enable ) assert(\admin.store_write_address != \admin.store_read_address );
            if ( \counters.ram_write_enable && \counters.ram_read_enable ) assert(\counters.ram_write_address != \counters.ram_read_address );
            if ( \events.places_write_enable && \events.places_read_enable ) assert(\events.places_write_address != \events.places_read_address );
            if ( \fault.quotes_write_enable && \fault.quotes_read_enable ) assert(\fault.quotes_write_address != \fault.quotes_read_address );
            if ( \sched.confs_write_enable && \sched.confs_read_enable ) assert(\sched.confs_write_address != \sched.confs_read_address );
            if ( \sched.rows_write_enable && \sched.rows_read_enable ) assert(\sched.rows_write_address != \sched.rows_read_address );
            if ( \seqs.rows_write_enable && \seqs.rows_read_enable ) assert(\seqs.rows_write_address != \seqs.rows_read_address );
        end
    end
endmodule
