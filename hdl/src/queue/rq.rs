// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive queues: doorbells, prefetch, takes.
use super::rq_store::RqStore;
use crate::cell::{BlankRam, Const, Flop, Reg, Sdp};
use crate::gen::consts::{qp_state, wc_status};
use crate::gen::{Doorbell, QpRow, UnpackRecvWqe, UnpackSge};
use crate::host::ReadSource;
use crate::record::{Fault, QpWrite, Rqe};
use crate::stream::{ItemSink, ItemSource, Queue, StreamSink};
use rust_hdl::prelude::*;

/// What a queue pair row fixes for its receive queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RqSetup {
    /// First octet of block 0, a multiple of 32.
    pub base: Bits<64>,
    /// log2 of its blocks.
    pub log2: Bits<4>,
    /// The queue pair works.
    pub is_ready: Bit,
}

/// Where a receive queue stands.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RqHead {
    /// Absolute index of the block that the next work request begins with.
    pub index: Bits<32>,
    /// It is, or will be, in place 1 of the store.
    pub odd: Bit,
}

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation and asks the columns for its row.
    Idle,
    /// Writes a row.
    Setup,
    /// Judges a doorbell.
    Bell,
    /// Judges a take.
    Take,
    /// Moves the work request from the store to the answer, a word a cycle.
    Move,
    /// Asks for the read of a block.
    Fetch,
}

/// The receive queues of `NC` = `2^C` queue pairs; `CP` = `C + 1`, `CA` = `C + 4`.
///
/// One operation at a time writes all columns: a row, a doorbell, a take, a read. The next two work
/// requests of a queue pair are read from host memory as soon as they are rung, block after block.
/// A take is answered at once, from the store: who needs a work request that is not there yet waits
/// before the take, by `there`, `two` and `to_come`.
#[derive(LogicBlock, Default)]
pub struct Rq<const C: usize, const NC: usize, const CP: usize, const CA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; columns are then scrubbed, `2^C` cycles, in which nothing is taken.
    pub reset: Signal<In, Bit>,
    /// Bit per queue pair: in error.
    pub dead: Signal<In, Bits<NC>>,
    /// A row empties its receive queue, and waits until a read of its queue pair is answered. The
    /// low five bits of `rq_base` count as zero.
    pub qpw: ItemSink<QpWrite>,
    /// Doorbell of kind `rq`: absolute producer index.
    pub db: ItemSink<Doorbell>,
    /// Reads of 32 octets, one at a time of a queue pair. A tag is the queue pair, its place in the
    /// store in bit `C`, and in the next bit whether the block is the second of its work request.
    pub rd_req: ReadSource<8>,
    /// Answers, always taken.
    pub rd_ans: StreamSink<64, 4>,
    /// Tag of the frame on `rd_ans`.
    pub rd_ans_tag: Signal<In, Bits<8>>,
    /// It is the last frame of its answer.
    pub rd_ans_final: Signal<In, Bit>,
    /// Queue pairs from which a work request is taken.
    pub take: ItemSink<Bits<C>>,
    /// One answer a take, in their order.
    pub rqe: ItemSource<Rqe>,
    /// Bit per queue pair: a work request is in the store.
    pub there: Signal<Out, Bits<NC>>,
    /// Two are.
    pub two: Signal<Out, Bits<NC>>,
    /// One was rung that is not, and it will be: the queue pair is not in error.
    pub to_come: Signal<Out, Bits<NC>>,
    /// An impossible producer index stops its queue pair.
    pub bad: ItemSource<Fault>,
    /// Pulse: a doorbell was refused and changed nothing.
    pub bad_db: Signal<Out, Bit>,

    store: RqStore<C, CP, CA>,
    setups: BlankRam<RqSetup, C>,
    // what these three say counts behind the row of a queue pair alone, which writes them
    producers: Sdp<Bits<16>, C>,
    consumers: Sdp<RqHead, C>,
    /// The block to be read next.
    nexts: Sdp<Bits<16>, C>,
    st: Reg<St>,
    /// A doorbell goes before a take.
    turn: Reg<Bit>,
    qp: Flop<Bits<C>>,
    /// A work request is being read.
    busy: Reg<Bits<NC>>,
    /// Of that, the first block came, and there is a second.
    seconds: Queue<Bits<C>, C>,
    /// With a fetch: of the second block.
    second: Flop<Bit>,
    /// The next work request is in the store.
    here: Reg<Bits<NC>>,
    /// So is the one behind it.
    both: Reg<Bits<NC>>,
    /// One was rung that was not asked for.
    wants: Reg<Bits<NC>>,
    count: Flop<Bits<4>>,
    /// Absolute index of the work request.
    nth: Flop<Bits<32>>,
    /// The work request, word 0 in the low bits.
    line: Flop<Bits<512>>,
    found: Flop<Bit>,
    failed: Flop<Bit>,
    two_blocks: Flop<Bit>,
    told: Reg<Bit>,
    req_addr: Flop<Bits<64>>,
    req_tag: Flop<Bits<8>>,
    req_full: Reg<Bit>,
    bad_rung: Flop<Fault>,
    bad_full: Reg<Bit>,
    refused: Reg<Bit>,
    head: UnpackRecvWqe,
    sge0: UnpackSge,
    sge1: UnpackSge,
    sge2: UnpackSge,
    k_ready: Const<Bits<8>>,
    k_status: Const<Bits<8>>,
    k_qps: Const<Bits<16>>,
    k_align: Const<Bits<64>>,
    k_length: Const<Bits<13>>,
    k_one: Const<Bits<16>>,
    k_c: Const<Bits<3>>,
    index: Vec<Const<Bits<C>>>,
    k_first: Const<Bits<32>>,
    up: Signal<Local, Bit>,
    may_setup: Signal<Local, Bit>,
    may_take: Signal<Local, Bit>,
    qpw_qp: Signal<Local, Bits<C>>,
    row: Signal<Local, QpRow>,
    base: Signal<Local, Bits<64>>,
    log2: Signal<Local, Bits<8>>,
    setup: Signal<Local, RqSetup>,
    made: Signal<Local, RqSetup>,
    bell: Signal<Local, Doorbell>,
    fault: Signal<Local, Fault>,
    chosen: Signal<Local, Bits<C>>,
    is_dead: Signal<Local, Bit>,
    is_here: Signal<Local, Bit>,
    slots: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    first: Signal<Local, Bits<16>>,
    upcoming: Signal<Local, Bits<16>>,
    upcoming_up: Signal<Local, Bits<16>>,
    rung_to: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<16>>,
    ahead: Signal<Local, Bits<32>>,
    ahead16: Signal<Local, Bits<16>>,
    rung: Signal<Local, Bits<16>>,
    front: Signal<Local, RqHead>,
    taken: Signal<Local, RqHead>,
    fresh: Signal<Local, RqHead>,
    /// A read that was asked for is answered.
    came: Signal<Local, Bit>,
    /// A work request is whole, or has no more blocks than it has.
    closes: Signal<Local, Bit>,
    closes_qp: Signal<Local, Bits<C>>,
    fits: Signal<Local, Bit>,
    may_ask: Signal<Local, Bits<NC>>,
    asks: Signal<Local, Bit>,
    pick: Signal<Local, Bits<C>>,
    place: Signal<Local, Bit>,
    get_tag: Signal<Local, Bits<8>>,
    put_tag: Signal<Local, Bits<8>>,
    busy_now: Signal<Local, Bits<NC>>,
    here_now: Signal<Local, Bits<NC>>,
    both_now: Signal<Local, Bits<NC>>,
    wants_now: Signal<Local, Bits<NC>>,
    low: Signal<Local, Bits<512>>,
    high: Signal<Local, Bits<512>>,
    answer: Signal<Local, Rqe>,
}

impl<const C: usize, const NC: usize, const CP: usize, const CA: usize> Rq<C, NC, CP, CA> {
    /// Queues without a row; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// As [`Rq::new`], but a row's indices begin at `first` and not at 0: a test meets their wrap
    /// at 2^32.
    pub fn starting_at(first: usize) -> Self {
        assert!(NC == 1 << C && CP == C + 1 && CA == C + 4 && C <= 6, "Rq<{C}, {NC}, {CP}, {CA}>");
        Self {
            k_ready: qp_state::ready(),
            k_status: wc_status::loc_qp_op_err(),
            k_qps: Const::of(NC),
            store: RqStore::new(),
            consumers: Sdp::block(),
            k_align: Const::of(!0x1F),
            k_length: Const::of(32),
            k_one: Const::of(1),
            k_c: Const::of(C),
            index: (0..NC).map(Const::of).collect(),
            k_first: Const::of(first),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const CP: usize, const CA: usize> Logic for Rq<C, NC, CP, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, st, turn, qp, busy, second, here, both, wants, count, nth, line);
        dff_setup!(
            self, clock, found, failed, two_blocks, told, req_addr, req_tag, req_full, bad_rung, bad_full,
            refused
        );
        clock!(self, clock, store, setups, producers, consumers, nexts, seconds);
        self.st.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.seconds.reset.next = self.reset.val();
        self.here.reset.next = self.reset.val();
        self.both.reset.next = self.reset.val();
        self.wants.reset.next = self.reset.val();
        self.told.reset.next = self.reset.val();
        self.req_full.reset.next = self.reset.val();
        self.bad_full.reset.next = self.reset.val();
        self.refused.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.setups.reset.next = self.reset.val();

        // The answer is the wiring of what was moved.
        self.head.octets.next = self.line.q.val().get_bits::<128>(0);
        self.sge0.octets.next = self.line.q.val().get_bits::<128>(128);
        self.sge1.octets.next = self.line.q.val().get_bits::<128>(256);
        self.sge2.octets.next = self.line.q.val().get_bits::<128>(384);
        self.answer.next.found = self.found.q.val();
        self.answer.next.index = self.nth.q.val();
        self.answer.next.num_sge = bit_cast::<2, 8>(self.head.record.val().num_sge);
        self.answer.next.sge0 = self.sge0.record.val();
        self.answer.next.sge1 = self.sge1.record.val();
        self.answer.next.sge2 = self.sge2.record.val();
        self.fits.next = ((self.head.record.val().blocks == 1) && (self.head.record.val().num_sge < 2))
            || ((self.head.record.val().blocks == 2) && self.two_blocks.q.val());
        self.answer.next.bad = self.failed.q.val()
            || (self.head.record.val().num_sge > 3)
            || self.head.record.val().flags.any()
            || !self.fits.val();
        self.rqe.item.next = self.answer.val();
        self.rqe.valid.next = self.told.q.val();
        self.rd_req.addr.next = self.req_addr.q.val();
        self.rd_req.length.next = self.k_length.val();
        self.rd_req.tag.next = self.req_tag.q.val();
        self.rd_req.valid.next = self.req_full.q.val();
        self.bad.item.next = self.bad_rung.q.val();
        self.bad.valid.next = self.bad_full.q.val();
        self.bad_db.next = self.refused.q.val();
        self.refused.d.next = false;
        if self.rqe.ready.val() {
            self.told.d.next = false;
        }
        if self.rd_req.ready.val() {
            self.req_full.d.next = false;
        }
        if self.bad.ready.val() {
            self.bad_full.d.next = false;
        }

        // Answers of host memory.
        StreamSink::<64, 4>::link(&mut self.rd_ans, &mut self.store.rx);
        self.store.tag.next = self.rd_ans_tag.val();
        self.store.is_final.next = self.rd_ans_final.val();
        self.store.read.next = self.st.q.val() == St::Move;
        self.store.read_word.next = self.count.q.val().get_bits::<3>(0);
        self.busy_now.next = self.busy.q.val();
        self.here_now.next = self.here.q.val();
        self.both_now.next = self.both.q.val();
        self.wants_now.next = self.wants.q.val();
        self.there.next = self.here.q.val();
        self.two.next = self.both.q.val();
        self.to_come.next = (self.wants.q.val() | self.busy.q.val()) & !self.dead.val();

        // Which operation is next: a row, a take, a read, a doorbell.
        self.qpw_qp.next = bit_cast::<C, 8>(self.qpw.item.val().qp);
        self.row.next = self.qpw.item.val().row;
        self.bell.next = self.db.item.val();
        self.up.next = self.setups.ready.val() && self.store.scrubbed.val();
        self.may_setup.next = self.qpw.valid.val() && !self.busy.q.val().get_bit(self.qpw_qp.val().index());
        self.may_take.next =
            self.take.valid.val() && !self.told.q.val() && !(self.db.valid.val() && self.turn.q.val());
        self.qpw.ready.next = self.st.q.val() == St::Setup;
        self.db.ready.next = (self.st.q.val() == St::Bell) && !self.bad_full.q.val();
        self.take.ready.next = self.st.q.val() == St::Take;
        self.may_ask.next = self.wants.q.val() & !(self.busy.q.val() | self.both.q.val() | self.dead.val());
        self.asks.next = (self.may_ask.val().any() || self.seconds.tx.valid.val()) && !self.req_full.q.val();
        self.pick.next = 0.into();
        for i in 0..NC {
            if self.may_ask.val().get_bit(i) {
                self.pick.next = self.index[i].val();
            }
        }
        self.chosen.next = bit_cast::<C, 16>(self.bell.val().number);
        if self.seconds.tx.valid.val() {
            self.pick.next = self.seconds.tx.item.val();
        }
        if self.asks.val() {
            self.chosen.next = self.pick.val();
        }
        if self.may_take.val() {
            self.chosen.next = self.take.item.val();
        }
        if self.may_setup.val() {
            self.chosen.next = self.qpw_qp.val();
        }

        // The columns; their answers stand from the step after `Idle` to the end of the operation.
        self.setups.read_enable.next = self.st.q.val() == St::Idle;
        self.setups.read_address.next = self.chosen.val();
        self.producers.read_enable.next = self.st.q.val() == St::Idle;
        self.producers.read_address.next = self.chosen.val();
        self.consumers.read_enable.next = self.st.q.val() == St::Idle;
        self.consumers.read_address.next = self.chosen.val();
        self.base.next = self.row.val().rq_base;
        self.log2.next = self.row.val().rq_log2;
        self.made.next.base = self.base.val() & self.k_align.val();
        self.made.next.log2 = self.log2.val().get_bits::<4>(0);
        self.made.next.is_ready = (self.row.val().state == self.k_ready.val()) && (self.log2.val() < 16);
        self.setups.write_enable.next = self.st.q.val() == St::Setup;
        self.setups.write_address.next = self.qp.q.val();
        self.setups.write_data.next = self.made.val();
        self.producers.write_enable.next = self.st.q.val() == St::Setup;
        self.producers.write_address.next = self.qp.q.val();
        self.producers.write_data.next = self.k_first.val().get_bits::<16>(0);
        self.consumers.write_enable.next = self.st.q.val() == St::Setup;
        self.consumers.write_address.next = self.qp.q.val();
        self.fresh.next.index = self.k_first.val();
        self.fresh.next.odd = false;
        self.consumers.write_data.next = self.fresh.val();
        self.nexts.read_enable.next = self.st.q.val() == St::Idle;
        self.nexts.read_address.next = self.chosen.val();
        self.nexts.write_enable.next = self.st.q.val() == St::Setup;
        self.nexts.write_address.next = self.qp.q.val();
        self.nexts.write_data.next = self.k_first.val().get_bits::<16>(0);

        self.setup.next = self.setups.word.val();
        self.setup.next.is_ready = self.setups.live.val() && self.setups.word.val().is_ready;
        self.slots.next = self.k_one.val() << self.setup.val().log2;
        self.mask.next = self.slots.val() - 1;
        self.front.next = self.consumers.read_data.val();
        self.first.next = bit_cast::<16, 32>(self.front.val().index);
        self.ahead.next = self.bell.val().value - self.front.val().index;
        self.ahead16.next = self.ahead.val().get_bits::<16>(0);
        self.rung_to.next = self.producers.read_data.val();
        self.rung.next = self.rung_to.val() - self.first.val();
        self.taken.next.index = self.front.val().index + 1;
        if self.store.two.val() {
            self.taken.next.index = self.front.val().index + 2;
        }
        self.taken.next.odd = !self.front.val().odd;
        self.is_dead.next = self.dead.val().get_bit(self.qp.q.val().index());
        self.is_here.next = self.here.q.val().get_bit(self.qp.q.val().index());
        self.upcoming.next = self.nexts.read_data.val();
        self.upcoming_up.next = self.upcoming.val() + 1;
        self.slot.next = self.upcoming.val() & self.mask.val();
        self.place.next = self.front.val().odd != self.is_here.val();
        self.get_tag.next = bit_cast::<8, C>(self.qp.q.val())
            | (bit_cast::<8, 1>(self.front.val().odd.into()) << self.k_c.val());
        self.store.read_tag.next = self.get_tag.val();
        self.put_tag.next = bit_cast::<8, C>(self.qp.q.val())
            | ((bit_cast::<8, 1>(self.place.val().into())
                | (bit_cast::<8, 1>(self.second.q.val().into()) << 1))
                << self.k_c.val());
        self.low.next = self.line.q.val() >> 64;
        self.high.next = bit_cast::<512, 64>(self.store.word.val()) << 448;
        self.fault.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.fault.next.error = 0.into();
        self.fault.next.status = self.k_status.val();
        self.fault.next.is_local = true;
        self.fault.next.index = 0.into();
        self.fault.next.has_wr = false;

        self.came.next = self.store.done.val() && self.busy.q.val().get_bit(self.store.done_qp.val().index());
        self.closes.next = self.came.val() && !self.store.done_more.val();
        self.closes_qp.next = self.store.done_qp.val();
        self.seconds.tx.ready.next = false;
        match self.st.q.val() {
            St::Idle => {
                self.qp.d.next = self.chosen.val();
                self.second.d.next = self.seconds.tx.valid.val();
                self.count.d.next = 0.into();
                if self.up.val() {
                    if self.db.valid.val() {
                        self.st.d.next = St::Bell;
                    }
                    if self.asks.val() {
                        self.st.d.next = St::Fetch;
                    }
                    if self.may_take.val() {
                        self.st.d.next = St::Take;
                    }
                    if self.may_setup.val() {
                        self.st.d.next = St::Setup;
                    }
                }
            }
            St::Setup => {
                self.here_now.next = self.here_now.val().replace_bit(self.qp.q.val().index(), false);
                self.both_now.next = self.both_now.val().replace_bit(self.qp.q.val().index(), false);
                self.wants_now.next = self.wants_now.val().replace_bit(self.qp.q.val().index(), false);
                self.st.d.next = St::Idle;
            }
            St::Bell => {
                self.turn.d.next = false;
                if !self.bad_full.q.val() {
                    self.st.d.next = St::Idle;
                    if self.bell.val().number >= self.k_qps.val() {
                        self.refused.d.next = true;
                    } else if !self.is_dead.val() {
                        if !self.setup.val().is_ready {
                            self.refused.d.next = true;
                        } else if (self.ahead.val() >> 16).any()
                            || (self.ahead16.val() > self.slots.val())
                            || (self.ahead16.val() < self.rung.val())
                        {
                            self.refused.d.next = true;
                            self.bad_rung.d.next = self.fault.val();
                            self.bad_full.d.next = true;
                        } else {
                            self.producers.write_enable.next = true;
                            self.producers.write_data.next = bit_cast::<16, 32>(self.bell.val().value);
                            self.wants_now.next = self.wants_now.val().replace_bit(
                                self.qp.q.val().index(),
                                bit_cast::<16, 32>(self.bell.val().value) != self.upcoming.val(),
                            );
                        }
                    }
                }
            }
            St::Take => {
                self.turn.d.next = true;
                self.nth.d.next = self.front.val().index;
                self.found.d.next = self.is_here.val();
                self.failed.d.next = self.store.bad.val();
                self.two_blocks.d.next = self.store.two.val();
                if self.is_here.val() {
                    self.st.d.next = St::Move;
                } else {
                    self.told.d.next = true;
                    self.st.d.next = St::Idle;
                }
            }
            St::Move => {
                self.count.d.next = self.count.q.val() + 1;
                self.line.d.next = self.low.val() | self.high.val();
                if self.count.q.val().get_bit(3) {
                    self.told.d.next = true;
                    self.consumers.write_enable.next = true;
                    self.consumers.write_data.next = self.taken.val();
                    self.here_now.next = self.here_now.val().replace_bit(
                        self.qp.q.val().index(),
                        self.both.q.val().get_bit(self.qp.q.val().index()),
                    );
                    self.both_now.next = self.both_now.val().replace_bit(self.qp.q.val().index(), false);
                    self.st.d.next = St::Idle;
                }
            }
            St::Fetch => {
                if self.second.q.val() && (self.rung_to.val() == self.upcoming.val()) {
                    // The second block was not rung: the request is what has come of it, and so
                    // impossible.
                    if !self.store.done.val() {
                        self.closes.next = true;
                        self.closes_qp.next = self.qp.q.val();
                        self.st.d.next = St::Idle;
                    }
                } else {
                    self.req_addr.d.next = self.setup.val().base + (bit_cast::<64, 16>(self.slot.val()) << 5);
                    self.req_tag.d.next = self.put_tag.val();
                    self.req_full.d.next = true;
                    self.nexts.write_enable.next = true;
                    self.nexts.write_data.next = self.upcoming_up.val();
                    self.busy_now.next = self.busy_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.wants_now.next = self
                        .wants_now
                        .val()
                        .replace_bit(self.qp.q.val().index(), self.rung_to.val() != self.upcoming_up.val());
                    self.st.d.next = St::Idle;
                }
                self.seconds.tx.ready.next = self.second.q.val()
                    && (!self.store.done.val() || (self.rung_to.val() != self.upcoming.val()));
            }
            _ => {}
        }
        // An answer is behind what was taken in this cycle.
        if self.closes.val() {
            self.busy_now.next = self.busy_now.val().replace_bit(self.closes_qp.val().index(), false);
            self.both_now.next = self.both_now.val().replace_bit(
                self.closes_qp.val().index(),
                self.here_now.val().get_bit(self.closes_qp.val().index()),
            );
            self.here_now.next = self.here_now.val().replace_bit(self.closes_qp.val().index(), true);
        }
        // each queue pair is there once at most, so that it is never full
        self.seconds.rx.item.next = self.store.done_qp.val();
        self.seconds.rx.valid.next = self.came.val() && self.store.done_more.val();
        self.busy.d.next = self.busy_now.val();
        self.here.d.next = self.here_now.val();
        self.both.d.next = self.both_now.val();
        self.wants.d.next = self.wants_now.val();
    }
}
