// SPDX-License-Identifier: MIT OR Apache-2.0
//! One time for devices that share a wire: each has a thread, and all run through the same block of
//! cycles.
//!
//! A block is no longer than the least delay of the links, so nothing that is sent in a block
//! arrives in the same block: the order in which the threads run changes nothing. At the end of a
//! block all threads meet (`meeting`). The last one to come exchanges frames (`fabric`) and decides
//! what all do next (`conductor`): run, look at orders while time stands, or pass over cycles in
//! which nothing can move. `member` is a thread's part.

mod capture;
mod conductor;
mod fabric;
mod meeting;
mod member;
mod start;
mod together;
mod turn;

pub(super) use fabric::Fabric;
pub(super) use member::Member;
pub(super) use start::start;
pub use together::{CommonConfig, CommonDevice, THINK};
