//! `.ci/allowed-skips`: the tests that may be skipped, each with its reason.
use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;

/// Tools that `cargo xtask setup` installs everywhere: their absence excuses nothing.
const NO_EXCUSE: [&str; 4] = ["verilator", "yosys", "qemu", "tshark"];

/// Reason by `binary::test`.
#[derive(Debug)]
pub struct Skips(BTreeMap<String, String>);

impl Skips {
    /// The committed file.
    pub fn load() -> Result<Self> {
        let path = crate::repo::root().join(".ci/allowed-skips");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", crate::repo::shown(&path)))?;
        Self::parse(&text)
    }

    /// Lines of `binary::test  reason`, two blanks between (the name of a doc test holds single ones); `#` begins
    /// a comment line.
    fn parse(text: &str) -> Result<Self> {
        let mut all = BTreeMap::new();
        let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
        for (number, line) in lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
            let Some((test, reason)) = line.split_once("  ") else {
                bail!(".ci/allowed-skips line {number}: no reason, two blanks after the name, in `{line}`");
            };
            let lower = reason.to_lowercase();
            if let Some(tool) = NO_EXCUSE.iter().find(|t| lower.contains(*t)) {
                bail!(".ci/allowed-skips line {number}: {tool} can be installed and is no reason to skip");
            }
            all.insert(test.to_string(), reason.trim().to_string());
        }
        Ok(Self(all))
    }

    /// Fails if one of the `skipped` tests is not allowed to be.
    pub fn check(&self, skipped: &[String]) -> Result<()> {
        let bad: Vec<_> = skipped.iter().filter(|s| !self.0.contains_key(*s)).map(String::as_str).collect();
        if !bad.is_empty() {
            bail!("skipped, and not named in .ci/allowed-skips: {}", bad.join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_needs_a_name_and_a_reason() {
        let skips =
            Skips::parse("# why\n\nhost::kvm::boots  no /dev/kvm in CI\ndoc x::a.rs - b (line 3)   why\n")
                .unwrap();
        assert!(skips.check(&["doc x::a.rs - b (line 3)".into()]).is_ok());
        assert!(skips.check(&["host::kvm::boots".into()]).is_ok());
        let e = skips.check(&["host::kvm::boots".into(), "a::b".into()]).unwrap_err().to_string();
        assert_eq!(e, "skipped, and not named in .ci/allowed-skips: a::b");
        assert!(Skips::parse("host::kvm::boots").unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn a_tool_that_setup_installs_is_no_reason() {
        for reason in ["no Verilator here", "yosys is slow", "QEMU", "needs tshark"] {
            assert!(Skips::parse(&format!("a::b  {reason}"))
                .unwrap_err()
                .to_string()
                .contains("is no reason"));
        }
    }

    #[test]
    fn the_committed_file_is_understood() {
        Skips::load().unwrap();
    }
}
