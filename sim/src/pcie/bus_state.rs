// SPDX-License-Identifier: MIT OR Apache-2.0
//! The link between root complex and device.
use serde::{Deserialize, Serialize};

/// State of the link between root complex and device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BusState {
    /// TLPs pass.
    #[default]
    Up,
    /// The data link layer is down: surprise down, or a slot without power.
    Down,
    /// The root port resets what is below it.
    HotReset,
}
