// SPDX-License-Identifier: MIT OR Apache-2.0
//! Retirement of messages: the walk from an acknowledgement to completions.
use super::pulses::SqPulses;
use super::rows::{turn_kind, InFlight};
use crate::gen::consts::{event_kind, wc_status};
use crate::gen::Event;
use crate::prelude::*;
use crate::record::CqeItem;
use crate::stream::ItemSource;

/// Where the retiring side stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Retire {
    /// Nothing to do.
    Idle,
    /// The acknowledged offset and both ends of the ring are there.
    Look,
    /// An entry is there, and compared with what is acknowledged.
    Weigh,
    /// The oldest entry is compared.
    Judge,
    /// A completion is offered.
    Give,
    /// The scheduler is told that there is room.
    Wake,
    /// The newest entry is compared: the end of our side of the stream.
    Last,
    /// It is told that this is acknowledged.
    Tell,
}

/// Retires the messages of one of `NC = 2^C` queue pairs at a time: one whose octets were
/// acknowledged, or whose RDMA Read has its response. The entries belong to
/// [`super::inflight::SqRing`]: what this block sees is the entry that was read last.
#[block]
pub struct SqRetire<const C: usize, const NC: usize> {
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pair that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// Its completion queue.
    pub set_cq: Signal<In, Bits<16>>,
    /// In this cycle.
    pub set_valid: Signal<In, Bit>,
    /// Queue pair that has the turn.
    pub turn_qp: Signal<In, Bits<C>>,
    /// The queue pair with the turn will wait for room.
    pub starve: Signal<In, Bit>,
    /// The end of its side of the stream goes into its ring.
    pub finishes: Signal<In, Bit>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle, which `rests` allows.
    pub fresh: Signal<In, Bit>,
    /// Nothing is being retired.
    pub rests: Signal<Out, Bit>,
    /// Queue pair of which octets were acknowledged.
    pub una_qp: Signal<In, Bits<C>>,
    /// They are.
    pub una_valid: Signal<In, Bit>,
    /// Queue pair whose oldest outstanding RDMA Read has its response.
    pub rdone_qp: Signal<In, Bits<C>>,
    /// Pulse: it has.
    pub rdone: Signal<In, Bit>,
    /// The oldest RDMA Read of `qp` that is in its ring has its response.
    pub finished: Signal<In, Bit>,
    /// Queue pair whose messages are being retired.
    pub qp: Signal<Out, Bits<C>>,
    /// The ring of `qp` is empty.
    pub empty: Signal<In, Bit>,
    /// An entry may be read in this cycle.
    pub may_read: Signal<In, Bit>,
    /// An entry of `qp` is to be read.
    pub reads: Signal<Out, Bit>,
    /// It is the newest one, else the oldest.
    pub newest: Signal<Out, Bit>,
    /// The entry that was read last.
    pub oldest: Signal<In, InFlight>,
    /// All of it that has left is acknowledged.
    pub acked: Signal<In, Bit>,
    /// It has left in part alone, since it could not be read.
    pub is_cut: Signal<In, Bit>,
    /// Pulse: the oldest entry of `qp` goes.
    pub retires: Signal<Out, Bit>,
    /// Pulse: it is an RDMA Read.
    pub read_retires: Signal<Out, Bit>,
    /// Pulse: it is a response.
    pub response_retires: Signal<Out, Bit>,
    /// Completion.
    pub done: ItemSource<CqeItem>,
    /// `fin_acked`: the end of our side of the stream is acknowledged.
    pub event: ItemSource<Event>,
    /// Queue pair whose ring has room again, or whose connection is there.
    pub freed: ItemSource<Bits<C>>,
    news: SqPulses<C, NC>,
    read_news: SqPulses<C, NC>,
    cqs: LutRam<Bits<16>, C>,
    state: Reg<Retire>,
    who: Flop<Bits<C>>,
    starved: Reg<Bits<NC>>,
    /// The end of our side is in the ring, and not told as acknowledged.
    fins: Reg<Bits<NC>>,
    item: Flop<CqeItem>,
    /// The entry that was read last is the newest one.
    ends: Flop<Bit>,
    // of the entry that is judged, since a replay may read another one meanwhile
    acked_q: Flop<Bit>,
    is_cut_q: Flop<Bit>,
    kind: Flop<Bits<2>>,
    closed: Flop<Bit>,
    is_read: Flop<Bit>,
    signaled: Flop<Bit>,
    fin_acked: Const<Event>,
    /// What is the same in all completions.
    in_all: Const<CqeItem>,
    hungry: Signal<Local, Bits<NC>>,
    comes: Signal<Local, Bits<NC>>,
    ended: Signal<Local, Bits<NC>>,
    cqe: Signal<Local, CqeItem>,
}

impl<const C: usize, const NC: usize> SqRetire<C, NC> {
    /// Nothing to retire.
    pub fn new() -> Self {
        Self {
            news: SqPulses::new(),
            read_news: SqPulses::new(),
            fin_acked: Const::new(Event { kind: event_kind::fin_acked().val(), ..Default::default() }),
            in_all: Const::new(CqeItem {
                status: wc_status::success().val(),
                has_wr: true,
                ..Default::default()
            }),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for SqRetire<C, NC> {
    fn update(&mut self) {
        regs!(state, starved, fins);
        flops!(who, item, ends, acked_q, is_cut_q, kind, closed, is_read, signaled);
        parts!(news, read_news);
        clocked!(cqs);

        let turn_mark: Bits<NC> = lit::<NC>(1) << self.turn_qp.val();
        let mark: Bits<NC> = lit::<NC>(1) << self.who.q.val();
        self.hungry.next = self.starved.q.val();
        if self.starve.val() {
            self.hungry.next = self.starved.q.val() | turn_mark;
        }
        let is_hungry: Bit = self.hungry.val().get_bit(self.who.q.val().index());
        let has_fin: Bit = self.fins.q.val().get_bit(self.who.q.val().index());
        self.starved.d.next = self.hungry.val();
        self.comes.next = 0.into();
        if self.finishes.val() {
            self.comes.next = turn_mark;
        }
        self.ended.next = 0.into();
        if self.fresh.val() {
            self.ended.next = lit::<NC>(1) << self.fresh_qp.val();
        }
        self.rests.next = (self.state.q.val() == Retire::Idle) && !self.una_valid.val() && !self.rdone.val();
        self.news.pulse_qp.next = self.una_qp.val();
        self.news.pulse_valid.next = self.una_valid.val();
        self.news.tx.ready.next = false;
        self.read_news.pulse_qp.next = self.rdone_qp.val();
        self.read_news.pulse_valid.next = self.rdone.val();
        self.read_news.tx.ready.next = false;

        // An end of the stream is the newest entry, and acknowledged before the response of an RDMA
        // Read may come. One whose acknowledgement came between its look and this one is told by
        // the news of that acknowledgement.
        self.newest.next = (self.state.q.val() == Retire::Look) && has_fin;
        let lives: Bit = !self.dead.val().get_bit(self.who.q.val().index());
        let whole: Bit = self.acked_q.q.val()
            && !((self.kind.q.val() == lit::<2>(turn_kind::FIN)) && has_fin)
            && (self.is_cut_q.q.val()
                || (self.closed.q.val() && (!self.is_read.q.val() || self.finished.val() || !lives)));
        self.qp.next = self.who.q.val();
        self.cqs.write_enable.next = self.set_valid.val();
        self.cqs.write_address.next = self.set_qp.val();
        self.cqs.write_data.next = self.set_cq.val();
        self.cqs.read_address.next = self.who.q.val();
        self.cqe.next = self.in_all.val();
        self.cqe.next.cq = self.cqs.read_data.val();
        self.cqe.next.index = self.oldest.val().index;
        if self.oldest.val().is_read {
            self.cqe.next.byte_len = self.oldest.val().length;
        }
        self.cqe.next.qp = bit_cast::<16, C>(self.who.q.val());
        self.cqe.next.opcode = self.oldest.val().opcode;
        self.done.item.next = self.item.q.val();
        self.done.valid.next = self.state.q.val() == Retire::Give;
        self.event.item.next = self.fin_acked.val();
        self.event.item.next.number = bit_cast::<16, C>(self.who.q.val());
        self.event.valid.next = self.state.q.val() == Retire::Tell;
        self.freed.item.next = self.who.q.val();
        self.freed.valid.next = self.state.q.val() == Retire::Wake;
        self.reads.next = false;
        self.retires.next = false;
        match self.state.q.val() {
            Retire::Idle => {
                if self.fresh.val() {
                    self.who.d.next = self.fresh_qp.val();
                    self.state.d.next = Retire::Wake;
                } else if self.news.tx.valid.val() {
                    self.news.tx.ready.next = true;
                    self.who.d.next = self.news.tx.item.val();
                    self.state.d.next = Retire::Look;
                } else if self.read_news.tx.valid.val() {
                    // a Read less is room too
                    self.read_news.tx.ready.next = true;
                    self.who.d.next = self.read_news.tx.item.val();
                    self.state.d.next = Retire::Look;
                    if self.hungry.val().get_bit(self.read_news.tx.item.val().index()) {
                        self.state.d.next = Retire::Wake;
                    }
                }
            }
            Retire::Look => {
                if self.may_read.val() {
                    self.reads.next = true;
                    self.ends.d.next = has_fin;
                    self.state.d.next = Retire::Weigh;
                }
                if self.empty.val() {
                    self.state.d.next = Retire::Idle;
                }
            }
            Retire::Weigh => {
                self.acked_q.d.next = self.acked.val();
                self.is_cut_q.d.next = self.is_cut.val();
                self.kind.d.next = self.oldest.val().kind;
                self.closed.d.next = self.oldest.val().closed;
                self.is_read.d.next = self.oldest.val().is_read;
                self.signaled.d.next = self.oldest.val().signaled;
                self.item.d.next = self.cqe.val();
                self.state.d.next = Retire::Judge;
                if self.ends.q.val() {
                    self.state.d.next = Retire::Last;
                }
            }
            Retire::Judge => {
                self.state.d.next = Retire::Idle;
                if whole {
                    self.retires.next = true;
                    self.state.d.next = Retire::Look;
                    if self.signaled.q.val() && lives && !self.is_cut_q.q.val() {
                        self.state.d.next = Retire::Give;
                    } else if is_hungry {
                        self.state.d.next = Retire::Wake;
                    }
                }
            }
            Retire::Give => {
                if self.done.ready.val() {
                    self.state.d.next = Retire::Look;
                    if is_hungry {
                        self.state.d.next = Retire::Wake;
                    }
                }
            }
            Retire::Last => {
                if self.acked_q.q.val() {
                    self.state.d.next = Retire::Tell;
                } else if self.may_read.val() {
                    self.reads.next = true;
                    self.ends.d.next = false;
                    self.state.d.next = Retire::Weigh;
                } else {
                    // a replay may read another entry
                    self.state.d.next = Retire::Look;
                }
            }
            Retire::Tell => {
                if self.event.ready.val() {
                    self.ended.next = mark;
                    self.state.d.next = Retire::Look;
                }
            }
            Retire::Wake => {
                if self.freed.ready.val() {
                    self.starved.d.next = self.hungry.val() & (!mark);
                    self.state.d.next = Retire::Look;
                }
            }
            _ => {}
        }
        self.read_retires.next = self.retires.val() && self.is_read.q.val();
        self.response_retires.next =
            self.retires.val() && (self.kind.q.val() == lit::<2>(turn_kind::RESPONSE));
        self.fins.d.next = (self.fins.q.val() & (!self.ended.val())) | self.comes.val();
    }
}
