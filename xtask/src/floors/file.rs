// SPDX-License-Identifier: MIT OR Apache-2.0
//! `.ci/floors.toml`: the figures that no change may bring down without saying so.
use crate::repo;
use anyhow::{ensure, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file, below the repository.
pub const PATH: &str = ".ci/floors.toml";

/// Figures by name.
pub type Figures = BTreeMap<String, u64>;

/// The floors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floors {
    /// Of requirements: the keys of [`crate::conformance::floor_figures`].
    #[serde(default)]
    pub conformance: Figures,
    /// Of recorded mutation runs: the keys of [`crate::mutants::floor_figures`].
    #[serde(default)]
    pub mutants: Figures,
    /// Of coverage in thousandths: the keys of [`crate::coverage::recorded`].
    #[serde(default)]
    pub coverage: Figures,
    /// Of tests, by family.
    #[serde(default)]
    pub tests: Figures,
}

/// A figure by name; one that is missing is 0.
pub fn figure(figures: &Figures, name: &str) -> u64 {
    figures.get(name).copied().unwrap_or(0)
}

impl Floors {
    /// The committed file.
    pub fn load() -> Result<Self> {
        Self::parse(&read()?).with_context(|| format!("{PATH} is not understood"))
    }

    /// A text of that format.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(toml::from_str(text)?)
    }

    /// Lifts each floor to its figure in `reached`, and takes in what has no floor yet. Nothing
    /// gets lower.
    pub fn raise(&mut self, reached: &Self) {
        for (floors, figures) in [
            (&mut self.conformance, &reached.conformance),
            (&mut self.mutants, &reached.mutants),
            (&mut self.coverage, &reached.coverage),
            (&mut self.tests, &reached.tests),
        ] {
            for (name, figure) in figures {
                let floor = floors.entry(name.clone()).or_default();
                *floor = (*floor).max(*figure);
            }
        }
    }

    /// Adds the floor of the family `old` to that of `new`, and forgets `old`.
    pub fn rename(&mut self, old: &str, new: &str) -> Result<()> {
        ensure!(old != new, "`{old}` is its own name already; give OLD=NEW");
        let names = || self.tests.keys().cloned().collect::<Vec<_>>().join(", ");
        let floor = self.tests.get(old).copied();
        let floor = floor.with_context(|| format!("no floor for a family `{old}`; there are {}", names()))?;
        self.tests.remove(old);
        *self.tests.entry(new.into()).or_default() += floor;
        Ok(())
    }

    /// Writes the file, whose comment at the head stays.
    pub fn save(&self) -> Result<()> {
        let text = self.text(&head(&read()?));
        repo::write(&repo::root().join(PATH), &text)
    }

    fn text(&self, head: &str) -> String {
        let mut text = head.to_string();
        let sections = [
            ("conformance", &self.conformance),
            ("coverage", &self.coverage),
            ("mutants", &self.mutants),
            ("tests", &self.tests),
        ];
        // a section without floors has no line
        for (section, figures) in sections.into_iter().filter(|(_, figures)| !figures.is_empty()) {
            // writing to a string does not fail
            let _ = writeln!(text, "\n[{section}]");
            for (name, figure) in figures {
                let _ = writeln!(text, "\"{name}\" = {figure}");
            }
        }
        text
    }
}

fn read() -> Result<String> {
    std::fs::read_to_string(repo::root().join(PATH)).with_context(|| format!("cannot read {PATH}"))
}

/// The comment lines before the first section.
fn head(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# why\n# so\n\n[conformance]\n\"must.proved\" = 48\n\n[mutants]\n\"tried\" = 3\n\n[tests]\n\"first\" = 30\n\"fw\" = 5\n";

    #[test]
    fn what_is_written_is_read_and_the_head_stays() {
        let floors = Floors::parse(TEXT).unwrap();
        assert_eq!((floors.conformance["must.proved"], floors.tests["first"]), (48, 30));
        assert_eq!(floors.text(&head(TEXT)), TEXT);
        assert!(Floors::parse("[test]\nx = 1").is_err(), "a section that is misspelt would hold nothing");
        assert!(Floors::parse("[tests]\nx = -1").is_err());
    }

    #[test]
    fn a_floor_is_raised_and_never_lowered() {
        let mut floors = Floors::parse(TEXT).unwrap();
        floors.raise(
            &Floors::parse(
                "[conformance]\n\"must.proved\" = 47\n[coverage]\nline = 9\n[tests]\nfirst = 31\nnew = 2",
            )
            .unwrap(),
        );
        let raised = Floors::parse(
            "[conformance]\n\"must.proved\" = 48\n[coverage]\nline = 9\n[mutants]\ntried = 3\n[tests]\nfirst = 31\nfw = 5\nnew = 2",
        );
        assert_eq!(floors, raised.unwrap());
    }

    #[test]
    fn a_renamed_family_takes_its_floor_along() {
        let mut floors = Floors::parse(TEXT).unwrap();
        floors.rename("fw", "firmware").unwrap();
        floors.rename("firmware", "first").unwrap();
        assert_eq!(floors.tests, BTreeMap::from([("first".into(), 35)]));
        let told = floors.rename("fw", "x").unwrap_err().to_string();
        assert!(told.contains("`fw`") && told.contains("there are first"), "{told}");
        assert!(floors.rename("first", "first").is_err());
    }

    #[test]
    fn the_committed_file_is_as_it_would_be_written() {
        let text = read().unwrap();
        assert_eq!(Floors::load().unwrap().text(&head(&text)), text);
    }
}
