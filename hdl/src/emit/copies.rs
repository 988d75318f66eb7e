// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals that only carry the value of another signal.
//!
//! Rust-HDL names every port of every child and copies values to and from these names in the
//! module's `always @(*)`. Without the copies a child is connected to what drives the port, and
//! what is read is what was computed.
use super::lines::{words, Module, Statement};
use std::collections::{HashMap, HashSet};

/// Takes three kinds of copies out of each module that Rust-HDL wrote: defaults that are always
/// overwritten before they are read, inputs of children that always equal another signal, outputs
/// of children that have a second name.
///
/// A copy to a port or to a local of the kernel becomes an `assign`, as does a number that is a
/// signal's only value. Ports, locals and registers keep their names.
pub(super) fn without_copies(verilog: &str) -> String {
    let mut out = String::with_capacity(verilog.len());
    for text in Module::texts(verilog) {
        match Module::parse(text) {
            Some(mut module) => {
                module.remove(&dead(&module.statements));
                substitute(&mut module);
                out.push_str(&module.text());
            }
            None => out.push_str(text),
        }
    }
    out
}

/// Lines of unconditional assignments that a later unconditional assignment overwrites, without a
/// read in between.
fn dead(statements: &[Statement<'_>]) -> HashSet<usize> {
    let mut dead = HashSet::new();
    // Signal: the line of its last unconditional assignment that nothing has read so far.
    let mut unread: HashMap<&str, usize> = HashMap::new();
    for statement in statements {
        let whole = statement.target.filter(|_| statement.is_whole);
        let read = if whole.is_some() { statement.value } else { statement.code };
        for word in words(read) {
            unread.remove(word);
        }
        let Some(target) = whole.filter(|_| statement.depth == 1) else { continue };
        dead.extend(unread.insert(target, statement.line));
    }
    dead
}

/// Connects children to the source of each copy, and makes an `assign` of a copy to a port or a
/// local.
fn substitute(module: &mut Module<'_>) {
    let mut sources: HashMap<&str, &str> = HashMap::new();
    let mut named = vec![];
    let mut gone = HashSet::new();
    for (target, source, line) in copies(module) {
        match module.declared.get(target) {
            Some(signal) if signal.is_stub && signal.kind == "reg" && !is_number(source) => {
                gone.extend([line, signal.line]);
                sources.insert(target, source);
            }
            Some(signal) if signal.kind.ends_with("reg") => {
                gone.insert(line);
                named.push((target, source, signal.line));
            }
            _ => {}
        }
    }
    let resolve = |name: &'_ str| {
        let mut at = name;
        while let Some(source) = sources.get(at) {
            at = source;
        }
        at.to_string()
    };
    let reads = module.reads(&gone, &resolve);
    let (mut renamed, mut assigns) = (HashMap::new(), vec![]);
    for (target, source, line) in named {
        module.drive_by_wire(line);
        let source = resolve(source);
        let is_free = |s: &String| !reads.contains(s) && !renamed.contains_key(s);
        match module.declared.get(source.as_str()) {
            Some(signal) if signal.kind == "wire" && is_free(&source) => {
                renamed.insert(source, target.to_string());
                gone.insert(signal.line);
            }
            _ => assigns.push((target.to_string(), source)),
        }
    }
    let name = |word: &str| {
        let source = resolve(word);
        renamed.get(&source).cloned().unwrap_or(source)
    };
    let assigns = assigns.iter().map(|(target, source)| format!("    assign {target} = {};\n", name(source)));
    let assigns: String = assigns.collect();
    module.rewrite(&gone, &assigns, &name);
}

/// Copies whose target has this one value in every case: target, source, line.
///
/// The target has one assignment, an unconditional one. The source has its last assignment before
/// it, or in an `always @(*)` of its own.
fn copies<'t>(module: &Module<'t>) -> Vec<(&'t str, &'t str, usize)> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for statement in &module.statements {
        if let Some(target) = statement.target {
            last.insert(target, statement.line);
            *count.entry(target).or_insert(0) += 1;
            if statement.is_alone {
                last.remove(target); // final wherever it is read
            }
        }
    }
    let copy = |statement: &Statement<'t>| {
        let (target, source) = (statement.target?, statement.value);
        let is_only = statement.is_whole && statement.depth == 1 && count[target] == 1;
        let is_final = last.get(source).is_none_or(|&line| line < statement.line);
        let is_source = module.declared.contains_key(source) || is_number(source);
        (is_only && is_final && is_source).then_some((target, source, statement.line))
    };
    module.statements.iter().filter_map(copy).collect()
}

/// True for `1'b0`, `32'h5`, `7`. A simulator never runs an `always @(*)` that reads no signal.
fn is_number(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::without_copies;

    fn module(declared: &str, update: &str) -> String {
        format!(
            "module m(clock,a,z);\n    // Module arguments\n    input wire  clock;\n    input wire  a;\n    output reg  z;\n    \
             // Stub signals\n{declared}    // Sub module instances\n    m$c c(\n        .clock(c$clock),\n        \
             .d(c$d),\n        .q(c$q)\n    );\n    // Update code\n    always @(*) begin\n{update}    end\n    \nendmodule\n\n"
        )
    }

    const STUBS: &str = "    reg  c$clock;\n    reg  c$d;\n    wire  c$q;\n";

    #[test]
    fn a_child_is_connected_to_what_drives_it_and_leaves_by_the_port() {
        let text = module(
            STUBS,
            "        c$clock = clock;\n        c$d = c$q;\n        c$d = a;\n        z = c$q;\n",
        );
        let body = "module m(clock,a,z);\n    // Module arguments\n    input wire  clock;\n    input wire  a;\n    output wire  z;\n    \
                    // Sub module instances\n    m$c c(\n        .clock(clock),\n        .d(a),\n        .q(z)\n    );\n    \nendmodule\n\n";
        assert_eq!(without_copies(&text), body);
    }

    #[test]
    fn what_is_read_elsewhere_keeps_its_name() {
        let text = module(STUBS, "        c$clock = clock;\n        c$d = a && c$q;\n        z = c$q;\n");
        let out = without_copies(&text);
        assert!(out.contains("    assign z = c$q;\n"), "{out}");
        assert!(out.contains("        c$d = a && c$q;\n") && out.contains(".q(c$q)"), "{out}");
    }

    #[test]
    fn a_value_that_changes_behind_the_copy_stays_a_copy() {
        let update = "        c$clock = clock;\n        z = a;\n        c$d = z;\n        if (a) begin\n            z = c$q;\n        end\n";
        let out = without_copies(&module(STUBS, update));
        assert!(out.contains("        c$d = z;\n") && out.contains(".d(c$d)"), "{out}");
    }

    #[test]
    fn a_default_that_some_case_keeps_stays() {
        let update = "        c$clock = clock;\n        c$d = c$q;\n        if (a) begin\n            c$d = a;\n        end\n        z = c$d;\n";
        let out = without_copies(&module(STUBS, update));
        assert!(out.contains("        c$d = c$q;\n        if (a) begin\n"), "{out}");
        let read = "        c$clock = clock;\n        c$d = c$q;\n        z = ~c$d;\n        c$d = a;\n";
        assert!(without_copies(&module(STUBS, read)).contains("        c$d = c$q;\n"));
    }

    #[test]
    fn digits_of_a_constant_are_no_name() {
        let stubs = "    reg  b0;\n    reg  c$clock;\n    reg  c$d;\n    wire  c$q;\n";
        let update =
            "        c$clock = clock;\n        b0 = a;\n        c$d = 1'b0;\n        z = b0 && c$q;\n";
        let out = without_copies(&module(stubs, update));
        assert!(out.contains("c$d = 1'b0;") && out.contains("z = a && c$q;"), "{out}");
    }

    #[test]
    fn a_local_keeps_its_name() {
        let stubs = format!("{STUBS}    // Local signals\n    reg  l;\n    reg  k;\n");
        let update = "        c$clock = clock;\n        c$d = a;\n        l = c$q;\n        k = l;\n        z = l && k;\n";
        let out = without_copies(&module(&stubs, update));
        assert!(out.contains("    // Local signals\n    wire  l;\n    wire  k;\n"), "{out}");
        assert!(out.contains(".q(l)") && out.contains("    assign k = l;\n"), "{out}");
        assert!(out.contains("        z = l && k;\n") && !out.contains("c$q"), "{out}");
    }

    #[test]
    fn one_output_with_two_names_is_wired_to_the_first() {
        let stubs = format!("{STUBS}    // Local signals\n    reg  l;\n");
        let update = "        c$clock = clock;\n        c$d = a;\n        z = c$q;\n        l = c$q;\n";
        let out = without_copies(&module(&stubs, update));
        assert!(out.contains(".q(z)") && out.contains("    assign l = z;\n"), "{out}");
    }

    #[test]
    fn what_is_joined_is_connected() {
        let text = module(STUBS, "        c$clock = clock;\n        z = ~c$q;\n");
        let text = text.replace("    \nendmodule", "    always @(*) c$d = a;\n    \nendmodule");
        let out = without_copies(&text);
        assert!(
            out.contains(".d(a)") && !out.contains("c$d") && out.contains("        z = ~c$q;\n"),
            "{out}"
        );
        let expression = text.replace("c$d = a;", "c$d = ~a;");
        assert!(without_copies(&expression).contains("    always @(*) c$d = ~a;\n"));
    }

    #[test]
    fn a_number_that_is_the_only_value_is_assigned_outside_of_the_always() {
        let update = "        c$clock = clock;\n        c$d = 1'b0;\n        z = 4'h5;\n";
        let out = without_copies(&module(STUBS, update));
        assert!(out.contains("    assign c$d = 1'b0;\n    assign z = 4'h5;\n"), "{out}");
        assert!(out.contains("    wire  c$d;\n") && !out.contains("always"), "{out}");
    }

    #[test]
    fn handwritten_text_stays_as_it_is() {
        let text = "module m(a,z);\n    input wire a;\n    output reg z;\n    always @(*) begin\n        z = a;\n    end\nendmodule\n";
        assert_eq!(without_copies(text), text);
    }
}
