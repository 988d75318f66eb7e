//! What the parts of the device took when they were last recorded: `docs/synth/<profile>-<family>.tsv`, which is committed.
//!
//! A row is a part: its name, the hash of its Verilog and the recipe, and its area. `synth --changed` maps the parts whose hash is
//! another one now and takes the others from here; `synth --top rnic --record` writes the file.
use super::device::{Area, Device, Mapped};
use super::yosys::Family;
use crate::repo;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The columns.
const HEAD: &str = "part\thash\tluts\tffs\tbrams\tdsps\tlevels\tpath";

/// The row that adds the others up; its hash is none.
pub const ALL: &str = "all";

/// A recorded device: each part's hash and area.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record(BTreeMap<String, (String, Area)>);

/// Where the record of a profile and family stands.
pub fn file(profile: &str, family: Family) -> PathBuf {
    repo::root().join("docs/synth").join(format!("{profile}-{}.tsv", family.name()))
}

impl Record {
    /// The committed file of a profile and family.
    pub fn load(profile: &str, family: Family) -> Result<Self> {
        let path = file(profile, family);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}; `cargo xtask synth --top rnic --record` writes it", repo::shown(&path))
        })?;
        Self::parse(&text).with_context(|| format!("{} is not understood", repo::shown(&path)))
    }

    /// The rows behind the head.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let rows = text.lines().skip(1).map(row).collect::<Result<BTreeMap<_, _>>>()?;
        Ok(Self(rows))
    }

    /// What `part` took, if it was recorded at all.
    pub fn area(&self, part: &str) -> Option<&Area> {
        self.0.get(part).map(|(_, area)| area)
    }

    /// What `part` took, if its Verilog and recipe still hash to `hash`.
    pub fn of(&self, part: &str, hash: &str) -> Option<&Area> {
        self.0.get(part).filter(|(h, _)| h == hash).map(|(_, area)| area)
    }

    /// Writes what `device` takes.
    pub fn save(profile: &str, device: &Device) -> Result<PathBuf> {
        let path = file(profile, device.family);
        repo::write(&path, &text(&device.parts, &device.sum))?;
        Ok(path)
    }
}

fn text(parts: &[Mapped], sum: &Area) -> String {
    let mut text = format!("{HEAD}\n");
    let rows = parts.iter().map(|p| (p.name.as_str(), p.hash.as_str(), &p.area));
    for (name, hash, a) in rows.chain([(ALL, "-", sum)]) {
        // writing to a string does not fail
        let _ = writeln!(
            text,
            "{name}\t{hash}\t{}\t{}\t{}\t{}\t{}\t{}",
            a.luts, a.ffs, a.brams, a.dsps, a.levels, a.path
        );
    }
    text
}

fn row(line: &str) -> Result<(String, (String, Area))> {
    let columns: Vec<_> = line.split('\t').collect();
    let [name, hash, luts, ffs, brams, dsps, levels, path] = columns[..] else {
        anyhow::bail!("`{line}` has {} columns, not {}", columns.len(), HEAD.split('\t').count());
    };
    let number =
        |text: &str| text.parse().with_context(|| format!("`{text}` in the row of `{name}` is no number"));
    let area = Area {
        luts: number(luts)?,
        ffs: number(ffs)?,
        brams: number(brams)?,
        dsps: number(dsps)?,
        levels: number(levels)?,
        path: path.into(),
    };
    Ok((name.into(), (hash.into(), area)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let area = Area { luts: 5, ffs: 2, brams: 1, dsps: 0, levels: 3, path: "a1 -> a2 (register)".into() };
        let part =
            Mapped { name: "a".into(), hash: "12ab".into(), netlist: PathBuf::new(), area: area.clone() };
        let record = Record::parse(&text(&[part], &area)).unwrap();
        assert_eq!(record.of("a", "12ab"), Some(&area));
        assert_eq!(record.of("a", "12ac"), None, "another text");
        assert_eq!((record.area("a"), record.area("b")), (Some(&area), None));
    }

    #[test]
    fn a_damaged_row_is_named() {
        let said = |row: &str| format!("{:#}", Record::parse(&format!("{HEAD}\n{row}\n")).unwrap_err());
        assert!(said("a\tb").contains("`a\tb` has 2 columns"));
        assert!(said("a\th\tx\t1\t1\t1\t1\t-").contains("`x` in the row of `a`"));
    }
}
