// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which values may not be used at another width: the results of `+ - * <<`, `!` and unary `-` on
//! signals.
use syn::{BinOp, Expr, ExprMethodCall, UnOp};

/// Strips parentheses.
pub fn bare(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(p) => bare(&p.expr),
        Expr::Group(g) => bare(&g.expr),
        _ => e,
    }
}

/// True for what no signal takes part in: literals, loop variables, arithmetic on them. Consts
/// count as well: that they may not stand here is a rule of its own.
pub fn is_free(e: &Expr) -> bool {
    match bare(e) {
        Expr::Lit(_) => true,
        Expr::Path(p) => !p.path.is_ident("self"),
        Expr::Binary(b) => is_free(&b.left) && is_free(&b.right),
        Expr::Unary(u) => is_free(&u.expr),
        Expr::MethodCall(m) if is_erased(m) => is_free(&m.receiver),
        _ => false,
    }
}

/// True for sums and products without any signal, such as `2 * i + 1`: Rust and Verilog agree on
/// their order.
pub fn is_free_sum(e: &syn::ExprBinary) -> bool {
    let sum = |op: &BinOp| {
        matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
    };
    let side = |e: &Expr| match e {
        Expr::Binary(b) => is_free_sum(b),
        other => is_free(other),
    };
    sum(&e.op) && side(&e.left) && side(&e.right)
}

/// True for the methods that vanish in translation.
pub fn is_erased(m: &ExprMethodCall) -> bool {
    ["into", "to_bits", "index", "val"].iter().any(|n| m.method == n)
}

/// True for `== != < <= > >=`.
pub fn is_comparison(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}

/// True for `&&` and `||`.
pub fn is_logical(op: &BinOp) -> bool {
    matches!(op, BinOp::And(_) | BinOp::Or(_))
}

/// The operation inside `e`, if any, whose high bits would appear if `e` were used at another
/// width.
///
/// Comparisons, `&&`, `||`, reductions, casts and slices start a width of their own in Verilog, so
/// nothing inside them reaches the outside; their own operands are judged where they stand.
pub fn unsettled(e: &Expr) -> Option<&Expr> {
    let e = bare(e);
    match e {
        _ if is_free(e) => None,
        Expr::Unary(u) if matches!(u.op, UnOp::Not(_) | UnOp::Neg(_)) => Some(e),
        Expr::Binary(b) => match b.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Shl(_) => Some(e),
            BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => {
                unsettled(&b.left).or_else(|| unsettled(&b.right))
            }
            _ => None,
        },
        Expr::MethodCall(m) if is_erased(m) => unsettled(&m.receiver),
        _ => None,
    }
}

/// True if bits can be taken from `e` in Verilog: a signal, an element of an array of signals.
/// A field of a record is itself a slice, and a slice of a slice is no Verilog.
pub fn is_sliceable(e: &Expr) -> bool {
    match e {
        Expr::MethodCall(m) if m.method == "val" => is_place(&m.receiver),
        _ => false,
    }
}

fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Path(p) => p.path.is_ident("self"),
        Expr::Field(f) => is_place(&f.base),
        Expr::Index(i) => is_place(&i.expr),
        _ => false,
    }
}
