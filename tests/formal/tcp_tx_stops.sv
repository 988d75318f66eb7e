// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: each queue pair's `stops` follows the set-ups, mutes and bad frames of that queue pair
//   alone.
// of: rnic_w64 rnic_w64_tcp_tx_payload
// kind: induction 1
// bug in: rnic_w64_tcp_tx_payload
// bug from: stops_up = (stops_up & ~(1 << (mute_qp))
// bug to: stops_up = (stops_q & ~(1 << (mute_qp))
module tcp_tx_stops(input clock, input reset);
    rnic_w64_tcp_tx_payload dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.stops_q ;
    (* hierconn *) wire \dut.set_valid , \dut.mute_valid , \dut.give , \dut.is_bad ;
    (* hierconn *) wire [3:0] \dut.set_qp , \dut.mute_qp , \dut.stop_qp ;

    (* anyconst *) reg [3:0] i;
    wire clear = \dut.set_valid && (\dut.set_qp == i);
    wire mute = \dut.mute_valid && (\dut.mute_qp == i);
    wire bad = \dut.give && \dut.is_bad && (\dut.stop_qp == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (bad || mute || (\dut.stops_q [i] && !clear));
    end
    always @(*) if (known) assert(\dut.stops_q [i] == must);
endmodule
