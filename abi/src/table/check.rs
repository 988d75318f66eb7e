// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checks of a table, evaluated by the compiler. Each failure is a compile error that says what
//! is wrong.
use super::words::{is_reserved_word, same};
use super::{Access, Field, Layout};

/// Refuses a layout with an overlap, a gap, a field past the end, two equal names or an impossible
/// field.
pub(super) const fn layout(layout: &Layout) {
    let mut at = 0;
    let mut i = 0;
    while i < layout.fields.len() {
        let field = &layout.fields[i];
        one_field(field);
        assert!(field.offset >= at, "a field overlaps the one before it");
        assert!(field.offset == at, "bits before this field belong to no field: declare them reserved");
        at = field.end();
        let mut j = 0;
        while j < i {
            assert!(!same(field.name, layout.fields[j].name), "two fields have the same name");
            j += 1;
        }
        i += 1;
    }
    assert!(at <= layout.bits(), "the last field ends past the layout's size");
    assert!(at == layout.bits(), "the widths sum to less than the layout's size");
}

const fn one_field(field: &Field) {
    assert!(field.width >= 1 && field.width <= 128, "a field has 1 to 128 bits");
    assert!(field.width >= 64 || field.reset >> field.width == 0, "the default does not fit the field");
    assert!(!is_reserved_word(field.name), "the name is a word of Rust, Verilog or Rust-HDL");
    let number = matches!(field.kind, super::Kind::Uint);
    assert!(number || matches!(field.access, Access::Value), "reserved bits have no type of their own");
    if let Some(width) = field.kind.width() {
        assert!(field.width == width, "the field's type has another width");
    }
}

/// Refuses a layout whose first fields are not those of `head`.
pub(super) const fn begins_with(layout: &Layout, head: &Layout) {
    assert!(layout.fields.len() >= head.fields.len(), "the layout is shorter than its head");
    let mut i = 0;
    while i < head.fields.len() {
        let (a, b) = (&layout.fields[i], &head.fields[i]);
        let place = a.offset == b.offset && a.width == b.width && a.access as u8 == b.access as u8;
        assert!(place && same(a.name, b.name), "the layout does not begin with the fields of its head");
        i += 1;
    }
}
