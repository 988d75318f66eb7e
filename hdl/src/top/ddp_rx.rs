//! DDP receive beside the memory regions.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::mr::MrTable;

/// 256 regions.
pub(super) fn ddp_rx(top: &str) -> Result<Emitted, EmitError> {
    emit_beside(top, vec![Part::new("mr", MrTable::<8>::new)])
}
