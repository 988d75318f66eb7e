//! The device's tick (D8).
use crate::cell::{Const, Reg};
use rust_hdl::prelude::*;

/// One pulse a tick, by which every timer counts: from a divider of the clock, or from a pin that somebody else drives
/// (a simulator whose peer lives in wall time).
#[derive(LogicBlock, Default)]
pub struct Ticker {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A pulse of one clock cycle for each tick from outside.
    pub pin: Signal<In, Bit>,
    /// The pin counts, not the divider.
    pub use_pin: Signal<In, Bit>,
    /// A tick.
    pub tick: Signal<Out, Bit>,
    count: Reg<Bits<32>>,
    ticks: Reg<Bit>,
    last: Const<Bits<32>>,
    ends: Signal<Local, Bit>,
}

impl Ticker {
    /// A divider that ticks every `cycles` clock cycles.
    pub fn new(cycles: u64) -> Self {
        assert!((2..=1 << 31).contains(&cycles), "a tick of {cycles} cycles");
        Self { last: Const::of(cycles as usize - 1), ..Default::default() }
    }
}

impl Logic for Ticker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, ticks);
        self.count.reset.next = self.reset.val();
        self.ticks.reset.next = self.reset.val();
        self.ends.next = self.count.q.val() == self.last.val();
        self.count.d.next = self.count.q.val() + 1;
        if self.ends.val() {
            self.count.d.next = 0.into();
        }
        self.ticks.d.next = self.ends.val();
        if self.use_pin.val() {
            self.ticks.d.next = self.pin.val();
        }
        self.tick.next = self.ticks.q.val();
    }
}
