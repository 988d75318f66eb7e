// SPDX-License-Identifier: MIT OR Apache-2.0
//! A turn: one segment of one queue pair, from its slot to a reservation and jobs for the gather.
//! Here are its ports and parts.
mod steps;

use super::decode::SqPlan;
use super::handover::SqHand;
use super::quote::SqQuote;
use super::replay_guard::SqSame;
use super::rows::{turn_kind, Again, InFlight, Planned, SqResult, SqTurn, TxRow, Work};
use super::spans::SqSpans;
use super::verdict::{SqBlame, SqVerdict};
use super::walk::SqPlace;
use super::want::SqWant;
use crate::cell::BlankRam;
use crate::gen::consts::ddp;
use crate::gen::SendWqe;
use crate::prelude::*;
use crate::record::{Fault, Grant, MrAsk, MrSay, Quoted, Reserve, TxFpdu, TxHead, TxLimits, TxRange};
use crate::stream::{ItemSink, ItemSource};

/// Works off one turn at a time, in about 30 cycles for an FPDU out of one SGE. An FPDU in several
/// segments has a turn for each.
///
/// In the first turn of a message its whole slot is judged: head, then SGE by SGE against its
/// memory region, then the sum of their lengths; the first that is wrong is the fault, and nothing
/// of the message leaves. Then, in each turn: the ranges of the FPDU's payload are checked, again
/// unless that was in this turn; room is reserved, and only then are they given to the gather. The
/// receive side has an RDMA Read before its Request is announced.
///
/// In a replay's turn the in-flight ring says which message it is and how far its replay has come;
/// its slot must have the opcode and length that it had when it left first. Nothing but the
/// replay's own state changes. Room is asked for before the ranges are checked: what is
/// acknowledged needs none, and up to eight such FPDUs are passed in a turn. `CW` = address of a
/// word of a slot.
#[block(clock)]
pub struct SqWork<const C: usize, const CW: usize> {
    /// Synchronous reset; rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Who has the turn, from the scheduler.
    pub turn: ItemSink<SqTurn>,
    /// What became of the turn, for the scheduler.
    pub result: ItemSource<SqResult>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// Its limits; a MULPDU that MPA cannot send makes the queue pair wait for another insert.
    pub fresh_limits: Signal<In, TxLimits>,
    /// The limits are written in this cycle, which `fresh_ready` allows.
    pub renewed: Signal<In, Bit>,
    /// With `renewed`: everything begins anew; else the next message is the first with these
    /// limits.
    pub fresh: Signal<In, Bit>,
    /// No turn is under way.
    pub fresh_ready: Signal<Out, Bit>,
    /// Read port of the slots.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later.
    pub word: Signal<In, Bits<64>>,
    /// The turn: which slots they are.
    pub at_work: Signal<Out, SqTurn>,
    /// Check of a range.
    pub ask: ItemSource<MrAsk>,
    /// Its answer.
    pub say: ItemSink<MrSay>,
    /// Room that is wanted in a stream.
    pub res: ItemSource<Reserve>,
    /// The room, or none.
    pub grant: ItemSink<Grant>,
    /// Queue pair that has the turn, for its in-flight ring.
    pub ring_qp: Signal<Out, Bits<C>>,
    /// Its ring has no room for a work request.
    pub ring_full: Signal<In, Bit>,
    /// RDMA Reads of it that are outstanding.
    pub outstanding: Signal<In, Bits<8>>,
    /// It will wait for room in the ring, or for a Read.
    pub starve: Signal<Out, Bit>,
    /// Message of which an FPDU was made.
    pub entry: Signal<Out, InFlight>,
    /// It goes into the ring.
    pub push: Signal<Out, Bit>,
    /// The FPDU was its first.
    pub first: Signal<Out, Bit>,
    /// It has the place of one that could not be read: what was made from there on has never left.
    pub cut: Signal<Out, Bit>,
    /// With that: stream offset of its first octet.
    pub start: Signal<Out, Bits<40>>,
    /// A replay has the turn, and its message may still be at fault: until then it must not
    /// complete.
    pub replays: Signal<Out, Bit>,
    /// Looks for the message that leaves again.
    pub look: Signal<Out, Bit>,
    /// From the oldest one on.
    pub restart: Signal<Out, Bit>,
    /// It was found.
    pub again_ready: Signal<In, Bit>,
    /// There is none.
    pub again_over: Signal<In, Bit>,
    /// Stream offset after the last octet of the message that has left.
    pub again_reach: Signal<In, Bits<40>>,
    /// It is not that of the look before.
    pub again_moved: Signal<In, Bit>,
    /// The message.
    pub again_entry: Signal<In, InFlight>,
    /// How far it is.
    pub again_row: Signal<In, Again>,
    /// The state after that.
    pub again_after: Signal<Out, TxRow>,
    /// Go on from there.
    pub again_step: Signal<Out, Bit>,
    /// With that: nothing of the message that has left follows.
    pub again_last: Signal<Out, Bit>,
    /// The last step was behind its last FPDU, as far as it was sent.
    pub again_ends: Signal<In, Bit>,
    /// Pulse: a Read Request was announced.
    pub read_sent: Signal<Out, Bit>,
    /// Pulse: the last FPDU of a response was announced.
    pub response_sent: Signal<Out, Bit>,
    /// Head of the slot.
    pub wr: Signal<Out, SendWqe>,
    /// The SGE that was read last.
    pub sge: Signal<Out, Bits<128>>,
    /// The slot is a Read Request's.
    pub is_read: Signal<Out, Bit>,
    /// The receive side is to know of it.
    pub offer_valid: Signal<Out, Bit>,
    /// It does.
    pub offer_ready: Signal<In, Bit>,
    /// Payload of the FPDU, in order.
    pub range: ItemSource<TxRange>,
    /// Header of the FPDU.
    pub head: Signal<Out, TxHead>,
    /// The FPDU for the stages behind.
    pub fpdu: Signal<Out, TxFpdu>,
    /// It is given.
    pub hand: Signal<Out, Bit>,
    /// There is room for both.
    pub hand_ready: Signal<In, Bit>,
    /// Inline octets to copy.
    pub inline_octets: Signal<Out, Bits<8>>,
    /// Pulse: the copy begins.
    pub inline_start: Signal<Out, Bit>,
    /// Not over.
    pub inline_busy: Signal<In, Bit>,
    /// A work request that is not possible, or a Read Request.
    pub fault: ItemSource<Fault>,
    /// The Read Request that cannot be answered.
    pub fault_quote: Signal<Out, Quoted>,
    /// Its octets, until the fault is taken.
    pub fault_request: Signal<Out, Bits<384>>,
    state: Reg<Work>,
    // no turn is taken in the cycle of a write
    limits: BlankRam<TxLimits, C>,
    // what is read in the cycle of an insert is not taken
    rows: BlankRam<TxRow, C>,
    spans: SqSpans<C, CW>,
    plan: SqPlan,
    hands: SqHand,
    verdict: SqVerdict,
    blame: SqBlame,
    cited: SqQuote,
    same: SqSame,
    wants: SqWant,
    who: Flop<SqTurn>,
    row: Flop<TxRow>,
    /// The MSN of the message is that of the next one less this.
    behind: Flop<Bits<7>>,
    /// The plan of the cycle before: head and row stand for a cycle or more before a step uses it.
    planned: Flop<Planned>,
    fits: Flop<Bit>,
    sound: Flop<Bit>,
    closed: Flop<Bit>,
    differs: Flop<Bit>,
    room: Flop<Grant>,
    outcome: Flop<SqResult>,
    /// FPDUs that were skipped in this turn.
    passed: Flop<Bits<3>>,
    status: Flop<Bits<8>>,
    response: Const<Bits<2>>,
    blank: Const<TxRow>,
    no_result: Const<SqResult>,
    unfit: Signal<Local, Bit>,
    shown: Signal<Local, SqTurn>,
    told: Signal<Local, SqResult>,
    place: Signal<Local, SqPlace>,
    begun: Signal<Local, TxRow>,
    new_row: Signal<Local, TxRow>,
    row_write: Signal<Local, Bit>,
    row_qp: Signal<Local, Bits<C>>,
    fail: Signal<Local, Bit>,
    reason: Signal<Local, Bits<8>>,
}

impl<const C: usize, const CW: usize> SqWork<C, CW> {
    /// No turn; panics at elaboration if `CW` is not `C + 4`.
    pub fn new() -> Self {
        assert!(CW == C + 4, "a word of 2^{C} slots has no address of {CW} bits");
        Self {
            state: Reg::new(Work::Idle),
            rows: BlankRam::block(),
            limits: BlankRam::block(),
            plan: SqPlan::new(),
            verdict: SqVerdict::new(),
            blame: SqBlame::new(),
            response: Const::of(turn_kind::RESPONSE),
            blank: Const::new(TxRow {
                msn: ddp::msn_first().val(),
                msn_read: ddp::msn_first().val(),
                ..Default::default()
            }),
            ..Default::default()
        }
    }
}
