// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive on a bench: FPDUs in, receives on demand, octets into a memory, completions and
//! faults.
mod anew;
mod one;
mod records;
mod token;

use crate::cited::Cited;
use crate::ddp_model::{store, Completion, Event, Fault, Memory, Model, Pair, Quote, Read, Receive, Request};
use crate::mr::{Region, Rows};
use crate::record::Record;
use ferrowarp_hdl::gen::QpRow;
use ferrowarp_hdl::record::ReadOut;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
pub use one::{one, BASE, BUFFERS, OURS, OURS_TO, PD, QP, STAG, TO};
use records::{completion, event, fault, quote, request, rqe};
use std::collections::VecDeque;

/// Queue pairs of the bench top.
pub const PAIRS: u8 = 16;
/// Cycles after the last expected thing in which nothing more may come.
const QUIET: u64 = 300;

/// When the agents of a bench pause.
#[derive(Copy, Clone, Debug)]
pub struct Pauses {
    /// Of FPDUs, ULPDUs and receives.
    pub idle: Pattern,
    /// Of placement, completions, faults and takes.
    pub stall: Pattern,
}

impl Pauses {
    /// None at all.
    pub const NONE: Self = Self { idle: Pattern::None, stall: Pattern::None };
}

/// The stage on a bench, and the model beside it.
#[derive(Debug)]
pub struct Rx {
    qpw: ChanSrcId,
    ins: ChanSrcId,
    fpdu: ChanSrcId,
    /// ULPDUs.
    pub input: SourceId,
    take: ChanSinkId,
    rqe: ChanSrcId,
    commands: ChanSinkId,
    /// Octets to place.
    pub place: SinkId,
    /// Completions.
    pub deliver: ChanSinkId,
    /// Faults.
    pub fault: ChanSinkId,
    /// Octets that faults quote.
    pub cited: Cited,
    ro: ChanSrcId,
    /// Read Requests.
    pub rr: ChanSinkId,
    event: ChanSinkId,
    /// Writer of the regions.
    pub regions: Rows,
    /// What must come of it all.
    pub model: Model,
    receives: Vec<VecDeque<Receive>>,
    /// Commands whose frame did not come yet.
    addresses: VecDeque<(u64, u64)>,
    frames: VecDeque<Frame>,
    /// What was placed.
    pub memory: Memory,
    /// Frames that were placed: address and octets.
    pub placed: Vec<(u64, usize)>,
    /// Completions, each with the number of placed frames that came before it.
    pub completions: Vec<(Completion, usize)>,
    /// Faults.
    pub faults: Vec<Fault>,
    /// Their segments.
    pub quotes: Vec<Option<Quote>>,
    /// Those whose octets did not come yet.
    unread: VecDeque<usize>,
    /// Read Requests, each with the number of placed frames that came before it.
    pub requests: Vec<(Request, usize)>,
    /// Queue pairs whose oldest Read is done, each with the number of placed frames that came
    /// before.
    pub done: Vec<(u8, usize)>,
    /// Queue pairs with their first FPDU.
    pub first: Vec<u8>,
    /// Events.
    pub events: Vec<Event>,
    /// Read Requests of a peer that its queue pair takes at once, for rows written from now on.
    pub ird: u8,
    /// MSN of the first messages of streams that begin from now on, on queues 0 and 1.
    pub first_msn: u32,
    /// Placed frames that do not get out of the device.
    pub stuck: usize,
    /// Cycle in which pulses were last looked at.
    seen_at: u64,
    sent: u64,
}

/// Runs a body on the stage without pauses.
pub fn quiet(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    run_case(&format!("ddp_rx-{name}"), Top::DdpRxW64, 1, |bench| {
        let mut rx = Rx::new(bench, Pauses::NONE)?;
        body(bench, &mut rx)
    });
}

impl Rx {
    /// Attaches to all ports and waits for the scrub.
    pub fn new(bench: &mut Bench, pauses: Pauses) -> Result<Self, String> {
        let Pauses { idle, stall } = pauses;
        for port in ["dead", "posted_accepted", "posted_left", "rr_free_valid", "rr_free_qp", "tok_valid"] {
            bench.set(&format!("ddp_{port}"), 0);
        }
        let rx = Self {
            qpw: bench.channel_source("ddp_qpw", Pattern::None),
            ins: bench.channel_source("ddp_ins", Pattern::None),
            fpdu: bench.channel_source("ddp_fpdu", idle),
            input: bench.source("ddp_rx", idle),
            take: bench.channel_sink("ddp_take", stall),
            rqe: bench.channel_source("ddp_rqe", idle),
            commands: bench.channel_sink("ddp_place_cmd", stall),
            place: bench.sink("ddp_place", stall),
            deliver: bench.channel_sink("ddp_deliver", stall),
            fault: bench.channel_sink("ddp_fault", stall),
            cited: Cited::new(bench, "ddp_fault_words", stall),
            ro: bench.channel_source("ddp_ro", idle),
            rr: bench.channel_sink("ddp_rr", stall),
            event: bench.channel_sink("ddp_event", stall),
            regions: Rows::new(bench, "regions")?,
            model: Model::default(),
            receives: vec![VecDeque::new(); usize::from(PAIRS)],
            addresses: VecDeque::new(),
            frames: VecDeque::new(),
            memory: Memory::new(),
            placed: vec![],
            completions: vec![],
            faults: vec![],
            quotes: vec![],
            unread: VecDeque::new(),
            requests: vec![],
            done: vec![],
            first: vec![],
            events: vec![],
            ird: 8,
            first_msn: 1,
            stuck: 0,
            seen_at: 0,
            sent: 0,
        };
        bench.run_until(1_000, |b| b.get("ddp_scrubbed") == 1)?;
        Ok(rx)
    }

    /// Writes a queue pair's row and begins its stream.
    pub fn set_up(&mut self, bench: &mut Bench, qp: u8, pd: u16, cq: u16) -> Result<(), String> {
        self.write_row(bench, qp, 1, pd, cq)?;
        bench.put(self.ins, Item::new().with("qp", qp.into()));
        self.until_put(bench, self.ins)?;
        let mut pair = Pair::new(pd, cq).from(self.first_msn);
        pair.ird = self.ird;
        self.model.pairs.insert(qp, pair);
        self.receives[usize::from(qp)].clear();
        Ok(())
    }

    /// Writes a queue pair's row.
    pub fn write_row(
        &mut self,
        bench: &mut Bench,
        qp: u8,
        state: u64,
        pd: u16,
        cq: u16,
    ) -> Result<(), String> {
        self.offer_row(bench, qp, state, pd, cq);
        self.until_put(bench, self.qpw)
    }

    fn offer_row(&mut self, bench: &mut Bench, qp: u8, state: u64, pd: u16, cq: u16) {
        let row = Record::<QpRow>::new().with("state", state).with("pd", pd).with("recv_cq", cq);
        let row = row.with("sq_log2", 4).with("rq_log2", 4).with("ird", self.ird).with("ord", 8);
        bench.put(self.qpw, row.field(Item::new().with("qp", qp.into()), "row"));
    }

    /// Writes a region.
    pub fn region(&mut self, bench: &mut Bench, index: u32, region: Region) -> Result<(), String> {
        self.model.regions.0.insert(index, region);
        self.regions.offer(bench, index, &region);
        self.until_put(bench, self.regions.write)
    }

    /// Runs until all items of a channel are taken; pulses are seen meanwhile.
    fn until_put(&mut self, bench: &mut Bench, channel: ChanSrcId) -> Result<(), String> {
        for _ in 0..400 {
            if bench.put_all(channel) {
                return Ok(());
            }
            self.run(bench, 1)?;
        }
        Err(format!("an item was not taken: {}", bench.dump()))
    }

    /// Posts a receive.
    pub fn post(&mut self, qp: u8, receive: Receive) {
        self.receives[usize::from(qp)].push_back(receive.clone());
        self.model.pairs.entry(qp).or_default().receives.push_back(receive);
    }

    /// Sends an FPDU, or a bad verdict with any ULPDU.
    pub fn send(&mut self, bench: &mut Bench, qp: u8, verdict: u64, ulpdu: &[u8]) {
        self.model.take(qp, verdict, ulpdu);
        let item =
            Item::new().with("conn", qp.into()).with("verdict", verdict).with("length", ulpdu.len() as u64);
        bench.put(self.fpdu, item);
        if verdict == 0 {
            bench.send(self.input, Frame::good(ulpdu.to_vec()));
            self.sent += ulpdu.len() as u64;
        }
    }

    /// One look at all sinks: answers takes, stores what was placed, reads completions and faults.
    fn pump(&mut self, bench: &mut Bench) -> Result<(), String> {
        for item in bench.taken(self.take) {
            let qp = item.u64("qp").unwrap_or_default() as usize;
            let receive = self.receives.get_mut(qp).and_then(VecDeque::pop_front);
            bench.put(self.rqe, Item::new().with_bytes("item", &rqe(receive)));
        }
        for item in bench.taken(self.commands) {
            let field = |name| item.u64(name).ok_or(format!("command without {name}"));
            self.addresses.push_back((field("addr")?, field("length")?));
        }
        self.frames.extend(bench.received(self.place));
        while let (Some(&(addr, length)), Some(frame)) = (self.addresses.front(), self.frames.front()) {
            if frame.data.len() as u64 != length || frame.err || !(1..=4_096).contains(&length) {
                return Err(format!("command of {length} octets, frame {frame}"));
            }
            if addr >> 12 != (addr + length - 1) >> 12 {
                return Err(format!("{length} octets at {addr:#x} cross 4 KiB"));
            }
            store(&mut self.memory, addr, &frame.data);
            self.placed.push((addr, frame.data.len()));
            self.addresses.pop_front();
            self.frames.pop_front();
        }
        for item in bench.taken(self.deliver) {
            self.completions.push((completion(&item)?, self.placed.len()));
        }
        for item in bench.taken(self.fault) {
            self.faults.push(fault(&item)?);
            let quote = quote(&item);
            self.unread.extend(quote.is_some().then_some(self.quotes.len()));
            self.quotes.push(quote);
        }
        self.cited.pump(bench)?;
        while let (Some(&at), false) = (self.unread.front(), self.cited.is_empty()) {
            let Some(octets) = self.cited.take() else { break };
            if let Some(quote) = &mut self.quotes[at] {
                quote.read(octets)?;
            }
            self.unread.pop_front();
        }
        for item in bench.taken(self.rr) {
            self.requests.push((request(&item), self.placed.len()));
        }
        for item in bench.taken(self.event) {
            self.events.push(event(&item)?);
        }
        // a pulse counts once a cycle, however often it is looked at
        let fresh = bench.cycle() != self.seen_at;
        self.seen_at = bench.cycle();
        if fresh && bench.get("ddp_rdone_valid") == 1 {
            self.done.push((bench.get("ddp_rdone_qp") as u8, self.placed.len()));
        }
        if fresh && bench.get("ddp_first_valid") == 1 {
            self.first.push(bench.get("ddp_first_qp") as u8);
        }
        let begun = self.placed.len() + self.frames.len();
        bench.set("ddp_posted_accepted", begun as u64 & 0xFFFF);
        bench.set("ddp_posted_left", begun.saturating_sub(self.stuck) as u64 & 0xFFFF);
        Ok(())
    }

    /// A Read of ours leaves.
    pub fn read(&mut self, bench: &mut Bench, qp: u8, read: Read) {
        let record = Record::<ReadOut>::new().with("qp", qp).with("stag", read.stag).with("to", read.to);
        bench.put(self.ro, record.with("length", read.length).item());
        self.model.pairs.entry(qp).or_default().reads.push_back(read);
    }

    /// Waits until all Reads of ours are noted.
    pub fn reads_noted(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until_put(bench, self.ro)?;
        self.run(bench, 4)
    }

    /// The oldest Read Request of a queue pair is answered.
    pub fn free(&mut self, bench: &mut Bench, qp: u8) -> Result<(), String> {
        bench.set("ddp_rr_free_qp", qp.into());
        bench.set("ddp_rr_free_valid", 1);
        self.run(bench, 1)?;
        bench.set("ddp_rr_free_valid", 0);
        let in_use = &mut self.model.pairs.entry(qp).or_default().in_use;
        *in_use = in_use.saturating_sub(1);
        Ok(())
    }

    /// Runs until all that the model expects is there and everything was taken; what comes too late
    /// or too much is found by [`Rx::check`].
    pub fn settle(&mut self, bench: &mut Bench) -> Result<(), String> {
        let most = 3_000 + 20 * self.sent;
        let begun = bench.cycle();
        let mut quiet_from = bench.cycle();
        self.sent = 0;
        while bench.cycle() < quiet_from + QUIET {
            self.pump(bench)?;
            let taken = bench.put_all(self.fpdu) && bench.sent_all(self.input);
            let came = self.completions.len() >= self.model.completions.len()
                && self.faults.len() >= self.model.faults.len()
                && self.unread.is_empty()
                && self.requests.len() >= self.model.requests.len()
                && self.done.len() >= self.model.done.len();
            if !(taken && came) {
                quiet_from = bench.cycle();
            }
            if bench.cycle() > begun + most {
                return Err(format!("not settled after {most} cycles: {}", bench.dump()));
            }
            bench.step();
        }
        self.pump(bench)
    }

    /// Settles and compares with the model.
    pub fn check(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.settle(bench)?;
        if !self.frames.is_empty() || !self.addresses.is_empty() {
            return Err(format!("{} frames, {} commands alone", self.frames.len(), self.addresses.len()));
        }
        let completions: Vec<_> = self.completions.iter().map(|c| c.0).collect();
        if completions != self.model.completions {
            return Err(format!("completions {completions:x?}\n  expected {:x?}", self.model.completions));
        }
        if self.faults != self.model.faults {
            return Err(format!("faults {:x?}\n  expected {:x?}", self.faults, self.model.faults));
        }
        if !self.unread.is_empty() || !self.cited.is_empty() {
            return Err(format!("quotes {:?} have no octets, or there are some without", self.unread));
        }
        if self.quotes != self.model.quotes {
            return Err(format!("quotes {:x?}\n  expected {:x?}", self.quotes, self.model.quotes));
        }
        let requests: Vec<_> = self.requests.iter().map(|r| r.0).collect();
        if requests != self.model.requests {
            return Err(format!("requests {requests:x?}\n  expected {:x?}", self.model.requests));
        }
        let done: Vec<_> = self.done.iter().map(|d| d.0).collect();
        if done != self.model.done {
            return Err(format!("Reads done {done:x?}\n  expected {:x?}", self.model.done));
        }
        // of each queue pair in order; which queue pair is told first is nobody's business
        let by_pair = |events: &[Event]| {
            let mut sorted = events.to_vec();
            sorted.sort_by_key(|e| e.qp);
            sorted
        };
        if by_pair(&self.events) != by_pair(&self.model.events) || self.first != self.model.first {
            let (events, first) = (&self.events, &self.first);
            let (m_events, m_first) = (&self.model.events, &self.model.first);
            return Err(format!("{events:x?} {first:?}\n  expected {m_events:x?} {m_first:?}"));
        }
        if self.memory != self.model.memory {
            let (a, b) = (&self.memory, &self.model.memory);
            let extra = a.iter().find(|(k, v)| b.get(k) != Some(v));
            let missing = b.iter().find(|(k, v)| a.get(k) != Some(v));
            return Err(format!("memory: {extra:x?} is not expected, {missing:x?} is"));
        }
        Ok(())
    }

    /// Runs until this much has come of completions; for tests of what comes when.
    pub fn run(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        for _ in 0..cycles {
            self.pump(bench)?;
            bench.step();
        }
        self.pump(bench)
    }
}
