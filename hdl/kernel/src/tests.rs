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
    let why = block::block(quote!(rest), item.clone()).unwrap_err();
    assert_eq!(why.to_string(), "a block is `#[block]` or `#[block(clock)]`");
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
fn constants_stand_by_name_in_the_text_and_by_value_beside_the_text() {
    let written = kernel(parse_quote!(
        impl<const W: usize> Logic for A<W> {
            fn update(&mut self) {
                self.a.next = lit::<3>(turn_kind::FIN);
                self.b.next = lit::<8>(W / 8) + lit::<4>(W / 8);
                self.c.next = gen::qp_state::ready().val();
            }
        }
    ));
    for part in [
        quote!(("turn_kind$FIN", Synth::verilog(lit::<3>(turn_kind::FIN)))),
        quote!(("lit$W_8", Synth::verilog(lit::<8>(W / 8)))),
        quote!(("lit$W_8_w4", Synth::verilog(lit::<4>(W / 8)))),
        quote!(("qp_state$ready", Synth::verilog(gen::qp_state::ready().val()))),
        quote!(self.a.next = turn_kind::FIN;),
        quote!(self.b.next = lit::W_8 + lit::W_8_w4;),
        quote!(self.c.next = qp_state::ready;),
    ] {
        assert!(written.contains(&text(&part)), "{part}\nnot in\n{written}");
    }
}

#[test]
fn a_constant_inside_a_cast_is_refused() {
    let written = kernel(parse_quote!(impl Logic for A {
        fn update(&mut self) {
            self.a.next = bit_cast::<8, 4>(self.b.val() & lit::<4>(3));
        }
    }));
    assert!(written.contains("a constant inside a cast"), "{written}");
}
