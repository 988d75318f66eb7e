// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's end of the carrier: go-back-N on a wire with faults, and the account of all TLPs.
use crate::wire::{frame, parsed, Head, Record, ACK, ASK, DATA, HELLO, NAK};
use ferrowarp_sim::{Bench, Frame, Pattern, SinkId, SourceId};
use rand::{Rng, RngCore};
use std::collections::VecDeque;

/// Cycles between two hellos, and until frames are sent again.
const REPEAT: u64 = 4_000;
/// Data frames under way.
const WINDOW: usize = 16;

/// One frame in so many suffers this, in each direction; 0: none.
#[derive(Copy, Clone, Debug, Default)]
pub struct Faults {
    pub lost: u32,
    pub doubled: u32,
    pub swapped: u32,
    pub spoilt: u32,
}

/// The bench with the host's end, and with the function's reset in plain code.
pub struct Host {
    pub rx: SourceId,
    pub tx: SinkId,
    pub wire_rx: SinkId,
    pub wire_tx: SourceId,
    pub pcie_tx: SourceId,
    pub pcie_rx: SinkId,
    pub faults: Faults,
    pub epoch: u16,
    /// The device has answered the hello.
    pub is_ready: bool,
    /// The host sends hellos, data, acks.
    pub is_mute: bool,
    /// Acknowledgments leave.
    pub acks: bool,
    /// Records that wait to be sent.
    pub to_send: VecDeque<Record>,
    window: VecDeque<Vec<u8>>,
    oldest: u16,
    resend: usize,
    pub expected: u16,
    told: bool,
    owes: bool,
    naks: bool,
    since: u64,
    hello_at: u64,
    swapped: Option<Vec<u8>>,
    /// TLPs that are to come out of `pcie_rx`.
    pub inward: VecDeque<(u8, Vec<u8>)>,
    bars: VecDeque<u8>,
    /// TLPs that are to come to the host.
    pub outward: VecDeque<Vec<u8>>,
    pub resets_done: usize,
    /// Header of the newest frame of the device in this epoch.
    pub newest: Option<Head>,
    /// Frames of the device of another epoch.
    pub stale: usize,
    /// Frames of the device that are not the carrier's.
    pub ether: Vec<Vec<u8>>,
    /// Cycles that a reset of the function takes, those of the present one, resets so far.
    pub reset_cycles: u64,
    reset_for: u64,
    pub resets: usize,
}

impl Host {
    pub fn new(bench: &mut Bench) -> Self {
        let host = Self {
            rx: bench.source("rx", Pattern::None),
            tx: bench.sink("tx", Pattern::None),
            wire_rx: bench.sink("wire_rx", Pattern::None),
            wire_tx: bench.source("wire_tx", Pattern::None),
            pcie_tx: bench.source("pcie_tx", Pattern::None),
            pcie_rx: bench.sink("pcie_rx", Pattern::None),
            faults: Faults::default(),
            epoch: bench.rng().random(),
            is_ready: false,
            is_mute: false,
            acks: true,
            to_send: VecDeque::new(),
            window: VecDeque::new(),
            oldest: 0,
            resend: 0,
            expected: 0,
            told: false,
            owes: false,
            naks: false,
            since: 0,
            hello_at: 0,
            swapped: None,
            inward: VecDeque::new(),
            bars: VecDeque::new(),
            outward: VecDeque::new(),
            resets_done: 0,
            newest: None,
            stale: 0,
            ether: vec![],
            reset_cycles: 300,
            reset_for: 0,
            resets: 0,
        };
        bench.set("link_up", 1);
        bench.set("pcie_np_ok", 1);
        bench.set("pcie_flr_done", 0);
        bench.set("index", 0);
        bench.set("address", 0x0246_5700_0001);
        bench.set("silence", 200_000);
        bench.set("timeout", 3_000);
        host
    }

    /// Begins another epoch: all that is under way is forgotten.
    pub fn begin(&mut self, bench: &mut Bench) {
        self.epoch = self.epoch.wrapping_add(bench.rng().random_range(1..1_000));
        self.is_ready = false;
        self.window.clear();
        self.to_send.clear();
        (self.oldest, self.resend, self.expected) = (0, 0, 0);
        (self.told, self.owes, self.naks) = (false, false, false);
        self.hello_at = 0;
        self.swapped = None;
        self.newest = None;
    }

    /// A cycle.
    pub fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        bench.step();
        self.function(bench);
        if bench.get("pcie_rx_valid") == 1 && bench.get("pcie_rx_last") == 1 {
            self.bars.push_back(bench.get("pcie_rx_bar_hit") as u8);
        }
        for tlp in bench.received(self.pcie_rx) {
            let came = (self.bars.pop_front().unwrap_or(255), tlp.data);
            let due = self.inward.pop_front();
            if tlp.err || due.as_ref() != Some(&came) {
                return Err(format!("TLP for the device: came {came:02x?}, due {due:02x?}"));
            }
        }
        for octets in bench.received(self.tx) {
            if octets.err {
                return Err("a frame of the device has err".into());
            }
            let is_own = octets.data.get(12..14) == Some(&[0x88, 0xB5]);
            if !is_own {
                self.ether.push(octets.data);
            } else if !happens(bench, self.faults.lost) {
                self.came(&octets.data)?;
                if happens(bench, self.faults.doubled) {
                    self.came(&octets.data)?;
                }
            }
        }
        if bench.sent_all(self.rx) && !self.is_mute {
            self.sends(bench);
        }
        Ok(())
    }

    /// Steps until `done`, at most `cycles` cycles.
    pub fn until(
        &mut self,
        bench: &mut Bench,
        cycles: u64,
        mut done: impl FnMut(&Self, &Bench) -> bool,
    ) -> Result<(), String> {
        let end = bench.cycle() + cycles;
        while !done(self, bench) {
            if bench.cycle() >= end {
                let (inward, outward) = (self.inward.len(), self.outward.len());
                return Err(format!("not done: {inward} TLPs due inward, {outward} outward"));
            }
            self.step(bench)?;
        }
        Ok(())
    }

    pub fn greet(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until(bench, 60_000, |host, _| host.is_ready)
    }

    /// Everything that is due has come.
    pub fn settle(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        self.until(bench, cycles, |h, _| h.inward.is_empty() && h.outward.is_empty() && h.to_send.is_empty())
    }

    pub fn count(&mut self, bench: &mut Bench, index: u64) -> Result<u64, String> {
        bench.set("index", index);
        for _ in 0..4 {
            self.step(bench)?;
        }
        Ok(bench.get("count"))
    }

    /// Gives the device a TLP, which is due there.
    pub fn give(&mut self, bar_hit: u8, octets: Vec<u8>) {
        self.inward.push_back((bar_hit, octets.clone()));
        self.to_send.push_back(Record::Tlp { bar_hit, octets });
    }

    /// Lets the device send a TLP, which is due here.
    pub fn emit(&mut self, bench: &mut Bench, octets: Vec<u8>) {
        bench.send(self.pcie_tx, Frame::good(octets.clone()));
        self.outward.push_back(octets);
    }

    fn function(&mut self, bench: &mut Bench) {
        let asks = bench.get("pcie_flr") == 1;
        self.reset_for = if asks { self.reset_for + 1 } else { 0 };
        let done = self.reset_for == self.reset_cycles;
        self.resets += usize::from(done);
        bench.set("pcie_flr_done", done.into());
        assert!(self.reset_for <= self.reset_cycles + 2, "pcie_flr stays behind pcie_flr_done");
    }

    fn came(&mut self, octets: &[u8]) -> Result<(), String> {
        let (head, records) = parsed(octets)?;
        if head.epoch != self.epoch {
            self.stale += 1;
            return Ok(());
        }
        self.newest = Some(head);
        if head.kind == HELLO {
            self.is_ready = true;
            return Ok(());
        }
        let step = usize::from(head.acknowledged.wrapping_sub(self.oldest));
        if step <= self.window.len() {
            self.window.drain(..step);
            self.oldest = head.acknowledged;
            self.resend = self.resend.saturating_sub(step);
            if step > 0 {
                self.since = 0;
            }
            if head.flags & NAK != 0 {
                self.resend = 0;
            }
        }
        if head.kind != DATA {
            return Ok(());
        }
        self.owes = true;
        if head.sequence != self.expected {
            let is_ahead = head.sequence.wrapping_sub(self.expected) < 0x8000;
            self.naks |= is_ahead && !self.told;
            self.told |= is_ahead;
            return Ok(());
        }
        self.told = false;
        self.expected = self.expected.wrapping_add(1);
        for record in records {
            match record {
                Record::Tlp { octets, .. } => {
                    let due = self.outward.pop_front();
                    if due.as_ref() != Some(&octets) {
                        return Err(format!("TLP of the device: came {octets:02x?}, due {due:02x?}"));
                    }
                }
                _ => self.resets_done += 1,
            }
        }
        Ok(())
    }

    fn sends(&mut self, bench: &mut Bench) {
        self.since += 1;
        self.hello_at = self.hello_at.saturating_sub(1);
        let mut head = Head { epoch: self.epoch, acknowledged: self.expected, ..Head::default() };
        if !self.is_ready {
            if self.hello_at == 0 {
                self.hello_at = REPEAT;
                self.transmit(bench, frame(Head { kind: HELLO, acknowledged: 0, ..head }, &[]));
            }
            return;
        }
        if self.since > REPEAT {
            (self.since, self.resend) = (0, 0);
        }
        head.flags = if self.naks { NAK } else { 0 };
        let is_new = self.resend == self.window.len();
        if is_new && self.window.len() < WINDOW && !self.to_send.is_empty() {
            let records = self.pack(bench);
            self.window.push_back(records);
        }
        if let Some(records) = self.window.get(self.resend) {
            let (count, octets) = records.split_at(2);
            head.kind = DATA;
            head.sequence = self.oldest.wrapping_add(self.resend as u16);
            head.records = u16::from_be_bytes([count[0], count[1]]);
            let octets = frame(head, octets);
            self.resend += 1;
            self.transmit(bench, octets);
        } else if self.owes && self.acks {
            head.kind = ACK;
            self.transmit(bench, frame(head, &[]));
        } else {
            return;
        }
        (self.owes, self.naks) = (false, false);
    }

    /// Octets of the records of a new frame, behind their number.
    fn pack(&mut self, bench: &mut Bench) -> Vec<u8> {
        let most = bench.rng().random_range(1..12);
        let (mut records, mut octets) = (0_u16, vec![]);
        while records < most {
            let Some(record) = self.to_send.front().map(Record::octets) else { break };
            if 24 + octets.len() + record.len() > 1_514 {
                break;
            }
            octets.extend(record);
            records += 1;
            self.to_send.pop_front();
        }
        [&records.to_be_bytes()[..], &octets].concat()
    }

    /// Asks for an ack.
    pub fn ask(&mut self, bench: &mut Bench) {
        let head =
            Head { flags: ASK, kind: ACK, epoch: self.epoch, acknowledged: self.expected, ..Head::default() };
        bench.send(self.rx, Frame::good(frame(head, &[])));
    }

    fn transmit(&mut self, bench: &mut Bench, octets: Vec<u8>) {
        if happens(bench, self.faults.lost) {
            return;
        }
        if happens(bench, self.faults.swapped) && self.swapped.is_none() {
            self.swapped = Some(octets);
            return;
        }
        let mut frame = Frame::good(octets);
        if happens(bench, self.faults.spoilt) {
            let at = bench.rng().random_range(14..frame.data.len());
            frame.data[at] ^= 1 << bench.rng().random_range(0..8);
            frame.err = true;
        }
        if happens(bench, self.faults.doubled) {
            bench.send(self.rx, frame.clone());
        }
        bench.send(self.rx, frame);
        if let Some(late) = self.swapped.take() {
            bench.send(self.rx, Frame::good(late));
        }
    }
}

fn happens(bench: &mut Bench, one_in: u32) -> bool {
    one_in > 0 && bench.rng().random_ratio(1, one_in)
}

/// Random octets of `dwords` dwords.
pub fn dwords(bench: &mut Bench, dwords: usize) -> Vec<u8> {
    let mut octets = vec![0; dwords * 4];
    bench.rng().fill_bytes(&mut octets);
    octets
}

/// A TLP as the edge of the device makes them: a read, or a write or completion with payload.
pub fn of_device(bench: &mut Bench) -> Vec<u8> {
    let four = bench.rng().random_ratio(1, 3);
    let payload = match bench.rng().random_range(0..4) {
        0 => 0,
        1 => bench.rng().random_range(1..=4),
        2 => 64,
        _ => bench.rng().random_range(1..=256),
    };
    let mut octets = dwords(bench, 3 + usize::from(four) + payload);
    let length = if payload == 0 { bench.rng().random_range(0..1_024) } else { payload };
    octets[3] = octets[3] & 0x1F | u8::from(four) << 5 | u8::from(payload > 0) << 6;
    octets[1] = octets[1] & 0xFC | (length >> 8) as u8;
    octets[0] = length as u8;
    octets
}
