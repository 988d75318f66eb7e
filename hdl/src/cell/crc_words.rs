//! CRC32c over a beat of whole 32-bit words, from a state that is given: the step of an FPDU's running CRC.
use rust_hdl::prelude::*;

/// Reflected polynomial of CRC32c.
const POLY: u32 = 0x82F6_3B78;

/// Combinational: `out` = CRC register after the first `words` words of `data`, from register `state`.
///
/// `words` 0 gives `state` back. The register is the value before the final complement; octet 0 of the beat
/// is bits 7:0. One matrix serves every count: the state is folded into the first word, the words are pushed
/// to the top of the beat, and the zeros that come in below leave a zero register alone. Tie `state` or `data`
/// to zero to split the sum over two pipeline steps (the CRC is linear).
#[derive(LogicBlock, Default)]
pub struct CrcWords<const W: usize, const LK: usize> {
    /// Register before the beat.
    pub state: Signal<In, Bits<32>>,
    /// Words, the first in bits 31:0.
    pub data: Signal<In, Bits<W>>,
    /// How many of them, `0..=W/32`.
    pub words: Signal<In, Bits<LK>>,
    /// Register after the beat.
    pub out: Signal<Out, Bits<32>>,
}

/// CRC register after one octet.
fn octet(state: u32, octet: u8) -> u32 {
    (0..8).fold(state ^ u32::from(octet), |c, _| if c & 1 == 1 { (c >> 1) ^ POLY } else { c >> 1 })
}

/// For each bit of the register the data bits of a `w`-bit beat whose parity it is, from a zero register.
fn rows(w: usize) -> Vec<Vec<bool>> {
    let mut rows = vec![vec![false; w]; 32];
    for bit in 0..w {
        let end = (0..w / 8).fold(0, |c, i| octet(c, if i == bit / 8 { 1 << (bit % 8) } else { 0 }));
        for (j, row) in rows.iter_mut().enumerate() {
            row[bit] = end >> j & 1 == 1;
        }
    }
    rows
}

/// A row as a Verilog literal.
fn literal(row: &[bool]) -> String {
    let digit = |nibble: &[bool]| nibble.iter().rev().fold(0, |v, b| v * 2 + u32::from(*b));
    let digits: String = row.chunks(4).rev().filter_map(|n| char::from_digit(digit(n), 16)).collect();
    format!("{}'h{digits}", row.len())
}

impl<const W: usize, const LK: usize> Logic for CrcWords<W, LK> {
    fn update(&mut self) {
        let (data, words) = (self.data.val(), self.words.val().to_u64() as usize);
        let mut c = self.state.val().to_u64() as u32;
        for i in 0..4 * words.min(W / 32) {
            c = octet(c, data.get_bits::<8>(8 * i).to_u64() as u8);
        }
        self.out.next = u64::from(c).into();
    }
    fn connect(&mut self) {
        self.out.connect();
    }
    fn hdl(&self) -> Verilog {
        let (top, words) = (W - 1, W / 32);
        let high = if W > 32 { format!("{{{}'d0, state}}", W - 32) } else { "state".into() };
        let mut text = format!(
            "reg [{top}:0] x;\nalways @(*) begin\n\
             x = (data ^ {high}) << {{({LK}'d{words} - words), 5'b00000}};\n"
        );
        for (j, row) in rows(W).iter().enumerate() {
            text += &format!("out[{j}] = (words == 0) ? state[{j}] : ^(x & {});\n", literal(row));
        }
        Verilog::Custom(text + "end\n")
    }
}

#[cfg(test)]
mod tests {
    use super::octet;

    #[test]
    fn the_check_value_of_crc32c() {
        assert_eq!(!b"123456789".iter().fold(!0, |c, o| octet(c, *o)), 0xE306_9283);
    }
}
