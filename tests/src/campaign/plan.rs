// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which run is next: each part has its share of the time, each shard its share of the runs.
use super::line::Line;
use super::part::Part;
use super::run::{Run, SEED_BITS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::str::FromStr;

/// Seconds that a run is taken for while none of its part has ended.
const SECONDS: f64 = 5.0;

/// One of so many shards, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one.
    pub nth: u64,
    /// Of how many.
    pub of: u64,
}

/// A shard that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no shard; write I/N with I from 1 to N, as 2/4")]
pub struct BadShard(pub String);

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.nth, self.of)
    }
}

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let read = text.split_once('/').and_then(|(nth, of)| Some((nth.parse().ok()?, of.parse().ok()?)));
        match read {
            Some((nth, of)) if (1..=of).contains(&nth) => Ok(Self { nth, of }),
            _ => Err(BadShard(text.into())),
        }
    }
}

/// A run that was drawn, and its number in its part.
pub struct Drawn {
    pub run: Run,
    pub nth: Option<u64>,
    /// What its time is taken for.
    taken: f64,
}

/// A part, and what was drawn of it.
struct Share {
    part: &'static dyn Part,
    /// Numbers that are drawn, of this session and of those before.
    drawn: BTreeSet<u64>,
    /// Seconds of the runs that have ended, their number, and seconds with those under way.
    ended: f64,
    count: u64,
    spent: f64,
}

/// All of it.
pub struct Plan {
    seed: u64,
    shard: Shard,
    first: VecDeque<Run>,
    shares: Vec<Share>,
}

impl Plan {
    /// Behind the runs of `before`.
    pub fn new(parts: &[&'static dyn Part], seed: u64, shard: Shard, first: &[Run], before: &[Line]) -> Self {
        let is_done = |run: &Run| before.iter().any(|line| line.nth.is_none() && line.run == run.to_string());
        let first = first.iter().filter(|run| !is_done(run)).cloned().collect();
        let share = |&part: &&'static dyn Part| {
            let lines = || before.iter().filter(|line| line.part() == part.name());
            let ended = lines().map(|line| line.seconds).sum();
            let drawn = lines().filter_map(|line| line.nth).collect();
            Share { part, drawn, ended, count: lines().count() as u64, spent: ended }
        };
        Self { seed, shard, first, shares: parts.iter().map(share).collect() }
    }

    /// The next run: one of those that come first, else of the part that had the least time.
    pub fn next(&mut self) -> Drawn {
        if let Some(run) = self.first.pop_front() {
            return Drawn { run, nth: None, taken: 0.0 };
        }
        let least = self.shares.iter_mut().min_by(|a, b| a.spent.total_cmp(&b.spent));
        let share = least.expect("a campaign has a part");
        let nth = (0..).find(|nth| !share.drawn.contains(nth)).expect("numbers do not end");
        share.drawn.insert(nth);
        let taken = if share.count == 0 { SECONDS } else { share.ended / share.count as f64 };
        share.spent += taken;
        let number = nth * self.shard.of + self.shard.nth - 1;
        Drawn { run: drawn(share.part, self.seed, number), nth: Some(nth), taken }
    }

    /// A run has ended after so many seconds.
    pub fn ended(&mut self, drawn: &Drawn, seconds: f64) {
        if let Some(share) = self.shares.iter_mut().find(|share| share.part.name() == drawn.run.part) {
            share.ended += seconds;
            share.count += 1;
            share.spent += seconds - drawn.taken;
        }
    }
}

/// Run `number` of a part, over all shards.
fn drawn(part: &dyn Part, seed: u64, number: u64) -> Run {
    let mut from = [0; 32];
    from[..8].copy_from_slice(&seed.to_le_bytes());
    from[8..16].copy_from_slice(&number.to_le_bytes());
    from[16..].iter_mut().zip(part.name().bytes()).for_each(|(to, octet)| *to = octet);
    let seed = ChaCha8Rng::from_seed(from).random::<u64>() >> (u64::BITS - SEED_BITS);
    let cell = (number % part.cells() as u64) as usize;
    part.varied(Run { part: part.name().into(), cell, seed, only: None })
}

#[cfg(test)]
mod tests {
    use super::super::all::parts;
    use super::*;

    fn plan(shard: &str, before: &[Line]) -> Plan {
        Plan::new(&parts()[..2], 7, shard.parse().unwrap(), &["F2:1:5".parse().unwrap()], before)
    }

    fn line(drawn: &Drawn, seconds: f64) -> Line {
        let (run, nth) = (drawn.run.to_string(), drawn.nth);
        Line { run, nth, seconds, figures: Default::default(), failure: None }
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        assert_eq!("2/4".parse::<Shard>().map(|s| s.to_string()), Ok("2/4".to_string()));
        for text in ["", "0/4", "5/4", "1", "a/b"] {
            assert_eq!(text.parse::<Shard>(), Err(BadShard(text.into())));
        }
    }

    #[test]
    fn runs_of_the_list_come_first_and_parts_have_equal_time() {
        let mut plan = plan("1/1", &[]);
        assert_eq!(plan.next().run.to_string(), "F2:1:5");
        let mut seconds = [0.0; 2];
        for _ in 0..60 {
            let drawn = plan.next();
            let (at, took) = if drawn.run.part == "F1" { (0, 6.0) } else { (1, 2.0) };
            seconds[at] += took;
            plan.ended(&drawn, took);
        }
        assert!((seconds[0] - seconds[1]).abs() <= 6.0, "{seconds:?}");
    }

    #[test]
    fn a_resumed_shard_draws_what_was_not_drawn() {
        let mut whole = plan("1/1", &[]);
        let drawn: Vec<_> = (0..12).map(|_| whole.next()).collect();
        // the last two were under way when the session ended
        let before: Vec<_> = drawn[..10].iter().map(|d| line(d, 1.0)).collect();
        let mut rest = plan("1/1", &before);
        let again: Vec<_> = (0..2).map(|_| rest.next().run.to_string()).collect();
        let mut missing: Vec<_> = drawn[10..].iter().map(|d| d.run.to_string()).collect();
        missing.sort();
        let mut sorted = again.clone();
        sorted.sort();
        assert_eq!(sorted, missing);
    }

    #[test]
    fn shards_share_the_runs_without_a_run_twice() {
        let runs = |shard: &str, count: usize| -> Vec<String> {
            let mut plan = plan(shard, &[]);
            plan.first.clear();
            (0..count).map(|_| plan.next().run.to_string()).collect()
        };
        let mut shards = [runs("1/2", 20), runs("2/2", 20)].concat();
        let mut whole = runs("1/1", 40);
        shards.sort();
        whole.sort();
        assert_eq!(shards, whole);
    }
}
