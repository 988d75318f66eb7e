// SPDX-License-Identifier: MIT OR Apache-2.0
//! One decision a segment: row read, judged, written, and told to all whom it concerns.
use super::rx_judge::RxJudge;
use super::rx_record::{job, RxAnnounce, RxDistance, RxJob, RxOwner, RxRow, RxSegment, RxUndo, RxVerdict};
use crate::cell::{BlankRam, Const, Flop, LutRam, Reg};
use crate::gen::consts::raw_reason;
use crate::record::{ctl_kind, RxCtl, RxSeen, RxTold, TxFact};
use crate::stream::ItemSink;
use rust_hdl::prelude::*;

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
#[derive(LogicBlock, Default)]
pub struct RxDecide<const C: usize, const NC: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; the rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// The scrub is over.
    pub scrubbed: Signal<Out, Bit>,
    /// Frame, its headers read.
    pub segment: Signal<In, RxSegment>,
    /// Its 4-tuple is in the table.
    pub hit: Signal<In, Bit>,
    /// Under this connection.
    pub owner: Signal<In, RxOwner>,
    /// They are there.
    pub valid: Signal<In, Bit>,
    /// They are taken.
    pub take: Signal<Out, Bit>,
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
    /// Row offered.
    pub row_valid: Signal<In, Bit>,
    /// Row written.
    pub row_ready: Signal<Out, Bit>,
    /// Connection whose row is asked for.
    pub look_qp: Signal<In, Bits<C>>,
    /// Asked for.
    pub look_valid: Signal<In, Bit>,
    /// Answered.
    pub look_ready: Signal<Out, Bit>,
    /// The answer.
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
    /// Every reader of what follows has room for one more.
    pub room: Signal<In, Bit>,
    /// For transmit.
    pub fact: Signal<Out, TxFact>,
    /// It is given in this cycle.
    pub fact_valid: Signal<Out, Bit>,
    /// For the connection's owner.
    pub ctl: Signal<Out, RxCtl>,
    /// It is given in this cycle.
    pub ctl_valid: Signal<Out, Bit>,
    /// For MPA.
    pub announce: Signal<Out, RxAnnounce>,
    /// It is given in this cycle.
    pub announce_valid: Signal<Out, Bit>,
    /// For the frame.
    pub job: Signal<Out, RxJob>,
    /// It is given in this cycle.
    pub job_valid: Signal<Out, Bit>,
    /// Pulses: not acceptable, impossible ACK or none, beyond a gap, challenge ACK, urgent pointer,
    /// strange.
    pub events: Signal<Out, Bits<6>>,
    step: Reg<Step>,
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
    drop_kind: Const<Bits<2>>,
    raw_kind: Const<Bits<2>>,
    octets_kind: Const<Bits<2>>,
    no_connection: Const<Bits<8>>,
    reset_event: Const<Bits<3>>,
    odd: Const<Bits<6>>,
    go: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    undoes: Signal<Local, Bit>,
    hears: Signal<Local, Bit>,
    heard: Signal<Local, RxSegment>,
    whose: Signal<Local, RxOwner>,
    said: Signal<Local, RxSeen>,
    s: Signal<Local, RxSegment>,
    o: Signal<Local, RxOwner>,
    now: Signal<Local, RxRow>,
    wide: Signal<Local, Bits<32>>,
    d: Signal<Local, RxDistance>,
    v: Signal<Local, RxVerdict>,
    is_tcp: Signal<Local, Bit>,
    meets: Signal<Local, Bit>,
    strange: Signal<Local, Bit>,
    ours: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    own_at: Signal<Local, Bits<C>>,
    challenges: Signal<Local, Bit>,
    reason: Signal<Local, Bits<8>>,
    f: Signal<Local, TxFact>,
    e: Signal<Local, RxCtl>,
    a: Signal<Local, RxAnnounce>,
    j: Signal<Local, RxJob>,
    pulses: Signal<Local, Bits<6>>,
}

impl<const C: usize, const NC: usize> RxDecide<C, NC> {
    /// No connections; `window` octets of receive window.
    pub fn new(window: usize) -> Self {
        assert!(NC == 1 << C && C <= 8);
        Self {
            step: Reg::new(Step::Idle),
            judge: RxJudge::new(window),
            drop_kind: Const::of(job::DROP),
            raw_kind: Const::of(job::RAW),
            octets_kind: Const::of(job::OCTETS),
            no_connection: raw_reason::no_connection(),
            reset_event: Const::of(ctl_kind::RST),
            odd: Const::of(1 << 5),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize> Logic for RxDecide<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, seg, known, own, by_told, word, distance, verdict, after, spent);
        dff_setup!(self, clock, elsewhere, undone, sent_q);
        clock!(self, clock, rows, sent, vids);
        self.step.reset.next = self.reset.val();
        self.by_told.reset.next = self.reset.val();
        self.spent.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.scrubbed.next = self.rows.ready.val();

        // Idle: cuts, then set-up go first, since they come seldom.
        self.rests.next = (self.step.q.val() == Step::Idle) && self.rows.ready.val();
        self.idle.next = self.rests.val() && !self.undo.valid.val();
        self.undo.ready.next = self.rests.val();
        self.undoes.next = self.undo.valid.val() && self.rests.val();
        self.row_ready.next = self.idle.val() && !self.pub_valid.val();
        self.looks.next = self.idle.val() && self.look_valid.val() && !self.row_valid.val();
        self.go.next = self.idle.val()
            && self.valid.val()
            && !self.row_valid.val()
            && !self.look_valid.val()
            && !self.told.valid.val();
        self.take.next = self.go.val();
        self.told.ready.next = self.idle.val() && !self.row_valid.val() && !self.look_valid.val();
        self.hears.next =
            self.told.valid.val() && self.idle.val() && !self.row_valid.val() && !self.look_valid.val();
        self.heard.next.frame = 0.into();
        self.heard.next.raw = 0.into();
        self.heard.next.bad = false;
        self.heard.next.head = 0.into();
        self.heard.next.octets = 0.into();
        self.heard.next.seq = self.told.item.val().seq;
        self.heard.next.ack = self.told.item.val().ack;
        self.heard.next.window = 0.into();
        self.heard.next.has_fin = false;
        self.heard.next.has_syn = false;
        self.heard.next.has_rst = false;
        self.heard.next.has_ack = true;
        self.heard.next.has_urg = false;
        self.heard.next.vid = 0.into();
        self.heard.next.to_group = false;
        self.heard.next.is_low = false;
        self.whose.next.qp = self.told.item.val().qp;
        self.whose.next.age = 0.into();
        if self.undo.valid.val() {
            self.heard.next.seq = self.undo.item.val().due;
            self.whose.next.qp = self.undo.item.val().qp;
        }
        self.o.next = self.owner.val();
        self.rows.read_enable.next =
            self.go.val() || self.looks.val() || self.hears.val() || self.undoes.val();
        self.rows.read_address.next = bit_cast::<C, 8>(self.o.val().qp);
        self.sent.read_address.next = bit_cast::<C, 8>(self.o.val().qp);
        if self.hears.val() || self.undoes.val() {
            self.rows.read_address.next = bit_cast::<C, 8>(self.whose.val().qp);
            self.sent.read_address.next = bit_cast::<C, 8>(self.whose.val().qp);
        }
        if self.looks.val() {
            self.rows.read_address.next = self.look_qp.val();
            self.sent.read_address.next = self.look_qp.val();
        }
        if self.rests.val() {
            self.sent_q.d.next = self.sent.read_data.val();
        }
        self.look_ready.next = self.step.q.val() == Step::Show;

        // Measure
        self.s.next = self.seg.q.val();
        self.now.next = self.rows.word.val();
        self.now.next.is_valid = self.rows.live.val() && self.rows.word.val().is_valid;
        self.wide.next = bit_cast::<32, 16>(self.s.val().window);
        self.d.next.seq = self.s.val().seq - self.now.val().rcv_nxt;
        self.d.next.ack = self.s.val().ack - self.now.val().una;
        self.d.next.flight = self.sent_q.q.val() - self.now.val().una;
        self.d.next.wl1 = self.s.val().seq - self.now.val().wl1;
        self.d.next.wl2 = self.s.val().ack - self.now.val().wl2;
        self.d.next.window = self.wide.val() << bit_cast::<32, 4>(self.now.val().scale);
        if self.by_told.q.val() {
            self.d.next.window = self.word.q.val().window;
        }
        self.d.next.length = (bit_cast::<32, 16>(self.s.val().octets)
            + bit_cast::<32, 1>(self.s.val().has_fin.into()))
            + bit_cast::<32, 1>(self.s.val().has_syn.into());

        self.said.next.is_valid = self.now.val().is_valid;
        self.said.next.rcv_nxt = self.now.val().rcv_nxt;
        self.said.next.wl1 = self.now.val().wl1;
        self.said.next.wl2 = self.now.val().wl2;
        self.said.next.snd_nxt = self.sent_q.q.val();
        self.seen.next = self.said.val();

        // Judge: the row stays on the RAM's output until the next one is read.
        self.judge.segment.next = self.seg.q.val();
        self.judge.row.next = self.now.val();
        self.judge.distance.next = self.distance.q.val();
        self.judge.told.next = self.by_told.q.val();
        self.judge.undo.next = self.undone.q.val();

        // Act
        self.v.next = self.verdict.q.val();
        self.is_tcp.next = !self.s.val().bad && !self.s.val().raw.any();
        self.meets.next = self.is_tcp.val()
            && self.known.q.val()
            && self.now.val().is_valid
            && (self.by_told.q.val() || (self.now.val().age == self.own.q.val().age));
        self.strange.next = (self.is_tcp.val() && self.s.val().to_group)
            || (self.meets.val() && self.elsewhere.q.val() && !self.by_told.q.val());
        self.ours.next = self.meets.val() && !self.strange.val();
        self.acts.next = (self.step.q.val() == Step::Act) && self.room.val();
        // as its row is addressed: a number that no connection has names no bit beyond the last
        self.own_at.next = bit_cast::<C, 8>(self.own.q.val().qp);
        self.challenges.next = self.v.val().challenge
            && !self.spent.q.val().get_bit(self.own_at.val().index())
            && !(self.by_told.q.val() && self.word.q.val().ack_now);
        self.f.next.qp = self.own.q.val().qp;
        self.f.next.has_ack = self.v.val().has_ack;
        self.f.next.ack = self.s.val().ack;
        self.f.next.has_window = self.v.val().has_window;
        self.f.next.window = self.distance.q.val().window;
        self.f.next.ack_now = self.v.val().ack_now
            || self.challenges.val()
            || (self.by_told.q.val() && self.word.q.val().ack_now);
        self.f.next.is_dup = self.v.val().is_dup;
        self.fact.next = self.f.val();
        self.fact_valid.next = self.acts.val()
            && self.ours.val()
            && (self.v.val().has_ack
                || self.v.val().has_window
                || self.v.val().ack_now
                || self.challenges.val()
                || (self.by_told.q.val() && self.word.q.val().ack_now)
                || self.v.val().is_dup);
        self.e.next.qp = self.own.q.val().qp;
        self.e.next.kind = self.reset_event.val();
        self.ctl.next = self.e.val();
        self.ctl_valid.next = self.acts.val() && self.ours.val() && self.v.val().reset;
        self.a.next.qp = self.own.q.val().qp;
        self.a.next.seq = self.now.val().rcv_nxt;
        self.a.next.is_empty = !self.v.val().octets.any();
        self.a.next.ends = self.v.val().fin;
        self.a.next.side = self.now.val().side;
        self.a.next.late = self.v.val().late;
        self.announce.next = self.a.val();
        self.announce_valid.next =
            self.acts.val() && self.ours.val() && (self.v.val().in_order || self.v.val().late);
        self.reason.next = self.s.val().raw;
        if self.is_tcp.val() {
            self.reason.next = self.no_connection.val();
        }
        self.j.next.note = bit_cast::<25, 16>(self.s.val().frame)
            | (bit_cast::<25, 8>(self.reason.val()) << 16)
            | (bit_cast::<25, 1>(self.s.val().is_low.into()) << 24);
        self.j.next.skip = self.s.val().head + self.v.val().trim;
        self.j.next.octets = bit_cast::<17, 16>(self.v.val().octets);
        self.j.next.kind = self.drop_kind.val();
        if self.ours.val() {
            if self.v.val().in_order && self.v.val().octets.any() {
                self.j.next.kind = self.octets_kind.val();
            }
        } else if !self.s.val().bad && !self.strange.val() {
            self.j.next.kind = self.raw_kind.val();
        }
        self.job.next = self.j.val();
        self.job_valid.next = self.acts.val() && !self.by_told.q.val();
        self.pulses.next = bit_cast::<6, 1>(self.v.val().outside.into())
            | (bit_cast::<6, 1>(self.v.val().bad_ack.into()) << 1)
            | (bit_cast::<6, 1>(self.v.val().gap.into()) << 2)
            | (bit_cast::<6, 1>(self.challenges.val().into()) << 3)
            | (bit_cast::<6, 1>(self.s.val().has_urg.into()) << 4);
        self.events.next = 0.into();
        if self.acts.val() && self.ours.val() {
            self.events.next = self.pulses.val();
        }
        if self.acts.val() && self.strange.val() {
            self.events.next = self.odd.val();
        }

        // Columns
        self.rows.write_enable.next = self.acts.val() && self.ours.val();
        self.rows.write_address.next = bit_cast::<C, 8>(self.own.q.val().qp);
        self.rows.write_data.next = self.after.q.val();
        self.sent.write_enable.next = self.pub_valid.val();
        self.sent.write_address.next = self.pub_qp.val();
        self.sent.write_data.next = self.pub_snd_nxt.val();
        self.vids.read_address.next = self.own_at.val();
        self.vids.write_enable.next = self.tag_valid.val();
        self.vids.write_address.next = self.tag_qp.val();
        self.vids.write_data.next = self.row_vid.val();
        if self.row_valid.val() && self.idle.val() && !self.pub_valid.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.row_qp.val();
            self.rows.write_data.next = self.row.val();
            self.sent.write_enable.next = true;
            self.sent.write_address.next = self.row_qp.val();
            self.sent.write_data.next = self.row_sent.val();
            self.vids.write_enable.next = true;
            self.vids.write_address.next = self.row_qp.val();
        }

        if self.acts.val() && self.ours.val() && self.challenges.val() {
            self.spent.d.next = self.spent.q.val().replace_bit(self.own_at.val().index(), true);
        }
        if self.renew.val() {
            self.spent.d.next = 0.into();
        }

        match self.step.q.val() {
            Step::Idle => {
                self.seg.d.next = self.segment.val();
                self.known.d.next = self.hit.val();
                self.own.d.next = self.owner.val();
                self.by_told.d.next = false;
                self.word.d.next = self.told.item.val();
                self.undone.d.next = self.undoes.val();
                if self.hears.val() || self.undoes.val() {
                    self.seg.d.next = self.heard.val();
                    self.known.d.next = true;
                    self.own.d.next = self.whose.val();
                    self.by_told.d.next = true;
                    self.step.d.next = Step::Measure;
                }
                if self.go.val() {
                    self.step.d.next = Step::Measure;
                }
                if self.looks.val() {
                    self.step.d.next = Step::Show;
                }
            }
            Step::Measure => {
                self.distance.d.next = self.d.val();
                self.elsewhere.d.next = self.s.val().vid != self.vids.read_data.val();
                self.step.d.next = Step::Judge;
            }
            Step::Judge => {
                self.verdict.d.next = self.judge.verdict.val();
                self.after.d.next = self.judge.after.val();
                self.step.d.next = Step::Act;
            }
            Step::Act => {
                if self.acts.val() {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::Show => {
                self.step.d.next = Step::Idle;
            }
            _ => {}
        }
    }
}
