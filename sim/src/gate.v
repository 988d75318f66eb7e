// SPDX-License-Identifier: MIT OR Apache-2.0
module gate_left(a, b, y);
    input wire [31:0] a;
    input wire [2:0] b;
    output wire [31:0] y;
    assign y = a << b;
endmodule

module gate_right(a, b, y);
    input wire [31:0] a;
    input wire [2:0] b;
    output wire [31:0] y;
    assign y = a >> b;
endmodule

module gate(clock, reset, a, b, c, left, left_assigned, left_module, right, right_assigned, right_module);
    input wire clock;
    input wire reset;
    input wire [31:0] a;
    input wire [2:0] b;
    input wire [2:0] c;
    output wire [31:0] left;
    output wire [31:0] left_assigned;
    output wire [31:0] left_module;
    output wire [31:0] right;
    output wire [31:0] right_assigned;
    output wire [31:0] right_module;

    assign left = (a << b) << c;
    assign right = (a >> b) >> c;

    wire [31:0] left_first;
    wire [31:0] right_first;
    assign left_first = a << b;
    assign right_first = a >> b;
    assign left_assigned = left_first << c;
    assign right_assigned = right_first >> c;

    wire [31:0] left_between;
    wire [31:0] right_between;
    gate_left left_0(.a(a), .b(b), .y(left_between));
    gate_left left_1(.a(left_between), .b(c), .y(left_module));
    gate_right right_0(.a(a), .b(b), .y(right_between));
    gate_right right_1(.a(right_between), .b(c), .y(right_module));
endmodule
