// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the parts of the device took when they were last recorded:
//! `docs/synth/<profile>-<family>.tsv`, which is committed.
//!
//! A row is a part: its name, the hash of its Verilog and the recipe, its area, and ABC's script.
//! `synth --changed` maps the parts whose hash is another one now and takes the others from here;
//! without `--record` it fails then. `--record` writes the file.
use super::area::{Area, Device, Mapped};
use super::yosys::Family;
use crate::repo;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The columns.
const HEAD: &str = "part\thash\tluts\tffs\tbrams\tdsps\tlevels\tabc\tpath";

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

    /// Parts that were recorded.
    fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str).filter(|name| *name != ALL)
    }

    /// Writes what `device` takes.
    pub fn save(profile: &str, device: &Device) -> Result<PathBuf> {
        let path = file(profile, device.family);
        repo::write(&path, &text(&device.parts, &device.sum))?;
        Ok(path)
    }
}

/// Why the record `known` is not that of `device`, and what to do; none if it is.
pub fn stale(profile: &str, device: &Device, known: &Record) -> Option<String> {
    let changed: Vec<_> = device.parts.iter().filter(|p| known.of(&p.name, &p.hash).is_none()).collect();
    let gone: Vec<_> = known.parts().filter(|name| device.parts.iter().all(|p| p.name != *name)).collect();
    let is_other_tool = changed.len() == device.parts.len();
    let changed = changed.into_iter().map(|p| p.name.as_str());
    let names: Vec<_> = changed.chain(gone).collect();
    let (file, family) = (repo::shown(&file(profile, device.family)), device.family.name());
    let options = match (profile, family) {
        ("tiny", "ecp5") => String::new(),
        _ => format!(" --profile {profile} --family {family}"),
    };
    let why = match is_other_tool {
        true => {
            "all parts differ, as after a change of the recipe or with another Yosys than that of the record"
        }
        false => "their Verilog is not the recorded one",
    };
    let told = || {
        format!(
            "{file} is stale ({}): {why}; `cargo xtask synth --changed --record{options}` maps and records them, then commit it",
            names.join(", ")
        )
    };
    (!names.is_empty()).then(told)
}

fn text(parts: &[Mapped], sum: &Area) -> String {
    let mut text = format!("{HEAD}\n");
    let rows = parts.iter().map(|p| (p.name.as_str(), p.hash.as_str(), &p.area));
    for (name, hash, a) in rows.chain([(ALL, "-", sum)]) {
        // writing to a string does not fail
        let _ = writeln!(
            text,
            "{name}\t{hash}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            a.luts, a.ffs, a.brams, a.dsps, a.levels, a.abc, a.path
        );
    }
    text
}

fn row(line: &str) -> Result<(String, (String, Area))> {
    let columns: Vec<_> = line.split('\t').collect();
    let [name, hash, luts, ffs, brams, dsps, levels, abc, path] = columns[..] else {
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
        abc: abc.into(),
    };
    Ok((name.into(), (hash.into(), area)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let area = Area {
            luts: 5,
            ffs: 2,
            brams: 1,
            dsps: 0,
            levels: 3,
            path: "a1 -> a2 (register)".into(),
            abc: "area, gave up".into(),
        };
        let part =
            Mapped { name: "a".into(), hash: "12ab".into(), netlist: PathBuf::new(), area: area.clone() };
        let record = Record::parse(&text(&[part], &area)).unwrap();
        assert_eq!(record.of("a", "12ab"), Some(&area));
        assert_eq!(record.of("a", "12ac"), None, "another text");
        assert_eq!((record.area("a"), record.area("b")), (Some(&area), None));
    }

    /// The figures of a device that is no more would stand in the documentation.
    #[test]
    fn a_part_that_changed_came_or_went_makes_the_record_stale() {
        let part = |name: &str, hash: &str| Mapped {
            name: name.into(),
            hash: hash.into(),
            netlist: PathBuf::new(),
            area: Area::default(),
        };
        let known = [part("a", "1"), part("b", "2")];
        let known = Record::parse(&text(&known, &Area::default())).unwrap();
        let told = |family, parts: Vec<Mapped>| {
            stale("tiny", &Device { family, parts, sum: Area::default() }, &known)
        };
        assert_eq!(told(Family::Ecp5, vec![part("a", "1"), part("b", "2")]), None);
        let changed = told(Family::Ecp5, vec![part("a", "1"), part("b", "3"), part("c", "4")]).unwrap();
        assert!(changed.starts_with("docs/synth/tiny-ecp5.tsv is stale (b, c): their Verilog"), "{changed}");
        assert!(changed.contains("`cargo xtask synth --changed --record` maps"), "{changed}");
        let gone = told(Family::Xc7, vec![part("a", "1")]).unwrap();
        assert!(gone.contains("(b)") && gone.contains("--record --profile tiny --family xc7`"), "{gone}");
        assert!(told(Family::Ecp5, vec![part("a", "5"), part("b", "6")]).unwrap().contains("another Yosys"));
    }

    /// The bar of each part's depth on 7 series.
    #[test]
    fn no_part_of_10g_has_more_than_ten_levels_of_lut6() {
        let record = Record::load("10g", Family::Xc7).unwrap();
        let deep: Vec<_> = record.parts().filter(|p| record.area(p).is_some_and(|a| a.levels > 10)).collect();
        assert!(deep.is_empty(), "{deep:?}: cut their longest paths, docs/synth/10g-xc7.tsv names them");
    }

    #[test]
    fn a_damaged_row_is_named() {
        let said = |row: &str| format!("{:#}", Record::parse(&format!("{HEAD}\n{row}\n")).unwrap_err());
        assert!(said("a\tb").contains("`a\tb` has 2 columns"));
        assert!(said("a\th\tx\t1\t1\t1\t1\tarea\t-").contains("`x` in the row of `a`"));
    }
}
