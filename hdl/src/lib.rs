// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Ferrowarp pipeline, described in Rust-HDL, and the emitter that turns it into Verilog.
//!
//! One folder a stage. `stream` and `cell` are what every stage is built from; `top` holds what can
//! be emitted and simulated; `emit` turns a block into deduplicated Verilog with plain names.
//!
//! ```
//! use ferrowarp_hdl::config::{Config, Profile};
//! use ferrowarp_hdl::top::Top;
//!
//! let config = Config::profile(Profile::Tiny);
//! let emitted = Top::BenchW64.emit(&config)?;
//! assert!(emitted.verilog.contains("module bench_w64("));
//! assert!(emitted.ports.iter().any(|port| port.name == "clock" && port.width == 1));
//! # Ok::<(), ferrowarp_hdl::emit::EmitError>(())
//! ```
#![recursion_limit = "512"]
// a kernel's `match` cannot have guards: Rust-HDL drops them
#![allow(clippy::collapsible_match)]

pub mod cell;
pub mod config;
pub mod ddp;
pub mod emit;
pub mod eth;
pub mod gen;
#[cfg(test)]
mod gen_test;
pub mod host;
pub mod ip;
pub mod mac;
pub mod mpa;
pub mod mr;
mod params;
pub mod prelude;
pub mod queue;
pub mod rdmap;
pub mod record;
pub mod sq;
pub mod stream;
pub mod tcp;
pub mod top;

/// Hash of all that decides what a block elaborates to: the sources of this crate and of `abi`, and
/// the versions of other crates.
pub const SOURCES: &str = env!("FERROWARP_HDL_SOURCES");

/// Every block that can be synthesised alone, stage by stage.
pub fn catalog() -> Vec<emit::Unit> {
    let stages = [
        cell::catalog(),
        ddp::catalog(),
        eth::catalog(),
        host::catalog(),
        ip::catalog(),
        mac::catalog(),
        mpa::catalog(),
        mr::catalog(),
        queue::catalog(),
        sq::catalog(),
        stream::catalog(),
        tcp::catalog(),
    ];
    stages.concat()
}
