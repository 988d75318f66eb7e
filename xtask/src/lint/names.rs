// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names that Verilog or the kernel macro take for something else.
use super::finding::Finding;
use super::rules;
use ferrowarp_abi::table::is_verilog_word;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemEnum, ItemStruct, Type};

/// Checks the structs of blocks, bundles and records, and counts state machines.
pub fn check(file: &str, syntax: &syn::File) -> Vec<Finding> {
    let mut names = Names { file, machines: 0, findings: vec![] };
    names.visit_file(syntax);
    names.findings
}

struct Names<'a> {
    file: &'a str,
    machines: usize,
    findings: Vec<Finding>,
}

/// True if one of the attributes derives `name`.
pub fn derives(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().filter(|a| a.path().is_ident("derive")).any(|a| {
        let mut found = false;
        // An attribute that does not parse is the compiler's business.
        let _ = a.parse_nested_meta(|m| {
            found |= m.path.segments.last().is_some_and(|s| s.ident == name);
            Ok(())
        });
        found
    })
}

/// A `..Source` or `..Sink`: the field's name begins the names of the signals, and is none itself.
fn is_channel(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.ends_with("Source") || name.ends_with("Sink")
    })
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let block =
            derives(&item.attrs, "LogicBlock") || item.attrs.iter().any(|a| a.path().is_ident("block"));
        let bundle = derives(&item.attrs, "LogicInterface") || derives(&item.attrs, "LogicStruct");
        for field in &item.fields {
            let Some(name) = &field.ident else { continue };
            let text = name.to_string();
            let text = text.trim_start_matches("r#");
            if (block || bundle) && text == "next" {
                let what = format!("field `next` of `{}`", item.ident);
                self.findings.push(Finding::at(self.file, name.span(), rules::FIELD_NEXT, what));
            } else if block && is_verilog_word(text) && !is_channel(&field.ty) {
                let what = format!("field `{text}` of block `{}` is a Verilog word", item.ident);
                self.findings.push(Finding::at(self.file, name.span(), rules::VERILOG_WORD, what));
            }
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        if derives(&item.attrs, "LogicState") {
            self.machines += 1;
            if self.machines > 1 {
                let what = format!("`{}` is state machine number {} of this file", item.ident, self.machines);
                self.findings.push(Finding::at(self.file, item.ident.span(), rules::ONE_FSM, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules_of(source: &str) -> Vec<(&'static str, usize)> {
        let findings = check("x.rs", &syn::parse_file(source).unwrap());
        findings.into_iter().map(|f| (f.rule, f.line)).collect()
    }

    #[test]
    fn a_verilog_word_is_refused_as_port_instance_and_local_but_not_inside_a_bundle() {
        let block =
            "#[derive(LogicBlock, Default)] struct A {\n pub event: Signal<In, Bit>,\n table: Reg<Bit>,\n\
                     local: Signal<Local, Bit>,\n cells: Bits<8>,\n _time: usize }";
        assert_eq!(rules_of(block), [("verilog-word", 2), ("verilog-word", 3), ("verilog-word", 4)]);
        assert_eq!(
            rules_of("#[block(clock)] struct A { pub event: Signal<In, Bit> }"),
            [("verilog-word", 1)]
        );
        let channel = "#[derive(LogicBlock, Default)] struct A { pub event: ItemSink<Event> }";
        assert_eq!(rules_of(channel), []);
        let bundle =
            "#[derive(Clone, LogicInterface)] #[join = \"B\"] struct A { pub tagged: Signal<In, Bit> }";
        assert_eq!(rules_of(bundle), []);
        assert_eq!(rules_of("struct Software { event: u8, next: u8 }"), []);
    }

    #[test]
    fn the_words_that_the_cookbook_found_broken_are_refused() {
        let found = "cell event table end begin signed time bit byte tagged local unique priority packed context \
                     checker expect strong design library instance include rand config wire input output reg module \
                     edge disable";
        for word in found.split_whitespace() {
            let source = format!("#[derive(LogicBlock)] struct A {{ {word}: Bit }}");
            assert_eq!(rules_of(&source), [("verilog-word", 1)], "{word}");
        }
    }

    #[test]
    fn a_field_named_next_is_refused_in_block_bundle_and_record() {
        for derive in ["LogicBlock", "LogicInterface", "rust_hdl::prelude::LogicStruct"] {
            let source = format!("#[derive(Default, {derive})] struct A {{ next: Bit, next_hop: Bit }}");
            assert_eq!(rules_of(&source), [("field-next", 1)], "{derive}");
        }
    }

    #[test]
    fn a_second_state_machine_in_a_file_is_refused() {
        let one = "#[derive(Copy, LogicState)] enum Rx { A, B }\n#[derive(Copy)] enum Kind { A }";
        assert_eq!(rules_of(one), []);
        let two = format!("{one}\n#[derive(LogicState)] enum Tx {{ A, B }}");
        assert_eq!(rules_of(&two), [("one-fsm", 3)]);
    }
}
