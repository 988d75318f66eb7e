//! The send queue alone.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::queue::Sq;

/// 16 queue pairs with 16 messages in flight each: few enough that both fill up in a test.
pub(super) fn sq(top: &str) -> Result<Emitted, EmitError> {
    emit_beside(top, vec![Part::new("sq", Sq::<4, 16, 8, 11, 4, 5, 8>::new)])
}
