// SPDX-License-Identifier: MIT OR Apache-2.0
// RGMII pins of an ECP5 at 1 Gb/s: DDR cells, and the status between frames.
//
// The PHY delays eth_rx_clock itself and wants eth_tx_clock late: TX_TAPS steps of 25 ps.
// Both directions run on eth_rx_clock, which is 125 MHz at 1000BASE-T alone.
module rgmii #(parameter TX_TAPS = 80) (
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    output wire [7:0] rx_octet, output wire rx_carrier, output wire rx_fault,
    input wire [7:0] tx_octet, input wire tx_carrier,
    // Link up at 1 Gb/s and full duplex, on eth_rx_clock.
    output reg link
);
    wire ctl_fall, clock_out;
    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : lane
            IDDRX1F rx(.D(eth_rx_data[i]), .SCLK(eth_rx_clock), .RST(1'b0), .Q0(rx_octet[i]), .Q1(rx_octet[i + 4]));
            ODDRX1F tx(.D0(tx_octet[i]), .D1(tx_octet[i + 4]), .SCLK(eth_rx_clock), .RST(1'b0), .Q(eth_tx_data[i]));
        end
    endgenerate
    IDDRX1F rx_ctl(.D(eth_rx_ctl), .SCLK(eth_rx_clock), .RST(1'b0), .Q0(rx_carrier), .Q1(ctl_fall));
    ODDRX1F tx_ctl(.D0(tx_carrier), .D1(tx_carrier), .SCLK(eth_rx_clock), .RST(1'b0), .Q(eth_tx_ctl));
    ODDRX1F tx_clock(.D0(1'b1), .D1(1'b0), .SCLK(eth_rx_clock), .RST(1'b0), .Q(clock_out));
    DELAYG #(.DEL_MODE("USER_DEFINED"), .DEL_VALUE(TX_TAPS)) late(.A(clock_out), .Z(eth_tx_clock));
    assign rx_fault = rx_carrier ^ ctl_fall;
    // RGMII 2.0 section 3.4.1: duplex, speed (2 = 125 MHz), link
    always @(posedge eth_rx_clock) if (!rx_carrier && !rx_fault) link <= rx_octet[3:0] == 4'b1101;
endmodule
