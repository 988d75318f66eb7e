// SPDX-License-Identifier: MIT OR Apache-2.0
//! A word of a scrubbed RAM and whether it was ever written, as a record.
use rust_hdl::prelude::*;

/// A value and whether it counts.
///
/// Rust-HDL's `LogicStruct` derive refuses generics, so `Synth` and the accessors it would make
/// stand here.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Written<T: Synth> {
    /// The value; without meaning unless `live`.
    pub value: T,
    /// It was written since the scrub.
    pub live: Bit,
}

#[allow(missing_docs)] // names that the kernel macro looks for; one width and offset a field
impl<T: Synth> Written<T> {
    pub fn get_my_width_value(&self) -> usize {
        T::BITS
    }
    pub fn get_my_offset_value(&self) -> usize {
        0
    }
    pub fn get_my_width_live(&self) -> usize {
        1
    }
    pub fn get_my_offset_live(&self) -> usize {
        T::BITS
    }
}

impl<T: Synth> Synth for Written<T> {
    const BITS: usize = T::BITS + 1;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Written".into(), kind: TypeKind::Bits(Self::BITS) }
    }
    fn vcd(self) -> VCDValue {
        let fields = [self.value.vcd(), self.live.vcd()];
        VCDValue::Composite(fields.into_iter().map(Box::new).collect())
    }
    fn verilog(self) -> VerilogLiteral {
        assert!(self == Self::default(), "a Written literal is only used as zero");
        0_u32.into()
    }
}
