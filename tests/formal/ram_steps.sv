// SPDX-License-Identifier: MIT OR Apache-2.0
// proves: no owner of these memories reads while it writes: those are steps of their own.
// of: rnic_w64 rnic_w64_cq rnic_w64_fault rnic_w64_net_rx_decide rnic_w64_rq
// kind: induction 1
// bug depth: 24
// bug in: rnic_w64_fault
// bug from: cqs_write_enable = st_q == St_Setup;
// bug to: cqs_write_enable = 1;
module ram_steps(input clock, input reset);
    rnic_w64_cq cq(.clock(clock), .reset(reset));
    rnic_w64_fault fault(.clock(clock), .reset(reset));
    rnic_w64_net_rx_decide decide(.clock(clock), .reset(reset));
    rnic_w64_rq rq(.clock(clock), .reset(reset));
    (* hierconn *) wire \cq.setups_write_enable , \cq.states_write_enable , \cq.pump_read_enable ;
    (* hierconn *) wire \fault.cqs_write_enable , \fault.faults_write_enable , \fault.laters_write_enable ;
    (* hierconn *) wire \fault.looks ;
    (* hierconn *) wire \decide.rows_write_enable , \decide.rows_read_enable ;
    (* hierconn *) wire \rq.setups_write_enable , \rq.producers_write_enable , \rq.consumers_write_enable ;
    (* hierconn *) wire \rq.nexts_write_enable , \rq.pump_read_enable ;

    reg known = 0;
    always @(posedge clock) known <= 1;
    always @(*) begin
        if (!known) assume(reset);
        if (known) begin
            assert(!( \cq.setups_write_enable && \cq.pump_read_enable ));
            assert(!( \cq.states_write_enable && \cq.pump_read_enable ));
            assert(!( \fault.cqs_write_enable && \fault.looks ));
            assert(!( \fault.faults_write_enable && \fault.looks ));
            assert(!( \fault.laters_write_enable && \fault.looks ));
            assert(!( \decide.rows_write_enable && \decide.rows_read_enable ));
            assert(!( \rq.setups_write_enable && \rq.pump_read_enable ));
            assert(!( \rq.producers_write_enable && \rq.pump_read_enable ));
            assert(!( \rq.consumers_write_enable && \rq.pump_read_enable ));
            assert(!( \rq.nexts_write_enable && \rq.pump_read_enable ));
        end
    end
endmodule
