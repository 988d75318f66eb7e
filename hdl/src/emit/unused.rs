// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of constants that their module does not use.
use super::lines::{words, Module};
use std::collections::HashMap;

/// Drops each `localparam` whose name stands nowhere else in its module, and a heading `// Enums`
/// that is left without any.
///
/// Rust-HDL gives every module that has a signal of a state type the names of all its states: also
/// a register, which uses none of them. Without them registers of equal width become one module.
pub(super) fn without_unused(verilog: &str) -> String {
    let mut out = String::with_capacity(verilog.len());
    for module in Module::texts(verilog) {
        let uses = uses(module);
        let mut heading = None;
        for line in module.split_inclusive('\n') {
            let code = line.trim();
            let name = code.strip_prefix("localparam ").and_then(|rest| words(rest).next());
            if name.is_some_and(|name| uses[name] == 1) {
                continue;
            }
            if code == "// Enums" {
                heading = Some(line);
                continue;
            }
            if let Some(heading) = heading.take().filter(|_| name.is_some()) {
                out.push_str(heading);
            }
            out.push_str(line);
        }
    }
    out
}

/// How often each word stands in a text.
fn uses(text: &str) -> HashMap<&str, usize> {
    let mut uses = HashMap::new();
    for word in words(text) {
        *uses.entry(word).or_insert(0) += 1;
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::without_unused;

    fn module(body: &str) -> String {
        format!("module m(a);\n    // Enums\n    localparam S$A = 0;\n    localparam S$AB = 1;\n{body}endmodule\n\n")
    }

    #[test]
    fn unused_names_go_and_so_does_their_heading() {
        assert_eq!(without_unused(&module("    x;\n")), "module m(a);\n    x;\nendmodule\n\n");
    }

    #[test]
    fn used_names_stay_whatever_another_module_does() {
        let text = module("    a <= S$AB;\n") + &module("    a <= S$A;\n");
        let left = without_unused(&text);
        assert_eq!(left.matches("// Enums").count(), 2);
        let (first, second) = left.split_once("endmodule").unwrap();
        assert!(first.contains("localparam S$AB = 1;") && !first.contains("S$A ="), "{first}");
        assert!(second.contains("localparam S$A = 0;") && !second.contains("S$AB"), "{second}");
    }
}
