// SPDX-License-Identifier: MIT OR Apache-2.0
//! FIFO between two clocks: the one cell with two of them.
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// FIFO of `2^A` records, `A` from 2 to 6: written on `clock`, read on `read_clock`. Nothing is
/// assumed of the frequencies and phases of the two.
///
/// Each side sees the pointer of the other side in Gray code, two edges late. `rx_ready` may thus
/// be low with a free place, and `tx_valid` low with a record, but neither is high wrongly. Both
/// resets are high together for four cycles of the slower clock; a reset of one side alone leaves
/// the FIFO undefined.
#[derive(LogicBlock, Default)]
pub struct AsyncFifo<T: Synth, const A: usize> {
    /// Clock of `rx`, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset on `clock`, active high.
    pub reset: Signal<In, Bit>,
    /// Clock of `tx`, rising edge.
    pub read_clock: Signal<In, Clock>,
    /// Synchronous reset on `read_clock`, active high.
    pub read_reset: Signal<In, Bit>,
    /// Record in, with `rx_valid`.
    pub rx_item: Signal<In, T>,
    /// A record is offered.
    pub rx_valid: Signal<In, Bit>,
    /// The record is taken; from registers of `clock`.
    pub rx_ready: Signal<Out, Bit>,
    /// Record out, with `tx_valid`.
    pub tx_item: Signal<Out, T>,
    /// A record is offered; from registers of `read_clock`.
    pub tx_valid: Signal<Out, Bit>,
    /// The record is taken.
    pub tx_ready: Signal<In, Bit>,
    _words: BTreeMap<u64, T>,
    _at: Pointers,
}

/// Pointers of Rust-HDL's own simulation, in binary, without end.
#[derive(Copy, Clone, Default)]
struct Pointers {
    written: u64,
    read: u64,
    /// `written` on the way to the reader: one edge late, two edges late.
    written_seen: [u64; 2],
    /// `read` on the way to the writer.
    read_seen: [u64; 2],
}

impl<T: Synth, const A: usize> Logic for AsyncFifo<T, A> {
    fn update(&mut self) {
        let was = self._at;
        if self.clock.pos_edge() {
            if self.rx_valid.val() && self.rx_ready.val() {
                self._words.insert(was.written % (1 << A), self.rx_item.val());
                self._at.written += 1;
            }
            self._at.read_seen = [was.read, was.read_seen[0]];
            if self.reset.val() {
                (self._at.written, self._at.read_seen) = (0, [0; 2]);
            }
        }
        if self.read_clock.pos_edge() {
            self._at.read += u64::from(self.tx_valid.val() && self.tx_ready.val());
            self._at.written_seen = [was.written, was.written_seen[0]];
            if self.read_reset.val() {
                (self._at.read, self._at.written_seen) = (0, [0; 2]);
            }
        }
        let now = self._at;
        self.rx_ready.next = now.written.wrapping_sub(now.read_seen[1]) != 1 << A;
        self.tx_valid.next = now.read != now.written_seen[1];
        self.tx_item.next = self._words.get(&(now.read % (1 << A))).copied().unwrap_or_default();
    }
    fn connect(&mut self) {
        self.rx_ready.connect();
        self.tx_item.connect();
        self.tx_valid.connect();
    }
    fn hdl(&self) -> Verilog {
        assert!((2..=6).contains(&A), "an AsyncFifo has 4 to 64 places, not 2^{A}");
        let (bits, top, low) = (T::BITS - 1, (1_u64 << A) - 1, A - 1);
        Verilog::Custom(format!(
            "reg [{bits}:0] words[{top}:0];\n\
             reg [{A}:0] written, written_gray, read, read_gray;\n\
             (* async_reg = \"true\" *) reg [{A}:0] written_near, written_here, read_near, read_here;\n\
             wire [{A}:0] written_up = written + 1'b1, read_up = read + 1'b1;\n\
             always @(*) begin\n    \
             rx_ready = written_gray != {{~read_here[{A}:{low}], read_here[{rest}:0]}};\n    \
             tx_valid = read_gray != written_here;\n    \
             tx_item = words[read[{low}:0]];\n\
             end\n\
             always @(posedge clock) if (rx_valid && rx_ready) words[written[{low}:0]] <= rx_item;\n\
             always @(posedge clock) if (reset) {{written, written_gray, read_near, read_here}} <= 0; else begin\n    \
             read_near <= read_gray;\n    read_here <= read_near;\n    \
             if (rx_valid && rx_ready) begin\n        \
             written <= written_up;\n        written_gray <= written_up ^ (written_up >> 1);\n    end\n\
             end\n\
             always @(posedge read_clock) if (read_reset) {{read, read_gray, written_near, written_here}} <= 0; else begin\n    \
             written_near <= written_gray;\n    written_here <= written_near;\n    \
             if (tx_valid && tx_ready) begin\n        \
             read <= read_up;\n        read_gray <= read_up ^ (read_up >> 1);\n    end\n\
             end\n",
            rest = A - 2,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::AsyncFifo;
    use rust_hdl::prelude::Bits;

    #[test]
    fn the_text_is_short_and_has_no_initial_and_two_clocks() {
        let text = crate::emit::emit("fifo", AsyncFifo::<Bits<8>, 3>::default).unwrap().verilog;
        assert!(text.lines().count() <= 80 && !text.contains("initial"), "{text}");
        assert_eq!(text.matches("posedge read_clock").count(), 1, "{text}");
        assert!(text.contains("reg [7:0] words[7:0];"), "{text}");
    }

    #[test]
    #[should_panic(expected = "4 to 64 places")]
    fn a_fifo_of_two_places_is_refused() {
        rust_hdl::prelude::Logic::hdl(&AsyncFifo::<Bits<8>, 1>::default());
    }
}
