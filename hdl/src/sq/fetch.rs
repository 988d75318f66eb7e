// SPDX-License-Identifier: MIT OR Apache-2.0
//! WQEs from host memory into two RAMs of 16 words a queue pair: for turns, and for replays.
use super::rows::{SqFetchJob, SqLanded};
use crate::cell::{Const, Flop, LutRam, Reg, Sdp};
use crate::host::ReadSource;
use crate::stream::{ItemSink, ItemSource, Queue, Slot, StreamSink};
use rust_hdl::prelude::*;

/// Reads the block of 64 octets that each job names, or two blocks at once. The tag of the read
/// says where they belong: the queue pair, then whether it is the second block of its WQE, then for
/// which RAM. Answers come in any order and in pieces that end at addresses divisible by 64; they
/// are always taken, since each has its place. `CW` = `C + 4`, address of a word: queue pair, then
/// word.
#[derive(LogicBlock, Default)]
pub struct SqFetch<const C: usize, const NC: usize, const CW: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// What to fetch, and where to; a queue pair has one read at a time.
    pub job: ItemSink<SqFetchJob>,
    /// Reads of blocks, by IOVA.
    pub req: ReadSource<8>,
    /// Answers.
    pub ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Queue pairs whose read is under way.
    pub under: Signal<Out, Bits<NC>>,
    /// Block that has come.
    pub landed: ItemSource<SqLanded>,
    /// Loads `word` at the next edge; never of a queue pair whose WQE is under way.
    pub word_enable: Signal<In, Bit>,
    /// Address of the word.
    pub word_address: Signal<In, Bits<CW>>,
    /// With `word_enable`: out of the RAM for replays.
    pub word_again: Signal<In, Bit>,
    /// The word last read, octet 0 in bits 7:0.
    pub word: Signal<Out, Bits<64>>,
    jobs: Slot<SqFetchJob>,
    store: Sdp<Bits<64>, CW>,
    store_again: Sdp<Bits<64>, CW>,
    /// Queue pairs with a read.
    reads: Reg<Bits<NC>>,
    /// `word` is out of the RAM for replays.
    shows_again: Flop<Bit>,
    /// Words that have come (bits 4:0), and whether the head names a second block (bit 5), where
    /// `begun` says that there are any.
    counts: LutRam<Bits<6>, C>,
    begun: Reg<Bits<NC>>,
    /// As deep as there are queue pairs: it is never full.
    done: Queue<SqLanded, C>,
    octets: Const<Bits<13>>,
    octets_both: Const<Bits<13>>,
    one: Const<Bits<NC>>,
    two: Const<Bits<8>>,
    c: Const<Bits<4>>,
    asked: Signal<Local, SqFetchJob>,
    given: Signal<Local, SqFetchJob>,
    given_qp: Signal<Local, Bits<C>>,
    sides: Signal<Local, Bits<8>>,
    is_again: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    sort: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<CW>>,
    qp: Signal<Local, Bits<C>>,
    mark: Signal<Local, Bits<NC>>,
    counted: Signal<Local, Bits<6>>,
    count: Signal<Local, Bits<5>>,
    count_up: Signal<Local, Bits<5>>,
    is_one: Signal<Local, Bit>,
    is_both: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    item: Signal<Local, SqLanded>,
    finish: Signal<Local, Bit>,
    reads_now: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize, const CW: usize> SqFetch<C, NC, CW> {
    /// Nothing under way; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(
            NC == 1 << C && CW == C + 4 && C <= 6,
            "{NC} queue pairs are 2^{C}, an address of a word {CW} bits, and a tag 8"
        );
        Self {
            octets: Const::of(64),
            one: Const::of(1),
            octets_both: Const::of(128),
            two: Const::of(2),
            c: Const::of(C),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const CW: usize> Logic for SqFetch<C, NC, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reads, begun, shows_again);
        clock!(self, clock, jobs, store, store_again, counts, done);
        self.begun.reset.next = self.reset.val();
        self.reads.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        self.done.reset.next = self.reset.val();
        ItemSink::<SqFetchJob>::link(&mut self.job, &mut self.jobs.rx);
        ItemSource::<SqLanded>::link(&mut self.landed, &mut self.done.tx);
        self.given.next = self.job.item.val();
        self.given_qp.next = bit_cast::<C, 8>(self.given.val().qp);
        self.under.next = self.reads.q.val();
        self.reads_now.next = self.reads.q.val();
        if self.job.valid.val() && self.jobs.rx.ready.val() {
            self.reads_now.next = self.reads_now.val().replace_bit(self.given_qp.val().index(), true);
        }
        self.asked.next = self.jobs.tx.item.val();
        self.req.addr.next = self.asked.val().addr;
        self.req.length.next = self.octets.val();
        if self.asked.val().both {
            self.req.length.next = self.octets_both.val();
        }
        self.sides.next = bit_cast::<8, 1>(self.asked.val().second.into())
            | (bit_cast::<8, 1>(self.asked.val().again.into()) << 1);
        self.req.tag.next = self.asked.val().qp | (self.sides.val() << self.c.val());
        self.req.valid.next = self.jobs.tx.valid.val();
        self.jobs.tx.ready.next = self.req.ready.val();

        self.ans.ready.next = true;
        self.qp.next = bit_cast::<C, 8>(self.ans_tag.val());
        self.mark.next = self.one.val() << self.qp.val();
        self.counts.read_address.next = bit_cast::<C, 8>(self.ans_tag.val());
        self.sort.next = self.ans_tag.val() >> self.c.val();
        self.is_second.next = self.sort.val().get_bit(0);
        self.is_again.next = self.sort.val().get_bit(1);
        self.counted.next = self.counts.read_data.val();
        self.count.next = self.counted.val().get_bits::<5>(0);
        self.more.next = self.counted.val().get_bit(5);
        if !self.begun.q.val().get_bit(self.qp.val().index()) {
            self.count.next = 0.into();
            // the head's word 0, octet 3
            self.more.next =
                !self.is_second.val() && (self.ans.data.val().get_bits::<8>(24) == self.two.val());
        }
        self.count_up.next = self.count.val() + 1;
        self.counts.write_enable.next = self.ans.valid.val();
        self.counts.write_address.next = self.qp.val();
        self.counts.write_data.next =
            bit_cast::<6, 5>(self.count_up.val()) | (bit_cast::<6, 1>(self.more.val().into()) << 5);
        self.place.next = (bit_cast::<CW, C>(self.qp.val()) << 4)
            | (bit_cast::<CW, 1>(self.is_second.val().into()) << 3)
            | bit_cast::<CW, 4>(self.count.val().get_bits::<4>(0));
        self.store.write_enable.next = self.ans.valid.val() && !self.is_again.val();
        self.store.write_address.next = self.place.val();
        self.store.write_data.next = self.ans.data.val();
        self.store_again.write_enable.next = self.ans.valid.val() && self.is_again.val();
        self.store_again.write_address.next = self.place.val();
        self.store_again.write_data.next = self.ans.data.val();
        self.finish.next = self.ans.valid.val() && self.ans.last.val() && self.ans_final.val();
        if self.finish.val() {
            self.reads_now.next = self.reads_now.val().replace_bit(self.qp.val().index(), false);
        }
        self.reads.d.next = self.reads_now.val();
        if self.finish.val() {
            self.begun.d.next = self.begun.q.val() & (!self.mark.val());
        } else if self.ans.valid.val() {
            self.begun.d.next = self.begun.q.val() | self.mark.val();
        }
        // a failed read says so with its final frame; one that is too short or too long is no
        // better
        self.item.next.qp = bit_cast::<8, C>(self.qp.val());
        self.is_one.next = self.count_up.val() == 8;
        self.is_both.next = self.count_up.val() == 16;
        self.item.next.failed = self.ans.err.val() || !(self.is_one.val() || self.is_both.val());
        self.item.next.more = self.more.val() && self.is_one.val() && !self.ans.err.val();
        self.item.next.both = self.more.val() && self.is_both.val() && !self.ans.err.val();
        self.done.rx.item.next = self.item.val();
        self.done.rx.valid.next = self.finish.val();

        self.store.read_enable.next = self.word_enable.val();
        self.store.read_address.next = self.word_address.val();
        self.store_again.read_enable.next = self.word_enable.val();
        self.store_again.read_address.next = self.word_address.val();
        self.word.next = self.store.read_data.val();
        if self.word_enable.val() {
            self.shows_again.d.next = self.word_again.val();
        }
        if self.shows_again.q.val() {
            self.word.next = self.store_again.read_data.val();
        }
    }
}
