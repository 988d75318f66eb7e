//! One slot of the hash table as a record, so that one RAM word carries all of it.
use rust_hdl::prelude::*;

/// Key, value and whether the slot is taken; `key` holds the low bits.
///
/// Rust-HDL's `LogicStruct` derive refuses generics, so `Synth` and the accessors it would make stand here.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Entry<const KEY: usize, const VALUE: usize> {
    /// The key.
    pub key: Bits<KEY>,
    /// Its value.
    pub value: Bits<VALUE>,
    /// The slot is taken; otherwise the rest has no meaning.
    pub taken: Bit,
}

#[allow(missing_docs)] // names that the kernel macro looks for; one width and offset a field
impl<const KEY: usize, const VALUE: usize> Entry<KEY, VALUE> {
    pub fn get_my_width_key(&self) -> usize {
        KEY
    }
    pub fn get_my_offset_key(&self) -> usize {
        0
    }
    pub fn get_my_width_value(&self) -> usize {
        VALUE
    }
    pub fn get_my_offset_value(&self) -> usize {
        KEY
    }
    pub fn get_my_width_taken(&self) -> usize {
        1
    }
    pub fn get_my_offset_taken(&self) -> usize {
        KEY + VALUE
    }
}

impl<const KEY: usize, const VALUE: usize> Synth for Entry<KEY, VALUE> {
    const BITS: usize = KEY + VALUE + 1;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Entry".into(), kind: TypeKind::Bits(Self::BITS) }
    }
    fn vcd(self) -> VCDValue {
        let fields = [self.key.vcd(), self.value.vcd(), self.taken.vcd()];
        VCDValue::Composite(fields.into_iter().map(Box::new).collect())
    }
    fn verilog(self) -> VerilogLiteral {
        assert!(self == Self::default(), "an Entry literal is only used as zero");
        0_u32.into()
    }
}
