// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bare devices under a flood: one connection is attacked, another one transfers.
use super::frames::{Flood, Source};
use super::Beside;
use crate::device::{
    addressed, clock_ps, config, random_wire, units, Message, Nic, Plan, RawReceives, Traffic, Walk, Wire,
    RDMA_WRITE, SEND,
};
use crate::net_rx_frames::ethernet;
use ferrowarp_abi::codec::QpRow;
use ferrowarp_abi::consts::{admin_opcode, qp_state};
use ferrowarp_sim::{MemoryTiming, Pair, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Queue pairs: of the connection that is attacked, of the transfer.
const QPS: [u16; 2] = [3, 12];
const ATTACKED: usize = 0;
const TRANSFER: usize = 1;
/// Times that a Write and a Send go each way, the next ones behind the receive of the last ones;
/// most octets of each.
const MESSAGES: usize = 30;
const LONGEST: usize = 1_200;
/// Hundredths of the wire that a flood takes, at least and at most: with the transfer it does not
/// fill the wire.
const SHARE: std::ops::Range<u64> = 20..40;
/// Cycles of the flood before the transfer.
const BEFORE: u64 = 2_000;
/// Cycles that the messages, the commands and what is under way may take.
const PATIENCE: u64 = 400_000;
const QUIET: u64 = 2_500;
/// The receive line may drop a frame of the transfer in a burst: the frame leaves again with the
/// eighth tick.
const RTO: [(&str, u64); 2] = [("rto_min", units(8)), ("retry_limit", 12)];
/// log2 of the raw ring's slots, and cycles in which its reader takes one frame.
const LOG2: u8 = 3;
const PACE: u64 = 2_000;
/// Frames of ARP that come to B amid rubbish, and cycles between two.
const WANTED: u64 = 4;
const APART: u64 = 3_000;

/// Frames of a flood for each that may answer, where answers are rationed; frames that may leave in
/// [`QUIET`] cycles behind a flood.
const RATION: u64 = 20;
const AFTER: u64 = 4;

struct Bare {
    traffic: Traffic,
    rng: ChaCha8Rng,
    source: Option<Source>,
    /// Frames of the flood so far.
    injected: u64,
    rings: [RawReceives; 2],
    /// The flood leaves room for these, which are sent since this cycle.
    wants: Option<u64>,
    /// Frames of ARP that were sent and that the reader of B has.
    arps: (u64, u64),
}

impl Walk for Bare {
    fn nic(&mut self, at: usize) -> &mut Nic {
        &mut self.traffic.hosts[at].nic
    }

    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        let cycle = pair.a.cycle();
        let at_ps = cycle * clock_ps();
        for (to, frame) in self.source.iter_mut().flat_map(|s| s.frames(&mut self.rng, cycle)) {
            pair.link.inject(Side::BOTH[to], at_ps, frame);
            self.injected += 1;
        }
        if let Some(since) = self.wants.filter(|_| self.arps.0 < WANTED) {
            if cycle == since + (self.arps.0 + 1) * APART {
                let arp = addressed(ethernet(None, 0x0806, &[self.arps.0 as u8; 28], 0), [0xFF; 6]);
                pair.link.inject(Side::B, at_ps, arp);
                self.arps.0 += 1;
            }
        }
        if cycle.is_multiple_of(PACE) {
            for (at, ring) in self.rings.iter_mut().enumerate() {
                let frame = ring.poll(&self.traffic.hosts[at].nic, pair.side(Side::BOTH[at]));
                let is_arp = frame.is_some_and(|frame| frame[12..14] == [8, 6]);
                self.arps.1 += u64::from(at == 1 && is_arp);
            }
        }
        self.traffic.step(pair);
        self.traffic.look(pair)
    }
}

impl Bare {
    fn new(pair: &mut Pair, seed: u64) -> Result<(Self, Wire), String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let attacked = Wire::plain(40_000, config().mtu as u16, config().window_log2 as u32);
        let wires = vec![attacked, random_wire(&mut rng, seed as u16, 1, false)];
        let timing = MemoryTiming::steady(clock_ps());
        let budget = 8 * MESSAGES * LONGEST;
        let plan = Plan { wires, numbers: QPS.to_vec(), timing, longest: LONGEST, budget };
        let mut traffic = Traffic::new(pair, plan)?;
        for (pin, value) in RTO {
            pair.a.set(pin, value);
            pair.b.set(pin, value);
        }
        traffic.may_fail = Some(ATTACKED);
        let rings =
            [0, 1].map(|at| RawReceives::new(&mut traffic.hosts[at].nic, pair.side(Side::BOTH[at]), LOG2));
        let mut bare = Self { traffic, rng, source: None, injected: 0, rings, wants: None, arps: (0, 0) };
        bare.answered(pair, PATIENCE)?;
        Ok((bare, attacked))
    }

    fn waits(&self, nth: usize) -> bool {
        (0..2).any(|from| self.traffic.waiting(from, nth) > 0)
    }

    /// The transfer, always the same for a seed; the cycles that it takes.
    fn transfer(&mut self, pair: &mut Pair, seed: u64) -> Result<u64, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let start = pair.a.cycle();
        let mut left = [MESSAGES; 2];
        while left != [0; 2] || self.waits(TRANSFER) {
            for (from, left) in left.iter_mut().enumerate() {
                if *left > 0 && self.traffic.waiting(from, TRANSFER) == 0 {
                    *left -= 1;
                    // the Send comes behind the Write; neither waits for an ACK, which comes with a
                    // tick
                    for opcode in [RDMA_WRITE, SEND] {
                        let octets = rng.random_range(1..LONGEST);
                        let message =
                            Message { is_signaled: false, ..Message::random(&mut rng, octets, opcode) };
                        self.traffic.post(pair, from, TRANSFER, message);
                    }
                }
            }
            self.step(pair)?;
            if pair.a.cycle() - start > PATIENCE {
                return Err(format!("the transfer has {left:?} messages left after {PATIENCE} cycles"));
            }
        }
        Ok(pair.a.cycle() - start)
    }

    /// Messages on the connection that was attacked.
    fn lives(&mut self, pair: &mut Pair) -> Result<(), String> {
        for from in 0..2 {
            let message = Message { is_signaled: true, ..Message::random(&mut self.rng, LONGEST, SEND) };
            self.traffic.post(pair, from, ATTACKED, message);
        }
        self.until(pair, PATIENCE, "messages of the attacked connection", |w| !w.waits(ATTACKED))?;
        match &self.traffic.failed[..] {
            [] => Ok(()),
            failed => Err(format!("the attacked connection failed: {failed:?}")),
        }
    }

    /// All is taken out under the flood, its memory with the answers; then nothing comes and
    /// nothing leaves.
    fn end(&mut self, pair: &mut Pair) -> Result<(), String> {
        let row = QpRow { state: qp_state::RESET, ..Default::default() };
        let row = row.octets().map_err(|e| e.to_string())?;
        for at in 0..2 {
            let bench = pair.side(Side::BOTH[at]);
            let host = &mut self.traffic.hosts[at];
            for qp in QPS {
                host.nic.command(bench, admin_opcode::CONN_REMOVE, qp, &[]);
                host.nic.command(bench, admin_opcode::QP_WRITE, qp, &row);
            }
            let region = (host.stag().0 >> 8) as u16;
            host.nic.command(bench, admin_opcode::MR_REVOKE, region, &[]);
        }
        self.answered(pair, PATIENCE)?;
        self.traffic.compare(pair)?;
        for at in 0..2 {
            let bench = pair.side(Side::BOTH[at]);
            let host = &self.traffic.hosts[at];
            host.qps.iter().for_each(|qp| qp.unmap(&host.nic, bench));
            bench.host(host.nic.memory).unmap(host.base).map_err(|e| e.to_string())?;
        }
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        let before = sent(pair);
        (0..QUIET).try_for_each(|_| self.step(pair))?;
        match sent(pair) {
            after if after == before => Ok(()),
            after => Err(format!("I6: {} frames left without a connection", after - before)),
        }
    }
}

/// Frames that both devices have sent.
fn sent(pair: &Pair) -> u64 {
    Side::BOTH.map(|side| pair.link.stats(side).frames).iter().sum()
}

/// A walk under a flood.
pub fn bare(pair: &mut Pair, seed: u64, flood: Flood) -> Result<Beside, String> {
    let (mut walk, attacked) = Bare::new(pair, seed)?;
    // both ends have read what they read once
    walk.transfer(pair, seed)?;
    let before = sent(pair);
    let alone = walk.transfer(pair, seed)?;
    let own = sent(pair) - before;
    let share = walk.rng.random_range(SHARE);
    walk.source = Some(Source::new(flood, attacked, share));
    walk.wants = (flood == Flood::Rubbish).then(|| pair.a.cycle());
    let before = sent(pair);
    (0..BEFORE).try_for_each(|_| walk.step(pair))?;
    let beside = walk.transfer(pair, seed)?;
    let answers = (sent(pair) - before).saturating_sub(own);
    let ration = matches!(flood, Flood::BadAcks | Flood::Challenges).then_some(RATION);
    let found = Beside { alone, beside, injected: walk.injected, answers }.judged(ration);
    let found = found.map_err(|why| format!("{flood:?}, {share} hundredths of the wire: {why}"))?;
    if flood == Flood::Rubbish {
        let bound = PACE * ((1 << LOG2) + 1) + WANTED * APART;
        walk.until(pair, bound, "ARP amid rubbish", |w| w.arps.1 == WANTED)?;
    }
    // numbers that are wrong today are right later: nothing is sent to a connection that is to live
    let source = walk.source.take();
    (0..QUIET).try_for_each(|_| walk.step(pair))?;
    let silence = sent(pair);
    (0..QUIET).try_for_each(|_| walk.step(pair))?;
    if sent(pair) > silence + AFTER {
        return Err(format!("{flood:?}: {} frames leave behind the end of the flood", sent(pair) - silence));
    }
    if !matches!(flood, Flood::War | Flood::WrongCrcs) {
        walk.lives(pair)?;
    }
    walk.source = source;
    walk.end(pair)?;
    Ok(found)
}
