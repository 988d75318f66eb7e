// SPDX-License-Identifier: MIT OR Apache-2.0
// First light of a board: each frame that comes leaves again, with its addresses as they were.
module core #(parameter TX_TAPS = 80, parameter PHY_RESET_LOG2 = 19, parameter CORE_KHZ = 31250) (
    input wire core_clock, input wire locked,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    output wire eth_reset_n,
    // Levels: the core's clock runs, 1 Gb/s full duplex, a frame came lately, a frame had a wrong
    // FCS.
    output wire alive, output wire link, output wire used, output wire bad
);
    wire core_reset, last, err, valid, ready;
    wire [63:0] data;
    wire [3:0] bytes;
    eth_port #(.TX_TAPS(TX_TAPS), .PHY_RESET_LOG2(PHY_RESET_LOG2)) eth(
        .core_clock(core_clock), .locked(locked),
        .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n),
        .core_reset(core_reset), .link(link), .bad(bad),
        .from_data(data), .from_bytes(bytes), .from_last(last), .from_err(err), .from_valid(valid), .from_ready(ready),
        .to_data(data), .to_bytes(bytes), .to_last(last), .to_err(err), .to_valid(valid), .to_ready(ready)
    );
    reg [23:0] beat, lately;
    assign alive = beat[23], used = lately != 0;
    always @(posedge core_clock) begin
        beat <= core_reset ? 0 : beat + 1'b1;
        if (core_reset) lately <= 0;
        else if (valid && ready && last) lately <= CORE_KHZ * 512;
        else if (used) lately <= lately - 1'b1;
    end
endmodule
