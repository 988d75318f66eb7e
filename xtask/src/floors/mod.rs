// SPDX-License-Identifier: MIT OR Apache-2.0
//! `floors`: what must not get fewer: proved requirements, coverage, killed mutants and tests.
//!
//! `family` says which tests are counted together, `file` reads and writes `.ci/floors.toml`,
//! `judge` compares, `history` looks at the commits that changed the file.
mod family;
mod file;
pub mod history;
pub mod judge;

use crate::test::results::Results;
use crate::{conformance, coverage, mutants};
use anyhow::{Context, Result};
pub use family::counted;
use file::figure;
pub use file::{Figures, Floors};
use history::Looked;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask floors                      figures of the last `cargo xtask test`, and their floors\n  \
    cargo xtask floors --raise              write these figures to .ci/floors.toml; no floor becomes lower\n  \
    cargo xtask floors --rename fw=firmware\n  \
    cargo xtask floors --history\n\n\
    Figures of coverage are those of docs/coverage.tsv.\n\
    `cargo xtask test` and `cargo xtask conformance` fail below a floor. Lower a floor by hand, in a commit that changes\n\
    .ci/floors.toml alone. The body of its message gives the reason. `cargo xtask test` checks the history for both.")]
#[command(group(clap::ArgGroup::new("what").multiple(false).args(["raise", "rename", "history"])))]
pub struct Args {
    /// Lift the floors to the figures of the last `cargo xtask test`
    #[arg(long)]
    raise: bool,
    /// Rename the floor of a renamed family of tests
    #[arg(long, value_name = "OLD=NEW")]
    rename: Option<String>,
    /// List commits that lowered a floor with another change, or without a reason
    #[arg(long)]
    history: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.history {
        say!("{}", looked(&history::check()?));
        return Ok(());
    }
    let mut floors = Floors::load()?;
    if let Some(names) = &args.rename {
        let (old, new) = names.split_once('=').with_context(|| format!("`{names}` is not OLD=NEW"))?;
        floors.rename(old, new)?;
        return floors.save();
    }
    let results = Results::load()?;
    let reached = Floors {
        conformance: conformance::floor_figures()?,
        mutants: mutants::floor_figures()?,
        coverage: coverage::recorded()?,
        tests: counted(&results),
    };
    if args.raise {
        floors.raise(&reached);
        return floors.save();
    }
    table(&floors.conformance, &reached.conformance);
    table(&floors.coverage, &reached.coverage);
    table(&floors.mutants, &reached.mutants);
    table(&floors.tests, &reached.tests);
    judge::requirements(&floors.conformance, &reached.conformance)?;
    judge::coverage(&floors.coverage, &reached.coverage)?;
    judge::mutants(&floors.mutants, &reached.mutants)?;
    judge::tests(&floors.tests, &reached.tests)
}

/// What [`history::check`] looked at, in words.
pub fn looked(looked: &Looked) -> String {
    match looked {
        Looked::At(commits) => {
            format!("{commits} commits changed the floors; none lowered one in company or without a word")
        }
        Looked::Nowhere(why) => format!("the history of the floors was not looked at: {why}"),
    }
}

/// A line for each figure and floor.
fn table(floors: &Figures, figures: &Figures) {
    let mut names: Vec<_> = floors.keys().chain(figures.keys()).collect();
    names.sort();
    names.dedup();
    say!("{:<22} {:>7} {:>7}", "figure", "floor", "is");
    for name in names {
        let (floor, is) = (figure(floors, name), figure(figures, name));
        let verdict = if is < floor { "  BELOW" } else { "" };
        say!("{name:<22} {floor:>7} {is:>7}{verdict}");
    }
}
