// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants, a module a group.

mod edge;
mod host;
mod registers;
mod wire;

pub use edge::*;
pub use host::*;
pub use registers::*;
pub use wire::*;
