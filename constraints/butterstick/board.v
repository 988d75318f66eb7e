// SPDX-License-Identifier: MIT OR Apache-2.0
// ButterStick r1.0: clock and pins of all designs.
module board #(parameter PHY_RESET_LOG2 = 19) (
    input wire clk30,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    output wire eth_reset_n,
    // Seven lights, and the colour of all of them.
    output wire [6:0] led, output wire [2:0] led_colour
);
    // [clocks] of board.toml has this name
    (* keep *) wire core_clock;
    wire locked, alive, link, used, bad;
    // 30 MHz * 20 = 600 MHz; / 20 = 30 MHz
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOP"), .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(20), .CLKOP_CPHASE(19)
    ) pll(
        .CLKI(clk30), .CLKFB(core_clock), .CLKOP(core_clock), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
        .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
        .CLKOS(), .CLKOS2(), .CLKOS3(), .INTLOCK(), .REFCLK(), .CLKINTFB()
    );
    core #(.TX_TAPS(80), .PHY_RESET_LOG2(PHY_RESET_LOG2), .CORE_KHZ(30000)) inner(
        .core_clock(core_clock), .locked(locked),
        .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n),
        .alive(alive), .link(link), .used(used), .bad(bad)
    );
    assign led = {3'b000, bad, used, link, alive}, led_colour = 3'b010;
endmodule
