// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of a kernel: the names that stand in the emitted text, and the values.
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprPath, Ident, PathArguments};

/// Replaces each constant of `body` by the path that names it; returns the emitted names, each with
/// the expression of its value.
pub(crate) fn take(body: &mut Block) -> syn::Result<BTreeMap<String, Expr>> {
    let mut constants = Constants::default();
    constants.visit_block_mut(body);
    constants.refused.map_or(Ok(constants.values), Err)
}

#[derive(Default)]
struct Constants {
    values: BTreeMap<String, Expr>,
    /// Depth of casts around an expression.
    casts: usize,
    refused: Option<syn::Error>,
}

impl VisitMut for Constants {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let Some((mut path, width)) = name_of(expression) else {
            let cast = usize::from(is_cast(expression));
            self.casts += cast;
            visit_mut::visit_expr_mut(self, expression);
            self.casts -= cast;
            return;
        };
        if self.casts > 0 {
            // Rust-HDL evaluates a cast to learn the width, and a name has no value
            let what = "a constant inside a cast: give the operand a Signal<Local>, or the constant a field";
            self.refused.get_or_insert(syn::Error::new_spanned(&*expression, what));
        }
        let is_other = |known: &Expr| text(known) != text(expression);
        if self.values.get(&emitted(&path)).is_some_and(is_other) {
            // the same number at another width
            if let Some(last) = path.path.segments.last_mut() {
                last.ident = Ident::new(&format!("{}_w{width}", last.ident), Span::call_site());
            }
        }
        let name = emitted(&path);
        let value = std::mem::replace(expression, Expr::Path(path));
        self.values.entry(name).or_insert(value);
    }
}

/// True for `bit_cast::<..>(..)` and its like.
fn is_cast(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let Expr::Path(function) = &*call.func else { return false };
    let name = function.path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
    name.starts_with("bit_cast") || name.starts_with("bits") || name.starts_with("Bits")
}

/// Rust-HDL's name of a path.
fn emitted(path: &ExprPath) -> String {
    text(path).replace(' ', "").replace("::", "$")
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The path of two names that stands for a constant, and the constant's width as far as the kernel
/// says one; `None` for any other expression.
fn name_of(expression: &Expr) -> Option<(ExprPath, String)> {
    match expression {
        // qp_state::ready().val()
        Expr::MethodCall(value) if value.method == "val" && value.args.is_empty() => {
            let Expr::Call(call) = &*value.receiver else { return None };
            let Expr::Path(function) = &*call.func else { return None };
            call.args.is_empty().then(|| (short(function), String::new()))
        }
        // lit::<3>(turn_kind::FIN), lit::<8>(W / 8)
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { return None };
            let function = function.path.segments.last().filter(|f| f.ident == "lit")?;
            let PathArguments::AngleBracketed(width) = &function.arguments else { return None };
            let name = match call.args.first()? {
                Expr::Path(path) if path.path.segments.len() > 1 => short(path),
                value => {
                    let name = words(value.to_token_stream());
                    parse_quote!(lit::#name)
                }
            };
            Some((name, text(&width.args).replace(' ', "")))
        }
        _ => None,
    }
}

/// The last two names of a path.
fn short(path: &ExprPath) -> ExprPath {
    let names: Vec<&Ident> = path.path.segments.iter().map(|s| &s.ident).collect();
    match names[..] {
        [.., module, name] => parse_quote!(#module::#name),
        _ => path.clone(),
    }
}

/// Words and numbers of an expression as a name: `n16` of `16`, `W_8` of `W / 8`.
fn words(tokens: TokenStream) -> Ident {
    let text = tokens.to_string();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    let number = if name.starts_with(|c: char| c.is_ascii_digit()) { "n" } else { "" };
    Ident::new(&format!("{number}{name}"), Span::call_site())
}
