// SPDX-License-Identifier: MIT OR Apache-2.0
//! F3: a peer that says what no RNIC says, on connections that are open. A model in plain code
//! (`ddp_model`) tells what must come of each octet.
//!
//! The peer of the device B is played here. Its stream is drawn by a grammar of FPDUs with
//! overrides (`grammar`). Half of the runs are variations of kept ones (`genes`). Frames that must
//! change nothing come between its segments (`junk`). `peer` keeps the order of TCP, `victim` has
//! the queue pair and its regions, and compares them with the model. A connection between A and B
//! transfers beside all that.

pub(super) mod genes;
mod grammar;
mod junk;
mod peer;
mod shape;
mod unit;
mod victim;

use super::beside::Beside;
use super::figures::Figures;
use super::hardware::Trial;
use super::part::Part;
use super::run::Run;
use crate::device::{clock_ps, config, link, random_wire, units, Nic, Walk};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Pair, Side};
use peer::{Peer, Seen};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shape::{stream_of, CELLS, STREAMS, UNITS};
use std::sync::{Arc, Mutex, PoisonError};
use victim::Victim;

/// Cycles that a stream, a command and a message beside may take.
const PATIENCE: u64 = 200_000;
/// Cycles in which all that a stream has begun ends.
const QUIET: u64 = 4_000;
/// A lost segment leaves again with the fourth tick. The receive line of a device drops frames of
/// the connection beside if the peer fills the line.
const RTO: [(&str, u64); 2] = [("rto_min", units(4)), ("retry_limit", 12)];

/// The part.
pub struct Grammar;

impl Part for Grammar {
    fn name(&self) -> &'static str {
        "F3-grammar"
    }

    fn about(&self) -> &'static str {
        "a peer that says what no RNIC says, by a grammar of TCP, MPA, DDP and RDMAP"
    }

    fn cells(&self) -> usize {
        CELLS.len()
    }

    fn cell(&self, cell: usize) -> String {
        let (pace, junk, odds) = CELLS[cell];
        format!("a frame within {pace} cycles, {junk} odd ones a segment, one of {odds} fields overridden")
    }

    fn steps(&self, _run: &Run) -> usize {
        STREAMS * UNITS
    }

    fn varied(&self, run: Run) -> Run {
        genes::varied(run)
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        trial.pair((Top::DeviceW64, &config()), link(), |pair| {
            let mut scene = Scene::new(pair, trial.run)?;
            let places = trial.run.places(STREAMS * UNITS);
            for stream in 0..STREAMS {
                let units: Vec<_> = places.iter().copied().filter(|&p| stream_of(p) == stream).collect();
                if !units.is_empty() {
                    scene
                        .stream(pair, trial.run, stream, &units)
                        .map_err(|why| format!("stream {stream}: {why}"))?;
                }
            }
            scene.end(pair)?;
            Ok(scene.figures)
        })
    }
}

/// Two devices, the connection beside, and the peer of a stream.
struct Scene {
    beside: Beside,
    seen: Arc<Mutex<Seen>>,
    peer: Option<Peer>,
    figures: Figures,
}

impl Walk for Scene {
    fn nic(&mut self, at: usize) -> &mut Nic {
        self.beside.nic(at)
    }

    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        let cycle = pair.a.cycle();
        if let Some(peer) = &mut self.peer {
            let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(frame) = peer.frame(cycle, seen) {
                pair.link.inject(Side::B, cycle * clock_ps(), frame);
                self.figures.hostile_frames += 1;
            }
        }
        self.beside.step(pair)
    }
}

impl Scene {
    fn new(pair: &mut Pair, run: &Run) -> Result<Self, String> {
        let beside = Beside::new(pair, run, PATIENCE, &RTO)?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        pair.link.set_hook(peer::hook(beside.wire.ends[0].mac, seen.clone()));
        let figures = Figures { connections: 1, ..Default::default() };
        Ok(Self { beside, seen, peer: None, figures })
    }

    /// A connection with a stream of the grammar; then it goes.
    fn stream(&mut self, pair: &mut Pair, run: &Run, nth: usize, units: &[usize]) -> Result<(), String> {
        let (pace, junk, odds) = CELLS[run.cell];
        let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (nth as u64 + 1) << 40);
        let wire = random_wire(&mut rng, run.seed as u16, nth as u16, false);
        let mut victim = Victim::new(&mut self.beside.traffic.hosts[1].nic, &mut pair.b, &mut rng);
        wire.insert(&mut self.beside.traffic.hosts[1].nic, &mut pair.b, 1, victim::QP);
        self.answered(pair, PATIENCE).map_err(|why| format!("I5: {why}"))?;
        victim.rings(&self.beside.traffic.hosts[1].nic, &mut pair.b);
        let stream = grammar::stream(&mut rng, &victim, units, run.seed, odds);
        victim.must(&stream);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Seen::of(&wire);
        let peer = Peer::new(wire, stream.octets, stream.has_fin, rng.random(), (pace, junk));
        self.peer = Some(peer);
        self.figures.connections += 1;
        let told = self.until(pair, PATIENCE, "I5: the stream", |scene| scene.is_taken());
        told.map_err(|why| format!("{why}: {:?}", self.seen.lock().unwrap_or_else(PoisonError::into_inner)))?;
        self.peer = None;
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        let nic = &self.beside.traffic.hosts[1].nic;
        self.figures.completions += victim.judge(nic, &mut pair.b)?;
        victim.leaves(&mut self.beside.traffic.hosts[1].nic, &mut pair.b)?;
        self.answered(pair, PATIENCE).map_err(|why| format!("I5: {why}"))?;
        victim.gone(&self.beside.traffic.hosts[1].nic, &mut pair.b)
    }

    /// All octets of the stream are acknowledged.
    fn is_taken(&self) -> bool {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        self.peer.as_ref().is_none_or(|peer| peer.is_taken(seen))
    }

    /// The connection beside has transferred all, and memory is right.
    fn end(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.beside.ends(pair);
        self.until(pair, PATIENCE, "I5: the connection beside", |scene| scene.beside.traffic.settled())?;
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        self.beside.compare(pair)
    }
}
