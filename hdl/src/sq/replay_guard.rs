// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether what leaves again is what left before. No state.
use super::rows::{turn_kind, InFlight, SqTurn};
use crate::gen::SendWqe;
use crate::prelude::*;

/// Joins a replay's turn with the message that its in-flight ring names. Only a WQE is read again,
/// so it alone can be another one than before: one with another opcode or length. In a turn that is
/// no replay nothing differs.
#[block(comb)]
pub struct SqSame {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// The message.
    pub entry: Signal<In, InFlight>,
    /// It is not that of the turn before.
    pub moved: Signal<In, Bit>,
    /// Head of the slot.
    pub wr: Signal<In, SendWqe>,
    /// The turn with the message's kind and place.
    pub seen: Signal<Out, SqTurn>,
    /// Its WQE has to be read first.
    pub lacks: Signal<Out, Bit>,
    /// The slot is another one's.
    pub differs: Signal<Out, Bit>,
    e: Signal<Local, InFlight>,
    w: Signal<Local, SendWqe>,
    found: Signal<Local, SqTurn>,
}

#[kernel]
impl Logic for SqSame {
    fn update(&mut self) {
        self.e.next = self.entry.val();
        self.w.next = self.wr.val();
        let is_wqe: Bit = self.e.val().kind == lit::<2>(turn_kind::WQE);
        self.found.next = self.turn.val();
        self.found.next.kind = self.e.val().kind;
        self.found.next.index = self.e.val().index;
        self.found.next.started = true;
        self.seen.next = self.found.val();
        self.lacks.next = is_wqe && (!self.turn.val().image || self.moved.val());
        self.differs.next = self.turn.val().replay
            && is_wqe
            && ((self.w.val().opcode != self.e.val().opcode) || (self.w.val().length != self.e.val().length));
    }
}
