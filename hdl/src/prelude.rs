// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a block needs: Rust-HDL's names, the attributes `block` and `kernel`, registers, RAMs,
//! constants.
pub use crate::cell::{lit, Const, Flop, LutRam, Reg, Sdp};
pub use ferrowarp_kernel::{block, kernel};
pub use rust_hdl::prelude::*;
