// SPDX-License-Identifier: MIT OR Apache-2.0
// ECPIX-5: clock and pins of all designs.
module board #(parameter PHY_RESET_LOG2 = 19) (
    input wire clk100,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    output wire eth_reset_n,
    // Bits 0 to 2 are red, green and blue of a light, active low.
    output wire [2:0] led0, output wire [2:0] led1, output wire [2:0] led2, output wire [2:0] led3
);
    // [clocks] of board.toml has this name
    (* keep *) wire core_clock;
    wire feedback, locked, alive, link, used, bad;
    // 100 MHz * 5 = 500 MHz; / 16 = 31.25 MHz
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOP"), .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(5), .CLKOP_CPHASE(4),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(16), .CLKOS_CPHASE(15)
    ) pll(
        .CLKI(clk100), .CLKFB(feedback), .CLKOP(feedback), .CLKOS(core_clock), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
        .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
        .CLKOS2(), .CLKOS3(), .INTLOCK(), .REFCLK(), .CLKINTFB()
    );
    core #(.TX_TAPS(80), .PHY_RESET_LOG2(PHY_RESET_LOG2), .CORE_KHZ(31250)) inner(
        .core_clock(core_clock), .locked(locked),
        .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n),
        .alive(alive), .link(link), .used(used), .bad(bad)
    );
    assign led0 = ~{1'b0, alive, 1'b0}, led1 = ~{1'b0, link, 1'b0}, led2 = ~{used, 2'b00}, led3 = ~{2'b00, bad};
endmodule
