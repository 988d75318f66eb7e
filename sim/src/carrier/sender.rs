// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records to the device: packed into frames, kept until they are acknowledged, sent again.
use super::NEVER;
use ferrowarp_abi::codec::CarrierHdr;
use ferrowarp_abi::host::carrier::{FRAME_FULL, FRAME_MAX, WINDOW};
use std::collections::VecDeque;

/// Octets of frames without an acknowledgment, at most.
const MOST_OCTETS: usize = 16_384;
/// Octets of records that wait for a frame, from which on no more are taken.
const ENOUGH: usize = 2 * FRAME_FULL;
/// The replay time doubles so often at most.
const DOUBLINGS: u32 = 2;

/// A frame without an acknowledgment.
#[derive(Debug, Clone)]
struct Flight {
    body: Vec<u8>,
    records: u16,
}

/// A frame that leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaves<'a> {
    pub(super) sequence: u16,
    pub(super) records: u16,
    pub(super) body: &'a [u8],
    /// Not for the first time.
    pub(super) again: bool,
}

/// One direction of an epoch, sending.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    waiting: VecDeque<Vec<u8>>,
    waiting_octets: usize,
    flights: VecDeque<Flight>,
    flight_octets: usize,
    /// Number of the first frame without an acknowledgment.
    oldest: u16,
    /// The frame that is sent again next; behind the last one: none.
    next: usize,
    deadline: u64,
    /// Repetitions in vain.
    in_vain: u32,
}

impl Default for Sender {
    fn default() -> Self {
        let (waiting, flights) = Default::default();
        let (waiting_octets, flight_octets, oldest, next, in_vain) = Default::default();
        Self { waiting, waiting_octets, flights, flight_octets, oldest, next, deadline: NEVER, in_vain }
    }
}

impl Sender {
    /// One more record is wanted.
    pub(super) fn has_room(&self) -> bool {
        self.waiting_octets < ENOUGH
    }

    /// A record that is to leave behind those before it.
    pub(super) fn push(&mut self, record: Vec<u8>) {
        self.waiting_octets += record.len();
        self.waiting.push_back(record);
    }

    /// Every record was acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.flights.is_empty()
    }

    /// All frames before `number` have arrived. False: the number is strange.
    pub(super) fn acknowledged(&mut self, now: u64, replay: u64, number: u16) -> bool {
        let came = usize::from(number.wrapping_sub(self.oldest));
        if came > self.flights.len() {
            return false;
        }
        if came > 0 {
            self.flight_octets -= self.flights.drain(..came).map(|flight| flight.body.len()).sum::<usize>();
            (self.oldest, self.next, self.in_vain) = (number, self.next.saturating_sub(came), 0);
            self.deadline = if self.flights.is_empty() { NEVER } else { now.saturating_add(replay) };
        }
        true
    }

    /// The device misses the oldest frame.
    pub(super) fn misses(&mut self, now: u64, replay: u64) {
        if !self.flights.is_empty() {
            (self.next, self.deadline) = (0, now.saturating_add(replay));
        }
    }

    /// When frames are sent again.
    pub(super) fn deadline(&self) -> u64 {
        self.deadline
    }

    /// Sends frames again if it is time to; whether it is.
    pub(super) fn expires(&mut self, now: u64, replay: u64) -> bool {
        let is_late = self.deadline <= now;
        if is_late {
            (self.next, self.in_vain) = (0, (self.in_vain + 1).min(DOUBLINGS));
            self.deadline = now.saturating_add(replay << self.in_vain);
        }
        is_late
    }

    /// The next frame, if one may leave.
    pub(super) fn next(&mut self, now: u64, replay: u64) -> Option<Leaves<'_>> {
        let again = self.next < self.flights.len();
        if !again {
            self.pack()?;
        }
        self.deadline = self.deadline.min(now.saturating_add(replay << self.in_vain));
        let sequence = self.oldest.wrapping_add(self.next as u16);
        self.next += 1;
        let Flight { body, records } = self.flights.get(self.next - 1)?;
        Some(Leaves { sequence, records: *records, body, again })
    }

    /// Takes waiting records into a frame, if there are some and the device may be sent one more.
    fn pack(&mut self) -> Option<()> {
        let is_full =
            self.flights.len() >= usize::from(WINDOW) || self.flight_octets + FRAME_MAX > MOST_OCTETS;
        if is_full || self.waiting.is_empty() {
            return None;
        }
        let (mut body, mut records) = (vec![], 0);
        while let Some(record) = self.waiting.front() {
            let octets = CarrierHdr::LEN + body.len();
            let fits = octets < FRAME_FULL && octets + record.len() <= FRAME_MAX;
            if records > 0 && !fits {
                break;
            }
            body.extend_from_slice(record);
            records += 1;
            self.waiting_octets -= record.len();
            self.waiting.pop_front();
        }
        self.flight_octets += body.len();
        self.flights.push_back(Flight { body, records });
        Some(())
    }
}
