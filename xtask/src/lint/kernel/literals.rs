// SPDX-License-Identifier: MIT OR Apache-2.0
//! Widths of a block's signals as far as its own struct tells, to judge literals.
use super::values::bare;
use std::collections::HashMap;
use syn::visit::{self, Visit};
use syn::{Expr, GenericArgument, ItemStruct, Lit, Member, PathArguments, Type};

/// Width of each field whose type says it in a number, block by block.
#[derive(Default)]
pub struct Widths(HashMap<String, HashMap<String, u32>>);

impl Widths {
    /// Reads the structs of a file.
    pub fn of(file: &syn::File) -> Self {
        let mut widths = Self::default();
        widths.visit_file(file);
        widths
    }

    /// The fields of one block; empty if its struct stands elsewhere.
    pub fn block(&self, name: &str) -> HashMap<String, u32> {
        self.0.get(name).cloned().unwrap_or_default()
    }
}

impl<'ast> Visit<'ast> for Widths {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let fields = self.0.entry(item.ident.to_string()).or_default();
        for field in &item.fields {
            if let (Some(name), Some(width)) = (&field.ident, width_in(&field.ty)) {
                fields.insert(name.to_string(), width);
            }
        }
        visit::visit_item_struct(self, item);
    }
}

/// `N` of the `Bits<N>` that a signal, register, constant or array of them carries.
pub fn width_in(ty: &Type) -> Option<u32> {
    let path = match ty {
        Type::Array(a) => return width_in(&a.elem),
        Type::Path(p) => p.path.segments.last()?,
        _ => return None,
    };
    let PathArguments::AngleBracketed(args) = &path.arguments else { return None };
    let carries =
        ["Signal", "Reg", "Flop", "DFF", "Const", "Constant", "Vec"].iter().any(|n| path.ident == n);
    if carries {
        return args.args.iter().find_map(|a| match a {
            GenericArgument::Type(t) => width_in(t),
            _ => None,
        });
    }
    match (path.ident == "Bits", args.args.first()?) {
        (true, GenericArgument::Const(Expr::Lit(l))) => number(&l.lit).and_then(|n| u32::try_from(n).ok()),
        _ => None,
    }
}

fn number(lit: &Lit) -> Option<u128> {
    match lit {
        Lit::Int(i) => i.base10_parse().ok(),
        _ => None,
    }
}

/// The number that `5`, `5.into()` or `5_u64.to_bits()` stands for.
pub fn literal(e: &Expr) -> Option<u128> {
    match bare(e) {
        Expr::Lit(l) => number(&l.lit),
        Expr::MethodCall(m) if m.method == "into" || m.method == "to_bits" => literal(&m.receiver),
        _ => None,
    }
}

/// Width of `self.f.val()`, `self.f.next`, `self.f.q.val()`, `self.f.d.next`, `self.f[i].next`, if
/// known.
pub fn width_of(e: &Expr, fields: &HashMap<String, u32>) -> Option<u32> {
    let place = match bare(e) {
        Expr::MethodCall(m) if m.method == "val" => &*m.receiver,
        Expr::Field(f) if is_named(&f.member, &["next"]) => &*f.base,
        _ => return None,
    };
    let place = match place {
        Expr::Field(f) if is_named(&f.member, &["d", "q"]) && !matches!(&*f.base, Expr::Path(_)) => &*f.base,
        other => other,
    };
    let place = match place {
        Expr::Index(i) => &*i.expr,
        other => other,
    };
    match place {
        Expr::Field(f) if matches!(&*f.base, Expr::Path(p) if p.path.is_ident("self")) => match &f.member {
            Member::Named(name) => fields.get(&name.to_string()).copied(),
            Member::Unnamed(_) => None,
        },
        _ => None,
    }
}

fn is_named(member: &Member, names: &[&str]) -> bool {
    matches!(member, Member::Named(n) if names.iter().any(|x| n == x))
}
