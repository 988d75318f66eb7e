// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constant matrix over GF(2): what CRC steps are made of.
use ferrowarp_kernel::block;
use rust_hdl::prelude::*;

/// Combinational: `y` = the sum (exclusive or) of the constant columns whose bit in `x` is set.
///
/// Emitted as 32 lines `^(x & constant)`, the form that Verilator runs fastest and that is not
/// larger in LUTs than a list of single bits. Only the range of `x` that has columns is named, so a
/// matrix can stand for a part of a wide word.
#[block(comb)]
pub struct Parity32<const W: usize> {
    /// The vector.
    pub x: Signal<In, Bits<W>>,
    /// The product.
    pub y: Signal<Out, Bits<32>>,
    _columns: Vec<u32>,
}

impl<const W: usize> Parity32<W> {
    /// The matrix whose product with bit `i` alone is `column(i)`; panics at elaboration if all are
    /// zero.
    pub fn new(column: impl Fn(usize) -> u32) -> Self {
        let columns: Vec<_> = (0..W).map(column).collect();
        assert!(columns.iter().any(|c| *c != 0), "a matrix without columns");
        Self { _columns: columns, ..Default::default() }
    }
}

/// Bits as a Verilog literal, the first one lowest.
fn literal(bits: &[bool]) -> String {
    let digit = |nibble: &[bool]| nibble.iter().rev().fold(0, |v, b| v << 1 | u32::from(*b));
    let digits: String = bits.chunks(4).rev().filter_map(|n| char::from_digit(digit(n), 16)).collect();
    format!("{}'h{digits}", bits.len())
}

impl<const W: usize> Logic for Parity32<W> {
    fn update(&mut self) {
        let x = self.x.val();
        let set = self._columns.iter().enumerate().filter(|(i, _)| x.get_bit(*i));
        self.y.next = u64::from(set.fold(0, |sum, (_, column)| sum ^ column)).into();
    }
    fn connect(&mut self) {
        self.y.connect();
    }
    fn hdl(&self) -> Verilog {
        let used = |i: &usize| self._columns[*i] != 0;
        let (low, high) = ((0..W).find(used).unwrap_or(0), (0..W).rfind(used).unwrap_or(0));
        let row = |j: usize| -> Vec<bool> {
            self._columns[low..=high].iter().map(|column| column >> j & 1 == 1).collect()
        };
        let lines = (0..32).map(|j| format!("y[{j}] = ^(x[{high}:{low}] & {});\n", literal(&row(j))));
        Verilog::Custom(format!("always @(*) begin\n{}end\n", lines.collect::<String>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_has_its_first_bit_lowest() {
        assert_eq!(literal(&[true, false, false, false, false, true]), "6'h21");
    }

    #[test]
    fn only_the_range_with_columns_is_named() {
        let make = || Parity32::<512>::new(|i| if (256..384).contains(&i) { 1 << (i % 32) } else { 0 });
        let text = crate::emit::emit("part", make).unwrap().verilog;
        assert!(text.contains("y[0] = ^(x[383:256] & 128'h00000001000000010000000100000001);"), "{text}");
        assert!(text.lines().count() <= 80);
    }
}
