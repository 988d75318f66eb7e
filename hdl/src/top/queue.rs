//! Queues, events and faults side by side.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::queue::{Cq, EventRing, FaultUnit, Rq};

/// First index of the parts that are to meet the wrap of indices at 2^32.
const NEAR_WRAP: usize = 0xFFFF_FFF0;

/// For 16 queue pairs and 16 completion queues.
pub(super) fn queue(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::new("rq", Rq::<4, 16, 7>::new),
        Part::new("rqwrap", || Rq::<4, 16, 7>::starting_at(NEAR_WRAP)),
        Part::new("cq", Cq::<4>::new),
        Part::new("cqwrap", || Cq::<4>::starting_at(NEAR_WRAP)),
        Part::new("fault", FaultUnit::<4, 16, 4, 16, 3>::new),
        Part::new("ring", EventRing::<5, 32, 2>::new),
        Part::new("ringwrap", || EventRing::<5, 32, 2>::starting_at(NEAR_WRAP)),
    ];
    emit_beside(top, parts)
}
