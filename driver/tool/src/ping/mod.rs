// SPDX-License-Identifier: MIT OR Apache-2.0
//! rping's protocol, as client and as server: `ferrowarp ping`.
//!
//! A ping (rdma-core, `librdmacm/examples/rping.c`, its comment on the loop): the client names a
//! buffer with a text in a Send of 16 octets, the server reads it with an RDMA Read and answers
//! with a Send of 16 octets; the client names a second buffer, the server writes the text into it
//! with an RDMA Write and answers again.
mod client;
pub(crate) mod error;
mod limits;
mod message;
mod peer;
mod report;
mod server;

pub(crate) use client::compare;
pub use client::{client, ClientOptions};
pub use error::PingError;
pub use limits::{ADVERT_OCTETS, PORT, SIZES};
pub use message::{pattern, Advert};
pub use report::{Report, Times};
pub use server::{serve, ServerOptions};
