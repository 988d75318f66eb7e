// SPDX-License-Identifier: MIT OR Apache-2.0
//! What passes between two stages, as pulses.
use crate::prelude::*;

/// A pulse for each item that `N` channels carry, and for each frame of a stream, a cycle later.
///
/// It only listens: who offers and who takes are the stages'.
#[block]
pub struct Taps<const N: usize> {
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

#[kernel]
impl<const N: usize> Logic for Taps<N> {
    fn update(&mut self) {
        regs!(items, frames);
        self.items.d.next = self.valid.val() & self.ready.val();
        self.frames.d.next = self.frame_valid.val() && self.frame_last.val() && self.frame_ready.val();
        self.pulse.next = self.items.q.val();
        self.frame.next = self.frames.q.val();
    }
}
