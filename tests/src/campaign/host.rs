// SPDX-License-Identifier: MIT OR Apache-2.0
//! F4: software that gives the device what no driver gives: requests of any bits, doorbells of any
//! value, admin commands that are none. Its own connection may fail. Memory of others stays as it
//! is, a connection beside transfers, and each command is answered.

mod attack;

use super::beside::Beside;
use super::figures::Figures;
use super::hardware::Trial;
use super::part::Part;
use super::run::Run;
use crate::device::{config, link, random_wire, units, Nic, Walk};
use attack::{Attacker, Means};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::Pair;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Connections of the attacker in a run, and what it does on each.
const LIVES: usize = 6;
const DEEDS: usize = 80;
/// Cycles that a command and a message beside may take.
const PATIENCE: u64 = 200_000;
/// Cycles in which all that an attacker has begun ends, if it is not held up.
const QUIET: u64 = 4_000;
/// A Send whose receive is read late may be cut, and the receive line may drop a frame: what is
/// lost leaves again with the eighth tick.
const RTO: [(&str, u64); 2] = [("rto_min", units(8)), ("retry_limit", 12)];
/// Cycles between two deeds at most, by cell.
const PACE: [u64; 3] = [400, 60, 8];

/// The part.
pub struct Host;

impl Part for Host {
    fn name(&self) -> &'static str {
        "F4"
    }

    fn about(&self) -> &'static str {
        "requests, doorbells and commands of any bits"
    }

    fn cells(&self) -> usize {
        PACE.len() * Means::ALL.len()
    }

    fn cell(&self, cell: usize) -> String {
        let (means, pace) = (Means::ALL[cell / PACE.len()], PACE[cell % PACE.len()]);
        format!("{means:?}, a deed within {pace} cycles")
    }

    fn steps(&self, _run: &Run) -> usize {
        LIVES * DEEDS
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let run = trial.run;
        trial.pair((Top::DeviceW64, &config()), link(), |pair| {
            let mut scene = Scene::new(pair, run)?;
            for life in 0..LIVES {
                let deeds = life * DEEDS..(life + 1) * DEEDS;
                if deeds.clone().any(|place| run.performs(place)) {
                    scene.life(pair, run, life, deeds).map_err(|why| format!("life {life}: {why}"))?;
                }
            }
            scene.end(pair)?;
            Ok(scene.figures)
        })
    }
}

/// Two devices and the connection beside.
struct Scene {
    beside: Beside,
    figures: Figures,
}

impl Walk for Scene {
    fn nic(&mut self, at: usize) -> &mut Nic {
        self.beside.nic(at)
    }

    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.beside.step(pair)
    }
}

impl Scene {
    fn new(pair: &mut Pair, run: &Run) -> Result<Self, String> {
        let beside = Beside::new(pair, run, PATIENCE, &RTO)?;
        let figures = Figures { connections: 1, ..Default::default() };
        Ok(Self { beside, figures })
    }

    /// An attacker with a connection to a peer of its own; then both go.
    fn life(
        &mut self,
        pair: &mut Pair,
        run: &Run,
        nth: usize,
        deeds: std::ops::Range<usize>,
    ) -> Result<(), String> {
        let means = Means::ALL[run.cell / PACE.len()];
        let pace = PACE[run.cell % PACE.len()];
        let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (nth as u64 + 1) << 40);
        let wire = random_wire(&mut rng, run.seed as u16, nth as u16, false);
        let foreign = self.beside.traffic.hosts[0].stag();
        let [a, b] = &mut self.beside.traffic.hosts;
        let mut attacker = Attacker::new(&mut a.nic, &mut pair.a, foreign);
        let peer = Attacker::new(&mut b.nic, &mut pair.b, foreign);
        wire.insert(&mut a.nic, &mut pair.a, 0, attack::QP);
        wire.insert(&mut b.nic, &mut pair.b, 1, attack::QP);
        self.answered(pair, PATIENCE).map_err(|why| format!("I5: {why}"))?;
        let [a, b] = &self.beside.traffic.hosts;
        attacker.rings(&a.nic, &mut pair.a);
        peer.rings(&b.nic, &mut pair.b);
        self.figures.connections += 1;
        for place in deeds.filter(|&place| run.performs(place)) {
            let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (place as u64 + 1) << 48 ^ 0x4057);
            attacker.acts(&mut self.beside.traffic.hosts[0].nic, &mut pair.a, &mut rng, means);
            self.figures.hostile_accesses += 1;
            for _ in 0..rng.random_range(1..=pace) {
                self.step(pair)?;
            }
        }
        self.told(pair)?;
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        let [a, b] = &mut self.beside.traffic.hosts;
        attacker.leaves(&mut a.nic, &mut pair.a)?;
        peer.leaves(&mut b.nic, &mut pair.b)?;
        self.told(pair)?;
        let [a, b] = &self.beside.traffic.hosts;
        attacker.gone(&a.nic, &mut pair.a)?;
        peer.gone(&b.nic, &mut pair.b)
    }

    /// All commands are answered, whatever the answers say.
    fn told(&mut self, pair: &mut Pair) -> Result<(), String> {
        let start = pair.a.cycle();
        for at in 0..2 {
            while !self.beside.traffic.hosts[at].nic.is_answered(pair.side(ferrowarp_sim::Side::BOTH[at])) {
                if pair.a.cycle() > start + PATIENCE {
                    return Err(format!("I5: a command of host {at} is not answered"));
                }
                self.step(pair)?;
            }
        }
        Ok(())
    }

    /// The connection beside has transferred all, and memory is right.
    fn end(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.beside.ends(pair);
        self.until(pair, PATIENCE, "I5: the connection beside", |scene| scene.beside.traffic.settled())?;
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        self.beside.compare(pair)
    }
}
