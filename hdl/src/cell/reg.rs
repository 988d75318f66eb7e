// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers. Neither form emits `initial`: a missing reset shows as a random value in simulation.
use ferrowarp_kernel::block;
use rust_hdl::prelude::*;

/// Register with synchronous reset, for control state. Reset wins over `d`.
///
/// In a kernel: `dff_setup!(self, clock, a)` wires the clock and holds the value, then one line
/// `self.a.reset.next = self.reset.val();`.
#[block]
pub struct Reg<T: Synth> {
    /// Value taken at the next rising edge.
    pub d: Signal<In, T>,
    /// Present value.
    pub q: Signal<Out, T>,
    _init: T,
}

impl<T: Synth> Reg<T> {
    /// A register that resets to `init`.
    pub fn new(init: T) -> Self {
        Self { _init: init, ..Default::default() }
    }
}

impl<T: Synth> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = if self.reset.val() { self._init } else { self.d.val() };
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let init = self._init.verilog();
        Verilog::Custom(format!("always @(posedge clock) if (reset) q <= {init}; else q <= d;\n"))
    }
}

/// Register without reset, for data that a valid bit elsewhere qualifies.
#[block(clock)]
pub struct Flop<T: Synth> {
    /// Value taken at the next rising edge.
    pub d: Signal<In, T>,
    /// Present value.
    pub q: Signal<Out, T>,
}

impl<T: Synth> Logic for Flop<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(posedge clock) q <= d;\n".into())
    }
}
