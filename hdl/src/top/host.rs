//! The host's side, 16 queue pairs.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::host::Admin;

/// Its parts side by side.
pub(super) fn host(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![Part::new("admin", Admin::<4, 4, 6, 9>::new)];
    emit_beside(top, parts)
}
