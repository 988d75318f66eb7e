// SPDX-License-Identifier: MIT OR Apache-2.0
//! The connection beside: two hosts transfer while somebody attacks one of their devices. The
//! transfer must be whole, octet by octet, with one completion a message.
use super::run::Run;
use crate::device::{
    clock_ps, random_size, random_wire, Message, Nic, Plan, Traffic, Wire, RDMA_WRITE, SEND,
};
use ferrowarp_sim::{MemoryTiming, Pair};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Its queue pair.
const QP: u16 = 12;
/// Most octets of its messages, and their number at most.
const LONGEST: usize = 1_500;
const MESSAGES: usize = 60;
/// Messages that a host has under way.
const AHEAD: usize = 2;

/// The connection.
pub struct Beside {
    /// Its hosts, A first.
    pub traffic: Traffic,
    /// Its ends.
    pub wire: Wire,
    rng: ChaCha8Rng,
    posted: usize,
}

impl Beside {
    /// Both devices set up, the connection used once within `patience` cycles. Then `timers` are
    /// set: frames may be lost from now on.
    pub fn new(pair: &mut Pair, run: &Run, patience: u64, timers: &[(&str, u64)]) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(run.seed);
        let wire = random_wire(&mut rng, run.seed as u16, 7, false);
        let timing = match run.seed % 2 {
            0 => MemoryTiming::rough(clock_ps()),
            _ => MemoryTiming::steady(clock_ps()),
        };
        let budget = MESSAGES * LONGEST;
        let plan = Plan { wires: vec![wire], numbers: vec![QP], timing, longest: LONGEST, budget };
        let mut traffic = Traffic::new(pair, plan)?;
        traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
        traffic.until_settled(pair, patience)?;
        for &(pin, value) in timers {
            pair.a.set(pin, value);
            pair.b.set(pin, value);
        }
        Ok(Self { traffic, wire, rng, posted: 0 })
    }

    /// The device of a host.
    pub fn nic(&mut self, at: usize) -> &mut Nic {
        &mut self.traffic.hosts[at].nic
    }

    /// A cycle; who has nothing under way posts.
    pub fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        for from in 0..2 {
            if self.posted < MESSAGES && self.traffic.waiting(from, 0) < AHEAD {
                let octets = random_size(&mut self.rng, LONGEST);
                let opcode = [SEND, RDMA_WRITE][self.rng.random_range(0..2)];
                let message = Message { is_signaled: true, ..Message::random(&mut self.rng, octets, opcode) };
                self.traffic.post(pair, from, 0, message);
                self.posted += 1;
            }
        }
        self.traffic.step(pair);
        self.traffic.look(pair).map_err(|why| format!("I2: beside: {why}"))
    }

    /// The last message of each host, behind all others.
    pub fn ends(&mut self, pair: &mut Pair) {
        self.posted = MESSAGES;
        for from in 0..2 {
            self.traffic.post(pair, from, 0, Message::plain(SEND, vec![from as u8; 16]));
        }
    }

    /// Memory is right.
    pub fn compare(&mut self, pair: &mut Pair) -> Result<(), String> {
        self.traffic.compare(pair).map_err(|why| format!("I1, I3: {why}"))
    }
}
