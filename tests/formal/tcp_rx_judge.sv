// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the verdict on a segment is that of plain inequalities in 34 bits; octets kept, RCV.NXT
//   and SND.UNA follow from it alone. A cut sets RCV.NXT back and opens the stream again.
// of: rnic_w64 rnic_w64_net_rx_decide_judge
// kind: bounded 1
// bug in: rnic_w64_net_rx_decide_judge
// bug from: (last < window)
// bug to: (last <= window)
module tcp_rx_judge(input clock, input reset);
    rnic_w64_net_rx_decide_judge dut();
    (* hierconn *) wire [155:0] \dut.segment ;
    (* hierconn *) wire [203:0] \dut.row , \dut.after ;
    (* hierconn *) wire [223:0] \dut.distance ;
    (* hierconn *) wire [43:0] \dut.verdict ;
    (* hierconn *) wire \dut.told , \dut.undo ;

    wire [31:0] seq = \dut.segment [88:57], ack = \dut.segment [120:89];
    wire [33:0] octets = \dut.segment [56:41];
    wire fin = \dut.segment [137], syn = \dut.segment [138], rst = \dut.segment [139], has_ack = \dut.segment [140];
    wire closed = \dut.row [5];
    wire [31:0] rcv_nxt = \dut.row [41:10], una = \dut.row [73:42], wl1 = \dut.row [105:74], wl2 = \dut.row [137:106];
    wire [31:0] window = \dut.row [169:138], most = \dut.row [201:170];
    wire [31:0] d_seq = \dut.distance [31:0], d_ack = \dut.distance [63:32], flight = \dut.distance [95:64];
    wire [31:0] offered = \dut.distance [191:160];
    // What tcp_rx_decide proves of the judge's inputs, and that less than 2^31 octets are in
    // flight.
    always @(*) begin
        assume(d_seq == seq - rcv_nxt);
        assume(d_ack == ack - una);
        assume(\dut.distance [127:96] == seq - wl1);
        assume(\dut.distance [159:128] == ack - wl2);
        assume(\dut.distance [223:192] == octets + fin + syn);
        assume(!flight[31]);
        if ( \dut.told ) assume(!fin && !syn && !rst && has_ack && (octets == 0));
        if ( \dut.undo ) assume(\dut.told && ($signed(d_seq) <= 0));
    end

    // Places on a line of 34 bits whose 0 is RCV.NXT, or SND.UNA.
    localparam signed [33:0] W = 32768; // octets of the window of profile `tiny`
    wire signed [33:0] at = $signed(d_seq), length = octets + fin + syn, acked = $signed(d_ack), sent = flight;
    wire signed [33:0] end_ = at + length, text_end = at + octets, limit = most;
    wire acceptable = \dut.told || ((at >= 0) && (at < W)) || ((length > 0) && (end_ > 0) && (end_ <= W));
    wire good_ack = (acked <= sent) && (-acked <= limit);
    wire talks = acceptable && !rst && !syn && has_ack && good_ack;
    wire text = (octets != 0) || fin;
    wire probes = (at == -1) && has_ack && !syn && good_ack;
    wire in_order = talks && text && (at <= 0) && !closed;
    wire after_fin = talks && (octets != 0) && (at <= 0) && (text_end > 0) && closed;
    wire [33:0] left = (at < 0) ? -at : 0, right = (text_end > W) ? text_end - W : 0;
    wire [33:0] kept = octets - left - right;

    wire [15:0] trim = \dut.verdict [15:0], keeps = \dut.verdict [31:16];
    wire takes_fin = \dut.verdict [33];
    wire [31:0] nxt = \dut.after [41:10], una_ = \dut.after [73:42];
    always @(*) if ( \dut.undo ) begin
        assert((\dut.verdict == 44'd1 << 36) && (nxt == seq) && !\dut.after [5] && ( \dut.after [203] != \dut.row [203]));
        assert(!\dut.after [202] && ( \dut.after [201:42] == \dut.row [201:42]));
    end else begin
        assert(\dut.after [203] == \dut.row [203]);
        assert(\dut.verdict [32] == in_order);
        assert(\dut.verdict [34] == (acceptable && rst && (seq == rcv_nxt)));                          // reset
        assert(\dut.verdict [35] == (acceptable ? (rst ? (seq != rcv_nxt) : (syn || (has_ack && !good_ack)))
            : (!rst && !text && !probes)));                                                            // rationed ACK
        assert(\dut.verdict [36] == ((!acceptable && !rst && (text || probes)) || \dut.verdict [42])); // ACK at once
        assert(\dut.verdict [40] == (!acceptable || (talks && text && (at <= 0) && closed)));          // outside
        assert(\dut.verdict [41] == (acceptable && !rst && !syn && !(has_ack && good_ack)));           // bad ACK
        assert(\dut.verdict [42] == (talks && text && (at > 0)));                                      // gap
        assert(\dut.verdict [37] == (talks && (acked > 0)));                                           // ACK advances
        if (in_order) begin
            assert((trim == left) && (keeps == kept) && (left + kept <= octets));
            assert(takes_fin == (fin && (right == 0)));
            assert(nxt - rcv_nxt == keeps + takes_fin);
        end else assert(!takes_fin && (keeps == 0) && (nxt == rcv_nxt));
        assert(una_ == (\dut.verdict [37] ? ack : una));
        assert((una_ - una == 0) || ((una_ - una <= flight) && \dut.verdict [37]));
        assert(\dut.after [201:170] >= most);
        assert(\dut.after [5] == (in_order ? takes_fin : closed));
        assert(\dut.verdict [43] == (after_fin && ! \dut.row [202]));                                  // late octets
        assert(\dut.after [202] == (after_fin || \dut.row [202]));
    end
endmodule
