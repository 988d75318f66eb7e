// SPDX-License-Identifier: MIT OR Apache-2.0
//! What DDP receive must make of a ULPDU: a model from the text of RFC 5041 and RFC 5040, octets
//! from plain code.
mod other;

use crate::mr::{Ask, Error, Model as Regions};
pub use other::{terminate, Event, Quote, Read, Request};
use std::collections::{BTreeMap, VecDeque};

/// Memory as octets that were written.
pub type Memory = BTreeMap<u64, u8>;

/// Writes octets.
pub fn store(memory: &mut Memory, addr: u64, octets: &[u8]) {
    memory.extend((addr..).zip(octets.iter().copied()));
}

/// A tagged segment: RDMA Write, or what `opcode` says.
pub fn tagged(opcode: u8, stag: u32, to: u64, last: bool, payload: &[u8]) -> Vec<u8> {
    let control = [0x81 | u8::from(last) << 6, 0x40 | opcode];
    [&control[..], &stag.to_be_bytes(), &to.to_be_bytes(), payload].concat()
}

/// An untagged segment.
pub fn untagged(opcode: u8, qn: u32, msn: u32, mo: u32, last: bool, payload: &[u8]) -> Vec<u8> {
    let control = [0x01 | u8::from(last) << 6, 0x40 | opcode];
    let fields = [0, qn, msn, mo].map(u32::to_be_bytes);
    [&control[..], &fields.concat(), payload].concat()
}

/// A segment of a Send that invalidates `stag`: opcode 4 or 6.
pub fn invalidating(opcode: u8, stag: u32, msn: u32, mo: u32, last: bool, payload: &[u8]) -> Vec<u8> {
    let mut ulpdu = untagged(opcode, 0, msn, mo, last, payload);
    ulpdu[2..6].copy_from_slice(&stag.to_be_bytes());
    ulpdu
}

/// A piece of a receive.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Scatter {
    /// Tagged offset of the first octet.
    pub to: u64,
    /// Octets.
    pub length: u32,
    /// STag of its region.
    pub key: u32,
}

/// A posted receive: one to three scatters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Receive {
    /// Of the receive in its queue.
    pub index: u32,
    /// Where the message goes.
    pub scatters: Vec<Scatter>,
}

/// A completion of a receive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Queue pair.
    pub qp: u8,
    /// Completion queue.
    pub cq: u16,
    /// Of the receive.
    pub index: u32,
    /// Octets.
    pub byte_len: u32,
    /// RDMAP opcode.
    pub opcode: u8,
    /// Opcode 5 or 6.
    pub is_solicited: bool,
    /// STag that it invalidated.
    pub invalidated: Option<u32>,
}

/// Numbers of `wc_status` (abi, `docs/abi.md`).
pub mod status {
    /// A message is longer than its receive.
    pub const LENGTH: u8 = 1;
    /// A scatter is not ours to write.
    pub const PROTECTION: u8 = 3;
    /// A region refuses the peer.
    pub const ACCESS: u8 = 5;
    /// The peer's Terminate says that it refused us.
    pub const REFUSED: u8 = 6;
    /// The peer's Terminate says anything else, or is none.
    pub const ENDED: u8 = 7;
    /// Anything else wrong with the stream.
    pub const FATAL: u8 = 9;
}

/// The first fault of a queue pair.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Queue pair.
    pub qp: u8,
    /// Layer, type and code.
    pub error: u16,
    /// One of [`status`].
    pub status: u8,
    /// Of the receive that a message fills, if the fault lies with that message.
    pub index: Option<u32>,
}

/// Octets and completions that an FPDU brings.
#[derive(Clone, Debug, Default)]
struct Good {
    writes: Vec<(u64, Vec<u8>)>,
    completion: Option<Completion>,
    request: Option<Request>,
    is_read_done: bool,
}

/// A queue pair as DDP receive knows it.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Protection domain.
    pub pd: u16,
    /// Completion queue of receives.
    pub cq: u16,
    /// Receives posted.
    pub receives: VecDeque<Receive>,
    /// A fault was found.
    pub stopped: bool,
    /// Read Requests of the peer that may be under way at once; the device has room for 8.
    pub ird: u8,
    /// Those that are.
    pub in_use: u8,
    /// Reads of ours without their whole response.
    pub reads: VecDeque<Read>,
    msn: u32,
    open: Option<(Receive, usize)>,
    request_msn: u32,
    begun: bool,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Regions of all protection domains.
    pub regions: Regions,
    /// Queue pairs by number.
    pub pairs: BTreeMap<u8, Pair>,
    /// What must be in memory.
    pub memory: Memory,
    /// Completions in order.
    pub completions: Vec<Completion>,
    /// Faults in order.
    pub faults: Vec<Fault>,
    /// Of each fault its segment, if one came whole.
    pub quotes: Vec<Option<Quote>>,
    /// Read Requests in order.
    pub requests: Vec<Request>,
    /// Queue pairs whose oldest Read is done.
    pub done: Vec<u8>,
    /// Queue pairs with their first good FPDU.
    pub first: Vec<u8>,
    /// Events.
    pub events: Vec<Event>,
}

fn be(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |n, &o| n << 8 | u64::from(o))
}

impl Model {
    /// An FPDU arrives: MPA's verdict, and its ULPDU if that is 0.
    pub fn take(&mut self, qp: u8, verdict: u64, ulpdu: &[u8]) {
        let Some(pair) = self.pairs.get_mut(&qp).filter(|p| !p.stopped) else { return };
        if verdict == 0 && !pair.begun {
            pair.begun = true;
            self.first.push(qp);
            self.events.push(Event::first(qp));
        }
        let result = match verdict {
            0 => pair.segment(qp, &mut self.regions, ulpdu),
            1 => Err((0x2002, status::FATAL, None)),
            2 => Err((0x2003, status::FATAL, None)),
            4 => Err((0x2005, status::FATAL, None)),
            5 => Err((0x2001, status::FATAL, None)),
            _ => Err((0x02FF, status::FATAL, None)),
        };
        match result {
            Ok(good) => {
                good.writes.iter().for_each(|(addr, octets)| store(&mut self.memory, *addr, octets));
                self.completions.extend(good.completion);
                self.requests.extend(good.request);
                self.done.extend(good.is_read_done.then_some(qp));
            }
            Err((error, status, index)) => {
                let told = Event::terminate(qp, ulpdu).filter(|e| verdict == 0 && e.error == error);
                self.quotes.push((verdict == 0).then(|| Quote::of(ulpdu, told.is_some())));
                self.events.extend(told);
                pair.stopped = true;
                self.faults.push(Fault { qp, error, status, index });
            }
        }
    }
}

/// Error, status, receive.
type Wrong = (u16, u8, Option<u32>);

impl Pair {
    /// A queue pair whose stream begins.
    pub fn new(pd: u16, cq: u16) -> Self {
        Self { pd, cq, ird: 8, ..Self::default() }
    }

    /// The same, whose first messages on queues 0 and 1 have this MSN.
    pub fn from(self, first: u32) -> Self {
        let behind = first.wrapping_sub(1);
        Self { msn: behind, request_msn: behind, ..self }
    }

    fn segment(&mut self, qp: u8, regions: &mut Regions, ulpdu: &[u8]) -> Result<Good, Wrong> {
        let is_tagged = ulpdu[0] & 0x80 != 0;
        let header = if is_tagged { 14 } else { 18 };
        if ulpdu.len() < header {
            return Err((0x02FF, status::FATAL, None));
        }
        let qn = if is_tagged { 0 } else { be(&ulpdu[6..10]) };
        let is_terminate = !is_tagged && qn == 2 && ulpdu[1] & 0xF == 7;
        let wrong = |error| Err((error, if is_terminate { status::ENDED } else { status::FATAL }, None));
        if ulpdu[0] & 3 != 1 {
            return wrong(if is_tagged { 0x1104 } else { 0x1206 });
        }
        if qn > 2 {
            return wrong(0x1201);
        }
        if ulpdu[1] >> 6 != 1 {
            return wrong(0x0205);
        }
        match (is_tagged, qn, ulpdu[1] & 0xF) {
            (true, _, 0) => self.write(qp, regions, ulpdu),
            (true, _, 2) => self.response(qp, regions, ulpdu),
            (false, 0, 3..=6) => self.send(qp, regions, ulpdu),
            (false, 1, 1) => self.request(qp, regions, ulpdu),
            (false, 2, 7) => other::ended(ulpdu),
            _ => wrong(0x0206),
        }
    }

    fn write(&self, qp: u8, regions: &Regions, ulpdu: &[u8]) -> Result<Good, Wrong> {
        let payload = &ulpdu[14..];
        if payload.is_empty() {
            return Ok(Good::default());
        }
        let ask = Ask::write(be(&ulpdu[2..6]) as u32, be(&ulpdu[6..14]), payload.len() as u32, qp, self.pd);
        let error = |e| match e {
            Error::Stag | Error::Access => 0x1100,
            Error::Bounds => 0x1101,
            Error::Stream => 0x1102,
            Error::Wrap => 0x1103,
        };
        let iova = regions.say(&ask).map_err(|e| (error(e), status::ACCESS, None))?;
        Ok(Good { writes: vec![(iova, payload.to_vec())], ..Good::default() })
    }

    fn send(&mut self, qp: u8, regions: &mut Regions, ulpdu: &[u8]) -> Result<Good, Wrong> {
        let (msn, mo) = (be(&ulpdu[10..14]) as u32, be(&ulpdu[14..18]) as usize);
        let (opcode, payload) = (ulpdu[1] & 0xF, &ulpdu[18..]);
        let open = self.open.as_ref().map(|o| o.0.index);
        let ahead = msn.wrapping_sub(self.msn.wrapping_add(1));
        if ahead != 0 {
            return Err((if ahead >> 31 == 0 { 0x1202 } else { 0x1203 }, status::FATAL, open));
        }
        if self.open.is_none() {
            let receive = self.receives.pop_front().ok_or((0x1202, status::FATAL, None))?;
            self.open = Some((receive, 0));
        }
        let Some((receive, got)) = &mut self.open else { return Ok(Good::default()) };
        let index = Some(receive.index);
        let total: usize = receive.scatters.iter().map(|s| s.length as usize).sum();
        if !payload.is_empty() {
            if mo >= total {
                return Err((0x1204, status::FATAL, index));
            }
            if mo + payload.len() > total {
                return Err((0x1205, status::LENGTH, index));
            }
            if mo != *got {
                return Err((0x1204, status::FATAL, index));
            }
        }
        let mut good = Good::default();
        let mut start = 0;
        for s in &receive.scatters {
            let (from, to) = (start.max(*got), (start + s.length as usize).min(*got + payload.len()));
            if from < to {
                let (stag, addr, length) = (s.key, s.to + (from - start) as u64, (to - from) as u32);
                let ask = Ask { stag, addr, length, qp, pd: self.pd, local_write: true, ..Ask::default() };
                let iova = regions.say(&ask).map_err(|_| (0x1000, status::PROTECTION, index))?;
                good.writes.push((iova, payload[from - *got..to - *got].to_vec()));
            }
            start += s.length as usize;
        }
        *got += payload.len();
        if ulpdu[0] & 0x40 != 0 {
            let (index, byte_len) = (receive.index, *got as u32);
            let is_solicited = opcode == 5 || opcode == 6;
            let invalidated = (opcode == 4 || opcode == 6).then(|| be(&ulpdu[2..6]) as u32);
            if let Some(stag) = invalidated {
                if !regions.invalidate(stag, qp) {
                    return Err((0x0109, status::ACCESS, Some(index)));
                }
            }
            let cq = self.cq;
            good.completion = Some(Completion { qp, cq, index, byte_len, opcode, is_solicited, invalidated });
            self.open = None;
            self.msn = msn;
        }
        Ok(good)
    }
}
