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

/// Blocks of this folder that can be synthesised alone, as profile `tiny` has them: 16 queue pairs.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "queue", width, emit };
    vec![
        unit("rq_tiny", "rq", 64, || emit("rq_tiny", Rq::<4, 16, 5, 8>::new)),
        unit("cq_tiny", "cq", 64, || emit("cq_tiny", Cq::<4, 16>::new)),
        unit("fault_tiny", "fault", 64, || emit("fault_tiny", FaultUnit::<4, 16, 4, 16, 4, 8>::new)),
        unit("event_ring_tiny", "event_ring", 64, || emit("event_ring_tiny", EventRing::<5, 32, 2>::new)),
    ]
}
