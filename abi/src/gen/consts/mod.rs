// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants, a module a group.

mod host;
mod wire;

pub use host::*;
pub use wire::*;
