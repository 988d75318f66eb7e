// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: no owner of these memories reads the word that it writes in the same cycle, which would
//   give nobody knows what.
// of: rnic_w64 rnic_w64_admin_taker rnic_w64_counters rnic_w64_events rnic_w64_fault
//   rnic_w64_sq_sched rnic_w64_tcp_tx_seqs
// kind: induction 2
// bug depth: 6
// bug in: rnic_w64_counters
// bug from: .write_address(place_q)
// bug to: .write_address(turn_q)
module ram_collisions(input clock, input reset);
    rnic_w64_admin_taker admin(.clock(clock), .reset(reset));
    rnic_w64_counters counters(.clock(clock), .reset(reset));
    rnic_w64_events events(.clock(clock), .reset(reset));
    rnic_w64_fault fault(.clock(clock), .reset(reset));
    rnic_w64_sq_sched sched(.clock(clock), .reset(reset));
    rnic_w64_tcp_tx_seqs seqs(.clock(clock), .reset(reset));
    (* hierconn *) wire \admin.store.write_enable , \admin.store.read_enable ;
    (* hierconn *) wire [4:0] \admin.store.write_address , \admin.store.read_address ;
    (* hierconn *) wire \counters.ram.write_enable , \counters.ram.read_enable ;
    (* hierconn *) wire [6:0] \counters.ram.write_address , \counters.ram.read_address ;
    (* hierconn *) wire \events.places.write_enable , \events.places.read_enable ;
    (* hierconn *) wire [4:0] \events.places.write_address , \events.places.read_address ;
    (* hierconn *) wire \fault.quotes.write_enable , \fault.quotes.read_enable ;
    (* hierconn *) wire [3:0] \fault.quotes.write_address , \fault.quotes.read_address ;
    (* hierconn *) wire \sched.confs.write_enable , \sched.confs.read_enable ;
    (* hierconn *) wire [3:0] \sched.confs.write_address , \sched.confs.read_address ;
    (* hierconn *) wire \sched.rows.write_enable , \sched.rows.read_enable ;
    (* hierconn *) wire [3:0] \sched.rows.write_address , \sched.rows.read_address ;
    (* hierconn *) wire \seqs.rows.write_enable , \seqs.rows.read_enable ;
    (* hierconn *) wire [3:0] \seqs.rows.write_address , \seqs.rows.read_address ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        if (known) begin
            if ( \admin.store.write_enable && \admin.store.read_enable ) assert(\admin.store.write_address != \admin.store.read_address );
            if ( \counters.ram.write_enable && \counters.ram.read_enable ) assert(\counters.ram.write_address != \counters.ram.read_address );
            if ( \events.places.write_enable && \events.places.read_enable ) assert(\events.places.write_address != \events.places.read_address );
            if ( \fault.quotes.write_enable && \fault.quotes.read_enable ) assert(\fault.quotes.write_address != \fault.quotes.read_address );
            if ( \sched.confs.write_enable && \sched.confs.read_enable ) assert(\sched.confs.write_address != \sched.confs.read_address );
            if ( \sched.rows.write_enable && \sched.rows.read_enable ) assert(\sched.rows.write_address != \sched.rows.read_address );
            if ( \seqs.rows.write_enable && \seqs.rows.read_enable ) assert(\seqs.rows.write_address != \seqs.rows.read_address );
        end
    end
endmodule
