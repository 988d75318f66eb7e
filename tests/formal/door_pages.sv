// proves: a doorbell of one place is kept while another one leaves, and one that comes as its place leaves waits again.
// of: rnic_w64 rnic_w64_pages
// kind: induction 1
// bug in: rnic_w64_pages
// bug from: waits_d = (free & ~(1 << (place))
// bug to: waits_d = (waits_q & ~(1 << (place))
module door_pages(input clock, input reset);
    rnic_w64_pages dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [63:0] \dut.waits_q ;
    (* hierconn *) wire \dut.pops , \dut.bell_valid ;
    (* hierconn *) wire [5:0] \dut.oldest , \dut.place ;

    (* anyconst *) reg [5:0] i;
    wire gone = \dut.pops && (\dut.oldest == i);
    wire rung = \dut.bell_valid && (\dut.place == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (rung || (\dut.waits_q [i] && !gone));
    end
    always @(*) if (known) assert(\dut.waits_q [i] == must);
endmodule
