// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the end of a stream is told once and soon, whatever TCP tells of the connection in those
//   cycles.
// of: rnic_w64 rnic_w64_ctl
// kind: bounded 12
// memories: registers
// bug in: rnic_w64_ctl
// bug from: ends_tx_ready = slot_rx_ready && ~ctl_valid;
// bug to: ends_tx_ready = slot_rx_ready;
module ctl_event(input clock, input reset);
    wire ctl_valid = $anyseq, done_valid = $anyseq, done_ends = $anyseq, event_ready = $anyseq;
    wire [10:0] ctl_item = $anyseq;
    wire [3:0] done_conn = $anyseq;
    wire event_valid, ctl_ready, waits;
    wire [72:0] event_item;
    rnic_w64_ctl dut(
        .clock(clock), .reset(reset), .ctl_item(ctl_item), .ctl_valid(ctl_valid), .ctl_ready(ctl_ready),
        .done_conn(done_conn), .done_ends(done_ends), .done_late(1'b0), .done_valid(done_valid),
        .event_item(event_item), .event_valid(event_valid), .event_ready(event_ready), .waits(waits)
    );
    // kind 2 is the FIN, which TCP does not tell; event 7 is the peer's FIN
    localparam [7:0] PEER_FIN = 8'd7;
    wire enters = done_valid && done_ends;
    wire leaves = event_valid && event_ready && (event_item[7:0] == PEER_FIN);
    reg known = 0, owed = 0;
    reg [3:0] which = 0, quiet = 0;
    always @(posedge clock) begin
        known <= 1;
        owed <= !reset && ((owed && !leaves) || enters);
        if (enters) which <= done_conn;
        quiet <= (!owed || ctl_valid || !event_ready) ? 0 : quiet + 1;
    end
    always @(*) begin
        if (!known) assume(reset); else assume(!reset);
        assume(ctl_item[10:8] != 2);
        assume(!(owed && enters));
        assume(!(reset && (enters || ctl_valid)));
        if (known) begin
            assert(!(leaves && !owed));
            if (leaves) assert(event_item[23:8] == {12'd0, which});
            assert(!owed || (quiet < 5));
            assert(!owed || waits);
        end
    end
endmodule
