// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads one register of a PHY over and over (IEEE 802.3 clause 22), and says whether the link is up
// at 1 Gb/s and full duplex.
//
// Register 17 of a Marvell 88E1111: speed in 15:14 (2 is 1 Gb/s), full duplex in 13, resolved in
// 11, link in 10. A PHY that does not answer has no link.
module mdio #(parameter [4:0] PHY = 7, parameter [4:0] PLACE = 17, parameter DIVIDE_LOG2 = 7) (
    // mdc has 2^DIVIDE_LOG2 cycles of clock.
    input wire clock, input wire reset,
    output wire mdc, input wire data_in, output reg data_out, output reg drives,
    output reg link
);
    localparam [63:0] READ = {32'hFFFF_FFFF, 4'b0110, PHY, PLACE, 18'h3FFFF};
    reg [DIVIDE_LOG2 - 1:0] divider;
    reg [5:0] place;
    reg [15:0] word;
    (* ASYNC_REG = "TRUE" *) reg [1:0] near;
    reg answers;
    wire [5:0] place_up = place + 1'b1;
    wire [DIVIDE_LOG2 - 1:0] divider_up = divider + 1'b1;
    assign mdc = divider[DIVIDE_LOG2 - 1];
    always @(posedge clock) begin
        near <= {near[0], data_in};
        divider <= divider_up;
        if (divider_up == 0) begin
            // mdc falls: the next bit
            place <= place_up;
            data_out <= READ[6'd63 - place_up];
            drives <= place_up < 46;
        end
        if (divider_up == {1'b1, {(DIVIDE_LOG2 - 1){1'b0}}}) begin
            // mdc rises: the bit of now
            word <= {word[14:0], near[1]};
            if (place == 47) answers <= !near[1];
            if (place == 0) link <= answers && word[15:13] == 3'b101 && word[11:10] == 2'b11;
        end
        if (reset) {divider, place, drives, answers, link} <= 0;
    end
endmodule
