// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send side's segments: through MPA or past it, and on to TCP.
use crate::prelude::*;
use crate::record::{seg_kind, TxAnswer, TxCommand, TxFpdu};
use crate::stream::{Hold, ItemSink, ItemSource, Queue, Skid, StreamSink, StreamSource};

/// Where a frame goes.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Route {
    /// Its queue pair.
    qp: Bits<8>,
    /// Past MPA.
    is_raw: Bit,
}

/// Gives each [`TxFpdu`] to TCP as it is and, if it is an FPDU, to [`super::mpa_fpdu`] as the
/// command for its octets. The frames on `rx` go to MPA or past it as their items say, and leave on
/// `tx` in the order of the items.
///
/// Both may take an item at their own time; the next one comes when both have. A raw frame waits
/// until MPA has given all FPDUs before it; those behind it wait until it has passed. Answers are
/// taken at once: the send side knows an FPDU's octets from its grant, so a `refused` one is a
/// fault of the hardware and pulses.
#[block]
pub struct TxFeed {
    /// What goes with the next frame, or FIN, which has none.
    pub fpdu: ItemSink<TxFpdu>,
    /// ULPDUs and raw octets.
    pub rx: StreamSink<64, 4>,
    /// To [`super::mpa_fpdu`]: commands.
    pub cmd: ItemSource<TxCommand>,
    /// Answers of [`super::mpa_fpdu`], always taken.
    pub ans: ItemSink<TxAnswer>,
    /// To [`super::mpa_fpdu`]: ULPDUs.
    pub ulpdu: StreamSource<64, 4>,
    /// From [`super::mpa_fpdu`]: FPDUs.
    pub made: StreamSink<64, 4>,
    /// To TCP: segments.
    pub seg: ItemSource<TxFpdu>,
    /// To TCP: FPDUs and raw octets.
    pub tx: StreamSource<64, 4>,
    /// Pulse: MPA refused a command.
    pub refused: Signal<Out, Bit>,
    /// The octets of a frame, or the head of a segment, are still to come or to go.
    pub owes: Signal<Out, Bit>,
    /// Queue pair of the oldest of them.
    pub owed_qp: Signal<Out, Bits<8>>,
    items: Hold<TxFpdu>,
    /// Of the next frames on `rx`.
    routes: Queue<Route, 4>,
    route: Signal<Local, Route>,
    oldest: Signal<Local, Route>,
    to_mpa: Skid<64, 4>,
    to_tcp: Skid<64, 4>,
    commanded: Reg<Bit>,
    announced: Reg<Bit>,
    /// FPDUs inside MPA: more than the 18 commands that it takes never are.
    held: Reg<Bits<6>>,
    enters: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    is_refused: Signal<Local, Bit>,
}

#[kernel]
impl Logic for TxFeed {
    fn update(&mut self) {
        regs!(commanded, announced, held);
        parts!(items, routes, to_mpa, to_tcp);

        // Items.
        self.items.rx.item.next = self.fpdu.item.val();
        self.items.rx.valid.next = self.fpdu.valid.val();
        self.fpdu.ready.next = self.items.rx.ready.val();
        let is_fpdu: Bit = self.items.tx.item.val().kind == lit::<2>(seg_kind::FPDU);
        let is_raw: Bit = self.items.tx.item.val().kind == lit::<2>(seg_kind::RAW);
        self.cmd.item.next.length = self.items.tx.item.val().length;
        self.cmd.item.next.phase = self.items.tx.item.val().phase;
        self.cmd.item.next.markers = self.items.tx.item.val().markers;
        self.cmd.item.next.crc = self.items.tx.item.val().crc;
        self.cmd.item.next.from = self.items.tx.item.val().from;
        self.cmd.item.next.octets = self.items.tx.item.val().octets;
        self.cmd.valid.next = self.items.tx.valid.val() && is_fpdu && !self.commanded.q.val();
        self.seg.item.next = self.items.tx.item.val();
        self.seg.valid.next =
            self.items.tx.valid.val() && self.routes.rx.ready.val() && !self.announced.q.val();
        let commands: Bit = self.commanded.q.val() || self.cmd.ready.val() || !is_fpdu;
        let announces: Bit = self.announced.q.val() || (self.seg.ready.val() && self.routes.rx.ready.val());
        self.items.tx.ready.next = commands && announces;
        if self.items.tx.valid.val() {
            self.commanded.d.next = commands && !announces;
            self.announced.d.next = announces && !commands;
        }
        // a frame's route is known from the cycle on in which TCP hears of it
        self.route.next.qp = self.items.tx.item.val().qp;
        self.route.next.is_raw = is_raw;
        self.routes.rx.item.next = self.route.val();
        self.routes.rx.valid.next = self.items.tx.valid.val()
            && !self.announced.q.val()
            && self.seg.ready.val()
            && (is_fpdu || is_raw);

        // Frames.
        self.oldest.next = self.routes.tx.item.val();
        let feeds: Bit = self.routes.tx.valid.val() && !self.oldest.val().is_raw;
        let passes: Bit = self.routes.tx.valid.val() && self.oldest.val().is_raw && !self.held.q.val().any();
        self.owes.next = self.routes.tx.valid.val() || self.items.tx.valid.val();
        self.owed_qp.next = self.items.tx.item.val().qp;
        if self.routes.tx.valid.val() {
            self.owed_qp.next = self.oldest.val().qp;
        }
        self.to_mpa.rx.data.next = self.rx.data.val();
        self.to_mpa.rx.bytes.next = self.rx.bytes.val();
        self.to_mpa.rx.last.next = self.rx.last.val();
        self.to_mpa.rx.err.next = self.rx.err.val();
        self.to_mpa.rx.valid.next = self.rx.valid.val() && feeds;
        StreamSource::<64, 4>::link(&mut self.ulpdu, &mut self.to_mpa.tx);
        self.to_tcp.rx.data.next = self.made.data.val();
        self.to_tcp.rx.bytes.next = self.made.bytes.val();
        self.to_tcp.rx.last.next = self.made.last.val();
        self.to_tcp.rx.err.next = self.made.err.val();
        self.to_tcp.rx.valid.next = self.made.valid.val();
        self.made.ready.next = self.to_tcp.rx.ready.val() && !passes;
        self.rx.ready.next = self.to_mpa.rx.ready.val() && feeds;
        if passes {
            self.to_tcp.rx.data.next = self.rx.data.val();
            self.to_tcp.rx.bytes.next = self.rx.bytes.val();
            self.to_tcp.rx.last.next = self.rx.last.val();
            self.to_tcp.rx.err.next = self.rx.err.val();
            self.to_tcp.rx.valid.next = self.rx.valid.val();
            self.rx.ready.next = self.to_tcp.rx.ready.val();
        }
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.to_tcp.tx);
        self.routes.tx.ready.next = ((feeds && self.to_mpa.rx.ready.val())
            || (passes && self.to_tcp.rx.ready.val()))
            && self.rx.valid.val()
            && self.rx.last.val();

        // How many are inside MPA: a refused one does not come out.
        self.ans.ready.next = true;
        self.is_refused.next = self.ans.valid.val() && self.ans.item.val().refused;
        self.refused.next = self.is_refused.val();
        self.enters.next = feeds && self.to_mpa.rx.ready.val() && self.rx.valid.val() && self.rx.last.val();
        self.leaves.next =
            self.made.valid.val() && self.made.last.val() && self.to_tcp.rx.ready.val() && !passes;
        let more: Bits<6> = self.held.q.val() + bit_cast::<6, 1>(self.enters.val().into());
        let less: Bits<6> = more - bit_cast::<6, 1>(self.leaves.val().into());
        self.held.d.next = less - bit_cast::<6, 1>(self.is_refused.val().into());
    }
}
