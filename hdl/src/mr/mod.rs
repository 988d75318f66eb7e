//! Memory regions (RFC 5040 section 8.1.1, RFC 5041 section 8.1): who may reach which octets.

#[allow(missing_docs)] // the derive makes undocumented methods
mod ports;

pub use ports::{mr_error, MrAsk, MrSay};
