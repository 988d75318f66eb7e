// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data frames until the host has acknowledged them.
use crate::prelude::*;
use ferrowarp_abi::host::carrier::WINDOW;

/// Rows in use up to which a record may begin: the largest record has 187.
const ROOM: usize = 1_800;

/// Frames that are not free up to which a record may begin: another frame may have begun.
const FRAMES: usize = WINDOW as usize - 1;

/// Where the records of a frame stand.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Place {
    /// First row.
    pub start: Bits<11>,
    /// Rows.
    pub rows: Bits<8>,
    /// Records.
    pub records: Bits<8>,
}

/// Replay ring: 2,047 rows of 64 bits, at most 32 frames.
///
/// **Contract.** Rows are written in order; `close` makes the rows since the last `close` a frame.
/// Frames are offered in order, each once, until a nak or the replay timer: then all frames that
/// are not acknowledged are offered again. An acknowledgment of what was not sent, or an old one,
/// has no effect. The rows of a frame are free when the frame is acknowledged and does not leave
/// at this moment. The timer counts cycles since the last progress while a frame is
/// unacknowledged. While `open` is low the ring is empty; a frame that leaves at this moment leaves
/// whole and counts no more.
#[block]
pub struct Ring {
    /// The epoch runs.
    pub open: Signal<In, Bit>,
    /// Row to write, with `row_valid`.
    pub row: Signal<In, Bits<64>>,
    /// A row comes.
    pub row_valid: Signal<In, Bit>,
    /// Pulse: the frame is complete.
    pub close: Signal<In, Bit>,
    /// With `close`: its rows.
    pub rows: Signal<In, Bits<8>>,
    /// With `close`: its records.
    pub records: Signal<In, Bits<8>>,
    /// A record may begin.
    pub room: Signal<Out, Bit>,
    /// Pulse: a header of the epoch came, with the next two.
    pub told: Signal<In, Bit>,
    /// Number of the next frame that the host expects.
    pub acknowledged: Signal<In, Bits<16>>,
    /// The host wants the frames from there on again.
    pub nak: Signal<In, Bit>,
    /// Cycles without progress behind which frames are sent again.
    pub timeout: Signal<In, Bits<32>>,
    /// A frame is to be sent: its number and its place.
    pub offer: Signal<Out, Bit>,
    /// Number of the frame on offer.
    pub number: Signal<Out, Bits<16>>,
    /// Its place.
    pub place: Signal<Out, Place>,
    /// Pulse: the frame on offer begins to leave.
    pub begun: Signal<In, Bit>,
    /// Pulse: the last beat of a frame leaves.
    pub ended: Signal<In, Bit>,
    /// Loads `read_data` with row `read_address`.
    pub read_enable: Signal<In, Bit>,
    /// Row to read.
    pub read_address: Signal<In, Bits<11>>,
    /// The row, from the next cycle on.
    pub read_data: Signal<Out, Bits<64>>,
    /// Pulse: a data frame has left.
    pub sent: Signal<Out, Bit>,
    /// Pulse: a data frame has left again.
    pub again: Signal<Out, Bit>,
    ram: Sdp<Bits<64>, 11>,
    places: LutRam<Place, 5>,
    sizes: LutRam<Bits<8>, 5>,
    write: Reg<Bits<11>>,
    start: Reg<Bits<11>>,
    /// First row that is not free.
    tail: Reg<Bits<11>>,
    /// Number of the frame that is written.
    closed: Reg<Bits<16>>,
    /// Oldest number that is not acknowledged.
    oldest: Reg<Bits<16>>,
    /// Oldest number whose rows are not free.
    freed: Reg<Bits<16>>,
    next_one: Reg<Bits<16>>,
    /// Behind the highest number sent.
    highest: Reg<Bits<16>>,
    /// A data frame leaves.
    leaves: Reg<Bit>,
    /// `next_one` goes back to `oldest`.
    goes_back: Reg<Bit>,
    waited: Reg<Bits<32>>,
    has_room: Reg<Bit>,
    entry: Signal<Local, Place>,
}

impl Ring {
    /// Nothing inside.
    pub fn new() -> Self {
        Self { ram: Sdp::block(), ..Default::default() }
    }
}

#[kernel]
impl Logic for Ring {
    fn update(&mut self) {
        regs!(
            write, start, tail, closed, oldest, freed, next_one, highest, leaves, goes_back, waited, has_room
        );
        clocked!(ram, places, sizes);
        self.ram.write_enable.next = self.row_valid.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.row.val();
        self.ram.read_enable.next = self.read_enable.val();
        self.ram.read_address.next = self.read_address.val();
        self.read_data.next = self.ram.read_data.val();
        self.entry.next.start = self.start.q.val();
        self.entry.next.rows = self.rows.val();
        self.entry.next.records = self.records.val();
        self.places.write_enable.next = self.close.val();
        self.places.write_address.next = self.closed.q.val().get_bits::<5>(0);
        self.places.write_data.next = self.entry.val();
        self.places.read_address.next = self.next_one.q.val().get_bits::<5>(0);
        self.place.next = self.places.read_data.val();
        self.sizes.write_enable.next = self.close.val();
        self.sizes.write_address.next = self.closed.q.val().get_bits::<5>(0);
        self.sizes.write_data.next = self.rows.val();
        self.sizes.read_address.next = self.freed.q.val().get_bits::<5>(0);
        if self.row_valid.val() {
            self.write.d.next = self.write.q.val() + 1;
        }
        if self.close.val() {
            self.start.d.next = self.write.q.val();
            self.closed.d.next = self.closed.q.val() + 1;
        }

        // room
        let used: Bits<11> = self.write.q.val() - self.tail.q.val();
        let frames: Bits<16> = self.closed.q.val() - self.freed.q.val();
        self.has_room.d.next = (used <= lit::<11>(ROOM)) && (frames < lit::<16>(FRAMES));
        self.room.next = self.has_room.q.val();
        let held: Bit = self.leaves.q.val() && (self.next_one.q.val() == self.freed.q.val());
        if (self.freed.q.val() != self.oldest.q.val()) && !held {
            self.freed.d.next = self.freed.q.val() + 1;
            self.tail.d.next = self.tail.q.val() + bit_cast::<11, 8>(self.sizes.read_data.val());
        }

        // what leaves
        let ahead: Bits<16> = self.next_one.q.val() - self.oldest.q.val();
        let behind: Bit = ahead.get_bit(15);
        let is_new: Bit = self.next_one.q.val() == self.highest.q.val();
        self.offer.next = self.open.val()
            && (self.next_one.q.val() != self.closed.q.val())
            && !behind
            && !self.goes_back.q.val();
        self.number.next = self.next_one.q.val();
        self.sent.next = self.ended.val() && self.leaves.q.val() && is_new;
        self.again.next = self.ended.val() && self.leaves.q.val() && !is_new;
        if self.leaves.q.val() {
            if self.ended.val() {
                self.leaves.d.next = false;
                self.next_one.d.next = self.next_one.q.val() + 1;
                if is_new {
                    self.highest.d.next = self.next_one.q.val() + 1;
                }
            }
        } else if self.begun.val() {
            self.leaves.d.next = true;
        } else if behind || self.goes_back.q.val() {
            self.next_one.d.next = self.oldest.q.val();
            self.goes_back.d.next = false;
        }

        // acknowledgments and time
        let step: Bits<16> = self.acknowledged.val() - self.oldest.q.val();
        let unacknowledged: Bits<16> = self.highest.q.val() - self.oldest.q.val();
        let counts: Bit = self.told.val() && (step <= unacknowledged);
        let late: Bit = self.waited.q.val() >= self.timeout.val();
        self.waited.d.next = self.waited.q.val() + 1;
        if (late || (counts && self.nak.val())) && unacknowledged.any() {
            self.goes_back.d.next = true;
            self.waited.d.next = 0.into();
        }
        if counts {
            self.oldest.d.next = self.acknowledged.val();
        }
        if !unacknowledged.any() || (counts && step.any()) {
            self.waited.d.next = 0.into();
        }
        if !self.open.val() {
            self.write.d.next = 0.into();
            self.start.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.closed.d.next = 0.into();
            self.oldest.d.next = 0.into();
            self.freed.d.next = 0.into();
            self.next_one.d.next = 0.into();
            self.highest.d.next = 0.into();
            self.leaves.d.next = false;
            self.goes_back.d.next = false;
        }
    }
}
