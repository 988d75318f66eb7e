// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's end of the carrier: TLPs in Ethernet frames, for a device without PCI Express
//! (`docs/carrier.md`).
//!
//! Nothing here reads a clock, a socket or a bench: times are nanoseconds that the caller gives,
//! frames are octets. [`HostEnd`] is the protocol. `sender` and `receiver` are its two directions,
//! `frame` checks and writes
//! frames by the layout of `abi`. [`CarriedBus`] is a root complex behind a [`HostEnd`].

mod bus;
mod config;
mod end;
mod frame;
mod receiver;
mod sender;
mod stats;

pub use bus::CarriedBus;
pub use config::{CarrierConfig, HOST_ADDRESS};
pub use end::{CarrierState, HostEnd};
pub use frame::Came;
pub use stats::CarrierStats;

/// No time.
const NEVER: u64 = u64::MAX;
