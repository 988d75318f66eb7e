// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every codec against its table, on random octets.
extern crate std;
use super::*;
use crate::all::layouts;
use crate::gen::each_codec;
use crate::table::{Access, Layout};
use proptest::prelude::*;
use std::string::ToString;
use std::vec::Vec;

/// The bits `[offset, offset + width)` of `octets`, taken one by one as the table's convention
/// says.
fn bits(octets: &[u8], offset: usize, width: usize) -> u128 {
    (offset..offset + width).fold(0, |n, o| n << 1 | u128::from(octets[o / 8] >> (7 - o % 8) & 1))
}

/// `octets` with the reserved bits of `layout` cleared, bit by bit.
fn without_reserved(layout: &Layout, octets: &[u8]) -> Vec<u8> {
    let mut out = octets.to_vec();
    for f in layout.fields.iter().filter(|f| f.access == Access::Reserved) {
        for o in f.offset..f.end() {
            out[o / 8] &= !(0x80 >> (o % 8));
        }
    }
    out
}

/// The tests of one codec.
macro_rules! check_codec {
    ($codec:ident) => {{
        let layout = &$codec::LAYOUT;
        assert_eq!(layout.name, stringify!($codec));
        assert_eq!($codec::LEN, layout.octets);
        let config = ProptestConfig::with_cases(200);
        let octets = proptest::collection::vec(any::<u8>(), $codec::LEN..$codec::LEN + 4);
        proptest!(config, |(octets in octets)| {
            let x = $codec::parse(&octets).unwrap();
            let table: Vec<_> =
                layout.members().map(|f| (f.name, bits(&octets, f.offset, f.width))).collect();
            prop_assert_eq!(&x.values()[..], &table[..]);
            let mut out = [0xEE; 160];
            prop_assert_eq!(x.emit(&mut out), Ok($codec::LEN));
            prop_assert_eq!(&out[..$codec::LEN], &without_reserved(layout, &octets[..$codec::LEN])[..]);
            prop_assert!(out[$codec::LEN..].iter().all(|&o| o == 0xEE));
            prop_assert_eq!($codec::parse(&out), Ok(x));
        });
        let need = $codec::LEN;
        for have in 0..need {
            let mut short = std::vec![0; have];
            assert_eq!($codec::parse(&short), Err(Truncated { layout: layout.name, need, have }));
            assert_eq!($codec::default().emit(&mut short), Err(EmitError::NoRoom { need, have }));
        }
        let defaults: Vec<_> = layout.members().map(|f| (f.name, u128::from(f.reset))).collect();
        assert_eq!($codec::default().values()[..], defaults[..]);
        layout.name
    }};
}

#[test]
fn every_codec_agrees_with_its_table() {
    let mut checked = Vec::new();
    macro_rules! each {
        ($codec:ident) => {
            checked.push(check_codec!($codec))
        };
    }
    each_codec!(each);
    let all: Vec<_> = layouts().map(|l| l.name).collect();
    assert_eq!(checked, all);
}

#[test]
fn a_number_that_does_not_fit_is_refused_with_its_name() {
    let why = MpaDepths { ird: 0x4000, ..Default::default() }.octets().unwrap_err();
    assert_eq!(why, EmitError::TooWide { field: "MpaDepths.ird", value: 0x4000, bits: 14 });
    assert_eq!(why.to_string(), "MpaDepths.ird = 16384 does not fit its 14 bits; the largest value is 16383");
    let last = MpaDepths { ird: 0x3FFF, ..Default::default() };
    assert_eq!(last.octets(), Ok([0x3F, 0xFF, 0, 0]));
}
