//! TCP: segments to in-order octets, FPDUs to segments.

#[allow(missing_docs)] // the derive makes undocumented methods
mod ports;

pub use ports::{ctl_kind, Grant, RxCtl, TxFact, TxFpdu};
