// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a connection's challenge is spent by its own challenge, and all are renewed by the clock
//   alone.
// of: rnic_w64 rnic_w64_net_rx_decide
// kind: induction 1
// bug in: rnic_w64_net_rx_decide
// bug from: spent_d = (spent_q & ~(1 <<
// bug to: spent_d = (spent_q & ~(3 <<
module tcp_rx_spent(input clock, input reset);
    rnic_w64_net_rx_decide dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [15:0] \dut.spent_q ;
    (* hierconn *) wire \dut.acts , \dut.ours , \dut.challenges , \dut.renew ;
    (* hierconn *) wire [3:0] \dut.pump_row ;

    (* anyconst *) reg [3:0] i;
    wire spends = \dut.acts && \dut.ours && \dut.challenges && (\dut.pump_row == i);
    reg known = 0;
    reg must;
    always @(posedge clock) begin
        known <= 1;
        must <= !reset && (!\dut.renew && (spends || \dut.spent_q [i]));
    end
    always @(*) if (known) assert(\dut.spent_q [i] == must);
endmodule
