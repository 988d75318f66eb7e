// SPDX-License-Identifier: MIT OR Apache-2.0
//! One decision a segment: row read, judged, written, and told to all whom it concerns.
use super::rx_judge::RxJudge;
use super::rx_record::{job, RxAnnounce, RxDistance, RxJob, RxOwner, RxRow, RxSegment, RxUndo, RxVerdict};
use crate::cell::BlankRam;
use crate::gen::consts::raw_reason;
use crate::prelude::*;
use crate::record::{ctl_kind, RxCtl, RxSeen, RxTold, TxFact};
use crate::stream::{ItemSink, ItemSource, Pump};

/// Where the segment in work stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    /// The next one is taken; its row is read.
    Idle,
    /// The row is there: distances.
    Measure,
    /// Distances are there: verdict.
    Judge,
    /// Verdict is there: it is carried out when all queues have room.
    Act,
    /// The row that was asked for is there.
    Show,
}

/// Owner of the rows: writes the column of receive, and holds the copy of SND.NXT that transmit
/// publishes (D12). `C` = log2 of the connections, `NC` = `2^C`. Octets of a queue pair in error
/// are announced like any others: it is drained.
///
/// One segment at a time, four cycles each, so that the next one of the same connection finds the
/// row written; the shortest frame takes eight beats at 64 bits. Facts, events, announcements and
/// jobs leave through queues of their own, each in the order of the segments. While one of them is
/// full, no decision is made. What firmware tells of a connection takes its turn among the segments
/// and has no frame. A cut of MPA's does so too, before all else: what was cut under a row is
/// undone before that row is written anew. A connection has one challenge ACK between two pulses of
/// `renew` (RFC 5961 section 7).
///
/// A segment to a group of stations is nobody's, and one of a connection that has another VLAN is
/// not the connection's: both are dropped and counted (RFC 1122 section 3.3.6).
#[block(clock)]
pub struct RxDecide<const C: usize, const NC: usize> {
    /// Synchronous reset; the rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// The scrub is over.
    pub scrubbed: Signal<Out, Bit>,
    /// Frames, their headers read.
    pub segment: ItemSink<RxSegment>,
    /// With `segment`: its 4-tuple is in the table.
    pub hit: Signal<In, Bit>,
    /// With `hit`: under this connection.
    pub owner: Signal<In, RxOwner>,
    /// Connection whose row set-up writes.
    pub row_qp: Signal<In, Bits<C>>,
    /// The row.
    pub row: Signal<In, RxRow>,
    /// Its VLAN, as in [`RxSegment`].
    pub row_vid: Signal<In, Bits<12>>,
    /// Connection whose VLAN becomes `row_vid`.
    pub tag_qp: Signal<In, Bits<C>>,
    /// It does in this cycle.
    pub tag_valid: Signal<In, Bit>,
    /// Its SND.NXT.
    pub row_sent: Signal<In, Bits<32>>,
    /// The row is offered until `row_ready`.
    pub row_valid: Signal<In, Bit>,
    /// The row is written in this cycle.
    pub row_ready: Signal<Out, Bit>,
    /// Connections whose row is asked for; taken in the cycle of the answer.
    pub look: ItemSink<Bits<C>>,
    /// The answer, in the cycle in which `look` is taken.
    pub seen: Signal<Out, RxSeen>,
    /// What firmware saw of a connection.
    pub told: ItemSink<RxTold>,
    /// What MPA has cut.
    pub undo: ItemSink<RxUndo>,
    /// Connection that sends.
    pub pub_qp: Signal<In, Bits<C>>,
    /// Its SND.NXT.
    pub pub_snd_nxt: Signal<In, Bits<32>>,
    /// Both are there in this cycle.
    pub pub_valid: Signal<In, Bit>,
    /// Pulse: every connection may have a challenge ACK again.
    pub renew: Signal<In, Bit>,
    /// For transmit. A decision is made when all four that follow are `ready`.
    pub fact: ItemSource<TxFact>,
    /// For the connection's owner.
    pub ctl: ItemSource<RxCtl>,
    /// For MPA: the octets in order that a job brings.
    pub announce: ItemSource<RxAnnounce>,
    /// For the frame.
    pub job: ItemSource<RxJob>,
    /// Pulses: not acceptable, impossible ACK or none, beyond a gap, challenge ACK, urgent pointer,
    /// strange.
    pub events: Signal<Out, Bits<6>>,
    pump: Pump<Step, 5, C>,
    // never read in the cycle of a write: those are steps of their own
    rows: BlankRam<RxRow, C>,
    /// SND.NXT of the connections, of meaning where there is a row.
    sent: LutRam<Bits<32>, C>,
    sent_q: Flop<Bits<32>>,
    /// VLANs of the connections.
    vids: LutRam<Bits<12>, C>,
    judge: RxJudge,
    seg: Flop<RxSegment>,
    known: Flop<Bit>,
    own: Flop<RxOwner>,
    /// No frame: firmware's word, or a cut.
    by_told: Reg<Bit>,
    /// A cut.
    undone: Flop<Bit>,
    word: Flop<RxTold>,
    distance: Flop<RxDistance>,
    /// The segment has another VLAN than its connection.
    elsewhere: Flop<Bit>,
    verdict: Flop<RxVerdict>,
    after: Flop<RxRow>,
    /// Connections that had a challenge ACK since the last `renew`.
    spent: Reg<Bits<NC>>,
    /// What firmware tells: no frame, and an ACK without octets.
    blank: Const<RxSegment>,
    heard: Signal<Local, RxSegment>,
    whose: Signal<Local, RxOwner>,
    s: Signal<Local, RxSegment>,
    now: Signal<Local, RxRow>,
    d: Signal<Local, RxDistance>,
    v: Signal<Local, RxVerdict>,
    challenges: Signal<Local, Bit>,
    reason: Signal<Local, Bits<8>>,
}

impl<const C: usize, const NC: usize> RxDecide<C, NC> {
    /// No connections; `window` octets of receive window.
    pub fn new(window: usize) -> Self {
        assert!(NC == 1 << C && C <= 8);
        Self {
            pump: Pump::new([Step::Measure, Step::Idle, Step::Show, Step::Measure, Step::Measure]),
            judge: RxJudge::new(window),
            blank: Const::new(RxSegment { has_ack: true, ..Default::default() }),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for RxDecide<C, NC> {
    fn update(&mut self) {
        regs!(by_told, spent);
        flops!(seg, known, own, word, distance, verdict, after, elsewhere, undone, sent_q);
        parts!(pump, rows);
        clocked!(sent, vids);
        self.scrubbed.next = self.rows.ready.val();

        // Idle: cuts, then set-up go first, since they come seldom. A row is written in this cycle.
        let rests: Bit = (self.pump.kind.val() == Step::Idle) && self.rows.ready.val();
        self.pump.free.next = rests;
        self.pump.then.next = self.pump.kind.val();
        self.pump.rx[0].item.next = bit_cast::<C, 8>(self.undo.item.val().qp);
        self.pump.rx[0].valid.next = self.undo.valid.val();
        self.pump.rx[1].item.next = self.row_qp.val();
        self.pump.rx[1].valid.next = self.row_valid.val();
        self.pump.rx[2].item.next = self.look.item.val();
        self.pump.rx[2].valid.next = self.look.valid.val();
        self.pump.rx[3].item.next = bit_cast::<C, 8>(self.told.item.val().qp);
        self.pump.rx[3].valid.next = self.told.valid.val();
        self.pump.rx[4].item.next = bit_cast::<C, 8>(self.owner.val().qp);
        self.pump.rx[4].valid.next = self.segment.valid.val();
        self.undo.ready.next = self.pump.rx[0].ready.val();
        self.row_ready.next = self.pump.rx[1].ready.val() && !self.pub_valid.val();
        self.look.ready.next = self.pump.kind.val() == Step::Show;
        // straight from state: `ready` of a stage's port waits for no `valid`
        self.told.ready.next =
            rests && !self.undo.valid.val() && !self.row_valid.val() && !self.look.valid.val();
        self.segment.ready.next = self.pump.rx[4].ready.val();
        self.rows.read_enable.next = self.pump.read_enable.val() && !self.pump.rx[1].ready.val();
        self.rows.read_address.next = self.pump.read_address.val();
        self.sent.read_address.next = self.pump.read_address.val();
        if rests {
            self.sent_q.d.next = self.sent.read_data.val();
        }
        self.heard.next = self.blank.val();
        self.heard.next.seq = self.told.item.val().seq;
        self.heard.next.ack = self.told.item.val().ack;
        self.whose.next.qp = self.told.item.val().qp;
        self.whose.next.age = 0.into();
        if self.undo.valid.val() {
            self.heard.next.seq = self.undo.item.val().due;
            self.whose.next.qp = self.undo.item.val().qp;
        }

        // Measure
        self.s.next = self.seg.q.val();
        self.now.next = self.rows.word.val();
        self.now.next.is_valid = self.rows.live.val() && self.rows.word.val().is_valid;
        let wide: Bits<32> = bit_cast::<32, 16>(self.s.val().window);
        self.d.next.seq = self.s.val().seq - self.now.val().rcv_nxt;
        self.d.next.ack = self.s.val().ack - self.now.val().una;
        self.d.next.flight = self.sent_q.q.val() - self.now.val().una;
        self.d.next.wl1 = self.s.val().seq - self.now.val().wl1;
        self.d.next.wl2 = self.s.val().ack - self.now.val().wl2;
        self.d.next.window = wide << bit_cast::<32, 4>(self.now.val().scale);
        if self.by_told.q.val() {
            self.d.next.window = self.word.q.val().window;
        }
        self.d.next.length = (bit_cast::<32, 16>(self.s.val().octets)
            + bit_cast::<32, 1>(self.s.val().has_fin.into()))
            + bit_cast::<32, 1>(self.s.val().has_syn.into());

        self.seen.next.is_valid = self.now.val().is_valid;
        self.seen.next.rcv_nxt = self.now.val().rcv_nxt;
        self.seen.next.wl1 = self.now.val().wl1;
        self.seen.next.wl2 = self.now.val().wl2;
        self.seen.next.snd_nxt = self.sent_q.q.val();

        // Judge: the row stays on the RAM's output until the next one is read.
        self.judge.segment.next = self.seg.q.val();
        self.judge.row.next = self.now.val();
        self.judge.distance.next = self.distance.q.val();
        self.judge.told.next = self.by_told.q.val();
        self.judge.undo.next = self.undone.q.val();

        // Act
        self.v.next = self.verdict.q.val();
        let is_tcp: Bit = !self.s.val().bad && !self.s.val().raw.any();
        let meets: Bit = is_tcp
            && self.known.q.val()
            && self.now.val().is_valid
            && (self.by_told.q.val() || (self.now.val().age == self.own.q.val().age));
        let strange: Bit =
            (is_tcp && self.s.val().to_group) || (meets && self.elsewhere.q.val() && !self.by_told.q.val());
        let ours: Bit = meets && !strange;
        let room: Bit = self.fact.ready.val()
            && self.ctl.ready.val()
            && self.announce.ready.val()
            && self.job.ready.val();
        let acts: Bit = (self.pump.kind.val() == Step::Act) && room;
        self.challenges.next = self.v.val().challenge
            && !self.spent.q.val().get_bit(self.pump.row.val().index())
            && !(self.by_told.q.val() && self.word.q.val().ack_now);
        self.fact.item.next.qp = self.own.q.val().qp;
        self.fact.item.next.has_ack = self.v.val().has_ack;
        self.fact.item.next.ack = self.s.val().ack;
        self.fact.item.next.has_window = self.v.val().has_window;
        self.fact.item.next.window = self.distance.q.val().window;
        self.fact.item.next.ack_now = self.v.val().ack_now
            || self.challenges.val()
            || (self.by_told.q.val() && self.word.q.val().ack_now);
        self.fact.item.next.is_dup = self.v.val().is_dup;
        self.fact.valid.next = acts
            && ours
            && (self.v.val().has_ack
                || self.v.val().has_window
                || self.v.val().ack_now
                || self.challenges.val()
                || (self.by_told.q.val() && self.word.q.val().ack_now)
                || self.v.val().is_dup);
        self.ctl.item.next.qp = self.own.q.val().qp;
        self.ctl.item.next.kind = lit::<3>(ctl_kind::RST);
        self.ctl.valid.next = acts && ours && self.v.val().reset;
        self.announce.item.next.qp = self.own.q.val().qp;
        self.announce.item.next.seq = self.now.val().rcv_nxt;
        self.announce.item.next.is_empty = !self.v.val().octets.any();
        self.announce.item.next.ends = self.v.val().fin;
        self.announce.item.next.side = self.now.val().side;
        self.announce.item.next.late = self.v.val().late;
        self.announce.valid.next = acts && ours && (self.v.val().in_order || self.v.val().late);
        self.reason.next = self.s.val().raw;
        if is_tcp {
            self.reason.next = raw_reason::no_connection().val();
        }
        self.job.item.next.note = bit_cast::<25, 16>(self.s.val().frame)
            | (bit_cast::<25, 8>(self.reason.val()) << 16)
            | (bit_cast::<25, 1>(self.s.val().is_low.into()) << 24);
        self.job.item.next.skip = self.s.val().head + self.v.val().trim;
        self.job.item.next.octets = bit_cast::<17, 16>(self.v.val().octets);
        self.job.item.next.kind = lit::<2>(job::DROP);
        if ours {
            if self.v.val().in_order && self.v.val().octets.any() {
                self.job.item.next.kind = lit::<2>(job::OCTETS);
            }
        } else if !self.s.val().bad && !strange {
            self.job.item.next.kind = lit::<2>(job::RAW);
        }
        self.job.valid.next = acts && !self.by_told.q.val();
        self.events.next = 0.into();
        if acts && ours {
            self.events.next = bit_cast::<6, 1>(self.v.val().outside.into())
                | (bit_cast::<6, 1>(self.v.val().bad_ack.into()) << 1)
                | (bit_cast::<6, 1>(self.v.val().gap.into()) << 2)
                | (bit_cast::<6, 1>(self.challenges.val().into()) << 3)
                | (bit_cast::<6, 1>(self.s.val().has_urg.into()) << 4);
        }
        if acts && strange {
            self.events.next = lit::<6>(1 << 5);
        }

        // Columns
        self.rows.write_enable.next = acts && ours;
        self.rows.write_address.next = self.pump.row.val();
        self.rows.write_data.next = self.after.q.val();
        self.sent.write_enable.next = self.pub_valid.val();
        self.sent.write_address.next = self.pub_qp.val();
        self.sent.write_data.next = self.pub_snd_nxt.val();
        self.vids.read_address.next = self.pump.row.val();
        self.vids.write_enable.next = self.tag_valid.val();
        self.vids.write_address.next = self.tag_qp.val();
        self.vids.write_data.next = self.row_vid.val();
        if self.pump.rx[1].ready.val() && !self.pub_valid.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.row_qp.val();
            self.rows.write_data.next = self.row.val();
            self.sent.write_enable.next = true;
            self.sent.write_address.next = self.row_qp.val();
            self.sent.write_data.next = self.row_sent.val();
            self.vids.write_enable.next = true;
            self.vids.write_address.next = self.row_qp.val();
        }

        if acts && ours && self.challenges.val() {
            self.spent.d.next = self.spent.q.val().replace_bit(self.pump.row.val().index(), true);
        }
        if self.renew.val() {
            self.spent.d.next = 0.into();
        }

        match self.pump.kind.val() {
            Step::Idle => {
                self.seg.d.next = self.segment.item.val();
                self.known.d.next = self.hit.val();
                self.own.d.next = self.owner.val();
                self.by_told.d.next = self.pump.rx[0].ready.val() || self.pump.rx[3].ready.val();
                self.word.d.next = self.told.item.val();
                self.undone.d.next = self.pump.rx[0].ready.val();
                if self.pump.rx[0].ready.val() || self.pump.rx[3].ready.val() {
                    self.seg.d.next = self.heard.val();
                    self.known.d.next = true;
                    self.own.d.next = self.whose.val();
                }
            }
            Step::Measure => {
                self.distance.d.next = self.d.val();
                self.elsewhere.d.next = self.s.val().vid != self.vids.read_data.val();
                self.pump.then.next = Step::Judge;
            }
            Step::Judge => {
                self.verdict.d.next = self.judge.verdict.val();
                self.after.d.next = self.judge.after.val();
                self.pump.then.next = Step::Act;
            }
            Step::Act => {
                if acts {
                    self.pump.then.next = Step::Idle;
                }
            }
            Step::Show => {
                self.pump.then.next = Step::Idle;
            }
            _ => {}
        }
    }
}
