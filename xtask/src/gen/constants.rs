// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants for software and hardware, from the groups of abi and from its tables of opcodes and
//! errors.
use super::model::{comment, literal, Entry, Family, Group};
use ferrowarp_abi::constants::{Constant, FAMILIES};
use ferrowarp_abi::error::ERRORS;
use ferrowarp_abi::opcode::{OpcodeInfo, OPCODES};
use std::fmt::Write;

/// The groups that stand in `abi::constants`, by file.
fn written() -> Vec<Family> {
    let entry = |c: &Constant| Entry {
        name: c.name.into(),
        width: c.width,
        value: c.value,
        hex: c.hex,
        source: c.source.into(),
        doc: c.doc.into(),
    };
    let group = |g: &ferrowarp_abi::constants::Group| Group {
        name: g.name.into(),
        doc: g.doc.into(),
        constants: g.constants.iter().map(entry).collect(),
    };
    let family = |f: &ferrowarp_abi::constants::Family| Family {
        name: f.name.into(),
        doc: f.doc.into(),
        groups: f.groups.iter().map(group).collect(),
    };
    FAMILIES.iter().map(family).chain([super::registers::family()]).collect()
}

/// The same without regard to files.
pub fn plain() -> Vec<Group> {
    written().into_iter().flat_map(|f| f.groups).collect()
}

/// A property of opcodes: name of the set, who is in it, documentation.
type OpcodeSet = (&'static str, fn(&OpcodeInfo) -> bool, &'static str);

/// What hardware asks about an opcode.
const OPCODE_SETS: &[OpcodeSet] = &[
    ("known", |_| true, "Opcodes that are not reserved."),
    ("tagged", |o| o.tagged, "Opcodes of tagged messages."),
    ("on_queue_send", |o| o.queue == Some(0), "Opcodes of untagged queue 0."),
    ("on_queue_read_request", |o| o.queue == Some(1), "Opcodes of untagged queue 1."),
    ("on_queue_terminate", |o| o.queue == Some(2), "Opcodes of untagged queue 2."),
    ("invalidates", |o| o.invalidates, "Opcodes whose Invalidate STag field names an STag."),
    ("solicited", |o| o.solicited, "Opcodes with solicited event."),
    ("payload", |o| o.payload, "Opcodes that carry payload of the consumer."),
];

/// The groups that hardware has instead of enums: opcodes, sets of opcodes, errors.
pub fn derived() -> Vec<Group> {
    let opcode = |o: &OpcodeInfo| Entry {
        name: o.snake.into(),
        width: 4,
        value: o.opcode.to_bits().into(),
        hex: false,
        source: "RFC 5040 section 4.1".into(),
        doc: format!("{}.", o.name),
    };
    let set = |(name, has, doc): &OpcodeSet| Entry {
        name: name.to_string(),
        width: 16,
        value: OPCODES.iter().filter(|o| has(o)).map(|o| 1u128 << o.opcode.to_bits()).sum(),
        hex: true,
        source: "RFC 5040 section 4.1".into(),
        doc: doc.to_string(),
    };
    let error = |e: &ferrowarp_abi::error::ErrorInfo| Entry {
        name: e.snake.into(),
        width: 16,
        value: e.error.to_bits().into(),
        hex: true,
        source: e.source.into(),
        doc: e.doc.into(),
    };
    vec![
        Group {
            name: "opcode".into(),
            doc: "RDMAP opcodes.".into(),
            constants: OPCODES.iter().map(opcode).collect(),
        },
        Group {
            name: "opcode_set".into(),
            doc: "Sets of opcodes: bit n tells whether opcode n is in it.".into(),
            constants: OPCODE_SETS.iter().map(set).collect(),
        },
        Group {
            name: "term_error".into(),
            doc: "Errors as layer (4 bits), type (4 bits), code (8 bits): the first 16 bits of a Terminate header."
                .into(),
            constants: ERRORS.iter().map(error).collect(),
        },
    ]
}

/// `abi/src/gen/consts`: names of files and their texts.
pub fn software() -> Vec<(String, String)> {
    let head = "//! Constants, a module a group.\n";
    folder(head, &written(), |out, g| {
        for e in &g.constants {
            let (name, bits) = (e.name.to_uppercase(), super::model::uint(e.width));
            out.push_str(&comment(4, &format!("{} {}.", e.doc, e.source)));
            let _ = writeln!(out, "pub const {name}: u{bits} = {};", literal(e));
        }
    })
}

/// `hdl/src/gen/consts`: names of files and their texts.
pub fn hardware() -> Vec<(String, String)> {
    let head = "//! Constants for kernels, a module a group: `ether_type::ipv4().val()` under `#[kernel]`.\n";
    let mut families = written();
    families.push(Family { name: "tables".into(), doc: "opcodes and errors".into(), groups: derived() });
    folder(head, &families, |out, g| {
        let wide =
            if g.constants.iter().any(|e| e.width > 64) { "use rust_hdl::prelude::ToBits;\n" } else { "" };
        let _ = writeln!(out, "use crate::cell::Const;\nuse rust_hdl::prelude::Bits;\n{wide}");
        for e in &g.constants {
            let make = match e.width {
                65.. => format!("Const::new({}_u128.to_bits())", literal(e)),
                _ => format!("Const::of({})", literal(e)),
            };
            out.push_str(&comment(4, &format!("{} {}.", e.doc, e.source)));
            let _ = writeln!(out, "pub fn {}() -> Const<Bits<{}>> {{ {make} }}", e.name, e.width);
        }
    })
}

/// A file a family, whose groups `fill` writes, and `mod.rs`, which begins with `head` and shows
/// all of them.
fn folder(head: &str, families: &[Family], fill: impl Fn(&mut String, &Group)) -> Vec<(String, String)> {
    let mut index = format!("{head}\n");
    let mut files = vec![];
    for f in families {
        let mut text = format!("//! Constants of {}.\n", f.doc);
        for g in &f.groups {
            let _ = writeln!(text, "\n{}pub mod {} {{", comment(0, &g.doc), g.name);
            fill(&mut text, g);
            let _ = writeln!(text, "}}");
        }
        files.push((format!("{}.rs", f.name), text));
        let _ = writeln!(index, "mod {};", f.name);
    }
    index += "\n";
    for f in families {
        let _ = writeln!(index, "pub use {}::*;", f.name);
    }
    files.push(("mod.rs".into(), index));
    files
}
