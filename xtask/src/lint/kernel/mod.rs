// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels (`fn update` under `#[kernel]` or `#[hdl_gen]`): the forms that compile and emit wrong
//! Verilog without an error.

mod literals;
mod locals;
mod lost;
mod values;
mod walk;

#[cfg(test)]
mod tests;

use super::finding::Finding;
use literals::Widths;
use syn::visit::{self, Visit};
use syn::{ImplItem, ItemImpl, Type};

/// Checks every kernel of a file, wherever it stands in it.
pub fn check(file: &str, syntax: &syn::File) -> Vec<Finding> {
    let mut kernels = Kernels { file, widths: Widths::of(syntax), findings: vec![] };
    kernels.visit_file(syntax);
    kernels.findings
}

struct Kernels<'a> {
    file: &'a str,
    widths: Widths,
    findings: Vec<Finding>,
}

impl<'ast> Visit<'ast> for Kernels<'_> {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let block = match &*item.self_ty {
            Type::Path(p) => p.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        for member in &item.items {
            let ImplItem::Fn(function) = member else { continue };
            let has = |attributes: &[syn::Attribute], name: &str| {
                attributes.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == name))
            };
            if has(&function.attrs, "hdl_gen") || has(&item.attrs, "kernel") {
                let mut widths = self.widths.block(block.as_deref().unwrap_or_default());
                let body = locals::as_fields(function.block.clone(), &mut widths);
                let mut walk = walk::Walk::new(self.file, widths);
                walk.visit_block(&body);
                self.findings.extend(walk.findings);
                self.findings.extend(lost::judge(self.file, &body));
            }
        }
        visit::visit_item_impl(self, item);
    }
}
