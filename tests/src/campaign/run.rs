// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run: what decides all that comes of it.
use std::fmt;
use std::str::FromStr;

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
#[error("`{0}` is no run; write PART:CELL:SEED or PART:CELL:SEED:STEPS, as F1:17:4242 or F2:0:9:3,17")]
pub struct BadRun(pub String);

impl Run {
    /// Whether the step at a place is performed.
    pub fn performs(&self, place: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&place))
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
            Some(only) => {
                write!(f, ":{}", only.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
            }
        }
    }
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
        let places = |list: &str| match list {
            "" => Ok(vec![]),
            _ => list.split(',').map(|n| n.parse().map_err(|_| bad())).collect(),
        };
        Ok(Self {
            part: part.into(),
            cell: cell.parse().map_err(|_| bad())?,
            seed: seed.parse().map_err(|_| bad())?,
            only: only.map(places).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_as_it_is_written() {
        for text in ["F1:17:4242", "F2:0:9:3,17", "F2:0:9:"] {
            assert_eq!(text.parse::<Run>().map(|run| run.to_string()), Ok(text.to_string()));
        }
        for text in ["", "F1", "F1:2", "F1:x:3", "F1:1:2:3,x", "F1:1:2:3:4"] {
            assert_eq!(text.parse::<Run>(), Err(BadRun(text.into())));
        }
    }

    #[test]
    fn a_run_without_a_list_performs_each_step() {
        let run: Run = "F2:0:9:3,17".parse().unwrap();
        assert!(run.performs(3) && !run.performs(4));
        assert!(Run { only: None, ..run }.performs(4));
    }
}
