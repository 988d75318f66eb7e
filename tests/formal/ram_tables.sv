// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: no owner of these memories reads the word that it writes in the same cycle, which would
//   give nobody knows what.
// of: rnic_w64 rnic_w64_mr rnic_w64_net_rx_find_tuples_search rnic_w64_sq_ring
// kind: induction 2
// bug depth: 6
// bug in: rnic_w64_sq_ring
// bug from: entries_read_enable = (replay_reads && ~puts) || retirer_reads;
// bug to: entries_read_enable = puts;
module ram_tables(input clock, input reset);
    rnic_w64_mr mr(.clock(clock), .reset(reset));
    rnic_w64_net_rx_find_tuples_search tuples(.clock(clock), .reset(reset));
    rnic_w64_sq_ring ring(.clock(clock), .reset(reset));
    (* hierconn *) wire \mr.part_rows.write_enable , \mr.part_rows.read_enable ;
    (* hierconn *) wire [7:0] \mr.part_rows.write_address , \mr.part_rows.read_address ;
    (* hierconn *) wire \tuples.keys.write_enable , \tuples.keys.read_enable ;
    (* hierconn *) wire [15:0] \tuples.keys.write_address , \tuples.keys.read_address ;
    (* hierconn *) wire \ring.entries.write_enable , \ring.entries.read_enable ;
    (* hierconn *) wire [9:0] \ring.entries.write_address , \ring.entries.read_address ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        if (known) begin
            if ( \mr.part_rows.write_enable && \mr.part_rows.read_enable ) assert(\mr.part_rows.write_address != \mr.part_rows.read_address );
            if ( \tuples.keys.write_enable && \tuples.keys.read_enable ) assert(\tuples.keys.write_address != \tuples.keys.read_address );
            if ( \ring.entries.write_enable && \ring.entries.read_enable ) assert(\ring.entries.write_address != \ring.entries.read_address );
        end
    end
endmodule
