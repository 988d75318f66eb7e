// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property: a harness under `tests/formal`, whose first lines say what is to be done with it.
use super::text::Bug;
use crate::repo;
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::emit::LICENSE_LINE;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a property is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// For ever: no trace from reset breaks it in `depth` cycles, and none of `depth` good cycles
    /// goes on with a bad one.
    Induction,
    /// Up to `depth` cycles from reset.
    Bounded,
}

impl Kind {
    /// As in a header and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Induction => "induction",
            Kind::Bounded => "bounded",
        }
    }
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Name of the file and of the harness's module.
    pub name: String,
    /// The harness.
    pub file: PathBuf,
    /// What is proved, one sentence.
    pub proves: String,
    /// Text that the modules are taken from: a top or a unit.
    pub text: String,
    /// The modules that the harness has instances of.
    pub modules: Vec<String>,
    /// How.
    pub kind: Kind,
    /// Cycles.
    pub depth: u32,
    /// What must break it.
    pub bug: Bug,
    /// Cycles from reset in which the bug is looked for.
    pub bug_depth: u32,
    /// Words of memories are wires that the harness may name.
    pub has_words: bool,
    /// The harness has two clocks, each of which rises in any step or in none.
    pub has_two_clocks: bool,
    /// Modules that the harness has in place of the text's: a memory of which one word is modelled.
    pub instead: Vec<String>,
}

/// Keys of a header, all of which must be there once; the last four may be left out.
const KEYS: [&str; 10] =
    ["proves", "of", "kind", "bug in", "bug from", "bug to", "bug depth", "memories", "instead", "clocks"];

impl Property {
    /// All properties, by name.
    pub fn all() -> Result<Vec<Self>> {
        let folder = repo::root().join("tests/formal");
        let entries = std::fs::read_dir(&folder).with_context(|| format!("no {}", repo::shown(&folder)))?;
        let mut all = vec![];
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "sv") {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", repo::shown(&path)))?;
                all.push(Self::parse(&path, &text).with_context(|| repo::shown(&path))?);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Reads the header of a harness, behind its licence line. A line that begins with three blanks
    /// continues the value of the line before.
    ///
    /// # Errors
    /// A key that is missing, there twice or unknown; a kind or depth that is none.
    fn parse(file: &Path, text: &str) -> Result<Self> {
        let mut fields: BTreeMap<&str, String> = BTreeMap::new();
        let mut last = "";
        let head = text.lines().skip_while(|line| *line == LICENSE_LINE);
        for line in head.map_while(|line| line.strip_prefix("// ")) {
            if let Some(value) = line.strip_prefix("  ").and_then(|_| fields.get_mut(last)) {
                *value += &format!(" {}", line.trim());
                continue;
            }
            let (key, value) =
                line.split_once(": ").with_context(|| format!("`{line}` is no `key: value`"))?;
            if !KEYS.contains(&key) || fields.insert(key, value.trim().to_string()).is_some() {
                bail!("`{key}` is unknown or there twice; keys are {}", KEYS.join(", "));
            }
            last = key;
        }
        let of = |key: &str| fields.get(key).cloned().with_context(|| format!("no line `// {key}: ...`"));
        let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if !text.contains(&format!("\nmodule {name}")) {
            bail!("the harness's module must be called `{name}`");
        }
        let whole = of("of")?;
        let (unit, modules) = whole.split_once(' ').context("`of` is a text and its modules")?;
        let how = of("kind")?;
        let (kind, depth) = how.split_once(' ').context("`kind` is a word and a depth")?;
        let kind = [Kind::Induction, Kind::Bounded].into_iter().find(|k| k.name() == kind);
        let depth = depth.parse().context("the depth is a number of cycles")?;
        let bug_depth = match fields.get("bug depth") {
            Some(depth) => depth.parse().context("the bug's depth is a number of cycles")?,
            None => depth + 8,
        };
        let has_words = match fields.get("memories").map(String::as_str) {
            None => false,
            Some("registers") => true,
            Some(other) => bail!("`memories` are `registers` or not named, not `{other}`"),
        };
        let has_two_clocks = match fields.get("clocks").map(String::as_str) {
            None => false,
            Some("two") => true,
            Some(other) => bail!("`clocks` are `two` or not named, not `{other}`"),
        };
        Ok(Self {
            name,
            file: file.into(),
            proves: of("proves")?,
            text: unit.into(),
            modules: words(modules),
            kind: kind.with_context(|| format!("`{how}`: the kind is induction or bounded"))?,
            depth,
            bug: Bug { module: of("bug in")?, from: of("bug from")?, to: of("bug to")? },
            bug_depth,
            has_words,
            has_two_clocks,
            instead: words(fields.get("instead").map_or("", String::as_str)),
        })
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "// proves: nothing is lost.\n// of: skid_8 skid_8\n// kind: induction 2\n\
                        // bug in: skid_8\n// bug from: a = b;\n// bug to: a = c;\nmodule skid(input clock);\nendmodule\n";

    fn parse(text: &str) -> Result<Property, String> {
        Property::parse(Path::new("x/skid.sv"), text).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn a_header_says_what_is_proved_and_how() {
        let p = parse(HEAD).unwrap();
        assert_eq!(
            (p.name.as_str(), p.text.as_str(), p.kind, p.depth),
            ("skid", "skid_8", Kind::Induction, 2)
        );
        assert_eq!((p.bug.from.as_str(), p.bug.to.as_str(), p.bug_depth), ("a = b;", "a = c;", 10));
        let deeper = parse(&format!("// bug depth: 30\n{HEAD}")).unwrap();
        assert_eq!(deeper.bug_depth, 30);
        let longer = parse(&HEAD.replace("nothing is", "nothing\n//   is")).unwrap();
        assert_eq!(longer, p);
        assert_eq!(parse(&format!("{LICENSE_LINE}\n{HEAD}")).unwrap(), p);
    }

    #[test]
    fn a_header_that_lacks_something_is_refused() {
        for (from, to, why) in [
            ("// kind: induction 2\n", "", "no line `// kind: ...`"),
            ("induction 2", "perhaps 2", "the kind is induction or bounded"),
            ("induction 2", "induction x", "number of cycles"),
            ("// proves", "// claims", "`claims` is unknown"),
            ("module skid", "module skids_not", ""),
        ] {
            let refused = parse(&HEAD.replace(from, to));
            assert_eq!(refused.as_ref().is_err(), !why.is_empty(), "{from} -> {to}: {refused:?}");
            assert!(refused.err().unwrap_or_default().contains(why));
        }
        assert!(parse(&HEAD.replace("module skid", "module kid")).unwrap_err().contains("called `skid`"));
    }

    /// Every file is read, has a name of its own and is small.
    #[test]
    fn all_harnesses_have_a_header() {
        let all = Property::all().unwrap();
        assert!(all.len() >= 20, "{} properties", all.len());
    }
}
