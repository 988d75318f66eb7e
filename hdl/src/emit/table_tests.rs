// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables in tables, records at both ends of a join, fields and bits of records.
use super::{emit_joined, Cargo, EmitError, Emitted, Net, Part, Table};
use crate::stream::Slot;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Ask {
    index: Bits<3>,
    key: Bits<5>,
}

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Say {
    index: Bits<3>,
    key: Bits<5>,
}

fn slot<T: Synth + 'static>(name: &'static str) -> Part {
    Part::new(name, Slot::<T>::default)
}

fn chain(first: Part, second: Part) -> Table {
    Table::new(vec![first, second]).joins(&[("a.tx", "b.rx")]).exports(&[("a.rx", "rx"), ("b.tx", "tx")])
}

fn emit(table: Table) -> Result<Emitted, EmitError> {
    emit_joined("t", table)
}

fn module<'e>(emitted: &'e Emitted, name: &str) -> &'e str {
    let head = format!("{name}(");
    emitted.verilog.split("module ").find(|text| text.starts_with(&head)).unwrap_or_default()
}

fn refusal(table: Table) -> String {
    emit(table).unwrap_err().to_string()
}

#[test]
fn a_part_may_be_a_table() {
    let inner = chain(slot::<Ask>("a"), slot::<Ask>("b"));
    let outer = chain(Part::table("a", inner), slot::<Ask>("b"));
    let emitted = emit(outer).unwrap();
    assert!(module(&emitted, "t").contains("t_a part_a("), "{}", emitted.verilog);
    assert!(module(&emitted, "t_a").contains("part_b("), "{}", emitted.verilog);
    assert_eq!(emitted.ports.len(), 8);
}

#[test]
fn a_join_of_two_records_is_refused_with_both_ends() {
    let said = refusal(chain(slot::<Ask>("a"), slot::<Say>("b")));
    assert!(said.contains("`a.tx_item` carries `Ask`, `b.rx_item` `Say`"), "{said}");
    let said = refusal(chain(slot::<Ask>("a"), slot::<Bits<8>>("b")));
    assert!(said.contains("`a.tx_item` carries `Ask`, `b.rx_item` plain bits"), "{said}");
}

#[test]
fn a_record_is_known_behind_the_border_of_a_table() {
    let inner = chain(slot::<Say>("a"), slot::<Say>("b"));
    let said = refusal(chain(slot::<Ask>("a"), Part::table("b", inner)));
    assert!(said.contains("`a.tx_item` carries `Ask`, `b.rx_item` `Say`"), "{said}");
}

#[test]
fn a_refusal_inside_names_the_table() {
    let inner = Table::new(vec![slot::<Ask>("x")]).exports(&[("x.rx", "rx")]);
    let said = refusal(chain(Part::table("a", inner), slot::<Ask>("b")));
    assert!(said.contains("in `a`: output `x.tx_item` (8 bits) is read by nothing"), "{said}");
}

#[test]
fn fields_go_their_own_ways() {
    let table = Table::new(vec![slot::<Ask>("a"), slot::<Say>("b")])
        .joins(&[
            ("a.tx_item.index", "b.rx_item.index"),
            ("a.tx_item.key[4:3]", "b.rx_item.key[1:0]"),
            ("a.tx_valid", "b.rx_valid"),
            ("b.rx_ready", "a.tx_ready"),
        ])
        .exports(&[("b.rx_item.key[4:2]", "high"), ("a.rx", "rx"), ("b.tx", "tx"), ("a.tx_item.key", "key")]);
    let emitted = emit(table).unwrap();
    let text = module(&emitted, "t");
    assert!(text.contains(".rx_item({high, a_tx_item[7:6], a_tx_item[2:0]})"), "{text}");
    assert!(text.contains("assign key = a_tx_item[7:3];"), "{text}");
}

#[test]
fn declared_ports_are_ends() {
    let table = Table::new(vec![slot::<Ask>("a"), slot::<Bits<8>>("b")])
        .input::<Say>("say")
        .input::<Bits<8>>("wide")
        .output::<Bits<4>>("told")
        .nets([Net::fit("say.key", "b.rx_item"), Net::fit("wide", "a.rx_item.key"), Net::tie("told[3]", 1)])
        .joins(&[("say.index", "a.rx_item.index"), ("a.tx_item.index", "told[2:0]")])
        .exports(&[("a.rx_valid", "av"), ("b.rx_valid", "bv"), ("a.tx_ready", "ar"), ("b.tx_ready", "br")])
        .open(&["a.tx_valid", "b.tx_valid", "b.tx_item", "a.rx_ready", "b.rx_ready"]);
    let emitted = emit(table).unwrap();
    let text = module(&emitted, "t");
    assert!(text.contains(".rx_item({3'h0, say[7:3]})"), "{text}");
    assert!(text.contains(".rx_item({wide[4:0], say[2:0]})"), "{text}");
    assert!(text.contains("assign told = {1'h1, a_tx_item[2:0]};"), "{text}");
}

#[test]
fn wrong_lines_are_refused() {
    let cases: [(Net, &str); 8] = [
        (Net::join("a.tx_item.size", "b.rx_item.key"), "`Ask` has no field `size`, only index, key"),
        (Net::join("a.tx_valid.key", "b.rx_item.key"), "what has a field `key` is no record"),
        (Net::join("a.tx_item[8]", "b.rx_valid"), "bit 8 of `a.tx_item` (8 bits) does not exist"),
        (Net::join("a.tx_item[1:2]", "b.rx_valid"), "`[1:2]` names no bits"),
        (Net::tie("b.rx_item.key", 32), "32 does not fit `b.rx_item.key` (5 bits)"),
        (Net::tie("a.tx_item", 0), "`a.tx_item` is an output"),
        (Net::fit("a.tx_item", "b.tx_item"), "have the same direction"),
        (Net::open("a.rx"), "is an input and cannot be left open"),
    ];
    for (net, why) in cases {
        let said = refusal(Table::new(vec![slot::<Ask>("a"), slot::<Say>("b")]).nets([net]));
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn bits_have_one_driver_each() {
    let table = |nets: [Net; 2]| {
        Table::new(vec![slot::<Ask>("a"), slot::<Say>("b")])
            .exports(&[("a.rx", "rx"), ("b.tx", "tx"), ("b.rx_valid", "bv"), ("a.tx_ready", "ar")])
            .open(&["a.tx_valid", "a.tx_item", "b.rx_ready"])
            .nets(nets)
    };
    let index = Net::join("a.tx_item.index", "b.rx_item.index");
    let said = refusal(table([index.clone(), Net::tie("b.rx_item", 0)]));
    assert!(said.contains("`b.rx_item` is driven twice: by `a.tx_item[2:0]` and by `8'h0`"), "{said}");
    let said = refusal(table([index.clone(), Net::tie("b.rx_item[7:5]", 0)]));
    assert!(said.contains("bits 4:3 of input `b.rx_item` are driven by nothing"), "{said}");
    assert!(emit(table([index, Net::tie("b.rx_item.key", 0)])).is_ok());
}

#[test]
fn names_are_unique() {
    let table = || chain(slot::<Ask>("a"), slot::<Ask>("b"));
    let cases = [
        (chain(slot::<Ask>("a"), slot::<Ask>("a")), "two parts have the name `a`"),
        (table().input::<Ask>("a"), "the declared port `a` has the name of a part"),
        (table().input::<Ask>("x").output::<Ask>("x"), "`x` has the name of a part, or is declared twice"),
        (table().output::<Ask>("reset"), "every table has a port `reset` already"),
        (table().exports(&[("a.tx_valid", "clock")]), "every table has a port `clock` already"),
    ];
    for (table, why) in cases {
        let said = refusal(table);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_graph_has_parts_and_channels() {
    let record = |name: &str| Cargo::Record(name.into());
    let inner = chain(slot::<Ask>("a"), slot::<Ask>("b"));
    let graph = chain(Part::table("a", inner), slot::<Ask>("b")).graph("t").unwrap();
    assert_eq!(graph.parts, [("a", true), ("b", false)]);
    let channels: Vec<_> = graph
        .channels
        .iter()
        .map(|c| (c.from.as_deref(), c.to.as_deref(), c.name.as_str(), c.cargo.clone()))
        .collect();
    let expected = [
        (Some("a"), Some("b"), "tx", record("Ask")),
        (None, Some("a"), "rx", record("Ask")),
        (Some("b"), None, "tx", record("Ask")),
    ];
    assert_eq!(channels, expected);
}
