// SPDX-License-Identifier: MIT OR Apache-2.0
//! From Ethernet frames to octets in order.
use super::rx_behind::RxBehind;
use super::rx_decide::RxDecide;
use super::rx_fence::RxFence;
use super::rx_find::RxFind;
use super::rx_meet::RxMeet;
use super::rx_press::RxPress;
use super::rx_record::{RxAnnounce, RxJob, RxUndo};
use super::rx_route::RxRoute;
use super::rx_setup::RxSetup;
use crate::cell::{AnswerSource, UpdateSource};
use crate::eth::{EthRx, RxGuard};
use crate::gen::ConnRow;
use crate::ip::IpRx;
use crate::record::{RawNote, RxCtl, RxSeen, RxTold, TxFact};
use crate::stream::{Fork, ItemSink, ItemSource, OnFull, PacketFifo, Queue, Stock, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// The receive stage of the network. `W` data bits, `K` = `bytes_width(W)`, `LN` = `W/32`, `NB` =
/// beats of 40 octets, `C` = log2 of the connections, `NC` = `2^C`, `HA` = log2 of the slots of the
/// 4-tuple table, `A` and `RA` = log2 of the beats that hold frames until they are decided on, and
/// raw frames until they are taken.
///
/// One store: a frame waits in the packet FIFO while a second copy of its beats passes the readers
/// of its headers, which keep nothing but an item. What is decided is carried out on the stored
/// frame.
#[derive(LogicBlock, Default)]
pub struct NetRx<
    const W: usize,
    const K: usize,
    const LN: usize,
    const NB: usize,
    const C: usize,
    const NC: usize,
    const HA: usize,
    const A: usize,
    const RA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Table and rows are blank: frames are looked at. Frames that come sooner wait, then are lost.
    pub scrubbed: Signal<Out, Bit>,
    /// Frames of the MAC, `err` with a wrong FCS; always ready.
    pub rx: StreamSink<W, K>,
    /// Random bits for the 4-tuple table, taken until `scrubbed`.
    pub secret: Signal<In, Bits<320>>,
    /// Connection to insert.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub ins_row: Signal<In, ConnRow>,
    /// Insertion offered.
    pub ins_valid: Signal<In, Bit>,
    /// Insertion done, see `code`; frames that came before it are in the raw ring, or dropped.
    pub ins_ready: Signal<Out, Bit>,
    /// Transmit is offered `ins_row` for `ins_qp`, an insertion or an update.
    pub tag_valid: Signal<In, Bit>,
    /// Transmit takes both: the row's VLAN is that of the next segment that is judged.
    pub tag_ready: Signal<In, Bit>,
    /// Connection to remove.
    pub rem_qp: Signal<In, Bits<C>>,
    /// Removal offered.
    pub rem_valid: Signal<In, Bit>,
    /// Removal done, see `code`.
    pub rem_ready: Signal<Out, Bit>,
    /// With `ins_ready` or `rem_ready`: `cell::Answer` (0 done, 1 present, 2 full, 3 absent).
    pub code: Signal<Out, Bits<2>>,
    /// Connection whose row is asked for.
    pub look_qp: Signal<In, Bits<C>>,
    /// Asked for.
    pub look_valid: Signal<In, Bit>,
    /// Answered.
    pub look_ready: Signal<Out, Bit>,
    /// With `look_ready`: the answer.
    pub seen: Signal<Out, RxSeen>,
    /// What firmware saw of a connection before its insertion.
    /// The entry takes its turn among the segments.
    pub told: ItemSink<RxTold>,
    /// Connection that sends.
    pub pub_qp: Signal<In, Bits<C>>,
    /// Its SND.NXT.
    pub pub_snd_nxt: Signal<In, Bits<32>>,
    /// Both are there in this cycle.
    pub pub_valid: Signal<In, Bit>,
    /// For transmit, in segment order.
    pub fact: ItemSource<TxFact>,
    /// RST of a connection.
    pub ctl: ItemSource<RxCtl>,
    /// Connection of the next octets in order.
    pub seg_conn: Signal<Out, Bits<C>>,
    /// Sequence number of the first of them.
    pub seg_seq: Signal<Out, Bits<32>>,
    /// There are none: no frame on `tx`.
    pub seg_empty: Signal<Out, Bit>,
    /// The stream ends after them.
    pub seg_end: Signal<Out, Bit>,
    /// Octets came behind the end of the stream, once a connection.
    pub seg_late: Signal<Out, Bit>,
    /// Cuts of the connection that were heard of by `undo`, modulo 2.
    pub seg_side: Signal<Out, Bit>,
    /// Octets announced.
    pub seg_valid: Signal<Out, Bit>,
    /// Pulse: one more of them, which is announced behind those before it.
    pub announced: Signal<Out, Bit>,
    /// Announcement taken.
    pub seg_ready: Signal<In, Bit>,
    /// MPA has cut a segment of this connection.
    pub undo_conn: Signal<In, Bits<C>>,
    /// Sequence number that is due again: nothing announced from there on is taken.
    pub undo_due: Signal<In, Bits<32>>,
    /// In this cycle; once a connection until its `seg_side` has changed.
    pub undo_valid: Signal<In, Bit>,
    /// Half of the room for frames that are not routed yet is taken.
    pub crowded: Signal<Out, Bit>,
    /// Shares of the receive window that transmit does not offer: see [`RxPress`].
    pub pressed: Signal<Out, Bits<5>>,
    /// Frames of another connection or of none, or an insertion, wait for the octets that are
    /// routed: see [`RxBehind`].
    pub waiting: Signal<Out, Bit>,
    /// Octets in order, a frame a segment.
    pub tx: StreamSource<W, K>,
    /// Frames of no connection, whole.
    pub raw: StreamSource<W, K>,
    /// What goes with the next one.
    pub note: ItemSource<RawNote>,
    /// Pulse: every connection may have a challenge ACK again.
    pub renew: Signal<In, Bit>,
    /// The raw ring works on a frame, until it is written or dropped.
    pub ring_busy: Signal<In, Bit>,
    /// Pulses for counters, a bit each: see [`NetRx::COUNTED`].
    pub bad: Signal<Out, Bits<14>>,
    guard: RxGuard<W, K>,
    twin: Fork<W, K>,
    store: PacketFifo<W, K, A>,
    eth: EthRx<W, K>,
    ip: IpRx<W, K, LN, NB>,
    meet: RxMeet,
    find: RxFind<HA>,
    setup: RxSetup<C>,
    decide: RxDecide<C, NC>,
    // 32 of each; a store of 2^12 beats holds more short frames, which then wait for these
    facts: Queue<TxFact, 5>,
    ctls: Queue<RxCtl, 2>,
    announces: Stock<RxAnnounce, 5>,
    jobs: Queue<RxJob, 5>,
    /// A place for each connection.
    undos: Stock<RxUndo, C>,
    route: RxRoute<W, K, RA>,
    fence: RxFence,
    behind: RxBehind,
    press: RxPress<A>,
    announce: Signal<Local, RxAnnounce>,
    announced_now: Signal<Local, RxAnnounce>,
    undo: Signal<Local, RxUndo>,
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const NB: usize,
        const C: usize,
        const NC: usize,
        const HA: usize,
        const A: usize,
        const RA: usize,
    > NetRx<W, K, LN, NB, C, NC, HA, A, RA>
{
    /// What each bit of `bad` counts.
    pub const COUNTED: [&'static str; 14] = [
        "fcs",
        "too_long",
        "no_room",
        "malformed",
        "ip_checksum",
        "tcp_checksum",
        "not_acceptable",
        "bad_ack",
        "gap",
        "challenge",
        "urgent",
        "raw_full",
        "strange",
        "raw_spared",
    ];

    /// A receive stage without connections: `window` octets of receive window.
    pub fn new(window: usize) -> Self {
        Self {
            guard: RxGuard::new(1 << A),
            store: PacketFifo::new(OnFull::Wait),
            eth: EthRx::new(),
            ip: IpRx::new(),
            meet: RxMeet::new(),
            find: RxFind::new(),
            setup: RxSetup::new(),
            decide: RxDecide::new(window),
            route: RxRoute::new(),
            fence: RxFence::new(),
            behind: RxBehind::new(),
            press: RxPress::new(),
            ..Default::default()
        }
    }
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const NB: usize,
        const C: usize,
        const NC: usize,
        const HA: usize,
        const A: usize,
        const RA: usize,
    > Logic for NetRx<W, K, LN, NB, C, NC, HA, A, RA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, guard, twin, store, eth, ip, meet, find, setup, decide);
        clock!(self, clock, facts, ctls, announces, jobs, undos, route, fence, behind, press);
        self.guard.reset.next = self.reset.val();
        self.twin.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.eth.reset.next = self.reset.val();
        self.ip.reset.next = self.reset.val();
        self.meet.reset.next = self.reset.val();
        self.find.reset.next = self.reset.val();
        self.setup.reset.next = self.reset.val();
        self.decide.reset.next = self.reset.val();
        self.facts.reset.next = self.reset.val();
        self.ctls.reset.next = self.reset.val();
        self.announces.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        self.undos.reset.next = self.reset.val();
        self.route.reset.next = self.reset.val();
        self.fence.reset.next = self.reset.val();
        self.behind.reset.next = self.reset.val();
        self.press.reset.next = self.reset.val();

        // A copy is stored, the other one read.
        StreamSink::<W, K>::link(&mut self.rx, &mut self.guard.rx);
        StreamSource::<W, K>::join(&mut self.guard.tx, &mut self.twin.rx);
        StreamSource::<W, K>::join(&mut self.twin.left, &mut self.store.rx);
        self.store.discard.next = false;
        StreamSource::<W, K>::join(&mut self.twin.right, &mut self.eth.rx);
        StreamSource::<W, K>::join(&mut self.eth.tx, &mut self.ip.rx);
        self.meet.frame.next = self.eth.frame.val();
        self.meet.frame_valid.next = self.eth.frame_valid.val();
        self.eth.frame_take.next = self.meet.frame_take.val();
        self.meet.packet.next = self.ip.packet.val();
        self.meet.packet_valid.next = self.ip.packet_valid.val();
        self.ip.packet_take.next = self.meet.packet_take.val();

        // Whose it is.
        self.find.secret.next = self.secret.val();
        self.find.segment.next = self.meet.segment.val();
        self.find.key.next = self.meet.key.val();
        self.find.valid.next = self.meet.valid.val();
        self.meet.take.next = self.find.take.val();
        self.setup.ins_qp.next = self.ins_qp.val();
        self.setup.ins_row.next = self.ins_row.val();
        self.setup.ins_valid.next = self.ins_valid.val();
        self.ins_ready.next = self.setup.ins_ready.val();
        self.setup.rem_qp.next = self.rem_qp.val();
        self.setup.rem_valid.next = self.rem_valid.val();
        self.rem_ready.next = self.setup.rem_ready.val();
        self.code.next = self.setup.code.val();
        UpdateSource::<289, 12>::join(&mut self.setup.change, &mut self.find.change);
        AnswerSource::join(&mut self.find.answer, &mut self.setup.answer);

        // What becomes of it.
        self.decide.segment.next = self.find.found.val();
        self.decide.hit.next = self.find.hit.val();
        self.decide.owner.next = self.find.owner.val();
        self.decide.valid.next = self.find.found_valid.val();
        self.find.found_take.next = self.decide.take.val();
        self.decide.row_qp.next = self.setup.row_qp.val();
        self.decide.row.next = self.setup.row.val();
        self.decide.row_sent.next = self.setup.row_sent.val();
        self.decide.row_vid.next = self.setup.vid.val();
        self.decide.tag_qp.next = self.ins_qp.val();
        self.decide.tag_valid.next = self.tag_valid.val() && self.tag_ready.val();
        self.decide.row_valid.next = self.setup.row_valid.val();
        self.setup.row_ready.next = self.decide.row_ready.val();
        self.decide.look_qp.next = self.look_qp.val();
        self.decide.look_valid.next = self.look_valid.val();
        self.look_ready.next = self.decide.look_ready.val();
        self.seen.next = self.decide.seen.val();
        self.decide.told.item.next = self.told.item.val();
        self.decide.told.valid.next = self.told.valid.val();
        self.told.ready.next = self.decide.told.ready.val();
        self.undo.next.qp = bit_cast::<8, C>(self.undo_conn.val());
        self.undo.next.due = self.undo_due.val();
        self.undos.rx.item.next = self.undo.val();
        self.undos.rx.valid.next = self.undo_valid.val();
        self.decide.undo.item.next = self.undos.tx.item.val();
        self.decide.undo.valid.next = self.undos.tx.valid.val();
        self.undos.tx.ready.next = self.decide.undo.ready.val();
        self.crowded.next = self.store.crowded.val();
        self.press.level.next = self.store.beats.val();
        self.press.full.next = self.store.is_full.val();
        self.press.under.next = self.fence.count.val();
        self.pressed.next = self.press.pressed.val();
        self.decide.pub_qp.next = self.pub_qp.val();
        self.decide.pub_snd_nxt.next = self.pub_snd_nxt.val();
        self.decide.pub_valid.next = self.pub_valid.val();
        self.decide.renew.next = self.renew.val();
        self.scrubbed.next = self.find.ready.val() && self.decide.scrubbed.val();
        self.decide.room.next = self.facts.rx.ready.val()
            && self.ctls.rx.ready.val()
            && self.announces.rx.ready.val()
            && self.jobs.rx.ready.val();
        self.facts.rx.item.next = self.decide.fact.val();
        self.facts.rx.valid.next = self.decide.fact_valid.val();
        self.fact.item.next = self.facts.tx.item.val();
        self.fact.valid.next = self.facts.tx.valid.val();
        self.facts.tx.ready.next = self.fact.ready.val();
        self.ctls.rx.item.next = self.decide.ctl.val();
        self.ctls.rx.valid.next = self.decide.ctl_valid.val();
        self.ctl.item.next = self.ctls.tx.item.val();
        self.ctl.valid.next = self.ctls.tx.valid.val();
        self.ctls.tx.ready.next = self.ctl.ready.val();
        self.announced_now.next = self.decide.announce.val();
        self.announces.rx.item.next = self.decide.announce.val();
        self.announces.rx.valid.next = self.decide.announce_valid.val();
        self.announced.next = self.decide.announce_valid.val();
        self.announce.next = self.announces.tx.item.val();
        self.seg_conn.next = bit_cast::<C, 8>(self.announce.val().qp);
        self.seg_seq.next = self.announce.val().seq;
        self.seg_empty.next = self.announce.val().is_empty;
        self.seg_end.next = self.announce.val().ends;
        self.seg_side.next = self.announce.val().side;
        self.seg_late.next = self.announce.val().late;
        self.seg_valid.next = self.announces.tx.valid.val();
        self.announces.tx.ready.next = self.seg_ready.val();
        self.jobs.rx.item.next = self.decide.job.val();
        self.jobs.rx.valid.next = self.decide.job_valid.val();

        // It becomes that.
        StreamSource::<W, K>::join(&mut self.store.tx, &mut self.route.rx);
        self.route.job.next = self.jobs.tx.item.val();
        self.route.job_valid.next = self.jobs.tx.valid.val();
        self.jobs.tx.ready.next = self.route.job_take.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.route.tx);
        StreamSource::<W, K>::link(&mut self.raw, &mut self.route.raw);
        self.note.item.next = self.route.note.val();
        self.note.valid.next = self.route.note_valid.val();
        self.route.note_ready.next = self.note.ready.val();

        // What was on its way when a connection became visible.
        self.fence.looked.next = self.meet.valid.val() && self.find.take.val();
        self.fence.routed.next = self.route.job_take.val();
        self.fence.kept.next = self.route.raw_kept.val();
        self.fence.given.next = self.route.raw_given.val();
        self.fence.busy.next = self.ring_busy.val();
        self.fence.start.next = self.setup.visible.val();
        self.setup.settled.next = self.fence.settled.val();
        self.behind.what.next = self.decide.job.val();
        self.behind.qp.next = self.announced_now.val().qp;
        self.behind.given.next = self.decide.job_valid.val();
        self.behind.empty.next = self.fence.none.val();
        self.behind.room.next = self.jobs.rx.ready.val() && self.announces.rx.ready.val();
        self.behind.ordered.next = self.fence.ordered.val();
        self.waiting.next = self.behind.waiting.val();

        self.bad.next = bit_cast::<14, 1>(self.guard.fcs.val().into())
            | (bit_cast::<14, 1>(self.guard.long.val().into()) << 1)
            | (bit_cast::<14, 1>(self.guard.full.val().into()) << 2)
            | (bit_cast::<14, 3>(self.meet.faults.val()) << 3)
            | (bit_cast::<14, 5>(self.decide.events.val().get_bits::<5>(0)) << 6)
            | (bit_cast::<14, 1>(self.route.raw_full.val().into()) << 11)
            | (bit_cast::<14, 1>(self.decide.events.val().get_bit(5).into()) << 12)
            | (bit_cast::<14, 1>(self.route.raw_spared.val().into()) << 13);
    }
}
