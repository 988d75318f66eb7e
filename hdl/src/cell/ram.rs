// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simple dual-port RAM.
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// RAM of `2^A` words with one write and one read port on one clock; read data comes one cycle
/// after `read_enable` and stays until the next one.
///
/// The word read in the cycle in which it is written is undefined on the device: the emitted
/// `no_rw_check` spares the forwarding logic and its flip-flops. The owner bypasses or
/// never does it. Contents are undefined until written; in Rust-HDL's own simulator they are zero.
///
/// Wide words and many words go to block RAM whatever the tool's own rule is. A LUT RAM of an ECP5
/// takes six LUT4 for four bits of sixteen words. A LUT RAM of a Xilinx device takes a LUT6 for a
/// bit of 64 words. So Lattice's attribute `syn_ramstyle` asks for block RAM always, and Xilinx's
/// attribute `ram_style` only beyond 64 words.
#[derive(LogicBlock, Default)]
pub struct Sdp<T: Synth, const A: usize> {
    /// Clock of both ports, rising edge.
    pub clock: Signal<In, Clock>,
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
    _words: BTreeMap<u64, T>,
    _block: bool,
    /// log2 of the words if that is less than `A`, or 0.
    _short: usize,
}

/// Bits of a word from which a RAM of few words is worth its block RAMs, which an LFE5UM5G-85F has
/// 208 of.
const WIDE: usize = 400;

/// log2 of the words from which it is worth one even if narrow.
const DEEP: usize = 5;

/// log2 of the words that a LUT6 holds one bit of.
const LUT_DEEP: usize = 6;

impl<T: Synth, const A: usize> Sdp<T, A> {
    /// One in block RAM, however narrow and short: worth it where a LUT RAM would be many LUT4, see
    /// [`Sdp`].
    pub fn block() -> Self {
        Self { _block: true, ..Default::default() }
    }

    /// One of `2^deep` words: only the low bits of its addresses count. For depths that a kernel's
    /// constants cannot name.
    pub fn short(deep: usize) -> Self {
        assert!((1..=A).contains(&deep), "2^{deep} words under an address of {A} bits");
        Self { _short: deep, ..Default::default() }
    }

    /// log2 of the words.
    fn deep(&self) -> usize {
        if self._short == 0 {
            A
        } else {
            self._short
        }
    }

    /// The word meant by an address.
    fn index(&self, address: Bits<A>) -> u64 {
        address.to_u64() & ((1 << self.deep()) - 1)
    }
}

impl<T: Synth, const A: usize> Logic for Sdp<T, A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            let word = self._words.get(&self.index(self.read_address.val()));
            self.read_data.next = word.copied().unwrap_or_default();
        }
        if self.write_enable.val() {
            self._words.insert(self.index(self.write_address.val()), self.write_data.val());
        }
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        let deep = self.deep();
        let (msb, top) = (T::BITS - 1, (1_u64 << deep) - 1);
        let block = self._block || T::BITS >= WIDE || (deep >= DEEP && T::BITS > 32);
        let low = if self._short == 0 { String::new() } else { format!("[{}:0]", deep - 1) };
        let mut style = String::new();
        if block {
            style += ", syn_ramstyle = \"block_ram\"";
        }
        if block && deep > LUT_DEEP {
            style += ", ram_style = \"block\"";
        }
        Verilog::Custom(format!(
            "(* no_rw_check{style} *) reg [{msb}:0] words[{top}:0];\n\
             always @(posedge clock) if (write_enable) words[write_address{low}] <= write_data;\n\
             always @(posedge clock) if (read_enable) read_data <= words[read_address{low}];\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Sdp;
    use rust_hdl::prelude::*;

    fn edge<const A: usize>(ram: &mut Sdp<Bits<8>, A>) {
        for level in [true, false] {
            ram.clock.next = level.into();
            assert!(simulate(ram, 10));
        }
    }

    #[test]
    fn a_word_is_read_one_cycle_later_and_held() {
        let mut ram = Sdp::<Bits<8>, 2>::default();
        ram.connect_all();
        for i in 0..4_u64 {
            ram.write_enable.next = true;
            ram.write_address.next = i.into();
            ram.write_data.next = (0x10 + i).into();
            edge(&mut ram);
        }
        ram.write_enable.next = false;
        for i in [2_u64, 0, 3] {
            ram.read_enable.next = true;
            ram.read_address.next = i.into();
            edge(&mut ram);
            ram.read_enable.next = false;
            ram.read_address.next = (i ^ 1).into();
            edge(&mut ram);
            assert_eq!(ram.read_data.val(), Bits::<8>::from(0x10 + i));
        }
    }

    #[test]
    fn a_short_one_sees_only_the_low_bits_of_its_addresses() {
        let mut ram = Sdp::<Bits<8>, 4>::short(2);
        ram.connect_all();
        ram.write_enable.next = true;
        ram.write_address.next = 0b1001_u64.into();
        ram.write_data.next = 0x42_u64.into();
        edge(&mut ram);
        ram.write_enable.next = false;
        ram.read_enable.next = true;
        ram.read_address.next = 0b0101_u64.into();
        edge(&mut ram);
        assert_eq!(ram.read_data.val(), Bits::<8>::from(0x42_u64));
        let text = crate::emit::emit("ram", || Sdp::<Bits<8>, 4>::short(2)).unwrap().verilog;
        assert!(text.contains("words[3:0];") && text.contains("words[read_address[1:0]];"), "{text}");
    }

    #[test]
    fn emits_no_initial_and_no_forwarding() {
        let text = crate::emit::emit("ram", Sdp::<Bits<8>, 4>::default).unwrap().verilog;
        assert!(text.contains("(* no_rw_check *) reg [7:0] words[15:0];"), "{text}");
        assert!(!text.contains("initial"), "{text}");
    }

    #[test]
    fn a_xilinx_device_is_asked_for_block_ram_beyond_the_words_of_a_lut() {
        let text = crate::emit::emit("ram", Sdp::<Bits<40>, 6>::default).unwrap().verilog;
        assert!(text.contains("no_rw_check, syn_ramstyle = \"block_ram\" *)"), "{text}");
        let text = crate::emit::emit("ram", Sdp::<Bits<40>, 7>::default).unwrap().verilog;
        assert!(text.contains("syn_ramstyle = \"block_ram\", ram_style = \"block\" *)"), "{text}");
    }
}
