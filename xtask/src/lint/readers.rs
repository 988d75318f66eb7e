// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator and Yosys as readers of the emitted Verilog.
use super::finding::Finding;
use super::rules;
use super::tops::{judged, kept};
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::top::Top;
use std::path::Path;
use std::process::{Command, Stdio};

/// Warnings of `verilator -Wall` that Rust-HDL's text makes everywhere, with the reason.
const ALLOWED: [(&str, &str); 5] = [
    ("WIDTH", "literals have 32 bits, slice offsets 64: rule 1 of the cookbook, linted in the source, answers for it"),
    ("WIDTHEXPAND", "the name of the same in later versions"),
    ("WIDTHTRUNC", "the name of the same in later versions"),
    ("DECLFILENAME", "all modules of a design are in one file"),
    ("CMPCONST", "the last pass of an unrolled loop compares with the largest index there is"),
];

/// `verilator --lint-only -Wall` over every bench top.
pub fn verilator(step: &Step) -> Result<Vec<Finding>> {
    let mut findings = vec![];
    for (name, top, _) in judged() {
        step.note(&name);
        findings.extend(verilator_on(&kept(&name), top)?);
    }
    Ok(findings)
}

/// `verilator --lint-only -Wall` over the emitted text of `top` in a file.
pub fn verilator_on(path: &Path, top: Top) -> Result<Vec<Finding>> {
    let mut command = Command::new("verilator");
    command.args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", top.name()]).arg(path);
    Ok(verilator_findings(&repo::shown(path), &said(&mut command)?))
}

/// Yosys over every bench top: latches, multiple drivers, undriven wires.
pub fn yosys(step: &Step) -> Result<Vec<Finding>> {
    let mut findings = vec![];
    for (name, top, _) in judged() {
        step.note(&name);
        let path = kept(&name);
        let script =
            format!("read_verilog {}; hierarchy -check -top {}; proc; check", path.display(), top.name());
        let output = said(Command::new("yosys").args(["-p", &script]))?;
        findings.extend(yosys_findings(&repo::shown(&path), &output));
    }
    Ok(findings)
}

/// Everything a program says, whatever its exit code: both readers fail by their words.
fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{name}`; `cargo xtask setup` installs it"))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    anyhow::ensure!(
        output.status.success() || text.to_lowercase().contains("error"),
        "`{name}` failed:\n{text}"
    );
    Ok(text)
}

/// Warnings and errors in Verilator's words: `%Warning-NAME: file:line:col: text`.
fn verilator_findings(file: &str, output: &str) -> Vec<Finding> {
    let mut findings = vec![];
    let lines: Vec<&str> = output.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let Some((kind, rest)) = line.strip_prefix('%').and_then(|l| l.split_once(": ")) else { continue };
        let name = kind.strip_prefix("Warning-").unwrap_or(kind);
        if ALLOWED.iter().any(|(allowed, _)| *allowed == name) {
            continue;
        }
        // Below the top a line that names the instance stands before the quoted one.
        let quoted = lines[i + 1..].iter().take_while(|l| !l.starts_with('%')).find(|l| l.contains('|'));
        if name == "UNUSEDSIGNAL" && (rest.contains("Bits of signal") || quoted.is_some_and(|l| is_whole(l)))
        {
            continue;
        }
        let mut parts = rest.splitn(4, ':');
        let place = (parts.next(), parts.next(), parts.next(), parts.next());
        let (line, column, text) = match place {
            (Some(_), Some(line), Some(column), Some(text)) => match (line.parse(), column.parse()) {
                (Ok(line), Ok(column)) => (line, column, text.trim()),
                _ => (1, 1, rest),
            },
            _ => (1, 1, rest),
        };
        findings.push(Finding::on(file, line, column, rules::VERILATOR_LINT, format!("{name}: {text}")));
    }
    findings
}

/// The line of source that Verilator quotes declares a child's output, or the payload of a stream's
/// input: a block need not use each of them. (Nor each bit of a local: a kernel can only cut what
/// stands in one.)
fn is_whole(quoted: &str) -> bool {
    let code = quoted.split_once('|').map_or("", |(_, code)| code.trim());
    let payload = ["_data;", "_bytes;", "_last;", "_err;"].iter().any(|field| code.ends_with(field));
    code.starts_with("wire") || (code.starts_with("input wire") && payload)
}

/// Latches, the warnings of `check`, and errors in Yosys's words.
fn yosys_findings(file: &str, output: &str) -> Vec<Finding> {
    let bad = |line: &str| {
        line.starts_with("Latch inferred") || line.starts_with("Warning:") || line.starts_with("ERROR:")
    };
    let mut findings = vec![];
    for line in output.lines().map(str::trim).filter(|l| bad(l)) {
        findings.push(Finding::on(file, 1 + findings.len(), 1, rules::YOSYS_CHECK, line.into()));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verilator_rules(verilog: &str) -> Vec<String> {
        let path = temporary(verilog);
        let mut command = Command::new("verilator");
        let output =
            said(command.args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", "top"]).arg(&path));
        std::fs::remove_file(&path).unwrap();
        let findings = verilator_findings("x.v", &output.unwrap());
        findings.iter().map(|f| f.what.split(':').next().unwrap().to_string()).collect()
    }

    fn yosys_rules(verilog: &str) -> Vec<String> {
        let path = temporary(verilog);
        let script = format!("read_verilog {}; hierarchy -check -top top; proc; check", path.display());
        let output = said(Command::new("yosys").args(["-p", &script]));
        std::fs::remove_file(&path).unwrap();
        yosys_findings("x.v", &output.unwrap()).into_iter().map(|f| f.what).collect()
    }

    fn temporary(verilog: &str) -> std::path::PathBuf {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = repo::target("xtask-tests").join(format!("lint-{}-{number}.v", std::process::id()));
        repo::write(&path, verilog).unwrap();
        path
    }

    const LATCH: &str = "module top(s,d,q); input wire [1:0] s; input wire d; output reg q;
        always @(*) begin case (s) 0: begin q = d; end 1: begin q = 1; end 2: begin q = 0; end endcase end endmodule\n";

    #[test]
    fn a_latch_of_a_match_without_default_is_found() {
        let found = yosys_rules(LATCH);
        assert!(found.iter().any(|w| w.starts_with("Latch inferred")), "{found:?}");
        assert_eq!(yosys_rules(&LATCH.replace("2: begin", "default: begin")), [""; 0]);
    }

    #[test]
    fn two_drivers_are_found() {
        let two = "module top(a,b,q); input wire a; input wire b; output wire q; assign q = a; assign q = b; endmodule\n";
        assert!(!yosys_rules(two).is_empty());
        assert_eq!(yosys_rules(&two.replace("assign q = b;", "")), [""; 0]);
    }

    #[test]
    fn verilator_warnings_count_unless_they_are_allowed() {
        let unused =
            "module top(a,b,q); input wire a; input wire b; output wire q; assign q = a; endmodule\n";
        assert!(verilator_rules(unused)[0].starts_with("UNUSED"));
        let child = "module sub(d,q,r); input wire d; output wire q; output wire r; assign q = d; assign r = d; endmodule\n\
                     module mid(d,q); input wire d; output wire q;\n\
                     wire s_r;\n sub s(.d(d), .q(q), .r(s_r)); endmodule\n\
                     module top(d,q); input wire d; output wire q; mid m(.d(d), .q(q)); endmodule\n";
        assert_eq!(verilator_rules(child), [""; 0]);
        let stream = "module top(rx_bytes,rx_ready,q);\n input wire rx_bytes;\n input wire rx_ready;\n\
                      output wire q; assign q = rx_ready; endmodule\n";
        assert_eq!(verilator_rules(stream), [""; 0]);
        assert!(verilator_rules(&stream.replace("q = rx_ready", "q = rx_bytes"))[0].starts_with("UNUSED"));
        let width = "module top(a,q); input wire [3:0] a; output wire [7:0] q; assign q = a; endmodule\n";
        assert_eq!(verilator_rules(width), [""; 0]);
        assert!(
            verilator_rules("module top(a); input wire a; assign = ; endmodule\n")[0].starts_with("Error")
        );
    }
}
