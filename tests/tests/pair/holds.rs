// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each sink that only hardware frees, held for a time while both connections stream: nothing is
//! lost, nothing stands still for good, and the time lost is the time of the hold (design decision
//! D10).
use ferrowarp_sim::{Pair, Side};
use ferrowarp_tests::device::{same, stream_under, Message, Scene, Sink, BAD, RDMA_WRITE, SEND};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::OnceLock;

/// Cycles of a hold, and when it begins after the first message.
const HOLD: u64 = 5_000;
const BEGIN: u64 = 1_500;
/// Messages of the bad connection, which is as good as the other one here; how many of a direction
/// may wait; octets.
const MESSAGES: usize = 16;
const AHEAD: usize = 2;
const OCTETS: usize = 3_000;

/// What is held.
#[derive(Clone, Copy)]
enum Part {
    /// The MAC begins no frame.
    Mac,
    /// Posted writes are not taken.
    Writes,
    /// Reads are not answered.
    Answers,
}

/// A part of these hosts, or of none.
struct Hold {
    part: Part,
    hosts: &'static [usize],
    rng: ChaCha8Rng,
    start: u64,
    posted: usize,
    /// Frames that receive dropped or complained about.
    bad: u64,
    /// Frames that each host sent in the second half of the hold.
    sent: [u64; 2],
}

impl Hold {
    fn new(part: Part, hosts: &'static [usize]) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(4);
        Self { part, hosts, rng, start: 0, posted: 0, bad: 0, sent: [0; 2] }
    }

    fn set(&self, scene: &Scene, pair: &mut Pair, held: bool) {
        for &at in self.hosts {
            let (side, memory) = (Side::BOTH[at], scene.traffic.hosts[at].nic.memory);
            match self.part {
                Part::Mac => pair.link.pause(side, held),
                Part::Writes => pair.side(side).hold_writes(memory, held),
                Part::Answers => pair.side(side).hold_answers(memory, held),
            }
        }
    }
}

impl Sink for Hold {
    fn fill(&mut self, _: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        self.start = pair.a.cycle();
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let now = pair.a.cycle() - self.start;
        if now == BEGIN || now == BEGIN + HOLD {
            self.set(scene, pair, now == BEGIN);
        }
        if now == BEGIN + HOLD / 2 {
            self.sent = Side::BOTH.map(|side| pair.link.stats(side).frames);
        }
        if now == BEGIN + HOLD {
            for (sent, side) in self.sent.iter_mut().zip(Side::BOTH) {
                *sent = pair.link.stats(side).frames - *sent;
            }
        }
        self.bad |= pair.a.get("bad_net_rx") | pair.b.get("bad_net_rx");
        let from = self.posted % 2;
        if self.posted < MESSAGES && scene.traffic.waiting(from, BAD) < AHEAD {
            let opcode = if self.posted % 4 < 2 { RDMA_WRITE } else { SEND };
            let mut message = Message::random(&mut self.rng, OCTETS, opcode);
            message.is_signaled = true;
            scene.traffic.post(pair, from, BAD, message);
            self.posted += 1;
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        same("both", "messages of the second connection", self.posted, MESSAGES)?;
        scene.settle(pair, &[0, 1], 20_000, &mut |_, _| Ok(()))?;
        (0..1_000).for_each(|_| scene.traffic.step(pair));
        same("both", "events on frames received (bits of bad_net_rx)", self.bad, 0)?;
        // windows and credits are used up long before: all stands. Without answers what the peer
        // sent is still acknowledged
        if !matches!(self.part, Part::Answers) {
            let sent: Vec<_> = self.hosts.iter().map(|&at| self.sent[at]).collect();
            same("held hosts", "frames sent late in the hold", sent, vec![0; self.hosts.len()])?;
        }
        scene.check(pair, None)
    }
}

/// Holds a part of these hosts; the stream takes as long as without, and the hold.
fn hold(name: &str, part: Part, hosts: &'static [usize]) {
    static FREE: OnceLock<u64> = OnceLock::new();
    let make = || Hold::new(part, hosts);
    let free = *FREE.get_or_init(|| stream_under("not_held", u64::MAX, || Hold::new(Part::Mac, &[])));
    // three in a hundred for filling what the hold emptied
    let cycles = stream_under(name, (free + HOLD) * 103 / 100, make);
    let again = "run it again: cargo test -p ferrowarp-tests --test pair holds";
    assert!(cycles > free + HOLD / 2, "{name}: {cycles} cycles, {free} without: nothing was held; {again}");
}

#[test]
fn a_mac_that_sends_nothing_for_a_time() {
    hold("mac", Part::Mac, &[0]);
}

#[test]
fn two_macs_that_send_nothing_for_a_time() {
    hold("macs", Part::Mac, &[0, 1]);
}

#[test]
fn a_host_that_takes_no_writes_for_a_time() {
    hold("writes", Part::Writes, &[1]);
}

#[test]
fn two_hosts_that_take_no_writes_for_a_time() {
    hold("both_writes", Part::Writes, &[0, 1]);
}

#[test]
fn a_host_that_answers_no_reads_for_a_time() {
    hold("reads", Part::Answers, &[0]);
}

#[test]
fn two_hosts_that_answer_no_reads_for_a_time() {
    hold("both_reads", Part::Answers, &[0, 1]);
}
