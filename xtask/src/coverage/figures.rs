// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of coverage: by module of the device, and their sums.
use super::exclude::Exclude;
use super::tally::{Place, Tally};
use super::text::Module;
use crate::floors::Figures;
use std::collections::BTreeMap;

/// What there is, and what of this was hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// What there is.
    pub all: usize,
    /// What was hit.
    pub hit: usize,
}

impl Share {
    fn count(&mut self, is_hit: bool) {
        self.all += 1;
        self.hit += usize::from(is_hit);
    }

    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.hit += other.hit;
    }

    /// Thousandths that were hit, rounded down; 1000 of nothing.
    pub fn per_mille(self) -> u64 {
        (1000 * self.hit).checked_div(self.all).unwrap_or(1000) as u64
    }

    /// The same as a percentage.
    pub fn percent(self) -> String {
        format!("{}.{} %", self.per_mille() / 10, self.per_mille() % 10)
    }
}

/// Figures of a module or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row {
    /// Lines of which a block ran.
    pub lines: Share,
    /// Blocks: each branch, also one without a line.
    pub blocks: Share,
    /// Changes of bits, two a bit.
    pub toggles: Share,
    /// Changes of bits that are excluded.
    pub excluded: usize,
}

impl Row {
    /// Figures of a module of the device.
    pub fn of(name: &str, module: &Module, tally: &Tally, exclude: &Exclude) -> Self {
        let mut row = Self::default();
        let mut lines: BTreeMap<usize, bool> = BTreeMap::new();
        for (place, is_hit) in tally.of(&module.hash) {
            let is_out = exclude.has(name, &module.lines, place);
            match place {
                Place::Bit(..) if is_out => row.excluded += 1,
                Place::Bit(..) => row.toggles.count(is_hit),
                Place::Block(..) if is_out => {}
                Place::Block(_, _, _, parts) => {
                    row.blocks.count(is_hit);
                    for line in parts.iter().flat_map(|&(first, last)| first..=last) {
                        *lines.entry(line).or_default() |= is_hit;
                    }
                }
            }
        }
        lines.into_values().for_each(|is_hit| row.lines.count(is_hit));
        row
    }

    /// Adds the figures of another module.
    pub fn add(&mut self, other: &Self) {
        self.lines.add(other.lines);
        self.blocks.add(other.blocks);
        self.toggles.add(other.toggles);
        self.excluded += other.excluded;
    }

    /// The figures that have floors, in thousandths.
    pub fn floors(&self) -> Figures {
        let figures = [("line", self.lines), ("block", self.blocks), ("toggle", self.toggles)];
        figures.map(|(name, share)| (name.to_string(), share.per_mille())).into()
    }
}

/// What was not hit in a module: its lines with the line's text, and bits of signals in ranges.
pub fn missing(name: &str, module: &Module, tally: &Tally, exclude: &Exclude) -> Vec<String> {
    let mut told = vec![];
    let mut bits: BTreeMap<(&str, bool), Vec<usize>> = BTreeMap::new();
    for (place, _) in tally.of(&module.hash).filter(|(_, is_hit)| !is_hit) {
        if exclude.has(name, &module.lines, place) {
            continue;
        }
        match place {
            Place::Block(line, column, kind, _) => {
                let text = module.lines.get(*line).map_or("", |text| text.trim());
                told.push(format!("{:>6}:{column:<3} {kind:<6} {text}", module.first + line));
            }
            Place::Bit(signal, bit, rises) => bits.entry((signal.as_str(), *rises)).or_default().push(*bit),
        }
    }
    for ((signal, rises), bits) in bits {
        let change = if rises { "0->1" } else { "1->0" };
        told.push(format!("{signal} {change} {}", ranges(&bits)));
    }
    told
}

/// Ascending numbers as `0..3, 7`.
fn ranges(bits: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = vec![];
    for &bit in bits {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == bit => *last = bit,
            _ => parts.push((bit, bit)),
        }
    }
    let part = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down_and_all_of_nothing() {
        assert_eq!(Share { all: 3, hit: 2 }.per_mille(), 666);
        assert_eq!(Share { all: 2000, hit: 1999 }.percent(), "99.9 %");
        assert_eq!(Share::default().per_mille(), 1000);
    }

    #[test]
    fn bits_are_told_in_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3, 7, 9, 10]), "0..3, 7, 9..10");
    }
}
