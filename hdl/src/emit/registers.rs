// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers stand in the module that holds them.
//!
//! Rust-HDL makes a module of each register, of six lines where Verilog needs one.
use super::lines::{connection, renamed, Module};
use std::collections::{HashMap, HashSet};

/// Puts an `always @(posedge clock)` in the place of each instance of a module that is one register
/// and nothing else. Modules that nothing instantiates any more go.
pub(super) fn with_registers(verilog: &str) -> String {
    let texts = Module::texts(verilog);
    let registers: HashMap<&str, &str> = texts.iter().filter_map(|text| register(text)).collect();
    let mut left: HashSet<String> = HashSet::new();
    let mut out = String::with_capacity(verilog.len());
    let inlined: Vec<_> = texts.iter().map(|text| inline(text, &registers, &mut left)).collect();
    for (text, inlined) in texts.iter().zip(inlined) {
        let name = name_of(text);
        if name == "top" || !registers.contains_key(name) || left.contains(name) {
            out.push_str(&inlined);
        }
    }
    out
}

/// Name of a module's text.
fn name_of(text: &str) -> &str {
    text.strip_prefix("module ").and_then(|rest| rest.split('(').next()).unwrap_or_default()
}

/// Name and statement of a module that is a register with ports `clock`, `d`, `q` and perhaps
/// `reset`.
fn register(text: &str) -> Option<(&str, &str)> {
    let (head, body) = text.split_once("// Update code (custom)\n")?;
    let ports = head.split(['(', ')']).nth(1)?;
    let mut lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
    let statement = lines.next().filter(|line| line.starts_with("always @(posedge clock) "))?;
    let is_alone = lines.next().is_some_and(|line| line.starts_with("endmodule")) && lines.next().is_none();
    let is_register = is_alone && matches!(ports, "clock,d,q" | "clock,reset,d,q");
    is_register.then_some((name_of(text), statement))
}

/// A module's text with its registers inside; names of the instances that stay go to `left`.
fn inline(text: &str, registers: &HashMap<&str, &str>, left: &mut HashSet<String>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out: Vec<String> = vec![];
    // Signals that a register drives now.
    let mut driven: HashSet<&str> = HashSet::new();
    let mut at = 0;
    while at < lines.len() {
        let kind = lines[at].trim_end().strip_suffix('(').and_then(|head| head.split_whitespace().next());
        let Some((kind, statement)) = kind.and_then(|kind| Some((kind, registers.get(kind)?))) else {
            out.push(lines[at].into());
            at += 1;
            continue;
        };
        let end = (at..lines.len()).find(|&line| lines[line].trim() == ");").unwrap_or(at);
        let pins: HashMap<&str, &str> = lines[at..end]
            .iter()
            .filter_map(|line| connection(line))
            .map(|(pin, to)| (&pin[1..], to))
            .collect();
        let q = pins.get("q").copied().filter(|q| lines.iter().any(|line| wire_of(line) == Some(q)));
        match q {
            Some(q) => {
                driven.insert(q);
                let line = renamed(statement, &|word| pins.get(word).map_or(word, |pin| pin).to_string());
                out.push(format!("    {line}\n"));
            }
            None => {
                left.insert(kind.into());
                out.extend(lines[at..=end].iter().map(|line| line.to_string()));
            }
        }
        at = end + 1;
    }
    for line in &mut out {
        if wire_of(line).is_some_and(|name| driven.contains(name)) {
            *line = line.replacen("wire ", "reg ", 1);
        }
    }
    without_empty_heading(out)
}

/// The signal that a line declares as a wire that the module drives.
fn wire_of(line: &str) -> Option<&str> {
    let code = line.trim().strip_suffix(';')?;
    let rest = code.strip_prefix("wire ").or_else(|| code.strip_prefix("output wire "))?;
    rest.split_whitespace().last()
}

/// The lines without the heading of instances if there are none.
fn without_empty_heading(mut lines: Vec<String>) -> String {
    let is_instance = |line: &String| line.trim_end().ends_with('(') && !line.starts_with("module ");
    if !lines.iter().any(is_instance) {
        lines.retain(|line| line.trim() != "// Sub module instances");
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::with_registers;

    const REGISTERS: &str = "module top$m$a(clock,reset,d,q);\n    // Module arguments\n    input wire  clock;\n    input wire  reset;\n    \
                             input wire  d;\n    output reg  q;\n    // Update code (custom)\n    \
                             always @(posedge clock) if (reset) q <= 1'hd; else q <= d;\nendmodule\n\n\
                             module top$m$b(clock,d,q);\n    // Module arguments\n    input wire  clock;\n    input wire  d;\n    \
                             output reg  q;\n    // Update code (custom)\n    always @(posedge clock) q <= d;\nendmodule // top\n\n";

    fn module(z: &str, b: &str) -> String {
        format!(
            "module top(clock,reset,x,z);\n    input wire  clock;\n    input wire  x;\n    {z}\n    wire  a$q;\n    // Sub module instances\n    \
             top$m$a a(\n        .clock(clock),\n        .reset(clear),\n        .d(x),\n        .q(a$q)\n    );\n    \
             top$m$b b(\n        .clock(clock),\n        .d({{a$q, x}}),\n        .q({b})\n    );\nendmodule\n\n{REGISTERS}"
        )
    }

    #[test]
    fn a_register_becomes_a_statement() {
        let out = with_registers(&module("output wire  z;", "z"));
        assert!(out.contains("    output reg  z;\n    reg  a$q;\n"), "{out}");
        assert!(
            out.contains("    always @(posedge clock) if (clear) a$q <= 1'hd; else a$q <= x;\n"),
            "{out}"
        );
        assert!(out.contains("    always @(posedge clock) z <= {a$q, x};\n"), "{out}");
        assert!(!out.contains("Sub module") && out.matches("module ").count() == 1, "{out}");
    }

    #[test]
    fn a_register_of_a_signal_that_is_no_wire_stays() {
        let out = with_registers(&module("output reg  z;", "z"));
        assert!(
            out.contains("top$m$b b(") && out.contains("module top$m$b(") && !out.contains("top$m$a"),
            "{out}"
        );
    }

    #[test]
    fn a_register_alone_stays_a_module() {
        let text = "module top(clock,d,q);\n    output reg  q;\n    // Update code (custom)\n    always @(posedge clock) q <= d;\nendmodule // top\n\n";
        assert_eq!(with_registers(text), text);
    }
}
