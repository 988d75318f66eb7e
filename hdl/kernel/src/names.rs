// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants and local signals of a kernel: the names that stand in the emitted text.
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, ToTokens};
use std::collections::BTreeMap;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, Ident, Pat, PathArguments, Stmt, Type};

/// What a kernel names beside the fields of its block.
#[derive(Default)]
pub(crate) struct Names {
    /// Constants, each with the expression of its value.
    pub(crate) constants: BTreeMap<Ident, Expr>,
    /// Local signals with their types, in the order of the kernel.
    pub(crate) locals: Vec<(Ident, Type)>,
    /// Depth of casts around an expression.
    casts: usize,
    refused: Option<syn::Error>,
}

impl Names {
    /// Replaces each constant of `body` by its name, and each `let` by an assignment to its name.
    pub(crate) fn take(body: &mut Block) -> syn::Result<Self> {
        let mut names = Self::default();
        for statement in &mut body.stmts {
            names.local(statement)?;
            names.visit_stmt_mut(statement);
        }
        names.refused.take().map_or(Ok(names), Err)
    }

    /// `let hit: Bit = a;` becomes `hit.next = a;`.
    fn local(&mut self, statement: &mut Stmt) -> syn::Result<()> {
        let Stmt::Local(local) = &*statement else { return Ok(()) };
        let refuse = |what| Err(syn::Error::new_spanned(local, what));
        let form = "a local signal is `let name: Bit = value;` or `let name: Bits<8> = value;`";
        let (Pat::Type(typed), Some(init)) = (&local.pat, &local.init) else { return refuse(form) };
        let (Pat::Ident(name), Type::Path(ty)) = (&*typed.pat, &*typed.ty) else { return refuse(form) };
        if !ty.path.segments.last().is_some_and(|s| s.ident == "Bit" || s.ident == "Bits") {
            return refuse(form);
        }
        if self.locals.iter().any(|(known, _)| *known == name.ident) {
            return refuse("a local signal has one `let`: give the second value a name of its own");
        }
        let (name, value) = (name.ident.clone(), init.expr.clone());
        self.locals.push((name.clone(), (*typed.ty).clone()));
        *statement = parse_quote!(#name.next = #value;);
        Ok(())
    }

    /// The name of a constant; a number that stands at two widths has two.
    fn constant(&mut self, name: Ident, width: &TokenStream, value: &Expr) -> Ident {
        let is_other = |known: &Expr| text(known) != text(value);
        let name = match self.constants.get(&name).is_some_and(is_other) {
            true => format_ident!("{name}_w{}", joined(width)),
            false => name,
        };
        self.constants.entry(name.clone()).or_insert_with(|| value.clone());
        name
    }
}

impl VisitMut for Names {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Some((name, width)) = constant_of(expression) {
            let name = self.constant(name, &width, expression);
            *expression = parse_quote!(#name.val::<#width>());
            return;
        }
        if let Expr::Path(path) = &*expression {
            let local = self.locals.iter().find(|(name, _)| path.path.is_ident(name));
            let Some((name, ty)) = local.filter(|_| self.casts > 0) else { return };
            // Rust-HDL evaluates a cast to learn the width
            let Some(width) = width_of(ty) else {
                let what = "a `Bit` inside a cast: write an `if`";
                self.refused.get_or_insert(syn::Error::new_spanned(&*expression, what));
                return;
            };
            *expression = parse_quote!(#name.val::<#width>());
            return;
        }
        let cast = usize::from(is_cast(expression));
        self.casts += cast;
        visit_mut::visit_expr_mut(self, expression);
        self.casts -= cast;
    }
}

/// `8` of `Bits<8>`.
fn width_of(ty: &Type) -> Option<TokenStream> {
    let Type::Path(ty) = ty else { return None };
    match &ty.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(width) => Some(width.args.to_token_stream()),
        _ => None,
    }
}

/// True for `bit_cast::<..>(..)` and its like.
fn is_cast(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let Expr::Path(function) = &*call.func else { return false };
    let name = function.path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
    name.starts_with("bit_cast") || name.starts_with("bits") || name.starts_with("Bits")
}

/// The name of a constant and its width, `_` if the kernel does not say one; `None` for any other
/// expression.
fn constant_of(expression: &Expr) -> Option<(Ident, TokenStream)> {
    match expression {
        // qp_state::ready().val()
        Expr::MethodCall(value) if value.method == "val" && value.args.is_empty() => {
            let Expr::Call(call) = &*value.receiver else { return None };
            let Expr::Path(function) = &*call.func else { return None };
            call.args.is_empty().then(|| (short(function), quote::quote!(_)))
        }
        // lit::<3>(turn_kind::FIN), lit::<8>(W / 8)
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { return None };
            let function = function.path.segments.last().filter(|f| f.ident == "lit")?;
            let PathArguments::AngleBracketed(width) = &function.arguments else { return None };
            let name = match call.args.first()? {
                Expr::Path(path) if path.path.segments.len() > 1 => short(path),
                value => format_ident!("lit_{}", words(value.to_token_stream())),
            };
            Some((name, width.args.to_token_stream()))
        }
        _ => None,
    }
}

/// The last two names of a path as one.
fn short(path: &syn::ExprPath) -> Ident {
    let names: Vec<&Ident> = path.path.segments.iter().map(|s| &s.ident).collect();
    match names[..] {
        [.., module, name] => format_ident!("{module}_{name}"),
        _ => format_ident!("lit_{}", words(path.to_token_stream())),
    }
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Words and numbers of an expression as a name: `n16` of `16`, `W_8` of `W / 8`.
fn words(tokens: TokenStream) -> Ident {
    let name = joined(&tokens);
    let number = if name.starts_with(|c: char| c.is_ascii_digit()) { "n" } else { "" };
    Ident::new(&format!("{number}{name}"), Span::call_site())
}

fn joined(tokens: &TokenStream) -> String {
    let text = tokens.to_string();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}
