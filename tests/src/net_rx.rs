// SPDX-License-Identifier: MIT OR Apache-2.0
//! Driving the network receive stage and comparing it with the model.
use crate::net_rx_frames::Tuple;
use crate::net_rx_model::{bad, Conn, Fact, Model, Outcome, Text, Told};
use crate::record::Record;
use crate::toeplitz::SECRET;
use ferrowarp_hdl::gen::ConnRow;
use ferrowarp_hdl::record::{RawNote, RxCtl, RxTold, TxFact};
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

fn address(octets: &[u8]) -> u128 {
    octets.iter().fold(0, |n, &o| n << 8 | u128::from(o))
}

/// Fields of a connection's row that receive does not read, and a value that is not 0 for each.
const UNREAD: [(&str, u64); 19] = [
    ("destination_mac", 0x1234_5678_9ABC),
    ("source_mac", 0xDEF0),
    ("gate_open", 1),
    ("tx_markers", 1),
    ("tx_crc", 1),
    ("timestamps", 1),
    ("ecn", 1),
    ("ttl", 0x40),
    ("traffic_class", 0x40),
    ("rcv_scale", 2),
    ("retry_limit", 0x71),
    ("mtu", 0x05DC),
    ("emss", 0x05B4),
    ("mulpdu", 0x05A0),
    ("rtt", 0x0707),
    ("rx_seq_start", 7),
    ("tx_seq_start", 9),
    ("flow_label", 0xF_FFFF),
    ("keepalive", 0xFFFF),
];

/// The row of a connection, as the port `ins_row` takes it.
fn row(conn: &Conn) -> Record<ConnRow> {
    let Tuple { source, destination, source_port, destination_port } = &conn.tuple;
    let record = UNREAD.iter().fold(Record::new(), |record, &(field, value)| record.with(field, value));
    // without `has_vlan` the tag says nothing
    record
        .with("vlan_tci", conn.vlan.unwrap_or(0x0ABC))
        .with("has_vlan", conn.vlan.is_some())
        .with("is_ipv6", conn.tuple.is_ipv6())
        .with("local_ip", address(destination))
        .with("remote_ip", address(source))
        .with("local_port", *destination_port)
        .with("remote_port", *source_port)
        .with("snd_scale", conn.scale)
        .with("rcv_nxt", conn.rcv_nxt)
        .with("snd_una", conn.una)
        .with("snd_nxt", conn.snd_nxt)
        .with("snd_wnd", conn.window)
        .with("snd_wl1", conn.wl1)
        .with("snd_wl2", conn.wl2)
}

/// The stage's ports on a bench.
pub struct Rx {
    /// Secret of the 4-tuple table.
    pub secret: [u8; SECRET],
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
        let secret = std::array::from_fn(|_| bench.rng().random());
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
            secret,
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
        bench.put(self.ins, row(conn).field(Item::new().with("qp", qp), "row"));
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
        let record = Record::<RxTold>::new().with("qp", qp).with("seq", seq).with("ack", ack);
        model.told(told);
        bench.put(self.told, record.with("window", window).with("ack_now", ack_now).item());
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
            let fact = Record::<TxFact>::of_item(&item);
            let some = |has, field| fact.is(has).then(|| fact.get(field) as u32);
            let (ack, window) = (some("has_ack", "ack"), some("has_window", "window"));
            let (ack_now, is_dup) = (fact.is("ack_now"), fact.is("is_dup"));
            out.facts.push((Fact { qp: fact.get("qp") as u8, ack, window, ack_now, is_dup }, false));
        }
        for item in bench.taken(self.ctl) {
            let ctl = Record::<RxCtl>::of_item(&item);
            out.events.push((ctl.get("qp") as u8, ctl.get("kind") as u8));
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
            let note = Record::<RawNote>::of_item(&item);
            let (length, reason) = (note.get("length") as usize, note.get("reason") as u8);
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
