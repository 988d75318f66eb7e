// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MAC, its receive and transmit alone, and the FIFO between two clocks.
use crate::cell::AsyncFifo;
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::mac::{MacPort, MacRx, MacTx, LONGEST};
use rust_hdl::prelude::Bits;

/// Side by side; ports `port_core_clock` and `fifo_read_clock` are further clocks.
pub(super) fn mac(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::new("rx", || MacRx::new(LONGEST)),
        Part::new("tx", MacTx::new),
        Part::new("port", || MacPort::new(LONGEST)),
        Part::new("fifo", AsyncFifo::<Bits<16>, 3>::default),
    ];
    emit_beside(top, parts)
}
