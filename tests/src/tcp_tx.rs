// SPDX-License-Identifier: MIT OR Apache-2.0
//! Agents on the TCP transmit stage of its bench top.
mod flight;
mod row;
mod words;

use crate::record::Record;
use ferrowarp_hdl::record::{Reserve, TxBack, TxFact, TxFpdu};
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
use rand::seq::IndexedRandom;
use rand::Rng;
pub use row::{Row, WINDOW_LOG2};
use words::grant_of;
pub use words::{Ask, Fact, Grant, Kind};

/// Ticks at the beginning of a case: their number wraps within it.
const FIRST_TICK: u32 = u32::MAX - 2;

/// A pulse: when, connection, number.
pub type Pulse = (u64, u64, u64);

/// The agents on the stage, and the pulses seen so far.
#[derive(Debug)]
pub struct Stage {
    inserts: ChanSrcId,
    removals: ChanSrcId,
    facts: ChanSrcId,
    resets: ChanSrcId,
    /// Connections that are lost.
    pub lost: ChanSinkId,
    reservations: ChanSrcId,
    /// Answers to reservations.
    pub grants: ChanSinkId,
    segments: ChanSrcId,
    backs: ChanSrcId,
    /// Where FPDUs go in.
    pub fpdus: SourceId,
    /// Where raw frames go in.
    pub raws: SourceId,
    /// Where frames come out.
    pub frames: SinkId,
    /// `wake`.
    pub wakes: Vec<Pulse>,
    /// `una` with its offset.
    pub unas: Vec<Pulse>,
    /// `rto`.
    pub rtos: Vec<Pulse>,
    /// `pub` with SND.NXT.
    pub pubs: Vec<Pulse>,
    /// Counts of `bad_res`, `spoilt`, `dropped`, `bad_raw`.
    pub counts: [u64; 4],
    /// Frames that paused inside while the MAC was ready.
    pub pauses: u64,
    inside: bool,
    ticks: bool,
    now: u32,
}

impl Stage {
    /// Agents that never pause; ACKs may wait 2 ticks.
    pub fn new(bench: &mut Bench) -> Self {
        Self::with(bench, [Pattern::None; 11])
    }

    /// Agents with patterns drawn from the case's random generator.
    pub fn random(bench: &mut Bench) -> Self {
        let patterns = [(); 11].map(|()| *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None));
        Self::with(bench, patterns)
    }

    /// Agents with these patterns: insert, removal, fact, reservation, grant, segment, FPDU, raw,
    /// frame, reset, loss.
    pub fn with(bench: &mut Bench, p: [Pattern; 11]) -> Self {
        for port in [
            "done_valid",
            "done_conn",
            "done_seq",
            "done_ends",
            "fine",
            "dead",
            "rto_min",
            "open_valid",
            "look_valid",
            "look_qp",
        ] {
            bench.set(&format!("tcp_tx_{port}"), 0);
        }
        bench.set("tcp_tx_ack_delay", 2);
        bench.set("tcp_tx_recovery", 6);
        Self::set_now(bench, FIRST_TICK);
        Self {
            inserts: bench.channel_source("tcp_tx_ins", p[0]),
            removals: bench.channel_source("tcp_tx_rem", p[1]),
            facts: bench.channel_source("tcp_tx_fact", p[2]),
            reservations: bench.channel_source("tcp_tx_res", p[3]),
            grants: bench.channel_sink("tcp_tx_grant", p[4]),
            segments: bench.channel_source("tcp_tx_seg", p[5]),
            backs: bench.channel_source("tcp_tx_back", p[5]),
            fpdus: bench.source("tcp_tx_rx", p[6]),
            raws: bench.source("tcp_tx_raw", p[7]),
            frames: bench.sink("tcp_tx_tx", p[8]),
            resets: bench.channel_source("tcp_tx_rst", p[9]),
            lost: bench.channel_sink("tcp_tx_lost", p[10]),
            wakes: vec![],
            unas: vec![],
            rtos: vec![],
            pubs: vec![],
            counts: [0; 4],
            pauses: 0,
            inside: false,
            ticks: false,
            now: FIRST_TICK,
        }
    }

    /// One cycle; pulses are kept with the cycle in which they stand.
    pub fn step(&mut self, bench: &mut Bench) {
        bench.step();
        if self.ticks {
            self.now = self.now.wrapping_add(1);
            Self::set_now(bench, self.now);
        }
        self.look(bench);
    }

    /// A tick is a unit of 10 us.
    fn set_now(bench: &mut Bench, now: u32) {
        bench.set("tcp_tx_fine_now", (now & 0xFF_FFFF).into());
    }

    fn look(&mut self, bench: &Bench) {
        let mut pulse = |name: &str, number: Option<&str>, to: fn(&mut Self) -> &mut Vec<Pulse>| {
            if bench.get(&format!("tcp_tx_{name}_valid")) == 1 {
                let number = number.map_or(0, |n| bench.get(&format!("tcp_tx_{name}_{n}")));
                to(self).push((bench.cycle(), bench.get(&format!("tcp_tx_{name}_qp")), number));
            }
        };
        pulse("wake", None, |s| &mut s.wakes);
        pulse("una", Some("offset"), |s| &mut s.unas);
        pulse("pub", Some("snd_nxt"), |s| &mut s.pubs);
        pulse("rto", None, |s| &mut s.rtos);
        for (count, name) in self.counts.iter_mut().zip(["bad_res", "spoilt", "dropped", "bad_raw"]) {
            *count += bench.get(&format!("tcp_tx_{name}"));
        }
        // the beat that stands on `tx` now, as registers say it before the next edge
        let valid = bench.get("tcp_tx_tx_valid") == 1;
        self.pauses += u64::from(self.inside && !valid);
        self.inside = valid && bench.get("tcp_tx_tx_last") == 0;
    }

    /// Some cycles.
    pub fn steps(&mut self, bench: &mut Bench, cycles: u64) {
        (0..cycles).for_each(|_| self.step(bench));
    }

    /// Steps until `done`.
    pub fn until(
        &mut self,
        bench: &mut Bench,
        most: u64,
        mut done: impl FnMut(&Self, &Bench) -> bool,
    ) -> Result<(), String> {
        bench
            .run_until(most, |b| {
                self.look(b);
                done(self, b)
            })
            .map(drop)
    }

    /// Inserts a connection and waits until it stands.
    pub fn insert(&mut self, bench: &mut Bench, qp: usize, row: &Row) -> Result<(), String> {
        self.row(bench, qp, row, false)
    }

    /// Updates a connection that lives and waits until it is done.
    pub fn update(&mut self, bench: &mut Bench, qp: usize, row: &Row) -> Result<(), String> {
        self.row(bench, qp, row, true)
    }

    fn row(&mut self, bench: &mut Bench, qp: usize, row: &Row, update: bool) -> Result<(), String> {
        let record = row.record(bench.rng());
        let item = Item::new().with("qp", qp as u64).with("update", update.into());
        bench.put(self.inserts, record.field(item, "row"));
        self.until(bench, 1_000, |s, b| b.put_all(s.inserts))
    }

    /// Removes a connection and waits until it is gone.
    pub fn remove(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        bench.put(self.removals, Item::new().with("qp", qp as u64));
        self.until(bench, 1_000, |s, b| b.put_all(s.removals))
    }

    /// Queues a fact.
    pub fn fact(&self, bench: &mut Bench, qp: usize, fact: Fact) {
        let record = Record::<TxFact>::new()
            .with("qp", qp)
            .with("has_ack", fact.ack.is_some())
            .with("ack", fact.ack.unwrap_or_else(|| bench.rng().random()))
            .with("has_window", fact.window.is_some())
            .with("window", fact.window.unwrap_or_else(|| bench.rng().random()))
            .with("ack_now", fact.ack_now)
            .with("is_dup", fact.dup);
        bench.put(self.facts, record.item());
    }

    /// All facts were taken.
    pub fn told(&self, bench: &Bench) -> bool {
        bench.put_all(self.facts)
    }

    /// Queues a reservation for a ULPDU of `length` octets.
    pub fn reserve(&self, bench: &mut Bench, qp: usize, length: usize) {
        self.ask(bench, Ask { qp, length, ..Ask::default() });
    }

    /// Queues a reservation.
    pub fn ask(&self, bench: &mut Bench, ask: Ask) {
        let most = ask.most.map(|most| most as u64);
        let record = Record::<Reserve>::new()
            .with("qp", ask.qp)
            .with("length", ask.length)
            .with("kind", ask.kind as u64)
            .with("replay", ask.replay.is_some())
            .with("control", ask.control)
            .with("offset", ask.replay.unwrap_or_else(|| bench.rng().random_range(0..1 << 40)))
            .with("from", ask.from)
            .with("bounded", most.is_some())
            .with("most", most.unwrap_or_else(|| bench.rng().random_range(0..1 << 16)));
        bench.put(self.reservations, record.item());
        bench.expect_items(self.grants, 1);
    }

    /// Waits for one answer.
    pub fn grant(&mut self, bench: &mut Bench) -> Result<Grant, String> {
        self.until(bench, 2_000, |s, b| b.waiting_items(s.grants) == 1)?;
        Ok(bench.taken(self.grants).iter().map(grant_of).next().unwrap_or(Grant::REFUSED))
    }

    /// Queues the room of a segment that never leaves.
    pub fn give_back(&self, bench: &mut Bench, qp: usize, seq: u32, replay: bool) {
        let record = Record::<TxBack>::new().with("qp", qp).with("seq", seq).with("replay", replay);
        bench.put(self.backs, record.item());
    }

    /// Waits until all such room was taken.
    pub fn given_back(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until(bench, 2_000, |s, b| b.put_all(s.backs))
    }

    /// Queues a segment: its payload and what is said of it.
    pub fn segment(&self, bench: &mut Bench, qp: usize, seq: u32, payload: Vec<u8>, err: bool) {
        self.announce(bench, (qp, seq, payload.len()), Kind::Fpdu, false);
        bench.send(self.fpdus, Frame { data: payload, err });
    }

    /// Queues raw octets, perhaps for the second time.
    pub fn raw_octets(&self, bench: &mut Bench, qp: usize, seq: u32, payload: Vec<u8>, replay: bool) {
        self.announce(bench, (qp, seq, payload.len()), Kind::Raw, replay);
        bench.send(self.fpdus, Frame::good(payload));
    }

    /// Queues an FPDU for the second time.
    pub fn again(&self, bench: &mut Bench, qp: usize, seq: u32, payload: Vec<u8>, err: bool) {
        self.announce(bench, (qp, seq, payload.len()), Kind::Fpdu, true);
        bench.send(self.fpdus, Frame { data: payload, err });
    }

    /// Queues FIN, perhaps for the second time.
    pub fn fin(&self, bench: &mut Bench, qp: usize, seq: u32, replay: bool) {
        self.announce(bench, (qp, seq, 1), Kind::Fin, replay);
    }

    /// Queues a reset.
    pub fn reset(&self, bench: &mut Bench, qp: usize) {
        bench.put(self.resets, Item::new().with("qp", qp as u64));
    }

    /// One cycle in which the gate of a connection opens.
    pub fn open(&mut self, bench: &mut Bench, qp: usize) {
        bench.set("tcp_tx_open_qp", qp as u64);
        bench.set("tcp_tx_open_valid", 1);
        self.step(bench);
        bench.set("tcp_tx_open_valid", 0);
    }

    /// Says what a segment is: connection, sequence number, octets.
    fn announce(&self, bench: &mut Bench, (qp, seq, total): (usize, u32, usize), kind: Kind, replay: bool) {
        let noise: u64 = bench.rng().random();
        let record = Record::<TxFpdu>::new()
            .with("qp", qp)
            .with("length", noise & 0xFFFF)
            .with("kind", kind as u64)
            .with("replay", replay)
            .with("seq", seq)
            .with("phase", noise >> 16 & 511)
            .with("octets", total)
            .with("markers", noise >> 25 & 1)
            .with("crc", noise >> 26 & 1)
            .with("from", noise >> 27 & 0xFFFF);
        bench.put(self.segments, record.item());
    }

    /// One cycle with a `done` pulse.
    pub fn done(&mut self, bench: &mut Bench, qp: usize, seq: u32) {
        bench.set("tcp_tx_done_valid", 1);
        bench.set("tcp_tx_done_conn", qp as u64);
        bench.set("tcp_tx_done_seq", seq.into());
        self.step(bench);
        bench.set("tcp_tx_done_valid", 0);
    }

    /// One cycle with a tick.
    pub fn tick(&mut self, bench: &mut Bench) {
        self.ticks(bench, true);
        self.step(bench);
        self.ticks(bench, false);
    }

    /// So many ticks pass, and the last one is told.
    pub fn pass(&mut self, bench: &mut Bench, ticks: u32) {
        self.now = self.now.wrapping_add(ticks - 1);
        Self::set_now(bench, self.now);
        self.tick(bench);
        self.steps(bench, 40);
    }

    /// Each cycle from now on has a tick, or none.
    pub fn ticks(&mut self, bench: &mut Bench, on: bool) {
        self.ticks = on;
        bench.set("tcp_tx_fine", on.into());
    }

    /// Waits for `n` frames and takes them; one too many in the next 200 cycles is an error.
    pub fn frames(&mut self, bench: &mut Bench, n: usize) -> Result<Vec<Vec<u8>>, String> {
        let already = bench.waiting(self.frames);
        bench.expect(self.frames, n.saturating_sub(already) as u64);
        self.until(bench, 200_000, |s, b| b.waiting(s.frames) >= n)?;
        self.steps(bench, 200);
        let frames = bench.received(self.frames);
        match frames.iter().find(|f| f.err) {
            Some(bad) => Err(format!("a frame left with err: {bad}")),
            None if frames.len() != n => Err(format!("{} frames left, not {n}", frames.len())),
            None => Ok(frames.into_iter().map(|f| f.data).collect()),
        }
    }
}
