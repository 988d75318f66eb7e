// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a completion queue is armed for. One word has both sides: for what the device makes an
//! event, and whether the channel hears of the next completion. `loom_tests` has the arm of one
//! thread beside an event that another thread takes.
use crate::verbs::cells::{Cell, Cells, Real};
use crate::verbs::types::Arm;
use std::sync::atomic::Ordering;

/// The channel is told of the next completion.
const CHANNEL: u8 = 0x80;
/// For what the device is armed until its event is taken: nothing, a solicited completion or an
/// error, any completion. A later one contains those before it.
const KIND: u8 = 3;
const SOLICITED: u8 = 1;
const NEXT: u8 = 2;

/// The word.
#[derive(Debug, Default)]
pub(in crate::verbs) struct Armed<C: Cells = Real>(pub(in crate::verbs) C::Byte);

/// An arm of which the device is to be told: the kinds of now and of before.
#[derive(Debug)]
pub(in crate::verbs) struct Telling {
    wanted: u8,
    before: u8,
}

impl<C: Cells> Armed<C> {
    /// The channel hears of the next completion. Who flushes something behind this sees so.
    pub(in crate::verbs) fn ask(&self) {
        self.change(|word| word | CHANNEL);
        C::fence();
    }

    /// Arms the device. `None` if an earlier arm has the same kind or more: the event of that arm
    /// is still to come, or in the ring.
    pub(in crate::verbs) fn arm(&self, kind: Arm) -> Option<Telling> {
        let wanted = if kind == Arm::Solicited { SOLICITED } else { NEXT };
        // an event that was taken since `ask` has told the channel of an earlier arm
        let before = self.change(|word| CHANNEL | (word & KIND).max(wanted)) & KIND;
        (before < wanted).then_some(Telling { wanted, before })
    }

    /// The device was not told: the next arm tells it.
    pub(in crate::verbs) fn undo(&self, telling: &Telling) {
        // an event that was taken meanwhile has said more
        let is_this = |word: u8| word & KIND == telling.wanted;
        self.change(|word| if is_this(word) { word & CHANNEL | telling.before } else { word });
    }

    /// Something was flushed: whether the channel is to be told.
    pub(in crate::verbs) fn flushes(&self) -> bool {
        self.change(|word| word & !CHANNEL) & CHANNEL != 0
    }

    /// An event of the device was taken: whether the channel is to be told.
    pub(in crate::verbs) fn event(&self) -> bool {
        self.0.swap(0, Ordering::SeqCst) & CHANNEL != 0
    }

    /// Changes the word in one step: what was there.
    fn change(&self, to: impl Fn(u8) -> u8) -> u8 {
        loop {
            let word = self.0.load(Ordering::SeqCst);
            if self.0.turn(word, to(word), Ordering::SeqCst) {
                return word;
            }
        }
    }
}
