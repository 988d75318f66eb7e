// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of constants. `cargo xtask gen` writes them as Rust constants into [`crate::consts`] and
//! as functions that make `Const` fields into `hdl/src/gen/consts`.

mod csr;
mod host;
mod wire;

/// Groups of one subject: one file in each generated folder.
#[derive(Copy, Clone, Debug)]
pub struct Family {
    /// Name of the file.
    pub name: &'static str,
    /// What they are constants of.
    pub doc: &'static str,
    /// The groups.
    pub groups: &'static [Group],
}

/// Every group that is not derived from the tables of opcodes and errors.
pub const FAMILIES: &[Family] = &[
    Family { name: "wire", doc: "the wire", groups: wire::GROUPS },
    Family { name: "host", doc: "the host interface", groups: host::GROUPS },
    Family { name: "edge", doc: "the bus edge", groups: csr::GROUPS },
];

/// A group of constants: one module in the generated files.
#[derive(Copy, Clone, Debug)]
pub struct Group {
    /// Name of the module.
    pub name: &'static str,
    /// What they are constants of.
    pub doc: &'static str,
    /// The constants.
    pub constants: &'static [Constant],
}

/// One constant.
#[derive(Copy, Clone, Debug)]
pub struct Constant {
    /// `snake_case`; in Rust upper case.
    pub name: &'static str,
    /// Width in bits of the field it is compared with, 1 to 128.
    pub width: usize,
    /// Value.
    pub value: u128,
    /// Written in hexadecimal: a code or a mask, not a quantity.
    pub hex: bool,
    /// Document and section.
    pub source: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// A quantity.
const fn c(
    name: &'static str,
    width: usize,
    value: u128,
    source: &'static str,
    doc: &'static str,
) -> Constant {
    assert!(width >= 1 && width <= 128, "a constant has 1 to 128 bits");
    assert!(width == 128 || value >> width == 0, "the value does not fit the constant's width");
    Constant { name, width, value, hex: false, source, doc }
}

/// A code or a mask.
const fn x(
    name: &'static str,
    width: usize,
    value: u128,
    source: &'static str,
    doc: &'static str,
) -> Constant {
    Constant { hex: true, ..c(name, width, value, source, doc) }
}
