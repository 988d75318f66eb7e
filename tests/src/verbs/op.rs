// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operations of a walk over verbs. An operation names slots, not what stands in them, and one
//! that does not apply is passed over: each part of a sequence is a sequence.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Numbers of the queue pairs, one a slot, at both hosts.
pub const QPS: [u16; 3] = [3, 7, 12];
/// Slots of completion queues and of regions of a host.
pub const CQS: usize = 3;
pub const REGIONS: usize = 5;
/// Protection domains: that of most objects first.
const PDS: [u16; 2] = [5, 6];
/// Most octets of a message.
const LONGEST: usize = 3_000;
/// Most cycles that a sink is held.
const HOLD: u64 = 4_000;

/// What a work request of a send queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Send,
    SendInvalidate,
    Write,
    Read,
}

/// What takes from a device, or does not for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Posted writes of the bus.
    Writes,
    /// All of the bus.
    Memory,
    /// Frames.
    Mac,
    /// Answers of the admin port.
    Answers,
}

/// A work request of a send queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub kind: Kind,
    pub octets: usize,
    pub is_signaled: bool,
    pub is_solicited: bool,
    /// Which of the regions that serve; with `wild_near`, `wild_far` which of those that do not.
    pub pick: usize,
    pub wild_near: bool,
    pub wild_far: bool,
}

/// An operation. `at` is the host, 0 is A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    CreateCq {
        at: usize,
        slot: usize,
    },
    DestroyCq {
        at: usize,
        slot: usize,
    },
    /// With `bound` the region serves the queue pair of that slot alone.
    Register {
        at: usize,
        slot: usize,
        pd: u16,
        bound: Option<usize>,
    },
    Revoke {
        at: usize,
        slot: usize,
    },
    /// `cqs`: of sends, of receives.
    CreateQp {
        at: usize,
        slot: usize,
        pd: u16,
        cqs: [usize; 2],
    },
    /// The connection is removed first, or the queue pair reset.
    DestroyQp {
        at: usize,
        slot: usize,
        removes_first: bool,
    },
    /// The queue pairs of this slot at both hosts.
    Connect {
        slot: usize,
    },
    Receive {
        at: usize,
        slot: usize,
        octets: usize,
        pick: usize,
    },
    Post {
        at: usize,
        slot: usize,
        request: Request,
    },
    Hold {
        at: usize,
        sink: Sink,
        cycles: u64,
    },
    Run {
        cycles: u64,
    },
    /// Nothing is held any more; connections without a fault complete all that they owe, others
    /// tell the fault.
    Settle,
}

/// A random sequence of about `count` operations.
pub fn draw(rng: &mut ChaCha8Rng, count: usize) -> Vec<Op> {
    let mut ops = vec![];
    for at in 0..2 {
        ops.extend((0..CQS).map(|slot| Op::CreateCq { at, slot }));
        ops.extend((0..REGIONS).map(|slot| register(rng, at, slot)));
    }
    (0..QPS.len()).for_each(|slot| birth(rng, &mut ops, slot));
    while ops.len() < count {
        some(rng, &mut ops);
    }
    ops.push(Op::Settle);
    ops
}

fn domain(rng: &mut ChaCha8Rng) -> u16 {
    PDS[usize::from(rng.random_bool(0.15))]
}

fn register(rng: &mut ChaCha8Rng, at: usize, slot: usize) -> Op {
    let bound = rng.random_bool(0.35).then(|| rng.random_range(0..QPS.len()));
    Op::Register { at, slot, pd: domain(rng), bound }
}

fn create_qp(rng: &mut ChaCha8Rng, at: usize, slot: usize) -> Op {
    let cqs = [(); 2].map(|()| rng.random_range(0..CQS));
    Op::CreateQp { at, slot, pd: domain(rng), cqs }
}

/// The queue pairs of a slot anew at both hosts, and a connection.
fn birth(rng: &mut ChaCha8Rng, ops: &mut Vec<Op>, slot: usize) {
    let first = rng.random_range(0..2);
    ops.extend([first, 1 - first].map(|at| Op::DestroyQp { at, slot, removes_first: rng.random() }));
    ops.extend([0, 1].map(|at| create_qp(rng, at, slot)));
    ops.push(Op::Connect { slot });
}

fn size(rng: &mut ChaCha8Rng) -> usize {
    match rng.random_range(0..8) {
        0 => 0,
        1..=4 => rng.random_range(1..300),
        _ => rng.random_range(1..=LONGEST),
    }
}

fn request(rng: &mut ChaCha8Rng) -> Request {
    use Kind::{Read, Send, SendInvalidate, Write};
    Request {
        kind: [Send, Send, Write, Write, Read, SendInvalidate][rng.random_range(0..6)],
        octets: size(rng),
        is_signaled: rng.random_bool(0.7),
        is_solicited: rng.random_bool(0.2),
        pick: rng.random_range(0..8),
        wild_near: rng.random_bool(0.01),
        wild_far: rng.random_bool(0.03),
    }
}

/// A long message amid whose way an end of its connection goes, or a region. Its receiver may take
/// nothing for a time.
fn end_amid(rng: &mut ChaCha8Rng, ops: &mut Vec<Op>, slot: usize) {
    if rng.random() {
        birth(rng, ops, slot);
    }
    let (from, to) = match rng.random() {
        true => (0, 1),
        false => (1, 0),
    };
    ops.push(Op::Receive { at: to, slot, octets: LONGEST, pick: rng.random_range(0..8) });
    ops.push(Op::Post { at: from, slot, request: Request { octets: LONGEST, ..request(rng) } });
    ops.push(Op::Run { cycles: rng.random_range(200..900) });
    if rng.random() {
        let sink = [Sink::Writes, Sink::Writes, Sink::Memory, Sink::Mac][rng.random_range(0..4)];
        ops.push(Op::Hold { at: to, sink, cycles: rng.random_range(300..HOLD) });
        ops.push(Op::Run { cycles: rng.random_range(1..300) });
    }
    let at = if rng.random_bool(0.8) { to } else { from };
    ops.push(match rng.random_range(0..3) {
        0 => Op::Revoke { at, slot: rng.random_range(0..REGIONS) },
        _ => Op::DestroyQp { at, slot, removes_first: rng.random() },
    });
}

/// A region of one queue pair, and a Send that makes it invalid.
fn invalidate(rng: &mut ChaCha8Rng, ops: &mut Vec<Op>, slot: usize, region: usize) {
    let at = rng.random_range(0..2);
    let request = Request { kind: Kind::SendInvalidate, ..request(rng) };
    ops.extend([
        Op::Settle,
        Op::Revoke { at, slot: region },
        Op::Register { at, slot: region, pd: PDS[0], bound: Some(slot) },
        Op::Receive { at, slot, octets: LONGEST, pick: rng.random_range(0..8) },
        Op::Post { at: 1 - at, slot, request },
    ]);
}

/// One operation, or some that belong together.
fn some(rng: &mut ChaCha8Rng, ops: &mut Vec<Op>) {
    let (at, slot) = (rng.random_range(0..2), rng.random_range(0..QPS.len()));
    let (cq, region) = (rng.random_range(0..CQS), rng.random_range(0..REGIONS));
    let op = match rng.random_range(0..100) {
        0..=3 => Op::CreateCq { at, slot: cq },
        4..=5 => Op::DestroyCq { at, slot: cq },
        6..=10 => register(rng, at, region),
        11..=12 => Op::Revoke { at, slot: region },
        13..=17 => {
            // nobody needs it then
            ops.extend([Op::Settle, Op::Revoke { at, slot: region }]);
            register(rng, at, region)
        }
        18..=19 => create_qp(rng, at, slot),
        20 => Op::Connect { slot },
        21..=22 => Op::DestroyQp { at, slot, removes_first: rng.random() },
        23..=26 => return birth(rng, ops, slot),
        27..=31 => return end_amid(rng, ops, slot),
        32..=35 => return invalidate(rng, ops, slot, region),
        36..=50 => Op::Receive { at, slot, octets: size(rng), pick: rng.random_range(0..8) },
        51..=76 => Op::Post { at, slot, request: request(rng) },
        77..=81 => {
            let sink = [Sink::Writes, Sink::Memory, Sink::Mac, Sink::Answers][rng.random_range(0..4)];
            Op::Hold { at, sink, cycles: rng.random_range(1..HOLD) }
        }
        82..=94 => Op::Run { cycles: rng.random_range(1..800) },
        _ => Op::Settle,
    };
    ops.push(op);
}
