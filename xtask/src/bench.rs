// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bench`: runs the benches of the tests crate and holds their figures against the bars.
use crate::board::bench as board;
use crate::{benchfile, child, models, repo, setup, steps::Steps};
use anyhow::{anyhow, bail, Result};
use ferrowarp_hdl::config::Profile;
use ferrowarp_sim::metrics;
use ferrowarp_tests::bench::{all, cycles_of, Bar, Bench, Key, Record};
use serde::Serialize;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask bench\n  \
    cargo xtask bench --only crc32c,stream\n  \
    cargo xtask bench --json\n\n\
    Every figure is a key of target/bench.json. A key that misses its bar fails.")]
pub struct Args {
    /// Benches to run, by name
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    /// Simulate a recorded load on a model that is built and do nothing else: what callgrind is
    /// pointed at
    #[arg(long, hide = true, num_args = 2, value_names = ["MODEL", "LOAD"])]
    cycles_of: Vec<PathBuf>,
}

/// Benches that run in CI beside other work: simulated time and instructions are the same there.
pub const IN_CI: [&str; 17] = [
    "board", "carrier", "crc32c", "driver", "dropin", "first", "loss", "mpa_rx", "mpa_tx", "pcie", "rate",
    "rnic_1g", "room", "stack", "stream", "tcp_tx", EMIT,
];

/// Benches that run in CI while nothing else does: a bar of `sim` is wall time. Figures of `sim`
/// that are the machine's have no bar.
pub const ALONE: [&str; 1] = ["sim"];

/// The bench that is no simulation, elaboration and emission of the widest profile, and its keys.
const EMIT: &str = "emit";
const EMIT_KEYS: [&str; 2] = ["emit.s", "emit.mib"];

/// What one elaboration may take; the whole device has to stay below these, too.
const EMIT_SECONDS: f64 = 60.0;
const EMIT_MIB: f64 = 4096.0;

/// A measured key.
#[derive(Debug, Serialize)]
pub struct Figure {
    /// Dotted name.
    pub key: String,
    /// What was measured.
    pub value: f64,
    /// What it must be, in words.
    pub bar: String,
    /// Whether it is.
    pub ok: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if let [model, load] = &args.cycles_of[..] {
        return cycles_of(model, load).map_err(|why| anyhow!(why));
    }
    let benches = chosen(&args.only)?;
    let mut steps = Steps::new(args.json);
    steps.run("setup", setup::ensure);
    if benches.iter().any(|b| ![EMIT, board::NAME].contains(&b.name)) {
        steps.run("models", models::build);
    }
    let mut figures = Vec::new();
    for bench in &benches {
        figures.extend(steps.run(bench.name, |_| measure(bench)).unwrap_or_default());
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&figures)?);
    } else {
        print_table(&figures);
    }
    steps.finish()?;
    let low: Vec<_> = figures.iter().filter(|f| !f.ok).collect();
    if !low.is_empty() {
        let lines: Vec<_> = low.iter().map(|f| format!("{} is {}, not {}", f.key, f.value, f.bar)).collect();
        bail!("below the bar:\n{}", lines.join("\n"));
    }
    Ok(())
}

/// The benches of the given names, all of them without a name.
pub fn chosen(only: &[String]) -> Result<Vec<Bench>> {
    let mut benches = all();
    let keys = vec![
        Key { name: EMIT_KEYS[0].into(), bar: Bar::AtMost(EMIT_SECONDS) },
        Key { name: EMIT_KEYS[1].into(), bar: Bar::AtMost(EMIT_MIB) },
    ];
    benches.push(board::bench());
    benches.push(Bench { name: EMIT, keys, run: emit_apart });
    let names: Vec<_> = benches.iter().map(|b| b.name).collect();
    if let Some(stranger) = only.iter().find(|o| !names.contains(&o.as_str())) {
        bail!("no bench `{stranger}`; there are {}", names.join(", "));
    }
    benches.retain(|b| only.is_empty() || only.iter().any(|o| o == b.name));
    Ok(benches)
}

/// Elaborates the widest profile in a process of its own: the peak of its memory is then nobody
/// else's.
fn emit_apart(record: &mut Record) -> Result<(), String> {
    let text = |e: anyhow::Error| format!("{e:#}");
    let own = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let mut emit = Command::new(own);
    emit.args(["emit", "--profile", Profile::HundredG.name(), "-o"]).arg(repo::target("bench"));
    child::capture(&mut emit).map_err(text)?;
    let all = metrics::read().map_err(|e| e.to_string())?;
    for key in EMIT_KEYS {
        record.put(key, *all.get(key).ok_or_else(|| format!("`emit` recorded no {key}"))?);
    }
    Ok(())
}

/// Runs one bench and returns its figures, which are then in `target/bench.json` as well.
pub fn measure(bench: &Bench) -> Result<Vec<Figure>> {
    // A case that fails panics with its seed, waveform and repro line.
    let measured = catch_unwind(AssertUnwindSafe(|| bench.measure()));
    let record = measured.map_err(|_| anyhow!("bench `{}` panicked; see above", bench.name))?;
    let record = record.map_err(|why| anyhow!("bench `{}`: {why}", bench.name))?;
    benchfile::merge(record.figures())?;
    let figure = |key: &Key| {
        let value = record.figures().get(&key.name).copied().unwrap_or(f64::NAN);
        Figure { key: key.name.clone(), value, bar: in_words(key.bar), ok: key.bar.holds(value) }
    };
    Ok(bench.keys.iter().map(figure).collect())
}

fn in_words(bar: Bar) -> String {
    match bar {
        Bar::AtLeast(bar) => format!("at least {bar}"),
        Bar::AtMost(bar) => format!("at most {bar}"),
        Bar::Informative => "-".into(),
    }
}

/// Prints key, value, bar and verdict, a line each.
fn print_table(figures: &[Figure]) {
    let width = figures.iter().map(|f| f.key.len()).max().unwrap_or(0).max(3);
    say!("\n{:<width$} {:>10}  {:<14} result", "key", "value", "bar");
    for f in figures {
        let verdict = if f.ok { "ok" } else { "MISSED" };
        say!("{:<width$} {:>10.4}  {:<14} {verdict}", f.key, f.value, f.bar);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benches_of_ci_are_there() {
        let names: Vec<_> = IN_CI.iter().chain(&ALONE).map(ToString::to_string).collect();
        assert_eq!(chosen(&names).map(|benches| benches.len()).unwrap(), names.len());
    }

    #[test]
    fn a_missed_bar_and_a_panic_are_seen() {
        let bench = |run| Bench { name: "x", keys: vec![Key::line_rate("x.a")], run };
        assert!(measure(&bench(|_| panic!("as a failing case does")))
            .unwrap_err()
            .to_string()
            .contains("`x`"));
        let unknown = chosen(&["nix".into()]).map(drop).unwrap_err().to_string();
        assert!(unknown.contains("no bench `nix`") && unknown.contains("emit"), "{unknown}");
        assert_eq!(chosen(&["emit".into()]).unwrap().len(), 1);
    }
}
