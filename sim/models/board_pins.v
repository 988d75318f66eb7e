// SPDX-License-Identifier: MIT OR Apache-2.0
// A board at the pins of its PHY, for Verilator. CLOCK_PORT is the board's clock port; the board
// has no reset.
module board_pins(
    input wire clock, input wire reset,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl, output wire eth_reset_n
);
    board #(.PHY_RESET_LOG2(4)) dut(
        .`CLOCK_PORT(clock), .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n)
    );
endmodule
