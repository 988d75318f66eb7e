// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device's end of the carrier in plain code: octets and offsets of `docs/carrier.md`, without
//! a line of the host's end.
use std::collections::VecDeque;

pub const HOST: [u8; 6] = [0x02, 0x46, 0x57, 0, 0, 2];
pub const DEVICE: [u8; 6] = [0x02, 0x46, 0x57, 0, 0, 1];
const HELLO: u8 = 1;
const DATA: u8 = 2;
const ACK: u8 = 3;
const NAK: u8 = 1;
const NP_OK: u8 = 2;
const READY: u8 = 4;
const ASK: u8 = 8;
/// Nanoseconds without progress after which frames are sent again.
pub const REPLAY: u64 = 100_000;

/// A record of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// BARs that the TLP hits, and the octets of the stream.
    Tlp(u8, Vec<u8>),
    Config(u32),
    Reset,
}

/// The device's end.
#[derive(Debug, Default)]
pub struct Mirror {
    pub epoch: Option<u16>,
    /// All records that were taken in this epoch.
    pub got: Vec<Record>,
    /// Resets by hello, and frames that were no frames of this epoch.
    pub hellos: u64,
    pub dropped: u64,
    /// Answers that requests are taken.
    pub np_ok: bool,
    /// Takes frames and sends none.
    pub is_mute: bool,
    expected: u16,
    is_reported: bool,
    owes: bool,
    nak: bool,
    answers_hello: bool,
    waiting: VecDeque<Vec<u8>>,
    /// Frames without an acknowledgment, oldest first; how many of them have left since the last
    /// repetition.
    flights: VecDeque<(u16, Vec<u8>)>,
    left: usize,
    next: u16,
    deadline: Option<u64>,
}

fn word(octets: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

/// A record of a TLP of the device, octets of the stream.
pub fn tlp_record(stream: &[u8]) -> Vec<u8> {
    let dwords = (stream.len() / 4) as u16;
    let mut record = [&[1, 0], &dwords.to_be_bytes()[..], &[0; 4], stream].concat();
    record.resize(record.len().next_multiple_of(8), 0);
    record
}

/// A whole frame of the device.
pub fn frame(flags: u8, kind: u8, numbers: [u16; 4], body: &[u8]) -> Vec<u8> {
    let numbers = numbers.map(u16::to_be_bytes).concat();
    let mut frame = [&HOST[..], &DEVICE, &[0x88, 0xB5, 0x10 | flags, kind], &numbers, body].concat();
    frame.resize(frame.len().max(60), 0);
    frame
}

impl Mirror {
    pub fn new() -> Self {
        Self { np_ok: true, ..Self::default() }
    }

    /// A record to the host.
    pub fn push(&mut self, record: Vec<u8>) {
        self.waiting.push_back(record);
    }

    /// Everything has arrived.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.flights.is_empty()
    }

    /// A frame of the host came.
    pub fn frame_came(&mut self, now: u64, octets: &[u8]) {
        assert!((60..=1514).contains(&octets.len()), "{} octets", octets.len());
        assert_eq!(
            (&octets[..6], &octets[6..12], &octets[12..14]),
            (&DEVICE[..], &HOST[..], &[0x88, 0xB5][..])
        );
        let (flags, kind, epoch) = (octets[14] & 0xF, octets[15], word(octets, 16));
        assert_eq!(octets[14] >> 4, 1, "version");
        assert_eq!(flags & (NP_OK | READY), 0, "flags of a device");
        if kind == HELLO {
            assert_eq!((flags, word(octets, 18), word(octets, 20), word(octets, 22)), (0, 0, 0, 0));
            if self.epoch != Some(epoch) {
                let (hellos, dropped) = (self.hellos + 1, self.dropped);
                let (np_ok, is_mute) = (self.np_ok, self.is_mute);
                *self = Self { epoch: Some(epoch), hellos, dropped, np_ok, is_mute, ..Self::default() };
            }
            self.answers_hello = true;
            return;
        }
        if self.epoch != Some(epoch) {
            self.dropped += 1;
            return;
        }
        self.acknowledged(now, word(octets, 20), flags & NAK != 0);
        if kind == ACK {
            assert_eq!((word(octets, 18), word(octets, 22)), (0, 0));
            self.owes |= flags & ASK != 0;
            return;
        }
        assert_eq!(kind, DATA);
        match word(octets, 18).wrapping_sub(self.expected) {
            0 => {
                self.records(&octets[24..], word(octets, 22));
                self.expected = self.expected.wrapping_add(1);
                (self.owes, self.is_reported, self.nak) = (true, false, false);
            }
            1..0x8000 => {
                self.nak |= !self.is_reported;
                self.owes |= !self.is_reported;
                self.is_reported = true;
            }
            _ => self.owes = true,
        }
    }

    fn acknowledged(&mut self, now: u64, number: u16, is_nak: bool) {
        let oldest = self.flights.front().map_or(self.next, |flight| flight.0);
        let came = usize::from(number.wrapping_sub(oldest));
        if came > self.flights.len() {
            return;
        }
        self.flights.drain(..came);
        self.left = self.left.saturating_sub(came);
        if came > 0 || is_nak {
            self.deadline = (!self.flights.is_empty()).then_some(now + REPLAY);
        }
        if is_nak {
            self.left = 0;
        }
    }

    fn records(&mut self, mut body: &[u8], records: u16) {
        assert!(records > 0);
        for _ in 0..records {
            let (dwords, value) =
                (usize::from(word(body, 2)), u32::from_be_bytes(body[4..8].try_into().unwrap()));
            let (kind, hit) = (body[0], body[1]);
            body = &body[8..];
            self.got.push(match kind {
                1 => {
                    assert!(dwords >= 3 && value == 0);
                    let padded = (4 * dwords).next_multiple_of(8);
                    let tlp = body[..4 * dwords].to_vec();
                    assert!(body[4 * dwords..padded].iter().all(|&octet| octet == 0));
                    body = &body[padded..];
                    Record::Tlp(hit, tlp)
                }
                2 => Record::Config(value),
                3 => Record::Reset,
                _ => panic!("record {kind}"),
            });
        }
        assert!(body.len() < 60 && body.iter().all(|&octet| octet == 0));
    }

    /// The next frame to the host.
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        if self.is_mute {
            return None;
        }
        let epoch = self.epoch?;
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            (self.left, self.deadline) = (0, Some(now + REPLAY));
        }
        let flags = READY | if self.np_ok { NP_OK } else { 0 };
        if std::mem::take(&mut self.answers_hello) {
            return Some(frame(flags, HELLO, [epoch, 0, 0, 0], &[]));
        }
        if self.left == self.flights.len() && self.flights.len() < 11 {
            let (mut body, mut records) = (vec![], 0_u16);
            while let Some(record) = self.waiting.front().filter(|r| body.len() + r.len() <= 1_490) {
                body.extend_from_slice(record);
                records += 1;
                self.waiting.pop_front();
            }
            if records > 0 {
                self.flights.push_back((self.next, [&records.to_be_bytes()[..], &body].concat()));
                self.next = self.next.wrapping_add(1);
            }
        }
        let flags = flags | u8::from(self.nak);
        if let Some((sequence, body)) = self.flights.get(self.left) {
            let numbers = [epoch, *sequence, self.expected, word(body, 0)];
            let made = frame(flags, DATA, numbers, &body[2..]);
            self.left += 1;
            self.deadline = self.deadline.or(Some(now + REPLAY));
            (self.owes, self.nak) = (false, false);
            return Some(made);
        }
        if std::mem::take(&mut self.owes) {
            self.nak = false;
            return Some(frame(flags, ACK, [epoch, 0, self.expected, 0], &[]));
        }
        None
    }

    /// When frames are sent again.
    pub fn next_timer(&self) -> u64 {
        self.deadline.filter(|_| !self.is_mute).unwrap_or(u64::MAX)
    }
}
