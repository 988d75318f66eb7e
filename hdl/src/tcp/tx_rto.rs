// SPDX-License-Identifier: MIT OR Apache-2.0
//! The retransmission timer of each connection.
mod steps;

use crate::gen::consts::wc_status;
use crate::prelude::*;
use crate::record::Fault;
use crate::stream::{ItemSource, Pump};
use crate::tcp::tx_dups::TxDups;
use crate::tcp::tx_rest::TxRest;
use crate::tcp::tx_row::{RtoRow, RtoWish, RttNews, TxSetup};
use crate::tcp::tx_rtt::TxRtt;
use crate::tcp::tx_walk::TxWalk;

/// Why a timer has something to tell, as numbers in the emitted Verilog.
pub mod timer_kind {
    /// The timer of retransmission has expired: what is not acknowledged leaves again.
    pub const EXPIRY: usize = 0;
    /// The third duplicate ACK has come: the same.
    pub const DUPLICATES: usize = 1;
    /// A probe: of a lost tail, which is the same once more, of the peer's window, or of its life.
    pub const PROBE: usize = 2;
}

/// What happens to a row, the most urgent first.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Event {
    /// Nothing.
    None,
    /// Set-up.
    Set,
    /// SND.NXT moves.
    Next,
    /// Octets leave again.
    Again,
    /// SND.UNA moves.
    Una,
    /// A duplicate ACK has come.
    Dup,
    /// The peer has given a sign of life.
    Alive,
    /// Octets wait for the peer's window.
    Stall,
    /// The estimator has a new wait.
    Wait,
    /// A reader asks for the wait.
    Look,
    /// The walker looks at the deadline.
    Walk,
}

/// One timer a connection (RFC 6298 section 5): it runs while octets are unacknowledged, begins
/// anew when SND.UNA moves, and waits twice as long after each expiry, up to a minute. A fresh
/// measurement of the round trip alone makes the wait short again ([`TxRtt`]). Expiry number
/// `retry_limit` in a row, nothing acknowledged between, is the connection's last: it is reported
/// once, and its timer stays silent until it is set up again.
///
/// A round trip is measured from a segment that leaves for the first time, one at a time. Whatever
/// makes octets leave again ends the measurement, and none begins before these octets leave.
///
/// The third duplicate ACK is as good as an expiry ([`TxDups`]), but for the wait and the expiries
/// in a row, which stay. The deadline moves on by the wait, and once more when the first octet
/// leaves again.
///
/// **Probe of a lost tail** (RFC 8985 section 7). A peer tells of no loss if nothing arrives behind
/// what was lost. If SND.UNA moves and more octets stay in flight than a segment has, the deadline
/// is that of a probe ([`TxRtt`]). The same holds behind three duplicates, since what leaves again
/// may be lost, too. Behind a probe all octets from SND.UNA on leave again, and the timer waits its
/// whole wait. The next probe needs a measurement, so that probes of a path that has become longer
/// do not prevent each one. A single segment has no probe, since a peer may delay its ACK.
///
/// **Persist** (RFC 9293 section 3.8.6.1). If nothing is unacknowledged and octets wait for the
/// peer's window, the timer runs, too. Its expiry asks for a probe. The answer, whatever it says of
/// the window, makes the octets try again. A refusal then tells that the peer lives: probes go on
/// for as long as it answers, each wait twice as long as the one before. When octets leave at last,
/// the estimator tells the wait again.
///
/// **Rest.** If nothing is unacknowledged and nothing waits, the timer waits once more. Then it is
/// told that the connection has rested, and parts of the keepalive time are counted, see
/// [`TxRest`]. A sign of life begins that time anew.
///
/// Owner of the timer column. One event a cycle is chosen and changes its row in the next: set-up,
/// SND.NXT, then SND.UNA or a duplicate, which waits a cycle for it, then a sign of life, a
/// refusal, the estimator, a look, the walker. The walker visits all connections after each unit,
/// each in two cycles, so an expiry is at most `2^C` times two free cycles late; a wait has up to
/// one unit more than it says, since it begins between two. While a report or a probe waits, the
/// walker does.
///
/// **Delayed ACKs** have the same walk: it tells [`super::tx_ack::TxAck`] each connection that it
/// visits, and waits until that has looked.
#[block(clock)]
pub struct TxRto<const C: usize, const NC: usize> {
    /// Synchronous reset; the column is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// With this SND.UNA and SND.NXT.
    pub set: Signal<In, TxSetup>,
    /// In this cycle; not while the column is scrubbed.
    pub set_valid: Signal<In, Bit>,
    /// Connection whose SND.NXT moves.
    pub nxt_qp: Signal<In, Bits<C>>,
    /// To this value.
    pub nxt: Signal<In, Bits<32>>,
    /// Pulse; not together with a set-up.
    pub nxt_valid: Signal<In, Bit>,
    /// Pulse: octets of `nxt_qp` leave again instead; not together with a set-up.
    pub again_valid: Signal<In, Bit>,
    /// Connection whose SND.UNA moves.
    pub una_qp: Signal<In, Bits<C>>,
    /// To this value.
    pub una: Signal<In, Bits<32>>,
    /// Pulse, at most one in two cycles, `dup_valid` counted.
    pub una_valid: Signal<In, Bit>,
    /// Pulse: `una_qp` has a duplicate ACK instead.
    pub dup_valid: Signal<In, Bit>,
    /// Connection whose octets wait for the peer's window.
    pub stall_qp: Signal<In, Bits<C>>,
    /// Pulse; the next one comes when this one was taken.
    pub stall_valid: Signal<In, Bit>,
    /// Connection of whose peer something has come.
    pub alive_qp: Signal<In, Bits<C>>,
    /// Pulse: an ACK of nothing new. The next one comes when this one was taken.
    pub alive_valid: Signal<In, Bit>,
    /// Pulse: octets. Beside another sign of life that waits the pulse is lost.
    pub octets_valid: Signal<In, Bit>,
    /// Pulse: time moves on.
    pub tick: Signal<In, Bit>,
    /// Pulse: a walk is wanted at once.
    pub renew: Signal<In, Bit>,
    /// Connections that are visited; `ready` when the delayed ACK of the one before was looked at.
    pub visit: ItemSource<Bits<C>>,
    /// The columns may be used.
    pub scrubbed: Signal<Out, Bit>,
    /// Until then: row that is made blank.
    pub blank_row: Signal<Out, Bits<C>>,
    /// Units of 10 us so far, modulo 2^24.
    pub now: Signal<In, Bits<24>>,
    /// Units that a timer waits beyond SRTT, at least; 0: nothing expires.
    pub rto_min: Signal<In, Bits<16>>,
    /// Expiries in a row, of which the last one gives up, if the set-up says nothing else.
    pub retry_limit: Signal<In, Bits<8>>,
    /// Three duplicate ACKs make octets leave again.
    pub fast: Signal<In, Bit>,
    /// A probe does.
    pub tail: Signal<In, Bit>,
    /// A rest is told.
    pub restart: Signal<In, Bit>,
    /// Connections that send nothing any more: their timers are of no use.
    pub silent: Signal<In, Bits<NC>>,
    /// Connection whose unacknowledged octets have to leave again.
    pub rto_qp: Signal<Out, Bits<C>>,
    /// The timer has expired; otherwise there are three duplicate ACKs, or a probe's time is over.
    pub rto_timed: Signal<Out, Bit>,
    /// Pulse: octets of `rto_qp` have to leave again.
    pub rto_valid: Signal<Out, Bit>,
    /// Pulse, together with `rto_valid`: the congestion window shrinks. It does so once until
    /// SND.UNA comes to `recover`, or by the timer.
    pub loss_valid: Signal<Out, Bit>,
    /// With `loss_valid`, and without `rto_valid`: nothing is lost, but the connection has rested.
    pub loss_rested: Signal<Out, Bit>,
    /// Connection whose peer is to be asked for its window.
    pub probe: ItemSource<Bits<C>>,
    /// Pulse: a probe begins to be offered, for whose window octets wait.
    pub forces: Signal<Out, Bit>,
    /// Connection that is looked at.
    pub look_qp: Signal<In, Bits<C>>,
    /// It is; stays until `look_over`.
    pub look_valid: Signal<In, Bit>,
    /// What the timer waits is there.
    pub look_there: Signal<Out, Bit>,
    /// Pulse: the look is over.
    pub look_over: Signal<In, Bit>,
    /// Its SRTT in units of 10 us.
    pub srtt: Signal<Out, Bits<18>>,
    /// It has one.
    pub is_known: Signal<Out, Bit>,
    /// What its timer waits, in these units.
    pub waits_for: Signal<Out, Bits<23>>,
    /// Connection of which `timer_kind` tells.
    pub timer_qp: Signal<Out, Bits<C>>,
    /// One of [`timer_kind`].
    pub timer_kind: Signal<Out, Bits<2>>,
    /// Pulse: `timer_qp` and `timer_kind` are there.
    pub timer_valid: Signal<Out, Bit>,
    /// A connection is lost.
    pub lost: ItemSource<Fault>,

    rows: LutRam<RtoRow, C>,
    wishes: LutRam<RtoWish, C>,
    pump: Pump<Event, 10, C>,
    number: Flop<Bits<32>>,
    /// With `Set`: SND.UNA.
    from: Flop<Bits<32>>,
    /// With `Set`: the round trip of the handshake, and what its owner wants of the timer.
    rtt_of: Flop<Bits<16>>,
    wish_of: Flop<RtoWish>,
    /// An acknowledgment that waits.
    held: Reg<Bit>,
    /// It is a duplicate.
    held_dup: Flop<Bit>,
    held_qp: Flop<Bits<C>>,
    held_una: Flop<Bits<32>>,
    /// A refusal that waits.
    stalled: Reg<Bit>,
    stalled_qp: Flop<Bits<C>>,
    /// A sign of life that waits.
    alive: Reg<Bit>,
    alive_of: Flop<Bits<C>>,
    rest: TxRest,
    walk: TxWalk<C>,
    dups: TxDups<C>,
    rtt: TxRtt<C>,
    there: Reg<Bit>,
    /// A look was asked for in the cycle before.
    asked_at: Reg<Bit>,
    seen_srtt: Flop<Bits<18>>,
    seen_known: Flop<Bit>,
    waits: Flop<Bits<23>>,
    kind: Flop<Bits<2>>,
    fires: Reg<Bit>,
    probes: Reg<Bit>,
    probes_new: Reg<Bit>,
    probes_qp: Flop<Bits<C>>,
    fires_qp: Flop<Bits<C>>,
    fires_timed: Flop<Bit>,
    fires_first: Flop<Bit>,
    rested: Reg<Bit>,
    probes_life: Flop<Bit>,
    gone: Reg<Bit>,
    gone_qp: Flop<Bits<C>>,
    retry_exc: Const<Fault>,
    row: Signal<Local, RtoRow>,
    back: Signal<Local, RtoRow>,
    interval: Signal<Local, Bits<23>>,
    /// What a probe waits from now on.
    soon: Signal<Local, Bits<21>>,
    /// How long until the deadline.
    span: Signal<Local, Bits<23>>,
    ends_at: Signal<Local, Bits<24>>,
    /// The wait begins anew.
    anew: Signal<Local, Bit>,
    /// Bits of a number of octets that no segment has but one.
    beyond: Const<Bits<24>>,
    news: Signal<Local, RttNews>,
    wish: Signal<Local, RtoWish>,
    wants: Signal<Local, RtoWish>,
    asked: Signal<Local, RtoWish>,
    nxt_now: Signal<Local, Bits<32>>,
}

impl<const C: usize, const NC: usize> TxRto<C, NC> {
    /// No timer runs. A segment has at most `2^segment_log2` octets.
    pub fn new(segment_log2: usize) -> Self {
        use Event::*;
        Self {
            beyond: Const::of(0x100_0000 - (1 << segment_log2)),
            pump: Pump::new([Set, Next, Again, Una, Dup, Alive, Stall, Wait, Look, Walk]),
            rtt: TxRtt::new(),
            retry_exc: Fault::local(wc_status::retry_exc_err()),
            ..Default::default()
        }
    }
}
