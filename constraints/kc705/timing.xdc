# SPDX-License-Identifier: MIT OR Apache-2.0
# KC705: delays and exceptions. Clocks and pins are in pins.xdc, which cargo xtask board kc705
# writes. The block's own constraints make the clock of pcie/user_clk_out.

# FIFOs of the MAC between two clocks: Gray pointers, and words that stand still while they are read
set_max_delay -datapath_only -from [get_cells {mac/inward/written_gray_reg[*]}] -to [get_cells {mac/inward/written_near_reg[*]}] 8.000
set_max_delay -datapath_only -from [get_cells {mac/inward/read_gray_reg[*]}] -to [get_cells {mac/inward/read_near_reg[*]}] 8.000
set_max_delay -datapath_only -from [get_cells {mac/inward/words_reg*}] 8.000
set_max_delay -datapath_only -from [get_cells {mac/outward/written_gray_reg[*]}] -to [get_cells {mac/outward/written_near_reg[*]}] 8.000
set_max_delay -datapath_only -from [get_cells {mac/outward/read_gray_reg[*]}] -to [get_cells {mac/outward/read_near_reg[*]}] 8.000
set_max_delay -datapath_only -from [get_cells {mac/outward/words_reg*}] 8.000

# GMII (IEEE 802.3 section 35.4.2): data stands 2.5 ns before and 0.5 ns behind the rising edge
set_input_delay -clock eth_rx_clock -max 5.500 [get_ports {eth_rx_data[*] eth_rx_dv eth_rx_er}]
set_input_delay -clock eth_rx_clock -min 0.500 [get_ports {eth_rx_data[*] eth_rx_dv eth_rx_er}]
create_generated_clock -name eth_gtx_clock -source [get_pins gtx/C] -divide_by 1 -invert [get_ports eth_gtx_clock]
set_output_delay -clock eth_gtx_clock -max 2.500 [get_ports {eth_tx_data[*] eth_tx_en eth_tx_er}]
set_output_delay -clock eth_gtx_clock -min -0.500 [get_ports {eth_tx_data[*] eth_tx_en eth_tx_er}]

# slow pins; a level that two flip-flops of the device take; resets that shift registers take back
set_false_path -to [get_ports {led[*] led_high[*] eth_reset_n eth_mdc eth_mdio}]
set_false_path -from [get_ports {cpu_reset pcie_perst_n eth_mdio}]
set_false_path -from [get_cells management/link_reg]
set_false_path -to [get_pins {core_held_reg[*]/CLR wire_held_reg[*]/CLR mac_held_reg[*]/CLR}]

# the bank of the configuration pins has 2.5 V
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
