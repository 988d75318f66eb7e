// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames into a device that may be in reset.
use crate::prelude::*;
use crate::stream::{StreamSink, StreamSource};

/// Passes whole frames while `open`, and drops whole ones otherwise: no device sees a frame without
/// its beginning.
///
/// **Timing.** No cycle: wires and a gate.
#[block]
pub struct RxGate<const W: usize, const K: usize> {
    /// Frames may begin to pass.
    pub open: Signal<In, Bit>,
    /// One passes.
    pub passing: Signal<Out, Bit>,
    /// Frames from the wire.
    pub rx: StreamSink<W, K>,
    /// Frames for the device.
    pub tx: StreamSource<W, K>,
    /// Inside a frame, and that passes.
    busy: Reg<Bit>,
    passes: Reg<Bit>,
    pass: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for RxGate<W, K> {
    fn update(&mut self) {
        regs!(busy, passes);
        self.pass.next = self.open.val();
        if self.busy.q.val() {
            self.pass.next = self.passes.q.val();
        }
        let taken: Bit = !self.pass.val() || self.tx.ready.val();
        self.tx.data.next = self.rx.data.val();
        self.tx.bytes.next = self.rx.bytes.val();
        self.tx.last.next = self.rx.last.val();
        self.tx.err.next = self.rx.err.val();
        self.tx.valid.next = self.rx.valid.val() && self.pass.val();
        self.rx.ready.next = taken;
        self.passing.next = (self.busy.q.val() || self.rx.valid.val()) && self.pass.val();
        // one that is offered and passes is begun, so that it stays offered
        if self.rx.valid.val() {
            self.busy.d.next = true;
            self.passes.d.next = self.pass.val();
            if taken && self.rx.last.val() {
                self.busy.d.next = false;
            }
        }
    }
}
