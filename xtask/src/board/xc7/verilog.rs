// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board's Verilog without Vivado: lint, netlist, mapping, the board's own parts in Icarus.
use super::file::Board;
use super::netlist::Netlist;
use crate::synth::yosys;
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the lint of board.v is not asked: outputs of the IP that nothing reads, values from the
/// configuration, a reset at both kinds of registers.
const ALLOWED: [&str; 3] = ["-Wno-PINCONNECTEMPTY", "-Wno-PROCASSINIT", "-Wno-SYNCASYNCNET"];
/// Begins the last line of a bench that found nothing.
const GOOD: &str = "the link is read";

/// The files of a board.
pub struct Files {
    /// Where everything goes.
    pub folder: PathBuf,
    /// The board's own Verilog.
    pub own: Vec<PathBuf>,
    /// Ports of the vendor's IP and of its cells.
    pub stubs: Vec<PathBuf>,
    /// The MAC.
    pub mac: PathBuf,
    /// Ports of the MAC.
    pub mac_stub: PathBuf,
    /// Ports of the device.
    pub device_stub: PathBuf,
}

/// Verilator's lint of the board's own Verilog against the ports of all else.
///
/// # Errors
/// Each warning of Verilator: a port that is not connected, another width, a signal without use.
pub fn lint(files: &Files) -> Result<()> {
    let mut command = Command::new("verilator");
    command.args(["--lint-only", "-Wall", "--top-module", "board"]).args(ALLOWED);
    command.args(&files.own).args([&files.mac_stub, &files.device_stub]).args(&files.stubs);
    child::capture(&mut command).map(drop)
}

/// The flat design, with the IP and the device as black boxes; and the same mapped to the cells of
/// a 7-series chip.
///
/// # Errors
/// A latch, a loop, two drivers, a port that a module does not have, and what cannot be mapped.
pub fn map(files: &Files) -> Result<(Netlist, Netlist)> {
    let quoted = |paths: &[&PathBuf]| {
        let paths: Vec<_> = paths.iter().map(|path| format!("\"{}\"", path.display())).collect();
        paths.join(" ")
    };
    let ip = files.stubs.first().context("`stubs` of board.toml names no file")?;
    let own: Vec<_> = files.own.iter().chain([&files.mac]).collect();
    let script = format!(
        "read_verilog -lib -specify +/xilinx/cells_sim.v; read_verilog -lib +/xilinx/cells_xtra.v {}; read_verilog {}; \
         hierarchy -check -top board; proc; flatten; opt_clean; check -assert; write_json check.json; \
         setattr -unset syn_ramstyle m:*; synth_xilinx -family xc7 -flatten -top board -run prepare:; write_json mapped.json",
        quoted(&[ip, &files.device_stub]),
        quoted(&own),
    );
    yosys::refuse_faults(&yosys::script(&files.folder, &script)?)?;
    let netlist = |name: &str| {
        let file = files.folder.join(name);
        let json =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
        Netlist::parse(&json, "board").with_context(|| repo::shown(&file))
    };
    Ok((netlist("check.json")?, netlist("mapped.json")?))
}

/// Runs the board's bench; returns what it says at its end.
///
/// # Errors
/// What the bench found, in its words.
pub fn simulate(files: &Files, board: &Board) -> Result<String> {
    let program = files.folder.join(format!("{}.vvp", board.bench));
    let model = repo::root().join("sim/models").join(format!("{}.v", board.bench));
    let own = files.own.iter().filter(|path| !path.ends_with("board.v"));
    let mut compile = Command::new("iverilog");
    compile.args(["-g2012", "-s", &board.bench, "-o"]).arg(&program).arg(model).args(own);
    child::capture(&mut compile)?;
    let said = child::capture(Command::new("vvp").arg("-n").arg(&program))?;
    match said.lines().find(|line| line.starts_with(GOOD)) {
        Some(line) => Ok(line.to_string()),
        None => bail!("{} does not come to its end:\n{said}", board.bench),
    }
}

/// A module of each file that `verilog` and `stubs` name.
///
/// # Errors
/// A file that is not there.
pub fn named(folder: &Path, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let paths: Vec<_> = paths.iter().map(|path| folder.join(path)).collect();
    if let Some(missing) = paths.iter().find(|path| !path.is_file()) {
        bail!("board.toml names {}, which is no file", repo::shown(missing));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::super::super::parts::stub;
    use super::*;
    use ferrowarp_hdl::emit::{Direction, Port};

    fn files(name: &str, board: &str) -> Files {
        let folder = repo::target("xtask-tests").join(format!("{name}-{}", std::process::id()));
        let file = |name: &str, text: &str| {
            repo::write(&folder.join(name), text).unwrap();
            folder.join(name)
        };
        let port = |name: &str, width, direction| Port { name: name.into(), width, direction };
        let ports = [port("clock", 1, Direction::Input), port("q", 2, Direction::Output)];
        Files {
            own: vec![file("board.v", board)],
            stubs: vec![file("ip.v", &stub("ip", &[port("clk_out", 1, Direction::Output)]))],
            mac: file(
                "mac_port.v",
                "module mac_port(input wire clock, output wire q);\nassign q = clock;\nendmodule\n",
            ),
            mac_stub: file(
                "mac_port.stub.v",
                "module mac_port(input wire clock, output wire q);\nassign q = clock;\nendmodule\n",
            ),
            device_stub: file("device.v", &stub("device", &ports)),
            folder,
        }
    }

    const BOARD: &str = "module board(output wire [2:0] led);\nwire clock;\nip ip(.clk_out(clock));\n\
        device device(.clock(clock), .q(led[1:0]));\nmac_port mac(.clock(clock), .q(led[2]));\nendmodule\n";

    #[test]
    fn a_port_that_is_not_connected_or_has_another_width_is_named() {
        let judged = |name: &str, from: &str, to: &str| {
            assert!(BOARD.contains(from));
            let files = files(name, &BOARD.replace(from, to));
            let said = lint(&files).map_err(|e| format!("{e:#}"));
            std::fs::remove_dir_all(&files.folder).unwrap();
            said
        };
        assert_eq!(judged("lint-good", "", ""), Ok(()));
        let lacks = judged("lint-pin", ".clock(clock), .q(led[1:0])", ".q(led[1:0])").unwrap_err();
        assert!(lacks.contains("PINMISSING") && lacks.contains("'clock'"), "{lacks}");
        assert!(judged("lint-width", "led[1:0]", "led[0]").unwrap_err().contains("WIDTH"));
    }

    #[test]
    fn the_ip_and_the_device_are_black_boxes_of_the_netlist() {
        let files = files("map", BOARD);
        let (netlist, mapped) = map(&files).unwrap();
        std::fs::remove_dir_all(&files.folder).unwrap();
        assert_eq!(
            netlist.clocks.iter().map(|(source, n)| (source.to_string(), *n)).collect::<Vec<_>>(),
            [("ip/clk_out".into(), 1)]
        );
        assert_eq!((mapped.count(&["device"]), mapped.count(&["OBUF"])), (1, 3));
    }
}
