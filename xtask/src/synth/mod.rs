//! `synth`: what blocks cost, by Yosys, held against `budget.toml`.

mod budget;
mod netlist;
mod yosys;

use crate::{benchfile, emit, repo, setup, steps::Steps};
use anyhow::{bail, Context, Result};
use budget::Budget;
use ferrowarp_hdl::config::Profile;
use ferrowarp_hdl::emit::{Emitted, Unit};
use ferrowarp_hdl::top::Top;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask synth --cell crc32c              every width of a cell; or one of them: --cell crc32c_w64\n  \
    cargo xtask synth --stage stream --profile 10g\n  \
    cargo xtask synth --top bench_w64\n  \
    cargo xtask synth --changed                  every block of the catalogue that differs from its last run\n\n\
    lut4, ff and bram come from synth_ecp5; lut6 and levels (LUTs on the path with most of them) from\n\
    synth_xilinx. Latches, double drivers, loops and a broken budget.toml limit fail. Results are kept under\n\
    the hash of the Verilog in target/synth, and are keys synth.* of target/bench.json.")]
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
    /// A top, as in `emit`
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// Every block of the catalogue; those that did not change cost nothing
    #[arg(long)]
    changed: bool,
    /// Profile of a stage or top; keeps only its width of a cell [default for stages and tops: tiny]
    #[arg(long)]
    profile: Option<String>,
}

/// What a block costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// LUT4 of an ECP5, those used as carry chain or memory included.
    pub lut4: u64,
    /// LUT6 of a Xilinx 7 series.
    pub lut6: u64,
    /// Flip-flops of an ECP5.
    pub ff: u64,
    /// 18 kbit block RAMs of an ECP5.
    pub bram: u64,
    /// LUT6 on the path with most of them.
    pub levels: u64,
    /// Where that path begins and ends.
    pub path: String,
}

impl Cost {
    fn figures(&self) -> [(&'static str, u64); 5] {
        [
            ("lut4", self.lut4),
            ("lut6", self.lut6),
            ("ff", self.ff),
            ("bram", self.bram),
            ("levels", self.levels),
        ]
    }

    /// Both together: areas add up, the longer path counts.
    fn and(self, other: &Cost) -> Cost {
        let longer = if other.levels > self.levels { &other.path } else { &self.path };
        Cost {
            lut4: self.lut4 + other.lut4,
            lut6: self.lut6 + other.lut6,
            ff: self.ff + other.ff,
            bram: self.bram + other.bram,
            levels: self.levels.max(other.levels),
            path: longer.clone(),
        }
    }
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
    let config = emit::configured(profile, &[])?;
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
        _ if args.changed => catalog.iter().collect(),
        _ => Vec::new(),
    };
    if units.is_empty() && args.top.is_none() {
        bail!("nothing of that name in the catalogue{}; it has {}", at(&args.profile), names(&catalog));
    }
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    let mut measured = Vec::new();
    for unit in units {
        let cost = steps.run(unit.name, |_| cost_of(&(unit.emit)()?));
        let (section, name) = ("cell".to_string(), unit.name.to_string());
        measured.extend(cost.map(|cost| Measured { section, key: format!("synth.{name}"), name, cost }));
    }
    if let Some(name) = &args.top {
        let top = Top::ALL.iter().find(|t| t.name() == name);
        let top = top.with_context(|| {
            let names: Vec<_> = Top::ALL.iter().map(|t| t.name()).collect();
            format!("no top `{name}`; there are {}", names.join(", "))
        })?;
        let cost = steps.run(name, |_| cost_of(&top.emit(&config)?));
        measured.extend(cost.map(|cost| of_profile(profile, name, cost)));
    }
    if let Some(stage) = &args.stage {
        let sum = measured.iter().fold(Cost::default(), |sum, m| sum.and(&m.cost));
        measured.push(of_profile(profile, stage, sum));
    }
    let over = report(&measured, &budget)?;
    steps.finish()?;
    if !over.is_empty() {
        bail!("over budget:\n{}", over.join("\n"));
    }
    Ok(())
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
    let mut hash = Sha256::new();
    hash.update(yosys::recipe()?);
    hash.update(&block.top);
    hash.update(&block.verilog);
    let hash: String = hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
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
        assert!(parsed("synth --profile 10g").is_err(), "nothing is asked for");
        assert!(parsed("synth --stage stream --cell crc32c").is_err(), "two things are asked for");
    }
}
