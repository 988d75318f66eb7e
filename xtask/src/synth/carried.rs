// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device behind the carrier, mapped part by part and joined under the Verilog of a board.
use super::device;
use super::parts::apart;
use super::place;
use super::record::Record;
use super::yosys::Family;
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::emit::Emitted;
use ferrowarp_hdl::top::Top;
use std::path::{Path, PathBuf};

/// The part that is the device itself.
const DEVICE: &str = "rnic";
/// The board's module.
const BOARD: &str = "board";
/// How the Verilog of a board is mapped; the parts of the device are black boxes.
const MAPPED: &str = "synth_ecp5 -abc9 -top board";

/// Maps the parts of `carried` as those of the device alone are mapped, and joins them under the
/// files `own`: to `<name>.json` in the folder.
///
/// # Errors
/// What Yosys says.
pub fn join(step: &Step, carried: &Emitted, own: &[PathBuf], to: (&Path, &str)) -> Result<()> {
    // modules have the names that they have in the device alone, so that parts are mapped once
    let within = format!("{}_{DEVICE}", carried.top);
    let verilog = carried.verilog.replace(&within, Top::RnicW64.name());
    let apart = apart(&verilog, &carried.top)?.opened(&verilog, DEVICE)?;
    let device = device::map(step, &apart, Family::Ecp5, &Record::default())?;
    let mut text = String::new();
    for file in own {
        text +=
            &std::fs::read_to_string(file).with_context(|| format!("cannot read {}", repo::shown(file)))?;
    }
    step.note("join");
    let (folder, name) = to;
    place::join(folder, name, (BOARD, MAPPED), &(text + &apart.frame), &place::netlists(&apart, &device))
}
