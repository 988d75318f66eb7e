// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a slot gives each item once, in order and unchanged, and holds what it offers until it is
//   taken.
// of: slot_w8 slot_w8
// kind: induction 2
// bug in: slot_w8
// bug from: rx_ready = ~spare_valid_q;
// bug to: rx_ready = ~spare_valid_q || tx_ready;
module slot(input clock, input reset);
    slot_w8 dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [7:0] \dut.rx_item , \dut.tx_item , \dut.main_q , \dut.spare_q ;
    (* hierconn *) wire \dut.rx_valid , \dut.rx_ready , \dut.tx_valid , \dut.tx_ready ;
    (* hierconn *) wire \dut.main_valid_q , \dut.spare_valid_q ;

    // Of eight items that follow each other one is watched: `at` items are before it.
    (* anyconst *) reg [2:0] n;
    reg [2:0] ins, outs;
    reg [7:0] want, before;
    wire [2:0] held = \dut.main_valid_q + \dut.spare_valid_q ;
    wire [2:0] at = n - outs;
    wire enters = \dut.rx_valid && \dut.rx_ready ;
    reg known = 0, waits;
    always @(posedge clock) begin
        known <= 1;
        ins <= reset ? 0 : ins + enters;
        outs <= reset ? 0 : outs + ( \dut.tx_valid && \dut.tx_ready );
        if (enters && (ins == n)) want <= \dut.rx_item ;
        waits <= !reset && \dut.tx_valid && !\dut.tx_ready ;
        before <= \dut.tx_item ;
    end
    always @(*) begin
        if (!known) assume(reset);
        else begin
            assert(held == ins - outs);
            assert(\dut.tx_valid == (held != 0));
            if (at < held) assert(want == (at == 0 ? \dut.main_q : \dut.spare_q ));
            if ((at == 0) && \dut.tx_valid ) assert(\dut.tx_item == want);
            if (waits) assert(\dut.tx_valid && (\dut.tx_item == before));
        end
    end
endmodule
