// SPDX-License-Identifier: MIT OR Apache-2.0
//! The module of wires that a table is.
use super::end::{wire, End};
use super::lines::{renamed, under};
use super::netlist::{Export, Netlist, CLOCK, RESET};
use super::ports::{Direction, Port};
use super::raw_part::Raw;
use std::collections::HashMap;
use std::fmt::Write;

fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// The raw text of the parts, each under its name, and that of their top.
pub(super) fn join(parts: &[(&str, Raw)], list: Netlist) -> Raw {
    let (mut declared, mut body, mut modules) = (String::new(), String::new(), String::new());
    let mut order = vec![CLOCK, RESET];
    // Wires that have the name of a port of the table.
    let mut called: HashMap<String, &str> = HashMap::new();
    declared.push_str("    input wire clock;\n    input wire reset;\n");
    // writing to a string does not fail
    for Export { port, inner, .. } in &list.exported {
        let way = if port.direction == Direction::Input { "input" } else { "output" };
        let _ = writeln!(declared, "    {way} wire {}{};", range(port.width), port.name);
        order.push(&port.name);
        let inner = inner.as_ref().filter(|end| end.is_whole() && port.direction == Direction::Output);
        if let Some(end) = inner {
            called.entry(wire(&end.port)).or_insert(&port.name);
        }
    }
    let named = |code: &str| renamed(code, &|word| called.get(word).map_or(word, |name| name).to_string());
    for Export { port, inner, .. } in list.exported.iter().filter(|e| e.port.direction == Direction::Output) {
        let value = named(&inner.as_ref().map_or_else(|| list.driver(&port.name), End::value));
        if value != port.name {
            let _ = writeln!(body, "    assign {} = {value};", port.name);
        }
    }
    for (name, raw) in parts {
        let mut args = vec![];
        for port in &raw.ports {
            let key = format!("{name}.{}", port.name.replace('$', "_"));
            let outer = match port.direction {
                _ if port.name == CLOCK => port.name.clone(),
                Direction::Input => named(&list.driver(&key)),
                Direction::Output => {
                    let own = wire(&key);
                    if !called.contains_key(&own) {
                        let _ = writeln!(declared, "    wire {}{own};", range(port.width));
                    }
                    named(&own)
                }
            };
            args.push(format!("        .{}({outer})", port.name));
        }
        let _ = writeln!(body, "    top${name} part_{name}(\n{}\n    );", args.join(",\n"));
        modules.push_str(&under(&raw.text, name));
    }
    let text = format!("module top({});\n{declared}{body}endmodule\n{modules}", order.join(","));
    let shared = [CLOCK, RESET].map(|name| Port { name: name.into(), width: 1, direction: Direction::Input });
    let ports = shared.into_iter().chain(list.exported.iter().map(|e| e.port.clone())).collect();
    let shapes = list.exported.into_iter().filter_map(|e| Some((e.port.name, e.shape?))).collect();
    Raw { text, ports, shapes }
}

#[cfg(test)]
mod tests {
    use crate::emit::{emit_joined, Direction, EmitError, Emitted, Net, Part, Table};
    use crate::stream::Skid;
    use std::collections::BTreeSet;

    fn two(nets: Vec<Net>) -> Result<Emitted, EmitError> {
        let part = |name| Part::new(name, Skid::<64, 4>::default);
        emit_joined("chain", Table::new(vec![part("a"), part("b")]).nets(nets))
    }

    #[test]
    fn a_chain_has_the_ports_of_its_ends() {
        let chain =
            two(vec![Net::export("a.rx", "rx"), Net::join("a.tx", "b.rx"), Net::export("b.tx", "tx")])
                .unwrap();
        let one = crate::emit::emit("alone", Skid::<64, 4>::default).unwrap();
        let key = |e: &Emitted| {
            let ports = e.ports.iter().map(|p| (p.name.clone(), p.width, p.direction == Direction::Input));
            ports.collect::<BTreeSet<_>>()
        };
        assert_eq!(key(&chain), key(&one));
        assert_eq!(chain.modules, one.modules + 1);
    }

    #[test]
    fn an_input_of_the_top_may_go_to_several_parts() {
        let inputs = ["data", "bytes", "last", "err", "valid"];
        let mut nets: Vec<_> =
            inputs.iter().map(|f| Net::export(format!("b.rx_{f}"), format!("rx_{f}"))).collect();
        nets.extend([Net::export("a.rx", "rx"), Net::export("a.tx", "tx")]);
        nets.extend([Net::open("b.rx_ready"), Net::tie("b.tx_ready", 1)]);
        nets.extend(inputs.map(|f| Net::open(format!("b.tx_{f}"))));
        let text = two(nets).unwrap().verilog;
        let chain = text.split("module ").find(|m| m.starts_with("chain(")).unwrap_or_default();
        assert_eq!(chain.matches("input wire [63:0] rx_data;").count(), 1, "{chain}");
        assert_eq!(chain.matches(".rx_data(rx_data)").count(), 2, "{chain}");
    }

    #[test]
    fn a_part_may_have_a_reset_of_its_own() {
        let nets = vec![
            Net::export("a.rx", "rx"),
            Net::join("a.tx", "b.rx"),
            Net::export("b.tx", "tx"),
            Net::join("a.tx_err", "b.reset"),
        ];
        let text = two(nets).unwrap().verilog;
        let chain = text.split("module ").find(|m| m.starts_with("chain(")).unwrap_or_default();
        assert!(chain.contains(".reset(reset)") && chain.contains(".reset(a_tx_err)"), "{chain}");
    }

    #[test]
    fn bits_are_gathered_in_their_order() {
        let nets = vec![
            Net::export("a.rx", "rx"),
            Net::export("a.tx_ready", "ready"),
            Net::open("a.tx"),
            Net::export("b.rx_data", "data"),
            Net::bit("b.rx_bytes", 1, "a.tx_err"),
            Net::bit("b.rx_bytes", 0, "a.tx_last"),
            Net::bit("b.rx_bytes", 3, "a.tx_data[63]"),
            Net::bit("b.rx_bytes", 2, "b.tx_valid"),
            Net::bit("a.tx_bytes", 2, "b.rx_last"),
            Net::tie("b.rx_err", 1),
            Net::tie("b.rx_valid", 0),
            Net::export("b.tx", "tx"),
        ];
        // `a.tx` has an input, so it cannot be left open as a whole
        assert!(two(nets.clone()).unwrap_err().to_string().contains("`a.tx_ready` is an input"));
        let opened = |n| match n {
            Net::Open(_) => vec![Net::open("a.tx_valid"), Net::open("b.rx_ready")],
            n => vec![n],
        };
        let text = two(nets.into_iter().flat_map(opened).collect()).unwrap().verilog;
        assert!(text.contains(".rx_bytes({a_tx_data[63], tx_valid, a_tx_err, a_tx_last})"), "{text}");
        assert!(text.contains(".rx_last(a_tx_bytes[2])") && text.contains(".rx_err(1'h1)"), "{text}");
    }

    #[test]
    fn a_wrong_netlist_is_refused_with_the_port() {
        let cases: [(Vec<Net>, &str); 8] = [
            (
                vec![Net::export("a.rx", "rx"), Net::join("a.tx", "b.rx")],
                "`b.tx_bytes` (4 bits) is read by nothing",
            ),
            (
                vec![Net::export("b.tx", "tx"), Net::join("a.tx", "b.rx")],
                "`a.rx_bytes` (4 bits) is driven by nothing",
            ),
            (vec![Net::join("a.tx", "b.tx")], "have the same direction"),
            (vec![Net::join("a.up", "b.rx")], "`a.up` names no port"),
            (
                vec![Net::join("a.tx", "b.rx"), Net::tie("b.rx_valid", 0)],
                "`b.rx_valid` is driven twice: by `a.tx_valid` and by `1'h0`",
            ),
            (vec![Net::join("a.tx_data", "b.rx_bytes")], "has 64 bits, `b.rx_bytes` has 4"),
            (
                vec![Net::export("a.tx", "x"), Net::export("b.tx", "x")],
                "`a.tx_bytes` and `b.tx_bytes` cannot both be the port `x_bytes`",
            ),
            (vec![Net::bit("a.rx_bytes", 4, "b.tx_valid")], "bit 4 of `a.rx_bytes` (4 bits) does not exist"),
        ];
        for (nets, why) in cases {
            let said = two(nets).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        }
    }
}
