//! TCP: segments to in-order octets, FPDUs to segments.

#[allow(missing_docs)] // the derive makes undocumented methods
mod ports;
mod tx;
mod tx_ack;
mod tx_fields;
mod tx_head;
mod tx_insert;
mod tx_pad;
#[allow(missing_docs)] // the derive makes undocumented methods
mod tx_row;
mod tx_seq;
mod tx_stack;
mod tx_sum;
mod tx_weave;
mod tx_wire;

pub use ports::{ctl_kind, Grant, RxCtl, TxFact, TxFpdu};
pub use tx::TcpTx;
