//! Driving the MPA receive stage: streams of FPDUs, cut into segments, interleaved over connections.
use crate::mpa_model::fpdu;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
use rand::Rng;
use std::collections::VecDeque;

/// Cycles after the last expected octet in which nothing more may come.
const QUIET: u64 = 500;

/// Octets of one direction of a connection, and what must come out of them.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Connection.
    pub conn: u64,
    /// SeqStart.
    pub seq_start: u32,
    /// Markers are in the stream.
    pub markers: bool,
    /// The CRC is generated and checked.
    pub crc: bool,
    /// The octets.
    pub octets: Vec<u8>,
    /// ULPDUs in order, each with the sequence number after its FPDU.
    pub expected: Vec<(Vec<u8>, u32)>,
    /// The verdict that ends the connection's receive side, if one must.
    pub fault: Option<u64>,
}

impl Stream {
    /// An empty stream.
    pub fn new(conn: u64, seq_start: u32, markers: bool, crc: bool) -> Self {
        Self { conn, seq_start, markers, crc, octets: vec![], expected: vec![], fault: None }
    }

    /// Appends the FPDU of `ulpdu`, which must come out.
    pub fn push(&mut self, ulpdu: &[u8]) {
        let wire = fpdu(ulpdu, self.octets.len() as u64, self.markers, self.crc);
        self.octets.extend(wire);
        self.expected.push((ulpdu.to_vec(), self.end_seq()));
    }

    /// Appends octets that are the FPDU of `ulpdu` as somebody else wrote it; it must come out.
    pub fn push_raw(&mut self, wire: &[u8], ulpdu: &[u8]) {
        self.octets.extend_from_slice(wire);
        self.expected.push((ulpdu.to_vec(), self.end_seq()));
    }

    /// Appends one FPDU of zeros so that the next one begins at stream offset `to`, below 512.
    pub fn fill_to(&mut self, to: usize) {
        let marker = if self.markers && self.octets.is_empty() { 4 } else { 0 };
        let ulpdu = to - self.octets.len() - marker - 6;
        self.push(&vec![0; ulpdu]);
        assert_eq!(self.octets.len(), to, "no FPDU ends at {to}");
    }

    /// Appends octets that must give `verdict` and nothing else, whatever follows them.
    pub fn push_fault(&mut self, octets: &[u8], verdict: u64) {
        self.octets.extend_from_slice(octets);
        self.fault = Some(verdict);
    }

    /// Sequence number of the octet after the last one.
    pub fn end_seq(&self) -> u32 {
        self.seq_start.wrapping_add(self.octets.len() as u32)
    }
}

/// A piece of a stream: offset of its first octet, its octets, and whether the stream ends with it.
#[derive(Clone, Debug)]
pub struct Segment {
    stream: usize,
    offset: usize,
    octets: Vec<u8>,
    end: bool,
}

/// Cuts each stream by `cut` (given what is left, how many octets the next segment takes) and interleaves the
/// segments of all streams at random.
pub fn segments<R: Rng>(
    streams: &[Stream],
    rng: &mut R,
    mut cut: impl FnMut(&mut R, &Stream, usize) -> usize,
) -> Vec<Segment> {
    let mut queues: Vec<VecDeque<Segment>> = vec![];
    for (stream, s) in streams.iter().enumerate() {
        let mut queue = VecDeque::new();
        let mut offset = 0;
        while offset < s.octets.len() {
            let n = cut(rng, s, offset).clamp(1, s.octets.len() - offset);
            let octets = s.octets[offset..offset + n].to_vec();
            queue.push_back(Segment { stream, offset, octets, end: false });
            offset += n;
        }
        queues.push(queue);
    }
    let mut out = vec![];
    while queues.iter().any(|q| !q.is_empty()) {
        let i = rng.random_range(0..queues.len());
        out.extend(queues[i].pop_front());
    }
    out
}

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
}

/// What came out for one connection: ULPDUs with the sequence number after each, then perhaps a verdict.
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
        let rx = Self {
            setup: bench.channel_source("mpa_rx_setup", Pattern::None),
            seg: bench.channel_source("mpa_rx_seg", idle),
            input: bench.source("mpa_rx_rx", idle),
            fpdu: bench.channel_sink("mpa_rx_fpdu", stall),
            output: bench.sink("mpa_rx_tx", stall),
        };
        bench.run_until(10_000, |b| b.get("mpa_rx_scrubbed") == 1)?;
        Ok(rx)
    }

    /// Sets a connection up for a stream.
    pub fn set_up(&self, bench: &mut Bench, s: &Stream) -> Result<(), String> {
        let item = Item::new()
            .with("conn", s.conn)
            .with("seq_start", u64::from(s.seq_start))
            .with("markers", u64::from(s.markers))
            .with("crc", u64::from(s.crc));
        bench.put(self.setup, item);
        bench.run_until(1_000, |b| b.put_all(self.setup)).map(drop)
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
                .with("end", u64::from(s.end));
            bench.put(self.seg, item);
            if !s.octets.is_empty() {
                bench.send(self.input, Frame::good(s.octets.clone()));
            }
        }
    }

    /// Runs until all was taken and nothing more comes out; returns what came, by connection.
    pub fn finish(&self, bench: &mut Bench, streams: &[Stream]) -> Result<Vec<Got>, String> {
        bench.run_until(4_000_000, |b| b.sent_all(self.input) && b.put_all(self.seg))?;
        let ulpdus: usize = streams.iter().map(|s| s.expected.len()).sum();
        let items = ulpdus + streams.iter().filter(|s| s.fault.is_some()).count();
        // What does not come is found by the comparison; here it only ends the wait.
        let all = |b: &mut Bench| b.waiting(self.output) >= ulpdus && b.waiting_items(self.fpdu) >= items;
        let _ = bench.run_until(100_000, all);
        let end = bench.cycle() + QUIET;
        bench.run_until(2 * QUIET, |b| b.cycle() >= end)?;
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

/// Whole segments of at most `most` octets each, stream after stream.
pub fn cut_every(streams: &[Stream], most: usize) -> Vec<Segment> {
    let mut out = vec![];
    for (stream, s) in streams.iter().enumerate() {
        for (i, octets) in s.octets.chunks(most).enumerate() {
            out.push(Segment { stream, offset: i * most, octets: octets.to_vec(), end: false });
        }
    }
    out
}

/// Segments that follow the FPDUs of one stream: `group` whole FPDUs each.
pub fn cut_at_fpdus(stream: &Stream, group: usize) -> Vec<Segment> {
    let mut offset = 0;
    let mut out = vec![];
    for last in stream.expected.chunks(group).filter_map(|g| g.last()) {
        let end = last.1.wrapping_sub(stream.seq_start) as usize;
        out.push(Segment { stream: 0, offset, octets: stream.octets[offset..end].to_vec(), end: false });
        offset = end;
    }
    out
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

/// Marks the last segment of each stream as the stream's end.
pub fn end_streams(segments: &mut [Segment], streams: usize) {
    for stream in 0..streams {
        if let Some(last) = segments.iter_mut().rev().find(|s| s.stream == stream) {
            last.end = true;
        }
    }
}
