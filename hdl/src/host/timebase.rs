//! The device's time (D8).
use crate::cell::{Const, Reg};
use rust_hdl::prelude::*;

/// Time for every stage. In an idle device no other part changes a register between two ticks.
///
/// A tick comes from a divider of the clock, or from a pin that somebody else drives (a simulator whose peer lives in wall
/// time). Timers of the stages hold a deadline and compare `now` with it; none counts down by itself, but one that runs.
///
/// **Timing.** `now` and `ticks` step in the cycle behind `tick`. The divider goes on while the pin counts.
#[derive(LogicBlock, Default)]
pub struct Timebase {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: power-up.
    pub reset: Signal<In, Bit>,
    /// Reset of the stages: divider and round begin anew, and no tick comes meanwhile.
    pub core_reset: Signal<In, Bit>,
    /// Reset of the registers: `ticks` and `cycles` are 0.
    pub regs_reset: Signal<In, Bit>,
    /// A pulse of one clock cycle for each tick from outside.
    pub pin: Signal<In, Bit>,
    /// The pin counts, not the divider.
    pub use_pin: Signal<In, Bit>,
    /// A tick.
    pub tick: Signal<Out, Bit>,
    /// Ticks since power-up, modulo 2^32.
    pub now: Signal<Out, Bits<32>>,
    /// Pulse: a round is over, and each connection may have its next challenge ACK.
    pub renew: Signal<Out, Bit>,
    /// Ticks since the reset of the registers.
    pub ticks: Signal<Out, Bits<64>>,
    /// Clock cycles since the reset of the registers.
    pub cycles: Signal<Out, Bits<64>>,
    /// Cycles since the divider's last end.
    count: Reg<Bits<32>>,
    /// Ends of the divider in this round.
    ends: Reg<Bits<7>>,
    ticked: Reg<Bit>,
    stamp: Reg<Bits<32>>,
    shown_ticks: Reg<Bits<64>>,
    shown_cycles: Reg<Bits<64>>,
    last: Const<Bits<32>>,
    last_end: Const<Bits<7>>,
    divided: Signal<Local, Bit>,
    rounds: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
}

impl Timebase {
    /// A divider that ends every `cycles` clock cycles, and rounds of `round` of its ends.
    pub fn new(cycles: u64, round: u64) -> Self {
        assert!((2..=1 << 31).contains(&cycles), "a tick of {cycles} cycles");
        assert!((1..=128).contains(&round), "a round of {round} ends of the divider");
        Self {
            last: Const::of(cycles as usize - 1),
            last_end: Const::of(round as usize - 1),
            ..Default::default()
        }
    }
}

impl Logic for Timebase {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, ends, ticked, stamp, shown_ticks, shown_cycles);
        self.holds.next = self.reset.val() || self.core_reset.val();
        self.clears.next = self.reset.val() || self.regs_reset.val();
        self.count.reset.next = self.holds.val();
        self.ends.reset.next = self.holds.val();
        self.ticked.reset.next = self.holds.val();
        self.stamp.reset.next = self.reset.val();
        self.shown_ticks.reset.next = self.clears.val();
        self.shown_cycles.reset.next = self.clears.val();

        self.divided.next = self.count.q.val() == self.last.val();
        self.rounds.next = self.divided.val() && (self.ends.q.val() == self.last_end.val());
        self.count.d.next = self.count.q.val() + 1;
        if self.divided.val() {
            self.count.d.next = 0.into();
            self.ends.d.next = self.ends.q.val() + 1;
        }
        if self.rounds.val() {
            self.ends.d.next = 0.into();
        }
        self.ticked.d.next = self.divided.val();
        if self.use_pin.val() {
            self.ticked.d.next = self.pin.val();
        }
        if self.ticked.q.val() {
            self.stamp.d.next = self.stamp.q.val() + 1;
            self.shown_ticks.d.next = self.shown_ticks.q.val() + 1;
        }
        self.shown_cycles.d.next = self.shown_cycles.q.val() + 1;

        self.tick.next = self.ticked.q.val();
        self.now.next = self.stamp.q.val();
        self.renew.next = self.rounds.val();
        self.ticks.next = self.shown_ticks.q.val();
        self.cycles.next = self.shown_cycles.q.val();
    }
}
