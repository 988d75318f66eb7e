// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where handwritten Verilog may stand, seen from the source.
use super::finding::Finding;
use super::rules;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The one folder of handwritten Verilog.
const CELLS: &str = "hdl/src/cell/";
/// The cells that hold clocked state: registers, RAMs, the FIFO between two clocks.
const CLOCKED: [&str; 4] = ["reg", "ram", "lutram", "async"];
/// The pass that moves the text of a register to the module around the register.
const MOVED: &str = "hdl/src/emit/registers.rs";

/// Checks one file of the generator; files of other crates emit nothing.
pub fn check(file: &str, syntax: &syn::File) -> Vec<Finding> {
    let mut custom = Custom { file, findings: vec![] };
    if file.starts_with("hdl/src/") {
        custom.visit_file(syntax);
    }
    custom.findings
}

struct Custom<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl Custom<'_> {
    fn may_be_clocked(&self) -> bool {
        let Some(cell) = self.file.strip_prefix(CELLS) else { return self.file == MOVED };
        cell.split(['/', '.', '_']).any(|part| CLOCKED.contains(&part))
    }

    fn text(&mut self, literal: &proc_macro2::Literal) {
        if !self.may_be_clocked() && literal.to_string().contains("posedge") {
            let what = "clocked Verilog text outside the register and RAM cells".into();
            self.findings.push(Finding::at(self.file, literal.span(), rules::CUSTOM_CLOCKED, what));
        }
    }
}

impl<'ast> Visit<'ast> for Custom<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let kind = names.len() >= 2 && names[names.len() - 2] == "Verilog";
        let last = names.last().map(String::as_str).unwrap_or_default();
        let handwritten = matches!(last, "Custom" | "Wrapper" | "Blackbox");
        if kind && handwritten && !self.file.starts_with(CELLS) {
            let what = format!("handwritten Verilog `Verilog::{last}` outside {CELLS}");
            self.findings.push(Finding::at(self.file, path.span(), rules::CUSTOM_PLACE, what));
        }
        visit::visit_path(self, path);
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.text(&literal.token());
    }

    fn visit_macro(&mut self, m: &'ast syn::Macro) {
        super::tokens::for_each_literal(m.tokens.clone(), &mut |literal| self.text(literal));
        visit::visit_macro(self, m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules_of(file: &str, source: &str) -> Vec<&'static str> {
        check(file, &syn::parse_file(source).unwrap()).into_iter().map(|f| f.rule).collect()
    }

    #[test]
    fn handwritten_verilog_stands_only_in_the_cell_folder() {
        for kind in ["Custom", "Wrapper", "Blackbox"] {
            let source = format!("fn hdl(&self) -> Verilog {{ Verilog::{kind}(x) }}");
            assert_eq!(rules_of("hdl/src/stream/skid.rs", &source), ["custom-place"], "{kind}");
            assert_eq!(rules_of("hdl/src/cell/crc.rs", &source), [""; 0]);
        }
        let plain = "fn hdl(&self) -> Verilog { Verilog::Combinatorial(x) }";
        assert_eq!(rules_of("hdl/src/stream/skid.rs", plain), [""; 0]);
    }

    #[test]
    fn clocked_text_stands_only_in_register_and_ram_cells() {
        let source =
            "fn hdl(&self) -> Verilog { Verilog::Custom(format!(\"always @(posedge clock) q <= {x};\")) }";
        assert_eq!(rules_of("hdl/src/cell/crc32c.rs", source), ["custom-clocked"]);
        let direct = "const T: &str = \"always @(posedge clock) q <= d;\";";
        assert_eq!(rules_of("hdl/src/cell/crc32c.rs", direct), ["custom-clocked"]);
        for file in [
            "hdl/src/cell/reg.rs",
            "hdl/src/cell/ram.rs",
            "hdl/src/cell/ram/sdp.rs",
            "hdl/src/cell/lutram.rs",
            "tests/src/x.rs",
        ] {
            assert_eq!(rules_of(file, source), [""; 0], "{file}");
        }
        assert_eq!(rules_of("hdl/src/cell/crc32c.rs", "const T: &str = \"always @(*) q = d;\";"), [""; 0]);
    }
}
