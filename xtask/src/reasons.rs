// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of `.ci` that name what is tolerated, each with a reason.
use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;

/// Reason by name.
#[derive(Debug)]
pub struct Reasons(BTreeMap<String, String>);

impl Reasons {
    /// The committed file `.ci/<name>`.
    pub fn load(name: &str) -> Result<Self> {
        let path = crate::repo::root().join(".ci").join(name);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", crate::repo::shown(&path)))?;
        Self::parse(name, &text)
    }

    /// Lines of `name  reason`, two blanks between (a name may hold single ones). `#` begins a
    /// comment line. `file` is for errors.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let mut all = BTreeMap::new();
        let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
        for (number, line) in lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
            let Some((name, reason)) = line.split_once("  ") else {
                bail!(".ci/{file} line {number}: no reason, two blanks after the name, in `{line}`");
            };
            all.insert(name.to_string(), reason.trim().to_string());
        }
        Ok(Self(all))
    }

    /// Whether the file has this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Names and reasons.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, reason)| (name.as_str(), reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_needs_a_reason() {
        let text = "# why\n\nhost::kvm::boots  no /dev/kvm in CI\ndoc x::a.rs - b (line 3)   why\n";
        let reasons = Reasons::parse("x", text).unwrap();
        assert!(reasons.has("doc x::a.rs - b (line 3)") && !reasons.has("host::kvm"));
        assert_eq!(reasons.iter().last(), Some(("host::kvm::boots", "no /dev/kvm in CI")));
        let told = Reasons::parse("x", "# why\nhost::kvm::boots").unwrap_err().to_string();
        assert!(told.starts_with(".ci/x line 2: no reason"), "{told}");
    }
}
