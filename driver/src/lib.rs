//! User-space verbs for the Ferrowarp RNIC.
//!
//! A [`Device`] is opened by URL. It gives protection domains, memory regions, completion queues, queue pairs
//! ([`verbs`]) and connections ([`cm`]); everything about the hardware stands behind the trait [`backend::Backend`].
//! [`ping`] speaks rping's protocol on top. `README.md` of this folder has threads, rules of memory and errors.

pub mod admin;
pub mod backend;
pub mod cm;
mod device;
pub mod dma;
pub mod error;
pub mod ping;
pub mod rings;
pub mod url;
pub mod verbs;

pub use cm::{ConnectOptions, Connection, Listener, Request};
pub use device::{Audit, Device};
pub use error::Error;
pub use verbs::{
    Access, Arm, Completion, CompletionChannel, CompletionQueue, MemoryRegion, ProtectionDomain, QpOptions,
    QueuePair, Remote, Segment, SendOptions, Status, WcOpcode,
};
