// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast each part of the device is alone, and what limits it: by nextpnr, each part under a
//! shell of its own.
use super::area::{Device, Mapped};
use super::fanout::{widest, Widest};
use super::netlist::Netlist;
use super::parts::{Apart, Part};
use super::place::{join, netlist, report, shell, Placed, SHELL, SHELLED, TARGET_MHZ};
use super::{nextpnr, yosys::Family};
use crate::benchfile::Figures;
use crate::steps::Step;
use crate::{repo, setup};
use anyhow::{bail, Context, Result};
use std::sync::Mutex;

/// Runs of nextpnr at a time.
const AT_ONCE: usize = 2;
/// A part with fewer LUT4 is left out: nextpnr takes longer to start than to place.
const LEAST: u64 = 200;
/// Paths that are told.
const WORST: usize = 10;

/// A part that was placed and routed alone.
pub struct Alone {
    name: String,
    fmax_mhz: f64,
    path: String,
    widest: Option<Widest>,
}

/// Places and routes each part that is large enough; the slowest first.
pub fn measure(step: &Step, apart: &Apart, device: &Device) -> Result<Vec<Alone>> {
    if device.family != Family::Ecp5 {
        bail!("paths are nextpnr's, of an ECP5: --family ecp5");
    }
    setup::ensure_nextpnr(step, nextpnr::PLACER)?;
    let parts = apart.parts.iter().zip(&device.parts).filter(|(_, mapped)| mapped.area.luts >= LEAST);
    let next = Mutex::new(parts);
    let placed = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        loop {
            // a thread that panicked ends the command anyway
            let Some((part, mapped)) = next.lock().unwrap_or_else(|e| e.into_inner()).next() else {
                return Ok(());
            };
            step.note(&part.name);
            let one = alone(part, mapped).with_context(|| format!("part `{}`", part.name))?;
            placed.lock().unwrap_or_else(|e| e.into_inner()).push(one);
        }
    };
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..AT_ONCE).map(|_| s.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut placed = placed.into_inner().unwrap_or_else(|e| e.into_inner());
    placed.sort_by(|a, b| a.fmax_mhz.total_cmp(&b.fmax_mhz));
    Ok(placed)
}

fn alone(part: &Part, mapped: &Mapped) -> Result<Alone> {
    let folder = repo::target("synth/alone");
    let text = format!("{}{}", shell(&part.module, &part.ports()?), part.black_box()?);
    join(&folder, &part.name, SHELLED, &text, &[(&part.module, &mapped.netlist)])?;
    let way = [&nextpnr::PART[..], &nextpnr::ONE].concat();
    nextpnr::run(&folder, &part.name, &way, &["--freq", &TARGET_MHZ.to_string()])?;
    let Placed { fmax_mhz, path, legs, .. } = Placed::read(&report(&folder, &part.name)?, String::new())?;
    let widest = widest(&Netlist::parse(&netlist(&folder, &part.name)?, SHELL)?, &legs);
    Ok(Alone { name: part.name.clone(), fmax_mhz, path, widest })
}

/// A line for each part, and below the longest paths of the slowest.
pub fn table(parts: &[Alone]) -> String {
    let rows = parts.iter().map(|p| format!("{:<12} {:>7.2}\n", p.name, p.fmax_mhz));
    let path = |p: &Alone| {
        let widest = p.widest.as_ref().map(|widest| format!("; {widest}")).unwrap_or_default();
        format!("{}: {}{widest}\n", p.name, p.path)
    };
    let paths = parts.iter().take(WORST).map(path);
    format!("{:<12} {:>7}\n{}\n{}", "part", "MHz", rows.collect::<String>(), paths.collect::<String>())
}

/// The keys.
pub fn figures(parts: &[Alone], profile: &str) -> Figures {
    parts.iter().map(|p| (format!("synth.{profile}.{}.fmax_mhz", p.name), p.fmax_mhz)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_parts_are_told_with_their_paths() {
        let part = |n: usize| {
            let (name, path) = (format!("p{n}"), format!("from {n}"));
            Alone { name, fmax_mhz: n as f64, path, widest: None }
        };
        let parts: Vec<_> = (1..=WORST + 1).map(part).collect();
        let text = table(&parts);
        assert!(text.contains("p1 ") && text.contains("p11 ") && text.contains("p1: from 1\n"), "{text}");
        assert!(!text.contains("from 11"), "{text}");
        assert_eq!(figures(&parts, "tiny")["synth.tiny.p3.fmax_mhz"], 3.0);
    }
}
