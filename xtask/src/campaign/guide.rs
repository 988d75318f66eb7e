// SPDX-License-Identifier: MIT OR Apache-2.0
//! `campaign --guide`: the corpus of F3-grammar grows by runs that reach more of the device.
use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{ensure, Result};
use ferrowarp_sim::coverage::VARIABLE;
use ferrowarp_tests::campaign::{Guide, Guided, Hardware};
use std::time::{Duration, Instant};

/// The corpus, from the root.
const CORPUS: &str = "tests/data/campaign-corpus.txt";
/// What stands above the runs.
const HEAD: &str = "\
# Runs of F3-grammar that reached blocks of the device's text that none before them had reached, by
# `cargo xtask campaign --guide`: PART:CELL:SEED or PART:CELL:SEED:STEPS, behind `#` how many.
";
/// There is a line of progress so often.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Searches for so long, and writes the corpus anew.
pub fn run(hardware: &Hardware, seed: u64, time: Duration) -> Result<()> {
    repo::emptied("campaign/guide")?;
    // what `model` builds follows this variable; no thread was started yet
    std::env::set_var(VARIABLE, repo::target("campaign/guide"));
    let mut steps = Steps::new(false);
    steps.run("setup", crate::setup::ensure);
    steps.run("guide", |step| search(step, hardware, seed, time));
    steps.finish()
}

fn search(step: &Step, hardware: &Hardware, seed: u64, time: Duration) -> Result<()> {
    step.note("the model that counts: five minutes if it is not there yet");
    let mut guide = Guide::new(hardware, seed)?;
    let (mut runs, mut failed, mut told) = (0, 0, Instant::now());
    guide.run(time, |guided| {
        runs += 1;
        if let Some(why) = &guided.failure {
            failed += 1;
            step.line(&format!("    FAILED {}: {why}", guided.run));
        }
        if guided.new > 0 || told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            step.line(&format!("    run {runs}: {} new blocks", guided.new));
        }
    });
    let (blocks, reached) = guide.blocks();
    let kept = guide.kept();
    step.line(&format!(
        "    {runs} runs (seed {seed}) reached {reached} of {blocks} blocks; {} are kept: {CORPUS}",
        kept.len()
    ));
    ensure!(reached > 0, "the model has counted nothing; the corpus stays as it was");
    repo::write(&repo::root().join(CORPUS), &text(kept))?;
    ensure!(failed == 0, "{failed} of {runs} runs failed: add them to tests/data/campaign-seeds.txt");
    Ok(())
}

/// The file of the corpus.
fn text(kept: &[Guided]) -> String {
    let lines = kept.iter().map(|kept| format!("{} # {}\n", kept.run, kept.new));
    HEAD.to_string() + &lines.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_tests::campaign::Run;

    #[test]
    fn the_corpus_is_written_as_it_is_read() {
        let run: Run = "F3-grammar:1:2:0-23,150".parse().unwrap();
        let written = text(&[Guided { run: run.clone(), new: 7, failure: None }]);
        assert_eq!(Run::listed(&written), Ok(vec![run]));
        let kept = std::fs::read_to_string(repo::root().join(CORPUS)).unwrap();
        assert!(kept.starts_with(HEAD));
    }
}
