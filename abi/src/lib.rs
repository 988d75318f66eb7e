// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every layout of Ferrowarp, once.
//!
//! A layout is a table of fields ([`table::Layout`]) that the compiler checks. `cargo xtask gen`
//! writes from the tables: the codecs of this crate ([`codec`]), the header records and their
//! wiring in `hdl/src/gen`, and `docs/abi.md`. How to add one: README.md of this folder.
#![no_std]
#![deny(missing_docs)]

pub mod all;
pub mod constants;
pub mod error;
pub mod host;
pub mod opcode;
pub mod protocol;
pub mod table;
pub mod tcp_options;
pub mod terminate;
pub mod types;
pub mod wire;

pub mod codec;
mod gen;

pub use gen::consts;
