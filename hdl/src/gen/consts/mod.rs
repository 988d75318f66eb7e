// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants for kernels, a module a group: `ether_type::ipv4().val()` under `#[kernel]`.

mod edge;
mod host;
mod registers;
mod tables;
mod wire;

pub use edge::*;
pub use host::*;
pub use registers::*;
pub use tables::*;
pub use wire::*;
