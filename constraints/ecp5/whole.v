// SPDX-License-Identifier: MIT OR Apache-2.0
// The device behind the carrier, at an RGMII port.
module core #(
    parameter TX_TAPS = 80, parameter PHY_RESET_LOG2 = 19,
    // clock_khz of board.toml
    parameter [31:0] CORE_KHZ = 31250,
    // MAC address of the device, as a host calls the device if nobody names another one
    parameter [47:0] ADDRESS = 48'h0246_5700_0001
) (
    input wire core_clock, input wire locked,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    output wire eth_reset_n,
    // Levels: the core's clock runs, 1 Gb/s full duplex, the epoch of a host runs, a frame had a
    // wrong FCS.
    output wire alive, output wire link, output wire used, output wire bad
);
    wire core_reset;
    wire [63:0] rx_data, tx_data;
    wire [3:0] rx_bytes, tx_bytes;
    wire rx_last, rx_err, rx_valid, rx_ready, tx_last, tx_err, tx_valid, tx_ready;
    eth_port #(.TX_TAPS(TX_TAPS), .PHY_RESET_LOG2(PHY_RESET_LOG2)) eth(
        .core_clock(core_clock), .locked(locked),
        .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n),
        .core_reset(core_reset), .link(link), .bad(bad),
        .from_data(rx_data), .from_bytes(rx_bytes), .from_last(rx_last), .from_err(rx_err),
        .from_valid(rx_valid), .from_ready(rx_ready),
        .to_data(tx_data), .to_bytes(tx_bytes), .to_last(tx_last), .to_err(tx_err),
        .to_valid(tx_valid), .to_ready(tx_ready)
    );
    carried_w64 device(
        .clock(core_clock), .reset(core_reset), .eth_link_up(link),
        .rx_data(rx_data), .rx_bytes(rx_bytes), .rx_last(rx_last), .rx_err(rx_err),
        .rx_valid(rx_valid), .rx_ready(rx_ready),
        .tx_data(tx_data), .tx_bytes(tx_bytes), .tx_last(tx_last), .tx_err(tx_err),
        .tx_valid(tx_valid), .tx_ready(tx_ready),
        // time is divided from core_clock
        .tick_pin(1'b0), .tick_use_pin(1'b0),
        // a second of silence, a millisecond without progress
        .carrier_address(ADDRESS), .carrier_silence(CORE_KHZ * 1000), .carrier_timeout(CORE_KHZ),
        .carrier_bound(), .carrier_open(used), .carrier_index(4'd0), .carrier_count()
    );
    reg [23:0] beat;
    assign alive = beat[23];
    always @(posedge core_clock) beat <= core_reset ? 0 : beat + 1'b1;
endmodule
