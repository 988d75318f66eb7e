// SPDX-License-Identifier: MIT OR Apache-2.0
//! One slot of the hash table without its key as a record, so that one RAM word carries all of it.
use rust_hdl::prelude::*;

/// What is compared before the key, the value and whether the slot is taken.
///
/// Rust-HDL's `LogicStruct` derive refuses generics, so `Synth` and the accessors it would make
/// stand here.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Tag<const VALUE: usize> {
    /// The key folded, under the bucket of the other half.
    pub check: Bits<12>,
    /// The bits of the key that fill no word.
    pub rest: Bits<4>,
    /// The key's value.
    pub value: Bits<VALUE>,
    /// The slot is taken; otherwise the rest has no meaning.
    pub taken: Bit,
}

#[allow(missing_docs)] // names that the kernel macro looks for; one width and offset a field
impl<const VALUE: usize> Tag<VALUE> {
    pub fn get_my_width_check(&self) -> usize {
        12
    }
    pub fn get_my_offset_check(&self) -> usize {
        0
    }
    pub fn get_my_width_rest(&self) -> usize {
        4
    }
    pub fn get_my_offset_rest(&self) -> usize {
        12
    }
    pub fn get_my_width_value(&self) -> usize {
        VALUE
    }
    pub fn get_my_offset_value(&self) -> usize {
        16
    }
    pub fn get_my_width_taken(&self) -> usize {
        1
    }
    pub fn get_my_offset_taken(&self) -> usize {
        16 + VALUE
    }
}

impl<const VALUE: usize> Synth for Tag<VALUE> {
    const BITS: usize = VALUE + 17;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Tag".into(), kind: TypeKind::Bits(Self::BITS) }
    }
    fn vcd(self) -> VCDValue {
        let fields = [self.check.vcd(), self.rest.vcd(), self.value.vcd(), self.taken.vcd()];
        VCDValue::Composite(fields.into_iter().map(Box::new).collect())
    }
    fn verilog(self) -> VerilogLiteral {
        assert!(self == Self::default(), "a Tag literal is only used as zero");
        0_u32.into()
    }
}
