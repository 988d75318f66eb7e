// SPDX-License-Identifier: MIT OR Apache-2.0
// KC705: the device behind the 7-series PCI Express block, with the board's GMII PHY as its wire.
//
// The device's clock is the block's user clock, 62.5 MHz. Both directions of the MAC run on
// eth_rx_clock, which is 125 MHz at 1000BASE-T alone. clk200 runs the lights and the PHY's port of
// management, also without a host.
module board (
    input wire clk200_p, input wire clk200_n, input wire cpu_reset,
    input wire pcie_clk_p, input wire pcie_clk_n, input wire pcie_perst_n,
    input wire pcie_rx_p, input wire pcie_rx_n, output wire pcie_tx_p, output wire pcie_tx_n,
    input wire eth_rx_clock, input wire [7:0] eth_rx_data, input wire eth_rx_dv, input wire eth_rx_er,
    output wire eth_gtx_clock, output wire [7:0] eth_tx_data, output wire eth_tx_en, output wire eth_tx_er,
    output wire eth_reset_n, output wire eth_mdc, inout wire eth_mdio,
    // From bit 0 on: clk200 runs, PCI Express link, core clock runs, bus master.
    output wire [3:0] led,
    // Ethernet link, a frame came lately, a frame had a wrong FCS, the block reported an error.
    output wire [3:0] led_high
);
    // clk200: PHY reset of 21 ms, management
    wire clk200_pad, clk200, mdio_out, mdio_drives, eth_link;
    IBUFDS clk200_buffer(.I(clk200_p), .IB(clk200_n), .O(clk200_pad));
    BUFG clk200_net(.I(clk200_pad), .O(clk200));
    reg [26:0] beat200 = 0;
    reg [22:0] awake = 0;
    (* ASYNC_REG = "TRUE" *) reg [1:0] button = 0;
    assign eth_reset_n = awake[22];
    always @(posedge clk200) begin
        beat200 <= beat200 + 1'b1;
        button <= {button[0], cpu_reset};
        if (button[1]) awake <= 0; else if (!awake[22]) awake <= awake + 1'b1;
    end
    assign eth_mdio = mdio_drives ? mdio_out : 1'bz;
    mdio management(
        .clock(clk200), .reset(!eth_reset_n), .mdc(eth_mdc), .data_in(eth_mdio), .data_out(mdio_out),
        .drives(mdio_drives), .link(eth_link)
    );

    // PCI Express block
    wire pcie_clk, core_clock, block_reset, block_up, hot_reset;
    wire [63:0] tx_tlp, rx_tlp;
    wire [7:0] np_headers, bus;
    wire [5:0] tx_room;
    wire [4:0] slot;
    wire [2:0] func;
    wire tx_tlp_last, tx_tlp_valid, tx_tlp_ready, rx_tlp_last, rx_tlp_valid, rx_tlp_ready, np_ok;
    wire msix_on, msix_masked, turn_off;
    // verilator lint_off UNUSEDSIGNAL
    wire [21:0] rx_user;
    wire [15:0] command, control, status, control2;
    wire [7:0] rx_keep; wire [3:0] tx_tlp_bytes; // verilator lint_on UNUSEDSIGNAL
    wire is_gone = block_reset || !block_up, has_failed = status[1] || status[2];
    IBUFDS_GTE2 pcie_clk_buffer(.I(pcie_clk_p), .IB(pcie_clk_n), .CEB(1'b0), .O(pcie_clk), .ODIV2());
    pcie_7x_0 pcie(
        .sys_clk(pcie_clk), .sys_rst_n(pcie_perst_n), .user_clk_out(core_clock), .user_reset_out(block_reset),
        .user_lnk_up(block_up), .user_app_rdy(), .pl_received_hot_rst(hot_reset),
        .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n), .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n),
        .s_axis_tx_tdata(tx_tlp), .s_axis_tx_tkeep({{4{tx_tlp_bytes[3]}}, 4'hF}), .s_axis_tx_tlast(tx_tlp_last),
        .s_axis_tx_tvalid(tx_tlp_valid && !is_gone), .s_axis_tx_tready(tx_tlp_ready), .s_axis_tx_tuser(4'h0),
        .m_axis_rx_tdata(rx_tlp), .m_axis_rx_tkeep(rx_keep), .m_axis_rx_tlast(rx_tlp_last),
        .m_axis_rx_tvalid(rx_tlp_valid), .m_axis_rx_tready(rx_tlp_ready), .m_axis_rx_tuser(rx_user),
        .rx_np_ok(np_ok), .rx_np_req(1'b1), .tx_buf_av(tx_room), .tx_cfg_req(), .tx_cfg_gnt(1'b1), .tx_err_drop(),
        // what the link partner still takes
        .fc_sel(3'b100), .fc_nph(np_headers), .fc_npd(), .fc_ph(), .fc_pd(), .fc_cplh(), .fc_cpld(),
        .cfg_bus_number(bus), .cfg_device_number(slot), .cfg_function_number(func), .cfg_command(command),
        .cfg_dcommand(control), .cfg_dcommand2(control2), .cfg_dstatus(status), .cfg_status(), .cfg_lstatus(),
        .cfg_lcommand(), .cfg_interrupt_msixenable(msix_on), .cfg_interrupt_msixfm(msix_masked),
        .cfg_to_turnoff(turn_off), .cfg_turnoff_ok(turn_off), .cfg_trn_pending(1'b0), .cfg_dsn(64'h0),
        // MSI-X is the device's own: nothing of the interrupts of the block
        .cfg_interrupt(1'b0), .cfg_interrupt_assert(1'b0), .cfg_interrupt_di(8'h0), .cfg_interrupt_stat(1'b0),
        .cfg_interrupt_rdy(), .cfg_interrupt_do(), .cfg_interrupt_mmenable(), .cfg_interrupt_msienable(),
        .cfg_pciecap_interrupt_msgnum(5'h0), .cfg_received_func_lvl_rst(),
        // power, speed, and ports of a root port
        .cfg_pm_halt_aspm_l0s(1'b0), .cfg_pm_halt_aspm_l1(1'b0), .cfg_pm_force_state_en(1'b0),
        .cfg_pm_force_state(2'h0), .cfg_pm_wake(1'b0), .cfg_pm_send_pme_to(1'b0), .cfg_pcie_link_state(),
        .cfg_pmcsr_pme_en(), .cfg_pmcsr_powerstate(), .cfg_pmcsr_pme_status(), .cfg_vc_tcvc_map(),
        .pl_directed_link_change(2'h0), .pl_directed_link_width(2'h0), .pl_directed_link_speed(1'b0),
        .pl_directed_link_auton(1'b0), .pl_upstream_prefer_deemph(1'b1), .pl_sel_lnk_rate(), .pl_sel_lnk_width(),
        .pl_ltssm_state(), .pl_lane_reversal_mode(), .pl_phy_lnk_up(), .pl_tx_pm_state(), .pl_rx_pm_state(),
        .pl_link_upcfg_cap(), .pl_link_gen2_cap(), .pl_link_partner_gen2_supported(), .pl_initial_link_width(),
        .pl_directed_change_done(), .cfg_ds_bus_number(8'h0), .cfg_ds_device_number(5'h0),
        .cfg_ds_function_number(3'h0), .cfg_bridge_serr_en(), .cfg_slot_control_electromech_il_ctl_pulse(),
        .cfg_root_control_syserr_corr_err_en(), .cfg_root_control_syserr_non_fatal_err_en(),
        .cfg_root_control_syserr_fatal_err_en(), .cfg_root_control_pme_int_en(),
        .cfg_aer_rooterr_corr_err_reporting_en(), .cfg_aer_rooterr_non_fatal_err_reporting_en(),
        .cfg_aer_rooterr_fatal_err_reporting_en(), .cfg_aer_rooterr_corr_err_received(),
        .cfg_aer_rooterr_non_fatal_err_received(), .cfg_aer_rooterr_fatal_err_received(), .pl_transmit_hot_rst(1'b0),
        .pl_downstream_deemph_source(1'b0)
    );

    // Resets. The device needs no Ethernet: the MAC's own reset waits for eth_rx_clock, and while
    // that reset lasts, frames that leave are dropped.
    reg [15:0] core_held, wire_held, mac_held;
    wire core_reset = !core_held[15], wire_reset = !wire_held[15], mac_reset = !mac_held[15];
    // The first end of the block's reset behind PERST#: later ones are losses of the link.
    always @(posedge core_clock or negedge pcie_perst_n)
        if (!pcie_perst_n) core_held <= 0; else if (!block_reset || core_held[0]) core_held <= {core_held[14:0], 1'b1};
    always @(posedge eth_rx_clock or posedge core_reset)
        if (core_reset) wire_held <= 0; else wire_held <= {wire_held[14:0], 1'b1};
    always @(posedge core_clock or posedge wire_reset)
        if (wire_reset) mac_held <= 0; else mac_held <= {mac_held[14:0], 1'b1};

    // GMII: registers at the pins. The clock that leaves is inverted, so that data changes in the
    // middle.
    (* IOB = "TRUE" *) reg [9:0] came, leaves;
    wire [8:0] tx_octet;
    always @(posedge eth_rx_clock) {came, leaves} <= {eth_rx_er, eth_rx_dv, eth_rx_data, 1'b0, tx_octet};
    assign {eth_tx_er, eth_tx_en, eth_tx_data} = leaves;
    ODDR #(.DDR_CLK_EDGE("SAME_EDGE")) gtx(
        .C(eth_rx_clock), .CE(1'b1), .D1(1'b0), .D2(1'b1), .R(1'b0), .S(1'b0), .Q(eth_gtx_clock)
    );

    // Verilog of cargo xtask board kc705
    wire [63:0] rx, tx;
    wire [3:0] rx_bytes, tx_bytes;
    wire rx_last, rx_err, rx_valid, rx_ready, tx_last, tx_err, tx_valid, tx_ready;
    wire [31:0] bad_frames;
    mac_port mac(
        .clock(eth_rx_clock), .reset(wire_reset), .core_clock(core_clock), .core_reset(mac_reset),
        .rx_octet(came[7:0]), .rx_carrier(came[8]), .rx_fault(came[9]), .tx_octet(tx_octet[7:0]),
        .tx_carrier(tx_octet[8]), .from_wire_data(rx), .from_wire_bytes(rx_bytes), .from_wire_last(rx_last), .from_wire_err(rx_err),
        .from_wire_valid(rx_valid), .from_wire_ready(rx_ready),
        .to_wire_data(tx), .to_wire_bytes(tx_bytes), .to_wire_last(tx_last), .to_wire_err(tx_err),
        .to_wire_valid(tx_valid), .to_wire_ready(tx_ready), .index(3'd1), .count(bad_frames)
    );
    rnic_w64 device(
        .clock(core_clock), .reset(core_reset), .tick_pin(1'b0), .tick_use_pin(1'b0), .eth_link_up(eth_link),
        .rx_data(rx), .rx_bytes(rx_bytes), .rx_last(rx_last), .rx_err(rx_err), .rx_valid(rx_valid), .rx_ready(rx_ready),
        .tx_data(tx), .tx_bytes(tx_bytes), .tx_last(tx_last), .tx_err(tx_err), .tx_valid(tx_valid), .tx_ready(tx_ready),
        .pcie_link_up(!is_gone), .pcie_hot_reset(hot_reset), .pcie_error(has_failed), .pcie_flr(1'b0),
        .pcie_flr_done(), .pcie_np_ok(np_ok), .pcie_np_room(np_headers > 2 && tx_room > 2),
        .pcie_cfg({control2[4], msix_masked, msix_on, command[2], control[14:12], control[7:5], bus, slot, func}),
        .pcie_tx_data(tx_tlp), .pcie_tx_bytes(tx_tlp_bytes), .pcie_tx_last(tx_tlp_last), .pcie_tx_err(),
        // without a link what leaves is dropped
        .pcie_tx_valid(tx_tlp_valid), .pcie_tx_ready(tx_tlp_ready || is_gone),
        .pcie_rx_data(rx_tlp), .pcie_rx_bytes(rx_keep[7] ? 4'd8 : 4'd4), .pcie_rx_last(rx_tlp_last),
        .pcie_rx_err(rx_user[0]), .pcie_rx_bar_hit({rx_user[6], rx_user[4], rx_user[2]}),
        .pcie_rx_valid(rx_tlp_valid), .pcie_rx_ready(rx_tlp_ready)
    );

    reg [25:0] beat;
    reg [23:0] lately;
    always @(posedge core_clock) begin
        beat <= core_reset ? 0 : beat + 1'b1;
        if (core_reset) lately <= 0;
        else if (rx_valid && rx_ready && rx_last) lately <= ~24'd0;
        else if (lately != 0) lately <= lately - 1'b1;
    end
    assign led = {command[2], beat[25], !is_gone, beat200[26]};
    assign led_high = {has_failed, bad_frames != 0, lately != 0, eth_link};
endmodule
