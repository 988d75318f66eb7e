// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modules of emitted Verilog, by what stands in them.
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};

/// A module of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Line of `module`, from 1.
    pub first: usize,
    /// Hash of its lines, in which no name of a module counts: modules of two tops have equal
    /// hashes if they differ in names of modules alone.
    pub hash: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The modules of a text by name.
pub fn modules(verilog: &str) -> BTreeMap<String, Module> {
    let mut found = BTreeMap::new();
    let mut open: Option<(String, Module)> = None;
    for (number, line) in (1..).zip(verilog.lines()) {
        if let Some(name) = line.strip_prefix("module ") {
            let name = name.split(|c: char| !is_word(c)).next().unwrap_or_default();
            open = Some((name.into(), Module { first: number, hash: String::new(), lines: vec![] }));
        }
        if let Some((_, module)) = &mut open {
            module.lines.push(line.into());
        }
        if line.starts_with("endmodule") {
            found.extend(open.take());
        }
    }
    let names: HashSet<String> = found.keys().cloned().collect();
    for module in found.values_mut() {
        let mut sha = Sha256::new();
        for line in &module.lines {
            sha.update(nameless(line, &names));
            sha.update("\n");
        }
        module.hash = hex(sha);
    }
    found
}

/// Hash of a whole text.
pub fn hash(verilog: &str) -> String {
    hex(Sha256::new_with_prefix(verilog))
}

/// The first 64 bits.
fn hex(sha: Sha256) -> String {
    sha.finalize().iter().take(8).map(|octet| format!("{octet:02x}")).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// A line with `@` for each name of a module.
fn nameless(line: &str, names: &HashSet<String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(word);
        out += if names.contains(head) { "@" } else { head };
        let other = tail.find(is_word).unwrap_or(tail.len());
        out += &tail[..other];
        rest = &tail[other..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(top: &str, width: usize) -> String {
        format!(
            "module {top}(clock);\n    {top}_a part(\n    );\nendmodule\nmodule {top}_a(x);\n    wire [{width}:0] x;\nendmodule\n"
        )
    }

    #[test]
    fn modules_of_two_tops_are_equal_if_only_names_of_modules_differ() {
        let (one, two) = (modules(&text("t", 3)), modules(&text("uu", 3)));
        assert_eq!((one["t"].first, one["t_a"].first, one["t_a"].lines.len()), (1, 5, 3));
        assert_eq!((&one["t"].hash, &one["t_a"].hash), (&two["uu"].hash, &two["uu_a"].hash));
        let wider = modules(&text("t", 4));
        assert_eq!(one["t"].hash, wider["t"].hash, "a part that differs is another module");
        assert_ne!(one["t_a"].hash, wider["t_a"].hash);
    }
}
