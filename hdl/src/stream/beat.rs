// SPDX-License-Identifier: MIT OR Apache-2.0
//! One beat of a stream as a record, so that one register or RAM carries all of it.
use rust_hdl::prelude::*;

/// Width of the `bytes` field of a `w`-bit stream: it holds `0..=w/8`.
pub const fn bytes_width(w: usize) -> usize {
    (w / 8).ilog2() as usize + 1
}

/// Data, octet count, last and err of one beat; `data` holds the low bits.
///
/// Rust-HDL's `LogicStruct` derive refuses generics, so `Synth` and the accessors it would make
/// stand here.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Beat<const W: usize, const K: usize> {
    /// Octet 0 is bits 7:0.
    pub data: Bits<W>,
    /// Octets valid.
    pub bytes: Bits<K>,
    /// Last beat of the frame.
    pub last: Bit,
    /// The frame is bad.
    pub err: Bit,
}

#[allow(missing_docs)] // names that the kernel macro looks for; one width and offset a field
impl<const W: usize, const K: usize> Beat<W, K> {
    pub fn get_my_width_data(&self) -> usize {
        W
    }
    pub fn get_my_offset_data(&self) -> usize {
        0
    }
    pub fn get_my_width_bytes(&self) -> usize {
        K
    }
    pub fn get_my_offset_bytes(&self) -> usize {
        W
    }
    pub fn get_my_width_last(&self) -> usize {
        1
    }
    pub fn get_my_offset_last(&self) -> usize {
        W + K
    }
    pub fn get_my_width_err(&self) -> usize {
        1
    }
    pub fn get_my_offset_err(&self) -> usize {
        W + K + 1
    }
}

impl<const W: usize, const K: usize> Synth for Beat<W, K> {
    const BITS: usize = W + K + 2;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Beat".into(), kind: TypeKind::Bits(Self::BITS) }
    }
    fn vcd(self) -> VCDValue {
        VCDValue::Composite(vec![
            Box::new(self.data.vcd()),
            Box::new(self.bytes.vcd()),
            Box::new(self.last.vcd()),
            Box::new(self.err.vcd()),
        ])
    }
    fn verilog(self) -> VerilogLiteral {
        assert!(self == Self::default(), "a Beat literal is only used as a zero reset value");
        0_u32.into()
    }
}
