// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send queue alone.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::queue::Sq;

/// 16 queue pairs with 14 work requests in flight each, beside responses: few enough that both fill
/// up in a test.
pub(super) fn sq(top: &str) -> Result<Emitted, EmitError> {
    emit_beside(top, vec![Part::new("sq", Sq::<4, 16, 8, 10, 5, 6, 9>::new)])
}
