// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: the item of a ULPDU whose payload could not be read is never told; its room is given back
//   instead.
// of: rnic_w64 rnic_w64_ddp_tx_slots
// kind: induction 2
// bug depth: 26
// bug in: rnic_w64_ddp_tx_slots
// bug from: drops_d = fails || (was_lost && ~what[(64'h4)+:(1)]);
// bug to: drops_d = was_lost && ~what[(64'h4)+:(1)];
module sq_unread(input clock, input reset);
    rnic_w64_ddp_tx_slots dut(.clock(clock), .reset(reset));
    (* hierconn *) wire \dut.ready_q , \dut.told_q , \dut.drops_q , \dut.room , \dut.claim , \dut.take , \dut.came , \dut.failed ;
    (* hierconn *) wire \dut.fpdu_valid , \dut.back_valid ;
    (* hierconn *) wire [2:0] \dut.told_slot_q , \dut.find_index , \dut.came_slot ;
    (* hierconn *) wire [3:0] \dut.taken ;
    (* hierconn *) wire [7:0] \dut.spoilt_q , \dut.cut_q , \dut.whole , \dut.shown_q ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        // Nothing more is asked for behind the last piece, and no piece comes that is not awaited.
        if (\dut.take ) assume(!\dut.cut_q [ \dut.taken [2:0]]);
        if (\dut.came || \dut.failed ) assume(!\dut.whole [ \dut.came_slot ]);
        // A slot is claimed while one is free. One that may leave, or is told of, is in use until
        // its frame was made.
        if (\dut.claim ) assume( \dut.room );
        if (\dut.claim && \dut.ready_q ) assume(!\dut.shown_q [ \dut.find_index ]);
        if (\dut.claim && \dut.told_q ) assume( \dut.find_index != \dut.told_slot_q );
        if (known) begin
            if (\dut.ready_q ) assert(|\dut.shown_q && !(|( \dut.shown_q & ~\dut.whole )));
            if (\dut.told_q ) assert( \dut.whole [ \dut.told_slot_q ]);
            if (\dut.told_q && !\dut.drops_q ) assert(!\dut.spoilt_q [ \dut.told_slot_q ]);
            if (\dut.fpdu_valid || \dut.back_valid ) assert( \dut.back_valid == \dut.drops_q && \dut.fpdu_valid != \dut.back_valid );
        end
    end
endmodule
