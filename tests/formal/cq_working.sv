// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a completion queue's bit `working` follows its own set-up and its own overrun alone.
// of: rnic_w64 rnic_w64_cq
// kind: induction 1
// bug in: rnic_w64_cq
// bug from: working_d = (working_q & ~(1 << (pump_row)) | ((1'b0)
// bug to: working_d = (working_q & ~(3 << (pump_row)) | ((1'b0)
module cq_working(input clock, input reset);
    rnic_w64_cq dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [31:0] \dut.working_q ;
    (* hierconn *) wire [69:0] \dut.made ;
    (* hierconn *) wire [115:0] \dut.state ;
    (* hierconn *) wire [4:0] \dut.pump_row ;
    (* hierconn *) wire [2:0] \dut.pump_kind ;
    (* hierconn *) wire \dut.known_q , \dut.room ;

    (* anyconst *) reg [4:0] i;
    wire setup = (\dut.pump_kind == 1) && (\dut.pump_row == i);
    wire over = (\dut.pump_kind == 4) && (\dut.pump_row == i) && \dut.known_q && !\dut.state [115] && !\dut.room ;
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (setup ? \dut.made [69] : (\dut.working_q [i] && !over));
    end
    always @(*) if (known) assert(\dut.working_q [i] == must);
endmodule
