// SPDX-License-Identifier: MIT OR Apache-2.0
//! One header-channel item as a record.
use rust_hdl::prelude::*;

/// Header octets and the flags that a frame is rebuilt from; `data` holds the low bits. Fields as
/// in [`super::HeaderSource`].
///
/// `Synth` and the accessors stand here because Rust-HDL's `LogicStruct` derive refuses generics.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Header<const HB: usize> {
    /// The octets, octet 0 in bits 7:0.
    pub data: Bits<HB>,
    /// No payload follows.
    pub empty: Bit,
    /// With `empty`: the frame is bad.
    pub err: Bit,
}

#[allow(missing_docs)] // names that the kernel macro looks for; one width and offset a field
impl<const HB: usize> Header<HB> {
    pub fn get_my_width_data(&self) -> usize {
        HB
    }
    pub fn get_my_offset_data(&self) -> usize {
        0
    }
    pub fn get_my_width_empty(&self) -> usize {
        1
    }
    pub fn get_my_offset_empty(&self) -> usize {
        HB
    }
    pub fn get_my_width_err(&self) -> usize {
        1
    }
    pub fn get_my_offset_err(&self) -> usize {
        HB + 1
    }
}

impl<const HB: usize> Synth for Header<HB> {
    const BITS: usize = HB + 2;
    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Header".into(), kind: TypeKind::Bits(Self::BITS) }
    }
    fn vcd(self) -> VCDValue {
        VCDValue::Composite(vec![
            Box::new(self.data.vcd()),
            Box::new(self.empty.vcd()),
            Box::new(self.err.vcd()),
        ])
    }
    fn verilog(self) -> VerilogLiteral {
        assert!(self == Self::default(), "a Header literal is only used as a zero reset value");
        0_u32.into()
    }
}

/// Octets of a beat and octets of the header in the last beat it touches (`1..=W/8`).
///
/// Panics at elaboration when the parameters of a header cell do not belong together.
pub(super) fn header_layout<const W: usize, const K: usize, const HB: usize, const NB: usize>(
) -> (usize, usize) {
    let (octets, header) = (W / 8, HB / 8);
    assert!(octets.is_power_of_two() && octets >= 8, "W = {W} bits is not a power of two of at least 64");
    assert!(K == super::bytes_width(W), "K = {K}, must be {} at W = {W}", super::bytes_width(W));
    assert!(HB.is_multiple_of(8) && HB > 0, "HB = {HB} bits is not a whole number of octets");
    assert!(
        NB == header.div_ceil(octets),
        "NB = {NB}, must be {} for {header} octets",
        header.div_ceil(octets)
    );
    assert!(NB < 15, "a header of {NB} beats is more than the beat counter holds");
    (octets, header - (NB - 1) * octets)
}
