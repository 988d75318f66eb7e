// SPDX-License-Identifier: MIT OR Apache-2.0
//! A refused form and an accepted near miss for every rule of the kernels.
use super::check;

/// Rules broken by a kernel body, in the order found.
fn rules_of(body: &str) -> Vec<&'static str> {
    let source = format!(
        "pub struct A {{ n: Signal<Local, Bits<8>>, r: Reg<Bits<4>>, w: Signal<In, Bits<W>>, \
         many: [Signal<Local, Bits<4>>; 3] }}\n\
         impl Logic for A {{ #[hdl_gen] fn update(&mut self) {{ {body} }} }}"
    );
    let syntax = syn::parse_file(&source).unwrap_or_else(|e| panic!("{e}: {body}"));
    check("x.rs", &syntax).into_iter().map(|f| f.rule).collect()
}

fn refused(rule: &str, bodies: &[&str]) {
    for body in bodies {
        assert_eq!(rules_of(body), [rule], "{body}");
    }
}

fn accepted(bodies: &[&str]) {
    for body in bodies {
        assert_eq!(rules_of(body), [""; 0], "{body}");
    }
}

#[test]
fn only_kernels_are_judged() {
    let software = "impl A { fn update(&mut self) { x = a & b == FIVE; for i in 0..=3 {} } }";
    assert!(check("x.rs", &syn::parse_file(software).unwrap()).is_empty());
    let whole = "#[kernel] impl Logic for A { fn update(&mut self) { assert!(x); } }";
    assert_eq!(check("x.rs", &syn::parse_file(whole).unwrap()).len(), 1);
    let deep = "mod m { fn f() { impl Logic for A { #[rust_hdl::prelude::hdl_gen] fn update(&mut self) { assert!(x); } } } }";
    assert_eq!(check("x.rs", &syn::parse_file(deep).unwrap()).len(), 1);
}

#[test]
fn arithmetic_inside_a_comparison() {
    refused(
        "arith-in-compare",
        &[
            "self.x.next = (self.a.val() + 1) == self.b.val();",
            "self.x.next = self.b.val() != (self.a.val() - self.c.val());",
            "self.x.next = (self.a.val() * self.c.val()) < self.b.val();",
            "self.x.next = (self.a.val() << 1) >= self.b.val();",
            "self.x.next = !self.a.val() == self.b.val();",
            "self.x.next = -self.a.val() < self.b.val();",
            "if (self.a.val() & !self.c.val()) > self.b.val() { self.x.next = true; }",
            "self.x.next = self.q.val() && ((self.a.val() + 1) == self.b.val());",
            "let a: Bits<8> = self.c.val(); self.x.next = (a + 1) == self.b.val();",
            "self.x.next = (self.a.val() + lit::<8>(3)) == self.b.val();",
        ],
    );
    accepted(&[
        "self.sum.next = self.a.val() + 1; self.x.next = self.sum.val() == self.b.val();",
        "self.x.next = !self.a.val() && (self.c.val() == self.b.val());",
        "if !self.a.val() || !self.b.val() { self.x.next = !(self.a.val() == self.b.val()); }",
        "for i in 0..3 { if self.b.val() == (i + 1).to_bits() { self.x.next = true; } }",
        "self.x.next = (!self.a.val() && self.b.val()) == self.c.val();",
        "self.x.next = (self.a.val() >> 1) == self.b.val();",
    ]);
}

#[test]
fn arithmetic_inside_a_cast() {
    refused(
        "arith-in-cast",
        &[
            "self.x.next = bit_cast::<16, 8>(self.a.val() + self.b.val());",
            "self.x.next = bit_cast::<16, 8>(!self.a.val());",
            "self.x.next = bit_cast::<8, 1>((!self.c.val()).into());",
            "self.x.next = bit_cast::<16, 8>(self.a.val() | (self.b.val() << 1));",
            "self.x.next = signed_bit_cast::<16, 8>(-self.a.val());",
            "self.x.next = unsigned_cast(self.a.val() - self.b.val());",
            "self.x.next = (!self.c.val()).into();",
            "self.x.next = (self.a.val() - self.b.val()).to_bits();",
            "self.x.next = (self.a.val() * self.b.val()).to_signed_bits();",
        ],
    );
    accepted(&[
        "self.x.next = bit_cast::<16, 8>(self.a.val());",
        "self.x.next = bit_cast::<16, 8>(self.a.val() & self.b.val());",
        "self.x.next = (bit_cast::<16, 8>(self.a.val()) << 8) | bit_cast::<16, 8>(self.b.val());",
        "self.x.next = bit_cast::<8, 1>(self.c.val().into());",
        "self.x.next = bit_cast::<8, 1>((!self.c.val() && self.d.val()).into());",
        "self.x.next = bit_cast::<W, 8>(self.a.val());",
        "for i in 0..4 { self.x.next = (i * 2).to_bits(); }",
    ]);
}

#[test]
fn arithmetic_inside_an_index() {
    refused(
        "arith-in-index",
        &[
            "self.x.next = self.a.val().get_bit((self.n.val() + 1).index());",
            "self.x.next = self.a.val().get_bit(self.n.val().index() + 1);",
            "self.x.next = self.a.val().get_bits::<8>((self.n.val() << 3).index());",
            "self.x.next = self.a.val().replace_bit(2, !self.c.val());",
            "self.x.next = (self.a.val() + 1).replace_bit(2, self.c.val());",
            "self.x.next = self.many[self.n.val().index() - 1].val();",
        ],
    );
    accepted(&[
        "self.x.next = self.a.val().get_bit(self.n.val().index());",
        "for i in 0..8 { if self.a.val().get_bit(7 - i) { self.x.next = self.idx[7 - i].val(); } }",
        "for i in 0..M { self.lane[i + 1].next = self.lane[(i + 3) % 4].val(); }",
        "for i in 0..8 { self.x.next = self.a.val().get_bits::<8>(8 * i); }",
        "self.x.next = self.a.val().replace_bit(2, self.c.val());",
    ]);
}

#[test]
fn arithmetic_inside_a_shift() {
    refused(
        "arith-in-shift",
        &[
            "self.x.next = (self.a.val() + self.b.val()) >> 1;",
            "self.x.next = (!self.a.val()) >> self.n.val();",
            "self.x.next = !self.a.val() >> 1;",
            "self.x.next = (self.a.val() << 4) >> 4;",
            "self.x.next = self.a.val() >> (self.n.val() + 1);",
            "self.x.next = self.a.val() << (self.n.val() - 1);",
        ],
    );
    accepted(&[
        "self.x.next = self.a.val() >> self.n.val();",
        "self.x.next = (self.a.val() & self.b.val()) >> 3;",
        "self.x.next = (self.a.val() + self.b.val()) << 3;",
        "for i in 0..4 { self.x.next = self.a.val() >> (8 * i); }",
        "self.x.next = (self.a.val() >> self.n.val()) | (self.a.val() << self.m.val());",
    ]);
}

#[test]
fn arithmetic_inside_a_reduction_or_match() {
    refused(
        "arith-in-reduction",
        &[
            "self.x.next = (self.a.val() + self.b.val()).any();",
            "self.x.next = (!self.a.val()).all();",
            "self.x.next = (self.a.val() - 1).xor();",
        ],
    );
    refused("arith-in-match", &["match self.a.val() + 1 { St::A => { self.x.next = true; } _ => {} }"]);
    accepted(&[
        "self.x.next = (self.a.val() & self.b.val()).any();",
        "self.x.next = !self.a.val().any();",
        "self.x.next = self.a.val() + self.b.val();",
        "self.x.next = (self.a.val() + 1) - (self.b.val() & self.c.val());",
        "self.x.next = !self.a.val() & self.b.val();",
        "self.rec.next.field = self.a.val() + 1;",
    ]);
}

#[test]
fn bits_of_an_expression() {
    refused(
        "slice-of-expression",
        &[
            "self.x.next = (self.a.val() + self.b.val()).get_bits::<4>(0);",
            "self.x.next = (self.a.val() & self.b.val()).get_bit(0);",
            "self.x.next = bit_cast::<8, 16>(self.a.val()).get_bit(0);",
            "self.x.next = self.a.val().get_bits::<8>(8).get_bit(3);",
            "self.x.next = self.beat.val().data.get_bit(3);",
        ],
    );
    accepted(&[
        "self.x.next = self.a.val().get_bits::<4>(0);",
        "self.x.next = self.r.q.val().get_bit(0);",
        "for i in 0..3 { self.x.next = self.many[i].val().get_bit(i); }",
        "self.x.next = self.beat.val().data;",
    ]);
}

#[test]
fn operators_that_mix() {
    refused(
        "mixed-operators",
        &[
            "self.x.next = self.a.val() & self.b.val() == self.b.val();",
            "self.x.next = self.a.val() ^ self.b.val() < self.k.val();",
            "self.x.next = self.a.val() && self.b.val() || self.c.val();",
            "self.x.next = self.a.val() + self.b.val() - self.c.val();",
            "self.x.next = self.a.val() + self.b.val() & self.c.val();",
            "self.x.next = self.a.val() >> 2 | self.c.val();",
            "for i in 0..4 { self.x.next = self.many[i << 1 + 1].val(); }",
            "for i in 0..4 { self.x.next = self.a.val() + 2 * i.to_bits(); }",
        ],
    );
    accepted(&[
        "self.x.next = (self.a.val() & self.b.val()) == self.b.val();",
        "self.x.next = self.a.val() == self.b.val() && self.c.val() < self.d.val() && !self.e.val();",
        "self.x.next = (self.a.val() && self.b.val()) || self.c.val();",
        "self.x.next = self.a.val() | self.b.val() | self.c.val();",
        "for i in 0..4 { self.x.next = self.many[2 * i + 1].val(); }",
    ]);
}

#[test]
fn matches() {
    refused("match-guard", &["match self.s.q.val() { St::A if self.c.val() => {} _ => {} }"]);
    refused(
        "match-default",
        &[
            "match self.s.q.val() { St::A => { self.x.next = true; } St::B => {} }",
            "match self.s.q.val() { _ => {} St::A => {} }",
        ],
    );
    refused(
        "match-pattern",
        &[
            "match self.s.q.val() { Run => {} _ => {} }",
            "match self.b.val() { true => {} _ => {} }",
            "match self.s.q.val() { St::A | St::B => {} _ => {} }",
        ],
    );
    accepted(&[
        "match self.s.q.val() { St::A => { if self.c.val() { self.x.next = true; } } St::B => {} _ => {} }",
        "if self.s.q.val() == St::A { self.x.next = true; }",
    ]);
}

#[test]
fn ranges_and_loops() {
    refused(
        "inclusive-range",
        &[
            "for i in 0..=3 { self.many[i].next = self.a.val(); }",
            "for i in (0..=3) { self.many[i].next = self.a.val(); }",
            "match self.s.q.val() { 1..=3 => {} _ => {} }",
        ],
    );
    refused("loop-shadow", &["for i in 0..3 { for i in 0..2 { self.many[i].next = self.a.val(); } }"]);
    accepted(&[
        "for i in 0..4 { self.many[i].next = self.a.val(); }",
        "for i in M..N { for j in 0..FOUR { self.many[i].next = self.b[j].val(); } }",
        "for i in 0..3 { self.x.next = self.a.val(); } for i in 0..2 { self.y.next = self.a.val(); }",
    ]);
}

#[test]
fn consts_and_paths() {
    refused(
        "bare-const",
        &[
            "self.x.next = FIVE.into();",
            "self.x.next = self.a.val() + W.to_bits();",
            "self.x.next = self.many[IDX].val();",
            "self.x.next = self.a.val().get_bit(N - 1);",
            "self.x.next = Self::FIVE.into();",
            "self.x.next = abi::FIVE.into();",
            "self.x.next = u8::MAX.into();",
            "if self.a.val() == LIMIT { self.x.next = true; }",
        ],
    );
    refused(
        "long-path",
        &["self.s.d.next = state::St::Run;", "match self.s.q.val() { state::St::Run => {} _ => {} }"],
    );
    accepted(&[
        "self.x.next = self.five.val();",
        "self.x.next = bit_cast::<{ W - 8 }, W>(self.a.val());",
        "self.x.next = self.a.val().get_bits::<HALF>(0);",
        "StreamSink::<W, K>::link(&mut self.rx, &mut self.a.rx);",
        "clock!(self, clock, a, b); dff_setup!(self, clock, c);",
        "regs!(a, b); flops!(c); parts!(d); clocked!(e);",
        "self.x.next = lit::<3>(turn_kind::FIN); self.y.next = lit::<K>(W / 8);",
        "let sum: Bits<8> = self.a.val() + 1; self.x.next = sum == self.b.val(); self.y.next = sum.get_bit(3);",
        "if self.a.val() == qp_state::ready().val() { self.x.next = true; }",
        "self.s.d.next = St::Run;",
        "for i in 0..N { self.x.next = i.to_bits(); }",
    ]);
}

#[test]
fn assertions_and_literals() {
    refused("kernel-assert", &["assert!(self.a.val());", "debug_assert_eq!(1, 2);"]);
    accepted(&["comment!(\"the sum\");"]);
    refused(
        "literal-width",
        &[
            "self.n.next = 0x1FF.into();",
            "self.r.d.next = 16.into();",
            "self.x.next = self.r.q.val() == 16_u32.to_bits();",
            "self.many[0].next = self.many[1].val() + 16;",
        ],
    );
    accepted(&[
        "self.n.next = 0xFF.into();",
        "self.r.d.next = 15.into();",
        "self.w.next = 0x1FF.into();",
        "self.n.next = self.n.val() << 300;",
        "self.unknown.next = 0x1FF.into();",
    ]);
}

#[test]
fn an_update_that_a_second_one_forgets() {
    let up = "self.r.d.next = self.r.q.val() + 1;";
    let set = "self.r.d.next = self.r.q.val().replace_bit(self.n.val().index(), true);";
    refused(
        "lost-update",
        &[
            &format!("if self.a.val() {{ {up} }} if self.b.val() {{ {set} }}"),
            &format!("{up} match self.s.val() {{ St::Run => {{ {set} }} _ => {{}} }}"),
            &format!("if self.a.val() {{ {up} }} else {{ self.x.next = true; }} if self.b.val() {{ {up} }}"),
            &format!("for i in 0..3 {{ if self.many[i].val().any() {{ {set} }} }}"),
        ],
    );
    accepted(&[
        &format!("if self.a.val() {{ {up} }} else if self.b.val() {{ {set} }}"),
        &format!("match self.s.val() {{ St::Run => {{ {up} }} St::Stop => {{ {set} }} _ => {{}} }}"),
        &format!("{up} if self.b.val() {{ self.r.d.next = 0.into(); }}"),
        "self.r.d.next = self.r.q.val(); if self.a.val() { self.r.d.next = self.r.q.val() + 1; }",
        "for i in 0..3 { if self.a.val() { self.rs[i].d.next = self.rs[i].q.val() + 1; } }",
        "self.n.next = self.r.q.val(); if self.a.val() { self.n.next = self.n.val() | self.m.val(); } \
         self.r.d.next = self.n.val();",
    ]);
}
