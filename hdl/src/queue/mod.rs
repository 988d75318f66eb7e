//! Send, receive and completion queues, events and faults.

#[allow(missing_docs)] // the derive makes undocumented methods
mod ports;

pub use ports::{CqeItem, Fault, Rqe};
