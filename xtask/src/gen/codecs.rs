// SPDX-License-Identifier: MIT OR Apache-2.0
//! Typed codecs for software: `abi/src/gen/<protocol>.rs`.
use super::model::{bare, comment, joined, runs, rust_type, type_home, uint, Run};
use ferrowarp_abi::all::protocols;
use ferrowarp_abi::protocol::Protocol;
use ferrowarp_abi::table::{Access, Field, Kind, Layout};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The file of one protocol.
pub fn file(protocol: &Protocol) -> String {
    let mut body = String::new();
    for (path, layout) in protocol.layouts {
        codec(&mut body, &format!("{}::{path}", protocol.room), layout);
    }
    let mut uses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for field in protocol.layouts.iter().flat_map(|(_, l)| l.members()) {
        if let Some(home) = type_home(field.kind) {
            uses.entry(home).or_default().insert(rust_type(field));
        }
    }
    let fit = if body.contains("fit(") { "fit, " } else { "" };
    let mut out = format!("//! Codecs of {}.\n", protocol.title);
    out += &format!("use crate::codec::{{{fit}head, put, EmitError, Truncated}};\n");
    out += "use crate::table::Layout;\n";
    for (home, types) in uses {
        let types: Vec<_> = types.into_iter().collect();
        out += &format!("use {home}::{{{}}};\n", types.join(", "));
    }
    out + "\n" + &body
}

/// `abi/src/gen/mod.rs`.
pub fn index() -> String {
    let mut out = String::from("//! Written from the tables of this crate.\n\npub mod consts;\n\n");
    for p in protocols() {
        out += &format!("mod {};\n", p.name);
    }
    out += "\n/// The codec of every layout.\npub mod codecs {\n";
    for p in protocols() {
        out += &format!("pub use super::{}::*;\n", p.name);
    }
    out += "}\n\n/// Calls `$each!(Codec)` for every codec.\n#[cfg(test)]\nmacro_rules! each_codec {\n($each:ident) => {\n";
    for (_, layout) in protocols().flat_map(|p| p.layouts) {
        out += &format!("$each!({});\n", layout.name);
    }
    out + "};\n}\n#[cfg(test)]\npub(crate) use each_codec;\n"
}

fn codec(out: &mut String, path: &str, layout: &Layout) {
    let Layout { name, octets, source, doc, .. } = layout;
    let members: Vec<_> = layout.members().collect();
    let zero = |f: &&Field| f.reset == 0 && !matches!(f.kind, Kind::Ipv4 | Kind::Ipv6);
    let derived = if members.iter().all(zero) { "Default, " } else { "" };
    out.push_str(&comment(0, &format!("{doc}\n\n{octets} octets, {source}.")));
    let _ =
        writeln!(out, "#[derive(Copy, Clone, Debug, {derived}PartialEq, Eq, Hash)]\npub struct {name} {{");
    for f in &members {
        let kept = if f.access == Access::Kept { " Reserved by the source." } else { "" };
        let bits = if f.kind == Kind::Uint && uint(f.width) != f.width && f.width > 1 {
            format!(" {} bits.", f.width)
        } else {
            String::new()
        };
        out.push_str(&comment(4, &format!("{}{kept}{bits}", f.doc)));
        let _ = writeln!(out, "pub {}: {},", f.name, rust_type(f));
    }
    let _ = writeln!(out, "}}\n");
    if derived.is_empty() {
        default(out, name, &members);
    }
    let _ = writeln!(out, "impl {name} {{");
    let _ = writeln!(out, "/// The table that this codec was written from.");
    let _ = writeln!(out, "pub const LAYOUT: Layout = crate::{path};\n");
    let _ = writeln!(out, "/// Octets.\npub const LEN: usize = {octets};\n");
    parse(out, layout);
    octets_fn(out, layout);
    let _ = writeln!(out, "/// Writes [`Self::LEN`] octets at the start of `out` and returns their number.");
    let _ = writeln!(out, "pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {{");
    let _ = writeln!(out, "put(out, self.octets()?)\n}}\n");
    let _ = writeln!(out, "/// Names and numbers of all members, for printing.");
    let _ = writeln!(out, "pub fn values(&self) -> [(&'static str, u128); {}] {{\n[", members.len());
    for f in &members {
        let wide = f.width > 64;
        let value = if wide { raw(f) } else { format!("u128::from({})", raw(f)) };
        let _ = writeln!(out, "(\"{}\", {value}),", f.name);
    }
    let _ = writeln!(out, "]\n}}\n}}\n");
}

fn default(out: &mut String, name: &str, members: &[&Field]) {
    let _ = writeln!(out, "impl Default for {name} {{\nfn default() -> Self {{\nSelf {{");
    for f in members {
        let value = match (f.kind, f.reset) {
            (Kind::Uint, n) if f.width == 1 => (n == 1).to_string(),
            (Kind::Uint, n) => n.to_string(),
            (_, n) => format!("{}::from_bits({n})", rust_type(f)),
        };
        let _ = writeln!(out, "{}: {value},", f.name);
    }
    let _ = writeln!(out, "}}\n}}\n}}\n");
}

/// The member as a number.
fn raw(field: &Field) -> String {
    let call = if field.kind == Kind::Uint { "" } else { ".to_bits()" };
    format!("self.{}{call}", field.name)
}

/// The run's octets as one number, most significant first.
fn read(run: &Run) -> String {
    let (bits, n) = (uint(8 * run.octets), run.octets);
    if n == 1 {
        return format!("o[{}]", run.octet);
    }
    let zeros = std::iter::repeat_n("0".to_string(), bits / 8 - n);
    let octets: Vec<_> = zeros.chain((0..n).map(|i| format!("o[{}]", run.octet + i))).collect();
    format!("u{bits}::from_be_bytes([{}])", octets.join(", "))
}

fn parse(out: &mut String, layout: &Layout) {
    let name = layout.name;
    let _ = writeln!(out, "/// Reads the first [`Self::LEN`] octets; reserved bits are ignored.");
    let _ = writeln!(out, "pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {{");
    let _ = writeln!(out, "let o = head::<{}>(\"{name}\", octets)?;", layout.octets);
    let mut members = String::new();
    for run in runs(layout) {
        let word = format!("w{}", run.octet);
        let whole = run.whole();
        if whole.is_none() && !run.members().is_empty() {
            let _ = writeln!(out, "let {word} = {};", read(&run));
        }
        for f in run.members() {
            let value = match whole {
                Some(_) => read(&run),
                None => part(&word, run.shift(f), f.width, uint(8 * run.octets)),
            };
            let value = match f.kind {
                Kind::Uint => value,
                _ => format!("{}::from_bits({value})", rust_type(f)),
            };
            let _ = writeln!(members, "{}: {value},", f.name);
        }
    }
    let _ = writeln!(out, "Ok(Self {{\n{members}}})\n}}\n");
}

/// `width` bits of `word` above `shift`.
fn part(word: &str, shift: usize, width: usize, word_bits: usize) -> String {
    if width == 1 {
        return format!("{word} & {:#x} != 0", 1u128 << shift);
    }
    let down = if shift == 0 { word.to_string() } else { format!("({word} >> {shift})") };
    let masked = match shift + width == word_bits {
        true => down,
        false => format!("({down} & {:#x})", (1u128 << width) - 1),
    };
    match uint(width) == word_bits {
        true => bare(&masked).to_string(),
        false => format!("{masked} as u{}", uint(width)),
    }
}

fn octets_fn(out: &mut String, layout: &Layout) {
    let n = layout.octets;
    let _ = writeln!(out, "/// The octets; reserved bits are zero.");
    let _ = writeln!(out, "pub fn octets(&self) -> Result<[u8; {n}], EmitError> {{\nlet mut o = [0; {n}];");
    for run in runs(layout) {
        let bits = uint(8 * run.octets);
        let terms: Vec<_> = run.members().into_iter().map(|f| term(layout, &run, f, bits)).collect();
        if terms.is_empty() {
            continue;
        }
        let (a, b) = (run.octet, run.octet + run.octets);
        let value = joined(&terms);
        if run.octets == 1 {
            let _ = writeln!(out, "o[{a}] = {value};");
            continue;
        }
        let _ = writeln!(out, "let w{a}: u{bits} = {value};");
        let skip = bits / 8 - run.octets;
        let from = if skip == 0 { String::new() } else { format!("[{skip}..]") };
        let _ = writeln!(out, "o[{a}..{b}].copy_from_slice(&w{a}.to_be_bytes(){from});");
    }
    let _ = writeln!(out, "Ok(o)\n}}\n");
}

/// The field at its place in the number of its run, which has `bits` bits.
fn term(layout: &Layout, run: &Run, f: &Field, bits: usize) -> String {
    let own = uint(f.width);
    let mut value = raw(f);
    if f.kind == Kind::Uint && f.width > 1 && own != f.width {
        value = format!("fit(\"{}.{}\", {value}, {})?", layout.name, f.name, f.width);
    }
    if own != bits || f.width == 1 {
        value = format!("u{bits}::from({value})");
    }
    match run.shift(f) {
        0 => value,
        shift => format!("({value} << {shift})"),
    }
}
