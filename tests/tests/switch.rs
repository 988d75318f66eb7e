//! The switch against a switch in plain code: each frame that leaves, its time, marks and octets,
//! and what is counted.
use ferrowarp_sim::eth::EthError;
use ferrowarp_sim::link::switch::{
    PortConfig, PortFrame, PortStats, Switch, SwitchConfig, SwitchError, SwitchPort, Vlan,
};
use ferrowarp_sim::LinkConfig;
use ferrowarp_tests::switch_model::{predict, random, Counts, Frame, Port};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// 10 Gb/s, a cable of 500 ns.
const LINE: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };
/// The cable's delay, and the longest block.
const BLOCK: u64 = 500_000;

/// Frames that left a port.
type Left = Arc<Mutex<Vec<Frame>>>;

/// A port that gives the frames of a list, and keeps those that leave.
struct Recorder {
    comes: VecDeque<Frame>,
    left: Left,
    until: u64,
}

impl SwitchPort for Recorder {
    fn line(&self) -> LinkConfig {
        LINE
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        self.until = until_ps;
        let next = self.comes.pop_front_if(|frame| frame.at <= until_ps);
        Ok(next.map(|Frame { at, data, bad }| PortFrame { at_ps: at, data, is_bad: bad }))
    }

    fn give(&mut self, PortFrame { at_ps, data, is_bad }: PortFrame) -> Result<(), EthError> {
        assert!(at_ps >= self.until, "the device stands at {} and gets a frame at {at_ps}", self.until);
        self.left.lock().unwrap().push(Frame { at: at_ps, data, bad: is_bad });
        Ok(())
    }
}

/// The same port as the switch has it, from its text.
fn config(port: &Port) -> PortConfig {
    let share = |n: u32| f64::from(n) / 1e6;
    let [loss, double, spoil, hold] = port.odds.map(share);
    let (extra, seed, queue) = (port.extra / 1_000_000, port.seed, port.queue);
    let text =
        format!("loss={loss},duplicate={double},corrupt={spoil},reorder={hold},delay={extra},seed={seed}");
    let wire = text.parse().unwrap();
    let trunk = || Vlan::Trunk(port.vids.iter().copied().collect());
    let vlan = port.untagged.map_or_else(trunk, Vlan::Access);
    PortConfig { vlan, queue, ecn: port.ecn, wire }
}

fn counts(stats: &PortStats) -> Counts {
    let PortStats { frames_in, octets_in, bad, wrong_vid, filtered, flooded, .. } = *stats;
    let PortStats { frames_out, octets_out, dropped, marked, deepest, .. } = *stats;
    let PortStats { lost, duplicated, spoilt, held, .. } = *stats;
    Counts {
        frames_in,
        octets_in,
        bad,
        wrong_vid,
        filtered,
        flooded,
        frames_out,
        octets_out,
        dropped,
        marked,
        deepest,
        lost,
        duplicated,
        spoilt,
        held,
    }
}

/// What the switch does in blocks of lengths that `block` gives, each at most [`BLOCK`].
fn run(
    ports: &[Port],
    came: &[Vec<Frame>],
    (aging_ps, addresses): (u64, usize),
    mut block: impl FnMut() -> u64,
) -> (Vec<Vec<Frame>>, Vec<Counts>) {
    let left: Vec<Left> = ports.iter().map(|_| Left::default()).collect();
    let recorders = ports.iter().zip(came).zip(&left).map(|((port, came), left)| {
        let recorder = Recorder { comes: came.clone().into(), left: left.clone(), until: 0 };
        (config(port), Box::new(recorder) as Box<dyn SwitchPort>)
    });
    let mut switch = Switch::new(SwitchConfig { aging_ps, addresses }, recorders.collect()).unwrap();
    assert_eq!(switch.lookahead_ps(), BLOCK);
    let last = came.iter().flatten().map(|frame| frame.at).max().unwrap_or(0);
    let mut now = 0;
    while now < last || switch.due_ps().is_some() {
        now += block();
        switch.exchange(now).unwrap();
    }
    let stats = switch.stats().iter().map(counts).collect();
    (left.iter().map(|left| std::mem::take(&mut *left.lock().unwrap())).collect(), stats)
}

/// A frame that is late, marked wrongly, in another VLAN, dropped or not, or a counter that is one
/// off, is seen here.
#[test]
fn frames_times_marks_and_drops_of_random_traffic_are_those_of_plain_code() {
    let mut sum = Counts::default();
    for seed in 0..12 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ports = random::ports(&mut rng);
        let came: Vec<_> = (0..ports.len()).map(|n| random::frames(&mut rng, &ports, n, 1_000)).collect();
        // some milliseconds, and room for some of the stations
        let table = (rng.random_range(1_000_000_000..5_000_000_000), rng.random_range(4..200));
        let wanted = predict(&ports, &came, table);
        let mut blocks = rng.clone();
        let got = run(&ports, &came, table, || blocks.random_range(6_400..=BLOCK));
        for (n, port) in ports.iter().enumerate() {
            assert_eq!(got.1[n], wanted.1[n], "seed {seed}, port {n}: {port:?}");
            let both = got.0[n].iter().zip(&wanted.0[n]).enumerate();
            let other = both.filter(|(_, (got, wanted))| got != wanted).map(|(index, _)| index).next();
            assert_eq!(other, None, "seed {seed}, port {n}: first frame that differs");
            assert_eq!(got.0[n].len(), wanted.0[n].len());
        }
        // the length of a block changes nothing
        assert!(run(&ports, &came, table, || BLOCK) == got, "seed {seed}");
        for counts in &got.1 {
            sum.marked += counts.marked;
            sum.dropped += counts.dropped;
            sum.wrong_vid += counts.wrong_vid;
            sum.flooded += counts.flooded;
            sum.filtered += counts.filtered;
            sum.frames_out += counts.frames_out;
        }
    }
    let Counts { marked, dropped, wrong_vid, flooded, filtered, frames_out, .. } = sum;
    let all = [marked, dropped, wrong_vid, flooded, filtered, frames_out];
    assert!(all.iter().all(|&n| n > 1_000), "{all:?} are too few to judge the switch by");
}

/// A block that is longer than a cable would bring a frame to a device that has passed it.
#[test]
fn a_block_longer_than_the_cable_is_refused_with_the_frame_that_comes_too_late() {
    let at = |until| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let ports = vec![Port { untagged: Some(1), vids: vec![1], queue: 60_000, ..Default::default() }; 2];
        let frames = random::frames(&mut rng, &ports, 0, 1);
        let port = |n: usize| {
            let mut comes: VecDeque<_> = frames.iter().take(1 - n).cloned().collect();
            comes.iter_mut().for_each(|frame| (frame.at, frame.data[0]) = (10_000_000, 0xFF));
            // it does not look whether a frame is late: the switch does
            let recorder = Careless(Recorder { comes, left: Left::default(), until: 0 });
            (config(&ports[n]), Box::new(recorder) as Box<dyn SwitchPort>)
        };
        let mut switch = Switch::new(SwitchConfig::default(), vec![port(0), port(1)]).unwrap();
        switch.exchange(9_999_999).and_then(|()| switch.exchange(until))
    };
    at(10_000_000 + BLOCK).unwrap();
    let told = at(10_000_001 + BLOCK).unwrap_err().to_string();
    assert!(told.contains("to port 1 of the switch begins to arrive at 10500000 ps"), "{told}");
    assert!(told.contains("exchange after 500000 ps at most"), "{told}");
    assert!(matches!(at(9_999_998), Err(SwitchError::Backwards { .. })));
}

/// A recorder that takes late frames.
struct Careless(Recorder);

impl SwitchPort for Careless {
    fn line(&self) -> LinkConfig {
        LINE
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        self.0.take(until_ps)
    }

    fn give(&mut self, _: PortFrame) -> Result<(), EthError> {
        Ok(())
    }
}
