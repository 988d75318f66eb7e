// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ports that every block has.
use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::{parse_quote, Fields, ItemStruct};

/// `item` with the ports before its own fields.
pub(crate) fn block(ports: TokenStream, mut item: ItemStruct) -> syn::Result<TokenStream> {
    let wants = ports.to_string();
    if !["", "clock", "comb"].contains(&&*wants) {
        let what = "a block is `#[block]`, `#[block(clock)]` or `#[block(comb)]`";
        return Err(syn::Error::new_spanned(ports, what));
    }
    let Fields::Named(fields) = &mut item.fields else {
        return Err(syn::Error::new_spanned(&item.ident, "a block is a struct with named fields"));
    };
    if wants.is_empty() {
        let reset = parse_quote!(#[doc = "Synchronous reset, active high."] pub reset: Signal<In, Bit>);
        fields.named.insert(0, reset);
    }
    if wants != "comb" {
        let clock = parse_quote!(#[doc = "Clock, rising edge."] pub clock: Signal<In, Clock>);
        fields.named.insert(0, clock);
    }
    let item = item.into_token_stream();
    Ok(quote!(#[derive(LogicBlock, Default)] #item))
}
