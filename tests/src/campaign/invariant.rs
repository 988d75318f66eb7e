// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which invariant a failure breaks.
use serde::{Deserialize, Serialize};

/// What must hold in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Invariant {
    /// Memory is as the model has it, octet by octet.
    I1,
    /// Each signaled request has one completion, in order.
    I2,
    /// No access outside of live regions.
    I3,
    /// No write behind the answer that gave memory back.
    I4,
    /// No wedge: there is progress, or the end is told.
    I5,
    /// Nothing is left at the end.
    I6,
    /// The wire is as judges of other projects, or of plain code, want it.
    I7,
    /// A contract of a boundary, or an expectation of the part itself.
    Other,
}

/// Words of failures of the harness and the machines that begin with no invariant.
const WORDS: [(&str, Invariant); 9] = [
    ("memory of ", Invariant::I1),
    ("were refused", Invariant::I3),
    ("no transfer anywhere", Invariant::I5),
    ("are owed after", Invariant::I5),
    ("not after", Invariant::I5),
    ("is not answered after", Invariant::I5),
    ("no answer", Invariant::I5),
    ("not done after", Invariant::I5),
    ("completion ", Invariant::I2),
];

impl Invariant {
    /// All of them with what each says, for tables.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::I1, "wrong octets"),
        (Self::I2, "completions missing or twice"),
        (Self::I3, "accesses outside live regions"),
        (Self::I4, "writes behind an answer"),
        (Self::I5, "hangs"),
        (Self::I6, "left at the end"),
        (Self::I7, "wire: no part judges it"),
        (Self::Other, "contracts broken"),
    ];

    /// By the text of a failure: the first `I1` to `I7` with a colon or comma in it, else by its
    /// words.
    pub fn of(why: &str) -> Self {
        let first = |nth: usize| {
            let places = [format!("I{nth}:"), format!("I{nth},")].map(|mark| why.find(&mark));
            places.into_iter().flatten().min()
        };
        let named = (1..=7).filter_map(|nth| Some((first(nth)?, nth))).min();
        if let Some((_, nth)) = named {
            return Self::ALL[nth - 1].0;
        }
        let told = WORDS.iter().filter_map(|(words, which)| Some((why.find(words)?, *which)));
        told.min_by_key(|(at, _)| *at).map_or(Self::Other, |(_, which)| which)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_invariant_or_is_known_by_its_words() {
        for (why, which) in [
            ("cycle 9: Post: I5: what is owed: not after 3 cycles", Invariant::I5),
            ("host 1: I3, I4: cycle 3: write of 2 octets", Invariant::I3),
            ("cycle 7: memory of A: octet 3 of 9 is 0x00", Invariant::I1),
            ("completions are owed after 3 cycles: []", Invariant::I5),
            ("completion Done { .. }, expected None", Invariant::I2),
            ("cycle 3, wr: valid fell", Invariant::Other),
            ("2 accesses to host memory were refused, the first: ..", Invariant::I3),
        ] {
            assert_eq!(Invariant::of(why), which, "{why}");
        }
    }
}
