// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every layout of Ferrowarp, once.
//!
//! A layout is a table of fields ([`table::Layout`]) that the compiler checks. `cargo xtask gen`
//! writes from the tables: the codecs of this crate ([`codec`]), the header records and their
//! wiring in `hdl/src/gen`, and `docs/abi.md`. How to add one: README.md of this folder.
//!
//! ```
//! use ferrowarp_abi::codec::MpaDepths;
//!
//! let depths = MpaDepths { peer_to_peer: true, ird: 4, ord: 8, ..MpaDepths::default() };
//! let octets = depths.octets().expect("14 bits hold both depths");
//! assert_eq!(octets, [0x80, 0x04, 0x00, 0x08]);
//! assert_eq!(MpaDepths::parse(&octets), Ok(depths));
//! assert!(MpaDepths::parse(&octets[..3]).is_err());
//! ```
#![no_std]
#![deny(missing_docs)]

pub mod all;
pub mod carrier;
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
