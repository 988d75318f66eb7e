// SPDX-License-Identifier: MIT OR Apache-2.0
// A board at the RGMII pins of a PHY: frames come, and must leave again octet by octet.
//
// CLOCK_PORT is the board's clock port, CLOCK_NS its period. The PHY's receive clock is 1.2 ns
// later than its data, as a KSZ9031 sends the clock, and PPM parts in a million fast.
`timescale 1ns / 1ps
module rgmii_phy;
    parameter FRAMES = 60;
    parameter PPM = 200;
    localparam real HALF = 4.0 * (1.0 - PPM / 1000000.0);

    reg clock = 0, running = 0, line_clock = 0, is_up = 1;
    reg eth_rx_clock = 0, eth_rx_ctl = 0;
    reg [3:0] eth_rx_data = 0;
    wire eth_tx_clock, eth_tx_ctl, eth_reset_n;
    wire [3:0] eth_tx_data;
    always #(`CLOCK_NS / 2.0) clock = !clock;
    always #(HALF) if (running) line_clock = !line_clock;
    always @(line_clock) eth_rx_clock <= #1.2 line_clock;
    always @(posedge eth_reset_n) running <= #100 1;
    board #(.PHY_RESET_LOG2(4)) dut(
        .`CLOCK_PORT(clock), .eth_rx_clock(eth_rx_clock), .eth_rx_data(eth_rx_data), .eth_rx_ctl(eth_rx_ctl),
        .eth_tx_clock(eth_tx_clock), .eth_tx_data(eth_tx_data), .eth_tx_ctl(eth_tx_ctl), .eth_reset_n(eth_reset_n)
    );

    // Octets of the frames that were sent and have to come back, FCS included; a mark ends a frame.
    reg [8:0] sent[0:262143];
    integer put = 0, got = 0, back = 0, seed = 1, i, n, gap;
    reg [31:0] crc;
    reg [7:0] octet;

    function [31:0] step(input [31:0] from, input [7:0] octet);
        integer b;
        begin
            step = from ^ octet;
            for (b = 0; b < 8; b = b + 1) step = step[0] ? (step >> 1) ^ 32'hEDB88320 : step >> 1;
        end
    endfunction

    // One octet time: the low nibble while the clock is high. Between frames the nibbles say the
    // link.
    task pass(input carrier, input [7:0] octet);
        begin
            @(posedge line_clock) {eth_rx_ctl, eth_rx_data} = {carrier, carrier ? octet[3:0] : {is_up, 2'b10, is_up}};
            @(negedge line_clock) {eth_rx_ctl, eth_rx_data} = {carrier, carrier ? octet[7:4] : {is_up, 2'b10, is_up}};
        end
    endtask

    task send(input integer octets, input is_good);
        begin
            repeat (7) pass(1, 8'h55);
            pass(1, 8'hD5);
            crc = ~32'd0;
            for (i = 0; i < octets; i = i + 1) begin
                octet = $random(seed);
                crc = step(crc, octet);
                if (is_good) sent[put + i] = octet;
                pass(1, octet);
            end
            if (is_good) for (i = 0; i < 4; i = i + 1) sent[put + octets + i] = {1'b0, ~crc[8 * i +: 8]};
            for (i = 0; i < 4; i = i + 1) pass(1, is_good ? ~crc[8 * i +: 8] : crc[8 * i +: 8]);
            if (is_good) begin
                sent[put + octets + 4] = 9'h100;
                put = put + octets + 5;
            end
        end
    endtask

    initial begin
        @(posedge running);
        // the board's resets
        repeat (2000) pass(0, 0);
        if (dut.inner.link !== 1) $fatal(1, "the link is up and the board does not say so");
        for (n = 0; n < FRAMES; n = n + 1) begin
            send((n < 2) ? 1514 - 1454 * n : 60 + $unsigned($random(seed)) % 400, 1);
            gap = 8 + $unsigned($random(seed)) % 24;
            repeat (gap) pass(0, 0);
        end
        repeat (3000) pass(0, 0);
        if (back != FRAMES) $fatal(1, "%0d of %0d frames came back", back, FRAMES);
        if (dut.inner.bad !== 0) $fatal(1, "a frame is said to be bad, and none was sent");
        // a frame with a wrong FCS leaves with a wrong FCS, and the light says so
        is_up = 0;
        send(100, 0);
        repeat (3000) pass(0, 0);
        if (dut.inner.bad !== 1) $fatal(1, "a bad frame was sent and the board does not say so");
        if (dut.inner.link !== 0) $fatal(1, "the link is down and the board does not say so");
        if (spoilt != 1) $fatal(1, "%0d frames left with a wrong FCS, not 1", spoilt);
        $display("%0d frames of %0d octets came back", back, put);
        $finish;
    end

    // What leaves: nibbles at both edges of the board's clock.
    reg [3:0] low;
    reg low_ctl, in_frame = 0;
    reg [31:0] left;
    integer preamble = 0, spoilt = 0;
    wire [7:0] out = {eth_tx_data, low};
    always @(posedge eth_tx_clock) {low_ctl, low} = {eth_tx_ctl, eth_tx_data};
    always @(negedge eth_tx_clock) begin
        if (low_ctl !== eth_tx_ctl && running) $fatal(1, "TX_ER at octet %0d", got);
        if (eth_tx_ctl && !in_frame) begin
            if (out == 8'hD5 && preamble == 7) begin
                in_frame = 1;
                left = ~32'd0;
            end else if (out == 8'h55) preamble = preamble + 1;
            else $fatal(1, "octet %h behind %0d octets of preamble", out, preamble);
        end else if (eth_tx_ctl) begin
            left = step(left, out);
            if (back < FRAMES && sent[got] !== {1'b0, out}) $fatal(1, "octet %0d is %h, not %h", got, out, sent[got]);
            if (back < FRAMES) got = got + 1;
        end else begin
            if (in_frame && left !== 32'hDEBB20E3) spoilt = spoilt + 1;
            else if (in_frame) begin
                if (sent[got] !== 9'h100) $fatal(1, "a frame ends at octet %0d", got);
                got = got + 1;
                back = back + 1;
            end
            in_frame = 0;
            preamble = 0;
        end
    end
endmodule
