// SPDX-License-Identifier: MIT OR Apache-2.0
// Models of the cells of an ECP5 that a board's Verilog names, for simulation: no timing but the
// delay that is asked for. Ports are those of Lattice's cells.
`timescale 1ns / 1ps
// verilator lint_off UNUSEDPARAM
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNDRIVEN
// verilator lint_off PROCASSINIT
// verilator lint_off SYNCASYNCNET

// Two octet halves of a cycle, both shown at the next rising edge.
module IDDRX1F #(parameter GSR = "ENABLED") (input D, input SCLK, input RST, output reg Q0, output reg Q1);
    reg rise, fall;
    always @(negedge SCLK) fall <= D;
    always @(posedge SCLK) begin
        rise <= D;
        {Q0, Q1} <= RST ? 2'b00 : {rise, fall};
    end
endmodule

// D0 while the clock is high, D1 while the clock is low, both taken at the rising edge.
module ODDRX1F #(parameter GSR = "ENABLED") (input SCLK, input RST, input D0, input D1, output Q);
    reg high, low;
    always @(posedge SCLK) {high, low} <= RST ? 2'b00 : {D0, D1};
    assign Q = SCLK ? high : low;
endmodule

// DEL_VALUE steps of 25 ps; none in Verilator, which has no time.
module DELAYG #(parameter DEL_MODE = "USER_DEFINED", parameter DEL_VALUE = 0) (input A, output reg Z);
`ifdef VERILATOR
    assign Z = A;
`else
    always @(A) Z <= #(0.025 * DEL_VALUE) A;
`endif
endmodule

// A PLL with feedback from CLKOP: the outputs run from the measured period of CLKI on, in whole
// picoseconds. LOCK comes a microsecond after the outputs. In Verilator both outputs are CLKI: give
// CLKI the period of the output that is used. LOCK comes with the 32nd edge.
module EHXPLLL #(
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter CLKOP_DIV = 8, parameter CLKOS_DIV = 8,
    parameter CLKOP_ENABLE = "ENABLED", parameter CLKOS_ENABLE = "DISABLED",
    parameter CLKOP_CPHASE = 0, parameter CLKOS_CPHASE = 0, parameter FEEDBK_PATH = "CLKOP"
) (
    input CLKI, input CLKFB, input PHASESEL1, input PHASESEL0, input PHASEDIR, input PHASESTEP, input PHASELOADREG,
    input STDBY, input PLLWAKESYNC, input RST, input ENCLKOP, input ENCLKOS, input ENCLKOS2, input ENCLKOS3,
    output reg CLKOP, output reg CLKOS, output CLKOS2, output CLKOS3, output reg LOCK, output INTLOCK,
    output REFCLK, output CLKINTFB
);
`ifdef VERILATOR
    reg [5:0] edges = 0;
    assign {CLKOP, CLKOS, LOCK} = {CLKI, CLKI, edges[5]};
    always @(posedge CLKI) if (!LOCK) edges <= edges + 1;
`else
    realtime start, vco;
    initial begin
        // later than time 0, so that the fall of LOCK is an event for those that wait for one
        #1 {CLKOP, CLKOS, LOCK} = 0;
        @(posedge CLKI) start = $realtime;
        @(posedge CLKI) vco = ($realtime - start) * CLKI_DIV / CLKFB_DIV / CLKOP_DIV;
        // the detector and the oscillator of an ECP5, MHz
        if (1000.0 / (vco * CLKFB_DIV * CLKOP_DIV) < 10.0) $fatal(1, "the phase detector runs below 10 MHz");
        if (1000.0 / vco < 400.0 || 1000.0 / vco > 800.0) $fatal(1, "the oscillator runs at %f MHz", 1000.0 / vco);
        fork
            forever #(vco * CLKOP_DIV / 2) CLKOP = !CLKOP;
            if (CLKOS_ENABLE == "ENABLED") forever #(vco * CLKOS_DIV / 2) CLKOS = !CLKOS;
            #1000 LOCK = 1;
        join
    end
`endif
endmodule
// verilator lint_on UNUSEDPARAM
// verilator lint_on UNUSEDSIGNAL
// verilator lint_on UNDRIVEN
// verilator lint_on PROCASSINIT
// verilator lint_on SYNCASYNCNET
