// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict on each FPDU, when the answers about its regions are there: placed, or a fault and
//! dropped.
use super::rx_report::RxReport;
use super::rx_row::{delivery, RxDelivery, RxJob, RxPart};
use crate::gen::consts::{event_kind, opcode_set};
use crate::gen::Event;
use crate::prelude::*;
use crate::record::{CqeItem, Fault, MrSay, Quoted, ReadRequest};
use crate::stream::{ItemSink, ItemSource};

/// Step of the one FPDU under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Takes an FPDU.
    Idle,
    /// Gathers the answers for its pieces.
    Gather,
    /// Judges it; its header, or all of it, is dropped.
    Judge,
    /// Cuts its pieces at 4 KiB.
    Place,
    /// Asks for an STag to be made invalid.
    Revoke,
    /// Waits for the answer.
    Revoked,
}

/// Nothing of an FPDU is placed before every check of it is answered, and none of it if one fails.
///
/// The first fault of a queue pair is said once and stops it; what follows is dropped without a
/// word. A peer's Terminate is such a fault, beside which its control field is told.
#[block]
pub struct RxJudge<const C: usize, const NC: usize> {
    /// FPDU.
    pub job: ItemSink<RxJob>,
    /// Answer about a piece.
    pub ans: ItemSink<MrSay>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pairs in which a fault was found.
    pub stopped: Signal<Out, Bits<NC>>,
    /// A queue pair's row or stream is new.
    pub clear: Signal<In, Bit>,
    /// This queue pair; with `clear`.
    pub clear_qp: Signal<In, Bits<C>>,
    /// What becomes of the next octets.
    pub part: ItemSource<RxPart>,
    /// What is to be told when its octets were handed over.
    /// Offered only while `ready` is high.
    pub delivery: ItemSource<RxDelivery>,
    /// Read Request of the oldest job with `is_request`.
    pub request: Signal<In, ReadRequest>,
    /// This Read Request is judged.
    pub request_ready: Signal<Out, Bit>,
    /// A good one.
    /// Offered only while `ready` is high.
    pub wanted: ItemSource<ReadRequest>,
    /// STag that the peer invalidates.
    pub inv_stag: Signal<Out, Bits<32>>,
    /// Queue pair of that peer.
    pub inv_qp: Signal<Out, Bits<8>>,
    /// STag and queue pair are offered.
    pub inv_valid: Signal<Out, Bit>,
    /// STag and queue pair are taken.
    pub inv_ready: Signal<In, Bit>,
    /// The STag is invalid now; else it may not be made so.
    pub invd: ItemSink<Bit>,
    /// In the cycle before a job with `invalidates` was judged.
    pub settled: Signal<Out, Bit>,
    /// Event of a Terminate, with `fault`.
    /// Offered only while `ready` is high.
    pub term: ItemSource<Event>,
    /// Fault.
    /// Offered only while `ready` is high.
    pub fault: ItemSource<Fault>,
    /// Its segment.
    pub quote: Signal<Out, Quoted>,
    /// Slot of that segment's first octets.
    pub slot: Signal<Out, Bits<4>>,
    /// Words in it.
    pub kept: Signal<Out, Bits<4>>,
    /// In this cycle the job under way ends: all its parts were announced.
    pub passed: Signal<Out, Bit>,

    report: RxReport,
    state: Reg<St>,
    stops: Reg<Bits<NC>>,
    item: Flop<RxJob>,
    /// Answers that are still to come; how many came.
    missing: Flop<Bits<2>>,
    came: Flop<Bits<2>>,
    refused: Reg<Bit>,
    /// The STag may not be made invalid.
    denied: Reg<Bit>,
    settles: Reg<Bit>,
    why: Flop<Bits<3>>,
    iova0: Flop<Bits<64>>,
    iova1: Flop<Bits<64>>,
    iova2: Flop<Bits<64>>,
    /// The piece that is cut: where it goes on, octets left, pieces left with it.
    addr: Flop<Bits<64>>,
    left: Flop<Bits<16>>,
    pieces: Flop<Bits<2>>,
    next_n: Flop<Bits<16>>,
    next_iova: Flop<Bits<64>>,

    short_header: Const<Bits<16>>,
    long_header: Const<Bits<16>>,
    page: Const<Bits<16>>,
    page_up: Const<Bits<64>>,
    in_page: Const<Bits<64>>,
    k_terminate: Const<Bits<8>>,
    completion: Const<Bits<2>>,
    read_done: Const<Bits<2>>,
    read_request: Const<Bits<2>>,
    with_event: Const<Bits<16>>,
    pages: Const<Bits<64>>,
    now: Signal<Local, Bits<NC>>,
    set: Signal<Local, Bits<NC>>,
    out: Signal<Local, RxPart>,
    done: Signal<Local, CqeItem>,
    kind: Signal<Local, Bits<2>>,
    told: Signal<Local, Event>,
    cites: Signal<Local, Quoted>,
    octets: Signal<Local, Bits<16>>,
}

impl<const C: usize, const NC: usize> RxJudge<C, NC> {
    /// For `NC` queue pairs.
    pub fn new() -> Self {
        Self {
            short_header: Const::of(14),
            long_header: Const::of(18),
            page: Const::of(4096),
            page_up: Const::of(4096),
            in_page: Const::of(4095),
            k_terminate: event_kind::peer_terminate(),
            completion: Const::of(delivery::COMPLETION),
            read_done: Const::of(delivery::READ_DONE),
            read_request: Const::of(delivery::REQUEST),
            with_event: opcode_set::solicited(),
            pages: Const::new((!4095_u64).into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for RxJudge<C, NC> {
    fn update(&mut self) {
        regs!(state, stops, refused, denied, settles);
        flops!(item, missing, came, why, iova0, iova1, iova2, addr, left, pieces, next_n, next_iova);
        self.stopped.next = self.stops.q.val();
        self.job.ready.next = self.state.q.val() == St::Idle;
        self.ans.ready.next = (self.state.q.val() == St::Gather) && self.missing.q.val().any();

        // Whether it is placed.
        let qp: Bits<C> = bit_cast::<C, 8>(self.item.q.val().qp);
        let quiet: Bit = self.item.q.val().silent
            || self.stops.q.val().get_bit(qp.index())
            || self.dead.val().get_bit(qp.index());
        let bad: Bit = self.item.q.val().has_error || self.refused.q.val() || self.denied.q.val();
        let places: Bit = !quiet && !bad;
        let fills: Bit = places && self.item.q.val().pieces.any() && !self.item.q.val().is_request;
        let may: Bit = self.part.ready.val()
            && self.delivery.ready.val()
            && self.fault.ready.val()
            && (self.wanted.ready.val() || !self.item.q.val().is_request)
            && (self.term.ready.val() || !self.item.q.val().is_terminate);
        let ends: Bit = (self.state.q.val() == St::Judge) && may;
        self.report.job.next = self.item.q.val();
        self.report.why.next = self.why.q.val();
        self.report.refused.next = self.refused.q.val();
        self.report.denied.next = self.denied.q.val();
        self.fault.item.next = self.report.fault.val();
        self.cites.next.is_there = self.item.q.val().has_frame;
        self.cites.next.is_terminate = self.item.q.val().is_terminate;
        self.cites.next.length = self.item.q.val().length;
        self.slot.next = self.item.q.val().slot;
        self.kept.next = self.item.q.val().kept;
        self.quote.next = self.cites.val();
        self.fault.valid.next = ends && !quiet && bad;
        self.told.next.kind = self.k_terminate.val();
        self.told.next.number = bit_cast::<16, 8>(self.item.q.val().qp);
        self.told.next.error = self.item.q.val().error;
        self.told.next.info = self.item.q.val().byte_len;
        self.told.next.phase = false;
        self.term.item.next = self.told.val();
        self.term.valid.next = ends && !quiet && self.item.q.val().is_terminate;

        // An STag becomes invalid before its message is delivered; who resolves waits for that.
        self.inv_stag.next = self.item.q.val().stag;
        self.inv_qp.next = self.item.q.val().qp;
        self.inv_valid.next = self.state.q.val() == St::Revoke;
        self.invd.ready.next = self.state.q.val() == St::Revoked;
        self.settled.next = self.settles.q.val();
        self.settles.d.next = ends && self.item.q.val().invalidates;

        // What is delivered.
        self.request_ready.next = ends && self.item.q.val().is_request;
        self.wanted.item.next = self.request.val();
        self.wanted.valid.next = ends && places && self.item.q.val().is_request;
        self.kind.next = self.completion.val();
        if self.item.q.val().is_tagged {
            self.kind.next = self.read_done.val();
        }
        if self.item.q.val().is_request {
            self.kind.next = self.read_request.val();
        }
        let solicits: Bits<16> = self.with_event.val();
        let op: Bits<4> = self.item.q.val().opcode;
        self.done.next.cq = self.item.q.val().recv_cq;
        self.done.next.index = self.item.q.val().index;
        self.done.next.byte_len = self.item.q.val().byte_len;
        self.done.next.qp = bit_cast::<16, 8>(self.item.q.val().qp);
        self.done.next.status = 0.into();
        self.done.next.opcode = bit_cast::<8, 4>(self.item.q.val().opcode);
        self.done.next.invalidated_stag = 0.into();
        if self.item.q.val().invalidates {
            self.done.next.invalidated_stag = self.item.q.val().stag;
        }
        self.done.next.error = 0.into();
        self.done.next.is_recv = true;
        self.done.next.is_solicited = solicits.get_bit(op.index());
        self.done.next.has_invalidate = self.item.q.val().invalidates;
        self.done.next.has_wr = true;
        self.delivery.item.next.kind = self.kind.val();
        self.delivery.item.next.cqe = self.done.val();
        self.delivery.valid.next = ends && places && self.item.q.val().delivers;

        // Stops: set by a fault, cleared with the row.
        self.now.next = self.stops.q.val();
        if self.clear.val() {
            self.now.next = self.stops.q.val().replace_bit(self.clear_qp.val().index(), false);
        }
        self.set.next = self.now.val();
        if self.fault.valid.val() {
            self.set.next = self.now.val().replace_bit(qp.index(), true);
        }
        self.stops.d.next = self.set.val();

        // The piece as far as the next page.
        let offset: Bits<16> = bit_cast::<16, 64>(self.addr.q.val() & self.in_page.val());
        let room: Bits<16> = self.page.val() - offset;
        let ends_piece: Bit = self.left.q.val() <= room;
        self.octets.next = room;
        if ends_piece {
            self.octets.next = self.left.q.val();
        }
        let first_page: Bits<64> = self.addr.q.val() & self.pages.val();
        self.out.next.length = self.octets.val();
        self.out.next.drop = false;
        self.out.next.delivers = self.item.q.val().delivers && ends_piece && (self.pieces.q.val() == 1);
        self.out.next.addr = self.addr.q.val();
        self.part.valid.next = self.state.q.val() == St::Place;
        self.passed.next = (ends && !fills)
            || ((self.state.q.val() == St::Place)
                && self.part.ready.val()
                && ends_piece
                && (self.pieces.q.val() == 1));

        match self.state.q.val() {
            St::Idle => {
                self.item.d.next = self.job.item.val();
                self.missing.d.next = self.job.item.val().pieces;
                self.came.d.next = 0.into();
                self.refused.d.next = false;
                self.denied.d.next = false;
                if self.job.valid.val() {
                    self.state.d.next = St::Gather;
                }
            }
            St::Gather => {
                if !self.missing.q.val().any() {
                    self.state.d.next = St::Judge;
                    if self.item.q.val().invalidates && places {
                        self.state.d.next = St::Revoke;
                    }
                } else if self.ans.valid.val() {
                    self.missing.d.next = self.missing.q.val() - 1;
                    self.came.d.next = self.came.q.val() + 1;
                    if !self.ans.item.val().ok && !self.refused.q.val() {
                        self.refused.d.next = true;
                        self.why.d.next = self.ans.item.val().error;
                    }
                    if self.came.q.val() == 0 {
                        self.iova0.d.next = self.ans.item.val().iova;
                    }
                    if self.came.q.val() == 1 {
                        self.iova1.d.next = self.ans.item.val().iova;
                    }
                    if self.came.q.val() == 2 {
                        self.iova2.d.next = self.ans.item.val().iova;
                    }
                }
            }
            St::Judge => {
                self.part.valid.next = self.item.q.val().has_frame && may;
                self.out.next.drop = true;
                self.out.next.length = self.item.q.val().length;
                self.out.next.delivers = places && self.item.q.val().delivers && !fills;
                if fills {
                    self.out.next.length = self.long_header.val();
                    if self.item.q.val().is_tagged {
                        self.out.next.length = self.short_header.val();
                    }
                }
                self.addr.d.next = self.iova0.q.val();
                self.left.d.next = self.item.q.val().n0;
                self.pieces.d.next = self.item.q.val().pieces;
                self.next_iova.d.next = self.iova1.q.val();
                self.next_n.d.next = self.item.q.val().n1;
                if may {
                    self.state.d.next = St::Idle;
                    if fills {
                        self.state.d.next = St::Place;
                    }
                }
            }
            St::Place => {
                if self.part.ready.val() {
                    self.addr.d.next = first_page + self.page_up.val();
                    self.left.d.next = self.left.q.val() - self.octets.val();
                    if ends_piece {
                        self.addr.d.next = self.next_iova.q.val();
                        self.left.d.next = self.next_n.q.val();
                        self.next_iova.d.next = self.iova2.q.val();
                        self.next_n.d.next = self.item.q.val().n2;
                        self.pieces.d.next = self.pieces.q.val() - 1;
                        if self.pieces.q.val() == 1 {
                            self.state.d.next = St::Idle;
                        }
                    }
                }
            }
            St::Revoke => {
                if self.inv_ready.val() {
                    self.state.d.next = St::Revoked;
                }
            }
            St::Revoked => {
                if self.invd.valid.val() {
                    self.denied.d.next = !self.invd.item.val();
                    self.state.d.next = St::Judge;
                }
            }
            _ => {}
        }
        self.part.item.next = self.out.val();
    }
}
