// SPDX-License-Identifier: MIT OR Apache-2.0
//! What passes between two stages, as pulses.
use crate::cell::Reg;
use rust_hdl::prelude::*;

/// A pulse for each item that `N` channels carry, and for each frame of a stream, a cycle later.
///
/// It only listens: who offers and who takes are the stages'.
#[derive(LogicBlock, Default)]
pub struct Taps<const N: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Bit i: channel i offers an item.
    pub valid: Signal<In, Bits<N>>,
    /// Bit i: it is taken if it is offered.
    pub ready: Signal<In, Bits<N>>,
    /// Bit i: one was.
    pub pulse: Signal<Out, Bits<N>>,
    /// The stream offers a beat,
    pub frame_valid: Signal<In, Bit>,
    /// which is a frame's last,
    pub frame_last: Signal<In, Bit>,
    /// and is taken.
    pub frame_ready: Signal<In, Bit>,
    /// It was.
    pub frame: Signal<Out, Bit>,
    items: Reg<Bits<N>>,
    frames: Reg<Bit>,
}

impl<const N: usize> Logic for Taps<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, items, frames);
        self.items.reset.next = self.reset.val();
        self.frames.reset.next = self.reset.val();
        self.items.d.next = self.valid.val() & self.ready.val();
        self.frames.d.next = self.frame_valid.val() && self.frame_last.val() && self.frame_ready.val();
        self.pulse.next = self.items.q.val();
        self.frame.next = self.frames.q.val();
    }
}
