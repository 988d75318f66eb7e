// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two attributes for blocks of Rust-HDL: [`macro@block`] writes the ports `clock` and `reset`,
//! [`macro@kernel`] the wiring of clocks and resets, and the constants.
//!
//! Both attributes write plain Rust-HDL; `#[hdl_gen]` and `#[derive(LogicBlock)]` do the rest.
mod block;
mod names;
mod wiring;

use names::Names;
use proc_macro::TokenStream;
use quote::quote;
use syn::{parse_macro_input, ImplItem, ItemImpl};

/// Makes a struct a block with the ports `clock` and `reset`; with `#[block(clock)]`, with `clock`
/// alone; with `#[block(comb)]`, with neither: a combinational block.
///
/// Adds `#[derive(LogicBlock, Default)]`. The reset is synchronous and active high.
#[proc_macro_attribute]
pub fn block(ports: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::ItemStruct);
    block::block(ports.into(), item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the `update` of an `impl Logic` a kernel of Rust-HDL.
///
/// Statements of the kernel, all with names of fields of `self`:
///
/// | statement | fields | wires |
/// |---|---|---|
/// | `regs!(a, b);` | registers | clock, reset; holds the value |
/// | `flops!(a, b);` | registers without reset | clock; holds the value |
/// | `parts!(a, b);` | blocks | clock, reset |
/// | `clocked!(a, b);` | blocks without reset | clock |
///
/// `let hit: Bit = value;` at the top level of the kernel is a local signal: `Bit` or `Bits<N>`,
/// with one value. `lit::<3>(turn_kind::FIN)` is a constant of 3 bits, and so is
/// `qp_state::ready().val()`, the value of a function that returns a `Const`. Each constant becomes
/// a `localparam` with the name of the path.
#[proc_macro_attribute]
pub fn kernel(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as ItemImpl);
    expand(&mut item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Removes a function. `#[hdl_gen]` keeps the function of which it makes the text; a function with
/// names in place of values does not compile.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn discarded(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}

fn expand(item: &mut ItemImpl) -> syn::Result<proc_macro2::TokenStream> {
    let [ImplItem::Fn(update)] = &mut item.items[..] else {
        return Err(syn::Error::new_spanned(&item.self_ty, "a kernel is an impl of `update` alone"));
    };
    wiring::expand(&mut update.block)?;
    let mut emitted = update.clone();
    let Names { constants, locals, .. } = Names::take(&mut emitted.block)?;
    if constants.is_empty() && locals.is_empty() {
        update.attrs.push(syn::parse_quote!(#[hdl_gen]));
        return Ok(quote!(#item));
    }
    // `update` runs with the values; the text is made from a copy with names in their place
    let (generics, block) = (&item.generics, &item.self_ty);
    let (parameters, _, bounds) = generics.split_for_impl();
    let (constants, values): (Vec<_>, Vec<_>) = constants.into_iter().unzip();
    let (locals, types): (Vec<_>, Vec<_>) = locals.into_iter().unzip();
    Ok(quote! {
        impl #parameters Logic for #block #bounds {
            #[allow(unreachable_patterns)]
            #update
            fn connect(&mut self) {
                crate::emit::Kernel::connect(self)
            }
            fn hdl(&self) -> Verilog {
                let names = [
                    #(crate::emit::Named::constant(stringify!(#constants), &#values),)*
                    #(crate::emit::Named::local::<#types>(stringify!(#locals)),)*
                ];
                crate::emit::with_names(crate::emit::Kernel::hdl(self), names)
            }
        }
        #[allow(non_upper_case_globals)]
        const _: () = {
            #(const #constants: crate::emit::Name = crate::emit::Name;)*
            #(const #locals: crate::emit::Name = crate::emit::Name;)*
            impl #parameters crate::emit::Kernel for #block #bounds {
                #[hdl_gen]
                #[::ferrowarp_kernel::discarded]
                #emitted
            }
        };
    })
}

#[cfg(test)]
mod tests;
