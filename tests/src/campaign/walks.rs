// SPDX-License-Identifier: MIT OR Apache-2.0
//! F2, F3 and F7: walks that tests run with fixed seeds, here with fresh ones.
use super::figures::Figures;
use super::hardware::Trial;
use super::part::Part;
use super::run::Run;
use crate::churn::churn;
use crate::device::{config, link};
use crate::flood::{bare, Flood};
use crate::verbs;
use ferrowarp_hdl::top::Top;

/// F2: verbs in any order.
pub struct Verbs;

/// Steps of a walk over verbs, about, by cell.
const STEPS: [usize; 3] = [120, 300, 700];

impl Part for Verbs {
    fn name(&self) -> &'static str {
        "F2"
    }

    fn about(&self) -> &'static str {
        "verbs in any order, sinks held at random"
    }

    fn cells(&self) -> usize {
        STEPS.len()
    }

    fn cell(&self, cell: usize) -> String {
        format!("about {} steps", STEPS[cell])
    }

    fn steps(&self, run: &Run) -> usize {
        verbs::steps(run.seed, STEPS[run.cell]).len()
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let run = trial.run;
        let steps = verbs::steps(run.seed, STEPS[run.cell]);
        let steps: Vec<_> = (0..steps.len()).filter(|&place| run.performs(place)).map(|n| steps[n]).collect();
        trial.pair((Top::DeviceW64, &config()), link(), |pair| {
            let tally = verbs::run(pair, run.seed, steps.iter().copied())?;
            let connections = tally.connections.into();
            Ok(Figures { completions: tally.completions.into(), connections, ..Default::default() })
        })
    }
}

/// F3: floods of a third station.
pub struct Floods;

const FLOODS: [Flood; 8] = [
    Flood::War,
    Flood::Outside,
    Flood::BadAcks,
    Flood::Gaps,
    Flood::Challenges,
    Flood::Rubbish,
    Flood::Arp,
    Flood::WrongCrcs,
];

impl Part for Floods {
    fn name(&self) -> &'static str {
        "F3-floods"
    }

    fn about(&self) -> &'static str {
        "a transfer beside floods of a third station"
    }

    fn cells(&self) -> usize {
        FLOODS.len()
    }

    fn cell(&self, cell: usize) -> String {
        format!("{:?}", FLOODS[cell])
    }

    fn steps(&self, _run: &Run) -> usize {
        0
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let run = trial.run;
        trial.pair((Top::DeviceW64, &config()), link(), |pair| {
            let hostile_frames = bare(pair, run.seed, FLOODS[run.cell])?.injected;
            Ok(Figures { hostile_frames, connections: 2, ..Default::default() })
        })
    }
}

/// F7: connections that come and go under one number.
pub struct Churn;

/// Connections of a walk that end, by cell.
const ROUNDS: [usize; 2] = [8, 24];

impl Part for Churn {
    fn name(&self) -> &'static str {
        "F7"
    }

    fn about(&self) -> &'static str {
        "connections come and go under one number beside a hostile peer"
    }

    fn cells(&self) -> usize {
        ROUNDS.len()
    }

    fn cell(&self, cell: usize) -> String {
        format!("{} connections, a stream, a peer of wrong CRCs", ROUNDS[cell] + 1)
    }

    fn steps(&self, _run: &Run) -> usize {
        0
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let (seed, rounds) = (trial.run.seed, ROUNDS[trial.run.cell]);
        trial.pair((Top::DeviceW64, &config()), link(), |pair| {
            let hostile_frames = churn(pair, seed, rounds)?;
            // the stream and the hostile one are two more
            Ok(Figures { hostile_frames, connections: rounds as u64 + 3, ..Default::default() })
        })
    }
}
