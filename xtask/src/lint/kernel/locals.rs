// SPDX-License-Identifier: MIT OR Apache-2.0
//! Local signals and constants of a kernel under `#[kernel]`, as fields of the block: the rules
//! then judge both like any signal.
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote_spanned, Block, Expr, Pat, Stmt, Type};

/// `let hit: Bits<8> = a;` becomes `self.hit.next = a;`, a use of `hit` becomes `self.hit.val()`,
/// `lit::<8>(1)` becomes `self.lit.val()`. Adds the width of each local signal to `widths`.
pub fn as_fields(mut body: Block, widths: &mut HashMap<String, u32>) -> Block {
    let mut locals = Locals { names: vec![] };
    for statement in &mut body.stmts {
        if let Some((name, ty, assignment)) = assignment(statement) {
            widths.extend(super::literals::width_in(&ty).map(|width| (name.clone(), width)));
            *statement = assignment;
            locals.visit_stmt_mut(statement);
            locals.names.push(name);
        } else {
            locals.visit_stmt_mut(statement);
        }
    }
    body
}

fn assignment(statement: &Stmt) -> Option<(String, Type, Stmt)> {
    let Stmt::Local(local) = statement else { return None };
    let (Pat::Type(typed), Some(init)) = (&local.pat, &local.init) else { return None };
    let Pat::Ident(name) = &*typed.pat else { return None };
    let (ident, value) = (&name.ident, &init.expr);
    let assignment = parse_quote_spanned!(local.span()=> self.#ident.next = #value;);
    Some((ident.to_string(), (*typed.ty).clone(), assignment))
}

struct Locals {
    names: Vec<String>,
}

impl VisitMut for Locals {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match &*expression {
            Expr::Path(path) if self.names.iter().any(|name| path.path.is_ident(name)) => {
                let name = &path.path.segments[0].ident;
                *expression = parse_quote_spanned!(name.span()=> self.#name.val());
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(f) if f.path.segments.last().is_some_and(|s| s.ident == "lit") => {
                    *expression = parse_quote_spanned!(call.span()=> self.lit.val());
                }
                _ => visit_mut::visit_expr_mut(self, expression),
            },
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}
