// SPDX-License-Identifier: MIT OR Apache-2.0
//! User-space verbs for the Ferrowarp RNIC.
//!
//! A [`Device`] is opened by URL. It gives protection domains, memory regions, completion queues,
//! queue pairs ([`verbs`]) and connections ([`cm`]); everything about the hardware stands behind
//! the trait [`backend::Backend`]. An application needs this crate alone: what its calls take and
//! give of the crates below is named here, too. `README.md` of this folder has threads, rules of
//! memory and errors; `docs/tutorial.md` has a whole program.

pub mod admin;
pub mod backend;
pub mod cm;
mod deadline;
mod desk;
mod device;
mod device_events;
pub mod dma;
pub mod error;
pub mod figures;
mod info;
pub mod inspect;
mod notice;
mod numbers;
mod pages;
mod platform;
mod process;
mod random;
pub mod rings;
mod shared;
mod signal;
mod stags;
pub mod sysfs;
mod tcp_info;
mod threads;
pub mod url;
pub mod verbs;
#[cfg(feature = "tokio")]
mod wakers;

pub use cm::{
    ConnectOptions, Connecting, Connection, ConnectionEvent, Greeting, GreetingError, Initiator, Listener,
    Markers, OfferedDepths, RawListener, RawOptions, RawStream, ReadDepths, Request, Startup, WantedDepth,
};
pub use device::{Audit, Device, LinkState};
pub use device_events::DeviceEvents;
pub use dma::StableMemory;
pub use error::Error;
pub use ferrowarp_abi::error::TermError;
pub use ferrowarp_abi::types::{MacAddr, STag, TaggedOffset};
pub use ferrowarp_firmware::config::Address;
pub use ferrowarp_firmware::error::{CallError, ConnError};
pub use ferrowarp_firmware::mpa::negotiate::RtrSet;
pub use ferrowarp_firmware::terminate::{Received, Refused};
pub use figures::{Figures, FiguresError};
pub use info::{DeviceInfo, DeviceLimits};
pub use platform::{PlatformEvent, Stall};
pub use tcp_info::TcpInfo;
pub use verbs::{
    Access, Arm, Completion, CompletionChannel, CompletionQueue, Connected, CqOptions, MemoryRegion,
    OwnedRegion, ProtectionDomain, QpLimits, QpOptions, QpState, QueuePair, Receives, Remote, RemoteRegion,
    Segment, Sends, Status, Unconnected, WcOpcode, WorkRequest,
};
