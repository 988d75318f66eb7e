// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue: work requests, responses and control messages to the heads and ranges of ULPDUs, and
//! from acknowledged octets to completions.

mod choose;
#[allow(missing_docs)] // the derive makes undocumented methods
mod control;
mod decode;
mod end;
mod faults;
mod fetch;
mod handover;
#[allow(missing_docs)] // as above
mod inflight;
mod insert;
mod leap;
mod mute;
mod pulses;
mod quiet;
mod quote;
#[allow(missing_docs)] // as above
mod reach;
mod read_request;
mod reads;
mod replay;
mod replay_guard;
mod responder;
mod retire;
#[allow(missing_docs)] // as above
mod rows;
mod schedule;
mod slot_word;
#[allow(missing_docs)] // as above
mod spans;
mod stage;
mod token;
mod verdict;
mod wake;
#[allow(missing_docs)] // as above
mod walk;
mod want;
mod words;
mod work;

pub use stage::sq;

use crate::emit::{emit_joined, Unit};
use crate::params::sq_of;

/// The send queue as profile `tiny` has it: 16 queue pairs.
pub fn catalog() -> Vec<Unit> {
    let emit = || {
        emit_joined(
            "sq_tiny",
            sq_of!(
                qps_log2: 4, qps: 16, words_log2: 8, reads_log2: 10, inflight_log2: 6,
                index_width: 7, inflights_log2: 10,
            )(),
        )
    };
    vec![Unit { name: "sq_tiny", cell: "sq", stage: "sq", width: 64, emit }]
}
