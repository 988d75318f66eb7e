// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of answers from the store to the device.
use super::ports::Job;
use crate::prelude::*;
use crate::stream::{ItemSink, Queue, Realign, Slot, StreamSource};

/// What stands beside a frame of an answer.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Beside {
    /// Tag of the device's read.
    pub whose: Bits<5>,
    /// It is the last of that read.
    pub last: Bit,
}

const TO_TAG: usize = 9;

/// Reads each job's rows from the store and gives its octets as a frame from octet 0 on; a bad job
/// gives one octet with `err`, one with `none` nothing. `left` says of each job that its slot may
/// be written again.
///
/// **Timing.** Seven cycles from a job to its first beat; a beat a cycle, none lost between jobs.
#[block]
pub struct ReadAnswer<const W: usize, const K: usize, const A: usize> {
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
    low: Signal<Local, Bits<11>>,
    octets: Signal<Local, Bits<11>>,
    note: Signal<Local, Beside>,
}

impl<const W: usize, const K: usize, const A: usize> ReadAnswer<W, K, A> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self { realign: Realign::new(), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const A: usize> Logic for ReadAnswer<W, K, A> {
    fn update(&mut self) {
        regs!(row, comes, gone_valid);
        flops!(comes_last, comes_bytes, comes_err, gone);
        parts!(front, realign, beside);

        ItemSink::<Job>::link(&mut self.job, &mut self.front.rx);
        self.now.next = self.front.tx.item.val();
        let has: Bit = self.front.tx.valid.val() && !self.now.val().none;

        // The rows of the job, and how far its octets reach into the last one.
        self.low.next = bit_cast::<11, 9>(self.now.val().addr) & lit::<11>(W / 8 - 1);
        self.octets.next = bit_cast::<11, 10>(self.now.val().length);
        if self.now.val().bad {
            self.low.next = 0.into();
            self.octets.next = lit::<11>(1);
        }
        let stop: Bits<11> = self.low.val() + self.octets.val();
        let last_octet: Bits<11> = stop - lit::<11>(1);
        let last_row: Bits<11> = last_octet >> lit::<4>(K - 1);
        let is_last: Bit = bit_cast::<11, 7>(self.row.q.val()) == last_row;
        let place: Bits<14> = bit_cast::<14, 9>(self.now.val().addr)
            | (bit_cast::<14, 5>(self.now.val().tag) << lit::<4>(TO_TAG));
        let first_row: Bits<14> = place >> lit::<4>(K - 1);
        let here: Bits<14> = first_row + bit_cast::<14, 7>(self.row.q.val());

        let free: Bit = self.realign.rx.ready.val() || !self.comes.q.val();
        let goes: Bit = has
            && free
            && (self.row.q.val().any() || (self.realign.skip.ready.val() && self.beside.rx.ready.val()));
        self.gone.d.next = self.now.val().tag;
        self.gone_valid.d.next = (goes && is_last) || (self.front.tx.valid.val() && self.now.val().none);
        self.front.tx.ready.next = (goes && is_last) || self.now.val().none;
        self.left.next = self.gone.q.val();
        self.left_valid.next = self.gone_valid.q.val();
        self.read_enable.next = goes;
        self.read_address.next = bit_cast::<A, 14>(here);
        self.realign.skip.octets.next = bit_cast::<16, 11>(self.low.val());
        self.realign.skip.valid.next = goes && !self.row.q.val().any();
        self.note.next.whose = self.now.val().whose;
        self.note.next.last = self.now.val().last;
        self.beside.rx.item.next = self.note.val();
        self.beside.rx.valid.next = goes && !self.row.q.val().any();
        if free {
            self.comes.d.next = goes;
        }
        if goes {
            self.row.d.next = self.row.q.val() + 1;
            self.comes_last.d.next = is_last;
            self.comes_bytes.d.next = lit::<K>(W / 8);
            self.comes_err.d.next = false;
            if is_last {
                self.row.d.next = 0.into();
                self.comes_bytes.d.next = bit_cast::<K, 11>(last_octet & lit::<11>(W / 8 - 1)) + 1;
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
            self.rd_ans.valid.val() && self.rd_ans.ready.val() && self.rd_ans.last.val();
    }
}
