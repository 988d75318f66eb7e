// SPDX-License-Identifier: MIT OR Apache-2.0
//! An access of a host to a BAR, as a TLP of any form, and the answer that it is owed.
use super::registers::{Registers, READ_TIMEOUT};
use crate::rnic_anew::{CQS, QP};
use ferrowarp_sim::pcie::{BarAnswer, Request, Status};
use ferrowarp_sim::{Bench, RootId};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::fmt;

/// Octets of a BAR's page, and of a dword.
const PAGE: u64 = 4_096;
const DWORD: u64 = 4;
/// Pages of doorbells: one of each queue, and the one of the device's own rings.
const PAGES: u64 = 33;
const OWN: u64 = 32;
/// Most dwords of a write: a payload of 256 octets.
const PAYLOAD: u32 = 64;
/// Registers that would end the walk: the shortest retransmission timer, the restart, the command
/// of the admin window.
const RTO_MIN: u64 = 0x02c;
const RESTART: u64 = 0x03c;
const ADMIN_GO: u64 = 0x0c0;
/// Longest command of the admin window.
const COMMAND: u32 = 256;
/// A timeout of reads, in ticks of 200 cycles, that the memory behind the bus keeps. Completions
/// share the link with accesses: a walk whose accesses follow each other fills 12,000 cycles.
const LEAST_TIMEOUT: u32 = 80;
/// Fmt and Type of requests that the device does not have, with dwords of payload: I/O,
/// configuration, atomic operations, which have an answer; messages, and kinds that are none, which
/// have none.
const ANSWERED: [(u8, usize); 7] =
    [(0x02, 0), (0x42, 1), (0x04, 0), (0x45, 1), (0x4c, 1), (0x6d, 2), (0x6e, 4)];
const SILENT: [(u8, usize); 4] = [(0x30, 0), (0x74, 1), (0x1f, 0), (0x80, 0)];
/// Octets that the answer to such a request counts.
const COUNT: u64 = 4;

/// What is wrong with the form of a memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Right,
    /// A dword more than the header says, or one less.
    Longer,
    Shorter,
    /// Its payload is poisoned.
    Poisoned,
}

/// An access.
#[derive(Clone, Debug)]
pub struct Access {
    /// 0, 1 and 2 are BAR0, BAR2 and BAR4.
    pub bar: u8,
    /// Offset of the first dword.
    offset: u64,
    dwords: u32,
    /// First and last byte enables.
    enables: [u8; 2],
    /// Dwords of a write, octet 0 the highest.
    data: Option<Vec<u8>>,
    form: Form,
    /// Another kind: Fmt and Type, dwords of payload, whether it has an answer.
    other: Option<(u8, usize, bool)>,
}

impl Access {
    /// Any access that leaves the queue pair of the walk as it is.
    pub fn any(rng: &mut ChaCha8Rng) -> Self {
        let bar = [0, 0, 0, 1, 2][rng.random_range(0..5)];
        let offset = offset(rng, bar);
        let is_write = rng.random();
        let most = if is_write { PAYLOAD } else { 1_024 };
        let dwords = match rng.random_range(0..20) {
            0..=8 => 1,
            9..=15 => 2,
            16..=18 => rng.random_range(1..=32),
            _ => rng.random_range(1..=most),
        };
        let is_whole = rng.random_ratio(3, 5);
        let enable = |rng: &mut ChaCha8Rng| if is_whole { 0xf } else { rng.random_range(0..16) };
        let enables = match dwords {
            1 if rng.random_ratio(49, 50) => [enable(rng), 0],
            _ => [enable(rng), enable(rng)],
        };
        let form = match rng.random_range(0..40) {
            0 => Form::Longer,
            1 if is_write => Form::Shorter,
            2 if is_write => Form::Poisoned,
            _ => Form::Right,
        };
        let other = match rng.random_range(0..50) {
            0 => Some(ANSWERED[rng.random_range(0..ANSWERED.len())]).map(|(kind, n)| (kind, n, true)),
            1 => Some(SILENT[rng.random_range(0..SILENT.len())]).map(|(kind, n)| (kind, n, false)),
            _ => None,
        };
        let data = is_write.then(|| {
            let mut octets = vec![0; 4 * dwords as usize];
            rng.fill_bytes(&mut octets);
            tame(rng, bar, offset, &mut octets);
            octets
        });
        Self { bar, offset, dwords, enables, data, form, other }
    }

    /// The header contradicts itself or the length of the TLP.
    fn is_malformed(&self) -> bool {
        let [first, last] = self.enables;
        let enables = if self.dwords == 1 { last == 0 } else { first != 0 && last != 0 };
        matches!(self.form, Form::Longer | Form::Shorter) || !enables
    }

    /// One dword, or two of one quadword.
    fn is_short(&self) -> bool {
        self.dwords == 1 || self.dwords == 2 && self.offset.is_multiple_of(2 * DWORD)
    }

    /// Each octet is enabled.
    fn is_whole(&self) -> bool {
        self.enables == [0xf, if self.dwords == 1 { 0 } else { 0xf }]
    }

    /// The device refuses the request for its form, whatever the place.
    pub fn is_bad(&self) -> bool {
        let is_bell = self.bar == 1 && self.data.is_some();
        self.other.is_some()
            || self.is_malformed()
            || self.form == Form::Poisoned
            || !self.is_short()
            || self.data.is_some() && !self.is_whole()
            || is_bell && self.dwords == 1
    }

    /// Offsets and values of the dwords that a good write writes.
    pub fn written(&self) -> Vec<(u64, u32)> {
        let data = self.data.iter().filter(|_| !self.is_bad()).flat_map(|data| data.chunks(4));
        let dword = |o: &[u8]| u32::from_le_bytes([o[0], o[1], o[2], o[3]]);
        data.enumerate().map(|(n, octets)| (self.offset + DWORD * n as u64, dword(octets))).collect()
    }

    /// Sends the access; what is owed for it.
    pub fn send(&self, bench: &mut Bench, root: RootId, registers: &Registers) -> Option<Owed> {
        let since = bench.cycle();
        let root = bench.root(root);
        let (requester, addr) = (root.config.root, root.config.bars[usize::from(self.bar)] + self.offset);
        let [first_be, last_be] = self.enables;
        let request = |tag| {
            let data = self.data.clone();
            Request { requester, tag, addr, dwords: self.dwords, first_be, last_be, data }
        };
        let shaped = |tag| self.shaped(request(tag).octets());
        let is_answered = match self.other {
            Some((.., is_answered)) => is_answered,
            None => self.data.is_none() && !self.is_malformed(),
        };
        if !is_answered {
            root.send(shaped(0), self.bar);
            return None;
        }
        if self.other.is_some() {
            let tag = root.ask(self.bar, (0, COUNT), shaped);
            return Some(Owed { tag, since, status: Status::Unsupported, octets: vec![], at: (self.bar, 0) });
        }
        let (from, count) = request(0).span();
        let tag = root.ask(self.bar, (from, count), shaped);
        let (status, octets) = match self.is_short() {
            false => (Status::Aborted, vec![]),
            true => (Status::Successful, may(registers, self.bar, self.offset + from - addr, count)),
        };
        Some(Owed { tag, since, status, octets, at: (self.bar, self.offset + from - addr) })
    }

    /// The TLP in its form.
    fn shaped(&self, mut tlp: Vec<u8>) -> Vec<u8> {
        if let Some((kind, payload, _)) = self.other {
            // a header of the kind's own length; a length of one dword without a payload
            let header = if kind & 0x20 == 0 { 12 } else { 16 };
            tlp.resize(header, 0);
            tlp[0] = kind;
            tlp[2] = 0;
            tlp[3] = payload.max(1) as u8;
            tlp[7] = 0x0f;
            tlp.resize(header + 4 * payload, 0x55);
            return tlp;
        }
        match self.form {
            Form::Right => {}
            Form::Longer => tlp.extend([0x55; 4]),
            Form::Shorter => tlp.truncate(tlp.len() - 4),
            Form::Poisoned => tlp[2] |= 0x40,
        }
        tlp
    }
}

/// A dword of a BAR: most often one that is there.
fn offset(rng: &mut ChaCha8Rng, bar: u8) -> u64 {
    let end = match rng.random_range(0..8) {
        0 => PAGE,
        1..=3 => 0xa00,
        4..=5 => 0x180,
        _ => 0x0a0,
    };
    let within = DWORD * rng.random_range(0..end / DWORD);
    match bar {
        0 => within,
        // the beginning of a page, or another place of the page
        1 => PAGE * rng.random_range(0..PAGES) + [0, 0, within][rng.random_range(0..3)],
        _ => [within, within % 0x180][rng.random_range(0..2)],
    }
}

/// Changes what would end the walk by right: a restart, a command, a short timer, a doorbell of the
/// queue pair or of a ring that is there.
fn tame(rng: &mut ChaCha8Rng, bar: u8, offset: u64, data: &mut [u8]) {
    for (n, octets) in data.chunks_mut(4).enumerate() {
        let value = u32::from_le_bytes([octets[0], octets[1], octets[2], octets[3]]);
        let value = match (bar, offset + DWORD * n as u64) {
            (0, RTO_MIN) => 0,
            (0, RESTART) => value & !1,
            (0, ADMIN_GO) if (1..=COMMAND).contains(&(value & 0xffff)) => 0,
            // more than 100 is not taken
            (0, READ_TIMEOUT) if rng.random() => LEAST_TIMEOUT + value % (120 - LEAST_TIMEOUT),
            (0, READ_TIMEOUT) => value | 0x80,
            _ => value,
        };
        octets.copy_from_slice(&value.to_le_bytes());
    }
    if bar != 1 || data.len() != 8 {
        return;
    }
    // kind, flags, number, value
    let page = offset / PAGE;
    let is_ours = page == u64::from(QP) || CQS.iter().any(|&cq| page == u64::from(cq));
    data[0] = rng.random_range(0..10);
    let number = match rng.random_range(0..3) {
        _ if is_ours => 9,
        0 => rng.random(),
        _ if page == OWN => 0,
        _ => page as u16,
    };
    if page == OWN && (4..8).contains(&data[0]) {
        data[0] += 4;
    }
    data[2..4].copy_from_slice(&number.to_be_bytes());
}

/// Octets that a read may give, each a set of values; any value where the device changes the place.
fn may(registers: &Registers, bar: u8, from: u64, count: u64) -> Vec<Option<BTreeSet<u8>>> {
    let octet = |at: u64| {
        let value = registers.value(bar, at - at % DWORD)?;
        Some(BTreeSet::from([value.to_le_bytes()[(at % DWORD) as usize]]))
    };
    (from..from + count).map(octet).collect()
}

/// An answer that has to come.
#[derive(Clone, Debug)]
pub struct Owed {
    /// Tag of the request, and the cycle in which it was sent.
    pub tag: u8,
    /// As above.
    pub since: u64,
    status: Status,
    octets: Vec<Option<BTreeSet<u8>>>,
    /// BAR and offset of its first octet.
    at: (u8, u64),
}

impl Owed {
    /// A write came behind the request: it may have passed the request.
    pub fn may_see(&mut self, bar: u8, offset: u64, registers: &Registers) {
        let Some(value) = registers.value(bar, offset).filter(|_| bar == self.at.0) else { return };
        for (n, octet) in value.to_le_bytes().into_iter().enumerate() {
            let at = (offset + n as u64).checked_sub(self.at.1);
            let place = at.and_then(|at| self.octets.get_mut(at as usize));
            if let Some(Some(set)) = place {
                set.insert(octet);
            }
        }
    }

    /// The answer is what is owed.
    pub fn judge(&self, answer: &BarAnswer) -> Result<(), String> {
        if answer.status != self.status || answer.data.len() != self.octets.len() {
            return Err(format!("{self} is answered by {answer:?}, must be {:?}", self.status));
        }
        let fits = |(is, may): (&u8, &Option<BTreeSet<u8>>)| may.as_ref().is_none_or(|may| may.contains(is));
        match answer.data.iter().zip(&self.octets).position(|both| !fits(both)) {
            None => Ok(()),
            Some(at) => {
                let (is, may) = (answer.data[at], &self.octets[at]);
                Err(format!("I1: octet {at} of {self} is {is:#04x}, may be {may:02x?}"))
            }
        }
    }
}

impl fmt::Display for Owed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bar, offset) = self.at;
        write!(f, "the request of {} octets at {offset:#x} of BAR {bar}", self.octets.len())
    }
}
