// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules for the emitted Verilog of every bench top and catalogue block.
use super::finding::Finding;
use super::rules;
use super::tops::{judged, kept};
use crate::repo;
use crate::steps::Step;
use anyhow::Result;
use ferrowarp_hdl::emit::{Emitted, Port};
use ferrowarp_hdl::top::Top;

/// Emitted lines that one handwritten cell may have, its ports included.
const CELL_LINES: usize = 80;

/// Percentage of the whole device's emitted lines that handwritten cells may have.
const DEVICE_PERCENT: f64 = 5.0;

/// One module of emitted text.
struct Module<'a> {
    name: &'a str,
    /// Line of its head, from 1.
    line: usize,
    lines: usize,
    handwritten: bool,
}

/// Emits and judges everything, and keeps the text of the tops for the other readers.
pub fn judge(step: &Step) -> Result<Vec<Finding>> {
    let mut findings = vec![];
    for (name, top, config) in judged() {
        step.note(&name);
        let emitted = ferrowarp_sim::emitted(top, &config)?;
        findings.extend(judge_one(&name, &emitted)?);
        let (handwritten, all) = share(&emitted.verilog);
        let percent = 100.0 * handwritten as f64 / all.max(1) as f64;
        step.line(&format!("{name}: {all} lines, {handwritten} of handwritten cells ({percent:.2} %)"));
        if top == Top::DeviceW64 && percent > DEVICE_PERCENT {
            let what = format!(
                "handwritten cells are {percent:.2} % of the device's lines ({handwritten} of {all}), the limit is {DEVICE_PERCENT} %"
            );
            let file = repo::shown(&kept(&name));
            findings.push(Finding::on(&file, 1, 1, rules::CUSTOM_SHARE, what));
        }
    }
    for unit in ferrowarp_hdl::catalog() {
        step.note(unit.name);
        findings.extend(judge_one(unit.name, &(unit.emit)()?)?);
    }
    Ok(findings)
}

fn judge_one(name: &str, emitted: &Emitted) -> Result<Vec<Finding>> {
    let path = kept(name);
    repo::write(&path, &emitted.verilog)?;
    Ok(check(&repo::shown(&path), &emitted.top, &emitted.verilog, &emitted.ports))
}

/// Judges one emitted text.
fn check(file: &str, top: &str, verilog: &str, ports: &[Port]) -> Vec<Finding> {
    let mut findings = vec![];
    for module in modules(verilog) {
        if module.handwritten && module.lines > CELL_LINES {
            let what = format!(
                "handwritten cell `{}` has {} lines, the limit is {CELL_LINES}",
                module.name, module.lines
            );
            findings.push(Finding::on(file, module.line, 1, rules::CUSTOM_SIZE, what));
        }
    }
    for (i, line) in verilog.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(column) = word(code, "initial") {
            let what = format!("`{}`", line.trim());
            findings.push(Finding::on(file, i + 1, column + 1, rules::EMITTED_INITIAL, what));
        }
    }
    if ports.iter().any(|p| p.name == top) {
        let what = format!("top module `{top}` has a port of its own name");
        findings.push(Finding::on(file, 1, 1, rules::TOP_PORT_NAME, what));
    }
    findings
}

/// Lines of handwritten modules, and all lines.
fn share(verilog: &str) -> (usize, usize) {
    let handwritten = modules(verilog).iter().filter(|m| m.handwritten).map(|m| m.lines).sum();
    (handwritten, verilog.lines().count())
}

fn modules(verilog: &str) -> Vec<Module<'_>> {
    let mut modules: Vec<Module<'_>> = vec![];
    let mut inside = false;
    for (i, line) in verilog.lines().enumerate() {
        if let Some(head) = line.strip_prefix("module ") {
            let name = head.split('(').next().unwrap_or(head).trim();
            modules.push(Module { name, line: i + 1, lines: 0, handwritten: false });
            inside = true;
        }
        let Some(module) = modules.last_mut().filter(|_| inside) else { continue };
        module.lines += 1;
        // Rust-HDL puts these comments before text that did not come from a kernel.
        let mark = line.trim();
        module.handwritten |= mark == "// Update code (custom)" || mark == "// Update code (wrapper)";
        inside = !line.starts_with("endmodule");
    }
    modules
}

/// Offset of `word` as a whole word of `line`.
fn word(line: &str, word: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    line.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !line[..at].ends_with(is_word) && !line[at + word.len()..].starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::emit::Direction;

    fn rules_of(verilog: &str) -> Vec<(&'static str, usize)> {
        check("x.v", "top", verilog, &[]).into_iter().map(|f| (f.rule, f.line)).collect()
    }

    fn module(mark: &str, lines: usize) -> String {
        let body = "    q = d;\n".repeat(lines - 3);
        format!("module top(q,d);\n    // Update code{mark}\n{body}endmodule\n\n")
    }

    #[test]
    fn a_handwritten_cell_has_at_most_eighty_lines() {
        assert_eq!(rules_of(&module(" (custom)", CELL_LINES)), []);
        assert_eq!(rules_of(&module(" (custom)", CELL_LINES + 1)), [("custom-size", 1)]);
        assert_eq!(rules_of(&module(" (wrapper)", CELL_LINES + 1)), [("custom-size", 1)]);
        assert_eq!(rules_of(&module("", CELL_LINES + 1)), []);
        let two = module("", 10) + &module(" (custom)", 20);
        assert_eq!(share(&two), (20, 32));
    }

    #[test]
    fn initial_is_refused_as_a_word_only() {
        assert_eq!(rules_of("reg q;\n    initial q = 0;\n"), [("emitted-initial", 2)]);
        assert_eq!(rules_of("reg initial_credit; // initial\nassign x$initial = 1;\n"), []);
    }

    #[test]
    fn a_port_named_like_the_top_is_refused() {
        let port = |name: &str| Port { name: name.into(), width: 1, direction: Direction::Input };
        assert_eq!(check("x.v", "crc", "", &[port("crc")])[0].rule, "top-port-name");
        assert!(check("x.v", "crc", "", &[port("crc_out")]).is_empty());
    }
}
