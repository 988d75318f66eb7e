// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of answers from the store to the device.
use super::ports::Job;
use crate::cell::{Const, Flop, Reg};
use crate::stream::{ItemSink, Queue, Realign, Slot, StreamSource};
use rust_hdl::prelude::*;

/// What stands beside a frame of an answer.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Beside {
    /// Tag of the device's read.
    pub whose: Bits<5>,
    /// It is the last of that read.
    pub last: Bit,
}

/// Reads each job's rows from the store and gives its octets as a frame from octet 0 on; a bad job
/// gives one octet with `err`, one with `none` nothing. `left` says of each job that its slot may
/// be written again.
///
/// **Timing.** Seven cycles from a job to its first beat; a beat a cycle, none lost between jobs.
#[derive(LogicBlock, Default)]
pub struct ReadAnswer<const W: usize, const K: usize, const A: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// What to give.
    pub job: ItemSink<Job>,
    /// Tag of a job whose rows have been read.
    pub left: Signal<Out, Bits<5>>,
    /// Pulse of `left`.
    pub left_valid: Signal<Out, Bit>,
    /// Reads a row of the store.
    pub read_enable: Signal<Out, Bit>,
    /// Which one.
    pub read_address: Signal<Out, Bits<A>>,
    /// The row, a cycle later.
    pub read_data: Signal<In, Bits<W>>,
    /// Answers.
    pub rd_ans: StreamSource<W, K>,
    /// Tag of the device's read.
    pub rd_ans_tag: Signal<Out, Bits<5>>,
    /// The last frame of that read.
    pub rd_ans_final: Signal<Out, Bit>,
    front: Slot<Job>,
    realign: Realign<W, K>,
    beside: Queue<Beside, 3>,
    /// Rows of the job read.
    row: Reg<Bits<7>>,
    /// A row comes from the store.
    comes: Reg<Bit>,
    comes_last: Flop<Bit>,
    comes_bytes: Flop<Bits<K>>,
    comes_err: Flop<Bit>,
    gone: Flop<Bits<5>>,
    gone_valid: Reg<Bit>,
    now: Signal<Local, Job>,
    has: Signal<Local, Bit>,
    low: Signal<Local, Bits<11>>,
    octets: Signal<Local, Bits<11>>,
    stop: Signal<Local, Bits<11>>,
    last_octet: Signal<Local, Bits<11>>,
    last_row: Signal<Local, Bits<11>>,
    is_last: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    place: Signal<Local, Bits<14>>,
    first_row: Signal<Local, Bits<14>>,
    here: Signal<Local, Bits<14>>,
    note: Signal<Local, Beside>,
    to_rows: Const<Bits<4>>,
    low_mask: Const<Bits<11>>,
    one: Const<Bits<11>>,
    full: Const<Bits<K>>,
    to_tag: Const<Bits<4>>,
}

impl<const W: usize, const K: usize, const A: usize> ReadAnswer<W, K, A> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            realign: Realign::new(),
            to_rows: Const::of(K - 1),
            low_mask: Const::of(W / 8 - 1),
            one: Const::of(1),
            full: Const::of(W / 8),
            to_tag: Const::of(9),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const A: usize> Logic for ReadAnswer<W, K, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, realign, beside);
        dff_setup!(self, clock, row, comes, comes_last, comes_bytes, comes_err, gone, gone_valid);
        self.front.reset.next = self.reset.val();
        self.gone_valid.reset.next = self.reset.val();
        self.realign.reset.next = self.reset.val();
        self.beside.reset.next = self.reset.val();
        self.row.reset.next = self.reset.val();
        self.comes.reset.next = self.reset.val();

        ItemSink::<Job>::link(&mut self.job, &mut self.front.rx);
        self.now.next = self.front.tx.item.val();
        self.has.next = self.front.tx.valid.val() && !self.now.val().none;

        // The rows of the job, and how far its octets reach into the last one.
        self.low.next = bit_cast::<11, 9>(self.now.val().addr) & self.low_mask.val();
        self.octets.next = bit_cast::<11, 10>(self.now.val().length);
        if self.now.val().bad {
            self.low.next = 0.into();
            self.octets.next = self.one.val();
        }
        self.stop.next = self.low.val() + self.octets.val();
        self.last_octet.next = self.stop.val() - self.one.val();
        self.last_row.next = self.last_octet.val() >> self.to_rows.val();
        self.is_last.next = bit_cast::<11, 7>(self.row.q.val()) == self.last_row.val();
        self.place.next = bit_cast::<14, 9>(self.now.val().addr)
            | (bit_cast::<14, 5>(self.now.val().tag) << self.to_tag.val());
        self.first_row.next = self.place.val() >> self.to_rows.val();
        self.here.next = self.first_row.val() + bit_cast::<14, 7>(self.row.q.val());

        self.free.next = self.realign.rx.ready.val() || !self.comes.q.val();
        self.goes.next = self.has.val()
            && self.free.val()
            && (self.row.q.val().any() || (self.realign.skip.ready.val() && self.beside.rx.ready.val()));
        self.gone.d.next = self.now.val().tag;
        self.gone_valid.d.next =
            (self.goes.val() && self.is_last.val()) || (self.front.tx.valid.val() && self.now.val().none);
        self.front.tx.ready.next = (self.goes.val() && self.is_last.val()) || self.now.val().none;
        self.left.next = self.gone.q.val();
        self.left_valid.next = self.gone_valid.q.val();
        self.read_enable.next = self.goes.val();
        self.read_address.next = bit_cast::<A, 14>(self.here.val());
        self.realign.skip.octets.next = bit_cast::<16, 11>(self.low.val());
        self.realign.skip.valid.next = self.goes.val() && !self.row.q.val().any();
        self.note.next.whose = self.now.val().whose;
        self.note.next.last = self.now.val().last;
        self.beside.rx.item.next = self.note.val();
        self.beside.rx.valid.next = self.goes.val() && !self.row.q.val().any();
        if self.free.val() {
            self.comes.d.next = self.goes.val();
        }
        if self.goes.val() {
            self.row.d.next = self.row.q.val() + 1;
            self.comes_last.d.next = self.is_last.val();
            self.comes_bytes.d.next = self.full.val();
            self.comes_err.d.next = false;
            if self.is_last.val() {
                self.row.d.next = 0.into();
                self.comes_bytes.d.next = bit_cast::<K, 11>(self.last_octet.val() & self.low_mask.val()) + 1;
                self.comes_err.d.next = self.now.val().bad;
            }
        }
        self.realign.rx.data.next = self.read_data.val();
        self.realign.rx.bytes.next = self.comes_bytes.q.val();
        self.realign.rx.last.next = self.comes_last.q.val();
        self.realign.rx.err.next = self.comes_err.q.val();
        self.realign.rx.valid.next = self.comes.q.val();
        // every frame is longer than what is dropped of it
        self.realign.parts.ready.next = true;

        StreamSource::<W, K>::link(&mut self.rd_ans, &mut self.realign.tx);
        self.rd_ans_tag.next = self.beside.tx.item.val().whose;
        self.rd_ans_final.next = self.beside.tx.item.val().last;
        self.beside.tx.ready.next =
            self.realign.tx.valid.val() && self.rd_ans.ready.val() && self.realign.tx.last.val();
    }
}
