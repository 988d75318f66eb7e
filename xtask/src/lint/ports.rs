// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comments of ports: one word says neither unit nor when the value is valid.
use super::finding::Finding;
use super::names::derives;
use super::rules;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, GenericArgument, ItemStruct, Lit, Meta, PathArguments, Type};

/// Finds the ports of one file whose comment is one word.
pub fn check(file: &str, syntax: &syn::File) -> Vec<Finding> {
    let mut ports = Ports { file, findings: vec![] };
    ports.visit_file(syntax);
    ports.findings
}

struct Ports<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl<'ast> Visit<'ast> for Ports<'_> {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        // The comment of a channel says what its signals need not say again.
        let channel = derives(&item.attrs, "LogicInterface");
        for field in item.fields.iter().filter(|f| !channel && is_port(&f.ty)) {
            let (Some(name), text) = (&field.ident, doc(&field.attrs)) else { continue };
            if text.split_whitespace().count() == 1 {
                let what = format!("the comment of port `{name}` is `{}`", text.trim());
                self.findings.push(Finding::at(self.file, name.span(), rules::PORT_COMMENT, what));
            }
        }
        visit::visit_item_struct(self, item);
    }
}

/// True for `Signal<In, ..>` and `Signal<Out, ..>`.
fn is_port(ty: &Type) -> bool {
    let Type::Path(ty) = ty else { return false };
    let Some(last) = ty.path.segments.last().filter(|s| s.ident == "Signal") else { return false };
    let PathArguments::AngleBracketed(list) = &last.arguments else { return false };
    let Some(GenericArgument::Type(Type::Path(way))) = list.args.first() else { return false };
    way.path.segments.last().is_some_and(|s| s.ident == "In" || s.ident == "Out" || s.ident == "InOut")
}

/// The text of all doc comments of an item.
fn doc(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(value) = &pair.value else { continue };
        let Lit::Str(line) = &value.lit else { continue };
        text += &line.value();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<usize> {
        check("x.rs", &syn::parse_file(source).unwrap()).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn a_comment_of_one_word_is_found_at_ports_of_blocks_only() {
        let fields = "{\n/// Offered.\npub a: Signal<In, Bit>,\n/// Taken.\npub b: Signal<Out, Bit>,\n\
                      /// Clock.\n///\n/// Rising edge.\npub c: Signal<In, Clock>,\n\
                      /// Sum.\nd: Signal<Local, Bit>,\n/// State.\ne: Reg<Bit>,\npub f: Signal<In, Bit> }";
        let block = |derive: &str| format!("#[derive({derive})] struct A {fields}");
        assert_eq!(found(&block("LogicBlock, Default")), [3, 5]);
        assert_eq!(found(&block("Clone, LogicInterface")), [0; 0]);
    }
}
