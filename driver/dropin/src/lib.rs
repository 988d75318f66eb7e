// SPDX-License-Identifier: MIT OR Apache-2.0
//! libibverbs and librdmacm on Ferrowarp devices: programs that were built for rdma-core run on
//! them without a change. `cargo xtask dropin` makes the shared library; README.md has the rest.
//!
//! The functions for C are private here: programs reach them by their symbols, which the table
//! `symbols.tsv` lists.
// tests call every function with words, beside the declarations that programs have
#![cfg_attr(test, allow(clashing_extern_declarations))]

mod acks;
mod bell;
mod channel;
mod cm;
mod config;
mod context;
mod cq;
mod cq_ex;
mod devices;
mod errno;
#[allow(missing_docs, non_camel_case_types, non_upper_case_globals, non_snake_case)]
#[allow(clippy::all, clippy::undocumented_unsafe_blocks, rust_2018_idioms)]
pub mod gen;
mod gid;
mod guard;
mod interfaces;
mod list;
mod live;
mod mailbox;
mod mr;
mod open;
mod pd;
mod pending;
mod poll;
mod post;
mod qp;
mod qp_calls;
mod qp_ex;
mod query;
mod request;
mod rs;
mod said;
mod strings;
#[cfg(test)]
mod tests;
mod twice;
mod unsupported;
mod wait;
