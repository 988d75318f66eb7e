// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header records for Rust-HDL and their wiring to octets: `hdl/src/gen/<protocol>.rs`.
//!
//! Kernels cannot call helpers, so each layout gets two blocks of pure wiring. The order of octets
//! is turned here and nowhere else. Every term is a slice or a widened slice, shifted left by a
//! literal inside parentheses: no form of the cookbook's table "wrong without an error" occurs.
use super::model::{comment, joined, runs, snake, Run};
use ferrowarp_abi::all::protocols;
use ferrowarp_abi::protocol::Protocol;
use ferrowarp_abi::table::{Access, Field, Layout};
use std::fmt::Write;

/// Widest number that is put together octet by octet; wider ones are put together from such.
const CHUNK: usize = 64;

/// The file of one protocol.
pub fn file(protocol: &Protocol) -> String {
    let mut out = format!("//! Header records of {} and their wiring.\n", protocol.title);
    out += "#![allow(missing_docs)] // the derives make undocumented methods\n";
    out += "use rust_hdl::prelude::*;\n\n";
    for (_, layout) in protocol.layouts {
        record(&mut out, layout);
        unpack(&mut out, layout);
        pack(&mut out, layout);
    }
    out
}

/// `hdl/src/gen/mod.rs`.
pub fn index() -> String {
    let mut out = String::from(
        "//! Header records, their wiring and constants, written from the tables of `ferrowarp-abi`.\n\
         //!\n\
         //! A record holds multi-octet fields as numbers. `Unpack*` makes it of the octets that a header split\n\
         //! delivers (octet 0 = bits 7:0), `Pack*` makes the octets for a header join, reserved bits zero.\n\
         //! Both are wiring without a register.\n\n\
         pub mod consts;\n\n",
    );
    for p in protocols() {
        let _ = writeln!(out, "mod {};", p.name);
    }
    out += "\n";
    for p in protocols() {
        let _ = writeln!(out, "pub use {}::*;", p.name);
    }
    out += "\n/// Calls `$each!(snake_case_name, Record, Unpack, Pack, bits)` for every layout.\n";
    out += "#[cfg(test)]\nmacro_rules! each_record {\n($each:ident) => {\n";
    for (_, layout) in protocols().flat_map(|p| p.layouts) {
        let name = layout.name;
        let _ =
            writeln!(out, "$each!({}, {name}, Unpack{name}, Pack{name}, {});", snake(name), layout.bits());
    }
    out + "};\n}\n#[cfg(test)]\npub(crate) use each_record;\n"
}

fn record(out: &mut String, layout: &Layout) {
    let Layout { name, octets, source, doc, .. } = layout;
    out.push_str(&comment(0, &format!("{doc}\n\n{octets} octets, {source}.")));
    let _ =
        writeln!(out, "#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]\npub struct {name} {{");
    for f in layout.members() {
        let kept = if f.access == Access::Kept { " Reserved by the source." } else { "" };
        let ty = if f.width == 1 { "Bit".into() } else { format!("Bits<{}>", f.width) };
        out.push_str(&comment(4, &format!("{}{kept}", f.doc)));
        let _ = writeln!(out, "pub {}: {ty},", f.name);
    }
    let _ = writeln!(out, "}}\n");
}

/// A port or local signal: name, direction, type, documentation (ports only).
type Wire<'a> = (String, &'a str, String, &'a str);

fn block(out: &mut String, name: &str, doc: &str, wires: &[Wire<'_>], kernel: &[String]) {
    let _ = writeln!(out, "/// {doc}\n#[derive(LogicBlock, Default)]\npub struct {name} {{");
    for (wire, direction, ty, doc) in wires {
        if *direction == "Local" {
            let _ = writeln!(out, "{wire}: Signal<Local, {ty}>,");
        } else {
            let _ = writeln!(out, "/// {doc}\npub {wire}: Signal<{direction}, {ty}>,");
        }
    }
    let _ = writeln!(out, "}}\n\nimpl Logic for {name} {{\n#[hdl_gen]\nfn update(&mut self) {{");
    for line in kernel {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "}}\n}}\n");
}

/// `value` of `from` bits, widened to `to` bits and shifted left.
fn placed(value: &str, from: usize, to: usize, shift: usize) -> String {
    let wide = if from == to { value.to_string() } else { format!("bit_cast::<{to}, {from}>({value})") };
    if shift == 0 {
        wide
    } else {
        format!("({wide} << {shift})")
    }
}

/// The parts of a field that lie in one octet each: (bit in the octet vector, bits, shift in the
/// field).
fn parts(field: &Field) -> Vec<(usize, usize, usize)> {
    let octets = field.offset / 8..field.end().div_ceil(8);
    octets
        .map(|octet| {
            let first = field.offset.max(8 * octet);
            let end = field.end().min(8 * octet + 8);
            (8 * octet + (8 * octet + 8 - end), end - first, field.end() - end)
        })
        .collect()
}

fn unpack(out: &mut String, layout: &Layout) {
    let name = layout.name;
    let mut wires: Vec<Wire<'_>> = vec![
        (
            "octets".into(),
            "In",
            format!("Bits<{}>", layout.bits()),
            "Header as it came: octet 0 is bits 7:0.",
        ),
        ("record".into(), "Out", name.into(), "Its fields."),
    ];
    let mut kernel = vec![];
    for f in layout.members() {
        let (w, record) = (f.width, format!("self.record.next.{}", f.name));
        let term = |(from, bits, shift): &(usize, usize, usize), to: usize, below: usize| {
            placed(&format!("self.octets.val().get_bits::<{bits}>({from})"), *bits, to, shift - below)
        };
        let parts = parts(f);
        if w == 1 {
            kernel.push(format!("{record} = self.octets.val().get_bit({});", parts[0].0));
        } else if w <= CHUNK {
            let terms: Vec<_> = parts.iter().map(|p| term(p, w, 0)).collect();
            kernel.push(format!("{record} = {};", joined(&terms)));
        } else {
            let mut whole = vec![];
            for (i, chunk) in parts.chunks(CHUNK / 8).enumerate() {
                let below = w - CHUNK * (i + 1);
                let local = format!("{}_{i}", f.name);
                let terms: Vec<_> = chunk.iter().map(|p| term(p, CHUNK, below)).collect();
                kernel.push(format!("self.{local}.next = {};", joined(&terms)));
                whole.push(placed(&format!("self.{local}.val()"), CHUNK, w, below));
                wires.push((local, "Local", format!("Bits<{CHUNK}>"), ""));
            }
            kernel.push(format!("{record} = {};", joined(&whole)));
        }
    }
    let doc = format!("Fields of a [`{name}`] from its octets; reserved bits are ignored.");
    block(out, &format!("Unpack{name}"), &doc, &wires, &kernel);
}

fn pack(out: &mut String, layout: &Layout) {
    let name = layout.name;
    let bits = layout.bits();
    let mut wires: Vec<Wire<'_>> = vec![
        ("record".into(), "In", name.into(), "Fields."),
        ("octets".into(), "Out", format!("Bits<{bits}>"), "Header to be sent: octet 0 is bits 7:0."),
    ];
    let mut kernel = vec![];
    let mut lanes = vec![];
    for run in runs(layout).iter().filter(|r| !r.members().is_empty()) {
        let (at, n) = (run.octet, run.octets);
        let word = format!("word_{at}");
        kernel.push(format!("self.{word}.next = {};", number(run)));
        wires.push((word.clone(), "Local", format!("Bits<{}>", 8 * n), ""));
        for first in (0..n).step_by(CHUNK / 8) {
            let octets = (n - first).min(CHUNK / 8);
            let lane = if n == 1 { word.clone() } else { format!("lane_{}", at + first) };
            if n > 1 {
                let octet = |i: usize| {
                    let from = 8 * (n - 1 - first - i);
                    placed(&format!("self.{word}.val().get_bits::<8>({from})"), 8, 8 * octets, 8 * i)
                };
                let terms: Vec<_> = (0..octets).map(octet).collect();
                kernel.push(format!("self.{lane}.next = {};", joined(&terms)));
                wires.push((lane.clone(), "Local", format!("Bits<{}>", 8 * octets), ""));
            }
            lanes.push(placed(&format!("self.{lane}.val()"), 8 * octets, bits, 8 * (at + first)));
        }
    }
    kernel.push(format!("self.octets.next = {};", joined(&lanes)));
    let doc = format!("Octets of a [`{name}`] from its fields; reserved bits are zero.");
    block(out, &format!("Pack{name}"), &doc, &wires, &kernel);
}

/// The run's members at their places in one number.
fn number(run: &Run) -> String {
    let bits = 8 * run.octets;
    let term = |f: &&Field| {
        let value = format!("self.record.val().{}", f.name);
        let value = if f.width == 1 { format!("{value}.into()") } else { value };
        placed(&value, f.width, bits, run.shift(f))
    };
    joined(&run.members().iter().map(term).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_across_octets_is_put_together_from_its_parts() {
        let ird = ferrowarp_abi::wire::mpa::DEPTHS.fields[2];
        assert_eq!(parts(&ird), [(0, 6, 8), (8, 8, 0)]);
        let port = ferrowarp_abi::wire::tcp::TCP.fields[1];
        assert_eq!(parts(&port), [(16, 8, 8), (24, 8, 0)]);
    }
}
