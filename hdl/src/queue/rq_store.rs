// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of prefetched receive work requests, and when one is whole.
use crate::prelude::*;
use crate::stream::StreamSink;

const TWO_BLOCKS: usize = 2;

/// Takes the answers to reads of blocks of 32 octets into a RAM that has two places of two blocks a
/// queue pair.
///
/// A tag is the queue pair, its place in bit `C`, and in bit `C + 1` whether the block is the
/// second of its request; a queue pair has one read at a time. An answer may come in several
/// frames, and frames of different tags in any mix. `done` is a pulse in the cycle after the last
/// beat of a final frame. Whatever is not exactly four whole words without `err` is `bad`. `rx`
/// never waits: room was reserved with the request. `CP` = `C + 1`, `CA` = `C + 4`.
#[block(clock)]
pub struct RqStore<const C: usize, const CP: usize, const CA: usize> {
    /// Synchronous reset; then the fill counts are scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// The scrub is over.
    pub scrubbed: Signal<Out, Bit>,
    /// Answers.
    pub rx: StreamSink<64, 4>,
    /// Tag of the frame on `rx`.
    pub tag: Signal<In, Bits<8>>,
    /// The frame on `rx` is the last one of its answer.
    pub is_final: Signal<In, Bit>,
    /// Pulse: an answer is complete.
    pub done: Signal<Out, Bit>,
    /// Its queue pair.
    pub done_qp: Signal<Out, Bits<C>>,
    /// It is the first block of a request that has two.
    pub done_more: Signal<Out, Bit>,
    /// Loads `word`.
    pub read: Signal<In, Bit>,
    /// Tag of what is read.
    pub read_tag: Signal<In, Bits<8>>,
    /// An answer failed.
    pub bad: Signal<Out, Bit>,
    /// It has two blocks.
    pub two: Signal<Out, Bit>,
    /// Word of its slot.
    pub read_word: Signal<In, Bits<3>>,
    /// The word last read.
    pub word: Signal<Out, Bits<64>>,
    slots: Sdp<Bits<64>, CA>,
    /// Words that came (bits 2:0, at most 4), whether something was wrong (bit 3), and whether a
    /// second block follows (bit 4).
    fill: LutRam<Bits<5>, C>,
    /// By place: whether a read failed (bit 0), and whether the second block came (bit 1).
    bads: LutRam<Bits<2>, CP>,
    sweep: Reg<Bits<C>>,
    swept: Reg<Bit>,
    over: Reg<Bit>,
    over_tag: Reg<Bits<8>>,
    over_bad: Reg<Bit>,
    over_more: Reg<Bit>,
    count_up: Signal<Local, Bits<3>>,
    is_second: Signal<Local, Bit>,
    over_second: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
}

#[kernel]
impl<const C: usize, const CP: usize, const CA: usize> Logic for RqStore<C, CP, CA> {
    fn update(&mut self) {
        regs!(sweep, swept, over, over_tag, over_bad, over_more);
        clocked!(slots, fill, bads);
        self.scrubbed.next = self.swept.q.val();
        self.rx.ready.next = true;

        let qp: Bits<C> = bit_cast::<C, 8>(self.tag.val());
        let sort: Bits<8> = self.tag.val() >> lit::<3>(C);
        self.is_second.next = sort.get_bit(1);
        self.fill.read_address.next = bit_cast::<C, 8>(self.tag.val());
        let count: Bits<3> = self.fill.read_data.val().get_bits::<3>(0);
        self.count_up.next = count;
        // a fifth word has no place
        self.spoilt.next = self.fill.read_data.val().get_bit(3)
            || count.get_bit(2)
            || self.rx.err.val()
            || (self.rx.bytes.val() != 8);
        if !count.get_bit(2) {
            self.count_up.next = count + 1;
        }
        self.more.next = self.fill.read_data.val().get_bit(4);
        if !count.any() {
            // the head's word 0, octet 1
            self.more.next =
                !self.is_second.val() && (self.rx.data.val().get_bits::<8>(8) == lit::<8>(TWO_BLOCKS));
        }
        let ends: Bit = self.rx.valid.val() && self.rx.last.val() && self.is_final.val();

        let place: Bits<3> =
            bit_cast::<3, 2>(count.get_bits::<2>(0)) | (bit_cast::<3, 1>(self.is_second.val().into()) << 2);
        let slot: Bits<CP> = bit_cast::<CP, 8>(self.tag.val());
        self.slots.write_enable.next = self.rx.valid.val() && !count.get_bit(2);
        self.slots.write_address.next = (bit_cast::<CA, CP>(slot) << 3) | bit_cast::<CA, 3>(place);
        self.slots.write_data.next = self.rx.data.val();
        self.slots.read_enable.next = self.read.val();
        self.slots.read_address.next =
            (bit_cast::<CA, 8>(self.read_tag.val()) << 3) | bit_cast::<CA, 3>(self.read_word.val());
        self.word.next = self.slots.read_data.val();

        self.fill.write_enable.next = self.rx.valid.val();
        self.fill.write_address.next = qp;
        self.fill.write_data.next = bit_cast::<5, 3>(self.count_up.val())
            | (bit_cast::<5, 1>(self.spoilt.val().into()) << 3)
            | (bit_cast::<5, 1>(self.more.val().into()) << 4);
        if ends {
            self.fill.write_data.next = 0.into();
        }
        self.over.d.next = ends;
        self.over_tag.d.next = self.tag.val();
        self.over_bad.d.next = self.spoilt.val() || (count != 3);
        self.over_more.d.next = self.more.val();
        let over_sort: Bits<8> = self.over_tag.q.val() >> lit::<3>(C);
        self.over_second.next = over_sort.get_bit(1);
        self.done.next = self.over.q.val();
        self.done_qp.next = bit_cast::<C, 8>(self.over_tag.q.val());
        self.done_more.next = self.over_more.q.val() && !self.over_bad.q.val();
        self.bads.write_enable.next = self.over.q.val();
        self.bads.write_address.next = bit_cast::<CP, 8>(self.over_tag.q.val());
        self.bads.write_data.next = bit_cast::<2, 1>(self.over_bad.q.val().into())
            | (bit_cast::<2, 1>(self.over_second.val().into()) << 1);
        self.bads.read_address.next = bit_cast::<CP, 8>(self.read_tag.val());
        let known: Bits<2> = self.bads.read_data.val();
        self.bad.next = known.get_bit(0);
        self.two.next = known.get_bit(1);

        if !self.swept.q.val() {
            self.fill.write_enable.next = true;
            self.fill.write_address.next = self.sweep.q.val();
            self.fill.write_data.next = 0.into();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.swept.d.next = self.sweep.q.val().all();
        }
    }
}
