// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a top that is nothing but parts and wires, each as a text of its own.
//!
//! Yosys maps them one by one: the whole device in one piece takes more memory and time than a desk
//! has, and a part that did not change need not be mapped again.
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::emit::{Direction, Port};
use std::collections::{BTreeMap, BTreeSet};

/// What the emitter calls the instance of a part.
const PREFIX: &str = "part_";

/// One part.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name in the top.
    pub name: String,
    /// Its module.
    pub module: String,
    /// That module and all that it is made of.
    pub verilog: String,
}

/// A top taken apart.
pub struct Apart {
    /// Its parts in their order.
    pub parts: Vec<Part>,
    /// The top's own module and, for each part's module, its ports alone as a black box.
    pub frame: String,
}

/// Takes `top` apart; fails if it holds anything but parts.
pub fn apart(verilog: &str, top: &str) -> Result<Apart> {
    let modules = modules(verilog);
    let text = *modules.get(top).with_context(|| format!("no module `{top}`"))?;
    let mut parts = Vec::new();
    for (kind, instance) in instances(text, &modules) {
        let Some(name) = instance.strip_prefix(PREFIX) else {
            bail!("`{top}` has an instance `{instance}` that is no part");
        };
        let mut within = BTreeSet::new();
        gather(kind, &modules, &mut within);
        let verilog = within.iter().map(|m| modules[*m]).collect();
        parts.push(Part { name: name.into(), module: kind.into(), verilog });
    }
    if parts.is_empty() {
        bail!("`{top}` is not made of parts");
    }
    let kinds: BTreeSet<_> = parts.iter().map(|p| p.module.as_str()).collect();
    let boxes: String = kinds.into_iter().map(|m| black_box(modules[m])).collect();
    Ok(Apart { parts, frame: format!("{text}{boxes}") })
}

impl Apart {
    /// The same with the parts of part `name` in its place.
    ///
    /// # Errors
    /// A part that is not there, or holds anything but parts.
    pub fn opened(mut self, verilog: &str, name: &str) -> Result<Self> {
        let at = self.parts.iter().position(|part| part.name == name);
        let part = self.parts.remove(at.with_context(|| format!("no part `{name}`"))?);
        let within = apart(verilog, &part.module)?;
        self.frame = self.frame.replace(&part.black_box()?, "") + &within.frame;
        self.parts.extend(within.parts);
        Ok(self)
    }
}

/// Each module's text by its name.
fn modules(verilog: &str) -> BTreeMap<&str, &str> {
    let starts: Vec<usize> = verilog
        .match_indices("module ")
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || verilog[..*at].ends_with('\n'))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([verilog.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| &verilog[*start..end]);
    texts.filter_map(|t| Some((t.strip_prefix("module ")?.split('(').next()?, t))).collect()
}

/// Module and name of each instance in a module's text.
fn instances<'a>(text: &'a str, modules: &BTreeMap<&'a str, &'a str>) -> Vec<(&'a str, &'a str)> {
    let lines = text.lines().filter_map(|l| l.trim_start().strip_suffix('('));
    let words = lines.filter_map(|l| l.split_once(' '));
    words.filter(|(kind, _)| modules.contains_key(kind)).collect()
}

fn gather<'a>(kind: &'a str, modules: &BTreeMap<&'a str, &'a str>, within: &mut BTreeSet<&'a str>) {
    if within.insert(kind) {
        for (child, _) in instances(modules[kind], modules) {
            gather(child, modules, within);
        }
    }
}

/// The module's head and ports.
fn black_box(text: &str) -> String {
    let is_port = |l: &&str| {
        let line = l.trim_start();
        line.starts_with("input ") || line.starts_with("output ")
    };
    let ports: String = text
        .lines()
        .skip(1)
        .filter(is_port)
        .map(|l| l.replace("output reg ", "output wire ") + "\n")
        .collect();
    format!("(* blackbox *)\n{}\n{ports}endmodule\n", text.lines().next().unwrap_or_default())
}

impl Part {
    /// The part's module as a black box.
    pub fn black_box(&self) -> Result<String> {
        let modules = modules(&self.verilog);
        let text = modules.get(self.module.as_str());
        Ok(black_box(text.with_context(|| format!("no module `{}`", self.module))?))
    }

    /// Ports of the part's module, in their order.
    pub fn ports(&self) -> Result<Vec<Port>> {
        self.black_box()?.lines().filter_map(port).collect()
    }
}

/// The port that a line of a black box declares.
fn port(line: &str) -> Option<Result<Port>> {
    let (direction, rest) = line.trim().strip_suffix(';')?.split_once(" wire ")?;
    let direction = match direction {
        "input" => Direction::Input,
        "output" => Direction::Output,
        _ => return None,
    };
    let rest = rest.trim_start();
    let (width, name) = match rest.strip_prefix('[') {
        None => (Ok(1), rest),
        Some(range) => {
            let (range, name) = range.split_once("] ")?;
            (range.split_once(':')?.0.parse::<usize>().map(|msb| msb + 1), name)
        }
    };
    let width = width.with_context(|| format!("`{line}` has no width"));
    Some(width.map(|width| Port { name: name.into(), width, direction }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module t(clock,q);\n    input wire clock;\n    output wire [1:0] q;\n    wire a;\n    \
        t_a part_a(\n        .clock(clock),\n        .q(a)\n    );\n    t_b part_b(\n        .a(a)\n    );\nendmodule\n\n\
        module t_a(clock,q);\n    input wire clock;\n    output reg q;\n    leaf one(\n        .x(q)\n    );\n    \
        always @(*) if (\n q) q = 1;\nendmodule\n\n\
        module t_b(a);\n    input wire a;\nendmodule\n\nmodule leaf(x);\n    input wire x;\nendmodule\n";

    #[test]
    fn each_part_comes_with_all_that_it_is_made_of() {
        let apart = apart(TEXT, "t").unwrap();
        let seen: Vec<_> = apart
            .parts
            .iter()
            .map(|p| (p.name.as_str(), p.module.as_str(), p.verilog.matches("endmodule").count()))
            .collect();
        assert_eq!(seen, [("a", "t_a", 2), ("b", "t_b", 1)]);
        assert!(
            apart.parts[0].verilog.contains("module leaf(") && !apart.parts[0].verilog.contains("module t(")
        );
    }

    #[test]
    fn the_frame_has_the_parts_as_black_boxes() {
        let frame = apart(TEXT, "t").unwrap().frame;
        assert!(frame.contains(
            "(* blackbox *)\nmodule t_a(clock,q);\n    input wire clock;\n    output wire q;\nendmodule"
        ));
        assert!(!frame.contains("module leaf") && !frame.contains("always"), "{frame}");
    }

    #[test]
    fn a_part_of_parts_is_opened() {
        let outer =
            "module o(clock);\n    input wire clock;\n    t part_t(\n        .clock(clock)\n    );\n    \
            leaf part_x(\n        .x(clock)\n    );\nendmodule\n";
        let text = format!("{outer}{TEXT}");
        let opened = apart(&text, "o").unwrap().opened(&text, "t").unwrap();
        let names: Vec<_> = opened.parts.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["x", "a", "b"]);
        let heads = ["module o(", "module t(", "module t_a(", "module t_b(", "module leaf("];
        assert_eq!(heads.map(|head| opened.frame.matches(head).count()), [1; 5], "{}", opened.frame);
        assert!(apart(&text, "o").unwrap().opened(&text, "y").is_err(), "no such part");
    }

    #[test]
    fn the_ports_of_a_part_are_read_from_its_black_box() {
        let verilog =
            "module p(a,q);\n    input wire  [11:0] a;\n    output reg q;\n    wire x;\nendmodule\n";
        let part = Part { name: "p".into(), module: "p".into(), verilog: verilog.into() };
        let ports = part.ports().unwrap();
        let seen: Vec<_> = ports.iter().map(|p| (p.name.as_str(), p.width)).collect();
        assert_eq!(seen, [("a", 12), ("q", 1)]);
        assert_eq!(ports[1].direction, Direction::Output);
    }

    #[test]
    fn a_top_of_other_things_is_refused() {
        let said = |top| apart(TEXT, top).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(said("t_a").contains("`one` that is no part"));
        assert!(said("leaf").contains("not made of parts") && said("x").contains("no module `x`"));
    }
}
