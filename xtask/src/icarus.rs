// SPDX-License-Identifier: MIT OR Apache-2.0
//! `icarus`: an independent simulator judges the Verilated models.
use crate::models;
use crate::steps::{Step, Steps};
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::judge::{judge, Verdict};
use ferrowarp_tests::stimulus;
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask icarus                       every bench top; only changed tops take time\n  \
    cargo xtask icarus --only mpa_w64,sq_w64\n  \
    cargo xtask icarus --json\n\n\
    The Verilated model of a top runs 2,000 cycles after reset, a whole device 1,000. Icarus replays its inputs. Flags must be equal in\n\
    each cycle, payload while `valid` is high, octets of a stream up to `bytes`. Verdicts are kept in target/judge by the hash of text,\n\
    inputs and Icarus. A difference is named with top, cycle and port. Its testbench stays in target/judge.")]
pub struct Args {
    /// Tops to judge, by module name; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "TOP")]
    only: Vec<String>,
    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let tops = chosen(&args.only)?;
    let mut steps = Steps::new(args.json);
    steps.run("setup", crate::setup::ensure);
    let mut verdicts = vec![];
    for top in tops {
        verdicts.extend(steps.run(top.name(), |step| judge_one(step, top)));
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&verdicts)?);
    }
    steps.finish()
}

/// Judges every bench top: the step of `test`.
pub fn judge_all(step: &Step) -> Result<()> {
    for &top in Top::ALL {
        judge_one(step, top)?;
    }
    Ok(())
}

/// The tops of the given names, all of them without a name.
fn chosen(only: &[String]) -> Result<Vec<Top>> {
    let names: Vec<_> = Top::ALL.iter().map(|top| top.name()).collect();
    if let Some(stranger) = only.iter().find(|o| !names.contains(&o.as_str())) {
        bail!("no top `{stranger}`; there are {}", names.join(", "));
    }
    let wanted = |top: &&Top| only.is_empty() || only.iter().any(|o| o == top.name());
    Ok(Top::ALL.iter().filter(wanted).copied().collect())
}

/// Records a top and has Icarus judge the record. The text is the one that the model was built
/// from.
fn judge_one(step: &Step, top: Top) -> Result<Verdict> {
    step.note(top.name());
    let start = Instant::now();
    let config = models::configs(top).swap_remove(0);
    let library = ferrowarp_sim::model(top, &config).with_context(|| format!("model of {}", top.name()))?;
    let path = library.file().with_extension("v");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let record = stimulus::record(top, &library).map_err(|why| anyhow::anyhow!("{}: {why}", top.name()))?;
    let (verdict, was_kept) = judge(top.name(), &text, &record)?;
    let moved = verdict.moved.iter().filter(|m| m.transfers > 0).count();
    let kept = if was_kept { "kept" } else { "judged" };
    step.line(&format!(
        "    {:<13} {kept:<6} {:>5} cycles {:>9} bits equal, {:>6} unknown, {moved} of {} boundaries moved ({:.1} s)",
        verdict.top,
        verdict.cycles,
        verdict.equal,
        verdict.unknown.values().sum::<u64>(),
        verdict.moved.len(),
        start.elapsed().as_secs_f64()
    ));
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_top_that_is_not_there_is_refused() {
        let refused = chosen(&["nix".into()]).unwrap_err().to_string();
        assert!(refused.contains("no top `nix`") && refused.contains("mpa_w64"), "{refused}");
        assert_eq!(chosen(&["sq_w64".into()]).unwrap(), [Top::SqW64]);
        assert_eq!(chosen(&[]).unwrap().len(), Top::ALL.len());
    }
}
