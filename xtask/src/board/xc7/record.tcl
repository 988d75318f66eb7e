# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs a script of Vivado without Vivado: prints each call, words divided by tabs.
#
#   tclsh record.tcl ROOT SCRIPT PROPERTY ANSWER ...
#
# ROOT is left out of paths. Questions have their own text as their answer, so that calls show whom
# they name; get_property answers as the arguments say.
set questions {
    current_design current_fileset current_project get_cells get_clocks get_files get_ips get_pins get_ports
    get_runs get_timing_paths
}
set actions {
    create_clock create_generated_clock create_ip create_project generate_target launch_runs open_run read_verilog
    read_xdc report_cdc report_drc report_timing_summary report_utilization set_false_path set_input_delay
    set_max_delay set_output_delay set_property wait_on_run
}
set answers [lassign $argv root script]

proc plain {word} {
    if {[string first \t $word] >= 0} { error "a word of a call has a tab: $word" }
    return [regsub -all {\s+} [string trim [string map [list $::root/ {}] $word]] { }]
}
proc record {args} { puts [join [lmap word $args {plain $word}] \t] }
proc get_property {key object} {
    record get_property $key $object
    return [dict get $::answers $key]
}
proc unknown {name args} { error "`$name` is no command of Tcl, and none of Vivado that record.tcl knows" }
foreach name $questions { proc $name args "return \"\\\[\[string trim \"$name \[join \$args { }\]\"\]\\\]\"" }
foreach name $actions { proc $name args "record $name {*}\$args" }
set argv0 $script
if {[catch {source $script} why]} {
    puts stderr [plain $why]
    exit 1
}
