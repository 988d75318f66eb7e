// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures against their floors.
use super::file::{figure, Figures, PATH};
use anyhow::{bail, Result};

/// Fails with a line for each figure below its floor. A figure that is missing is 0.
pub fn requirements(floors: &Figures, figures: &Figures) -> Result<()> {
    let line = |(name, floor, figure)| format!("{name} is {figure}, below its floor of {floor}");
    refuse(
        below(floors, figures).map(line),
        "a proof was lost, or a test that holds one did not pass in the last `cargo xtask test`",
    )
}

/// As [`requirements`], for recorded mutation runs.
pub fn mutants(floors: &Figures, figures: &Figures) -> Result<()> {
    let line = |(name, floor, figure)| format!("mutants: {name} is {figure}, below its floor of {floor}");
    refuse(below(floors, figures).map(line), "tests/mutants records less than before")
}

/// As [`requirements`], for coverage of the emitted device, in thousandths.
pub fn coverage(floors: &Figures, figures: &Figures) -> Result<()> {
    let line = |(name, floor, figure)| {
        format!("coverage of `{name}` is {figure} thousandths, below its floor of {floor}")
    };
    refuse(
        below(floors, figures).map(line),
        "the runs of `cargo xtask coverage` reach less of the device than before, or not all of its tests ran",
    )
}

/// As [`requirements`], for the tests of families.
pub fn tests(floors: &Figures, figures: &Figures) -> Result<()> {
    let line = |(name, floor, figure)| match figure {
        0 => format!(
            "the family of tests `{name}` is gone, its floor is {floor}: if it has a new name, \
             `cargo xtask floors --rename '{name}=NEW'` gives that its floor"
        ),
        _ => format!("the family `{name}` has {figure} tests, below its floor of {floor}"),
    };
    refuse(below(floors, figures).map(line), "tests were lost")
}

/// Name, floor and figure of what is below its floor.
fn below<'a>(floors: &'a Figures, figures: &'a Figures) -> impl Iterator<Item = (&'a str, u64, u64)> {
    let all = floors.iter().map(|(name, floor)| (name.as_str(), *floor, figure(figures, name)));
    all.filter(|(_, floor, figure)| figure < floor)
}

/// Fails with `lines`, if there are any, with `why` they stand there, and with what to do.
fn refuse(lines: impl Iterator<Item = String>, why: &str) -> Result<()> {
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        bail!(
            "{}\n{PATH}: {why}; bring them back, or lower the floor in a commit of its own that says why",
            lines.join("\n")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(all: &[(&str, u64)]) -> Figures {
        all.iter().map(|(name, figure)| (name.to_string(), *figure)).collect()
    }

    #[test]
    fn what_is_below_is_told_with_floor_and_figure() {
        let floors = figures(&[("must.proved", 48), ("should.proved", 1)]);
        assert!(
            requirements(&floors, &figures(&[("must.proved", 48), ("should.proved", 2), ("x", 0)])).is_ok()
        );
        let told = requirements(&floors, &figures(&[("must.proved", 47)])).unwrap_err().to_string();
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(lines[0], "must.proved is 47, below its floor of 48");
        assert_eq!(lines[1], "should.proved is 0, below its floor of 1");
        assert!(lines[2].starts_with(".ci/floors.toml: a proof was lost"), "{told}");
    }

    #[test]
    fn a_mutation_score_below_its_floor_is_told() {
        let floors = figures(&[("killed_of_1000", 900), ("tried", 40)]);
        assert!(mutants(&floors, &figures(&[("killed_of_1000", 900), ("tried", 41)])).is_ok());
        let told = mutants(&floors, &figures(&[("killed_of_1000", 899), ("tried", 40)])).unwrap_err();
        assert!(told.to_string().starts_with("mutants: killed_of_1000 is 899, below its floor of 900"));
    }

    #[test]
    fn coverage_below_its_floor_is_told_in_thousandths() {
        let floors = figures(&[("line", 951), ("toggle", 850)]);
        assert!(coverage(&floors, &figures(&[("line", 951), ("toggle", 999), ("block", 1)])).is_ok());
        let told = coverage(&floors, &figures(&[("line", 950), ("toggle", 850)])).unwrap_err().to_string();
        assert!(
            told.starts_with("coverage of `line` is 950 thousandths, below its floor of 951\n.ci"),
            "{told}"
        );
    }

    #[test]
    fn a_family_that_is_gone_is_told_apart_from_one_that_is_smaller() {
        let floors = figures(&[("first", 30), ("fw", 5)]);
        assert!(tests(&floors, &figures(&[("first", 30), ("fw", 6)])).is_ok());
        let told = tests(&floors, &figures(&[("first", 29), ("firmware", 5)])).unwrap_err().to_string();
        assert!(told.contains("`first` has 29 tests, below its floor of 30"), "{told}");
        assert!(
            told.contains("`fw` is gone, its floor is 5") && told.contains("--rename 'fw=NEW'"),
            "{told}"
        );
    }
}
