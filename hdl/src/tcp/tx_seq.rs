// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequence state: reservations, acknowledged octets, the window.
mod steps;

use super::tx_cc::{cc_news, Congestion, TxCc};
use super::tx_row::{SeqRow, TxSetup};
use super::tx_wake::TxWake;
use crate::cell::BlankRam;
use crate::prelude::*;
use crate::record::{Grant, Reserve, TxBack, TxCommand, TxFact, TxSeen, TxSized};
use crate::stream::{ItemSink, ItemSource, Pump, Queue};

/// What happens to a row, the most urgent first.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Event {
    /// Nothing.
    None,
    /// Set-up.
    Setup,
    /// The row is asked for.
    Look,
    /// The gate opens.
    Open,
    /// The persist timer has expired.
    Force,
    /// Room is given back.
    Back,
    /// Acknowledgment or window.
    Fact,
    /// A reservation is answered.
    Commit,
    /// The size of a reservation is asked for.
    Size,
}

/// Owner of the sequence column. One event at a time, three cycles each, so that a reservation and
/// the fact that opens the window never pass each other unseen.
///
/// **Reservation.** The size of an FPDU comes from the sizing block of MPA transmit, with its place
/// in the stream; then the row is read again. Octets are granted if they end within SND.WND and the
/// congestion window ([`TxCc`]), the gate is open and the queue pair is not in error. Raw octets
/// and FIN have their size with them; the gate does not count for them. Neither gate nor error
/// counts for FIN and what is `control`: only firmware writes those. Error does not count for the
/// rest of an FPDU that has begun, behind which alone a Terminate can be read.
///
/// **Replay.** Its place is that of the first time. Neither gate nor error count. If all of it is
/// acknowledged the answer is `skip`.
///
/// **Room given back.** A segment whose payload cannot be read never leaves, nor does what was
/// granted behind it: each gives its room back ([`TxBack`]), and the first one frees all of it.
/// From then on only Terminate and FIN are granted. When these are asked for, nothing else of the
/// connection is under way. The first of them has the place of the segment that could not be read:
/// `at` says where that is. A replay of what never left is `skip`.
///
/// **Wake-up.** A refusal sets `refused` in the row. The next fact, set-up, opening or room of that
/// connection clears it and wakes ([`TxWake`]).
///
/// **Update.** A set-up of a connection that lives opens the gate, changes EMSS, and wakes.
///
/// **Piece.** An FPDU longer than EMSS leaves in several segments (D2), all but the last of whole
/// words. Each grant says how many octets its segment has, and `ends` says whether the FPDU ends
/// there. `from` of the next reservation is what stands before. A replay gets no more than has left
/// (`bounded`). If the window does not hold an FPDU, but 512 octets, and nothing is in flight, an
/// expiry of the persist timer lets one segment have the words that the window holds. A smaller
/// window is as good as closed.
///
/// **Impossible** (`bad_res`) is an FPDU that MPA refuses, or a segment without octets: never
/// granted nor woken.
#[block(clock)]
pub struct TxSeq<const C: usize, const NC: usize> {
    /// Synchronous reset; the column is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// Its state.
    pub set: Signal<In, TxSetup>,
    /// A set-up is offered.
    pub set_valid: Signal<In, Bit>,
    /// It is taken.
    pub set_take: Signal<Out, Bit>,
    /// Connection whose gate opens.
    pub open_qp: Signal<In, Bits<C>>,
    /// Pulse, eight cycles behind the one before or later.
    pub open_valid: Signal<In, Bit>,
    /// Connection whose persist timer has expired.
    pub force_qp: Signal<In, Bits<C>>,
    /// Pulse. Beside another one that waits, or with a set-up, the pulse is lost: the next expiry
    /// counts.
    pub force_valid: Signal<In, Bit>,
    /// Connection whose row is asked for.
    pub look_qp: Signal<In, Bits<C>>,
    /// Asked for; not together with a set-up.
    pub look_valid: Signal<In, Bit>,
    /// The row is answered in this cycle.
    pub look_take: Signal<Out, Bit>,
    /// The answer, with `look_take`.
    pub seen: Signal<Out, TxSeen>,
    /// Acknowledgments and windows.
    pub fact: ItemSink<TxFact>,
    /// Octets of the stream that a segment wants. `ready` when the answer of the one before was
    /// taken.
    pub res: ItemSink<Reserve>,
    /// FPDU of which the size is asked for; with `size_valid`.
    pub size: Signal<Out, TxCommand>,
    /// Pulse: the size is asked for. One FPDU at a time, so `FpduSize` takes each at once.
    pub size_valid: Signal<Out, Bit>,
    /// The size. `FpduSize` of the stage's table answers.
    pub sized: ItemSink<TxSized>,
    /// Answer, one a reservation.
    pub grant: ItemSource<Grant>,
    /// Connection whose refused reservation may be tried again.
    pub wake_qp: Signal<Out, Bits<C>>,
    /// Pulse: `wake_qp` wakes.
    pub wake_valid: Signal<Out, Bit>,
    /// Connection of which a reservation was refused for nothing but the peer's window; not a
    /// replay.
    pub stall_qp: Signal<Out, Bits<C>>,
    /// Pulse: octets of `stall_qp` wait.
    pub stall_valid: Signal<Out, Bit>,
    /// Connection whose SND.UNA advanced, or that has a duplicate ACK.
    pub una_qp: Signal<Out, Bits<C>>,
    /// Octets acknowledged since the insert's SND.UNA.
    pub una_offset: Signal<Out, Bits<40>>,
    /// Its SND.UNA.
    pub una: Signal<Out, Bits<32>>,
    /// Pulse: SND.UNA moves.
    pub una_valid: Signal<Out, Bit>,
    /// Pulse: `una_qp` has a duplicate ACK, at the SND.UNA that was told last.
    pub dup_valid: Signal<Out, Bit>,
    /// Pulse: an impossible reservation.
    pub bad_res: Signal<Out, Bit>,
    /// Connections in error: nothing new but Terminate and FIN is granted.
    pub dead: Signal<In, Bits<NC>>,

    /// Congestion control bounds what is granted.
    pub congestion: Signal<In, Bit>,
    /// Duplicate ACKs count.
    pub fast: Signal<In, Bit>,
    /// Connection of which octets are lost.
    pub loss_qp: Signal<In, Bits<C>>,
    /// The retransmission timer says so, not duplicate ACKs.
    pub loss_timed: Signal<In, Bit>,
    /// None are lost, but it was idle.
    pub loss_rested: Signal<In, Bit>,
    /// Pulse: the three above are there.
    pub loss_valid: Signal<In, Bit>,

    /// Room of segments that never leave.
    pub back: ItemSink<TxBack>,

    // never read in the cycle of a write: those are steps of their own
    rows: BlankRam<SeqRow, C>,
    // an event takes three cycles, and pulses come eight apart: even behind a set-up and a look
    // none finds it full
    opens: Queue<Bits<C>, 2>,
    /// The persist timer of `force_at` has expired.
    forces: Reg<Bit>,
    force_at: Flop<Bits<C>>,
    cc: TxCc<C>,
    pump: Pump<Event, 8, C>,
    /// The third cycle of an event, behind the choice and the differences: decision and write.
    decides: Reg<Bit>,
    /// From the taking of a reservation to that of its answer.
    busy: Reg<Bit>,
    asked: Reg<Bit>,
    ask: Flop<Reserve>,
    /// Octets from SND.UNA to what is acknowledged, or to the segment.
    acked: Flop<Bits<32>>,
    need: Flop<Bits<32>>,
    /// Octets of the segment.
    piece: Flop<Bits<17>>,
    /// `piece` was made smaller than the rest of the FPDU, and stays.
    kept: Reg<Bit>,
    /// Octets of the FPDU that may leave follow in another segment.
    split: Reg<Bit>,
    /// The segment begins at SND.UNA.
    level: Flop<Bit>,
    place: Flop<Bits<32>>,
    /// Octets that are reserved, from SND.UNA on.
    span: Flop<Bits<32>>,
    given: Flop<Grant>,
    granted: Reg<Bit>,
    waker: TxWake<C>,
    advance: Reg<Bit>,
    doubled: Reg<Bit>,
    una_at: Flop<Bits<C>>,
    una_by: Flop<Bits<40>>,
    una_to: Flop<Bits<32>>,
    bad: Reg<Bit>,
    stall: Reg<Bit>,
    stall_of: Flop<Bits<C>>,
    row: Signal<Local, SeqRow>,
    after: Signal<Local, SeqRow>,
    asks: Signal<Local, Reserve>,
    total: Signal<Local, Bits<17>>,
    writes: Signal<Local, Bit>,
    /// Octets between SND.UNA and the segment's first one, less than 0 if that is acknowledged.
    ahead: Signal<Local, Bits<32>>,
    wakes: Signal<Local, Bit>,
    answer: Signal<Local, Grant>,
    said: Signal<Local, TxSeen>,
    /// Octets that the first two duplicate ACKs lend.
    loan: Flop<Bits<17>>,
    /// A set-up's EMSS is larger than the row's.
    grows: Flop<Bit>,
    /// Duplicates that lend.
    lent: Signal<Local, Bits<2>>,
    cc_set: Const<Bits<3>>,
    cc_ack: Const<Bits<3>>,
}

impl<const C: usize, const NC: usize> TxSeq<C, NC> {
    /// An idle block.
    pub fn new(congestion: Congestion) -> Self {
        use Event::*;
        Self {
            rows: BlankRam::block(),
            pump: Pump::new([Setup, Look, Open, Force, Back, Fact, Commit, Size]),
            cc: TxCc::new(congestion),
            cc_set: Const::of(cc_news::SET),
            cc_ack: Const::of(cc_news::ACK),
            ..Default::default()
        }
    }
}
