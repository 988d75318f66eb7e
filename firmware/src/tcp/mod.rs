// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP before and after full operation: open, the few octets of MPA startup, close. Hardware has
//! the rest.
//!
//! [`conn`] is the state machine of one connection, [`isn`] chooses sequence numbers, [`cookie`]
//! those of SYNs that may be forgotten, [`segment`] is what goes in and out, [`stray`] answers what
//! belongs to nobody, [`time_wait`] remembers what was closed.

pub mod conn;
pub mod cookie;
pub mod isn;
pub mod segment;
mod sender;
pub mod stray;
pub mod time_wait;
