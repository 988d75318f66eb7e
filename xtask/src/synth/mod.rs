// SPDX-License-Identifier: MIT OR Apache-2.0
//! `synth`: what blocks cost, by Yosys, held against `budget.toml`.

mod area;
mod beside;
mod budget;
pub mod carried;
mod cost;
mod device;
mod fanout;
mod netlist;
pub mod nextpnr;
mod parts;
mod paths;
mod place;
mod record;
mod whole;
pub mod yosys;

use crate::{benchfile, emit, repo, setup, steps::Steps};
use anyhow::{bail, Context, Result};
use beside::Beside;
use budget::{within, Budget};
use cost::{hashed, Cost};
use ferrowarp_hdl::config::Profile;
use ferrowarp_hdl::emit::{Emitted, Unit};
use ferrowarp_hdl::top::Top;
use whole::Wanted;
use yosys::Family;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask synth --cell crc32c              every width of a cell; one width: --cell crc32c_w64\n  \
    cargo xtask synth --stage stream --profile 10g\n  \
    cargo xtask synth --top bench_w64\n  \
    cargo xtask synth --top rnic --profile tiny              the whole device, part by part, for ECP5\n  \
    cargo xtask synth --top rnic --profile tiny --pnr ecp5   also placed and routed: under an hour\n  \
    cargo xtask synth --top rnic --pnr ecp5 --beside 5000,20 also beside a stand-in of 5,000 LUT4 and 20 EBR\n  \
    cargo xtask synth --top rnic --profile tiny --paths      each part placed alone: its clock and its longest path\n  \
    cargo xtask synth --top rnic --profile 10g --family xc7,xcup\n  \
    cargo xtask synth --top rnic --record                    also written to docs/synth/<profile>-<family>.tsv\n  \
    cargo xtask synth --changed                              the device's parts that differ from that file\n  \
    cargo xtask synth --changed --record                     maps and records only these again: about a minute a part\n\n\
    For cells, stages and benches, lut4, ff and bram come from synth_ecp5. lut6 and levels (LUTs on the path with most\n\
    LUTs) come from synth_xilinx. The whole device has a recipe of its own, printed with its table. Latches, double drivers,\n\
    loops and a broken limit of budget.toml fail. Results are kept in target/synth by the hash of the Verilog, and are keys\n\
    synth.* of target/bench.json.")]
#[command(group(
    clap::ArgGroup::new("what").required(true).multiple(false).args(["cell", "stage", "top", "changed"])
))]
pub struct Args {
    /// A cell of the catalogue (all its widths), or one unit of it
    #[arg(long, value_name = "NAME")]
    cell: Option<String>,
    /// A stage: all blocks of its folder at the profile's width, added up
    #[arg(long, value_name = "NAME")]
    stage: Option<String>,
    /// A top: a bench such as bench_w64; or `rnic` or `device`, which are mapped part by part
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// The parts of the whole device whose Verilog differs from
    /// docs/synth/<profile>-<family>.tsv; without --record such a part fails
    #[arg(long, conflicts_with = "pnr")]
    changed: bool,
    /// Profile of a stage or top; keeps only its width of a cell
    /// [default for stages and tops: tiny]
    #[arg(long)]
    profile: Option<String>,
    /// Change one number of the profile, FIELD=VALUE; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    sets: Vec<String>,
    /// FPGA families to map the whole device for
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ecp5")]
    family: Vec<Family>,
    /// Write the cost of the whole device to docs/synth/<profile>-<family>.tsv; with --pnr also
    /// nextpnr's report
    #[arg(long)]
    record: bool,
    /// Place and route the whole device; if the nextpnr on PATH has no placer `static`, the wheel
    /// is used
    #[arg(long, value_enum)]
    pnr: Option<Pnr>,
    /// Place a stand-in of that size beside the device; the run's record and files have its name
    #[arg(long, value_name = "LUT4,EBR", requires = "pnr")]
    beside: Option<Beside>,
    /// Place and route each part of the device alone, and tell its clock and the ten longest paths:
    /// half an hour
    #[arg(long, conflicts_with = "changed")]
    paths: bool,
}

/// A family that nextpnr places for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Pnr {
    /// LFE5UM5G-85F.
    Ecp5,
}

/// A measured thing: where its budget stands and what its keys are called.
struct Measured {
    section: String,
    name: String,
    key: String,
    cost: Cost,
}

pub fn run(args: &Args) -> Result<()> {
    let profile = args.profile.as_deref().unwrap_or(Profile::Tiny.name());
    let config = emit::configured(profile, &args.sets)?;
    let budget = Budget::load()?;
    let catalog = ferrowarp_hdl::catalog();
    budget.check_names(&catalog.iter().map(|u| u.name).collect::<Vec<_>>())?;
    let of_width = |u: &&Unit| u.width as u64 == config.data_bits;
    let units: Vec<&Unit> = match (&args.cell, &args.stage) {
        (Some(name), _) => {
            let named = catalog.iter().filter(|u| u.cell == name || u.name == name);
            named.filter(|u| args.profile.is_none() || of_width(u)).collect()
        }
        (_, Some(stage)) => catalog.iter().filter(|u| u.stage == stage).filter(of_width).collect(),
        _ => Vec::new(),
    };
    if args.changed {
        return whole::run(Top::RnicW64, profile, &config, &wanted(args), &budget);
    }
    if units.is_empty() && args.top.is_none() {
        bail!(
            "no unit of that name in the catalogue{}; the catalogue has {}",
            at(&args.profile),
            names(&catalog)
        );
    }
    let top = args.top.as_deref().map(top_of).transpose()?;
    if let Some(top @ (Top::RnicW64 | Top::DeviceW64)) = top {
        return whole::run(top, profile, &config, &wanted(args), &budget);
    }
    if args.pnr.is_some() || args.record || args.paths {
        bail!("only the whole device is placed and recorded: --top rnic");
    }
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    let mut measured = Vec::new();
    for unit in units {
        let cost = steps.run(unit.name, |_| cost_of(&(unit.emit)()?));
        let (section, name) = ("cell".to_string(), unit.name.to_string());
        measured.extend(cost.map(|cost| Measured { section, key: format!("synth.{name}"), name, cost }));
    }
    if let Some(top) = top {
        let name = top.name();
        let cost = steps.run(name, |_| cost_of(&top.emit(&config)?));
        measured.extend(cost.map(|cost| of_profile(profile, name, cost)));
    }
    if let Some(stage) = &args.stage {
        let sum = measured.iter().fold(Cost::default(), |sum, m| sum.and(&m.cost));
        measured.push(of_profile(profile, stage, sum));
    }
    let over = report(&measured, &budget)?;
    steps.finish()?;
    within(&over)
}

/// What is wanted of the whole device.
fn wanted(args: &Args) -> Wanted<'_> {
    let Args { changed, record, paths, .. } = *args;
    Wanted { changed, record, paths, places: args.pnr.is_some(), beside: args.beside, families: &args.family }
}

/// The top that a command line names; the width behind its name may be left out where only one has
/// that name.
fn top_of(name: &str) -> Result<Top> {
    let is = |t: &&Top| t.name() == name || t.name().rsplit_once("_w").is_some_and(|(base, _)| base == name);
    let mut found = Top::ALL.iter().filter(is);
    match (found.next(), found.next()) {
        (Some(top), None) => Ok(*top),
        _ => {
            let names: Vec<_> = Top::ALL.iter().map(|t| t.name()).collect();
            bail!("no top `{name}`, or more than one; there are {}", names.join(", "))
        }
    }
}

/// Fails if the Verilog of `top` has latches, double drivers, open nets or combinational loops.
pub fn latch_check(top: &Emitted) -> Result<()> {
    let file = repo::target("synth").join(format!("check-{}.v", top.top));
    repo::write(&file, &top.verilog)?;
    yosys::check(&file, &top.top)
}

fn of_profile(profile: &str, name: &str, cost: Cost) -> Measured {
    Measured { section: profile.into(), key: format!("synth.{profile}.{name}"), name: name.into(), cost }
}

fn at(profile: &Option<String>) -> String {
    profile.as_ref().map_or(String::new(), |p| format!(" at the width of profile {p}"))
}

fn names(catalog: &[Unit]) -> String {
    catalog.iter().map(|u| u.name).collect::<Vec<_>>().join(", ")
}

/// The cost of an emitted block: kept from an earlier run of the same text, else measured now.
fn cost_of(block: &Emitted) -> Result<Cost> {
    let hash = hashed(&[&yosys::recipe()?, &block.top, &block.verilog]);
    let kept = repo::target("synth").join(format!("{hash}.json"));
    if let Ok(text) = std::fs::read_to_string(&kept) {
        return serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; remove it", repo::shown(&kept)));
    }
    let file = repo::target("synth").join(format!("{}-{hash}.v", block.top));
    repo::write(&file, &block.verilog)?;
    let (ecp5, xilinx, path) = yosys::map(&file, &block.top)?;
    let cost = Cost {
        lut4: ecp5.luts,
        lut6: xilinx.luts,
        ff: ecp5.ffs,
        bram: ecp5.brams,
        levels: path.levels,
        path: format!("{} -> {}", path.from, path.to),
    };
    repo::write(&kept, &(serde_json::to_string_pretty(&cost)? + "\n"))?;
    Ok(cost)
}

/// Prints the table, merges the keys, returns what is over budget.
fn report(measured: &[Measured], budget: &Budget) -> Result<Vec<String>> {
    let mut figures = benchfile::Figures::new();
    let mut over = Vec::new();
    say!(
        "\n{:<24} {:>7} {:>7} {:>7} {:>5} {:>6}  budget  longest path",
        "block",
        "lut4",
        "lut6",
        "ff",
        "bram",
        "levels"
    );
    for m in measured {
        let excess = budget.excess(&m.section, &m.name, &m.cost);
        let verdict = match (budget.has(&m.section, &m.name), excess.is_empty()) {
            (false, _) => "-",
            (true, true) => "ok",
            (true, false) => "OVER",
        };
        let c = &m.cost;
        say!(
            "{:<24} {:>7} {:>7} {:>7} {:>5} {:>6}  {verdict:<6}  {}",
            m.key.trim_start_matches("synth."),
            c.lut4,
            c.lut6,
            c.ff,
            c.bram,
            c.levels,
            c.path
        );
        figures.extend(c.figures().map(|(k, v)| (format!("{}.{k}", m.key), v as f64)));
        over.extend(excess);
    }
    benchfile::merge(&figures)?;
    Ok(over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn one_thing_is_asked_for_with_any_profile() {
        let parsed = |line: &str| Cli::try_parse_from(line.split_whitespace()).map(|cli| cli.args);
        let args = parsed("synth --stage stream --profile 10g").unwrap();
        assert_eq!((args.stage.as_deref(), args.profile.as_deref()), (Some("stream"), Some("10g")));
        assert!(parsed("synth --top bench_w64").is_ok() && parsed("synth --changed").is_ok());
        let args = parsed("synth --top rnic --profile 10g --set qps=16 --set edge_bits=64 --family xc7,xcup")
            .unwrap();
        assert_eq!((args.family, args.sets.len()), (vec![Family::Xc7, Family::Xcup], 2));
        assert_eq!(parsed("synth --top rnic --pnr ecp5").unwrap().family, [Family::Ecp5]);
        assert!(parsed("synth --top rnic --beside 5000,20").is_err(), "nothing is placed");
        assert!(parsed("synth --changed --record").is_ok(), "what did not change keeps its row");
        assert!(parsed("synth --changed --pnr ecp5").is_err(), "what did not change has no netlist");
        assert!(parsed("synth --profile 10g").is_err(), "nothing is asked for");
        assert!(parsed("synth --stage stream --cell crc32c").is_err(), "two things are asked for");
    }
    #[test]
    fn a_top_may_be_named_without_its_width() {
        assert_eq!(top_of("rnic").unwrap(), Top::RnicW64);
        assert_eq!(top_of("pcie_dma_w128").unwrap(), Top::PcieDmaW128);
        assert!(top_of("mpa").unwrap_err().to_string().contains("more than one"));
        assert!(top_of("nic").is_err());
    }
}
