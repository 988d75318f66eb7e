// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was hit: points of modules, joined over instances, models and processes.
use super::text::Module;
use ferrowarp_sim::coverage::{Point, Thing};
use std::collections::{BTreeMap, BTreeSet};

/// What can be hit in a module; lines count from that of `module`, which is 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A block of statements: its line and column, kind, first and last lines of its parts.
    Block(usize, usize, String, Vec<(usize, usize)>),
    /// A bit of a signal: name, bit, and whether it is the change to 1.
    Bit(String, usize, bool),
}

/// Places of each module by the module's hash, each with whether it was hit.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<String, BTreeMap<Place, bool>>);

impl Tally {
    /// Takes in the points of a model and the hits of one process, a bit a counter. Modules whose
    /// hash is not in `wanted` are left out.
    pub fn add(
        &mut self,
        points: &[Point],
        modules: &BTreeMap<String, Module>,
        hits: &[u8],
        wanted: &BTreeSet<&str>,
    ) {
        let is_hit = |index: usize| hits.get(index / 8).is_some_and(|octet| octet >> (index % 8) & 1 == 1);
        for point in points {
            let Some(module) = modules.get(&point.module).filter(|m| wanted.contains(m.hash.as_str())) else {
                continue;
            };
            let places = self.0.entry(module.hash.clone()).or_default();
            let mut hit = |place, index| *places.entry(place).or_default() |= is_hit(index);
            match &point.thing {
                Thing::Block { column, kind, lines } => {
                    let own = |line: usize| line.saturating_sub(module.first);
                    let lines = lines.iter().map(|&(first, last)| (own(first), own(last))).collect();
                    hit(Place::Block(own(point.line), *column, kind.clone(), lines), point.index);
                }
                // a word of a memory is no signal
                Thing::Signal { name, .. } if name.contains('[') => {}
                Thing::Signal { name, low, high } => {
                    for (bit, index) in (*low..=*high).zip((point.index..).step_by(2)) {
                        hit(Place::Bit(name.clone(), bit, false), index);
                        hit(Place::Bit(name.clone(), bit, true), index + 1);
                    }
                }
            }
        }
    }

    /// Places of the module with this hash.
    pub fn of(&self, hash: &str) -> impl Iterator<Item = (&Place, bool)> {
        self.0.get(hash).into_iter().flatten().map(|(place, hit)| (place, *hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::text::modules;

    fn bit(index: usize, module: &str, line: usize) -> Point {
        let thing = Thing::Signal { name: "x".into(), low: 0, high: 1 };
        Point { index, module: module.into(), line, thing }
    }

    #[test]
    fn hits_of_equal_modules_are_joined_and_others_left_out() {
        let text = "\nmodule a(x);\n    wire [1:0] x;\nendmodule\nmodule b(y);\nendmodule\n";
        let modules = modules(text);
        let block = Thing::Block { column: 5, kind: "if".into(), lines: vec![(3, 4)] };
        let block = Point { index: 8, module: "a".into(), line: 3, thing: block };
        let word = Thing::Signal { name: "words[3]".into(), low: 0, high: 1 };
        let word = Point { thing: word, ..bit(0, "a", 3) };
        let points = [word, bit(0, "a", 3), bit(4, "a", 3), block, bit(9, "b", 5), bit(13, "c", 5)];
        let wanted = BTreeSet::from([modules["a"].hash.as_str()]);
        let mut tally = Tally::default();
        // the first instance saw bit 0 rise, the second bit 1 fall; another process ran the block
        tally.add(&points, &modules, &[0b0100_0010, 0b10], &wanted);
        tally.add(&points, &modules, &[0, 1], &wanted);
        let places: Vec<_> = tally.of(&modules["a"].hash).collect();
        let bit = |bit, rises| Place::Bit("x".into(), bit, rises);
        assert_eq!(places.len(), 5);
        assert_eq!(places[0], (&Place::Block(1, 5, "if".into(), vec![(1, 2)]), true));
        let of = |place| places.iter().find(|(p, _)| **p == place).unwrap().1;
        assert_eq!(
            [bit(0, false), bit(0, true), bit(1, false), bit(1, true)].map(of),
            [false, true, true, false]
        );
        assert_eq!(tally.of(&modules["b"].hash).count(), 0);
    }
}
