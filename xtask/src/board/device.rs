// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's lint of the device as a board has it.
use crate::lint::verilator_on;
use crate::repo;
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::top::Top;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Findings that an error shows.
const SHOWN: usize = 10;

/// Refuses Verilog with a finding. The text of a run without one is kept by its hash, beside the
/// Verilog.
///
/// # Errors
/// The first findings, and their number.
pub fn lint(verilog: &Path, top: Top) -> Result<()> {
    lint_by(verilog, |path| Ok(verilator_on(path, top)?.iter().map(ToString::to_string).collect()))
}

fn lint_by(verilog: &Path, findings: impl FnOnce(&Path) -> Result<Vec<String>>) -> Result<()> {
    let text = std::fs::read(verilog).with_context(|| format!("cannot read {}", repo::shown(verilog)))?;
    let hash: String = Sha256::digest(text).iter().map(|octet| format!("{octet:02x}")).collect();
    let kept = verilog.with_extension("linted");
    // a file that cannot be read is one of no earlier run
    if std::fs::read_to_string(&kept).is_ok_and(|old| old == hash) {
        return Ok(());
    }
    let found = findings(verilog)?;
    if !found.is_empty() {
        let first = &found[..found.len().min(SHOWN)];
        bail!("Verilator's lint has {} findings in the device:\n{}", found.len(), first.join("\n"));
    }
    repo::write(&kept, &hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_fails_and_a_text_without_one_is_judged_once() {
        let file = repo::target("xtask-tests").join(format!("linted-{}.v", std::process::id()));
        repo::write(&file, "module a; endmodule").unwrap();
        let refused = lint_by(&file, |_| Ok(vec!["a.v:1: UNUSED".into()])).unwrap_err().to_string();
        assert!(refused.ends_with("has 1 findings in the device:\na.v:1: UNUSED"), "{refused}");
        lint_by(&file, |_| Ok(vec![])).unwrap();
        lint_by(&file, |_| bail!("judged again")).unwrap();
        repo::write(&file, "module b; endmodule").unwrap();
        assert!(lint_by(&file, |_| bail!("judged again")).is_err());
        for path in [file.with_extension("linted"), file] {
            std::fs::remove_file(path).unwrap();
        }
    }
}
