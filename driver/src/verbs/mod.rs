// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verbs, with the meaning that rdma-core gives them: protection domains, regions, completion
//! queues, queue pairs.
//!
//! What the types forbid. A queue pair without a connection posts receives only:
//! ```compile_fail,E0599
//! fn post(qp: &ferrowarp::QueuePair, segment: ferrowarp::Segment) {
//!     drop(qp.send(1, &[segment]).post());
//! }
//! ```
//! ```
//! use ferrowarp::{Connected, QueuePair, Segment};
//! fn post(qp: &QueuePair<Connected>, segment: Segment) {
//!     drop(qp.send(1, &[segment]).post());
//! }
//! ```
//! A region does not outlive the buffer that it was made of, and nobody else has the buffer
//! meanwhile:
//! ```compile_fail,E0521
//! fn outlives(pd: &ferrowarp::ProtectionDomain, buffer: &mut [u8]) {
//!     let mut kept = None;
//!     drop(pd.with_registered(buffer, ferrowarp::Access::ALL, |region| kept = Some(region)));
//! }
//! ```
//! ```
//! fn inside(pd: &ferrowarp::ProtectionDomain, buffer: &mut [u8]) {
//!     let mut kept = None;
//!     drop(pd.with_registered(buffer, ferrowarp::Access::ALL, |region| kept = Some(region.stag())));
//! }
//! ```
//! ```compile_fail,E0499
//! # fn example(pd: &ferrowarp::ProtectionDomain) {
//! let mut buffer = vec![0; 4096];
//! let written = pd.with_registered(&mut buffer, ferrowarp::Access::ALL, |_| buffer.fill(1));
//! # }
//! ```
//! ```
//! # fn example(pd: &ferrowarp::ProtectionDomain) {
//! let mut buffer = vec![0; 4096];
//! let written = pd.with_registered(&mut buffer, ferrowarp::Access::ALL, |region| region.memory().write(0, &[1]));
//! buffer.fill(1);
//! # }
//! ```
//! No doorbell rings but by the end of a batch ([`Sends`], [`Receives`]), and what looks at a
//! device changes nothing of it:
//! ```compile_fail,E0599
//! fn deafen(device: &ferrowarp::Device, mac: ferrowarp_abi::types::MacAddr) {
//!     drop(device.backend().receive(mac));
//! }
//! ```
//! ```compile_fail,E0599
//! fn deafen(device: &ferrowarp::Device, mac: ferrowarp_abi::types::MacAddr) {
//!     drop(device.inspect().receive(mac));
//! }
//! ```
//! ```
//! fn look(device: &ferrowarp::Device) -> u64 {
//!     device.inspect().ticks()
//! }
//! ```
//! A way to a device of a program's own promises what memory is given back on, and says so:
//! ```compile_fail,E0200
//! # use ferrowarp::backend::{Backend, BackendError, Capabilities, PciBackend, Pending};
//! # use std::sync::Arc;
//! #[derive(Debug)]
//! struct Logs(PciBackend);
//! impl Backend for Logs {
//! #   fn capabilities(&self) -> Capabilities { self.0.capabilities() }
//! #   fn arena(&self) -> &Arc<ferrowarp::dma::Arena> { self.0.arena() }
//! #   fn map(&self, memory: Arc<ferrowarp::dma::DmaMemory>, writable: bool) -> Result<u64, BackendError> { self.0.map(memory, writable) }
//! #   unsafe fn unmap(&self, iova: u64, most: std::time::Duration) -> Result<(), BackendError> { unsafe { self.0.unmap(iova, most) } }
//! #   unsafe fn doorbell(&self, doorbell: ferrowarp_abi::codec::Doorbell) -> Result<(), BackendError> { unsafe { self.0.doorbell(doorbell) } }
//! #   unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> { unsafe { self.0.admin(command) } }
//! #   fn reset(&self) -> Result<(), BackendError> { self.0.reset() }
//! #   fn ticks(&self) -> u64 { self.0.ticks() }
//!     // ...
//! }
//! ```
//! ```compile_fail,E0603
//! use ferrowarp::rings::SendRing;
//! ```
//! ```compile_fail,E0599
//! fn ring(qp: &ferrowarp::QueuePair<ferrowarp::Connected>) {
//!     drop(qp.ring());
//! }
//! ```
//! ```compile_fail,E0382
//! fn ring(qp: &ferrowarp::QueuePair<ferrowarp::Connected>, segment: ferrowarp::Segment) {
//!     let mut sends = qp.sends();
//!     drop(sends.ring());
//!     drop(sends.send(1, &[segment]).post());
//! }
//! ```
//! ```
//! fn ring(qp: &ferrowarp::QueuePair<ferrowarp::Connected>, segment: ferrowarp::Segment) {
//!     let mut sends = qp.sends();
//!     drop(sends.send(1, &[segment]).post());
//!     drop(sends.ring());
//! }
//! ```
#[cfg(test)]
mod batch_tests;
mod cells;
mod channel;
#[cfg(test)]
mod channel_tests;
mod completes;
mod completion_queue;
mod cq;
mod cq_options;
#[cfg(test)]
mod data_path;
#[cfg(test)]
mod descriptor_tests;
#[cfg(test)]
mod domain_tests;
#[cfg(test)]
mod end_tests;
#[cfg(test)]
mod half_tests;
#[cfg(test)]
mod lock_tests;
#[cfg(all(test, not(miri)))]
mod loom_tests;
#[cfg(test)]
mod named_tests;
mod options;
mod outstanding;
mod owned;
#[cfg(test)]
mod owned_tests;
mod phase;
mod post;
mod qp;
mod qp_again;
#[cfg(test)]
mod qp_again_tests;
mod qp_shared;
mod ready;
#[cfg(test)]
mod refused_tests;
mod region;
mod remote_region;
mod request;
#[cfg(test)]
mod room_tests;
#[cfg(test)]
pub(crate) mod tests;
mod types;
#[cfg(test)]
mod untold_tests;

pub use channel::CompletionChannel;
pub use completion_queue::CompletionQueue;
pub use cq_options::CqOptions;
pub use options::{QpLimits, QpOptions};
pub use owned::{OwnedRegion, RegisterError};
pub use post::{Receives, Sends};
pub use qp::{Connected, QueuePair, Unconnected};
pub(crate) use qp_shared::QpShared;
pub use region::{Access, MemoryRegion, ProtectionDomain, Segment};
pub use remote_region::RemoteRegion;
pub use request::{AnyVerb, ReadVerb, SendVerb, WorkRequest, WriteVerb};
pub use types::{Arm, Completion, QpState, Remote, Status, WcOpcode};
