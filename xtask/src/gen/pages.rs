// SPDX-License-Identifier: MIT OR Apache-2.0
//! `docs/abi.md`: the tables as people read them, between two markers; the words around them are
//! kept.
use super::constants::{derived, plain};
use super::model::literal;
use super::model::paragraph;
use ferrowarp_abi::all::protocols;
use ferrowarp_abi::error::{QuoteDdp, ERRORS};
use ferrowarp_abi::opcode::OPCODES;
use ferrowarp_abi::table::{Access, Kind, Layout};
use std::fmt::Write;

const BEGIN: &str = "<!-- generated from abi/src by `cargo xtask gen`: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

/// The page, with the words of `old` outside the markers.
pub fn page(old: &str) -> anyhow::Result<String> {
    let missing = || anyhow::anyhow!("docs/abi.md has lost its markers; put back the lines\n{BEGIN}{END}");
    let (head, rest) = old.split_once(BEGIN).ok_or_else(missing)?;
    let (_, tail) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{head}{BEGIN}\n{}\n{END}{tail}", tables().trim_end()))
}

fn tables() -> String {
    let mut out = String::from("## Layouts\n\n");
    for protocol in protocols() {
        let _ = writeln!(out, "### {}\n", protocol.title);
        for (_, layout) in protocol.layouts {
            table(&mut out, layout);
        }
    }
    opcodes(&mut out);
    errors(&mut out);
    constants(&mut out);
    out
}

fn table(out: &mut String, layout: &Layout) {
    let Layout { name, octets, source, doc, .. } = layout;
    let _ = writeln!(
        out,
        "#### {name} ({octets} octets)\n\n{}\n",
        paragraph(&format!("{doc} Source: {source}."))
    );
    let _ =
        writeln!(out, "| octet.bit | bits | field | default | type | meaning |\n|---|---|---|---|---|---|");
    for f in layout.fields {
        let at = format!("{}.{}", f.offset / 8, f.offset % 8);
        let ty = match (f.access, f.kind) {
            (Access::Reserved, _) => "reserved".into(),
            (Access::Kept, _) => "reserved, kept".into(),
            (Access::Value, Kind::Uint) if f.width == 1 => "flag".into(),
            (Access::Value, Kind::Uint) => "number".into(),
            (Access::Value, kind) => format!("{kind:?}"),
        };
        let _ = writeln!(out, "| {at} | {} | `{}` | {} | {ty} | {} |", f.width, f.name, f.reset, f.doc);
    }
    out.push('\n');
}

fn yes(flag: bool) -> &'static str {
    if flag {
        "yes"
    } else {
        "no"
    }
}

fn opcodes(out: &mut String) {
    let _ = writeln!(out, "## RDMAP opcodes\n\nRFC 5040 sections 4.1 and 4.2; 8 to 15 are reserved.\n");
    let _ =
        writeln!(out, "| opcode | message | T | QN | Invalidate STag | solicited | RDMAP header | payload |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for o in &OPCODES {
        let queue = o.queue.map_or("-".into(), |q| q.to_string());
        let header = match (o.header_min, o.header_max) {
            (0, 0) => "none".into(),
            (min, max) if min == max => format!("{min} octets"),
            (min, max) => format!("{min} to {max} octets"),
        };
        let (number, t) = (o.opcode.to_bits(), u8::from(o.tagged));
        let flags = [o.invalidates, o.solicited].map(yes).join(" | ");
        let _ = writeln!(
            out,
            "| {number} | {} | {t} | {queue} | {flags} | {header} | {} |",
            o.name,
            yes(o.payload)
        );
    }
    out.push('\n');
}

fn errors(out: &mut String) {
    let _ = writeln!(
        out,
        "## Errors\n\nM, D and R are the flags of the Terminate that the device sends. `if known` means 1 if"
    );
    let _ = writeln!(
        out,
        "a whole header of known format was received. `if Read Request` means 1 for a Read Request.\n"
    );
    let _ = writeln!(
        out,
        "| layer/type/code | error | M, D | R | raised when | source |\n|---|---|---|---|---|---|"
    );
    for e in ERRORS {
        let ddp = match e.ddp {
            QuoteDdp::Never => "0",
            QuoteDdp::Always => "1",
            QuoteDdp::IfKnown => "if known",
        };
        let read = if e.read_request { "if Read Request" } else { "0" };
        let (layer, etype, code) = (e.layer, e.etype, e.code);
        let _ = writeln!(
            out,
            "| {layer}/{etype}/{code:02X} | `{:?}` | {ddp} | {read} | {} | {} |",
            e.error, e.doc, e.source
        );
    }
    out.push('\n');
}

fn constants(out: &mut String) {
    let _ = writeln!(
        out,
        "## Constants\n\n`abi::consts::GROUP::NAME` in software, `gen::consts::GROUP::name()` in hdl."
    );
    for g in plain().iter().chain(derived().iter().filter(|g| g.name == "opcode_set")) {
        let _ = writeln!(out, "\n### {}\n\n{}\n", g.name, paragraph(g.doc.as_ref()));
        let _ = writeln!(out, "| name | bits | value | meaning | source |\n|---|---|---|---|---|");
        for e in &g.constants {
            let _ =
                writeln!(out, "| `{}` | {} | {} | {} | {} |", e.name, e.width, literal(e), e.doc, e.source);
        }
    }
}
