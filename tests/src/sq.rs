// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send queue on a bench, with host memory, regions, TCP's reservations and acknowledgements.
mod around;
mod kinds;
mod manners;
mod model;
mod post;
mod random;
mod reads;
mod replay;
mod state;

use crate::cited::Cited;
use crate::record::Record;
pub use kinds::{number, opcode};
pub use manners::Manners;
pub use model::{queue, Local, Message, Post, Request, Sge, RAW};
pub use random::{message, octets, OPCODES};
pub use replay::{BEHIND_RAW, RAW_BEFORE};
pub use state::{Access, Done, Fault, Qp, Stream, IRD};
use state::{Announced, Region};

use ferrowarp_hdl::gen::QpRow;
use ferrowarp_hdl::record::{TxFpdu, TxLimits, TxStart};
use ferrowarp_sim::memory::MemoryPorts;
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Frame, Item, MemoryId, SinkId};
use rand::Rng;
use std::collections::VecDeque;

/// Queue pairs of the top.
pub const QPS: usize = 16;
/// Messages that one of them may have in flight, Terminate and end not counted.
pub const RING: usize = 13;
/// EMSS of the connections, whatever their MULPDU.
pub const EMSS: usize = 900;
/// Where its send queues lie.
const SQ_BASE: u64 = 0x1_0000_0000;
/// Octets between two of them: 64 requests of two blocks at most.
const SQ_STEP: u64 = 64 * 2 * BLOCK;
/// Octets of a block.
const BLOCK: u64 = 64;

/// The stage and what stands around it.
pub struct Rig {
    qpw: ChanSrcId,
    ins: ChanSrcId,
    db: ChanSrcId,
    ask: ChanSinkId,
    say: ChanSrcId,
    res: ChanSinkId,
    grant: ChanSrcId,
    fpdu: ChanSinkId,
    back: ChanSinkId,
    done: ChanSinkId,
    event: ChanSinkId,
    fault: ChanSinkId,
    /// Octets that faults quote.
    pub cited: Cited,
    rr: ChanSrcId,
    ro: ChanSinkId,
    ctl: ChanSrcId,
    /// Slots of the commands under way, and the word that was asked for a cycle ago.
    ctl_slots: VecDeque<Vec<u8>>,
    ctl_at: usize,
    /// ULPDUs.
    pub tx: SinkId,
    /// Where the send queues lie.
    pub slots: MemoryId,
    /// Where the payload lies.
    pub payload: MemoryId,
    manners: Manners,
    /// The queue pairs.
    pub qps: Vec<Qp>,
    regions: Vec<Region>,
    next_addr: u64,
    /// Reservations of each queue pair that were granted and whose segment was not announced:
    /// whether it is of the control plane, what `fpdu` must say.
    granted: Vec<VecDeque<(bool, Record<TxFpdu>, usize)>>,
    /// Announced, without their frame so far.
    announced: VecDeque<Announced>,
    /// Frames without their item so far.
    frames: VecDeque<Frame>,
    wakes: VecDeque<(u64, usize)>,
    /// Queue pairs of which nothing leaves again, and nobody wakes them.
    pub shut: Vec<bool>,
    /// Queue pairs without room until the test wakes them.
    pub closed: Vec<bool>,
    refused: Vec<bool>,
    /// IRD of the queue pairs that are set up.
    pub ird: u32,
    /// MSN of the first messages of connections that are inserted, on queues 0 and 1.
    pub first_msn: u32,
    /// Order in which queue pairs got their FPDUs.
    pub order: Vec<usize>,
    /// Reservations refused so far.
    pub refusals: usize,
    /// Segments that were granted again, in their order: queue pair and stream offset.
    pub again: Vec<(usize, u64)>,
    /// Segments that were announced again.
    pub left_again: usize,
    /// Segments that need not leave again, since they are acknowledged.
    pub skips: usize,
    /// Faults reported.
    pub faults: Vec<Fault>,
    /// What they quoted: length of a segment and its first octets.
    pub quotes: Vec<Option<(u64, Vec<u8>)>>,
    /// Completions.
    pub dones: Vec<Done>,
    /// Good ULPDUs in the order in which they came, since the test last emptied it.
    pub sent: Vec<Vec<u8>>,
    /// Segments that gave their room back: queue pair, whether they would have left again.
    pub unsent: Vec<(usize, bool)>,
    /// Doorbells ignored.
    pub bad_doorbells: u64,
    dead: u64,
    looked: u64,
}

impl Rig {
    /// Agents on all ports; no queue pair is set up.
    pub fn new(bench: &mut Bench, manners: Manners) -> Self {
        let stalls = manners.stalls;
        let memory = |bench: &mut Bench, port| bench.memory(&MemoryPorts::read(port), manners.memory);
        let mut rig = Self {
            qpw: bench.channel_source("sq_qpw", stalls),
            ins: bench.channel_source("sq_ins", stalls),
            db: bench.channel_source("sq_db", stalls),
            ask: bench.channel_sink("sq_mr_ask", stalls),
            say: bench.channel_source("sq_mr_say", stalls),
            res: bench.channel_sink("sq_res", stalls),
            grant: bench.channel_source("sq_grant", stalls),
            fpdu: bench.channel_sink("sq_fpdu", stalls),
            back: bench.channel_sink("sq_back", stalls),
            done: bench.channel_sink("sq_done", stalls),
            event: bench.channel_sink("sq_event", stalls),
            fault: bench.channel_sink("sq_fault", stalls),
            cited: Cited::new(bench, "sq_fault_words", stalls),
            rr: bench.channel_source("sq_rr", stalls),
            ro: bench.channel_sink("sq_ro", stalls),
            ctl: bench.channel_source("sq_ctl", stalls),
            ctl_slots: VecDeque::new(),
            ctl_at: 0,
            tx: bench.sink("sq_tx", stalls),
            slots: memory(bench, "sq_wqe"),
            payload: memory(bench, "sq_pay"),
            manners,
            qps: vec![Qp { ord: 4, ..Qp::default() }; QPS],
            regions: vec![],
            next_addr: 0x7_0000_0000,
            granted: vec![VecDeque::new(); QPS],
            announced: VecDeque::new(),
            frames: VecDeque::new(),
            wakes: VecDeque::new(),
            shut: vec![false; QPS],
            closed: vec![false; QPS],
            refused: vec![false; QPS],
            ird: IRD,
            first_msn: 1,
            order: vec![],
            refusals: 0,
            again: vec![],
            left_again: 0,
            skips: 0,
            faults: vec![],
            quotes: vec![],
            dones: vec![],
            sent: vec![],
            unsent: vec![],
            bad_doorbells: 0,
            dead: 0,
            looked: 0,
        };
        for qp in 0..QPS as u64 {
            let mapped = bench.host(rig.slots).map(SQ_BASE + qp * SQ_STEP, SQ_STEP, false);
            rig.must(mapped.map_err(|e| e.to_string()));
        }
        rig.looked = bench.cycle();
        rig
    }

    /// A fault of the test itself.
    fn must<T>(&mut self, result: Result<T, String>) -> T {
        result.unwrap_or_else(|why| panic!("the test is wrong: {why}"))
    }

    /// Sets a queue pair and its connection up: *ready*, `2^log2` requests, CQ 0x100 + number.
    pub fn set_up(&mut self, bench: &mut Bench, qp: usize, log2: u32, mulpdu: usize) -> Result<(), String> {
        self.connect(bench, qp, mulpdu)?;
        self.write_qp(bench, qp, log2, 1)
    }

    /// Inserts the connection of a queue pair.
    pub fn connect(&mut self, bench: &mut Bench, qp: usize, mulpdu: usize) -> Result<(), String> {
        let limits = Record::<TxLimits>::new().with("mulpdu", mulpdu).with("emss", EMSS);
        let phase = replay::phase(qp, mulpdu);
        let start = Record::<TxStart>::new().with("markers", qp & 1);
        let start = start.with("phase", phase.div_ceil(4) % 128);
        let item = start.field(Item::new().with("qp", qp as u64).with("update", 0), "start");
        bench.put(self.ins, limits.field(item, "limits"));
        self.run(bench, 2_000, |b, rig| b.put_all(rig.ins))?;
        let old = &mut self.qps[qp];
        *old = Qp {
            mulpdu,
            msn: [self.first_msn, self.first_msn, 1],
            log2: old.log2,
            pd: old.pd,
            ord: old.ord,
            producer: old.producer,
            names: std::mem::take(&mut old.names),
            stream: Stream::new(),
            phase,
            ..Qp::default()
        };
        Ok(())
    }

    /// Writes a queue pair's row; state 1 is *ready*.
    pub fn write_qp(&mut self, bench: &mut Bench, qp: usize, log2: u32, state: u64) -> Result<(), String> {
        let pd = 0x50 + (qp as u64 % 3);
        let base = SQ_BASE + qp as u64 * SQ_STEP;
        let row = Record::<QpRow>::new().with("state", state).with("pd", pd).with("send_cq", 0x100 + qp);
        let row = row.with("sq_base", base).with("sq_log2", log2 + 1);
        let row = row.with("ird", self.ird).with("ord", self.qps[qp].ord);
        bench.put(self.qpw, row.field(Item::new().with("qp", qp as u64), "row"));
        let qpw = self.qpw;
        self.run(bench, 2_000, |b, _| b.put_all(qpw))?;
        let old = &mut self.qps[qp];
        (old.log2, old.pd, old.producer) = (log2, pd, 0);
        old.names.clear();
        self.dead &= !(1 << qp);
        bench.set("sq_dead", self.dead);
        Ok(())
    }

    /// Puts octets into host memory, `skew` octets after a multiple of 4 KiB, with a region of the
    /// queue pair around them; some octets on both sides belong to the region too.
    pub fn place(&mut self, bench: &mut Bench, qp: usize, skew: u64, octets: &[u8]) -> Local {
        let base = self.next_addr;
        let size = (skew + octets.len() as u64 + 0x1FFF) & !0xFFF;
        self.next_addr += size;
        let mapped = bench.host(self.payload).map(base, size, false);
        self.must(mapped.map_err(|e| e.to_string()));
        let written = bench.host(self.payload).write(base + skew, octets);
        self.must(written.map_err(|e| e.to_string()));
        let key = (self.regions.len() as u32 + 1) << 8 | bench.rng().random_range(0..256_u32);
        let to_base = bench.rng().random::<u64>() >> 1 & !0xFFF;
        let access = Access::default();
        self.regions.push(Region { key, pd: self.qps[qp].pd, base, length: size, to_base, access });
        Local { addr: to_base + skew, key }
    }

    /// A region of a queue pair where no memory is; the key.
    pub fn claim(&mut self, qp: usize, base: u64, length: u64) -> u32 {
        let key = (self.regions.len() as u32 + 1) << 8;
        let access = Access::default();
        self.regions.push(Region { key, pd: self.qps[qp].pd, base, length, to_base: base, access });
        key
    }

    /// A region of a queue pair without memory, its key chosen by the test; once for all claims.
    pub fn claim_as(&mut self, qp: usize, key: u32, base: u64, length: u64) {
        if self.regions.iter().all(|r| r.key != key) {
            let access = Access::default();
            self.regions.push(Region { key, pd: self.qps[qp].pd, base, length, to_base: base, access });
        }
    }

    /// Moves a region to another protection domain.
    pub fn set_domain(&mut self, key: u32, pd: u64) {
        self.regions.iter_mut().filter(|r| r.key == key).for_each(|r| r.pd = pd);
    }

    /// The slots of a queue pair are no memory any more.
    pub fn unmap_slots(&mut self, bench: &mut Bench, qp: usize) {
        let gone = bench.host(self.slots).unmap(SQ_BASE + qp as u64 * SQ_STEP);
        self.must(gone.map_err(|e| e.to_string()));
    }

    /// Nothing more is expected of a queue pair.
    pub fn abandon(&mut self, qp: usize) {
        self.qps[qp].expected.clear();
        self.qps[qp].completions.clear();
        self.qps[qp].stream = Stream::new();
    }

    /// The region of a key is gone for the stage's neighbour.
    pub fn revoke(&mut self, key: u32) {
        self.regions.retain(|r| r.key != key);
    }

    /// Runs with everything around the stage alive until `done`.
    pub fn run(
        &mut self,
        bench: &mut Bench,
        cycles: u64,
        mut done: impl FnMut(&mut Bench, &mut Rig) -> bool,
    ) -> Result<u64, String> {
        let mut wrong = Ok(());
        let took = bench.run_until(cycles, |b| {
            wrong = self.neighbours(b);
            wrong.is_err() || done(b, self)
        });
        wrong?;
        took
    }

    /// Runs until all that is expected has come and is acknowledged and completed, and looks that
    /// nothing more comes.
    pub fn finish(&mut self, bench: &mut Bench) -> Result<u64, String> {
        let all = || self.qps.iter().flat_map(|q| q.expected.iter().chain(&q.stream.responses));
        let (octets, frames): (usize, usize) = (all().map(Vec::len).sum(), all().count());
        let cycles = 50_000 + 8 * octets as u64 + 3_000 * frames as u64;
        let took = self.run(bench, cycles, |_, rig| rig.is_done()).map_err(|why| {
            let left: Vec<_> =
                self.qps.iter().enumerate().filter(|(_, q)| !q.is_done(self.manners.acks)).collect();
            format!("{why}; left: {left:x?}")
        })?;
        self.quiet(bench)?;
        Ok(took)
    }

    /// All that is expected has come.
    pub fn is_done(&self) -> bool {
        self.qps.iter().all(|q| q.is_done(self.manners.acks))
    }

    /// What was announced comes, however slow the memory is that it is read from.
    pub fn settle(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.run(bench, 5_000, |_, rig| rig.announced.is_empty()).map(drop)
    }

    /// Some time in which nothing that is not expected may come.
    pub fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        let until = bench.cycle() + 600;
        self.run(bench, 700, |b, _| b.cycle() >= until)?;
        match self.frames.pop_front() {
            Some(frame) => Err(format!("a ULPDU that nobody granted: {frame}")),
            None => Ok(()),
        }
    }

    /// Acknowledges everything that has come of a queue pair up to its `ulpdus`-th one.
    pub fn acknowledge(&mut self, bench: &mut Bench, qp: usize, ulpdus: usize) -> Result<(), String> {
        let offset = self.qps[qp].ends[ulpdus - 1];
        self.acknowledge_to(bench, qp, offset)
    }

    /// Acknowledges everything up to a stream offset, as if as much had left.
    pub fn acknowledge_to(&mut self, bench: &mut Bench, qp: usize, offset: u64) -> Result<(), String> {
        self.pulse_una(bench, qp, offset);
        bench.step();
        bench.set("sq_una_valid", 0);
        self.quiet(bench)
    }

    fn pulse_una(&mut self, bench: &mut Bench, qp: usize, offset: u64) {
        self.qps[qp].acked = offset;
        bench.set("sq_una_qp", qp as u64);
        bench.set("sq_una_offset", offset);
        bench.set("sq_una_valid", 1);
    }
}
