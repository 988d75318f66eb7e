// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side, 16 queue pairs and 32 completion queues.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::host::{PostedFifo, RawRx, RawTx, ReadPort, Timebase, Watchdog};
use crate::params::{admin_of, doorbells_of};
use crate::queue::OwnEvents;

/// Its parts side by side; a tick has 8 cycles, a round 3 of them.
pub(super) fn host(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::new("admin", || {
            <admin_of!(
                qps_log2: 4, qps: 16, cqs_log2: 5, cqs: 32, regions_log2: 6, words_log2: 9,
            )>::new(2_048)
        }),
        Part::new("read", ReadPort::default),
        Part::new("post", PostedFifo::default),
        Part::new("db", <doorbells_of!(qps_log2: 4, cqs_log2: 5)>::new),
        Part::new("rawrx", RawRx::new),
        Part::new("rawtx", RawTx::new),
        Part::new("time", || Timebase::new(8, 3)),
        Part::new("dog", Watchdog::<4>::new),
        Part::new("own", OwnEvents::<3>::new),
    ];
    emit_beside(top, parts)
}
