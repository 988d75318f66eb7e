// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tour of what a device does: two ends show each other every kind of operation, and each
//! compares every octet.
//!
//! The client connects with private data, sends a message that comes back, writes and reads a
//! region of the server, invalidates another one with a Send, and then writes to that one, which
//! the server's device refuses with a Terminate: the client looks at its layer, type, code and
//! STag, the server at the region, where nothing of the Write may be.
//!
//! Messages, all of them Sends on one connection, C the client, S the server:
//!
//! | from | octets | meaning |
//! |---|---|---|
//! | C | [`MESSAGE`] | any |
//! | S | the same | its echo |
//! | S | 32 | an [`Advert`](crate::ping::Advert) of the region that is written and read, then one of the region that is invalidated |
//! | C | 1 | the region has been written |
//! | S | 4 | the first octet that differs, or all ones; the region has other octets now |
//! | C | 1 | neither end looks at its device for a moment |
//! | S | 1 | as it was asked |
//! | C | 1, with invalidate | the second region is not needed any more |
//! | S | 4 | the STag that was invalidated |
//!
//! [`rping`] is what can be shown of it with rping of any other RDMA device at the other end.
mod client;
mod end;
pub(crate) mod error;
mod pattern;
pub mod rping;
mod server;
mod shown;

pub use client::visit;
pub use error::TourError;
pub use server::guide;
pub use shown::{Shown, Visit, MESSAGE, MOST_OCTETS, PORT, REGION};
