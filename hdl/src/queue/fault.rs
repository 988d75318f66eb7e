// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place that knows which queue pairs are in error.
mod steps;

use super::fault_row::{FaultTell, QpCqs};
use super::fault_words::FaultWords;
use crate::cell::{BlankRam, Highest};
use crate::gen::{CapturedError, Event, QpRow};
use crate::prelude::*;
use crate::record::{CiteSink, CiteSource, CqeItem, Fault, QpWrite, Quoted};
use crate::stream::{ItemSink, ItemSource, Pick};

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation and asks the columns for its row.
    Idle,
    /// Writes a row.
    Setup,
    /// Reads the row of a fault, of a question, or the next one of a walk.
    Look,
    /// Answers a fault.
    Note,
    /// Answers the read port.
    Show,
    /// Judges the next queue pair of a completion queue without room.
    Walked,
    /// Offers the completion of a queue pair that stopped.
    Cqe,
    /// Offers its event.
    Tell,
}

/// Collects faults from `N` sources: the first one of a queue pair puts it in error, is kept, and
/// makes one completion and one event; later ones are counted. `NC` = `2^C` queue pairs, `NQ` =
/// `2^Q` completion queues, `A` = `C` + 4.
///
/// A completion queue that had no room puts all its queue pairs in error, found by a walk over the
/// rows.
#[block(clock)]
pub struct FaultUnit<
    const C: usize,
    const NC: usize,
    const Q: usize,
    const NQ: usize,
    const N: usize,
    const A: usize,
> {
    /// Synchronous reset; columns are then scrubbed, `2^C` cycles, in which nothing is taken.
    pub reset: Signal<In, Bit>,
    /// Bit per queue pair: in error. It rises before the fault is answered and falls with the next
    /// row.
    pub dead: Signal<Out, Bits<NC>>,
    /// A row forgets what was kept. State error puts the queue pair in error without a fault.
    pub qpw: ItemSink<QpWrite>,
    /// Faults.
    pub from: Vec<ItemSink<Fault>>,
    /// Segment that the fault of source 0 quotes, beside its item; sources 2 and beyond have none.
    pub from_0_quote: Signal<In, Quoted>,
    /// Its octets: if there is one they follow the item, and no other fault is taken before they
    /// have come.
    pub from_0_words: CiteSink,
    /// That of source 1.
    pub from_1_quote: Signal<In, Quoted>,
    /// Its octets.
    pub from_1_words: CiteSink,
    /// Completion queue that had no room.
    pub over_cq: Signal<In, Bits<Q>>,
    /// Pulse: `over_cq` lost a completion.
    pub over_valid: Signal<In, Bit>,
    /// Completion of a queue pair that stopped.
    pub cqe: ItemSource<CqeItem>,
    /// `qp_fatal`, `qp_request_error`, `qp_access_error` or `connection_lost`.
    pub event: ItemSource<Event>,
    /// Queue pair to show.
    pub cap: ItemSink<Bits<C>>,
    /// What is kept of it.
    pub capd: ItemSource<CapturedError>,
    /// First octets of the segment, nine words; zero if there is none. Until the last is taken no
    /// row of this queue pair is written.
    pub capd_words: CiteSource,
    /// Pulse: a queue pair stopped.
    pub stopped: Signal<Out, Bit>,
    /// Pulse: a fault of a queue pair that had stopped.
    pub late: Signal<Out, Bit>,
    /// Pulse: a fault of a queue pair that is not set up; it is dropped.
    pub stray: Signal<Out, Bit>,

    /// Count only of a queue pair in `works`.
    cqs: Sdp<QpCqs, C>,
    /// Count only of a queue pair in `kept`.
    faults: Sdp<Fault, C>,
    quotes: Sdp<Quoted, C>,
    laters: BlankRam<Bits<32>, C>,
    cites: FaultWords<C, A>,
    tell: FaultTell,
    st: Reg<St>,
    /// State ready.
    works: Reg<Bits<NC>>,
    /// In error.
    halted: Reg<Bits<NC>>,
    /// A fault is kept.
    kept: Reg<Bits<NC>>,
    /// Completion queues that had no room and are still to be walked for.
    overs: Reg<Bits<NQ>>,
    over_first: Highest<NQ, Q>,
    /// In the cycle before there was one of them, and which.
    over_waits: Reg<Bit>,
    over_pick: Flop<Bits<Q>>,
    pick: Pick<Fault, N>,
    qp: Flop<Bits<C>>,
    fault: Flop<Fault>,
    /// The queue pair that was looked at worked until now; it had stopped before.
    is_first: Flop<Bit>,
    is_late: Flop<Bit>,
    walks: Reg<Bit>,
    /// The row is read for `cap`.
    asked: Flop<Bit>,
    walk_cq: Flop<Bits<Q>>,
    flushed: Flop<CqeItem>,
    told: Flop<Event>,
    shown: Flop<CapturedError>,
    show: Reg<Bit>,
    pulse_stopped: Reg<Bit>,
    pulse_late: Reg<Bit>,
    pulse_stray: Reg<Bit>,
    no_quote: Const<Quoted>,
    over_now: Signal<Local, Bits<NQ>>,
    chosen: Signal<Local, Bits<C>>,
    row: Signal<Local, QpRow>,
    row_cqs: Signal<Local, QpCqs>,
    pair: Signal<Local, QpCqs>,
    swept: Signal<Local, Fault>,
    keeps: Signal<Local, Fault>,
    last_kept: Signal<Local, Fault>,
    last_quote: Signal<Local, Quoted>,
    segment: Signal<Local, Quoted>,
    works_now: Signal<Local, Bits<NC>>,
    halted_now: Signal<Local, Bits<NC>>,
    kept_now: Signal<Local, Bits<NC>>,
    capture: Signal<Local, CapturedError>,
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const N: usize, const A: usize>
    FaultUnit<C, NC, Q, NQ, N, A>
{
    /// All queue pairs without a row; panics at elaboration if the parameters do not belong
    /// together.
    pub fn new() -> Self {
        assert!(NC == 1 << C && C <= 8 && NQ == 1 << Q && Q <= 16, "FaultUnit<{C}, {NC}, {Q}, {NQ}, {N}>");
        assert!((2..=15).contains(&N), "{N} sources of faults: 2 to 15");
        Self {
            cites: FaultWords::new(),
            cqs: Sdp::block(),
            faults: Sdp::block(),
            laters: BlankRam::block(),
            from: vec![ItemSink::default(); N],
            pick: Pick::new(),
            over_first: Highest::new(),
            ..Default::default()
        }
    }
}
