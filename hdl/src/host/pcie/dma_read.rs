// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads become memory read requests, their completions answers.
use super::super::ports::{Read, ReadSink};
use super::cpl_check::CplCheck;
use super::cut::TlpCut;
use super::head::TlpHead;
use super::pack::TlpPack;
use super::ports::{Issue, Part, PcieConfig, ReadFaults};
use super::read_answer::ReadAnswer;
use super::read_order::ReadOrder;
use super::rx_cpl::RxCpl;
use super::tag_pool::TagPool;
use crate::cell::Const;
use crate::stream::{StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Code of the longest request: a slot of the store, 512 octets.
const SLOT: usize = 2;

/// Each read leaves as MRd TLPs, cut at multiples of Max_Read_Request_Size of address, or 512 if
/// that is less; each has a tag of its own and a slot of 512 octets, into which its completions are
/// put as they come. A part is answered when it is whole. `D` = `2 * W`, `N` = `W / 32`, `A` = 12 -
/// log2 `N`.
///
/// **Contract.** That of the device's read port: a frame a part, in order for one read, parts of
/// different reads in any order; `err` beside `final` if any part failed. A tag of the device comes
/// back with its final frame. `cpl` is always ready.
///
/// **Timing.** Four cycles from a read to its TLP; twelve from the last beat of its completion to
/// the first beat of the answer. A TLP in two cycles at 64 bits; completions at full rate; answers
/// a beat a cycle with one lost between parts, which is less than a completion's header takes.
#[derive(LogicBlock, Default)]
pub struct DmaRead<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Requester ID, Max_Read_Request_Size, Completion Timeout Disable.
    pub cfg: Signal<In, PcieConfig>,
    /// One pulse a tick.
    pub tick: Signal<In, Bit>,
    /// Ticks since power-up, modulo 2^32: steps in the cycle behind `tick`.
    pub now: Signal<In, Bits<32>>,
    /// Ticks from a request's leave until a read that is not answered is given up, 1 to 100.
    pub timeout: Signal<In, Bits<7>>,
    /// Reads of the device.
    pub rd_req: ReadSink<5>,
    /// Their answers.
    pub rd_ans: StreamSource<W, K>,
    /// Tag of the frame on `rd_ans`.
    pub rd_ans_tag: Signal<Out, Bits<5>>,
    /// It is the last of its read.
    pub rd_ans_final: Signal<Out, Bit>,
    /// TLPs of requests.
    pub tx: StreamSource<W, K>,
    /// Tag of a request that has left the edge, or was dropped on its way.
    pub sent: Signal<In, Bits<5>>,
    /// Pulse of `sent`.
    pub sent_valid: Signal<In, Bit>,
    /// With `sent`: it was dropped.
    pub sent_lost: Signal<In, Bit>,
    /// TLPs of completions.
    pub cpl: StreamSink<W, K>,
    /// Pulses of what went wrong.
    pub faults: Signal<Out, ReadFaults>,
    /// A request has not left, waits for its completions, or for those that may still come.
    pub outstanding: Signal<Out, Bit>,
    cut: TlpCut,
    heads: TlpHead,
    pack: TlpPack<W, K, D>,
    pool: TagPool,
    check: CplCheck,
    order: ReadOrder,
    store: RxCpl<W, K, N, A>,
    answer: ReadAnswer<W, K, A>,
    request: Signal<Local, Read>,
    part: Signal<Local, Part>,
    issue: Signal<Local, Issue>,
    issued: Signal<Local, Bit>,
    told: Signal<Local, ReadFaults>,
    slot: Const<Bits<3>>,
}

impl<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize> DmaRead<W, K, D, N, A> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        Self {
            cut: TlpCut::new(),
            heads: TlpHead::new(false),
            pack: TlpPack::new(),
            pool: TagPool::new(),
            check: CplCheck::new(),
            answer: ReadAnswer::new(),
            slot: Const::of(SLOT),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize> Logic
    for DmaRead<W, K, D, N, A>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, cut, heads, pack, pool, check, order, store, answer);
        self.cut.reset.next = self.reset.val();
        self.heads.reset.next = self.reset.val();
        self.pack.reset.next = self.reset.val();
        self.pool.reset.next = self.reset.val();
        self.check.reset.next = self.reset.val();
        self.order.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.answer.reset.next = self.reset.val();

        // Reads to parts.
        self.request.next.addr = self.rd_req.addr.val();
        self.request.next.length = self.rd_req.length.val();
        self.request.next.tag = bit_cast::<8, 5>(self.rd_req.tag.val());
        self.cut.size.next = self.cfg.val().mrrs;
        if self.cfg.val().mrrs > self.slot.val() {
            self.cut.size.next = self.slot.val();
        }
        self.cut.rx.item.next = self.request.val();
        self.cut.rx.valid.next = self.rd_req.valid.val();
        self.rd_req.ready.next = self.cut.rx.ready.val();

        // A part leaves under a free tag.
        self.issued.next = self.cut.tx.valid.val() && self.pool.free_valid.val() && self.heads.rx.ready.val();
        self.cut.tx.ready.next = self.pool.free_valid.val() && self.heads.rx.ready.val();
        self.part.next = self.cut.tx.item.val();
        self.issue.next.tag = self.pool.free.val();
        self.issue.next.addr = bit_cast::<9, 64>(self.cut.tx.item.val().addr);
        self.issue.next.length = bit_cast::<10, 13>(self.cut.tx.item.val().length);
        self.issue.next.whose = bit_cast::<5, 8>(self.cut.tx.item.val().tag);
        self.issue.next.first = self.cut.tx.item.val().first;
        self.issue.next.last = self.cut.tx.item.val().last;
        self.part.next.tag = bit_cast::<8, 5>(self.pool.free.val());
        self.heads.id.next = self.cfg.val().id;
        self.heads.rx.item.next = self.part.val();
        self.heads.rx.valid.next = self.issued.val();
        self.pool.issue.next = self.issue.val();
        self.pool.issued.next = self.issued.val();
        self.check.issue.next = self.issue.val();
        self.check.issued.next = self.issued.val();
        self.order.issue.next = self.issue.val();
        self.order.issued.next = self.issued.val();
        self.pack.head.item.next = self.heads.tx.item.val();
        self.pack.head.valid.next = self.heads.tx.valid.val();
        self.heads.tx.ready.next = self.pack.head.ready.val();
        self.pack.rx.data.next = 0.into();
        self.pack.rx.bytes.next = 0.into();
        self.pack.rx.last.next = false;
        self.pack.rx.err.next = false;
        self.pack.rx.valid.next = false;
        StreamSource::<W, K>::link(&mut self.tx, &mut self.pack.tx);

        // Completions to the store.
        StreamSink::<W, K>::link(&mut self.cpl, &mut self.store.rx);
        self.check.id.next = self.cfg.val().id;
        self.check.waiting.next = self.pool.waiting.val();
        self.check.resting.next = self.pool.resting.val();
        self.check.cpl.next = self.store.cpl.val();
        self.check.cpl_valid.next = self.store.cpl_valid.val();
        self.check.ended.next = self.store.ended.val();
        self.check.short.next = self.store.short.val();
        self.store.take.next = self.check.take.val();
        self.store.place.next = self.check.place.val();

        // What is over, by its last completion or by time, becomes an answer.
        self.pool.tick.next = self.tick.val();
        self.pool.now.next = bit_cast::<16, 32>(self.now.val());
        self.pool.timeout.next = self.timeout.val();
        self.pool.endless.next = self.cfg.val().endless;
        self.pool.sent.next = self.sent.val();
        self.pool.sent_valid.next = self.sent_valid.val();
        self.pool.sent_lost.next = self.sent_lost.val();
        self.pool.over.next = self.check.over.val();
        self.pool.over_valid.next = self.check.over_valid.val();
        self.order.finish.next = self.pool.finish.val();
        self.order.finish_valid.next = self.pool.finish_valid.val();
        self.answer.job.item.next = self.order.job.item.val();
        self.answer.job.valid.next = self.order.job.valid.val();
        self.order.job.ready.next = self.answer.job.ready.val();
        self.pool.left.next = self.answer.left.val();
        self.pool.left_valid.next = self.answer.left_valid.val();
        self.store.read_enable.next = self.answer.read_enable.val();
        self.store.read_address.next = self.answer.read_address.val();
        self.answer.read_data.next = self.store.read_data.val();
        StreamSource::<W, K>::link(&mut self.rd_ans, &mut self.answer.rd_ans);
        self.rd_ans_tag.next = self.answer.rd_ans_tag.val();
        self.rd_ans_final.next = self.answer.rd_ans_final.val();

        self.told.next = self.check.faults.val();
        self.told.next.expired = self.pool.expired.val();
        self.faults.next = self.told.val();
        self.outstanding.next = self.pool.outstanding.val();
    }
}
