// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast Writes, Reads and Sends are, between two devices that both run it, or Writes and Reads
//! with rping at the other end ([`rping`]).
//!
//! The client makes a connection for each size and tells the server in a Send what comes
//! (`plan`); the server names a buffer in a Send of its own. What was measured is compared octet
//! for octet at the end of each connection.
mod client;
mod end;
pub(crate) mod error;
mod limits;
mod plan;
mod report;
pub mod rping;
mod server;

pub use client::measure;
pub use error::PerfError;
pub use limits::{MOST_OCTETS, PORT};
pub use plan::{Mode, Operation, Plan};
pub use report::Report;
pub use server::serve;
