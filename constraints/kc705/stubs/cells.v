// SPDX-License-Identifier: MIT OR Apache-2.0
// Ports of the cells of a 7-series chip that board.v names, for the lint of board.v alone.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off DECLFILENAME */
module IBUFDS(input wire I, input wire IB, output wire O);
endmodule

module IBUFDS_GTE2(input wire I, input wire IB, input wire CEB, output wire O, output wire ODIV2);
endmodule

module BUFG(input wire I, output wire O);
endmodule

module ODDR #(
    parameter DDR_CLK_EDGE = "OPPOSITE_EDGE", parameter SRTYPE = "SYNC"
) (input wire C, input wire CE, input wire D1, input wire D2, input wire R, input wire S, output wire Q);
endmodule
