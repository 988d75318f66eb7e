// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board with a chip of the 7 series: its Vivado project, judged without Vivado.

mod constraints;
mod file;
mod golden;
mod identity;
mod netlist;
mod tcl;
mod verilog;
mod xdc;

pub use file::Board;

use super::file::folder;
use super::parts;
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::top::Top;
use verilog::Files;

/// Emits what the board needs, and judges its Verilog, constraints and project.
///
/// # Errors
/// The first fault that a check finds.
pub fn judge(step: &Step, name: &str, board: &Board) -> Result<()> {
    judged(step, name, board).with_context(|| format!("board `{name}`"))
}

fn judged(step: &Step, name: &str, board: &Board) -> Result<()> {
    let (target, own) = (repo::target("board").join(name), folder().join(name));
    step.note("emit");
    let emitted = parts::emit(step, Top::RnicW64, &board.profile, &board.sets(), &target)?;
    let [mac_stub, device_stub] = parts::stubs(&emitted, &target)?;
    let write = |name: &str, text: &str| {
        let path = target.join(name);
        repo::write(&path, text).map(|()| path)
    };
    let files = Files {
        own: verilog::named(&own, &board.verilog)?,
        stubs: verilog::named(&own, &board.stubs)?,
        mac: emitted.mac_file,
        mac_stub,
        device_stub,
        folder: target.clone(),
    };
    step.note("lint");
    verilog::lint(&files)?;
    let said = verilog::simulate(&files, board)?;
    step.note("map");
    let (netlist, mapped) = verilog::map(&files)?;
    step.note("constraints");
    let pins = write("pins.xdc", &xdc::pins(board))?;
    let mut constraints = vec![];
    for file in [pins, own.join(&board.timing)] {
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
        xdc::plain(&text).with_context(|| repo::shown(&file))?;
        constraints.extend(tcl::calls(&file, tcl::GOOD)?);
    }
    constraints::judge(&constraints, &netlist, board)?;
    step.note("project");
    let calls = tcl::calls(&own.join(&board.project), tcl::GOOD)?;
    identity::judge(&calls, board, &emitted.config)?;
    golden::compare(&calls, &own.join(&board.calls), &target.join("project.calls"))?;
    step.line(&format!(
        "    {name}: {} pins, {} clocks, {} FIFOs between clocks, {} calls of Vivado; {said}; \
         beside the device and the IP: {} LUTs, {} FF",
        netlist.ports.len(),
        netlist.clocks.len(),
        netlist.fifos.len(),
        constraints.len() + calls.len(),
        mapped.count(&["LUT"]),
        mapped.count(&["FD"]),
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::any::Any;

    #[test]
    fn the_project_ends_with_an_error_where_a_file_lacks_a_run_fails_or_a_path_is_too_slow() {
        let Any::Xc7(board) = Any::load(&folder(), "kc705").unwrap() else {
            panic!("kc705 is another family")
        };
        let root = repo::target("xtask-tests").join(format!("project-{}", std::process::id()));
        let project = root.join("constraints/kc705").join(&board.project);
        let text = std::fs::read_to_string(folder().join("kc705").join(&board.project)).unwrap();
        repo::write(&project, &text).unwrap();
        let said = |answers: &[(&str, &str)]| format!("{:#}", tcl::calls(&project, answers).unwrap_err());
        assert!(said(tcl::GOOD).contains("rnic_w64.v: run cargo xtask board kc705 first"));
        for name in ["rnic_w64.v", "mac_port.v", "pins.xdc"] {
            repo::write(&root.join("target/board/kc705").join(name), "").unwrap();
        }
        tcl::calls(&project, tcl::GOOD).unwrap();
        assert!(said(&[("PROGRESS", "40%")]).contains("synth_1 ended early"));
        let slow = said(&[("PROGRESS", "100%"), ("SLACK", "-0.25")]);
        assert!(slow.contains("a path of kind max is 0.25 ns too slow"), "{slow}");
        std::fs::remove_dir_all(root).unwrap();
    }
}
