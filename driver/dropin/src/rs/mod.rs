// SPDX-License-Identifier: MIT OR Apache-2.0
//! rsockets: sockets whose octets travel by RDMA Writes into a buffer of the peer. README.md of
//! this crate has the wire and the limits. `calls`, `data_calls`, `option_calls` and `poll` are the
//! functions of C; a `socket` has a `stream` once it is connected.
mod address;
mod calls;
mod close;
mod data_calls;
mod inbox;
mod mapping;
mod maps;
mod option_calls;
mod options;
mod outbox;
mod poll;
mod rig;
mod send;
mod socket;
mod stream;
mod window;
pub mod wire;
