// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of kernels: from comments in `always @(*)` to declarations of the module.
use super::lines::Module;
use rust_hdl::prelude::ast::{Verilog, VerilogLiteral, VerilogStatement};

/// What Rust-HDL makes of a kernel that has constants, before the constants have values.
#[doc(hidden)]
pub trait Kernel {
    /// Marks what the kernel drives.
    fn connect(&mut self);
    /// The text, with names in place of values.
    fn hdl(&self) -> Verilog;
}

/// Adds the values of a kernel's constants to its text, a comment each.
#[doc(hidden)]
pub fn with_constants(text: Verilog, values: &[(&str, VerilogLiteral)]) -> Verilog {
    let Verilog::Combinatorial(statements) = text else { return text };
    let note = |(name, value): &(&str, VerilogLiteral)| format!("localparam {name} = {value};");
    let notes = values.iter().map(|value| VerilogStatement::Comment(note(value)));
    Verilog::Combinatorial(notes.chain(statements).collect())
}

/// What a kernel writes for each constant.
const NOTE: &str = "// localparam ";
/// Rust-HDL's headings behind the constants of a module.
const BEHIND: [&str; 5] =
    ["// Enums", "// Stub signals", "// Local signals", "// Sub module instances", "// Update code"];

/// Declares the constants of each module before what uses them.
pub(super) fn with_declarations(verilog: &str) -> String {
    Module::texts(verilog).into_iter().map(declared).collect()
}

fn declared(module: &str) -> String {
    let (notes, lines): (Vec<&str>, Vec<&str>) =
        module.split_inclusive('\n').partition(|line| line.trim_start().starts_with(NOTE));
    let behind = |line: &&str| BEHIND.contains(&line.trim());
    let Some(at) = lines.iter().position(behind).filter(|_| !notes.is_empty()) else { return module.into() };
    let mut text = lines[..at].concat();
    if !lines[..at].iter().any(|line| line.trim() == "// Constant declarations") {
        text += "    // Constant declarations\n";
    }
    for note in notes {
        text += &format!("    {}\n", note.trim().trim_start_matches("// "));
    }
    text += "\n";
    text + &lines[at..].concat()
}

#[cfg(test)]
mod tests {
    use super::with_declarations;

    #[test]
    fn a_constant_is_declared_before_what_uses_the_constant() {
        let (head, body) = ("module m(a);\n    input wire a;\n\n", "        x = k$A;\n    end\nendmodule\n");
        let update = "    // Update code\n    always @(*) begin\n";
        let text = format!("{head}{update}        // localparam k$A = 3'h5;\n{body}");
        let declaration = "    // Constant declarations\n    localparam k$A = 3'h5;\n\n";
        assert_eq!(with_declarations(&text), format!("{head}{declaration}{update}{body}"));
    }
}
