// SPDX-License-Identifier: MIT OR Apache-2.0
//! RAM that is blank after reset, for owners that never read what they write.
use super::scrubbed_word::Written;
use super::{Const, Reg, Sdp};
use ferrowarp_kernel::kernel;
use rust_hdl::prelude::*;

/// [`Sdp`] of `2^A` words that are blank (zero) after reset: a word a cycle, so that `ready` rises
/// `2^A` cycles after the end of reset. Read data comes one cycle after `read_enable` and stays
/// until the next one.
///
/// What a [`super::ScrubbedRam`] is, without its bypass, a flip-flop and most of a LUT4 a bit: the
/// owner neither writes nor reads before `ready`, and what it reads in the cycle in which it writes
/// the same word is undefined.
#[derive(LogicBlock, Default)]
pub struct BlankRam<T: Synth, const A: usize> {
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
    /// The same, but without meaning unless `live`: an owner that asks `live` first spares a LUT4 a
    /// bit.
    pub word: Signal<Out, T>,
    /// The word last read was written since the scrub.
    pub live: Signal<Out, Bit>,
    /// The scrub is over.
    pub ready: Signal<Out, Bit>,
    ram: Sdp<Written<T>, A>,
    blank: Const<T>,
    sweep: Reg<Bits<A>>,
    scrubbed: Reg<Bit>,
}

impl<T: Synth, const A: usize> BlankRam<T, A> {
    /// One in block RAM, see [`Sdp::block`].
    pub fn block() -> Self {
        Self { ram: Sdp::block(), ..Default::default() }
    }
}

#[kernel]
impl<T: Synth, const A: usize> Logic for BlankRam<T, A> {
    fn update(&mut self) {
        regs!(sweep, scrubbed);
        clocked!(ram);
        self.ready.next = self.scrubbed.q.val();
        self.ram.write_enable.next = self.write_enable.val() || !self.scrubbed.q.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next.value = self.write_data.val();
        self.ram.write_data.next.live = self.scrubbed.q.val();
        self.ram.read_enable.next = self.read_enable.val();
        self.ram.read_address.next = self.read_address.val();
        if !self.scrubbed.q.val() {
            self.ram.write_address.next = self.sweep.q.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.scrubbed.d.next = self.sweep.q.val().all();
        }
        self.word.next = self.ram.read_data.val().value;
        self.live.next = self.ram.read_data.val().live;
        self.read_data.next = self.blank.val();
        if self.ram.read_data.val().live {
            self.read_data.next = self.ram.read_data.val().value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BlankRam;

    use rust_hdl::prelude::*;

    fn edge(ram: &mut BlankRam<Bits<8>, 2>) {
        for level in [true, false] {
            ram.clock.next = level.into();
            assert!(simulate(ram, 10));
        }
    }

    #[test]
    fn a_word_is_blank_until_it_is_written_and_again_after_reset() {
        let mut ram = BlankRam::<Bits<8>, 2>::block();
        ram.connect_all();
        for life in 0..2_u64 {
            ram.reset.next = true;
            edge(&mut ram);
            ram.reset.next = false;
            let mut cycles = 0;
            while !ram.ready.val() {
                edge(&mut ram);
                cycles += 1;
            }
            assert_eq!(cycles, 4);
            for i in 0..4_u64 {
                ram.read_enable.next = true;
                ram.read_address.next = i.into();
                ram.write_enable.next = false;
                edge(&mut ram);
                assert_eq!(ram.read_data.val(), Bits::<8>::from(0_u64), "word {i}");
                ram.read_enable.next = false;
                ram.write_enable.next = true;
                ram.write_address.next = i.into();
                ram.write_data.next = (0x40 + 0x10 * life + i).into();
                edge(&mut ram);
                ram.write_enable.next = false;
                ram.read_enable.next = true;
                edge(&mut ram);
                ram.read_enable.next = false;
                edge(&mut ram);
                assert_eq!(ram.read_data.val(), Bits::<8>::from(0x40 + 0x10 * life + i), "word {i}");
            }
        }
    }

    #[test]
    fn block_asks_for_block_ram() {
        let text = crate::emit::emit("ram", BlankRam::<Bits<8>, 2>::block).unwrap().verilog;
        assert!(text.contains("syn_ramstyle = \"block_ram\""), "{text}");
        let text = crate::emit::emit("ram", BlankRam::<Bits<8>, 2>::default).unwrap().verilog;
        assert!(!text.contains("ram_style"), "{text}");
    }
}
