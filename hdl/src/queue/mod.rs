// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive and completion queues, events and faults.

mod cq;
#[allow(missing_docs)] // the derive makes undocumented methods
mod cq_row;
mod ctl_event;
#[allow(missing_docs)] // as above
mod event_ring;
mod fault;
#[allow(missing_docs)] // as above
mod fault_row;
mod fault_words;
mod own_events;
#[allow(missing_docs)] // as above
mod rq;
mod rq_store;

pub use cq::Cq;
pub use ctl_event::CtlEvent;
pub use event_ring::EventRing;
pub use fault::FaultUnit;
pub use own_events::OwnEvents;
pub use rq::Rq;

use crate::emit::{emit, Unit};
use crate::params::{cq_of, events_of, fault_of, rq_of};

/// Blocks of this folder that can be synthesised alone, as profile `tiny` has them: 16 queue pairs.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "queue", width, emit };
    vec![
        unit("rq_tiny", "rq", 64, || {
            emit("rq_tiny", <rq_of!(qps_log2: 4, qps: 16, tag_width: 5, slots_log2: 8)>::new)
        }),
        unit("cq_tiny", "cq", 64, || emit("cq_tiny", <cq_of!(cqs_log2: 4, cqs: 16)>::new)),
        unit("fault_tiny", "fault", 64, || {
            emit(
                "fault_tiny",
                <fault_of!(
                    qps_log2: 4, qps: 16, cqs_log2: 4, cqs: 16, sources: 4, words_log2: 8,
                )>::new,
            )
        }),
        unit("event_ring_tiny", "event_ring", 64, || {
            emit("event_ring_tiny", <events_of!(places_log2: 5, places: 32, sources: 2)>::new)
        }),
    ]
}
