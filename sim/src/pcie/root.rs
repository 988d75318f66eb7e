// SPDX-License-Identifier: MIT OR Apache-2.0
//! The root complex: what becomes of each TLP of the device, and what it sends itself.
use super::bar_read::BarRead;
use super::bus_state::BusState;
use super::completer::{Completer, Misdeed};
use super::rules::{judge, Broken, Sent, Violation};
use super::tlp::{Completion, Dump, Request, Status};
use super::RcConfig;
use crate::bench::agent::NEVER;
use crate::bench::Frame;
use crate::memory::{HostMemory, Misuse, Writes};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

/// An answer to a read of a BAR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarAnswer {
    /// Tag that [`RootComplex::bar_read`] gave.
    pub tag: u8,
    /// How it ended.
    pub status: Status,
    /// The octets that were asked for, if it was successful.
    pub data: Vec<u8>,
    /// Cycle of the TLP's last beat.
    pub cycle: u64,
}

/// TLPs of one direction since the start or since [`RootComplex::restart`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// TLPs.
    pub tlps: u64,
    /// Their octets, headers included.
    pub octets: u64,
    /// Octets of payload.
    pub payload: u64,
    /// When the link began the first one, in picoseconds, and when it had carried the last one.
    pub link_ps: (u64, u64),
}

impl Flow {
    /// The link carries the TLP that is counted next.
    pub(crate) fn carry(&mut self, from_ps: u64, until_ps: u64) {
        let first = if self.tlps == 0 { from_ps } else { self.link_ps.0 };
        self.link_ps = (first, until_ps);
    }

    fn add(&mut self, octets: usize, payload: usize) {
        self.tlps += 1;
        self.octets += octets as u64;
        self.payload += payload as u64;
    }
}

/// A root complex with the host's memory behind it.
///
/// It judges each TLP of the device: what breaks a rule is a [`Violation`] and ends the case; what
/// names memory that is not mapped is noted in [`HostMemory::refused`], and a read of it is
/// completed with Unsupported Request.
#[derive(Debug)]
pub struct RootComplex {
    /// May be changed at any time, as configuration software does.
    pub config: RcConfig,
    /// The host's memory.
    pub host: HostMemory,
    /// State of the link. What is under way when it is lost is forgotten; nothing passes while it
    /// is.
    pub link: BusState,
    /// TLPs of the device.
    pub up: Flow,
    /// TLPs to the device.
    pub down: Flow,
    /// Memory requests of the device, in order, if `record` is set.
    pub requests: Vec<Request>,
    /// Keep [`RootComplex::requests`].
    pub record: bool,
    /// Reads of the device to which a misdeed was done, in order.
    pub spoilt: Vec<(Request, Misdeed)>,
    writes: Writes,
    reads: Completer,
    /// Cycle in which Bus Master Enable fell.
    unmastered: Option<u64>,
    misdeeds: BTreeMap<u64, Misdeed>,
    read_count: u64,
    /// TLPs of the processor, each with the BAR that it hits.
    own: VecDeque<(Vec<u8>, u8)>,
    bar_reads: BTreeMap<u8, BarRead>,
    /// Answers, each with the writes of the device that the processor must see first (2.4.1).
    answers: VecDeque<(u64, BarAnswer)>,
    next_tag: u8,
    again: VecDeque<Vec<u8>>,
    link_free: u64,
}

impl RootComplex {
    /// With an empty memory.
    pub fn new(config: RcConfig) -> Self {
        Self {
            writes: Writes::new(config.timing),
            config,
            host: HostMemory::new(),
            link: BusState::Up,
            up: Flow::default(),
            down: Flow::default(),
            requests: vec![],
            record: false,
            spoilt: vec![],
            reads: Completer::default(),
            unmastered: None,
            misdeeds: BTreeMap::new(),
            read_count: 0,
            own: VecDeque::new(),
            bar_reads: BTreeMap::new(),
            answers: VecDeque::new(),
            next_tag: 0,
            again: VecDeque::new(),
            link_free: 0,
        }
    }

    /// Forgets what is under way, as a reset of the link does; the memory keeps its octets.
    pub(crate) fn reset(&mut self) {
        self.writes = Writes::new(self.config.timing);
        self.reads.clear();
        self.own.clear();
        self.bar_reads.clear();
        self.answers.clear();
        self.again.clear();
    }

    /// Begins the counts of TLPs anew.
    pub fn restart(&mut self) {
        (self.up, self.down) = Default::default();
    }

    /// Does `misdeed` to the read that comes after `ahead` others.
    pub fn misbehave(&mut self, ahead: u64, misdeed: Misdeed) {
        self.misdeeds.insert(self.read_count + ahead, misdeed);
    }

    /// Does no misdeed that is not done yet.
    pub fn behave(&mut self) {
        self.misdeeds.clear();
    }

    /// Reads of the device that are not answered, those of [`Misdeed::Silent`] among them for as
    /// long as it says.
    pub fn outstanding(&self) -> usize {
        self.reads.outstanding()
    }

    /// The processor writes octets to a BAR (0, 1, 2: BAR0, BAR2, BAR4) in one TLP.
    ///
    /// # Panics
    /// If there are none, or more than a payload.
    pub fn bar_write(&mut self, bar: u8, offset: u64, octets: &[u8]) {
        let length = octets.len() as u64;
        assert!(length > 0 && length <= self.config.max_payload(), "a write of {length} octets is no TLP");
        let addr = self.config.bars[usize::from(bar)] + offset;
        let write = Request::new(self.config.root, 0, addr, length, Some(octets));
        self.own.push_back((write.octets(), bar));
    }

    /// The processor reads `length` octets of a BAR; the tag under which
    /// [`RootComplex::take_answers`] has what came.
    ///
    /// # Panics
    /// If 256 reads are outstanding.
    pub fn bar_read(&mut self, bar: u8, offset: u64, length: u64) -> u8 {
        let addr = self.config.bars[usize::from(bar)] + offset;
        let root = self.config.root;
        self.ask(bar, (addr, length), |tag| Request::new(root, tag, addr, length, None).octets())
    }

    /// Any TLP for a BAR, made with the tag that is given, which the device answers as a read of so
    /// many octets from an address on; the tag.
    ///
    /// # Panics
    /// If 256 requests are outstanding.
    pub fn ask(&mut self, bar: u8, (addr, octets): (u64, u64), tlp: impl FnOnce(u8) -> Vec<u8>) -> u8 {
        let tag =
            (0..=255).map(|n: u8| self.next_tag.wrapping_add(n)).find(|t| !self.bar_reads.contains_key(t));
        let tag = tag.expect("less than 256 reads of BARs at a time");
        self.next_tag = tag.wrapping_add(1);
        self.own.push_back((tlp(tag), bar));
        self.bar_reads.insert(tag, BarRead::new(addr, octets));
        tag
    }

    /// Any TLP, octets in the order of the specification's figures, as it were for a BAR.
    pub fn send(&mut self, tlp: Vec<u8>, bar: u8) {
        self.own.push_back((tlp, bar));
    }

    /// TLPs of the processor that the link has not taken.
    pub fn own_waiting(&self) -> usize {
        self.own.len()
    }

    /// Takes the answers to reads of BARs: a completion pushes the device's writes before it to
    /// memory.
    pub fn take_answers(&mut self) -> Vec<BarAnswer> {
        let visible = self.writes.visible();
        let due = self.answers.iter().take_while(|(after, _)| *after <= visible).count();
        self.answers.drain(..due).map(|(_, answer)| answer).collect()
    }

    /// Whether the device has told software something since this was last asked: a short write that
    /// continues no longer one became visible, such as an entry of a queue. What it says is not
    /// looked at.
    pub(crate) fn has_told(&mut self) -> bool {
        self.writes.has_told()
    }

    /// A TLP of the device came.
    pub(crate) fn accept(
        &mut self,
        tlp: &[u8],
        cycle: u64,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), crate::bench::agent::Fault> {
        let broken = |broken| Violation { broken, dump: Dump(tlp).to_string() };
        let sent = judge(tlp, &self.config)?;
        match sent {
            Sent::Completion(completion) => {
                self.up.add(tlp.len(), completion.data.as_ref().map_or(0, Vec::len));
                self.complete(completion, cycle).map_err(broken)?;
            }
            Sent::Request(request) => {
                self.up.add(tlp.len(), request.data.as_ref().map_or(0, Vec::len));
                if self.unmastered.is_some_and(|since| cycle > since.saturating_add(self.config.grace)) {
                    return Err(broken(Broken::NotMaster).into());
                }
                if request.data.is_some() {
                    self.write(&request)?;
                } else {
                    self.read(&request, cycle, rng).map_err(broken)?;
                }
                if self.record {
                    self.requests.push(request);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, request: &Request, cycle: u64, rng: &mut ChaCha8Rng) -> Result<(), Broken> {
        if self.reads.uses(request.tag) {
            return Err(Broken::TagInUse(request.tag));
        }
        if self.reads.outstanding() >= self.config.timing.read_credits {
            return Err(Broken::Credits(self.reads.outstanding()));
        }
        let misdeed = self.misdeeds.remove(&self.read_count);
        self.spoilt.extend(misdeed.map(|misdeed| (request.clone(), misdeed)));
        self.read_count += 1;
        self.reads.request(request, misdeed, (cycle, self.writes.accepted()), &self.config, rng);
        Ok(())
    }

    /// Each run of enabled octets is a store of its own.
    fn write(&mut self, request: &Request) -> Result<(), Misuse> {
        let data = request.data.as_deref().unwrap_or_default();
        let mut at = 0;
        while at < data.len() {
            let run = request.run(at).min(data.len() - at);
            if run > 0 {
                self.writes.command(request.addr + at as u64, run as u64)?;
                self.writes.frame(Frame::good(data[at..at + run].to_vec()));
            }
            at += run.max(1);
        }
        Ok(())
    }

    /// A completion of the device against the read of a BAR that it answers.
    fn complete(&mut self, cpl: Completion, cycle: u64) -> Result<(), Broken> {
        let tag = cpl.tag;
        let unexpected = Broken::Unexpected { requester: cpl.requester, tag };
        let read = self.bar_reads.get_mut(&tag).filter(|_| cpl.requester == self.config.root);
        let read = read.ok_or(unexpected)?;
        if let Some(data) = read.take(&cpl)? {
            let answer = BarAnswer { tag, status: cpl.status, data, cycle };
            self.answers.push_back((self.writes.accepted(), answer));
            self.bar_reads.remove(&tag);
        }
        Ok(())
    }

    /// Makes visible what is due, and notices what configuration software did. Once a cycle.
    pub(crate) fn settle(&mut self, cycle: u64, rng: &mut ChaCha8Rng) -> Result<(), Misuse> {
        self.unmastered = match (self.config.master, self.unmastered) {
            (true, _) => None,
            (false, since) => Some(since.unwrap_or(cycle)),
        };
        self.reads.settle(cycle);
        self.writes.settle(cycle, &mut self.host, rng)
    }

    /// The next TLP to the device and the BAR that it hits, if the link is free. Requests of the
    /// processor go before completions, which must not pass writes (2.4.1).
    pub(crate) fn poll(&mut self, cycle: u64, rng: &mut ChaCha8Rng) -> Option<(Vec<u8>, u8)> {
        let now = cycle * self.config.timing.clock_ps;
        if self.link_free > now {
            return None;
        }
        let (tlp, hit) = match self.own.pop_front() {
            Some((tlp, bar)) => (tlp, 1 << bar),
            None => {
                if self.again.is_empty() {
                    let when = (cycle, self.writes.visible());
                    self.again.extend(self.reads.answer(when, &mut self.host, &self.config, rng)?);
                }
                (self.again.pop_front()?, 0)
            }
        };
        // one that waited begins when the link became free, which need not be at an edge of the
        // clock
        let waited = now - self.link_free < self.config.timing.clock_ps;
        let start = if waited { self.link_free } else { now };
        self.link_free = start + self.config.link_ps(tlp.len() as u64);
        self.down.carry(start, self.link_free);
        self.down.add(tlp.len(), tlp.len() - 12);
        Some((tlp, hit))
    }

    /// No credit for a posted request.
    pub(crate) fn posted_full(&self) -> bool {
        self.writes.commands_full()
    }

    /// Credits for non-posted requests, of which `slack` may be under way.
    pub(crate) fn room(&self, slack: usize) -> bool {
        self.reads.outstanding() + slack < self.config.timing.read_credits
    }

    /// First cycle, from `cycle` on, in which this sends something, makes a write visible or gives
    /// a credit back by itself.
    pub(crate) fn wakes(&self, cycle: u64) -> u64 {
        let sends = if self.own.is_empty() && self.again.is_empty() { NEVER } else { cycle };
        let first = sends.min(self.reads.wakes(self.writes.visible())).min(self.writes.wakes());
        first.max(cycle)
    }

    /// First cycle in which a write of the device becomes visible by itself.
    pub(crate) fn writes_wake(&self) -> u64 {
        self.writes.wakes()
    }

    /// Something is on its way.
    pub(crate) fn pending(&self) -> bool {
        self.writes.pending()
            || self.reads.outstanding() > 0
            || !self.own.is_empty()
            || !self.bar_reads.is_empty()
    }

    /// A line for a dump.
    pub(crate) fn state(&self) -> String {
        format!(
            "root complex: {} reads of the device outstanding, {} writes came, {} visible, {} reads of BARs outstanding",
            self.reads.outstanding(),
            self.writes.accepted(),
            self.writes.visible(),
            self.bar_reads.len()
        )
    }
}
