// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream cells that cut frames and put them together: what must come out, and one exchange on
//! a bench. Used by the tests of these cells and by their throughput benches.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Frame, Item, Measured, Pattern, SinkId, SourceId};

/// Octets of the headers that the bench tops split off and put in front.
pub const HEADERS: [usize; 5] = [14, 18, 20, 40, 54];
/// Widths in bits that are tested.
pub const WIDTHS: [(Top, usize); 2] = [(Top::BenchW64, 64), (Top::BenchW256, 256)];

/// A frame's part, if it has octets.
fn part(octets: &[u8], err: bool) -> Option<Frame> {
    (!octets.is_empty()).then(|| Frame { data: octets.to_vec(), err })
}

/// A number field of an item that came out of the hardware.
fn flag(item: &Item, field: &str) -> Result<bool, String> {
    item.u64(field).map(|v| v == 1).ok_or_else(|| format!("item `{item}` has no field `{field}`"))
}

/// The error names the first frame that differs.
fn same_frames(what: &str, got: &[Frame], wanted: &[Frame]) -> Result<(), String> {
    match got.iter().zip(wanted).position(|(g, w)| g != w) {
        Some(i) => Err(format!("{what} {i}:\n  expected {}\n  received {}", wanted[i], got[i])),
        None if got.len() != wanted.len() => Err(format!("{what}: {} of {}", got.len(), wanted.len())),
        None => Ok(()),
    }
}

/// Cycles that an exchange of so many octets may take: one octet a beat at a quarter of the rate,
/// and room.
fn patience(frames: &[Frame]) -> u64 {
    64 * frames.iter().map(|f| f.data.len() as u64 + 64).sum::<u64>() + 10_000
}

/// In which order the reader of a header split takes header and payload of one frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Each when it comes.
    Any,
    /// No octet of the payload before the header.
    HeaderFirst,
    /// The header after the last octet of the payload.
    PayloadFirst,
}

/// A header split `split<h>` with all its ends.
pub struct Split {
    octets: usize,
    rx: SourceId,
    hdr: ChanSinkId,
    tx: SinkId,
}

impl Split {
    /// Attaches agents.
    pub fn new(bench: &mut Bench, octets: usize, idle: Pattern, stall: Pattern) -> Self {
        Self {
            octets,
            rx: bench.source(&format!("split{octets}_rx"), idle),
            hdr: bench.channel_sink(&format!("split{octets}_hdr"), stall),
            tx: bench.sink(&format!("split{octets}_tx"), stall),
        }
    }

    /// Sends the frames and compares headers, flags and payload.
    pub fn run(&self, bench: &mut Bench, frames: &[Frame], taken: Taken) -> Result<Measured, String> {
        let payload: Vec<_> = frames.iter().filter_map(|f| part(f.data.get(self.octets..)?, f.err)).collect();
        bench.restart_rates();
        frames.iter().for_each(|f| bench.send(self.rx, f.clone()));
        bench.expect_items(self.hdr, frames.len() as u64);
        bench.expect(self.tx, payload.len() as u64);
        match taken {
            Taken::Any => {}
            Taken::HeaderFirst => self.in_turns(bench, frames, true)?,
            Taken::PayloadFirst => self.in_turns(bench, frames, false)?,
        }
        bench.run_until(patience(frames), |b| {
            b.waiting_items(self.hdr) >= frames.len() && b.waiting(self.tx) >= payload.len()
        })?;
        let headers = bench.taken(self.hdr);
        if headers.len() != frames.len() {
            return Err(format!("{} headers of {} frames", headers.len(), frames.len()));
        }
        frames.iter().zip(&headers).try_for_each(|(frame, header)| self.check(frame, header))?;
        same_frames("payload", &bench.received(self.tx), &payload)?;
        Ok(Measured { rx: bench.source_rate(self.rx), tx: bench.sink_rate(self.tx) })
    }

    /// Starts a frame and stops after so many cycles, wherever it is then.
    pub fn begin(&self, bench: &mut Bench, frame: Frame, cycles: u64) {
        bench.send(self.rx, frame);
        (0..cycles).for_each(|_| bench.step());
    }

    fn in_turns(&self, bench: &mut Bench, frames: &[Frame], header_first: bool) -> Result<(), String> {
        let mut payloads = 0;
        bench.hold_channel_sink(self.hdr, true);
        bench.hold_sink(self.tx, true);
        for (i, frame) in frames.iter().enumerate() {
            payloads += usize::from(frame.data.len() > self.octets);
            for header in [header_first, !header_first] {
                bench.hold_channel_sink(self.hdr, !header);
                bench.hold_sink(self.tx, header);
                bench.run_until(patience(frames), |b| match header {
                    true => b.waiting_items(self.hdr) > i,
                    false => b.waiting(self.tx) >= payloads,
                })?;
            }
        }
        bench.hold_channel_sink(self.hdr, false);
        bench.hold_sink(self.tx, false);
        Ok(())
    }

    fn check(&self, frame: &Frame, header: &Item) -> Result<(), String> {
        let (len, h) = (frame.data.len(), self.octets);
        let flags = [flag(header, "short")?, flag(header, "empty")?, flag(header, "err")?];
        let wanted = [len < h, len <= h, len <= h && frame.err];
        let octets = header.bytes("data").ok_or("a header without data")?;
        let there = len.min(h);
        if flags != wanted || octets.get(..there) != frame.data.get(..there) {
            return Err(format!("header `{header}` of frame {frame}: short, empty, err must be {wanted:?}"));
        }
        Ok(())
    }
}

/// A header join `join<h>` with all its ends.
pub struct Join {
    octets: usize,
    hdr: ChanSrcId,
    rx: SourceId,
    tx: SinkId,
}

impl Join {
    /// Attaches agents.
    pub fn new(bench: &mut Bench, octets: usize, idle: Pattern, stall: Pattern) -> Self {
        Self {
            octets,
            hdr: bench.channel_source(&format!("join{octets}_hdr"), idle),
            rx: bench.source(&format!("join{octets}_rx"), idle),
            tx: bench.sink(&format!("join{octets}_tx"), stall),
        }
    }

    /// Queues header and payload of a frame; gives the frame that must come out.
    fn offer(&self, bench: &mut Bench, frame: &Frame) -> Frame {
        let (short, empty) = (frame.data.len() < self.octets, frame.data.len() <= self.octets);
        let mut whole = frame.clone();
        if short {
            whole.data.resize(self.octets, 0);
        }
        let (header, payload) = whole.data.split_at(self.octets);
        let item = Item::new()
            .with_bytes("data", header)
            .with("short", short.into())
            .with("empty", empty.into())
            .with("err", u64::from(empty && frame.err));
        bench.put(self.hdr, item);
        if let Some(payload) = part(payload, frame.err) {
            bench.send(self.rx, payload);
        }
        whole.err |= short;
        whole
    }

    /// Starts a frame and stops after so many cycles, wherever it is then.
    pub fn begin(&self, bench: &mut Bench, frame: &Frame, cycles: u64) {
        self.offer(bench, frame);
        (0..cycles).for_each(|_| bench.step());
    }

    /// Sends headers and payload of the frames and compares the frames. A frame shorter than the
    /// header goes in as a short header and must come out as a bad frame of the header's length.
    pub fn run(&self, bench: &mut Bench, frames: &[Frame]) -> Result<Measured, String> {
        bench.restart_rates();
        let wanted: Vec<_> = frames.iter().map(|f| self.offer(bench, f)).collect();
        bench.expect(self.tx, wanted.len() as u64);
        bench.run_until(patience(&wanted), |b| b.waiting(self.tx) >= wanted.len())?;
        if !(bench.sent_all(self.rx) && bench.put_all(self.hdr)) {
            return Err("the last frame came out before all headers and payload went in".into());
        }
        same_frames("frame", &bench.received(self.tx), &wanted)?;
        Ok(Measured { rx: bench.source_rate(self.rx), tx: bench.sink_rate(self.tx) })
    }
}

/// Which of the two cells that take an offset with each frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cutter {
    /// The frame splitter: both parts leave.
    Cut,
    /// The byte shifter: only the second part leaves.
    Realign,
}

/// A frame splitter or byte shifter with all its ends.
pub struct Cutting {
    cell: Cutter,
    rx: SourceId,
    offset: ChanSrcId,
    parts: ChanSinkId,
    tx: SinkId,
}

impl Cutting {
    /// Attaches agents.
    pub fn new(bench: &mut Bench, cell: Cutter, idle: Pattern, stall: Pattern) -> Self {
        let (name, offset) = match cell {
            Cutter::Cut => ("cut", "cut_cut"),
            Cutter::Realign => ("realign", "realign_skip"),
        };
        Self {
            cell,
            rx: bench.source(&format!("{name}_rx"), idle),
            offset: bench.channel_source(offset, idle),
            parts: bench.channel_sink(&format!("{name}_parts"), stall),
            tx: bench.sink(&format!("{name}_tx"), stall),
        }
    }

    /// Frames and flags (`first`, `second`, `err`) that must come out of one frame.
    fn model(&self, frame: &Frame, offset: usize) -> (Vec<Frame>, [bool; 3]) {
        let (first, second) = frame.data.split_at(offset.min(frame.data.len()));
        let left = part(second, frame.err);
        match self.cell {
            Cutter::Cut => {
                let flags = [!first.is_empty(), !second.is_empty(), false];
                (part(first, frame.err && second.is_empty()).into_iter().chain(left).collect(), flags)
            }
            Cutter::Realign => {
                let flags = [offset > 0, !second.is_empty(), frame.err && second.is_empty()];
                (left.into_iter().collect(), flags)
            }
        }
    }

    fn offer(&self, bench: &mut Bench, frame: &Frame, offset: usize) {
        bench.send(self.rx, frame.clone());
        bench.put(self.offset, Item::new().with("octets", offset as u64));
    }

    /// Starts a frame and stops after so many cycles, wherever it is then.
    pub fn begin(&self, bench: &mut Bench, frame: &Frame, offset: usize, cycles: u64) {
        self.offer(bench, frame, offset);
        (0..cycles).for_each(|_| bench.step());
    }

    /// Sends frames with their offsets and compares parts and flags. `parts_last`: items of `parts`
    /// are taken only when all beats of their frame have been.
    pub fn run(
        &self,
        bench: &mut Bench,
        frames: &[(Frame, usize)],
        parts_last: bool,
    ) -> Result<Measured, String> {
        bench.restart_rates();
        let (mut wanted, mut flags, mut ends) = (vec![], vec![], vec![]);
        for (frame, offset) in frames {
            self.offer(bench, frame, *offset);
            let (parts, item) = self.model(frame, *offset);
            wanted.extend(parts);
            flags.push(item);
            ends.push(wanted.len());
        }
        bench.expect(self.tx, wanted.len() as u64);
        bench.expect_items(self.parts, flags.len() as u64);
        let all: Vec<_> = frames.iter().map(|f| f.0.clone()).collect();
        if parts_last {
            for (i, end) in ends.iter().enumerate() {
                bench.hold_channel_sink(self.parts, true);
                bench.run_until(patience(&all), |b| b.waiting(self.tx) >= *end)?;
                bench.hold_channel_sink(self.parts, false);
                bench.run_until(patience(&all), |b| b.waiting_items(self.parts) > i)?;
            }
        }
        bench.run_until(patience(&all), |b| {
            b.waiting(self.tx) >= wanted.len() && b.waiting_items(self.parts) >= flags.len()
        })?;
        let items = bench.taken(self.parts);
        if items.len() != flags.len() {
            return Err(format!("{} items of {} frames", items.len(), flags.len()));
        }
        for (((frame, offset), flags), item) in frames.iter().zip(&flags).zip(&items) {
            let got = [flag(item, "first")?, flag(item, "second")?, flag(item, "err")?];
            if got != *flags {
                let len = frame.data.len();
                return Err(format!(
                    "{len} octets at {offset}: first, second, err {got:?}, must be {flags:?}"
                ));
            }
        }
        same_frames("part", &bench.received(self.tx), &wanted)?;
        Ok(Measured { rx: bench.source_rate(self.rx), tx: bench.sink_rate(self.tx) })
    }
}
