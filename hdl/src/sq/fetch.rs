// SPDX-License-Identifier: MIT OR Apache-2.0
//! WQEs from host memory into two RAMs of 16 words a queue pair: for turns, and for replays.
use super::rows::{SqFetchJob, SqLanded};
use crate::host::ReadSource;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Queue, Slot, StreamSink};

const OCTETS: usize = 64;
const OCTETS_BOTH: usize = 128;

/// Reads the block of 64 octets that each job names, or two blocks at once. The tag of the read
/// says where they belong: the queue pair, then whether it is the second block of its WQE, then for
/// which RAM. Answers come in any order and in pieces that end at addresses divisible by 64; they
/// are always taken, since each has its place. `CW` = `C + 4`, address of a word: queue pair, then
/// word.
#[block]
pub struct SqFetch<const C: usize, const NC: usize, const CW: usize> {
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
    asked: Signal<Local, SqFetchJob>,
    given: Signal<Local, SqFetchJob>,
    is_second: Signal<Local, Bit>,
    count: Signal<Local, Bits<5>>,
    more: Signal<Local, Bit>,
    item: Signal<Local, SqLanded>,
    reads_now: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize, const CW: usize> SqFetch<C, NC, CW> {
    /// Nothing under way; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(
            NC == 1 << C && CW == C + 4 && C <= 6,
            "{NC} queue pairs are 2^{C}, an address of a word {CW} bits, and a tag 8"
        );
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const CW: usize> Logic for SqFetch<C, NC, CW> {
    fn update(&mut self) {
        regs!(reads, begun);
        flops!(shows_again);
        parts!(jobs, done);
        clocked!(store, store_again, counts);
        ItemSink::<SqFetchJob>::link(&mut self.job, &mut self.jobs.rx);
        ItemSource::<SqLanded>::link(&mut self.landed, &mut self.done.tx);
        self.given.next = self.job.item.val();
        let given_qp: Bits<C> = bit_cast::<C, 8>(self.given.val().qp);
        self.under.next = self.reads.q.val();
        self.reads_now.next = self.reads.q.val();
        if self.job.valid.val() && self.job.ready.val() {
            self.reads_now.next = self.reads_now.val().replace_bit(given_qp.index(), true);
        }
        self.asked.next = self.jobs.tx.item.val();
        self.req.addr.next = self.asked.val().addr;
        self.req.length.next = lit::<13>(OCTETS);
        if self.asked.val().both {
            self.req.length.next = lit::<13>(OCTETS_BOTH);
        }
        let sides: Bits<8> = bit_cast::<8, 1>(self.asked.val().second.into())
            | (bit_cast::<8, 1>(self.asked.val().again.into()) << 1);
        self.req.tag.next = self.asked.val().qp | (sides << lit::<4>(C));
        self.req.valid.next = self.jobs.tx.valid.val();
        self.jobs.tx.ready.next = self.req.ready.val();

        self.ans.ready.next = true;
        let qp: Bits<C> = bit_cast::<C, 8>(self.ans_tag.val());
        let mark: Bits<NC> = lit::<NC>(1) << qp;
        self.counts.read_address.next = bit_cast::<C, 8>(self.ans_tag.val());
        let sort: Bits<8> = self.ans_tag.val() >> lit::<4>(C);
        self.is_second.next = sort.get_bit(0);
        let is_again: Bit = sort.get_bit(1);
        let counted: Bits<6> = self.counts.read_data.val();
        self.count.next = counted.get_bits::<5>(0);
        self.more.next = counted.get_bit(5);
        if !self.begun.q.val().get_bit(qp.index()) {
            self.count.next = 0.into();
            // the head's word 0, octet 3
            self.more.next = !self.is_second.val() && (self.ans.data.val().get_bits::<8>(24) == lit::<8>(2));
        }
        let count_up: Bits<5> = self.count.val() + 1;
        self.counts.write_enable.next = self.ans.valid.val();
        self.counts.write_address.next = qp;
        self.counts.write_data.next =
            bit_cast::<6, 5>(count_up) | (bit_cast::<6, 1>(self.more.val().into()) << 5);
        let place: Bits<CW> = (bit_cast::<CW, C>(qp) << 4)
            | (bit_cast::<CW, 1>(self.is_second.val().into()) << 3)
            | bit_cast::<CW, 4>(self.count.val().get_bits::<4>(0));
        self.store.write_enable.next = self.ans.valid.val() && !is_again;
        self.store.write_address.next = place;
        self.store.write_data.next = self.ans.data.val();
        self.store_again.write_enable.next = self.ans.valid.val() && is_again;
        self.store_again.write_address.next = place;
        self.store_again.write_data.next = self.ans.data.val();
        let finish: Bit = self.ans.valid.val() && self.ans.last.val() && self.ans_final.val();
        if finish {
            self.reads_now.next = self.reads_now.val().replace_bit(qp.index(), false);
        }
        self.reads.d.next = self.reads_now.val();
        if finish {
            self.begun.d.next = self.begun.q.val() & (!mark);
        } else if self.ans.valid.val() {
            self.begun.d.next = self.begun.q.val() | mark;
        }
        // a failed read says so with its final frame; one that is too short or too long is no
        // better
        self.item.next.qp = bit_cast::<8, C>(qp);
        let is_one: Bit = count_up == 8;
        let is_both: Bit = count_up == 16;
        self.item.next.failed = self.ans.err.val() || !(is_one || is_both);
        self.item.next.more = self.more.val() && is_one && !self.ans.err.val();
        self.item.next.both = self.more.val() && is_both && !self.ans.err.val();
        self.done.rx.item.next = self.item.val();
        self.done.rx.valid.next = finish;

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
