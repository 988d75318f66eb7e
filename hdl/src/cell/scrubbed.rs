// SPDX-License-Identifier: MIT OR Apache-2.0
//! RAM that is blank after reset and has no undefined read.
use super::scrubbed_word::Written;
use super::{Const, Flop, Reg, Sdp};
use ferrowarp_kernel::kernel;
use rust_hdl::prelude::*;

/// [`Sdp`] of `2^A` words that are blank (zero) after reset: a word a cycle, so that `ready` rises
/// `2^A` cycles after the end of reset.
///
/// Before `ready` writes are dropped and every read gives the blank value. A read in the cycle in
/// which the same word is written gives the *new* value. Read data comes one cycle after
/// `read_enable` and stays until the next one.
///
/// The scrub writes one bit a word, which says that the rest does not count. So a word costs the
/// register of the bypass and one LUT4 a bit, which chooses between bypass, RAM and zero.
#[derive(LogicBlock, Default)]
pub struct ScrubbedRam<T: Synth, const A: usize> {
    /// Clock of both ports, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: begins the scrub.
    pub reset: Signal<In, Bit>,
    /// Writes `write_data` at the next edge.
    pub write_enable: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Its new value.
    pub write_data: Signal<In, T>,
    /// Loads `read_data` at the next edge.
    pub read_enable: Signal<In, Bit>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word last read.
    pub read_data: Signal<Out, T>,
    /// The scrub is over.
    pub ready: Signal<Out, Bit>,
    ram: Sdp<Written<T>, A>,
    blank: Const<T>,
    sweep: Reg<Bits<A>>,
    scrubbed: Reg<Bit>,
    /// What the last read gives instead of the RAM's word, if `bypassed`.
    bypass: Flop<T>,
    bypassed: Flop<Bit>,
    /// The last read was before `ready`.
    early: Flop<Bit>,
    live: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth, const A: usize> Logic for ScrubbedRam<T, A> {
    fn update(&mut self) {
        regs!(sweep, scrubbed);
        flops!(bypass, bypassed, early);
        clocked!(ram);
        self.ready.next = self.scrubbed.q.val();
        self.ram.write_enable.next = self.write_enable.val() || !self.scrubbed.q.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next.value = self.write_data.val();
        self.ram.write_data.next.live = self.scrubbed.q.val();
        self.ram.read_enable.next = self.read_enable.val();
        self.ram.read_address.next = self.read_address.val();
        if self.read_enable.val() {
            self.bypass.d.next = self.write_data.val();
            self.bypassed.d.next =
                self.write_enable.val() && (self.write_address.val() == self.read_address.val());
            self.early.d.next = !self.scrubbed.q.val();
        }
        if !self.scrubbed.q.val() {
            self.ram.write_address.next = self.sweep.q.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.scrubbed.d.next = self.sweep.q.val().all();
        }
        self.live.next = self.ram.read_data.val().live && !self.early.q.val();
        self.read_data.next = self.blank.val();
        if self.live.val() {
            self.read_data.next = self.ram.read_data.val().value;
        }
        if self.bypassed.q.val() && !self.early.q.val() {
            self.read_data.next = self.bypass.q.val();
        }
    }
}
