// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the attributes write, as text.
use crate::{block, expand};
use quote::{quote, ToTokens};
use syn::{parse_quote, ItemImpl, ItemStruct};

fn kernel(mut item: ItemImpl) -> String {
    expand(&mut item).unwrap_or_else(|why| why.to_compile_error()).to_string()
}

fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

#[test]
fn a_block_has_clock_and_reset_before_its_own_ports() {
    let item: ItemStruct = parse_quote!(
        struct A {
            x: Signal<In, Bit>,
        }
    );
    let names = |ports| {
        let item: ItemStruct = syn::parse2(block::block(ports, item.clone()).unwrap()).unwrap();
        item.fields.iter().map(|f| text(&f.ident)).collect::<Vec<_>>()
    };
    assert_eq!(names(quote!()), ["clock", "reset", "x"]);
    assert_eq!(names(quote!(clock)), ["clock", "x"]);
    assert_eq!(names(quote!(comb)), ["x"]);
    let why = block::block(quote!(rest), item.clone()).unwrap_err();
    assert_eq!(why.to_string(), "a block is `#[block]`, `#[block(clock)]` or `#[block(comb)]`");
}

#[test]
fn the_four_statements_wire_clocks_and_resets() {
    let written = kernel(parse_quote!(impl Logic for A {
        fn update(&mut self) {
            regs!(a, b);
            flops!(c);
            parts!(d);
            clocked!(e);
        }
    }));
    let plain: ItemImpl = parse_quote!(impl Logic for A {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, a, b);
            self.a.reset.next = self.reset.val();
            self.b.reset.next = self.reset.val();
            dff_setup!(self, clock, c);
            clock!(self, clock, d);
            self.d.reset.next = self.reset.val();
            clock!(self, clock, e);
        }
    });
    assert_eq!(written, text(plain));
}

#[test]
fn names_stand_in_the_text_and_declarations_beside_the_text() {
    let written = kernel(parse_quote!(
        impl<const W: usize> Logic for A<W> {
            fn update(&mut self) {
                let hit: Bits<3> = self.d.val();
                self.a.next = lit::<3>(turn_kind::FIN) + hit;
                self.b.next = lit::<8>(W / 8) + bit_cast::<8, 4>(lit::<4>(W / 8)) + bit_cast::<8, 3>(hit);
                self.c.next = gen::qp_state::ready().val();
            }
        }
    ));
    for part in [
        quote!(constant(stringify!(turn_kind_FIN), &lit::<3>(turn_kind::FIN))),
        quote!(constant(stringify!(lit_W_8), &lit::<8>(W / 8))),
        quote!(constant(stringify!(lit_W_8_w4), &lit::<4>(W / 8))),
        quote!(constant(stringify!(qp_state_ready), &gen::qp_state::ready().val())),
        quote!(local::<Bits<3>>(stringify!(hit))),
        quote!(let hit: Bits<3> = self.d.val();),
        quote!(hit.next = self.d.val();),
        quote!(self.a.next = turn_kind_FIN.val::<3>() + hit;),
        quote!(bit_cast::<8, 4>(lit_W_8_w4.val::<4>()) + bit_cast::<8, 3>(hit.val::<3>())),
        quote!(self.c.next = qp_state_ready.val::<_>();),
    ] {
        let bare = |text: &str| text.replace(' ', "");
        assert!(bare(&written).contains(&bare(&text(&part))), "{part}\nnot in\n{written}");
    }
}

#[test]
fn a_local_without_type_with_two_values_or_of_a_record_is_refused() {
    let refused = |body: proc_macro2::TokenStream, why: &str| {
        let written = kernel(parse_quote!(impl Logic for A { fn update(&mut self) { #body } }));
        assert!(written.contains(why), "{written}");
    };
    refused(quote!(let a = self.x.val();), "a local signal is");
    refused(quote!(let a: QpRow = self.x.val();), "a local signal is");
    refused(quote!(let a: Bit = true; let a: Bit = false;), "a local signal has one `let`");
    refused(quote!(let a: Bit = true; self.x.next = bit_cast::<8, 1>(a);), "a `Bit` inside a cast");
}
