//! Verbs, with the meaning that rdma-core gives them: protection domains, regions, completion queues, queue pairs.
//!
//! What the types forbid. A queue pair without a connection posts receives only:
//! ```compile_fail,E0599
//! fn post(qp: &ferrowarp::QueuePair, segment: ferrowarp::Segment) {
//!     drop(qp.post_send(1, &[segment], Default::default()));
//! }
//! ```
//! ```
//! use ferrowarp::{Connected, QueuePair, Segment};
//! fn post(qp: &QueuePair<Connected>, segment: Segment) {
//!     drop(qp.post_send(1, &[segment], Default::default()));
//! }
//! ```
//! A region does not outlive the buffer that it was made of, and nobody else has the buffer meanwhile:
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
//! No doorbell rings but by the end of a batch ([`Sends`], [`Receives`]), whatever way to the device a program has:
//! ```compile_fail,E0133
//! fn ring(device: &ferrowarp::Device, doorbell: ferrowarp_abi::codec::Doorbell) {
//!     drop(device.backend().doorbell(doorbell));
//! }
//! ```
//! ```compile_fail,E0133
//! fn region(device: &ferrowarp::Device, command: Vec<u8>) {
//!     drop(device.backend().admin(command));
//! }
//! ```
//! ```
//! fn look(device: &ferrowarp::Device) -> u64 {
//!     device.backend().ticks()
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
//!     drop(sends.send(1, &[segment], Default::default()));
//! }
//! ```
//! ```
//! fn ring(qp: &ferrowarp::QueuePair<ferrowarp::Connected>, segment: ferrowarp::Segment) {
//!     let mut sends = qp.sends();
//!     drop(sends.send(1, &[segment], Default::default()));
//!     drop(sends.ring());
//! }
//! ```
#[cfg(test)]
mod batch_tests;
mod channel;
mod cq;
#[cfg(test)]
mod data_path;
mod outstanding;
mod post;
mod qp;
mod qp_shared;
#[cfg(test)]
mod refused_tests;
mod region;
#[cfg(test)]
mod tests;
mod types;

pub use channel::{Arm, CompletionChannel};
pub use cq::CompletionQueue;
pub(crate) use cq::CqShared;
pub use post::{Receives, Sends};
pub use qp::{Connected, QpLimits, QpOptions, QpState, QueuePair, SendOptions, Unconnected};
pub(crate) use qp_shared::QpShared;
pub use region::{Access, MemoryRegion, ProtectionDomain, Segment};
pub use types::{Completion, Remote, Status, WcOpcode};
