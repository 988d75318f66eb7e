// SPDX-License-Identifier: MIT OR Apache-2.0
//! `.ci/allowed-skips`: the tests that may be skipped, each with its reason.
use crate::reasons::Reasons;
use anyhow::{bail, Result};

/// The file, in `.ci`.
const FILE: &str = "allowed-skips";

/// Tools that `cargo xtask setup` installs everywhere: their absence excuses nothing.
const NO_EXCUSE: [&str; 4] = ["verilator", "yosys", "qemu", "tshark"];

/// What the file holds: `binary::test` and reason.
#[derive(Debug)]
pub struct Skips(Reasons);

impl Skips {
    /// The committed file.
    pub fn load() -> Result<Self> {
        Self::new(Reasons::load(FILE)?)
    }

    fn new(reasons: Reasons) -> Result<Self> {
        for (test, reason) in reasons.iter() {
            let lower = reason.to_lowercase();
            if let Some(tool) = NO_EXCUSE.iter().find(|t| lower.contains(*t)) {
                bail!(".ci/{FILE}: `{test}`: {tool} can be installed and is no reason to skip");
            }
        }
        Ok(Self(reasons))
    }

    /// Fails if one of the `skipped` tests is not allowed to be.
    pub fn check(&self, skipped: &[String]) -> Result<()> {
        let bad: Vec<_> = skipped.iter().filter(|s| !self.0.has(s)).map(String::as_str).collect();
        if !bad.is_empty() {
            bail!("skipped, and not named in .ci/{FILE}: {}", bad.join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(text: &str) -> Result<Skips> {
        Skips::new(Reasons::parse(FILE, text)?)
    }

    #[test]
    fn a_skip_needs_a_name() {
        let skips = skips("host::kvm::boots  no /dev/kvm in CI\n").unwrap();
        assert!(skips.check(&["host::kvm::boots".into()]).is_ok());
        let e = skips.check(&["host::kvm::boots".into(), "a::b".into()]).unwrap_err().to_string();
        assert_eq!(e, "skipped, and not named in .ci/allowed-skips: a::b");
    }

    #[test]
    fn a_tool_that_setup_installs_is_no_reason() {
        for reason in ["no Verilator here", "yosys is slow", "QEMU", "needs tshark"] {
            assert!(skips(&format!("a::b  {reason}")).unwrap_err().to_string().contains("is no reason"));
        }
    }

    #[test]
    fn the_committed_file_is_understood() {
        Skips::load().unwrap();
    }
}
