// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that take no receive: Read Requests, Read Responses and the Terminate, from the text of
//! RFC 5040.
use super::{be, status, Good, Pair, Wrong};
use crate::mr::{Ask, Error, Model as Regions};

/// A Read Request.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Request {
    /// Queue pair to which it comes.
    pub qp: u8,
    /// The peer's region.
    pub sink_stag: u32,
    /// The peer's offset.
    pub sink_to: u64,
    /// Octets.
    pub length: u32,
    /// Our region.
    pub src_stag: u32,
    /// Offset in it.
    pub src_to: u64,
}

impl Request {
    /// The 28 octets of its header.
    pub fn header(&self) -> Vec<u8> {
        let mut octets = self.sink_stag.to_be_bytes().to_vec();
        octets.extend(self.sink_to.to_be_bytes());
        octets.extend(self.length.to_be_bytes());
        octets.extend(self.src_stag.to_be_bytes());
        octets.extend(self.src_to.to_be_bytes());
        octets
    }

    /// Its ULPDU.
    pub fn ulpdu(&self, msn: u32) -> Vec<u8> {
        super::untagged(1, 1, msn, 0, true, &self.header())
    }
}

/// A Read of ours that waits for its response.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Read {
    /// Our region.
    pub stag: u32,
    /// Tagged offset of its first octet.
    pub to: u64,
    /// Octets.
    pub length: u32,
    /// Octets that came.
    pub got: u32,
}

/// An event: kind as in `docs/abi.md`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind.
    pub kind: u8,
    /// Queue pair.
    pub qp: u8,
    /// Layer, type and code.
    pub error: u16,
    /// Control field of a Terminate.
    pub info: u32,
}

impl Event {
    /// The first FPDU of a stream.
    pub fn first(qp: u8) -> Self {
        Self { kind: 6, qp, error: 0, info: 0 }
    }

    /// A Terminate, if this ULPDU is a whole one.
    pub fn terminate(qp: u8, ulpdu: &[u8]) -> Option<Self> {
        let is_one = ulpdu.len() >= 22 && ulpdu[0] & 0x80 == 0 && ulpdu[1] & 0xF == 7;
        let info = is_one.then(|| be(&ulpdu[18..22]) as u32 & 0xFFFF_E000)?;
        Some(Self { kind: 9, qp, error: (info >> 16) as u16, info })
    }
}

/// What a fault says of the segment that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// It is a good Terminate.
    pub is_terminate: bool,
    /// Octets of its ULPDU.
    pub length: usize,
    /// The first of them that must be told: all that a Terminate may quote, and all of a Terminate.
    pub head: Vec<u8>,
}

impl Quote {
    /// Of this ULPDU: 72 octets of one on queue 1 or 2, else 24.
    pub fn of(ulpdu: &[u8], is_terminate: bool) -> Self {
        let queue = ulpdu.get(6..10).filter(|_| ulpdu[0] & 0x80 == 0).map(be);
        let most = if matches!(queue, Some(1 | 2)) { 72 } else { 24 };
        Self { is_terminate, length: ulpdu.len(), head: ulpdu[..most.min(ulpdu.len())].to_vec() }
    }

    /// Takes the octets over that follow the fault: whole words, just as many as there must be.
    ///
    /// # Errors
    /// There are more or fewer of them.
    pub fn read(&mut self, mut octets: Vec<u8>) -> Result<(), String> {
        let count = octets.len();
        octets.truncate(self.length);
        self.head = Self::of(&octets, self.is_terminate).head;
        match self.head.len().next_multiple_of(8) == count {
            true => Ok(()),
            false => Err(format!("{count} octets quoted of {self:x?}")),
        }
    }
}

/// The ULPDU of a Terminate with these octets behind its DDP header.
pub fn terminate(header: &[u8]) -> Vec<u8> {
    super::untagged(7, 2, 1, 0, true, header)
}

/// Of a buffer of `most` octets that one segment fills: what is wrong with the segment's MO and
/// length.
fn one_segment(ulpdu: &[u8], least: usize, most: usize) -> Option<u16> {
    let (mo, octets) = (be(&ulpdu[14..18]) as usize, ulpdu.len() - 18);
    match () {
        _ if octets > 0 && mo >= most => Some(0x1204),
        _ if octets > 0 && mo + octets > most => Some(0x1205),
        _ if octets > 0 && mo != 0 => Some(0x1204),
        _ if octets < least || ulpdu[0] & 0x40 == 0 => Some(0x02FF),
        _ => None,
    }
}

/// MSN of the segment against the next one.
fn wrong_msn(ulpdu: &[u8], next: u32) -> Option<u16> {
    let ahead = (be(&ulpdu[10..14]) as u32).wrapping_sub(next);
    (ahead != 0).then_some(if ahead >> 31 == 0 { 0x1202 } else { 0x1203 })
}

/// What a Terminate makes of the stream.
pub(super) fn ended(ulpdu: &[u8]) -> Result<Good, Wrong> {
    if let Some(error) = wrong_msn(ulpdu, 1).or_else(|| one_segment(ulpdu, 4, 52)) {
        return Err((error, status::ENDED, None));
    }
    let error = be(&ulpdu[18..20]) as u16;
    let refused = matches!(error >> 8, 0x01 | 0x11);
    Err((error, if refused { status::REFUSED } else { status::ENDED }, None))
}

impl Pair {
    pub(super) fn request(&mut self, qp: u8, regions: &Regions, ulpdu: &[u8]) -> Result<Good, Wrong> {
        let next = self.request_msn.wrapping_add(1);
        let full = (self.in_use >= self.ird.min(8)).then_some(0x1202);
        let wrong = wrong_msn(ulpdu, next).or(full).or_else(|| one_segment(ulpdu, 28, 28));
        if let Some(error) = wrong {
            return Err((error, status::FATAL, None));
        }
        let n = |from: usize, octets: usize| be(&ulpdu[18 + from..18 + from + octets]);
        let request = Request {
            qp,
            sink_stag: n(0, 4) as u32,
            sink_to: n(4, 8),
            length: n(12, 4) as u32,
            src_stag: n(16, 4) as u32,
            src_to: n(20, 8),
        };
        if request.length > 0 {
            let (stag, addr, length) = (request.src_stag, request.src_to, request.length);
            let ask = Ask { stag, addr, length, qp, pd: self.pd, remote_read: true, ..Ask::default() };
            let error = |e| match e {
                Error::Stag => 0x0100,
                Error::Bounds => 0x0101,
                Error::Access => 0x0102,
                Error::Stream => 0x0103,
                Error::Wrap => 0x0104,
            };
            regions.say(&ask).map_err(|e| (error(e), status::ACCESS, None))?;
        }
        self.request_msn = next;
        self.in_use += 1;
        Ok(Good { request: Some(request), ..Good::default() })
    }

    pub(super) fn response(&mut self, qp: u8, regions: &Regions, ulpdu: &[u8]) -> Result<Good, Wrong> {
        let read = self.reads.front_mut().ok_or((0x0206, status::FATAL, None))?;
        let (stag, to, payload) = (be(&ulpdu[2..6]) as u32, be(&ulpdu[6..14]), &ulpdu[14..]);
        let refused = |error| Err((error, status::ACCESS, None));
        let mut good = Good::default();
        if !payload.is_empty() {
            let length = payload.len() as u32;
            let ask = Ask { stag, addr: to, length, qp, pd: self.pd, local_write: true, ..Ask::default() };
            match regions.say(&ask) {
                Ok(iova) => good.writes.push((iova, payload.to_vec())),
                Err(Error::Stag | Error::Access) => return refused(0x1100),
                Err(Error::Bounds) => return refused(0x1101),
                Err(Error::Stream) => return refused(0x1102),
                Err(Error::Wrap) => return refused(0x1103),
            }
            if stag != read.stag {
                return refused(0x1100);
            }
            if to != read.to.wrapping_add(read.got.into()) {
                return refused(0x1101);
            }
        }
        let got = read.got as usize + payload.len();
        let is_last = ulpdu[0] & 0x40 != 0;
        if got > read.length as usize || is_last && got != read.length as usize {
            return refused(0x1101);
        }
        read.got = got as u32;
        if is_last {
            self.reads.pop_front();
            good.is_read_done = true;
        }
        Ok(good)
    }
}
