// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory regions (RFC 5040 section 8.1.1, RFC 5041 section 8.1): who may reach which octets.

mod change;
mod check;
mod invalidate;
mod pick;
mod read_back;
mod table;

pub use table::mr_table;

use crate::emit::{emit_joined, Unit};
use crate::params::mr_of;

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "mr", width, emit };
    vec![unit("mr_256", "mr_table", 64, || emit_joined("mr_256", mr_of!(regions_log2: 8)()))]
}
