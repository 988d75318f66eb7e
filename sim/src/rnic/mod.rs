// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole device that runs by itself: the Verilog with its PCI Express edge, a root complex, an
//! Ethernet port.
//!
//! [`Rnic`] is the handle: accesses to BARs, memory that the device may reach, interrupts. The
//! thread behind it is `runner`, which steps a `machine`. [`RnicFunction`] is the same as a PCI
//! function with configuration space, [`Served`] that one behind a vfio-user socket. Nothing here
//! knows what a register means, but that a connection in the hardware has timers (`timers`).

mod carried;
mod clock;
mod common;
mod desk;
mod far;
mod frames;
mod function;
mod handle;
mod idle;
mod lockstep;
mod machine;
mod messages;
mod order;
mod pair;
mod part;
mod recording;
mod replay;
mod runner;
mod served;
mod threads;
mod timers;
mod trace;
mod wires;

pub use carried::{CarriedConfig, CarrierWatch};
pub use clock::{Clock, Held};
pub use common::{CommonConfig, CommonDevice, THINK};
pub use function::RnicFunction;
pub use handle::Rnic;
pub use idle::PATIENCE;
pub use machine::BoardCable;
pub use order::{RnicConfig, RnicError, RnicStats};
pub use pair::PairConfig;
pub use recording::{Passed, Recording};
pub use replay::{Replay, Replayed};
pub use served::{Served, ServedError};
pub use trace::TraceFiles;
pub use wires::{line, wire, DELAY_NS};
