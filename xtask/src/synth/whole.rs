// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device: mapped, held against its record and budgets, placed.
use super::budget::Budget;
use super::record::{self, Record};
use super::yosys::Family;
use super::{device, parts, place, within, Args};
use crate::{benchfile, repo, setup, steps::Steps};
use anyhow::{bail, Result};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;

/// The whole device for each family asked for, and its placement.
pub(super) fn run(top: Top, profile: &str, config: &Config, args: &Args, budget: &Budget) -> Result<()> {
    let name = top.name().trim_end_matches("_w64");
    if args.record && top != Top::RnicW64 {
        bail!("only the whole device with its PCIe edge is recorded: --top rnic, not `{name}`");
    }
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    let (mut over, mut stale) = (Vec::new(), Vec::new());
    let emitted = ferrowarp_sim::emitted(top, config)?;
    let apart = parts::apart(&emitted.verilog, &emitted.top)?;
    for &family in &args.family {
        let known = if args.changed { Record::load(profile, family)? } else { Record::default() };
        let Some(device) = steps.run(family.name(), |step| device::map(step, &apart, family, &known)) else {
            continue;
        };
        say!("{}", if args.changed { device.changes(&known) } else { device.table(name, profile) });
        if args.record {
            say!("written: {}", repo::shown(&Record::save(profile, &device)?));
        } else if args.changed {
            stale.extend(record::stale(profile, &device, &known));
        }
        benchfile::merge(&device.figures(profile))?;
        over.extend(device.excess(name, profile, budget));
        if args.pnr.is_some() && family == Family::Ecp5 {
            let placed = steps.run("place and route", |step| {
                place::place(step, &apart, &emitted.top, &emitted.ports, &device)
            });
            if let Some(placed) = placed {
                say!("\n{}", placed.table());
                if args.record {
                    say!("written: {}", repo::shown(&placed.save(profile)?));
                }
                benchfile::merge(&placed.figures(profile))?;
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
