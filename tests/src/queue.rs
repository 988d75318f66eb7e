// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue stage on its ports: records as bits, host memory behind a read port, rows and
//! doorbells.
pub mod rq;

use crate::record::Record;
use ferrowarp_hdl::gen::{Doorbell, Event, Ring};
use ferrowarp_hdl::record::{CqeItem, QpWrite};
use ferrowarp_sim::{Bench, ChanSinkId, Frame, Item, Pattern, SinkId, SourceId};
use rand::Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Ways of a work request, as the RFCs and rdma-core name them; numbers of the host interface.
pub mod status {
    /// Done.
    pub const SUCCESS: u64 = 0;
    /// A work request is not possible.
    pub const LOC_QP_OP_ERR: u64 = 2;
    /// The peer asked for what it may not.
    pub const LOC_ACCESS_ERR: u64 = 5;
    /// The peer acknowledges nothing.
    pub const RETRY_EXC_ERR: u64 = 8;
    /// The stream is broken.
    pub const FATAL_ERR: u64 = 9;
    /// None of the others.
    pub const GENERAL_ERR: u64 = 10;
}

/// Numbers of `event_kind`.
pub mod event {
    /// An armed completion queue has an entry.
    pub const CQ_NOTIFY: u64 = 1;
    /// A fault of the stream.
    pub const QP_FATAL: u64 = 2;
    /// A fault of a work request of our own.
    pub const QP_REQUEST_ERROR: u64 = 3;
    /// The peer asked for what it may not.
    pub const QP_ACCESS_ERROR: u64 = 4;
    /// No room in a completion queue.
    pub const CQ_OVERRUN: u64 = 5;
    /// The peer acknowledges nothing.
    pub const CONNECTION_LOST: u64 = 10;
}

/// A doorbell.
pub fn doorbell(kind: u64, solicited: bool, number: u64, value: u32) -> Item {
    let bell = Record::<Doorbell>::new().with("kind", kind).with("solicited_only", solicited);
    bell.with("number", number).with("value", value).item()
}

/// Place and size of a ring; `is_used` if the ring is used.
pub fn ring(base: u64, log2: u64, is_used: bool) -> Item {
    Record::<Ring>::new().with("base", base).with("log2", log2).with("is_valid", is_used).item()
}

/// An event: kind, number, error, info. The ring sets the phase.
pub fn event_item([kind, number, error, info]: [u64; 4]) -> Item {
    let event = Record::<Event>::new().with("kind", kind).with("number", number);
    event.with("error", error).with("info", info).item()
}

/// What a test says of a queue pair row; the rest is zero.
#[derive(Copy, Clone, Debug, Default)]
pub struct QpRow {
    /// 0 reset, 1 ready, 2 error.
    pub state: u64,
    /// Completion queue of sends.
    pub send_cq: u64,
    /// Completion queue of receives.
    pub recv_cq: u64,
    /// Block 0 of the receive queue.
    pub rq_base: u64,
    /// log2 of its blocks.
    pub rq_log2: u64,
}

impl QpRow {
    /// The `qpw` item that writes it.
    pub fn of(self, qp: u64) -> Item {
        let row = Record::<QpWrite>::new().with("qp", qp).with("row.state", self.state);
        let row = row.with("row.send_cq", self.send_cq).with("row.recv_cq", self.recv_cq);
        row.with("row.rq_base", self.rq_base).with("row.rq_log2", self.rq_log2).item()
    }
}

/// How host memory answers a read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it should.
    Good,
    /// The final frame ends with `err`.
    Failed,
    /// The answer ends a word too early.
    Short,
    /// It ends with a word that is not whole.
    Ragged,
    /// It goes on after its end.
    Long,
}

/// An answer that is due.
struct Due {
    at: u64,
    tag: u64,
    /// Frames, each with whether it is the final one.
    frames: VecDeque<(Frame, bool)>,
}

/// Queue pairs of a read port: its tags name one of them in their low bits.
const READERS: u64 = 16;

/// Host memory of 32-octet blocks behind a read port, which answers late and out of order, cut into
/// frames.
pub struct Blocks {
    asks: ChanSinkId,
    answers: SourceId,
    prefix: String,
    /// Longest time to an answer, in cycles.
    pub slowest: u64,
    /// Every answer is one frame.
    pub whole: bool,
    octets: BTreeMap<u64, Vec<u8>>,
    manners: BTreeMap<u64, Manner>,
    due: Vec<Due>,
    flying: BTreeSet<u64>,
    /// Reads answered in full.
    pub answered: u64,
    /// Reads that found others under way.
    pub overlapped: u64,
    /// Addresses read, in their order.
    pub read: Vec<u64>,
}

impl Blocks {
    /// Memory behind `<prefix>_req` and `<prefix>_ans`.
    pub fn new(bench: &mut Bench, prefix: &str, stall: Pattern) -> Self {
        Self {
            asks: bench.channel_sink(&format!("{prefix}_req"), stall),
            answers: bench.source(&format!("{prefix}_ans"), stall),
            prefix: prefix.into(),
            slowest: 120,
            whole: false,
            octets: BTreeMap::new(),
            manners: BTreeMap::new(),
            due: vec![],
            flying: BTreeSet::new(),
            answered: 0,
            overlapped: 0,
            read: vec![],
        }
    }

    /// Puts 32 octets at an address.
    pub fn put(&mut self, addr: u64, octets: Vec<u8>, manner: Manner) {
        self.octets.insert(addr, octets);
        self.manners.insert(addr, manner);
    }

    /// The octets at an address, and how a read of them is answered.
    pub fn at(&self, addr: u64) -> Option<(Vec<u8>, Manner)> {
        Some((self.octets.get(&addr)?.clone(), *self.manners.get(&addr)?))
    }

    /// One cycle, before the bench's step.
    pub fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        let now = bench.cycle();
        for ask in bench.taken(self.asks) {
            let field = |name| ask.u64(name).unwrap_or(u64::MAX);
            let (addr, tag) = (field("addr"), field("tag"));
            if field("length") != 32 {
                return Err(format!("a read of {} octets", field("length")));
            }
            if !self.flying.insert(tag % READERS) {
                return Err(format!("tag {tag}: a second read of its queue pair"));
            }
            self.overlapped += u64::from(self.flying.len() > 1);
            self.read.push(addr);
            let octets = self.octets.get(&addr).ok_or(format!("a read at 0x{addr:x}, where nothing is"))?;
            let words = if self.whole { 5 } else { bench.rng().random_range(1..=5) };
            let frames = frames(octets, self.manners[&addr], 8 * words);
            let at = now + bench.rng().random_range(1..=self.slowest);
            self.due.push(Due { at, tag, frames });
        }
        if bench.sent_all(self.answers) {
            let ready: Vec<_> = (0..self.due.len()).filter(|&i| self.due[i].at <= now).collect();
            if !ready.is_empty() {
                let i = ready[bench.rng().random_range(0..ready.len())];
                let tag = self.due[i].tag;
                if let Some((frame, is_final)) = self.due[i].frames.pop_front() {
                    bench.set(&format!("{}_ans_tag", self.prefix), tag);
                    bench.set(&format!("{}_ans_final", self.prefix), u64::from(is_final));
                    bench.send(self.answers, frame);
                    if is_final {
                        self.due.remove(i);
                        self.flying.remove(&(tag % READERS));
                        self.answered += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whatever is late is due now.
    pub fn hurry(&mut self) {
        self.slowest = 1;
        self.due.iter_mut().for_each(|due| due.at = 0);
    }

    /// Reads that were not answered.
    pub fn open(&self, bench: &Bench) -> bool {
        !self.due.is_empty() || !bench.sent_all(self.answers)
    }
}

/// The frames of an answer, `cut` octets long, each with whether it is the final one.
fn frames(octets: &[u8], manner: Manner, cut: usize) -> VecDeque<(Frame, bool)> {
    let mut octets = octets.to_vec();
    match manner {
        Manner::Good | Manner::Failed => {}
        Manner::Short => octets.truncate(24),
        Manner::Ragged => octets.truncate(29),
        Manner::Long => octets.extend([0xEE; 8]),
    }
    let pieces: Vec<_> = octets.chunks(cut).map(|c| Frame::good(c.to_vec())).collect();
    let count = pieces.len();
    let mut frames: VecDeque<_> =
        pieces.into_iter().enumerate().map(|(i, frame)| (frame, i + 1 == count)).collect();
    if manner == Manner::Failed {
        if let Some((frame, _)) = frames.back_mut() {
            frame.err = true;
        }
    }
    frames
}

/// A completion on its way to its queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Completion queue.
    pub cq: u64,
    /// Of the work request.
    pub index: u64,
    /// Octets received.
    pub byte_len: u64,
    /// Queue pair.
    pub qp: u64,
    /// How it ended.
    pub status: u64,
    /// RDMAP opcode.
    pub opcode: u64,
    /// STag that was invalidated.
    pub invalidated_stag: u64,
    /// Layer, type and code.
    pub error: u64,
    /// Of a receive.
    pub is_recv: u64,
    /// The sender asked that the receiver be woken.
    pub is_solicited: u64,
    /// `invalidated_stag` counts.
    pub has_invalidate: u64,
    /// `index` counts.
    pub has_wr: u64,
}

impl Completion {
    /// The item of a channel.
    pub fn item(&self) -> Item {
        Record::<CqeItem>::new()
            .with("cq", self.cq)
            .with("index", self.index)
            .with("byte_len", self.byte_len)
            .with("qp", self.qp)
            .with("status", self.status)
            .with("opcode", self.opcode)
            .with("invalidated_stag", self.invalidated_stag)
            .with("error", self.error)
            .with("is_recv", self.is_recv)
            .with("is_solicited", self.is_solicited)
            .with("has_invalidate", self.has_invalidate)
            .with("has_wr", self.has_wr)
            .item()
    }

    /// From such an item.
    pub fn of(item: &Item) -> Self {
        let record = Record::<CqeItem>::of_item(item);
        let field = |name| record.get(name);
        Self {
            cq: field("cq"),
            index: field("index"),
            byte_len: field("byte_len"),
            qp: field("qp"),
            status: field("status"),
            opcode: field("opcode"),
            invalidated_stag: field("invalidated_stag"),
            error: field("error"),
            is_recv: field("is_recv"),
            is_solicited: field("is_solicited"),
            has_invalidate: field("has_invalidate"),
            has_wr: field("has_wr"),
        }
    }

    /// The entry in host memory: big-endian fields, flags from the top of octet 22, phase in bit 0
    /// of octet 31.
    pub fn entry(&self, phase: u8) -> Vec<u8> {
        let mut e = vec![0; 32];
        e[0..4].copy_from_slice(&(self.index as u32).to_be_bytes());
        e[8..12].copy_from_slice(&(self.byte_len as u32).to_be_bytes());
        e[12..14].copy_from_slice(&(self.qp as u16).to_be_bytes());
        e[14] = self.status as u8;
        e[15] = self.opcode as u8;
        e[16..20].copy_from_slice(&(self.invalidated_stag as u32).to_be_bytes());
        e[20..22].copy_from_slice(&(self.error as u16).to_be_bytes());
        let flags = [self.is_recv, self.is_solicited, self.has_invalidate, self.has_wr];
        e[22] = flags.iter().enumerate().fold(0, |v, (i, &f)| v | (f as u8) << (7 - i));
        e[31] = phase;
        e
    }

    /// It makes the event of an armed queue whatever it was armed for.
    pub fn wakes(&self) -> bool {
        self.is_solicited == 1 || self.status != status::SUCCESS
    }
}

/// An event on a channel: kind, number, error, info.
pub fn event_of(item: &Item) -> [u64; 4] {
    let event = Record::<Event>::of_item(item);
    ["kind", "number", "error", "info"].map(|field| event.get(field))
}

/// Posted writes out of a part: each with its address.
pub struct Posted {
    commands: ChanSinkId,
    frames: SinkId,
    addrs: VecDeque<u64>,
}

impl Posted {
    /// Behind `<prefix>_cmd` and `<prefix>`.
    pub fn new(bench: &mut Bench, prefix: &str, stall: [Pattern; 2]) -> Self {
        Self {
            commands: bench.channel_sink(&format!("{prefix}_cmd"), stall[0]),
            frames: bench.sink(prefix, stall[1]),
            addrs: VecDeque::new(),
        }
    }

    /// Writes whose command and frame were taken; the error is a frame that is not what its command
    /// says.
    pub fn taken(&mut self, bench: &mut Bench, length: usize) -> Result<Vec<(u64, Vec<u8>)>, String> {
        for command in bench.taken(self.commands) {
            if command.u64("length") != Some(length as u64) {
                return Err(format!("a write of {:?} octets", command.u64("length")));
            }
            self.addrs.push_back(command.u64("addr").unwrap_or_default());
        }
        if bench.waiting(self.frames) == 0 || self.addrs.len() < bench.waiting(self.frames) {
            return Ok(vec![]);
        }
        let pair = |frame: Frame| match (frame.data.len() == length && !frame.err, self.addrs.pop_front()) {
            (true, Some(addr)) => Ok((addr, frame.data)),
            _ => Err(format!("a frame of {frame}")),
        };
        bench.received(self.frames).into_iter().map(pair).collect()
    }

    /// While held nothing is taken.
    pub fn hold(&self, bench: &mut Bench, held: bool) {
        bench.hold_channel_sink(self.commands, held);
        bench.hold_sink(self.frames, held);
    }

    /// Cycles from the first to the last frame's last beat, over the frames between.
    pub fn pace(&self, bench: &Bench) -> u64 {
        bench.sink_rate(self.frames).cycles()
    }

    /// Cycle of the first command.
    pub fn first(&self, bench: &Bench) -> u64 {
        bench.channel_sink_rate(self.commands).first_cycle
    }
}
