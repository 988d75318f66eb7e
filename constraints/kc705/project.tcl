# SPDX-License-Identifier: MIT OR Apache-2.0
# KC705: from the Verilog to a bitstream. Never run by Vivado; cargo xtask board kc705 runs these
# lines with stubs in place of Vivado's commands.
#
#   cargo xtask board kc705
#   vivado -mode batch -source constraints/kc705/project.tcl
set here [file dirname [file normalize [info script]]]
set made [file dirname [file dirname $here]]/target/board/kc705
foreach file {rnic_w64.v mac_port.v pins.xdc} {
    if {![file exists $made/$file]} { error "no $made/$file: run cargo xtask board kc705 first" }
}

create_project -force ferrowarp $made/vivado -part xc7k325tffg900-2
read_verilog [list $here/board.v $here/mdio.v $made/mac_port.v $made/rnic_w64.v]
read_xdc $made/pins.xdc
read_xdc $here/timing.xdc
# names of registers, which synthesis makes
set_property USED_IN_SYNTHESIS false [get_files timing.xdc]
set_property top board [current_fileset]

# the block: one lane of 2.5 GT/s, 64 bits at 62.5 MHz
create_ip -name pcie_7x -vendor xilinx.com -library ip -module_name pcie_7x_0
set ip [get_ips pcie_7x_0]
set_property -dict {
    CONFIG.mode_selection Advanced
    CONFIG.Device_Port_Type PCI_Express_Endpoint_device
    CONFIG.PCIe_Blk_Locn X0Y0
    CONFIG.Maximum_Link_Width X1
    CONFIG.Link_Speed 2.5_GT/s
    CONFIG.Interface_Width 64_bit
    CONFIG.User_Clk_Freq 62.5
    CONFIG.Ref_Clk_Freq 100_MHz
    CONFIG.Max_Payload_Size 256_bytes
} $ip
# who the function is: csr_identity of docs/registers.md, an Ethernet controller
set_property -dict {
    CONFIG.Vendor_ID 1234
    CONFIG.Device_ID FE77
    CONFIG.Revision_ID 01
    CONFIG.Subsystem_Vendor_ID 1234
    CONFIG.Subsystem_ID 0001
    CONFIG.Use_Class_Code_Lookup_Assistant false
    CONFIG.Class_Code_Base 02
    CONFIG.Class_Code_Sub 00
    CONFIG.Class_Code_Interface 00
} $ip
# registers, doorbell pages, MSI-X: 64 bits, not prefetchable
set_property -dict {
    CONFIG.Bar0_Enabled true
    CONFIG.Bar0_Type Memory
    CONFIG.Bar0_64bit true
    CONFIG.Bar0_Prefetchable false
    CONFIG.Bar0_Scale Kilobytes
    CONFIG.Bar0_Size 4
    CONFIG.Bar2_Enabled true
    CONFIG.Bar2_Type Memory
    CONFIG.Bar2_64bit true
    CONFIG.Bar2_Prefetchable false
    CONFIG.Bar2_Scale Kilobytes
    CONFIG.Bar2_Size 128
    CONFIG.Bar4_Enabled true
    CONFIG.Bar4_Type Memory
    CONFIG.Bar4_64bit true
    CONFIG.Bar4_Prefetchable false
    CONFIG.Bar4_Scale Kilobytes
    CONFIG.Bar4_Size 4
} $ip
# MSI-X alone; sizes and offsets are hexadecimal
set_property -dict {
    CONFIG.IntX_Generation false
    CONFIG.Legacy_Interrupt NONE
    CONFIG.MSI_Enabled false
    CONFIG.MSIx_Enabled true
    CONFIG.MSIx_Table_Size 10
    CONFIG.MSIx_Table_BIR BAR_5:4
    CONFIG.MSIx_Table_Offset 0
    CONFIG.MSIx_PBA_BIR BAR_5:4
    CONFIG.MSIx_PBA_Offset 800
} $ip
# the ports that board.v names
set_property -dict {
    CONFIG.cfg_ctl_if true
    CONFIG.cfg_status_if true
    CONFIG.cfg_fc_if true
    CONFIG.pl_interface true
    CONFIG.cfg_mgmt_if false
    CONFIG.rcv_msg_if false
    CONFIG.err_reporting_if false
    CONFIG.en_ext_clk false
    CONFIG.DSN_Enabled false
    CONFIG.AER_Enabled false
} $ip
# with the rest of the design, not alone
set_property GENERATE_SYNTH_CHECKPOINT false [get_files pcie_7x_0.xci]
generate_target all $ip

foreach {run options} {synth_1 {} impl_1 {-to_step write_bitstream}} {
    launch_runs $run {*}$options -jobs 2
    wait_on_run $run
    if {[get_property PROGRESS [get_runs $run]] ne "100%"} {
        error "$run ended early: its log is in $made/vivado/ferrowarp.runs/$run/runme.log"
    }
}
open_run impl_1
report_timing_summary -report_unconstrained -file $made/timing.rpt
report_cdc -details -file $made/cdc.rpt
report_utilization -hierarchical -file $made/utilization.rpt
report_drc -file $made/drc.rpt
foreach kind {max min} {
    set slack [get_property SLACK [get_timing_paths -delay_type $kind -max_paths 1]]
    if {$slack < 0} { error "a path of kind $kind is [expr {-$slack}] ns too slow or too fast: see $made/timing.rpt" }
}
