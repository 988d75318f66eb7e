// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk over one kernel.
use super::literals::{literal, width_of};
use super::values::{bare, is_comparison, is_free, is_free_sum, is_logical, is_sliceable, unsettled};
use crate::lint::finding::{text_of, Finding};
use crate::lint::rules::{self, Rule};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Pat, Path};

/// Casts by function: the operand is computed at the new width.
const CASTS: [&str; 6] = ["bit_cast", "signed_bit_cast", "unsigned_cast", "signed_cast", "bits", "Bits"];

pub struct Walk<'a> {
    file: &'a str,
    widths: HashMap<String, u32>,
    loops: Vec<String>,
    pub findings: Vec<Finding>,
}

impl<'a> Walk<'a> {
    pub fn new(file: &'a str, widths: HashMap<String, u32>) -> Self {
        Self { file, widths, loops: vec![], findings: vec![] }
    }

    fn report(&mut self, at: &impl Spanned, rule: &'static Rule, what: &str) {
        let text = text_of(at.span());
        self.findings.push(Finding::at(self.file, at.span(), rule, format!("{what} `{text}`")));
    }

    /// Reports the operation in `value` whose high bits would appear here. One operation is
    /// reported once, for the outermost place that takes it.
    fn settled(&mut self, value: &Expr, rule: &'static Rule, place: &str) {
        let Some(operation) = unsettled(value) else { return };
        let start = operation.span().start();
        let seen = |f: &Finding| {
            (f.line, f.column) == (start.line, start.column + 1) && f.rule.starts_with("arith-in-")
        };
        if !self.findings.iter().any(seen) {
            let text = text_of(operation.span());
            let what = format!("result of an operation on signals, `{text}`, {place}");
            self.findings.push(Finding::at(self.file, operation.span(), rule, what));
        }
    }

    fn fits(&mut self, value: &Expr, sibling: &Expr) {
        if let (Some(number), Some(width)) = (literal(value), width_of(sibling, &self.widths)) {
            if width < 128 && number >> width != 0 {
                let what = format!("literal too wide for the {width} bits of its partner,");
                self.report(value, rules::LITERAL_WIDTH, &what);
            }
        }
    }

    /// A path used as a value or as a pattern.
    fn path(&mut self, path: &Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        match &segments[..] {
            [one] if one == "self" || self.loops.contains(one) => {}
            [_] => self.report(path, rules::BARE_CONST, "const as a value"),
            [first, last] => {
                let module = first == "Self" || !first.starts_with(char::is_uppercase);
                let shouts = last.len() > 1 && !last.contains(|c: char| c.is_ascii_lowercase());
                if module || shouts {
                    self.report(path, rules::BARE_CONST, "const as a value");
                }
            }
            _ => self.report(path, rules::LONG_PATH, "path of more than two names"),
        }
    }

    fn pattern(&mut self, pat: &Pat) {
        match pat {
            Pat::Wild(_) => {}
            Pat::Path(p) => self.path(&p.path),
            Pat::Lit(l) if !matches!(l.lit, syn::Lit::Bool(_)) => {}
            Pat::Range(_) => {} // its own rule, as any range
            other => self.report(other, rules::MATCH_PATTERN, "pattern that is no variant"),
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        let mixes = |side: &Expr| match side {
            Expr::Binary(inner) => {
                let agree = is_logical(&e.op) && is_comparison(&inner.op);
                std::mem::discriminant(&inner.op) != std::mem::discriminant(&e.op) && !agree
            }
            _ => false,
        };
        if (mixes(&e.left) || mixes(&e.right)) && !is_free_sum(e) {
            self.report(e, rules::MIXED_OPERATORS, "two different operators without parentheses in");
        }
        if is_comparison(&e.op) {
            self.settled(&e.left, rules::ARITH_IN_COMPARE, "is compared");
            self.settled(&e.right, rules::ARITH_IN_COMPARE, "is compared");
        }
        if matches!(e.op, BinOp::Shr(_)) {
            self.settled(&e.left, rules::ARITH_IN_SHIFT, "is shifted right");
        }
        if matches!(e.op, BinOp::Shr(_) | BinOp::Shl(_)) {
            self.settled(&e.right, rules::ARITH_IN_SHIFT, "is a shift amount");
        } else {
            self.fits(&e.left, &e.right);
            self.fits(&e.right, &e.left);
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.fits(&e.right, &e.left);
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        let name = match &*e.func {
            Expr::Path(p) => p.path.segments.first().map(|s| s.ident.to_string()),
            _ => None,
        };
        let cast = name.is_some_and(|n| CASTS.contains(&n.as_str()));
        for argument in &e.args {
            if cast {
                self.settled(argument, rules::ARITH_IN_CAST, "is cast");
            }
            self.visit_expr(argument);
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let receiver = &*e.receiver;
        match e.method.to_string().as_str() {
            "into" | "to_bits" | "to_signed_bits" => self.settled(receiver, rules::ARITH_IN_CAST, "is cast"),
            "index" => self.settled(receiver, rules::ARITH_IN_INDEX, "is an index"),
            "any" | "all" | "xor" => self.settled(receiver, rules::ARITH_IN_REDUCTION, "is reduced"),
            "get_bit" | "get_bits" | "replace_bit" => {
                for argument in &e.args {
                    self.settled(argument, rules::ARITH_IN_INDEX, "is an index or a bit set by one");
                }
                let free = is_free(receiver);
                if e.method == "replace_bit" {
                    self.settled(receiver, rules::ARITH_IN_INDEX, "has a bit replaced");
                } else if !free && !is_sliceable(receiver) {
                    self.report(e, rules::SLICE_OF_EXPRESSION, "bits of what is no signal,");
                }
            }
            _ => {}
        }
        self.visit_expr(receiver);
        for argument in &e.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.settled(&e.index, rules::ARITH_IN_INDEX, "is an index");
        visit::visit_expr_index(self, e);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        self.settled(&e.expr, rules::ARITH_IN_MATCH, "is matched");
        for arm in &e.arms {
            if let Some((_, guard)) = &arm.guard {
                self.report(guard, rules::MATCH_GUARD, "match guard");
            }
            self.pattern(&arm.pat);
        }
        if !e.arms.last().is_some_and(|a| matches!(a.pat, Pat::Wild(_))) {
            self.report(&e.expr, rules::MATCH_DEFAULT, "match without a last arm `_ => {}` on");
        }
        self.visit_expr(&e.expr);
        for arm in &e.arms {
            self.visit_expr(&arm.body);
            if let Pat::Range(range) = &arm.pat {
                self.visit_expr_range(range);
            }
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        // Bounds are evaluated by Rust and may name anything; only their form matters.
        if let Expr::Range(range) = bare(&e.expr) {
            if matches!(range.limits, syn::RangeLimits::Closed(_)) {
                self.report(range, rules::INCLUSIVE_RANGE, "inclusive range");
            }
        }
        let Pat::Ident(variable) = &*e.pat else { return };
        let name = variable.ident.to_string();
        if self.loops.contains(&name) {
            self.report(&variable.ident, rules::LOOP_SHADOW, "inner loop over the outer loop's variable");
        }
        self.loops.push(name);
        self.visit_block(&e.body);
        self.loops.pop();
    }

    fn visit_expr_range(&mut self, e: &'ast syn::ExprRange) {
        if matches!(e.limits, syn::RangeLimits::Closed(_)) {
            self.report(e, rules::INCLUSIVE_RANGE, "inclusive range");
        }
        visit::visit_expr_range(self, e);
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.path(&e.path);
    }

    fn visit_macro(&mut self, m: &'ast syn::Macro) {
        let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if name.starts_with("assert") || name.starts_with("debug_assert") {
            self.report(m, rules::KERNEL_ASSERT, "assertion that is emitted as a comment,");
        }
    }

    // Type arguments are evaluated by Rust.
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
