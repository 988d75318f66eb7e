// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device: mapped, held against its record and budgets, placed.
use super::beside::Beside;
use super::budget::{within, Budget};
use super::record::{self, Record};
use super::yosys::Family;
use super::{device, parts, paths, place};
use crate::{benchfile, repo, setup, steps::Steps};
use anyhow::{bail, Result};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;

/// What is wanted.
pub(super) struct Wanted<'a> {
    /// Parts that are as recorded are not mapped again, and other ones are told.
    pub(super) changed: bool,
    /// What the device takes is recorded.
    pub(super) record: bool,
    /// Each part is placed and routed alone.
    pub(super) paths: bool,
    /// An ECP5 is placed and routed.
    pub(super) places: bool,
    /// What is placed beside it.
    pub(super) beside: Option<Beside>,
    pub(super) families: &'a [Family],
}

/// The whole device for each family asked for, and its placement.
pub(super) fn run(
    top: Top,
    profile: &str,
    config: &Config,
    wanted: &Wanted<'_>,
    budget: &Budget,
) -> Result<()> {
    let name = top.name().trim_end_matches("_w64");
    if wanted.record && top != Top::RnicW64 {
        bail!("only the whole device with its PCIe edge is recorded: --top rnic, not `{name}`");
    }
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    let (mut over, mut stale) = (Vec::new(), Vec::new());
    let emitted = ferrowarp_sim::emitted(top, config)?;
    let apart = parts::apart(&emitted.verilog, &emitted.top)?;
    for &family in wanted.families {
        let known = if wanted.changed { Record::load(profile, family)? } else { Record::default() };
        let Some(device) = steps.run(family.name(), |step| device::map(step, &apart, family, &known)) else {
            continue;
        };
        say!("{}", if wanted.changed { device.changes(&known) } else { device.table(name, profile) });
        if wanted.record {
            say!("written: {}", repo::shown(&Record::save(profile, &device)?));
        } else if wanted.changed {
            stale.extend(record::stale(profile, &device, &known));
        }
        benchfile::merge(&device.figures(profile))?;
        over.extend(device.excess(name, profile, budget));
        if wanted.paths {
            let alone = steps.run("paths", |step| paths::measure(step, &apart, &device));
            if let Some(alone) = alone {
                say!("\n{}", paths::table(&alone));
                benchfile::merge(&paths::figures(&alone, profile))?;
            }
        }
        if wanted.places && family == Family::Ecp5 {
            let placed = steps.run("place and route", |step| {
                let shell = place::shell(&emitted.top, &emitted.ports);
                place::place(step, &apart, &shell, wanted.beside, &device)
            });
            if let Some(placed) = placed {
                say!("\n{}", placed.table());
                if wanted.record {
                    say!("written: {}", repo::shown(&placed.save(profile, wanted.beside)?));
                }
                if wanted.beside.is_none() {
                    over.extend(placed.slow(profile));
                    benchfile::merge(&placed.figures(profile))?;
                }
            }
        }
    }
    steps.finish()?;
    within(&over)?;
    if !stale.is_empty() {
        bail!("{}", stale.join("\n"));
    }
    Ok(())
}
