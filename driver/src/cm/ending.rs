// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a stream that the application asks for: of both directions, or of ours alone.
use crate::admin::Asked;
use ferrowarp_firmware::cm::api::ConnId;

/// What the application asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Both directions end.
    Close,
    /// Ours ends.
    FinishSending,
}

/// A stream that is to end when the device has answered.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) id: ConnId,
    pub(super) wish: Wish,
    /// The question, until its answer is there.
    pub(super) asked: Option<Asked>,
}

impl Ending {
    /// Looks for the answer.
    pub(super) fn look(&mut self) {
        if self.asked.as_mut().is_some_and(|asked| asked.poll().is_some()) {
            self.asked = None;
        }
    }
}
