// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers whose next value starts twice from the present one: the second assignment forgets what
//! the first one changed.
use crate::lint::finding::{text_of, Finding};
use crate::lint::rules;
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Expr, ExprField, Member, Stmt};

/// Where each register was assigned from its own value, on some way to a statement: by the text of
/// the register.
type Seen = BTreeMap<String, usize>;

/// Judges a kernel's body.
pub(super) fn judge(file: &str, body: &Block) -> Vec<Finding> {
    let mut lost = Lost { file, findings: vec![] };
    lost.block(body, &mut Seen::new());
    lost.findings
}

struct Lost<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl Lost<'_> {
    fn block(&mut self, block: &Block, seen: &mut Seen) {
        for statement in &block.stmts {
            if let Stmt::Expr(expression, _) = statement {
                self.expression(expression, seen);
            }
        }
    }

    /// A branch starts from what was seen before it; behind it, what any of them has seen counts.
    fn branch(&mut self, seen: &Seen, behind: &mut Seen, walk: impl FnOnce(&mut Self, &mut Seen)) {
        let mut own = seen.clone();
        walk(self, &mut own);
        behind.extend(own);
    }

    fn expression(&mut self, expression: &Expr, seen: &mut Seen) {
        let mut behind = seen.clone();
        match expression {
            Expr::Assign(assign) => return self.assign(&assign.left, &assign.right, seen),
            Expr::Block(inner) => return self.block(&inner.block, seen),
            Expr::If(branches) => {
                self.branch(seen, &mut behind, |own, seen| own.block(&branches.then_branch, seen));
                if let Some((_, other)) = &branches.else_branch {
                    self.branch(seen, &mut behind, |own, seen| own.expression(other, seen));
                }
            }
            Expr::Match(arms) => {
                for arm in &arms.arms {
                    self.branch(seen, &mut behind, |own, seen| own.expression(&arm.body, seen));
                }
            }
            Expr::ForLoop(round) => {
                self.block(&round.body, &mut behind);
                // the next round: a register of that round's own has the variable in its text
                let variable = round.pat.to_token_stream().to_string();
                let mut again = behind.clone();
                again.retain(|register, _| !words(register).any(|word| word == variable));
                self.block(&round.body, &mut again);
            }
            _ => {}
        }
        *seen = behind;
    }

    fn assign(&mut self, left: &Expr, right: &Expr, seen: &mut Seen) {
        let Some(register) = field(left, "next").and_then(|d| field(d, "d")) else { return };
        let name = register.to_token_stream().to_string();
        if right.to_token_stream().to_string() == format!("{name} . q . val ()") {
            // nothing is changed
            return;
        }
        let mut starts = StartsFrom { register: &name, found: false };
        starts.visit_expr(right);
        if !starts.found {
            return;
        }
        let line = left.span().start().line;
        if let Some(first) = seen.insert(name, line) {
            let what = format!(
                "`{}` starts from the register again, as line {first} does",
                text_of(left.span().join(right.span()).unwrap_or(left.span()))
            );
            self.findings.push(Finding::at(self.file, left.span(), rules::LOST_UPDATE, what));
        }
    }
}

/// Looks for a register's `q`.
struct StartsFrom<'a> {
    register: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for StartsFrom<'_> {
    fn visit_expr_field(&mut self, access: &'ast ExprField) {
        let is_q = matches!(&access.member, Member::Named(name) if name == "q");
        self.found |= is_q && access.base.to_token_stream().to_string() == self.register;
        syn::visit::visit_expr_field(self, access);
    }
}

/// What `expression` is the field `name` of.
fn field<'a>(expression: &'a Expr, name: &str) -> Option<&'a Expr> {
    match expression {
        Expr::Field(access) => match &access.member {
            Member::Named(member) if member == name => Some(&access.base),
            _ => None,
        },
        _ => None,
    }
}

/// The words of a text of tokens.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}
