//! Whole devices under test, as the software of their hosts sees them: admin commands, queues in memory, doorbells.
//!
//! What is in host memory is Ferrowarp's own and is read and written with the codecs of `abi`, as a driver does; what is
//! on the wire is judged by others.

mod nic;
mod queues;
mod wire;

pub use nic::{Nic, NicError};
pub use queues::{Cq, Qp, RecvWork, SendWork};
pub use wire::{End, Wire};
