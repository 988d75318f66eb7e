// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the edge that an ACK tells is the edge that is kept, lies never left of the edge before,
//   and reaches all that is offered. Beyond that it lies by less than a unit of the field.
// of: rnic_w64 rnic_w64_tcp_tx_acks_window
// kind: bounded 1
// bug in: rnic_w64_tcp_tx_acks_window
// bug from: (told_shares <= ((offered) & 13'h1fff))
// bug to: (told_shares >= ((offered) & 13'h1fff))
module tcp_tx_right(input clock, input reset);
    rnic_w64_tcp_tx_acks_window dut();
    (* hierconn *) wire [31:0] \dut.ack , \dut.from ;
    (* hierconn *) wire [23:0] \dut.told , \dut.span , \dut.then ;
    (* hierconn *) wire [4:0] \dut.pressed ;
    (* hierconn *) wire [3:0] \dut.scale ;
    (* hierconn *) wire \dut.begins , \dut.is_shut , \dut.opens ;

    // Octets from RCV.ACK to the edge: before, now, and by the field. Edges are kept in 17 bits by
    // profile `tiny`.
    localparam signed [18:0] W = 32768;
    wire [16:0] told = \dut.told - \dut.ack , then_ = \dut.then - \dut.from ;
    wire signed [18:0] before = $signed(told) + 19'sd1, now = $signed(then_) + 19'sd1;
    wire [18:0] field = \dut.is_shut ? 0 : ( \dut.span >> \dut.scale ) + 1;
    wire signed [18:0] offer = 2048 * (16 - \dut.pressed ), grain = 1 << \dut.scale ;
    always @(*) begin
        // a connection that begins tells from a number of its own
        assume( \dut.begins || ( \dut.from == \dut.ack ));
        assume( \dut.scale <= 14);
        assume( \dut.pressed <= 16);
        // More than was told may have come, but no more than a window.
        assume((before <= W) && (before >= -W));
        assert(now == (field << \dut.scale ));
        assert(now <= W);
        if ( \dut.begins ) assert(now == W);
        else begin
            assert((now >= before) && (now >= offer));
            assert(now < (before > offer ? before : offer) + grain);
            if ( \dut.opens ) assert((before <= 4 * 2048) && (offer > 8 * 2048));
        end
    end
endmodule
