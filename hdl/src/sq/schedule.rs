// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may send next: doorbells, a fair run queue, wake-ups.
mod steps;

use super::choose::{SqChoose, SqOutcome};
use super::rows::{turn_kind, SqConf, SqFetchJob, SqLanded, SqResult, SqRow, SqTurn};
use crate::cell::BlankRam;
use crate::gen::consts::wc_status;
use crate::gen::{Doorbell, QpRow};
use crate::prelude::*;
use crate::record::Fault;
use crate::stream::{Hold, ItemSink, ItemSource, Pump, Queue};

/// What happens to a row, the most urgent first: what frees others comes first.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Event {
    /// Nothing.
    None,
    /// A connection is inserted.
    Fresh,
    /// A turn is over.
    Result,
    /// A block of a WQE has come.
    Landed,
    /// Wake-up.
    Wake,
    /// One response more.
    Came,
    /// A Terminate or the end of the stream is to be sent.
    Asked,
    /// Everything that is not acknowledged leaves again.
    Rto,
    /// First of the run queue.
    Turn,
    /// Set-up.
    Setup,
    /// Doorbell.
    Bell,
}

/// Scheduler of `NC = 2^C` queue pairs.
///
/// Everything that changes the state of a queue pair is an event, and one event at a time is worked
/// off: its row is read, changed and written back, two cycles each. A queue pair stands at most
/// once in the run queue; a turn is good for one segment, see [`SqChoose`]. A wake-up beside the
/// turn is kept in the row. A queue pair that has its share of the slots for FPDUs under way waits
/// for the wire, and others behind it. If it waits for its payload, or its end for what is under
/// way, it goes to the end of the run queue instead.
#[block(clock)]
pub struct SqSched<const C: usize, const NC: usize> {
    /// Synchronous reset; rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pairs in reset whose connection is not new: they send nothing again.
    pub mute: Signal<In, Bits<NC>>,
    /// Queue pair to set up; the work of its life before must have ended, or its `dead` bit be set.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub qpw_row: Signal<In, QpRow>,
    /// The row is offered until `qpw_ready`.
    pub qpw_valid: Signal<In, Bit>,
    /// The row is written in this cycle.
    pub qpw_ready: Signal<Out, Bit>,
    /// Doorbells of send queues.
    pub db: ItemSink<Doorbell>,
    /// Queue pairs to wake.
    pub wake: ItemSink<Bits<C>>,
    /// Queue pairs that have one response more to send.
    pub came: ItemSink<Bits<C>>,
    /// Queue pair that has a Terminate or the end of its stream to send.
    pub asked_qp: Signal<In, Bits<C>>,
    /// With `asked_valid`: the end of the stream, not a Terminate.
    pub asked_fin: Signal<In, Bit>,
    /// The queue pair is offered until `asked_take`.
    pub asked_valid: Signal<In, Bit>,
    /// The queue pair is taken in this cycle.
    pub asked_take: Signal<Out, Bit>,
    /// Queue pairs of which everything that is not acknowledged has to leave again.
    pub rto: ItemSink<Bits<C>>,
    /// Connection that is inserted: what waited for the old one is forgotten. No turn is taken in
    /// this cycle, and none is offered until it is worked off.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    /// Blocks of WQEs that have come.
    pub landed: ItemSink<SqLanded>,
    /// What became of the turns.
    pub result: ItemSink<SqResult>,
    /// Blocks of WQEs to fetch.
    pub fetch: ItemSource<SqFetchJob>,
    /// Queue pairs that have the turn; `valid` may fall before `ready`, for an insert.
    pub turn: ItemSource<SqTurn>,
    /// A slot is free for the FPDU of a turn.
    pub room: Signal<In, Bit>,
    /// Queue pair whose turn would come.
    pub ask_qp: Signal<Out, Bits<C>>,
    /// That turn is for a Terminate or the end of the stream.
    pub last: Signal<Out, Bit>,
    /// It may have it.
    pub share: Signal<In, Bit>,
    /// If not: it goes back to the end of the run queue.
    pub late: Signal<In, Bit>,
    /// Producer indices that the ring cannot have.
    pub fault: ItemSource<Fault>,
    /// Pulse: a doorbell was ignored.
    pub bad: Signal<Out, Bit>,
    // never read in the cycle of a write: an event reads in its first cycle, writes in its second
    confs: BlankRam<SqConf, C>,
    rows: BlankRam<SqRow, C>,
    run: Queue<Bits<C>, C>,
    choose: SqChoose,
    outcome: SqOutcome,
    pump: Pump<Event, 10, C>,
    /// No turn was given: other events have a cycle. The queue pair returns to the run queue.
    rests: Reg<Bit>,
    /// The queue pair of the event before goes to the end of the run queue.
    pushes: Reg<Bit>,
    pushes_qp: Flop<Bits<C>>,
    /// What landed are both blocks of a WQE.
    came_both: Flop<Bit>,
    fresh_q: Flop<Bits<C>>,
    fresh_full: Reg<Bit>,
    fetches: Hold<SqFetchJob>,
    turns: Hold<SqTurn>,
    faults: Hold<Fault>,
    bad_q: Reg<Bit>,
    block_mask: Const<Bits<64>>,
    op_err: Const<Fault>,
    blank: Const<SqRow>,
    response: Const<Bits<2>>,
    conf: Signal<Local, SqConf>,
    row: Signal<Local, SqRow>,
    new_row: Signal<Local, SqRow>,
    is_landed: Signal<Local, Bit>,
    enqueue: Signal<Local, Bit>,
    slot: Signal<Local, Bits<16>>,
    for_replay: Signal<Local, Bit>,
    blocks: Signal<Local, Bits<32>>,
    came_blocks: Signal<Local, Bits<32>>,
}

impl<const C: usize, const NC: usize> SqSched<C, NC> {
    /// All queue pairs idle and not ready; panics at elaboration if `NC` is not `2^C`.
    pub fn new() -> Self {
        use Event::*;
        assert!(NC == 1 << C && C <= 8, "{NC} queue pairs: 2^{C}, and at most 256");
        Self {
            rows: BlankRam::block(),
            pump: Pump::new([Fresh, Result, Landed, Wake, Came, Asked, Rto, Turn, Setup, Bell]),
            block_mask: Const::new((!63_u64).into()),
            op_err: Fault::local(wc_status::loc_qp_op_err()),
            response: Const::of(turn_kind::RESPONSE),
            ..Default::default()
        }
    }
}
