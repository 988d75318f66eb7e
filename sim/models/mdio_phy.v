// SPDX-License-Identifier: MIT OR Apache-2.0
// A PHY at the management pins of a reader `mdio`: judges each frame, and answers register 17 of
// station 7 with what the cable has.
`timescale 1ns / 1ps
module mdio_phy;
    reg clock = 0, reset = 1, is_there = 1;
    // 1 Gb/s, full duplex, resolved, link
    reg [15:0] status = 16'hAC00;
    wire mdc, out, drives, link;
    reg answer = 1, answers = 0;
    tri1 pin = drives ? out : answers ? answer : 1'bz;
    always #2.5 clock = !clock;
    mdio #(.DIVIDE_LOG2(4)) dut(
        .clock(clock), .reset(reset), .mdc(mdc), .data_in(pin), .data_out(out), .drives(drives), .link(link)
    );

    // Both sides take a bit at the rise of mdc; the PHY changes its bit behind the rise.
    integer ones = 0, i, frames = 0;
    reg [13:0] head;
    initial forever begin
        @(posedge mdc);
        if (pin !== 0) ones = (pin === 1) ? ones + 1 : 0;
        else begin
            if (ones < 32 && frames > 0) $fatal(1, "a preamble of %0d ones", ones);
            head = 14'h0;
            for (i = 12; i >= 0; i = i - 1) @(posedge mdc) head[i] = pin;
            if (head != {1'b0, 3'b110, 5'd7, 5'd17}) $fatal(1, "start, operation, station and register are %b", head);
            // the turn-around: one bit nobody drives, one bit of the PHY
            @(posedge mdc) if (drives) $fatal(1, "the pin is driven in the turn-around");
            #1 answers = is_there;
            answer = 0;
            for (i = 15; i >= -1; i = i - 1) @(posedge mdc) #1 answer = (i < 0) ? 1'b1 : status[i];
            answers = 0;
            ones = 0;
            frames = frames + 1;
        end
    end

    // Two frames later what was seen is told.
    task expects(input is_up);
        begin
            repeat (3 * 64) @(posedge mdc);
            if (link !== is_up) $fatal(1, "status %h, and the link is said to be %b", status, link);
        end
    endtask

    initial begin
        repeat (10) @(posedge clock);
        reset = 0;
        expects(1);
        status[10] = 0; expects(0);
        status = 16'h6C00; expects(0);
        status = 16'h8C00; expects(0);
        status = 16'hA400; expects(0);
        status = 16'hAFFF; expects(1);
        is_there = 0; expects(0);
        is_there = 1; expects(1);
        if (frames < 16) $fatal(1, "%0d frames", frames);
        $display("the link is read from the PHY: %0d frames", frames);
        $finish;
    end
endmodule
