// SPDX-License-Identifier: MIT OR Apache-2.0
//! Driving the MPA receive stage and judging what comes out of it.
mod segments;

use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
use rand::Rng;
pub use segments::{add_idle, cut_at_fpdus, cut_every, end_streams, segments, Segment, Stream};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Verdict: CRC32c mismatch.
pub const CRC: u64 = 1;
/// Verdict: the CRC is good, a marker disagrees.
pub const MARKER: u64 = 2;
/// Verdict: ULPDU_Length below 14 or above 64768.
pub const LENGTH: u64 = 3;
/// Verdict: longer than the reassembly buffer.
pub const BUFFER: u64 = 4;

/// Cycles after the last expected octet in which nothing more may come.
const QUIET: u64 = 500;

/// The stage's ports on a bench.
pub struct Rx {
    setup: ChanSrcId,
    seg: ChanSrcId,
    /// Segment octets.
    pub input: SourceId,
    /// Verdicts.
    pub fpdu: ChanSinkId,
    /// ULPDUs.
    pub output: SinkId,
    pulses: RefCell<Pulses>,
}

/// Connection, and sequence number after a segment of it, whether it has stopped or not; the stream
/// ends with it.
type AckPoint = (u64, u32, bool);

/// What the outputs without `ready` have said, and what they had to.
#[derive(Default)]
struct Pulses {
    /// The next cycle to look at.
    from: u64,
    points: Vec<AckPoint>,
    strays: u64,
    expected_points: Vec<AckPoint>,
    expected_strays: u64,
}

impl Pulses {
    fn look(&mut self, bench: &Bench) {
        if bench.cycle() < self.from {
            return;
        }
        self.from = bench.cycle() + 1;
        self.strays += bench.get("mpa_rx_stray");
        if bench.get("mpa_rx_done_valid") == 1 {
            let [conn, seq, ends] =
                ["conn", "seq", "ends"].map(|name| bench.get(&format!("mpa_rx_done_{name}")));
            self.points.push((conn, seq as u32, ends == 1));
        }
    }

    /// Compares what came with what had to, and forgets both.
    fn settle(&mut self) -> Result<(), String> {
        let Self { from, points, strays, expected_points, expected_strays } = std::mem::take(self);
        self.from = from;
        if strays != expected_strays {
            return Err(format!("{strays} strays, not {expected_strays}"));
        }
        if points != expected_points {
            let at = points.iter().zip(&expected_points).position(|(a, b)| a != b);
            let at = at.unwrap_or(points.len().min(expected_points.len()));
            let (have, want) = (points.get(at), expected_points.get(at));
            return Err(format!("ack point {at} is {have:x?}, not {want:x?}"));
        }
        Ok(())
    }
}

/// What came out for one connection: ULPDUs with the sequence number after each, then perhaps a
/// verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Got {
    /// ULPDUs in order.
    pub ulpdus: Vec<(Vec<u8>, u32)>,
    /// Verdicts other than good.
    pub faults: Vec<u64>,
}

impl Rx {
    /// Attaches to the ports and waits for the scrub.
    pub fn new(bench: &mut Bench, idle: Pattern, stall: Pattern) -> Result<Self, String> {
        // every Send goes on
        for port in ["there", "two", "to_come", "took_valid", "took_ready", "anew", "crowded", "waiting"] {
            bench.set(&format!("mpa_rx_{port}"), 0);
        }
        let rx = Self {
            setup: bench.channel_source("mpa_rx_setup", Pattern::None),
            seg: bench.channel_source("mpa_rx_seg", idle),
            input: bench.source("mpa_rx_rx", idle),
            fpdu: bench.channel_sink("mpa_rx_fpdu", stall),
            output: bench.sink("mpa_rx_tx", stall),
            pulses: RefCell::default(),
        };
        bench.run_until(10_000, |b| b.get("mpa_rx_scrubbed") == 1)?;
        Ok(rx)
    }

    /// As [`Bench::run_until`]; sees every ack point and stray. Once a segment was sent, every
    /// cycle is run by it.
    pub fn run_until(
        &self,
        bench: &mut Bench,
        cycles: u64,
        mut done: impl FnMut(&mut Bench) -> bool,
    ) -> Result<u64, String> {
        bench.run_until(cycles, |b| {
            self.pulses.borrow_mut().look(b);
            done(b)
        })
    }

    /// Sets a connection up for a stream.
    pub fn set_up(&self, bench: &mut Bench, s: &Stream) -> Result<(), String> {
        let item = Item::new()
            .with("conn", s.conn)
            .with("seq_start", u64::from(s.seq_start))
            .with("markers", u64::from(s.markers))
            .with("crc", u64::from(s.crc));
        bench.put(self.setup, item);
        self.run_until(bench, 1_000, |b| b.put_all(self.setup)).map(drop)
    }

    /// Announces octets of a connection, which come behind those before them; `side` counts the
    /// cuts that are known.
    pub fn announce(&self, bench: &mut Bench, at: (u64, u32), octets: &[u8], end: bool, side: u64) {
        let item = Item::new()
            .with("conn", at.0)
            .with("seq", u64::from(at.1))
            .with("empty", u64::from(octets.is_empty()))
            .with("end", u64::from(end))
            .with("side", side)
            .with("late", 0);
        bench.put(self.seg, item);
        if !octets.is_empty() {
            bench.send(self.input, Frame { data: octets.to_vec(), err: false });
        }
    }

    /// All that was announced is taken.
    pub fn all_in(&self, bench: &Bench) -> bool {
        bench.sent_all(self.input) && bench.put_all(self.seg)
    }

    /// Sends segments in their order.
    pub fn send(&self, bench: &mut Bench, streams: &[Stream], segments: &[Segment]) {
        for s in segments {
            let stream = &streams[s.stream];
            let seq = stream.seq_start.wrapping_add(s.offset as u32);
            let item = Item::new()
                .with("conn", stream.conn)
                .with("seq", u64::from(seq))
                .with("empty", u64::from(s.octets.is_empty()))
                .with("end", u64::from(s.end))
                .with("side", 0)
                .with("late", 0);
            bench.put(self.seg, item);
            if !s.octets.is_empty() {
                bench.send(self.input, Frame { data: s.octets.clone(), err: s.err });
            }
            let mut pulses = self.pulses.borrow_mut();
            if s.stray {
                pulses.expected_strays += 1;
            } else {
                let length = s.octets.len();
                // a FIN takes a sequence number
                let after = seq.wrapping_add(length as u32 + u32::from(s.end));
                pulses.expected_points.push((stream.conn, after, s.end));
            }
        }
    }

    /// Runs until all was taken and nothing more comes out; returns what came, by connection.
    /// Strays and ack points must be those of the segments sent.
    pub fn finish(&self, bench: &mut Bench, streams: &[Stream]) -> Result<Vec<Got>, String> {
        self.run_until(bench, 4_000_000, |b| b.sent_all(self.input) && b.put_all(self.seg))?;
        let ulpdus: usize = streams.iter().map(|s| s.expected.len()).sum();
        let items = ulpdus + streams.iter().filter(|s| s.fault.is_some()).count();
        // What does not come is found by the comparison; here it only ends the wait.
        let all = |b: &mut Bench| b.waiting(self.output) >= ulpdus && b.waiting_items(self.fpdu) >= items;
        let _ = self.run_until(bench, 100_000, all);
        let end = bench.cycle() + QUIET;
        self.run_until(bench, 2 * QUIET, |b| b.cycle() >= end)?;
        self.pulses.borrow_mut().settle()?;
        let mut frames = VecDeque::from(bench.received(self.output));
        let mut got = vec![Got::default(); streams.len()];
        for item in bench.taken(self.fpdu) {
            let field = |name: &str| item.u64(name).ok_or_else(|| format!("no field {name}"));
            let conn = field("conn")?;
            let at =
                streams.iter().position(|s| s.conn == conn).ok_or_else(|| format!("connection {conn}?"))?;
            let verdict = field("verdict")?;
            if verdict != 0 {
                got[at].faults.push(verdict);
                continue;
            }
            let frame = frames.pop_front().ok_or("a good FPDU without a frame")?;
            if frame.err || frame.data.len() as u64 != field("length")? {
                return Err(format!("frame of {} octets, err {}: {item:?}", frame.data.len(), frame.err));
            }
            got[at].ulpdus.push((frame.data, field("end_seq")? as u32));
        }
        if !frames.is_empty() {
            return Err(format!("{} frames without metadata", frames.len()));
        }
        Ok(got)
    }

    /// Runs the streams through a stage that is set up for them and compares.
    pub fn check(&self, bench: &mut Bench, streams: &[Stream], segments: &[Segment]) -> Result<(), String> {
        self.send(bench, streams, segments);
        let got = self.finish(bench, streams)?;
        for (s, g) in streams.iter().zip(&got) {
            compare(s, g)?;
        }
        Ok(())
    }
}

/// Cycles of patience with a Send that waits for its receive, as the bench's tops have them.
pub const PATIENCE: u64 = 40;
/// DDP's and RDMAP's control octets of a whole Send.
pub const SEND: [u8; 2] = [0x41, 0x43];
/// The same of a segment of a Write.
pub const WRITE: [u8; 2] = [0xc1, 0x40];

/// A ULPDU of these control octets and random ones.
pub fn ulpdu(bench: &mut Bench, head: [u8; 2], length: usize) -> Vec<u8> {
    let rest = (2..length).map(|_| bench.rng().random());
    head.into_iter().chain(rest.collect::<Vec<u8>>()).collect()
}

/// Runs `body` at 64 and at 256 bits without pauses.
pub fn both_widths(name: &str, body: impl Fn(&mut Bench, &Rx) -> Result<(), String>) {
    for top in [Top::MpaW64, Top::MpaW256] {
        run_case(&format!("mpa_rx-{name}-{}", top.name()), top, 1, |bench| {
            let rx = Rx::new(bench, Pattern::None, Pattern::None)?;
            body(bench, &rx)
        });
    }
}

/// One stream in segments of at most `most` octets must give what it says, at both widths.
pub fn judged(name: &str, stream: &Stream, most: usize) {
    both_widths(name, |bench, rx| {
        rx.set_up(bench, stream)?;
        let streams = [stream.clone()];
        rx.check(bench, &streams, &cut_every(&streams, most))
    });
}

/// Compares what came out with what had to.
pub fn compare(stream: &Stream, got: &Got) -> Result<(), String> {
    let who = format!("connection {}", stream.conn);
    for (i, (want, have)) in stream.expected.iter().zip(&got.ulpdus).enumerate() {
        if want.0 != have.0 {
            let at = want.0.iter().zip(&have.0).position(|(a, b)| a != b);
            let (w, h) = (want.0.len(), have.0.len());
            return Err(format!("{who}: ULPDU {i} differs at {at:?} (lengths {w}, {h})"));
        }
        if want.1 != have.1 {
            return Err(format!("{who}: ULPDU {i} ends at {:#x}, not {:#x}", have.1, want.1));
        }
    }
    if stream.expected.len() != got.ulpdus.len() {
        return Err(format!("{who}: {} ULPDUs, not {}", got.ulpdus.len(), stream.expected.len()));
    }
    let faults: Vec<u64> = stream.fault.into_iter().collect();
    if got.faults != faults {
        return Err(format!("{who}: verdicts {:?}, not {faults:?}", got.faults));
    }
    Ok(())
}
