// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge of TCP itself, on traces that are written by hand.

mod timers;
mod traces;
