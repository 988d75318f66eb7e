// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run on fresh devices: the load, what the link does to frames, and the time it takes.
use super::fixed::Fixed;
use crate::device::{clock_ps, config, link, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND};
use crate::tcp_judge::Changes;
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{run_pair_on, Library, LinkConfig, MemoryTiming, Pair, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Octets of a message.
pub(super) const LONG: usize = 64 << 10;
/// Messages behind those that are measured, of each connection.
const BEHIND: usize = 8;
/// Writes of the one connection posted at any time, and Reads, as many as the device may have
/// without an answer.
pub(super) const WRITES: usize = 12;
const READS: usize = 8;
/// Messages of each of several connections posted at any time.
const OF_MANY: usize = 4;
/// log2 of the window.
pub(super) const WINDOW_LOG2: u64 = 20;
/// Registers as they are after a reset: units of 10 us of the least timeout, those that an ACK
/// waits, expiries in a row until a connection is lost, parts of recovery.
pub(super) const REGISTERS: [(&str, u64); 5] =
    [("tick_use_pin", 0), ("rto_min", 100), ("ack_delay", 20), ("retry_limit", 15), ("recovery", 15)];
/// Nanoseconds that a frame is held back: at least a frame of full size passes.
const HELD_NS: std::ops::RangeInclusive<u64> = 1_300..=20_000;
/// Frames of more octets have payload.
const SMALL: usize = 200;
/// TCP port of the first connection at both ends.
const PORT: u16 = 20_000;
/// Cycles that a message may take, a hundred times what the wire needs.
const PATIENCE: u64 = 1_000_000;

/// What is sent.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verb {
    Write,
    Read,
}

impl Verb {
    pub(super) const BOTH: [Self; 2] = [Self::Write, Self::Read];

    /// As keys name it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
        }
    }
}

/// Messages of one direction, of which so many are measured.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Load {
    pub(super) verb: Verb,
    pub(super) connections: usize,
    pub(super) messages: usize,
}

impl Load {
    /// Messages of a connection that are posted at any time.
    fn deep(self) -> usize {
        match (self.connections, self.verb) {
            (1, Verb::Write) => WRITES,
            (1, Verb::Read) => READS,
            _ => OF_MANY,
        }
    }
}

/// What the link does to one frame in so many, of both directions.
#[derive(Clone, Copy)]
pub(super) enum Harm {
    None,
    Lose(u32),
    Hold(u32),
}

impl Harm {
    /// Frames with payload that a cell harms at least. More of them make a better figure, and take
    /// little time where they are frequent.
    pub(super) fn least(self) -> u64 {
        match self {
            Harm::None => 0,
            Harm::Lose(101..) => 30,
            Harm::Lose(_) | Harm::Hold(_) => 100,
        }
    }

    /// The fate of the next frame.
    fn fate(self, rng: &mut ChaCha8Rng) -> Fate {
        match self {
            Harm::Lose(one_in) if rng.random_ratio(1, one_in) => Fate::Drop,
            Harm::Hold(one_in) if rng.random_ratio(1, one_in) => Fate::Delay(rng.random_range(HELD_NS)),
            _ => Fate::Deliver,
        }
    }
}

/// What runs brought.
#[derive(Clone, Copy, Default)]
pub(super) struct Outcome {
    octets: usize,
    pub(super) ps: u64,
    /// Frames with payload that were lost, or held back.
    pub(super) harmed: u64,
}

impl Outcome {
    /// Payload octets a picosecond.
    pub(super) fn goodput(self) -> f64 {
        self.octets as f64 / self.ps as f64
    }

    /// Both, one after the other.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            octets: self.octets + other.octets,
            ps: self.ps + other.ps,
            harmed: self.harmed + other.harmed,
        }
    }
}

/// Octets of the stream of each connection that the receiver has acknowledged.
#[derive(Default)]
struct Acked([AtomicU64; 16]);

impl Acked {
    /// Notes a frame of IPv4 without options: its source port tells the connection.
    fn note(&self, frame: &[u8], first: u32) {
        if let (Some(port), Some(ack)) = (frame.get(34..36), frame.get(42..46)) {
            let nth = usize::from(u16::from_be_bytes([port[0], port[1]]) - PORT);
            let ack = u32::from_be_bytes([ack[0], ack[1], ack[2], ack[3]]);
            self.0[nth].store(ack.wrapping_sub(first).into(), Ordering::Relaxed);
        }
    }

    fn octets(&self) -> usize {
        self.0.iter().map(|octets| octets.load(Ordering::Relaxed) as usize).sum()
    }
}

/// A run on fresh devices. `is_bare`: without recovery, with a fixed timer.
pub(super) fn one(library: &Arc<Library>, load: Load, seed: u64, harm: Harm, is_bare: bool) -> Outcome {
    let far = LinkConfig { delay_ns: 5_000, ..link() };
    let outcome = Cell::new(Outcome::default());
    run_pair_on("loss", library, far, seed, |pair| {
        outcome.set(measure(pair, load, seed, harm, is_bare)?);
        Ok(())
    });
    outcome.get()
}

fn measure(pair: &mut Pair, load: Load, seed: u64, harm: Harm, is_bare: bool) -> Result<Outcome, String> {
    let Load { verb, connections, messages } = load;
    let all = messages + connections * BEHIND;
    let wire = |nth| Wire::plain(nth as u16, config().mtu as u16, WINDOW_LOG2 as u32);
    let plan = Plan {
        wires: (0..connections).map(wire).collect(),
        numbers: (0..connections as u16).collect(),
        timing: MemoryTiming::steady(clock_ps()),
        longest: LONG,
        budget: all * LONG / 3,
    };
    // a run without recovery has ticks that nobody on the wire can know
    if !is_bare {
        pair.link.capture();
    }
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        REGISTERS.iter().for_each(|&(register, value)| bench.set(register, value));
    }
    let mut fixed = is_bare.then(|| Fixed::new(pair));
    let data = if verb == Verb::Read { Side::B } else { Side::A };
    let harmed = Arc::new(AtomicU64::new(0));
    let acked = Arc::new(Acked::default());
    let mut hook = {
        let (mut rng, harmed) = (ChaCha8Rng::seed_from_u64(seed), harmed.clone());
        let acked = acked.clone();
        let first = wire(0).ends[data as usize].seq_start;
        move |sent: &Sent<'_>| {
            if sent.from != data {
                acked.note(sent.data, first);
            }
            let fate = harm.fate(&mut rng);
            let counts = fate != Fate::Deliver && sent.data.len() > SMALL;
            harmed.fetch_add(u64::from(counts), Ordering::Relaxed);
            fate
        }
    };
    match &fixed {
        Some(fixed) => pair.link.set_hook(fixed.watch(hook)),
        None => pair.link.set_hook(move |sent| hook(sent)),
    }
    let start = pair.a.cycle();
    let (mut posted, mut waiting) = (0, 0);
    while posted - waiting < messages {
        waiting = 0;
        for nth in 0..connections {
            if posted < all && traffic.waiting(0, nth) < load.deep() {
                let payload = traffic.hosts[1].inverse(LONG);
                match verb {
                    Verb::Write => traffic.post(pair, 0, nth, Message::plain(RDMA_WRITE, payload)),
                    Verb::Read => traffic.post_read(pair, 0, nth, &payload, [0, 0]),
                }
                posted += 1;
            }
            waiting += traffic.waiting(0, nth);
        }
        twenty(pair, &mut traffic, fixed.as_mut())?;
        if pair.a.cycle() - start > PATIENCE * messages as u64 {
            return Err(format!("{waiting} of {posted} messages are not done"));
        }
    }
    // many connections have many messages under way, of which a part has come
    let octets = if connections == 1 { messages * LONG } else { acked.octets() };
    let more_ps = fixed.as_ref().map_or(0, Fixed::more_ps);
    let ps = pair.a.cycle() * clock_ps() - pair.link.stats(data).first_ps + more_ps;
    let outcome = Outcome { octets, ps, harmed: harmed.load(Ordering::Relaxed) };
    pair.link.set_hook(|_| Fate::Deliver);
    settle(pair, &mut traffic, fixed.as_mut())?;
    // they come behind the octets of every Write
    for nth in 0..connections {
        traffic.post(pair, 0, nth, Message::plain(SEND, vec![8; 16]));
    }
    settle(pair, &mut traffic, fixed.as_mut())?;
    if !is_bare {
        traffic.judge_tcp(pair, &Changes::default())?;
    }
    traffic.compare(pair)?;
    Ok(outcome)
}

/// Steps until all completions came.
fn settle(pair: &mut Pair, traffic: &mut Traffic, mut fixed: Option<&mut Fixed>) -> Result<(), String> {
    let start = pair.a.cycle();
    while !traffic.settled() {
        twenty(pair, traffic, fixed.as_deref_mut())?;
        if pair.a.cycle() - start > 20 * PATIENCE {
            return Err("completions are owed though no frame is lost any more".into());
        }
    }
    Ok(())
}

/// Twenty cycles, and the completions that came.
fn twenty(pair: &mut Pair, traffic: &mut Traffic, mut fixed: Option<&mut Fixed>) -> Result<(), String> {
    for _ in 0..20 {
        match &mut fixed {
            Some(fixed) => fixed.step(pair),
            None => traffic.step(pair),
        }
    }
    traffic.look(pair)
}
