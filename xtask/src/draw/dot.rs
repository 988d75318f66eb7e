// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table's graph in the language of Graphviz.
use ferrowarp_hdl::emit::{Cargo, Channel, Graph};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Names of channels that an arrow shows; the other ones stand in the tooltip.
const SHOWN: usize = 3;

/// The text of a graph: a box a part, an arrow for the channels from one part to another.
///
/// An arrow has the names of its records, `frames` for a stream. Bits without a record are a thin
/// arrow without a name, and only where nothing else goes the same way.
pub fn text(title: &str, graph: &Graph) -> String {
    let mut out = String::new();
    // writing to a string does not fail
    let _ = writeln!(
        out,
        "digraph {{\n  label=\"{title}\"; labelloc=t; fontname=Helvetica; bgcolor=white; rankdir=LR;\n  \
         nodesep=0.25; ranksep=0.6;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f7fb\", \
         color=\"#33506e\", fontname=Helvetica, fontsize=12];\n  \
         edge [color=\"#33506e\", fontcolor=\"#33506e\", fontname=Helvetica, fontsize=9, arrowsize=0.6];"
    );
    for (name, is_table) in &graph.parts {
        let border = if *is_table { ", peripheries=2" } else { "" };
        let _ = writeln!(out, "  \"{name}\" [label=\"{name}\"{border}];");
    }
    for ((from, to), channels) in arrows(graph) {
        let shown: Vec<_> = channels.iter().filter_map(|channel| cargo(channel)).collect();
        let outside = from.is_none() || to.is_none();
        if shown.is_empty() && outside {
            continue;
        }
        let ends = [(&from, "in"), (&to, "out")].map(|(end, way)| match end {
            Some(part) => part.clone(),
            None => {
                let name = format!("{way} {}", channels[0].name);
                let _ = writeln!(
                    out,
                    "  \"{name}\" [label=\"\", shape=none, width=0.05, height=0.05, style=\"\"];"
                );
                name
            }
        });
        let names: Vec<_> = channels.iter().map(|channel| channel.name.as_str()).collect();
        let style = if shown.is_empty() { ", penwidth=0.4, arrowsize=0.4, constraint=false" } else { "" };
        let _ = writeln!(
            out,
            "  \"{}\" -> \"{}\" [label=\"{}\", tooltip=\"{}\"{style}];",
            ends[0],
            ends[1],
            label(&shown),
            names.join(", ")
        );
    }
    out.push_str("}\n");
    out
}

type Way = (Option<String>, Option<String>);

/// The channels of each way, in the order of the table; what crosses the border has an arrow of its
/// own.
fn arrows(graph: &Graph) -> Vec<(Way, Vec<&Channel>)> {
    let mut arrows: Vec<(Way, Vec<&Channel>)> = vec![];
    let mut places: BTreeMap<Way, usize> = BTreeMap::new();
    for channel in &graph.channels {
        let way = (channel.from.clone(), channel.to.clone());
        let is_inside = way.0.is_some() && way.1.is_some();
        match places.get(&way).filter(|_| is_inside) {
            Some(&place) => arrows[place].1.push(channel),
            None => {
                places.insert(way.clone(), arrows.len());
                arrows.push((way, vec![channel]));
            }
        }
    }
    arrows
}

/// What an arrow says of a channel.
fn cargo(channel: &Channel) -> Option<String> {
    match &channel.cargo {
        Cargo::Frames if channel.from.is_some() && channel.to.is_some() => Some("frames".into()),
        Cargo::Frames => Some(format!("{}: frames", channel.name)),
        Cargo::Record(record) if channel.from.is_some() && channel.to.is_some() => Some(record.clone()),
        Cargo::Record(record) => Some(format!("{}: {record}", channel.name)),
        Cargo::Wires => None,
    }
}

fn label(shown: &[String]) -> String {
    let mut names: Vec<&str> = vec![];
    for name in shown {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(SHOWN);
    let mut lines: Vec<String> = names.iter().take(SHOWN).map(|name| name.to_string()).collect();
    if more > 0 {
        lines.push(format!("+{more}"));
    }
    lines.join("\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(from: Option<&str>, to: Option<&str>, name: &str, cargo: Cargo) -> Channel {
        Channel { from: from.map(Into::into), to: to.map(Into::into), name: name.into(), cargo }
    }

    #[test]
    fn an_arrow_has_the_records_of_its_channels() {
        let record = |name: &str| Cargo::Record(name.into());
        let graph = Graph {
            parts: vec![("a", false), ("b", true)],
            channels: vec![
                channel(None, Some("a"), "rx", Cargo::Frames),
                channel(Some("a"), Some("b"), "tx", record("Ask")),
                channel(Some("a"), Some("b"), "go", Cargo::Wires),
                channel(Some("b"), Some("a"), "back", Cargo::Wires),
                channel(Some("b"), None, "bad", Cargo::Wires),
            ],
        };
        let text = text("A table", &graph);
        assert!(text.contains("\"b\" [label=\"b\", peripheries=2];"), "{text}");
        assert!(text.contains("\"a\" -> \"b\" [label=\"Ask\", tooltip=\"tx, go\"];"), "{text}");
        assert!(
            text.contains("\"b\" -> \"a\" [label=\"\", tooltip=\"back\", penwidth=0.4, arrowsize=0.4, constraint=false];"),
            "{text}"
        );
        assert!(text.contains("\"in rx\" -> \"a\" [label=\"rx: frames\""), "{text}");
        assert!(!text.contains("bad"), "{text}");
    }

    #[test]
    fn more_names_than_an_arrow_shows_are_counted() {
        let names = ["A", "B", "A", "C", "D", "E"].map(String::from);
        assert_eq!(label(&names), "A\\nB\\nC\\n+2");
    }
}
