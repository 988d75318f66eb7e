// SPDX-License-Identifier: MIT OR Apache-2.0
//! One word of the slot at work.
use super::rows::{turn_kind, SqTurn};
use crate::prelude::*;

/// Reads a word of the WQE, of the response, or of the Terminate: what the turn is for. `CW` =
/// address of a word. Address in one cycle, word in the next one; combinational between.
#[block(comb)]
pub struct SqSlotWord<const CW: usize> {
    /// The turn.
    pub turn: Signal<In, SqTurn>,
    /// The turn reads a word.
    pub work_enable: Signal<In, Bit>,
    /// Address of that word.
    pub work_address: Signal<In, Bits<CW>>,
    /// DDP transmit reads a word, before the turn does.
    pub copy_enable: Signal<In, Bit>,
    /// Address of that word.
    pub copy_address: Signal<In, Bits<CW>>,
    /// A word is read.
    pub enable: Signal<Out, Bit>,
    /// Its address.
    pub address: Signal<Out, Bits<CW>>,
    /// Word of the WQE that was asked for.
    pub of_wqe: Signal<In, Bits<64>>,
    /// Word of the response.
    pub of_response: Signal<In, Bits<64>>,
    /// Word of the Terminate.
    pub of_control: Signal<In, Bits<64>>,
    /// The word of the slot at work, octet 0 in bits 7:0.
    pub word: Signal<Out, Bits<64>>,
}

#[kernel]
impl<const CW: usize> Logic for SqSlotWord<CW> {
    fn update(&mut self) {
        self.enable.next = self.work_enable.val() || self.copy_enable.val();
        self.address.next = self.work_address.val();
        if self.copy_enable.val() {
            self.address.next = self.copy_address.val();
        }
        self.word.next = self.of_control.val();
        if self.turn.val().kind == lit::<2>(turn_kind::WQE) {
            self.word.next = self.of_wqe.val();
        }
        if self.turn.val().kind == lit::<2>(turn_kind::RESPONSE) {
            self.word.next = self.of_response.val();
        }
    }
}
