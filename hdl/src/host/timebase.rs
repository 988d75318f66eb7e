// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device's time (D8).
use crate::prelude::*;

/// All that the part keeps. Words of 32 bits, so that a reader of the whole register finds them.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TimeState {
    /// Cycles since the divider's last end; bits above 20 are zero.
    pub count: Bits<32>,
    /// Ticks since power-up, modulo 2^32.
    pub stamp: Bits<32>,
    /// Ticks since the reset of the registers.
    pub ticks: Bits<64>,
    /// Clock cycles since the reset of the registers.
    pub cycles: Bits<64>,
    /// Units of 10 us since power-up, modulo 2^24.
    pub fine: Bits<24>,
    /// Ends of the divider in this round.
    pub ends: Bits<7>,
}

/// Time for every stage. In an idle device no other part changes a register between two ticks.
///
/// A tick comes from a divider of the clock, or from a pin that somebody else drives (a simulator
/// whose peer lives in wall time). Timers of the stages hold a deadline and compare `now` with it;
/// none counts down by itself, but one that runs.
///
/// **Fine time.** Timers of TCP count units of 10 us, a hundredth of a tick. A divider of their own
/// gives the units, and `fine` is a pulse for each. While the pin counts, a tick of the pin is a
/// hundred units at once: then nothing is finer than the pin.
///
/// **Timing.** `now`, `ticks` and `fine_now` step in the cycle behind `tick` or `fine`. The divider
/// of ticks goes on while the pin counts.
#[block(clock)]
pub struct Timebase {
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
    /// Pulse: fine time moves on.
    pub fine: Signal<Out, Bit>,
    /// Units of 10 us since power-up, modulo 2^24.
    pub fine_now: Signal<Out, Bits<24>>,
    /// Pulse: a round is over, and each connection may have its next challenge ACK.
    pub renew: Signal<Out, Bit>,
    /// Ticks since the reset of the registers.
    pub ticks: Signal<Out, Bits<64>>,
    /// Clock cycles since the reset of the registers.
    pub cycles: Signal<Out, Bits<64>>,
    /// One register: a simulator that passes over cycles sets it.
    state: Reg<TimeState>,
    ticked: Reg<Bit>,
    fined: Reg<Bit>,
    /// Cycles since the last unit; 0 while the pin counts.
    fine_count: Reg<Bits<12>>,
    last: Const<Bits<20>>,
    last_fine: Const<Bits<12>>,
    last_end: Const<Bits<7>>,
    now_is: Signal<Local, TimeState>,
    units: Signal<Local, Bits<24>>,
}

/// Units of fine time in a tick.
const UNITS: u64 = 100;

impl Timebase {
    /// A divider that ends every `cycles` clock cycles, and rounds of `round` of its ends.
    pub fn new(cycles: u64, round: u64) -> Self {
        assert!((2..=1 << 20).contains(&cycles), "a tick of {cycles} cycles");
        assert!((1..=128).contains(&round), "a round of {round} ends of the divider");
        // a clock of less than 0.2 MHz, which benches have, has no units
        let unit = (cycles / UNITS).max(2);
        assert!(unit <= 1 << 12, "a unit of {unit} cycles: the clock is too fast");
        Self {
            last_fine: Const::of(unit as usize - 1),
            last: Const::of(cycles as usize - 1),
            last_end: Const::of(round as usize - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Timebase {
    fn update(&mut self) {
        regs!(state);
        flops!(ticked, fined, fine_count);
        let holds: Bit = self.reset.val() || self.core_reset.val();
        let clears: Bit = self.reset.val() || self.regs_reset.val();
        self.ticked.reset.next = holds;
        self.fined.reset.next = holds;
        self.fine_count.reset.next = holds;
        self.now_is.next = self.state.q.val();

        let divided: Bit = bit_cast::<20, 32>(self.now_is.val().count) == self.last.val();
        let rounds: Bit = divided && (self.now_is.val().ends == self.last_end.val());
        let count_up: Bits<20> = bit_cast::<20, 32>(self.now_is.val().count) + 1;
        self.state.d.next.count = bit_cast::<32, 20>(count_up);
        if divided {
            self.state.d.next.count = 0.into();
            self.state.d.next.ends = self.now_is.val().ends + 1;
        }
        if rounds {
            self.state.d.next.ends = 0.into();
        }
        if holds {
            self.state.d.next.count = 0.into();
            self.state.d.next.ends = 0.into();
        }
        self.ticked.d.next = divided;
        if self.use_pin.val() {
            self.ticked.d.next = self.pin.val();
        }
        if self.ticked.q.val() {
            self.state.d.next.stamp = self.now_is.val().stamp + 1;
            self.state.d.next.ticks = self.now_is.val().ticks + 1;
        }
        self.fine_count.d.next = self.fine_count.q.val() + 1;
        let unit: Bit = self.fine_count.q.val() == self.last_fine.val();
        self.fined.d.next = unit;
        if unit {
            self.fine_count.d.next = 0.into();
        }
        if self.use_pin.val() {
            self.fine_count.d.next = 0.into();
            self.fined.d.next = self.pin.val();
        }
        self.units.next = lit::<24>(1);
        if self.use_pin.val() {
            self.units.next = lit::<24>(UNITS as usize);
        }
        if self.fined.q.val() {
            self.state.d.next.fine = self.now_is.val().fine + self.units.val();
        }
        self.state.d.next.cycles = self.now_is.val().cycles + 1;
        if clears {
            self.state.d.next.ticks = 0.into();
            self.state.d.next.cycles = 0.into();
        }

        self.tick.next = self.ticked.q.val();
        self.now.next = self.now_is.val().stamp;
        self.renew.next = rounds;
        self.fine.next = self.fined.q.val();
        self.fine_now.next = self.now_is.val().fine;
        self.ticks.next = self.now_is.val().ticks;
        self.cycles.next = self.now_is.val().cycles;
    }
}
