// SPDX-License-Identifier: MIT OR Apache-2.0
//! One module per kind of block instead of one per instance.
use std::collections::{BTreeMap, HashMap};

/// Merges modules with equal ports and bodies. Returns the text and the number of modules left.
///
/// A child's raw name is its parent's plus `$...`, so longest first means children first: when a
/// parent is hashed, the kinds of its children are already the canonical ones.
pub(super) fn dedup(verilog: &str, top: &str) -> (String, usize) {
    let mut modules: Vec<(String, Vec<&str>)> = vec![];
    for line in verilog.lines() {
        if let Some(rest) = line.strip_prefix("module ") {
            modules.push((rest.split('(').next().unwrap_or(rest).into(), vec![]));
        }
        if let Some(module) = modules.last_mut() {
            module.1.push(line);
        }
    }
    modules.sort_by_key(|m| std::cmp::Reverse(m.0.len()));
    let mut canonical: HashMap<String, String> = HashMap::new();
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    for (name, lines) in &modules {
        let args = lines[0].split_once('(').map_or("", |x| x.1);
        let body: String = lines[1..]
            .iter()
            .filter(|l| !l.starts_with("endmodule") && !l.trim().is_empty())
            .map(|l| rename_instance(l.trim_end(), &canonical) + "\n")
            .collect();
        let text = format!("({args}\n{body}");
        let fresh = name.replacen("top", top, 1);
        let kept = seen.entry(text.clone()).or_insert(fresh).clone();
        out.entry(kept.clone()).or_insert_with(|| format!("module {kept}{text}endmodule\n\n"));
        canonical.insert(name.clone(), kept);
    }
    let count = out.len();
    (out.into_values().collect(), count)
}

/// In a line `KIND instance(` puts the canonical name for KIND; any other line is returned as it
/// is.
fn rename_instance(line: &str, canonical: &HashMap<String, String>) -> String {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    match body.split_once(' ') {
        Some((kind, rest)) if rest.ends_with('(') => match canonical.get(kind) {
            Some(new) => format!("{indent}{new} {rest}"),
            None => line.into(),
        },
        _ => line.into(),
    }
}
