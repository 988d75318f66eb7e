// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: what the judge of a segment is given are the distances of that segment from that row, a
//   word of firmware has no text, a strange segment no effect.
// of: rnic_w64 rnic_w64_net_rx_decide
// instead: rnic_w64_net_rx_decide_rows rnic_w64_tcp_tx_timers_dups_recover
//   rnic_w64_net_rx_decide_vids
// kind: induction 2
// bug in: rnic_w64_net_rx_decide
// bug from: rows_read_enable = pump_read_enable && ~pump_rx_1_ready;
// bug to: rows_read_enable = told_valid;
module tcp_rx_decide(input clock, input reset);
    rnic_w64_net_rx_decide dut(.clock(clock), .reset(reset));
    (* hierconn *) wire [2:0] \dut.pump_kind ;
    (* hierconn *) wire [155:0] \dut.judge.segment ;
    (* hierconn *) wire [203:0] \dut.judge.row ;
    (* hierconn *) wire [223:0] \dut.judge.distance ;
    (* hierconn *) wire [31:0] \dut.sent_q_q ;
    (* hierconn *) wire \dut.judge.told , \dut.elsewhere_q , \dut.fact_valid , \dut.ctl_valid , \dut.announce_valid ;

    wire [31:0] seq = \dut.judge.segment [88:57], ack = \dut.judge.segment [120:89];
    wire [31:0] octets = \dut.judge.segment [56:41];
    wire fin = \dut.judge.segment [137], syn = \dut.judge.segment [138], rst = \dut.judge.segment [139];
    wire [31:0] rcv_nxt = \dut.judge.row [41:10], una = \dut.judge.row [73:42];
    wire [31:0] wl1 = \dut.judge.row [105:74], wl2 = \dut.judge.row [137:106];
    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        else begin
            assert(\dut.pump_kind <= 4);
            if ( \dut.judge.told && ( \dut.pump_kind != 0)) assert(!fin && !syn && !rst && \dut.judge.segment [140] && (octets == 0));
            // strange: to a group of stations, or from another VLAN
            if ( \dut.fact_valid || \dut.ctl_valid || \dut.announce_valid )
                assert( \dut.judge.told || (! \dut.elsewhere_q && ! \dut.judge.segment [154]));
            if ( \dut.pump_kind == 2) begin
                assert(\dut.judge.distance [31:0] == seq - rcv_nxt);
                assert(\dut.judge.distance [63:32] == ack - una);
                assert(\dut.judge.distance [95:64] == \dut.sent_q_q - una);
                assert(\dut.judge.distance [127:96] == seq - wl1);
                assert(\dut.judge.distance [159:128] == ack - wl2);
                assert(\dut.judge.distance [223:192] == octets + fin + syn);
            end
        end
    end
endmodule

// VLANs and SND.NXT of the connections: any. Rows of the connections: any, and kept from one
// reading to the next.
module rnic_w64_net_rx_decide_vids(
    input clock, input write_enable, input [3:0] write_address, input [11:0] write_data, input [3:0] read_address,
    output [11:0] read_data
);
    assign read_data = $anyseq;
endmodule
module rnic_w64_net_rx_decide_rows(
    input clock, input reset, input write_enable, input [3:0] write_address, input [203:0] write_data,
    input read_enable, input [3:0] read_address, output [203:0] read_data, output reg [203:0] word, output reg live, output ready
);
    wire [203:0] any = $anyseq;
    wire some = $anyseq;
    assign ready = $anyseq, read_data = live ? word : 0;
    always @(posedge clock) if (read_enable) { word, live } <= { any, some };
endmodule
module rnic_w64_tcp_tx_timers_dups_recover(
    input clock, input write_enable, input [3:0] write_address, input [31:0] write_data, input [3:0] read_address,
    output [31:0] read_data
);
    assign read_data = $anyseq;
endmodule
