// SPDX-License-Identifier: MIT OR Apache-2.0
//! Driving the network receive stage and comparing it with the model.
use crate::net_rx_frames::Tuple;
use crate::net_rx_model::{bad, Conn, Fact, Model, Outcome, Text, Told};
use crate::record::pack;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// Cycles after the last frame in which its items must have come out.
const LATENCY: u64 = 200;
/// Cycles after which what has not come does not come, stalls and all.
const MOST: u64 = 20_000;

/// Cycles between two challenge ACKs of a connection, at most: the bench renews them in each cycle
/// whose number this divides.
pub const PERIOD: u64 = 2_048;

/// Fields of a record, the first in the low bits.
#[derive(Default)]
struct Fields(Vec<bool>);

impl Fields {
    fn push(&mut self, width: usize, value: u128) {
        self.0.extend((0..width).map(|i| value >> i & 1 == 1));
    }

    fn octets(&self) -> Vec<u8> {
        self.0.chunks(8).map(|c| c.iter().rev().fold(0, |n, &bit| n << 1 | u8::from(bit))).collect()
    }
}

/// Takes the next field off a record's octets.
struct Reader<'a> {
    octets: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, width: usize) -> u64 {
        let bit = |i: usize| u64::from(self.octets[i / 8] >> (i % 8) & 1);
        let value = (0..width).fold(0, |n, i| n | bit(self.at + i) << i);
        self.at += width;
        value
    }
}

fn address(octets: &[u8]) -> u128 {
    octets.iter().fold(0, |n, &o| n << 8 | u128::from(o))
}

/// The row of a connection, as the port `ins_row` takes it.
fn row(conn: &Conn) -> Vec<u8> {
    let Tuple { source, destination, source_port, destination_port } = &conn.tuple;
    let mut f = Fields::default();
    // MAC addresses and the flags between them are of no use to receive
    f.push(48 + 48, 0x1234_5678_9ABC_DEF0);
    // without `has_vlan` the tag says nothing
    f.push(16, u128::from(conn.vlan.unwrap_or(0x0ABC)));
    f.push(1, u128::from(conn.vlan.is_some()));
    f.push(1, u128::from(conn.tuple.is_ipv6()));
    f.push(9, 0x155);
    f.push(128, address(destination));
    f.push(128, address(source));
    f.push(16, u128::from(*destination_port));
    f.push(16, u128::from(*source_port));
    f.push(16, 0x4040);
    f.push(4, u128::from(conn.scale));
    f.push(4 + 8 + 4 * 16, 0x5DC_5B45_A070_07A5_C712);
    for value in [conn.rcv_nxt, conn.una, conn.snd_nxt, conn.window, 7, 9, conn.wl1, conn.wl2, 0, 0] {
        f.push(32, u128::from(value));
    }
    f.push(20 + 16, 0xF_FFFF_FFFF);
    f.octets()
}

/// The stage's ports on a bench.
pub struct Rx {
    /// Frames in.
    pub input: SourceId,
    ins: ChanSrcId,
    rem: ChanSrcId,
    told: ChanSrcId,
    /// Facts.
    pub facts: ChanSinkId,
    /// Events.
    pub ctl: ChanSinkId,
    /// Announcements.
    pub seg: ChanSinkId,
    /// Octets in order.
    pub output: SinkId,
    /// Raw frames.
    pub raw: SinkId,
    /// What goes with them.
    pub notes: ChanSinkId,
    /// Pulses counted so far.
    pub counts: [u64; 14],
    /// Cuts that the last announcement of each connection knew of, modulo 2.
    pub sides: [u64; 4],
}

impl Rx {
    /// Attaches to the ports and waits until the table is blank.
    pub fn new(bench: &mut Bench, idle: Pattern, stall: Pattern) -> Result<Self, String> {
        let secret: Vec<u8> = (0..40).map(|_| bench.rng().random()).collect();
        bench.set_bytes("net_rx_secret", &secret);
        bench.set("net_rx_pub_valid", 0);
        bench.set("net_rx_ring_busy", 0);
        bench.set("net_rx_renew", 0);
        bench.set("net_rx_tag_valid", 0);
        bench.set("net_rx_tag_ready", 0);
        bench.set("net_rx_look_valid", 0);
        bench.set("net_rx_look_qp", 0);
        bench.set("net_rx_undo_valid", 0);
        let rx = Self {
            input: bench.source("net_rx_rx", idle),
            ins: bench.channel_source("net_rx_ins", Pattern::None),
            rem: bench.channel_source("net_rx_rem", Pattern::None),
            told: bench.channel_source("net_rx_told", Pattern::None),
            facts: bench.channel_sink("net_rx_fact", stall),
            ctl: bench.channel_sink("net_rx_ctl", stall),
            seg: bench.channel_sink("net_rx_seg", stall),
            output: bench.sink("net_rx_tx", stall),
            raw: bench.sink("net_rx_raw", stall),
            notes: bench.channel_sink("net_rx_note", stall),
            counts: [0; 14],
            sides: [0; 4],
        };
        bench.run_until(1_000, |b| b.get("net_rx_scrubbed") == 1)?;
        Ok(rx)
    }

    /// As [`Rx::new`], with patterns drawn from the case's random generator.
    pub fn random(bench: &mut Bench) -> Result<Self, String> {
        let mut draw = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
        let (idle, stall) = (draw(), draw());
        Self::new(bench, idle, stall)
    }

    /// One cycle, pulses counted.
    pub fn step(&mut self, bench: &mut Bench) {
        bench.set("net_rx_renew", u64::from(bench.cycle().is_multiple_of(PERIOD)));
        bench.step();
        bench.set("net_rx_renew", 0);
        let pulses = bench.get("net_rx_bad");
        for (i, n) in self.counts.iter_mut().enumerate() {
            *n += pulses >> i & 1;
        }
    }

    /// Inserts a connection; the answer's code.
    pub fn insert(&mut self, bench: &mut Bench, qp: u64, conn: &Conn) -> Result<u64, String> {
        bench.put(self.ins, Item::new().with("qp", qp).with_bytes("row", &row(conn)));
        self.answer(bench, "net_rx_ins_ready")
    }

    /// Removes a connection; the answer's code.
    pub fn remove(&mut self, bench: &mut Bench, qp: u64) -> Result<u64, String> {
        bench.put(self.rem, Item::new().with("qp", qp));
        self.answer(bench, "net_rx_rem_ready")
    }

    fn answer(&mut self, bench: &mut Bench, ready: &str) -> Result<u64, String> {
        for _ in 0..1_000 {
            self.step(bench);
            if bench.get(ready) == 1 {
                let code = bench.get("net_rx_code");
                self.step(bench);
                return Ok(code);
            }
        }
        Err(format!("{ready} does not come"))
    }

    /// Firmware tells of a segment that it saw, to the stage and to the model.
    pub fn tell(&mut self, bench: &mut Bench, model: &mut Model, told: Told) -> Result<(), String> {
        let Told { qp, seq, ack, window, ack_now } = told;
        let numbers = [seq, ack, window].map(|number| (number.into(), 32));
        let fields = [&[(qp.into(), 8)], &numbers[..], &[(ack_now.into(), 1)]].concat();
        model.told(told);
        bench.put(self.told, Item::new().with_bytes("item", &pack(&fields)));
        for _ in 0..1_000 {
            if bench.put_all(self.told) {
                return Ok(());
            }
            self.step(bench);
        }
        Err("what is told is not taken".into())
    }

    /// MPA cuts a connection: what is due again.
    pub fn undo(&mut self, bench: &mut Bench, qp: u64, due: u32) {
        bench.set("net_rx_undo_conn", qp);
        bench.set("net_rx_undo_due", u64::from(due));
        bench.set("net_rx_undo_valid", 1);
        self.step(bench);
        bench.set("net_rx_undo_valid", 0);
    }

    /// Publishes SND.NXT of a connection.
    pub fn publish(&mut self, bench: &mut Bench, qp: u64, snd_nxt: u32) {
        bench.set("net_rx_pub_qp", qp);
        bench.set("net_rx_pub_snd_nxt", u64::from(snd_nxt));
        bench.set("net_rx_pub_valid", 1);
        self.step(bench);
        bench.set("net_rx_pub_valid", 0);
    }

    /// Sends a frame, to the stage and to the model.
    pub fn send(&self, bench: &mut Bench, model: &mut Model, frame: Vec<u8>, err: bool) {
        model.take(&frame, err);
        bench.send(self.input, Frame { data: frame, err });
    }

    /// Runs until all frames are in, those expected are out, and nothing more comes.
    pub fn settle(&mut self, bench: &mut Bench, expected: &Outcome) -> Result<(), String> {
        let texts = expected.texts.iter().filter(|t| !t.octets.is_empty()).count();
        let facts = expected.facts.iter().filter(|f| !f.1).count();
        let mut quiet = 0;
        for _ in 0..1_000_000 {
            self.step(bench);
            quiet = if bench.sent_all(self.input) { quiet + 1 } else { 0 };
            let all = bench.waiting(self.output) >= texts
                && bench.waiting(self.raw) >= expected.raw.len()
                && bench.waiting_items(self.notes) >= expected.raw.len()
                && bench.waiting_items(self.facts) >= facts
                && bench.waiting_items(self.seg) >= expected.texts.len()
                && self.counts.iter().zip(&expected.counts).all(|(came, want)| came >= want);
            if quiet > MOST || (all && quiet > LATENCY) {
                return Ok(());
            }
        }
        Err("frames are not taken".into())
    }

    /// All that has come out and was not taken before.
    pub fn outcome(&mut self, bench: &mut Bench) -> Result<Outcome, String> {
        let mut out = Outcome { counts: std::mem::take(&mut self.counts), ..Outcome::default() };
        for item in bench.taken(self.facts) {
            let octets = item.bytes("item").ok_or("a fact without item")?;
            let mut r = Reader { octets, at: 0 };
            let qp = r.take(8) as u8;
            let (has_ack, ack) = (r.take(1), r.take(32) as u32);
            let (has_window, window) = (r.take(1), r.take(32) as u32);
            let (ack_now, is_dup) = (r.take(1) == 1, r.take(1) == 1);
            let ack = (has_ack == 1).then_some(ack);
            let window = (has_window == 1).then_some(window);
            out.facts.push((Fact { qp, ack, window, ack_now, is_dup }, false));
        }
        for item in bench.taken(self.ctl) {
            let octets = item.bytes("item").ok_or("an event without item")?;
            let mut r = Reader { octets, at: 0 };
            out.events.push((r.take(8) as u8, r.take(3) as u8));
        }
        let mut frames = VecDeque::from(bench.received(self.output));
        for item in bench.taken(self.seg) {
            let field = |name: &str| item.u64(name).ok_or_else(|| format!("no field {name}"));
            let octets = match field("empty")? {
                1 => vec![],
                _ => frames.pop_front().ok_or("a segment without its octets")?.data,
            };
            let (qp, seq, end) = (field("conn")? as u8, field("seq")? as u32, field("end")? == 1);
            self.sides[usize::from(qp)] = field("side")?;
            if field("late")? == 1 {
                out.events.push((qp, 3));
                continue;
            }
            out.texts.push(Text { qp, seq, end, octets });
        }
        let mut raw = VecDeque::from(bench.received(self.raw));
        for item in bench.taken(self.notes) {
            let octets = item.bytes("item").ok_or("a note without item")?;
            let mut r = Reader { octets, at: 0 };
            let (length, reason) = (r.take(16) as usize, r.take(8) as u8);
            let frame = raw.pop_front().ok_or("a note without its frame")?;
            if frame.data.len() != length {
                return Err(format!("a raw frame of {} octets, {length} said", frame.data.len()));
            }
            out.raw.push((frame.data, reason));
        }
        if !frames.is_empty() || !raw.is_empty() {
            return Err(format!("{} texts and {} raw frames without item", frames.len(), raw.len()));
        }
        Ok(out)
    }

    /// Waits until all is out, and compares it with what the model expected since the last
    /// comparison.
    pub fn check(&mut self, bench: &mut Bench, model: &mut Model) -> Result<(), String> {
        self.settle(bench, &model.expected)?;
        let got = self.outcome(bench)?;
        compare(&std::mem::take(&mut model.expected), &got)
    }
}

/// The first difference between two lists, named.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, want: &[T], got: &[T]) -> Result<(), String> {
    if want == got {
        return Ok(());
    }
    let at = want.iter().zip(got).position(|(a, b)| a != b).unwrap_or(want.len().min(got.len()));
    let short = |list: &[T]| list.get(at).map_or("nothing".into(), |x| format!("{x:.900?}"));
    let (n, m) = (want.len(), got.len());
    Err(format!(
        "{what} {at} of {n} differs, {m} came\n  expected {}\n  came     {}",
        short(want),
        short(got)
    ))
}

/// What came is what had to, but for challenge ACKs that were withheld: `challenges` were not. One
/// that was looks like any other ACK owed at once, so that each way to leave some out is tried.
fn fits(want: &[(Fact, bool)], got: &[Fact], challenges: u64) -> bool {
    let Some(((fact, may_lack), rest)) = want.split_first() else {
        return got.is_empty() && challenges == 0;
    };
    let came = || match got.split_first() {
        Some((first, others)) if first == fact => {
            challenges.checked_sub(u64::from(*may_lack)).is_some_and(|left| fits(rest, others, left))
        }
        _ => false,
    };
    came() || (*may_lack && fits(rest, got, challenges))
}

/// Compares what came with what had to; challenge ACKs may be withheld, nothing else.
pub fn compare(want: &Outcome, got: &Outcome) -> Result<(), String> {
    let facts: Vec<_> = got.facts.iter().map(|f| f.0).collect();
    let challenges = got.counts[bad::CHALLENGE];
    if !fits(&want.facts, &facts, challenges) {
        let (expected, counts) = (&want.facts, (want.counts, got.counts));
        return Err(format!(
            "facts, {challenges} of them challenge ACKs\n  expected (true: may be withheld) {expected:?}\n  \
             came {facts:?}\n  counts {counts:?}"
        ));
    }
    // resets come from TCP, octets behind a FIN by way of MPA
    let of = |outcome: &Outcome, kind: u8| -> Vec<_> {
        outcome.events.iter().filter(|e| e.1 == kind).copied().collect()
    };
    for kind in [1, 3] {
        same("event", &of(want, kind), &of(got, kind))?;
    }
    same("text", &want.texts, &got.texts)?;
    same("raw frame", &want.raw, &got.raw).map_err(|why| format!("{why}\n  counts {:?}", got.counts))?;
    let mut counts = want.counts;
    counts[bad::CHALLENGE] = challenges;
    same("count", &counts, &got.counts)
}

/// Runs a body on the bench top, without pauses.
pub fn plain(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    run_case(&format!("net_rx-{name}"), Top::NetRxW64, 1, |bench| {
        let mut rx = Rx::new(bench, Pattern::None, Pattern::None)?;
        body(bench, &mut rx)
    });
}
