// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a case did more than once, and why.
use serde::Serialize;

/// Why something was done again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// siw left the first Send of a connection unread (docs/interop.md).
    UnreadSend,
    /// An echo took longer than it may. A machine that stood still as long is excuse enough.
    SlowEcho,
}

impl Cause {
    #[cfg(test)]
    pub(super) const ALL: [Cause; 2] = [Cause::UnreadSend, Cause::SlowEcho];

    /// As in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::UnreadSend => "unread-send",
            Self::SlowEcho => "slow-echo",
        }
    }
}

/// Something that was done again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// Why.
    pub cause: Cause,
    /// What, and what was wrong with it.
    pub what: String,
}
