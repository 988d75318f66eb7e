// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants and local signals of kernels: from comments in `always @(*)` to declarations.
use super::lines::Module;
use rust_hdl::prelude::ast::{Verilog, VerilogStatement};
use rust_hdl::prelude::{Bits, Logic, Synth};

/// What Rust-HDL makes of a kernel that has names beside the fields of its block.
#[doc(hidden)]
pub trait Kernel {
    /// Marks what the kernel drives.
    fn connect(&mut self);
    /// The text, without declarations of the names.
    fn hdl(&self) -> Verilog;
}

/// Stands for a constant or local signal where Rust-HDL looks at types only.
#[doc(hidden)]
#[derive(Clone, Copy, Default)]
pub struct Name;

impl Name {
    /// Any value of the right width.
    pub fn val<const N: usize>(self) -> Bits<N> {
        Bits::default()
    }
}

impl Logic for Name {
    fn update(&mut self) {}
}

/// A declaration.
#[doc(hidden)]
pub struct Named(String);

impl Named {
    /// A constant with its value.
    pub fn constant<T: Synth>(name: &str, value: &T) -> Self {
        Self(format!("localparam {name} = {};", value.verilog()))
    }

    /// A local signal of a type.
    pub fn local<T: Synth>(name: &str) -> Self {
        match T::BITS {
            1 => Self(format!("reg  {name};")),
            width => Self(format!("reg  [{}:0] {name};", width - 1)),
        }
    }
}

/// Adds declarations to the text of a kernel, a comment each.
#[doc(hidden)]
pub fn with_names<const N: usize>(text: Verilog, names: [Named; N]) -> Verilog {
    let Verilog::Combinatorial(statements) = text else { return text };
    let notes = names.into_iter().map(|Named(text)| VerilogStatement::Comment(format!("declare {text}")));
    Verilog::Combinatorial(notes.chain(statements).collect())
}

/// What a comment of [`with_names`] begins with.
const NOTE: &str = "// declare ";
/// Rust-HDL's headings, in their order.
const HEADINGS: [&str; 6] = [
    "// Constant declarations",
    "// Enums",
    "// Stub signals",
    "// Local signals",
    "// Sub module instances",
    "// Update code",
];

/// Declares the names of each module under Rust-HDL's headings.
pub(super) fn with_declarations(verilog: &str) -> String {
    Module::texts(verilog).into_iter().map(declared).collect()
}

fn declared(module: &str) -> String {
    let (notes, lines): (Vec<&str>, Vec<&str>) =
        module.split_inclusive('\n').partition(|line| line.trim_start().starts_with(NOTE));
    let declarations = notes.iter().map(|note| note.trim().trim_start_matches(NOTE));
    let (constants, locals): (Vec<_>, Vec<_>) = declarations.partition(|text| text.starts_with("localparam"));
    let text = under(lines.concat(), HEADINGS[0], &constants);
    under(text, HEADINGS[3], &locals)
}

/// Puts declarations under a heading, which is made if there is none.
fn under(text: String, heading: &str, declarations: &[&str]) -> String {
    if declarations.is_empty() {
        return text;
    }
    let list: String = declarations.iter().map(|text| format!("    {text}\n")).collect();
    let line = |heading: &&str| format!("\n    {heading}\n");
    if let Some(at) = text.find(&line(&heading)) {
        let at = at + line(&heading).len();
        return format!("{}{list}{}", &text[..at], &text[at..]);
    }
    let later = HEADINGS.iter().skip_while(|other| **other != heading).skip(1);
    let next = later.filter_map(|heading| text.find(&line(heading))).min();
    let Some(at) = next.map(|at| at + 1) else { return text };
    format!("{}    {heading}\n{list}\n{}", &text[..at], &text[at..])
}

#[cfg(test)]
mod tests {
    use super::with_declarations;

    #[test]
    fn names_are_declared_under_their_headings() {
        let (head, body) = ("module m(a);\n    input wire a;\n\n", "        x = k;\n    end\nendmodule\n");
        let update = "    // Update code\n    always @(*) begin\n";
        let notes = "        // declare localparam k = 3'h5;\n        // declare reg  x;\n";
        let constants = "    // Constant declarations\n    localparam k = 3'h5;\n\n";
        let locals = "    // Local signals\n    reg  x;\n";
        let made = format!("{head}{constants}{locals}\n{update}{body}");
        assert_eq!(with_declarations(&format!("{head}{update}{notes}{body}")), made);
        let known = format!("{head}    // Local signals\n    reg  y;\n\n{update}{notes}{body}");
        assert_eq!(
            with_declarations(&known),
            format!("{head}{constants}{locals}    reg  y;\n\n{update}{body}")
        );
    }
}
