// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: a region check answers as plain inequalities of 66 bits say, six cycles later: ok only if
//   all holds and no octet lies outside.
// of: rnic_w64 rnic_w64_mr_check
// kind: bounded 7
// bug in: rnic_w64_mr_check
// bug from: off_high = less - ((b_off_q[32'h20]) & 33'h1ffffffff);
// bug to: off_high = less;
module mr_check(input clock, input reset);
    rnic_w64_mr_check dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [154:0] \dut.ask ;
    (* hierconn *) wire [236:0] \dut.row ;
    (* hierconn *) wire \dut.exists , \dut.valid , \dut.client , \dut.say0_valid , \dut.say1_valid ;
    (* hierconn *) wire [67:0] \dut.say ;

    // The check that comes in the first cycle, whatever stands in the pipeline then and comes
    // behind it. Nothing lives longer there.
    (* anyconst *) reg [154:0] ask;
    (* anyconst *) reg [236:0] row;
    (* anyconst *) reg exists, client;
    reg [2:0] age = 0;
    always @(posedge clock) age <= (age == 7) ? 7 : age + 1;
    always @(*) begin
        assume(!reset);
        if (age == 0) assume({ \dut.valid , \dut.client , \dut.exists , \dut.row , \dut.ask } == {1'b1, client, exists, row, ask});
    end

    // 66 bits hold each of these sums.
    wire [65:0] addr = ask[95:32], octets = ask[127:96];
    wire [65:0] base = row[63:0], span = row[127:64], first = row[191:128];
    wire stag = exists && (ask[7:0] == row[220:213]);
    wire stream = (row[207:192] == ask[151:136]) && (!row[211] || (row[236:221] == ask[135:128]));
    wire access = (row[210] || !ask[152]) && (row[209] || !ask[153]) && (row[208] || !ask[154]);
    wire wraps = (octets != 0) && (addr + octets >= (66'd1 << 64));
    wire inside = (octets == 0) || ((first <= addr) && (addr + octets <= first + span));
    wire ok = \dut.say [0];
    wire [65:0] iova = \dut.say [67:4], exact = base + (addr - first);

    // The same by differences, as the hardware has it: first that they are the same, of the numbers
    // alone, then the hardware.
    wire [65:0] off = addr - first, room = span - off;
    wire as_built = (octets == 0) || ((first <= addr) && (off <= span) && (octets <= room));
    wire [2:0] error = !stag ? 1 : !stream ? 2 : !access ? 3 : wraps ? 4 : !as_built ? 5 : 0;
    always @(*) begin
        if (age == 0) assert(inside == as_built);
        if ((age == 1) && as_built && (octets != 0)) assert((base <= exact) && (exact + octets <= base + span));
        if (age == 6) begin
            assert(( \dut.say0_valid == !client) && ( \dut.say1_valid == client));
            assert(\dut.say [3:1] == error);
            assert(ok == (error == 0));
            if (ok && (octets != 0)) assert(iova[63:0] == exact[63:0]);
        end
    end
endmodule
