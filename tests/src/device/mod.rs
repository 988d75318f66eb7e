// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole devices under test, as the software of their hosts sees them: admin commands, queues in
//! memory, doorbells.
//!
//! What is in host memory is Ferrowarp's own and is read and written with the codecs of `abi`, as a
//! driver does; what is on the wire is judged by others.

mod blame;
mod faults;
mod host;
mod judged;
mod message;
mod nic;
mod queues;
mod rings;
mod sinks;
mod stranger;
mod switched;
mod tcp;
mod ticks;
mod traffic;
mod walk;
mod watch;
mod wire;

pub use blame::Blame;
pub use faults::{same, Every, Scene, Shape, BAD, DEED, QPS};
pub use host::{Host, TO_BASE};
pub use judged::{judged, Run};
pub use message::{random_size, Message, Part, RDMA_READ, RDMA_WRITE, SEND, SEND_SOLICITED};
pub use nic::{Nic, NicError};
pub use queues::{Cq, Done, Qp, RecvWork, SendWork};
pub use rings::{Events, RawReceives, RawSends};
pub use sinks::{alone, held, rewrite, stream_under, FrameHook, Sink};
pub use stranger::{addressed, stranger, tagged};
pub use switched::{Flow, Switched};
pub use traffic::{Plan, Traffic};
pub use walk::{wrong_crcs, Walk, TCP_PAYLOAD, WRONG};
pub use watch::{flag, Segment, Watch};
pub use wire::{random_wire, End, Wire};

use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::rnic::line;
use ferrowarp_sim::{model, Library, LinkConfig, ModelError};
use std::sync::Arc;

/// The configuration of the devices here: profile `10g` with 16 queue pairs, an MTU of 1,500 and a
/// window of 16 KiB. The frame store holds two such windows.
pub fn config() -> Config {
    Config { qps: 16, cqs: 32, window_log2: 14, ..Config::profile(Profile::TenG) }
}

/// Clock period of that configuration in picoseconds.
pub fn clock_ps() -> u64 {
    1_000_000_000 / config().clock_khz
}

/// The model of the device.
pub fn library() -> Result<Arc<Library>, ModelError> {
    model(Top::DeviceW64, &config())
}

/// Octets of payload in a full frame of a Write, and octets of the wire that the frame takes: 14 of
/// Ethernet, 40 of IP and TCP, 2 + 14 of MPA and DDP, 4 of CRC, 4 of FCS, 8 of preamble, 12 of gap.
const PAYLOAD: f64 = 1_440.0;
const ON_WIRE: f64 = 1_538.0;

/// Payload octets in a time of so many picoseconds, over the limit of [`link`]'s wire.
pub fn of_limit(octets: usize, ps: u64) -> f64 {
    of_wire(&link(), octets, ps)
}

/// The same of another wire.
pub fn of_wire(link: &LinkConfig, octets: usize, ps: u64) -> f64 {
    let octet_ps = 8e12 / link.rate_bps as f64;
    octets as f64 * octet_ps / ps as f64 / (PAYLOAD / ON_WIRE)
}

/// What the pin `rto_min` is given for a wait that ends with tick `n`, 1 to 655, behind a round
/// trip of no tick. A tick of the pin `tick_pin` is a hundred units of fine time.
pub const fn units(n: u64) -> u64 {
    100 * n - 50
}

/// A link of that configuration's rate, 10 Gb/s, with 500 ns of delay.
pub fn link() -> LinkConfig {
    line(&config())
}
