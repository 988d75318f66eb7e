// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks and resets of a kernel.
use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{parse_quote, Block, Stmt, Token};

/// Replaces the four statements by the wiring that each stands for.
pub(crate) fn expand(body: &mut Block) -> syn::Result<()> {
    let mut wired = Vec::with_capacity(body.stmts.len());
    for statement in std::mem::take(&mut body.stmts) {
        match &statement {
            Stmt::Macro(call) => wire(call, &mut wired)?,
            _ => wired.push(statement),
        }
    }
    body.stmts = wired;
    Ok(())
}

fn wire(call: &syn::StmtMacro, wired: &mut Vec<Stmt>) -> syn::Result<()> {
    let name = call.mac.path.get_ident().map(Ident::to_string).unwrap_or_default();
    let (is_register, is_reset) = match &*name {
        "regs" => (true, true),
        "flops" => (true, false),
        "parts" => (false, true),
        "clocked" => (false, false),
        _ => {
            wired.push(Stmt::Macro(call.clone()));
            return Ok(());
        }
    };
    let fields = call.mac.parse_body_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
    let names = fields.iter();
    wired.push(if is_register {
        parse_quote!(dff_setup!(self, clock, #(#names),*);)
    } else {
        parse_quote!(clock!(self, clock, #(#names),*);)
    });
    for field in fields.iter().filter(|_| is_reset) {
        wired.push(parse_quote!(self.#field.reset.next = self.reset.val();));
    }
    Ok(())
}
