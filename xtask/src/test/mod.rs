// SPDX-License-Identifier: MIT OR Apache-2.0
//! `test`: everything that must hold before work lands, as a graph of steps.

mod bodies;
pub mod results;
mod run;
mod skips;

use crate::docs::api;
use crate::steps::graph::{Node, Uses};
use crate::steps::{disk, Steps};
use crate::{board, icarus, models};
use anyhow::{bail, Result};
use results::{Outcome, Results};

#[derive(clap::Args)]
#[command(after_help = help())]
pub struct Args {
    /// Run more seeds, and the long cases of interop: an hour instead of minutes
    #[arg(long)]
    full: bool,
    /// Steps to run; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    only: Vec<String>,
}

/// A step: its name, the steps that end before it begins, what it has for itself meanwhile, and
/// what it does.
type Part = Node<'static, Args>;

/// Cheap ones first: what a person got wrong is said before the compiler and the simulator have
/// worked for long. Of two steps that may begin, the first in this order does.
const PARTS: [Part; 25] = [
    Node { name: "setup", after: &[], uses: Uses::Nothing, body: |step, _| bodies::setup(step) },
    Node { name: "fmt", after: &[], uses: Uses::Nothing, body: |step, _| bodies::fmt(step) },
    Node { name: "floors", after: &[], uses: Uses::Nothing, body: |step, _| bodies::floors(step) },
    Node { name: "gen", after: &[], uses: Uses::Nothing, body: |step, _| bodies::gen(step) },
    Node { name: "clippy", after: &[], uses: Uses::Cargo, body: |step, _| bodies::clippy(step) },
    Node { name: "rustdoc", after: &["clippy"], uses: Uses::Cargo, body: |step, _| api::document(step) },
    Node { name: "models", after: &["setup"], uses: Uses::Nothing, body: |step, _| models::build(step) },
    Node { name: "icarus", after: &["models"], uses: Uses::Nothing, body: |step, _| icarus::judge_all(step) },
    Node { name: "build", after: &[], uses: Uses::Cargo, body: |step, _| bodies::build(step) },
    Node { name: "lint", after: &["setup"], uses: Uses::Nothing, body: |step, _| bodies::lint(step) },
    Node { name: "board", after: &["setup"], uses: Uses::Nothing, body: |step, _| board::judge_all(step) },
    Node { name: "image", after: &["setup"], uses: Uses::Nothing, body: |step, _| bodies::image(step) },
    Node { name: "formal", after: &["setup"], uses: Uses::Nothing, body: |step, _| bodies::formal(step) },
    Node { name: "synth", after: &["setup"], uses: Uses::Nothing, body: |step, _| bodies::synth(step) },
    Node { name: "library", after: &["setup"], uses: Uses::Nothing, body: |step, _| bodies::library(step) },
    Node {
        name: "tests",
        after: &["setup", "build", "models"],
        uses: Uses::Cargo,
        body: |step, args| bodies::tests(step, args.full),
    },
    Node {
        name: "conformance",
        after: &["tests"],
        uses: Uses::Nothing,
        body: |step, _| bodies::conformance(step),
    },
    // Cargo compiles in the folder of another profile here, as in `library`: nobody waits for it
    Node {
        name: "bench",
        after: &["build", "models"],
        uses: Uses::Nothing,
        body: |step, _| bodies::bench(step),
    },
    Node {
        name: "campaign",
        after: &["build", "models"],
        uses: Uses::Nothing,
        body: |step, args| bodies::campaign(step, args.full),
    },
    Node {
        name: "speed",
        after: &["build", "models"],
        uses: Uses::Machine,
        body: |step, _| bodies::speed(step),
    },
    Node {
        name: "dropin",
        after: &["build", "models", "library"],
        uses: Uses::Machine,
        body: |step, args| bodies::dropin(step, args.full),
    },
    Node {
        name: "demo",
        after: &["build", "models"],
        uses: Uses::Machine,
        body: |step, _| bodies::demo(step),
    },
    Node {
        name: "release",
        after: &["build", "models"],
        uses: Uses::Machine,
        body: |step, _| bodies::release(step),
    },
    Node {
        name: "interop",
        after: &["build", "models", "image", "library"],
        uses: Uses::Machine,
        body: |step, args| bodies::interop(step, args.full),
    },
    Node {
        name: "pins",
        after: &["build", "models", "image"],
        uses: Uses::Machine,
        body: |step, _| bodies::pins(step),
    },
];

/// What `target` of a clean machine holds after all steps, in MiB (`du` of a fresh clone).
const ROOM_MIB: u64 = 16_000;

/// Names of all steps, in their order.
fn names() -> String {
    PARTS.map(|part| part.name).join(", ")
}

fn help() -> String {
    format!(
        "Examples:\n  \
         cargo xtask test\n  \
         cargo xtask test --full                  more seeds and longer runs\n  \
         cargo xtask test --only fmt,clippy,lint\n\n\
         Steps: {}. Two steps run at a time if neither waits for the other.\n\n\
         Outcomes go to target/test-results.json. A skipped test fails unless .ci/allowed-skips has the test with a\n\
         reason. `FERROWARP_SEED=n cargo test -p ferrowarp-tests NAME` repeats one seed.",
        names()
    )
}

pub fn run(args: &Args) -> Result<()> {
    if let Some(stranger) = args.only.iter().find(|o| PARTS.iter().all(|part| part.name != o.as_str())) {
        bail!("no step `{stranger}`; there are {}", names());
    }
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|o| o == name);
    let nodes: Vec<Part> = PARTS.into_iter().filter(|part| chosen(part.name)).collect();
    if let Some(room) = disk::room() {
        say!("disk: {room}; a first run of all steps takes {ROOM_MIB} MiB");
    }
    let mut steps = Steps::new(false);
    steps.run_graph(&nodes, args);
    let result = steps.finish();
    if chosen("tests") {
        // The closing line that the workplace's CI reads.
        let results = Results::load()?;
        say!("{} passed, {} failed", results.count(Outcome::Ok), results.count(Outcome::Failed));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step that waited for a later one could wait for ever, and one that waits for a stranger
    /// waits for nothing.
    #[test]
    fn a_step_waits_for_earlier_ones_only() {
        for (i, part) in PARTS.iter().enumerate() {
            let earlier = |name: &&str| PARTS[..i].iter().any(|other| other.name == *name);
            assert!(part.after.iter().all(earlier), "{} waits for {:?}", part.name, part.after);
        }
    }

    #[test]
    fn the_help_names_each_step() {
        assert!(PARTS.iter().all(|part| help().contains(part.name)));
    }
}
