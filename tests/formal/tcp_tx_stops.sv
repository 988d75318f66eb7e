// proves: each queue pair's `stops` and `breaks` follow the set-ups, mutes, holes and fills of that queue pair alone.
// of: rnic_w64 rnic_w64_tcp_tx_payload
// kind: induction 1
// bug in: rnic_w64_tcp_tx_payload
// bug from: stops_up = (stops_up & ~(1 << (mute_qp))
// bug to: stops_up = (stops_q & ~(1 << (mute_qp))
module tcp_tx_stops(input clock, input reset);
    rnic_w64_tcp_tx_payload dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.stops_q , \dut.breaks_q ;
    (* hierconn *) wire \dut.set_valid , \dut.mute_valid , \dut.give , \dut.spoils , \dut.fills , \dut.opens ;
    (* hierconn *) wire [3:0] \dut.set_qp , \dut.mute_qp , \dut.stop_qp ;

    (* anyconst *) reg [3:0] i;
    wire clear = \dut.set_valid && (\dut.set_qp == i);
    wire mute = \dut.mute_valid && (\dut.mute_qp == i);
    wire mine = \dut.give && (\dut.stop_qp == i);
    wire again = mine && \dut.spoils && !\dut.opens ;
    reg known = 0;
    reg [1:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[1] <= !reset && (again || mute || (\dut.stops_q [i] && !clear));
        must[0] <= !reset && ((\dut.opens && mine) || (\dut.breaks_q [i] && !clear && !(mine && \dut.fills )));
    end
    always @(*) if (known) assert({\dut.stops_q [i], \dut.breaks_q [i]} == must);
endmodule
