// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts there are.
use super::bar::Bars;
use super::bus::{Reads, Resets};
use super::host::Host;
use super::hostile::Grammar;
use super::impair::Impairment;
use super::part::Part;
use super::walks::{Churn, Floods, Verbs};

/// All parts, in the order of their names.
pub fn parts() -> Vec<&'static dyn Part> {
    vec![&Impairment, &Verbs, &Floods, &Grammar, &Host, &Bars, &Reads, &Resets, &Churn]
}

/// The part of a name.
pub fn part(name: &str) -> Option<&'static dyn Part> {
    parts().into_iter().find(|part| part.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_each_cell_has_a_text() {
        let mut names: Vec<_> = parts().iter().map(|part| part.name()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for part in parts() {
            assert!(part.cells() > 0 && (0..part.cells()).all(|cell| !part.cell(cell).is_empty()));
        }
    }
}
