// SPDX-License-Identifier: MIT OR Apache-2.0
//! The switch against a switch in plain code: each frame that leaves, its time, marks and octets,
//! and what is counted.
use ferrowarp_sim::eth::EthError;
use ferrowarp_sim::link::switch::{PortFrame, Switch, SwitchConfig, SwitchError, SwitchPort};
use ferrowarp_sim::LinkConfig;
use ferrowarp_tests::switch_model::judged::{compare, config, Passed, Watched};
use ferrowarp_tests::switch_model::{random, Counts, Frame, Port};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// 10 Gb/s, a cable of 500 ns.
const LINE: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };
/// The cable's delay, and the longest block.
const BLOCK: u64 = 500_000;

/// A port that sends the frames of a list.
struct Listed(VecDeque<Frame>);

impl SwitchPort for Listed {
    fn line(&self) -> LinkConfig {
        LINE
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        let next = self.0.pop_front_if(|frame| frame.at <= until_ps);
        Ok(next.map(|Frame { at, data, bad }| PortFrame { at_ps: at, data, is_bad: bad }))
    }

    fn give(&mut self, _: PortFrame) -> Result<(), EthError> {
        Ok(())
    }
}

/// What each port counted after blocks of lengths that `block` gives, if that is what the model
/// counts.
fn judged(
    ports: &[Port],
    came: &[Vec<Frame>],
    table: (u64, usize),
    mut block: impl FnMut() -> u64,
) -> Result<Vec<Counts>, String> {
    let passed: Vec<_> = ports.iter().map(|_| Passed::default()).collect();
    let watched = ports.iter().zip(came).zip(&passed).map(|((port, came), passed)| {
        let end = Watched::new(Listed(came.clone().into()), passed);
        (config(port), Box::new(end) as Box<dyn SwitchPort>)
    });
    let (aging_ps, addresses) = table;
    let made = Switch::new(SwitchConfig { aging_ps, addresses }, watched.collect());
    let mut switch = made.map_err(|why| why.to_string())?;
    assert_eq!(switch.lookahead_ps(), BLOCK);
    let watch = switch.watch();
    let last = came.iter().flatten().map(|frame| frame.at).max().unwrap_or(0);
    let mut now = 0;
    while now < last || switch.due_ps().is_some() {
        now += block();
        switch.exchange(now).map_err(|why| why.to_string())?;
    }
    assert_eq!(watch.stats(), switch.stats(), "who looks on sees what was counted");
    compare(ports, table, &passed, &switch.stats())
}

/// Seen are a frame that is late, marked wrongly, in another VLAN or dropped, and a counter that is
/// one off.
#[test]
fn frames_times_marks_and_drops_of_random_traffic_are_those_of_plain_code() {
    let mut sums = [0; 6];
    for seed in 0..16 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ports = random::ports(&mut rng);
        let came: Vec<_> = (0..ports.len()).map(|n| random::frames(&mut rng, &ports, n, 1_000)).collect();
        // some milliseconds, and room for some of the stations
        let table = (rng.random_range(1_000_000_000..5_000_000_000), rng.random_range(4..200));
        let blocks = judged(&ports, &came, table, || rng.random_range(6_400..=BLOCK));
        let counts = blocks.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        // the length of a block changes nothing
        assert_eq!(judged(&ports, &came, table, || BLOCK), Ok(counts.clone()), "seed {seed}");
        for Counts { marked, dropped, wrong_vid, flooded, filtered, frames_out, .. } in counts {
            let some = [marked, dropped, wrong_vid, flooded, filtered, frames_out];
            sums.iter_mut().zip(some).for_each(|(sum, n)| *sum += n);
        }
    }
    assert!(sums.iter().all(|&n| n > 1_000), "{sums:?} are too few to judge the switch by");
}

/// A block that is longer than a cable would bring a frame to a device that has passed its time.
#[test]
fn a_block_longer_than_the_cable_is_refused_with_the_frame_that_comes_too_late() {
    let at = |until| {
        let plain = Port { untagged: Some(1), vids: vec![1], queue: 60_000, ..Default::default() };
        let frame = Frame { at: 10_000_000, data: vec![0xFF; 60], bad: false };
        let ports = [vec![frame], vec![]]
            .map(|came| (config(&plain), Box::new(Listed(came.into())) as Box<dyn SwitchPort>));
        let mut switch = Switch::new(SwitchConfig::default(), ports.into()).unwrap();
        switch.exchange(9_999_999).and_then(|()| switch.exchange(until))
    };
    at(10_000_000 + BLOCK).unwrap();
    let told = at(10_000_001 + BLOCK).unwrap_err().to_string();
    assert!(told.contains("to port 1 of the switch begins to arrive at 10500000 ps"), "{told}");
    assert!(told.contains("exchange after 500000 ps at most"), "{told}");
    assert!(matches!(at(9_999_998), Err(SwitchError::Backwards { .. })));
}
