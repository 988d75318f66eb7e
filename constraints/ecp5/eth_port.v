// SPDX-License-Identifier: MIT OR Apache-2.0
// RGMII port of a board: resets, MAC, and frames of 64 bits a beat on core_clock.
//
// core_clock stands still or is right; locked says which. Both resets are taken back in the order
// wire, core, so that the FIFOs of the MAC see both sides reset.
module eth_port #(parameter TX_TAPS = 80, parameter PHY_RESET_LOG2 = 19) (
    input wire core_clock, input wire locked,
    input wire eth_rx_clock, input wire [3:0] eth_rx_data, input wire eth_rx_ctl,
    output wire eth_tx_clock, output wire [3:0] eth_tx_data, output wire eth_tx_ctl,
    // Low for 2^PHY_RESET_LOG2 cycles of core_clock.
    output wire eth_reset_n,
    // All below is on core_clock. Levels: 1 Gb/s full duplex, a frame had a wrong FCS.
    output reg core_reset, output reg link, output reg bad,
    output wire [63:0] from_data, output wire [3:0] from_bytes, output wire from_last, output wire from_err,
    output wire from_valid, input wire from_ready,
    input wire [63:0] to_data, input wire [3:0] to_bytes, input wire to_last, input wire to_err,
    input wire to_valid, output wire to_ready
);
    wire [7:0] rx_octet, tx_octet;
    wire rx_carrier, rx_fault, tx_carrier, wire_link;
    wire [31:0] count;

    reg [15:0] wire_held, core_held;
    wire wire_reset = !wire_held[15];
    always @(posedge eth_rx_clock or negedge locked)
        if (!locked) wire_held <= 0; else wire_held <= {wire_held[14:0], 1'b1};
    always @(posedge core_clock or posedge wire_reset)
        if (wire_reset) core_held <= 0; else core_held <= {core_held[14:0], 1'b1};

    reg [PHY_RESET_LOG2:0] awake;
    assign eth_reset_n = awake[PHY_RESET_LOG2];
    always @(posedge core_clock or negedge locked)
        if (!locked) awake <= 0; else if (!eth_reset_n) awake <= awake + 1'b1;

    reg link_near, bad_near;
    always @(posedge core_clock) begin
        core_reset <= !core_held[15];
        {link, link_near} <= {link_near, wire_link};
        {bad, bad_near} <= {bad_near, count != 0};
    end

    rgmii #(.TX_TAPS(TX_TAPS)) pins(
        .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl),
        .rx_octet(rx_octet), .rx_carrier(rx_carrier), .rx_fault(rx_fault),
        .tx_octet(tx_octet), .tx_carrier(tx_carrier), .link(wire_link)
    );
    mac_port mac(
        .clock(eth_rx_clock), .reset(wire_reset), .core_clock(core_clock), .core_reset(core_reset),
        .rx_octet(rx_octet), .rx_carrier(rx_carrier), .rx_fault(rx_fault),
        .tx_octet(tx_octet), .tx_carrier(tx_carrier),
        .from_wire_data(from_data), .from_wire_bytes(from_bytes), .from_wire_last(from_last),
        .from_wire_err(from_err), .from_wire_valid(from_valid), .from_wire_ready(from_ready),
        .to_wire_data(to_data), .to_wire_bytes(to_bytes), .to_wire_last(to_last),
        .to_wire_err(to_err), .to_wire_valid(to_valid), .to_wire_ready(to_ready),
        // the counter of frames with a wrong FCS
        .index(3'd1), .count(count)
    );
endmodule
