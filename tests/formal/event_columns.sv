// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: `waits` and `overs` of a place change only by an event of that place or by its telling.
// of: rnic_w64 rnic_w64_events
// kind: induction 1
// bug in: rnic_w64_events
// bug from: waits_now = (waits_now & ~(1 << (place))
// bug to: waits_now = (overs_q & ~(1 << (place))
module event_columns(input clock, input reset);
    rnic_w64_events dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [31:0] \dut.waits_q , \dut.overs_q ;
    (* hierconn *) wire [2:0] \dut.st_q , \dut.st_d ;
    (* hierconn *) wire [4:0] \dut.scan_q , \dut.place ;
    (* hierconn *) wire \dut.is_over , \dut.room , \dut.waiting ;

    (* anyconst *) reg [4:0] i;
    wire told = (\dut.st_q == 0) && (\dut.st_d == 4) && (\dut.scan_q == i); // Idle, and Again is next
    wire waits = (\dut.st_q == 3) && !( \dut.room && !\dut.waiting ) && (\dut.place == i) && (\dut.is_over || !\dut.overs_q [i]);
    reg known = 0;
    reg [1:0] must;
    always @(posedge clock) begin
        known <= 1;
        must[1] <= !reset && (waits || (\dut.waits_q [i] && !told));
        must[0] <= !reset && (waits ? \dut.is_over : (\dut.overs_q [i] && !told));
    end
    always @(*) if (known) assert({\dut.waits_q [i], \dut.overs_q [i]} == must);
endmodule
