// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run: what decides all that comes of it.
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Bits of a seed: a number of JSON that every reader keeps.
pub const SEED_BITS: u32 = 48;

/// No run has a step at this place.
const MOST: usize = 1_000_000;

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Name of its part.
    pub part: String,
    /// Its cell.
    pub cell: usize,
    /// What all draws come from.
    pub seed: u64,
    /// Places of the steps that are performed; all of them without a list.
    pub only: Option<Vec<usize>>,
}

/// A run that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no run; write PART:CELL:SEED or PART:CELL:SEED:STEPS, as F1:17:4242 or F2:0:9:3,17-20")]
pub struct BadRun(pub String);

/// A list of runs with a line that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct BadLine {
    line: usize,
    why: BadRun,
}

impl Run {
    /// A run a line, with words behind `#`.
    ///
    /// # Errors
    /// The first line that is no run.
    pub fn listed(text: &str) -> Result<Vec<Self>, BadLine> {
        let lines = (1..).zip(text.lines());
        let runs = lines.map(|(line, text)| (line, text.split('#').next().unwrap_or_default().trim()));
        let runs = runs.filter(|(_, run)| !run.is_empty());
        runs.map(|(line, run)| run.parse().map_err(|why| BadLine { line, why })).collect()
    }

    /// Whether the step at a place is performed.
    pub fn performs(&self, place: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&place))
    }

    /// Places of the steps that are performed, of a part with so many steps.
    pub fn places(&self, steps: usize) -> Vec<usize> {
        self.only.clone().unwrap_or_else(|| (0..steps).collect())
    }

    /// The same run with these of its steps alone.
    #[must_use]
    pub fn with(&self, only: &[usize]) -> Self {
        Self { only: Some(only.to_vec()), ..self.clone() }
    }

    /// A name for files.
    pub fn file_name(&self) -> String {
        format!("campaign-{}-{}", self.part, self.cell)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.part, self.cell, self.seed)?;
        match &self.only {
            None => Ok(()),
            Some(only) => write!(f, ":{}", list(only)),
        }
    }
}

/// Places as numbers and ranges of three or more: `3,17-20`.
fn list(places: &[usize]) -> String {
    let ranges = places.chunk_by(|a, b| a + 1 == *b).flat_map(|range| match range {
        [first, _, .., last] => vec![format!("{first}-{last}")],
        few => few.iter().map(usize::to_string).collect(),
    });
    ranges.collect::<Vec<_>>().join(",")
}

/// The places of a number or a range.
fn places(word: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last < MOST).then_some(first..=last)
}

impl FromStr for Run {
    type Err = BadRun;

    fn from_str(text: &str) -> Result<Self, BadRun> {
        let bad = || BadRun(text.into());
        let parts: Vec<_> = text.split(':').collect();
        let (part, cell, seed, only) = match parts[..] {
            [part, cell, seed] => (part, cell, seed, None),
            [part, cell, seed, only] => (part, cell, seed, Some(only)),
            _ => return Err(bad()),
        };
        let steps = |list: &str| match list {
            "" => Ok(vec![]),
            _ => {
                let ranges: Option<Vec<_>> = list.split(',').map(places).collect();
                Ok(ranges.ok_or_else(bad)?.into_iter().flatten().collect())
            }
        };
        Ok(Self {
            part: part.into(),
            cell: cell.parse().map_err(|_| bad())?,
            seed: seed.parse().map_err(|_| bad())?,
            only: only.map(steps).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_as_it_is_written() {
        for text in ["F1:17:4242", "F2:0:9:3,17", "F2:0:9:", "F2:0:9:0-2,4,5,7-20"] {
            assert_eq!(text.parse::<Run>().map(|run| run.to_string()), Ok(text.to_string()));
        }
        for text in ["", "F1", "F1:2", "F1:x:3", "F1:1:2:3,x", "F1:1:2:3:4", "F1:1:2:4-3", "F1:1:2:0-9999999"]
        {
            assert_eq!(text.parse::<Run>(), Err(BadRun(text.into())));
        }
    }

    #[test]
    fn comments_are_passed_over_and_a_bad_line_is_named() {
        let runs = Run::listed("# a list\n\nF1:2:3  # what it was\n").unwrap();
        assert_eq!(runs.iter().map(Run::to_string).collect::<Vec<_>>(), ["F1:2:3"]);
        let told = Run::listed("F1:2:3\nF1\n").unwrap_err().to_string();
        assert!(told.contains("line 2") && told.contains("no run"), "{told}");
    }

    #[test]
    fn a_run_without_a_list_performs_each_step() {
        let run: Run = "F2:0:9:3,17".parse().unwrap();
        assert!(run.performs(3) && !run.performs(4));
        assert!(Run { only: None, ..run }.performs(4));
    }
}
