// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk itself: operations, one after the other.
use super::estate::Estate;
use super::ledger::{Connection, Fate};
use super::op::{Op, Sink, QPS};
use super::region::{Region, State};
use crate::device::{random_wire, Done, Nic, Walk};
use ferrowarp_sim::{Pair, Side};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::AddAssign;

/// Cycles between two ticks of the devices' pins, and between two looks at the completion queues.
const TICK: u64 = 1_000;
const LOOK: u64 = 16;
/// Cycles that a command may take, and that a connection may take to complete what it owes:
/// expiries are in it.
const COMMAND: u64 = 60_000;
const PATIENCE: u64 = 300_000;
/// Cycles behind the end.
const QUIET: u64 = 3_000;

/// How often what a walk is for came about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Connections that were opened.
    pub connections: u32,
    /// Requests that were completed.
    pub completions: u32,
    /// Faults that were told.
    pub faults: u32,
    /// Regions that a peer made invalid.
    pub invalidations: u32,
    /// Regions that were revoked while a clean connection needed them.
    pub revoked_in_use: u32,
    /// Queue pairs that ended while their clean connection owed something.
    pub ended_in_use: u32,
}

impl Tally {
    /// All of it came about, most of it often.
    pub fn is_full(&self) -> bool {
        let Self { completions, faults, invalidations, revoked_in_use, ended_in_use, .. } = *self;
        completions > 1_000 && [faults, invalidations, revoked_in_use, ended_in_use].iter().all(|&n| n > 20)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.connections += other.connections;
        self.completions += other.completions;
        self.faults += other.faults;
        self.invalidations += other.invalidations;
        self.revoked_in_use += other.revoked_in_use;
        self.ended_in_use += other.ended_in_use;
    }
}

/// Two hosts.
pub struct Verbs {
    pub(super) hosts: [Estate; 2],
    /// By slot.
    pub(super) connections: [Option<Connection>; QPS.len()],
    /// Sinks that are held, and for how many cycles.
    held: Vec<(usize, Sink, u64)>,
    next: u64,
    seed: u64,
    pub(super) tally: Tally,
}

/// Walks through operations on a fresh pair of devices; the error tells the operation.
pub fn run(pair: &mut Pair, seed: u64, ops: impl IntoIterator<Item = Op>) -> Result<Tally, String> {
    pair.join("tx", "rx");
    let hosts = [Estate::new(&mut pair.a), Estate::new(&mut pair.b)];
    let mut walk = Verbs {
        hosts,
        connections: Default::default(),
        held: vec![],
        next: 1,
        seed,
        tally: Tally::default(),
    };
    for op in ops {
        walk.perform(pair, op).map_err(|why| format!("{op:?}: {why}"))?;
    }
    walk.end(pair).map_err(|why| format!("the end: {why}"))?;
    Ok(walk.tally)
}

impl Walk for Verbs {
    fn nic(&mut self, at: usize) -> &mut Nic {
        &mut self.hosts[at].nic
    }

    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        let tick = u64::from(pair.a.cycle().is_multiple_of(TICK));
        pair.a.set("tick_pin", tick);
        pair.b.set("tick_pin", tick);
        pair.step();
        self.held.iter_mut().for_each(|(.., left)| *left = left.saturating_sub(1));
        for (at, sink, _) in self.held.extract_if(.., |(.., left)| *left == 0).collect::<Vec<_>>() {
            self.hold(pair, at, sink, false);
        }
        match pair.a.cycle().is_multiple_of(LOOK) {
            true => self.look(pair),
            false => Ok(()),
        }
    }
}

impl Verbs {
    /// A number that nothing else of the walk has.
    pub(super) fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn perform(&mut self, pair: &mut Pair, op: Op) -> Result<(), String> {
        match op {
            Op::CreateCq { at, slot } if self.hosts[at].cqs[slot].is_none() => {
                self.hosts[at].create_cq(pair.side(Side::BOTH[at]), slot);
                self.commanded(pair)
            }
            Op::DestroyCq { at, slot } if self.hosts[at].is_free(slot) => self.destroy_cq(pair, at, slot),
            Op::Register { at, slot, pd, bound } if self.hosts[at].regions[slot].is_none() => {
                let id = self.fresh();
                let bound = bound.map(|slot| (slot, QPS[slot]));
                let host = &mut self.hosts[at];
                let made = Region::new(&mut host.nic, pair.side(Side::BOTH[at]), slot, (id, pd, bound));
                host.regions[slot] = Some(made);
                self.commanded(pair)
            }
            Op::Revoke { at, slot } => self.revoke(pair, at, slot),
            Op::CreateQp { at, slot, pd, cqs } if self.hosts[at].ends[slot].is_none() => {
                self.hosts[at].create_qp(pair.side(Side::BOTH[at]), slot, pd, cqs);
                self.commanded(pair)
            }
            Op::DestroyQp { at, slot, removes_first } => self.destroy_qp(pair, at, slot, removes_first),
            Op::Connect { slot } => self.connect(pair, slot),
            Op::Receive { at, slot, octets, pick } => {
                self.receive(pair, at, slot, octets, Some(pick));
                Ok(())
            }
            Op::Post { at, slot, request } => {
                self.post(pair, at, slot, request);
                Ok(())
            }
            Op::Hold { at, sink, cycles } => {
                self.hold(pair, at, sink, true);
                self.held.push((at, sink, cycles));
                Ok(())
            }
            Op::Run { cycles } => (0..cycles).try_for_each(|_| self.step(pair)),
            Op::Settle => self.settle(pair),
            _ => Ok(()),
        }
    }

    /// All commands are answered, and what was there before the answers was looked at.
    pub(super) fn commanded(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.answered(pair, COMMAND).map_err(|why| format!("I5: {why}"))?;
        self.look(pair)
    }

    fn hold(&mut self, pair: &mut Pair, at: usize, sink: Sink, held: bool) {
        let side = Side::BOTH[at];
        let nic = &self.hosts[at].nic;
        match sink {
            Sink::Writes => pair.side(side).hold_writes(nic.memory, held),
            Sink::Memory => pair.side(side).hold_memory(nic.memory, held),
            Sink::Mac => pair.link.pause(side, held),
            Sink::Answers => nic.hold_answers(pair.side(side), held),
        }
    }

    fn free(&mut self, pair: &mut Pair) {
        for (at, sink, _) in std::mem::take(&mut self.held) {
            self.hold(pair, at, sink, false);
        }
    }

    /// Takes the completions that are there, and judges them.
    fn look(&mut self, pair: &mut Pair) -> Result<(), String> {
        for at in 0..2 {
            let bench = pair.side(Side::BOTH[at]);
            for (cq, cqe) in self.hosts[at].poll(bench) {
                self.completed(pair, at, cq, &cqe).map_err(|why| format!("host {at}: {why}"))?;
            }
            let memory = self.hosts[at].nic.memory;
            if let Some(refused) = pair.side(Side::BOTH[at]).host(memory).refused().first() {
                return Err(format!("I3, I4: host {at}: {refused}"));
            }
        }
        Ok(())
    }

    fn completed(&mut self, pair: &mut Pair, at: usize, cq: usize, cqe: &Done) -> Result<(), String> {
        let slot = QPS.iter().position(|&qp| qp == cqe.qp);
        let end = slot.and_then(|slot| Some((slot, self.hosts[at].ends[slot].as_ref()?)));
        let Some((slot, end)) = end.filter(|(_, end)| end.cqs[usize::from(cqe.is_recv)] == cq) else {
            return Err(format!("I2, I4: no queue pair that is there has this completion: {cqe:?}"));
        };
        let is_its = end.is_connected;
        let Some(connection) = self.connections[slot].as_mut().filter(|_| is_its) else {
            return Err(format!("I2: a completion without a connection: {cqe:?}"));
        };
        let Some(owed) = connection.judge(at, cqe)? else {
            self.tally.faults += 1;
            return Ok(());
        };
        self.tally.completions += 1;
        let is_clean = connection.fate == Fate::Clean;
        for (host, region, number) in owed.fills {
            self.hosts[host].regions[region].iter_mut().for_each(|r| r.done(number));
        }
        // a region that was made invalid stays as it is
        let Some(stag) = owed.invalidates.filter(|_| is_clean) else { return Ok(()) };
        let Estate { nic, regions, .. } = &mut self.hosts[at];
        match regions.iter_mut().flatten().find(|r| r.stag() == stag) {
            Some(region) => {
                self.tally.invalidations += 1;
                region.state = State::Gone;
                region.freeze(nic, pair.side(Side::BOTH[at]), |_| true)
            }
            None => Ok(()),
        }
    }

    fn connect(&mut self, pair: &mut Pair, slot: usize) -> Result<(), String> {
        if self.connections[slot].is_some() {
            return Ok(());
        }
        let [a, b] = &mut self.hosts;
        let [Some(first), Some(second)] = [&mut a.ends[slot], &mut b.ends[slot]] else { return Ok(()) };
        let is_open = first.is_open || second.is_open;
        (first.is_connected, second.is_connected) = (true, true);
        let id = self.fresh();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed << 32 | id);
        let wire = random_wire(&mut rng, self.seed as u16, id as u16, false);
        for at in 0..2 {
            wire.insert(&mut self.hosts[at].nic, pair.side(Side::BOTH[at]), at, QPS[slot]);
        }
        let fate = if is_open { Fate::Open } else { Fate::Clean };
        self.connections[slot] = Some(Connection::new(id, fate));
        self.tally.connections += 1;
        self.commanded(pair)
    }

    /// Nothing is held any more; each connection comes to what it must come to.
    fn settle(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.free(pair);
        let clean = |c: &Option<Connection>| c.as_ref().is_some_and(|c| c.fate == Fate::Clean);
        for slot in (0..QPS.len()).filter(|&slot| clean(&self.connections[slot])).collect::<Vec<_>>() {
            (0..2).for_each(|at| self.last(pair, at, slot));
        }
        let done = |w: &Self| w.connections.iter().flatten().all(Connection::is_settled);
        let owed = self.until(pair, PATIENCE, "I5: what is owed", done);
        owed.map_err(|why| format!("{why}: {:?}", self.connections))?;
        for connection in self.connections.iter_mut().flatten().filter(|c| c.fate == Fate::Clean) {
            connection.uses.clear();
        }
        self.check(pair)
    }

    /// All regions are as they may be.
    fn check(&self, pair: &mut Pair) -> Result<(), String> {
        for (at, host) in self.hosts.iter().enumerate() {
            for region in host.regions.iter().flatten() {
                region.check(&host.nic, pair.side(Side::BOTH[at]), ["A", "B"][at])?;
            }
        }
        Ok(())
    }

    /// All is destroyed; nothing is left.
    fn end(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.free(pair);
        for at in 0..2 {
            (0..QPS.len()).try_for_each(|slot| self.destroy_qp(pair, at, slot, true))?;
            let slots = self.hosts[at].regions.len();
            (0..slots).try_for_each(|slot| self.revoke(pair, at, slot))?;
            let slots = self.hosts[at].cqs.len();
            (0..slots).try_for_each(|slot| self.destroy_cq(pair, at, slot))?;
        }
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        let frames = |pair: &Pair| Side::BOTH.map(|side| pair.link.stats(side).frames);
        let before = frames(pair);
        for at in 0..2 {
            let bench = pair.side(Side::BOTH[at]);
            self.hosts[at].ask(bench);
        }
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        for at in 0..2 {
            let answers = self.hosts[at].nic.answered(pair.side(Side::BOTH[at]));
            Estate::audit(&answers.map_err(|e| e.to_string())?).map_err(|why| format!("host {at}: {why}"))?;
        }
        match frames(pair) {
            after if after == before => Ok(()),
            after => Err(format!("I6: frames left without a connection: {before:?}, then {after:?}")),
        }
    }
}
