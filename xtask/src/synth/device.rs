// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device, mapped part by part and added up.
//!
//! Nothing is optimised across the border of two parts, so the sum is an upper bound of one run
//! over all.
use super::area::{Area, Device, Mapped};
use super::budget::Budget;
use super::cost::hashed;
use super::netlist::Netlist;
use super::parts::{Apart, Part};
use super::record::{self, Record};
use super::yosys::{self, Family, Script};
use crate::benchfile::Figures;
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use std::sync::Mutex;

/// Runs of Yosys at a time.
const AT_ONCE: usize = 2;

/// Behind the name of ABC's script, if ABC aborted behind its mapping.
const GAVE_UP: &str = ", gave up";

/// Maps each part for `family`. A part whose Verilog did not change since it was mapped here, or
/// recorded in `known`, is not mapped again.
pub fn map(step: &Step, apart: &Apart, family: Family, known: &Record) -> Result<Device> {
    let next = Mutex::new(apart.parts.iter().enumerate());
    let mapped = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        loop {
            // a thread that panicked ends the command anyway
            let Some((place, part)) = next.lock().unwrap_or_else(|e| e.into_inner()).next() else {
                return Ok(());
            };
            step.note(&part.name);
            let one = map_one(part, family, known).with_context(|| format!("part `{}`", part.name))?;
            mapped.lock().unwrap_or_else(|e| e.into_inner()).push((place, one));
        }
    };
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..AT_ONCE).map(|_| s.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut mapped = mapped.into_inner().unwrap_or_else(|e| e.into_inner());
    mapped.sort_by_key(|(place, _)| *place);
    let gave_up = mapped.iter().map(|(_, one)| one).filter(|one| one.area.abc.ends_with(GAVE_UP));
    let gave_up: Vec<_> = gave_up.map(|one| one.name.as_str()).collect();
    if !gave_up.is_empty() {
        let names = gave_up.join(", ");
        step.line(&format!("    ABC aborted behind its mapping, and its last passes saved nothing: {names}"));
    }
    let parts: Vec<_> = mapped.into_iter().map(|(_, one)| one).collect();
    let sum = parts.iter().fold(Area::default(), |sum, p| sum.and(&p.name, &p.area));
    Ok(Device { family, parts, sum })
}

fn map_one(part: &Part, family: Family, known: &Record) -> Result<Mapped> {
    let script = Script::of(&part.name, family);
    let hash = hashed(&[&yosys::part_recipe(family, script)?, &part.module, &part.verilog]);
    let folder = repo::target("synth");
    let file = folder.join(format!("{}-{hash}.v", part.module));
    let netlist = folder.join(format!("{}-{hash}.netlist", part.module));
    let kept = folder.join(format!("{hash}.json"));
    let mapped =
        |area| Mapped { name: part.name.clone(), hash: hash.clone(), netlist: netlist.clone(), area };
    if let Some(area) = known.of(&part.name, &hash) {
        return Ok(mapped(area.clone()));
    }
    // the netlist is an ECP5's placement's, and written before the figures; where somebody took it
    // away it is made again
    let is_whole = family != Family::Ecp5 || netlist.is_file();
    if let (true, Ok(text)) = (is_whole, std::fs::read_to_string(&kept)) {
        let area = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; remove it", repo::shown(&kept)))?;
        return Ok(mapped(area));
    }
    repo::write(&file, &part.verilog)?;
    let is_whole = yosys::map_part(&file, &part.module, family, script, &netlist)?;
    let text = std::fs::read_to_string(&netlist)
        .with_context(|| format!("cannot read {}", repo::shown(&netlist)))?;
    let list = Netlist::parse(&text, &part.module)?;
    let counts = list.counts()?;
    let mut area = Area {
        luts: counts.luts,
        ffs: counts.ffs,
        brams: counts.brams,
        dsps: counts.dsps,
        abc: format!("{}{}", script.name(), if is_whole { "" } else { GAVE_UP }),
        ..Area::default()
    };
    if family == Family::Ecp5 {
        area.path = "-".into();
    } else {
        let path = list.longest_path()?;
        (area.levels, area.path) = (path.levels, format!("{} -> {}", path.from, path.to));
        std::fs::remove_file(&netlist).with_context(|| format!("cannot remove {}", repo::shown(&netlist)))?;
    }
    repo::write(&kept, &(serde_json::to_string_pretty(&area)? + "\n"))?;
    Ok(mapped(area))
}

impl Device {
    /// The table, largest part first.
    pub fn table(&self, top: &str, profile: &str) -> String {
        let head = match self.family {
            Family::Ecp5 => ("lut4", "ebr"),
            Family::Xc7 | Family::Xcup => ("lut6", "bram18"),
        };
        let mut text = format!(
            "\n{top} of profile {profile} for {}, part by part: {}\n{:<12} {:>7} {:>7} {:>6} {:>4} {:>6}  {:<15} longest path\n",
            self.family.name(),
            self.family.script(Script::of("", self.family)),
            "part",
            head.0,
            "ff",
            head.1,
            "dsp",
            "levels",
            "abc"
        );
        let mut parts: Vec<_> = self.parts.iter().map(|p| (p.name.as_str(), &p.area)).collect();
        parts.sort_by_key(|(_, area)| std::cmp::Reverse(area.luts));
        for (name, a) in parts.into_iter().chain([("all", &self.sum)]) {
            text += &format!(
                "{name:<12} {:>7} {:>7} {:>6} {:>4} {:>6}  {:<15} {}\n",
                a.luts, a.ffs, a.brams, a.dsps, a.levels, a.abc, a.path
            );
        }
        text
    }

    /// A line for each part whose Verilog is not the one recorded in `known`, and one for the sum.
    pub fn changes(&self, known: &Record) -> String {
        let mut text = format!("\n{:<12} {:>17} {:>15} {:>9}\n", "changed", "luts", "ff", "bram");
        let new = self.parts.iter().filter(|p| known.of(&p.name, &p.hash).is_none());
        for (name, area) in new.map(|p| (p.name.as_str(), &p.area)).chain([(record::ALL, &self.sum)]) {
            let was = known.area(name).cloned().unwrap_or_default();
            text += &format!(
                "{name:<12} {:>7} ->{:>7} {:>6} ->{:>6} {:>3} ->{:>3}\n",
                was.luts, area.luts, was.ffs, area.ffs, was.brams, area.brams
            );
        }
        text
    }

    /// The keys: `synth.<profile>.*` for ECP5, `synth.<profile>.<family>.*` for the others, with a
    /// part's name before the last.
    pub fn figures(&self, profile: &str) -> Figures {
        let base = match self.family {
            Family::Ecp5 => format!("synth.{profile}"),
            Family::Xc7 | Family::Xcup => format!("synth.{profile}.{}", self.family.name()),
        };
        let of = |prefix: String, area: &Area| {
            let figures = area.figures(self.family).into_iter();
            figures.map(move |(k, v)| (format!("{prefix}.{k}"), v as f64)).collect::<Vec<_>>()
        };
        let parts = self.parts.iter().flat_map(|p| of(format!("{base}.{}", p.name), &p.area));
        parts.chain(of(base.clone(), &self.sum)).collect()
    }

    /// What is over `budget`; limits are an ECP5's, `[<profile>.rnic]` and
    /// `[<profile>."rnic.<part>"]`.
    pub fn excess(&self, top: &str, profile: &str, budget: &Budget) -> Vec<String> {
        if self.family != Family::Ecp5 {
            return Vec::new();
        }
        let parts = self.parts.iter().map(|p| (format!("{top}.{}", p.name), &p.area));
        parts
            .chain([(top.to_string(), &self.sum)])
            .flat_map(|(name, area)| budget.excess(profile, &name, &area.cost()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn device(family: Family) -> Device {
        let part = |name: &str, luts, levels| Mapped {
            name: name.into(),
            hash: name.into(),
            netlist: PathBuf::new(),
            area: Area {
                luts,
                ffs: 2,
                brams: 1,
                dsps: 0,
                levels,
                path: format!("{name}1 -> {name}2"),
                abc: "area".into(),
            },
        };
        let parts = vec![part("a", 5, 3), part("b", 7, 9)];
        let sum = parts.iter().fold(Area::default(), |sum, p| sum.and(&p.name, &p.area));
        Device { family, parts, sum }
    }

    #[test]
    fn parts_add_up_and_the_longest_path_counts() {
        let d = device(Family::Xc7);
        assert_eq!(
            d.sum,
            Area {
                luts: 12,
                ffs: 4,
                brams: 2,
                dsps: 0,
                levels: 9,
                path: "b: b1 -> b2".into(),
                abc: "-".into()
            }
        );
        let table = d.table("rnic", "10g");
        let rows: Vec<_> = table.lines().filter_map(|l| l.split_whitespace().next()).collect();
        assert_eq!(rows[1..], ["part", "b", "a", "all"]);
    }

    #[test]
    fn only_what_changed_since_the_record_is_told() {
        let known = "part\thash\tluts\tffs\tbrams\tdsps\tlevels\tabc\tpath\na\ta\t5\t2\t1\t0\t3\tarea\t-\nb\told\t9\t2\t1\t0\t9\tarea\t-\n";
        let text = device(Family::Ecp5).changes(&Record::parse(known).unwrap());
        let rows: Vec<_> = text.lines().skip(2).map(|l| l.split_whitespace().collect::<Vec<_>>()).collect();
        assert_eq!(rows.len(), 2, "{text}");
        assert_eq!((rows[0][0], rows[0][1], rows[0][3]), ("b", "9", "7"));
        assert_eq!((rows[1][0], rows[1][1], rows[1][3]), ("all", "0", "12"), "the sum was not recorded");
    }

    #[test]
    fn keys_name_the_profile_and_any_family_but_ecp5() {
        let ecp5 = device(Family::Ecp5).figures("tiny");
        assert_eq!(
            (ecp5["synth.tiny.lut4"], ecp5["synth.tiny.ebr"], ecp5["synth.tiny.b.lut4"]),
            (12.0, 2.0, 7.0)
        );
        let xilinx = device(Family::Xcup).figures("10g");
        assert_eq!((xilinx["synth.10g.xcup.lut6"], xilinx["synth.10g.xcup.levels"]), (12.0, 9.0));
        assert!(!xilinx.contains_key("synth.10g.lut4"));
    }

    #[test]
    fn whole_and_parts_have_budgets_for_ecp5() {
        let budget =
            Budget::parse("[tiny.rnic]\nlut4 = 10\n[tiny.\"rnic.a\"]\nlut4 = 5\n[tiny.\"rnic.b\"]\nff = 1")
                .unwrap();
        assert_eq!(
            device(Family::Ecp5).excess("rnic", "tiny", &budget),
            [
                "tiny.rnic.b: ff is 2, 1 over its budget of 1",
                "tiny.rnic: lut4 is 12, 2 over its budget of 10"
            ]
        );
        assert!(device(Family::Xc7).excess("rnic", "tiny", &budget).is_empty());
    }
}
