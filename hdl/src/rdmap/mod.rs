// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMAP (RFC 5040): which messages there are and what DDP is to do for them.

mod rx_check;
mod tx_check;

pub use rx_check::RxCheck;
pub use tx_check::TxCheck;
