//! Verbs, with the meaning that rdma-core gives them: protection domains, regions, completion queues, queue pairs.
mod channel;
mod cq;
mod outstanding;
mod qp;
mod region;
#[cfg(test)]
mod tests;
mod types;

pub use channel::{Arm, CompletionChannel};
pub use cq::CompletionQueue;
pub(crate) use cq::CqShared;
pub(crate) use qp::QpShared;
pub use qp::{QpOptions, QueuePair, SendOptions};
pub use region::{Access, MemoryRegion, ProtectionDomain, Segment};
pub use types::{Completion, Remote, Status, WcOpcode};
