// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's memory and the model behind the device's DMA ports: what a root complex with an IOMMU
//! answers, without packets. `sim/README.md` has the ports and the rules.
//!
//! [`HostMemory`] is the memory: regions mapped at bus addresses, accesses by the test, and the
//! accesses of the device that were refused. [`Bench::memory`](crate::Bench::memory) puts one
//! behind a read port and a write port. `reads` and `writes` decide when what is answered and
//! stored; `agent` stands on the ports.

mod agent;
mod host;
mod outside;
mod reads;
mod timing;
mod writes;

pub use agent::MemoryPorts;
pub(crate) use agent::{Held, MemoryAgent};
pub use host::{HostMemory, MapError, Refused, Why};
pub use outside::{Octets, Unreached};
pub use timing::MemoryTiming;
pub(crate) use writes::Writes;

/// Most octets of one read or one write: the field `length` holds 13 bits, PCI Express allows
/// 4,096.
pub const MAX_LENGTH: u64 = 4096;

/// How a device broke the rules of its DMA ports. Unlike a refused address, which a hostile work
/// request may cause, this is a fault of the hardware: it ends the case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// The length is outside 1 to 4096.
    #[error("a {what} of {length} octets at 0x{addr:x}; allowed are 1 to {MAX_LENGTH}")]
    Length {
        /// `read` or `write`.
        what: &'static str,
        /// Bus address.
        addr: u64,
        /// Octets.
        length: u64,
    },
    /// A read took a tag that another read still holds.
    #[error("read of {length} octets at 0x{addr:x} with tag {tag}, which is in use until its final frame")]
    TagInUse {
        /// The tag.
        tag: u64,
        /// Bus address.
        addr: u64,
        /// Octets.
        length: u64,
    },
    /// A write's frame does not have the length of its command.
    #[error("the command for 0x{addr:x} says {length} octets, its frame has {octets}")]
    FrameLength {
        /// Bus address.
        addr: u64,
        /// Octets of the command.
        length: u64,
        /// Octets of the frame.
        octets: u64,
    },
    /// A write's frame ended with `err`: nothing on the bus can take a posted write back.
    #[error("the frame of the write to 0x{addr:x} ended with err; a posted write cannot be called back")]
    FrameErr {
        /// Bus address.
        addr: u64,
    },
}
