// SPDX-License-Identifier: MIT OR Apache-2.0
//! STags that peers cannot predict (RFC 5042 sections 6.1.1 and 8; RFC 5040 section 8.1.2).
use crate::error::Error;
use crate::random;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Keys that an index has had last and does not get again. The other 240 of the 256 are as likely
/// one as another.
const RECENT: usize = 16;

/// Index and key of memory regions: both are drawn at random, and an index rests as long as another
/// one is free.
#[derive(Debug)]
pub(crate) struct Stags {
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Indices that may be given; the one that came back last stands last.
    free: Vec<u16>,
    /// Keys of an index, the newest last.
    recent: Vec<VecDeque<u8>>,
}

impl Stags {
    /// Indices 1 to `most - 1`: an STag of 0 is none.
    pub(crate) fn new(most: u16) -> Self {
        let recent = vec![VecDeque::new(); usize::from(most)];
        Self { most: most.into(), state: Mutex::new(State { free: (1..most).collect(), recent }) }
    }

    /// An index that is in use until it is given back, and the key that goes with it.
    ///
    /// # Errors
    /// [`Error::Exhausted`]: all are in use. [`Error::Random`]: the system gives no random octets.
    pub(crate) fn take(&self) -> Result<(u16, u8), Error> {
        let mut state = self.state.lock();
        let State { free, recent } = &mut *state;
        let rested = match free.len() {
            0 => return Err(Error::Exhausted { what: "memory regions", most: self.most }),
            1 => 1,
            several => several - 1,
        };
        let index = free.swap_remove(below(rested)?);
        let had = &mut recent[usize::from(index)];
        let unused: Vec<u8> = (0..=u8::MAX).filter(|key| !had.contains(key)).collect();
        let key = unused[below(unused.len())?];
        had.push_back(key);
        if had.len() > RECENT {
            had.pop_front();
        }
        Ok((index, key))
    }

    /// The index may be taken again.
    pub(crate) fn give_back(&self, index: u16) {
        let mut state = self.state.lock();
        state.free.push(index);
    }

    /// How many are in use.
    pub(crate) fn used(&self) -> usize {
        let state = self.state.lock();
        self.most.saturating_sub(1) - state.free.len()
    }
}

/// A random number below `bound`, which is 1 to 65,536.
fn below(bound: usize) -> Result<usize, Error> {
    // 2^64 is so much more than the bound that no number is noticeably more likely
    let mut octets = [0; 8];
    random::fill(&mut octets).map_err(|e| Error::Random(e.to_string()))?;
    Ok((u64::from_ne_bytes(octets) % bound as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Registrations of the tests.
    const TAKEN: usize = 4_096;

    #[test]
    fn keys_are_uniform() {
        let stags = Stags::new(1_024);
        let mut counts = [0_u32; 256];
        for _ in 0..TAKEN {
            let (index, key) = stags.take().unwrap();
            counts[usize::from(key)] += 1;
            stags.give_back(index);
        }
        let expected = TAKEN as f64 / 256.0;
        let chi: f64 = counts.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
        // 255 degrees of freedom: beyond these once in a million runs
        assert!((160.0..380.0).contains(&chi), "chi-square {chi}");
    }

    #[test]
    fn no_key_comes_again_at_its_index_within_sixteen() {
        let stags = Stags::new(9);
        let mut had: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
        for _ in 0..TAKEN {
            let (index, key) = stags.take().unwrap();
            let keys = had.entry(index).or_default();
            assert!(!keys.iter().rev().take(RECENT).any(|k| *k == key), "{key:#x} comes again: {keys:x?}");
            keys.push(key);
            stags.give_back(index);
        }
        assert_eq!(had.keys().copied().collect::<Vec<_>>(), (1..9).collect::<Vec<_>>());
    }

    #[test]
    fn an_index_rests_while_another_one_is_free() {
        let stags = Stags::new(4);
        let mut last = None;
        for _ in 0..100 {
            let (index, _) = stags.take().unwrap();
            assert_ne!(Some(index), last);
            stags.give_back(index);
            last = Some(index);
        }
    }

    #[test]
    fn the_next_stag_does_not_follow_from_the_last_one() {
        let stags = Stags::new(1_024);
        let steps: Vec<_> = (0..200)
            .map(|_| stags.take().unwrap())
            .map(|(index, key)| u32::from(index) << 8 | u32::from(key))
            .collect();
        let mut distances: Vec<_> = steps.windows(2).map(|w| w[1].wrapping_sub(w[0])).collect();
        distances.sort_unstable();
        distances.dedup();
        assert!(distances.len() > 190, "{} distances between 200 STags", distances.len());
    }

    /// As a peer sees them: nothing of the next one follows from those before.
    #[test]
    fn a_hundred_thousand_stags_have_no_pattern() {
        const MOST: usize = 1_024;
        const COUNT: usize = 100_000;
        let stags = Stags::new(MOST as u16);
        let all: Vec<_> = (0..COUNT)
            .map(|_| {
                let (index, key) = stags.take().unwrap();
                stags.give_back(index);
                u32::from(index) << 8 | u32::from(key)
            })
            .collect();
        let chi = |cells: usize, cell: &dyn Fn(usize) -> usize, of: usize| {
            let mut counts = vec![0_u32; cells];
            (0..of).for_each(|nth| counts[cell(nth)] += 1);
            let expected = of as f64 / cells as f64;
            let chi: f64 = counts.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // how far from its mean, in standard deviations
            (chi - (cells - 1) as f64) / (2.0 * (cells - 1) as f64).sqrt()
        };
        let key = |nth: usize| (all[nth] & 0xFF) as usize;
        let index = |nth: usize| (all[nth] >> 8) as usize - 1;
        let far = [
            ("indices", chi(MOST - 1, &index, COUNT)),
            ("keys", chi(256, &key, COUNT)),
            ("a key behind a key", chi(1 << 16, &|nth| key(nth) << 8 | key(nth + 1), COUNT - 1)),
            ("a key of an index", chi(16 * 256, &|nth| (index(nth) % 16) << 8 | key(nth), COUNT)),
        ];
        assert!(far.iter().all(|(_, far)| far.abs() < 7.0), "{far:?}");
        // no distance is likelier than another one: about one in three comes at all
        for lag in [1, 2, 3, 16, 255, 256] {
            let mut distances = BTreeMap::new();
            all.iter()
                .zip(&all[lag..])
                .for_each(|(a, b)| *distances.entry(b.wrapping_sub(*a)).or_insert(0) += 1);
            let (distance, most) = distances.iter().max_by_key(|(_, count)| **count).unwrap();
            assert!(*most < 16, "{most} STags are {distance:#x} behind that {lag} before");
        }
        // each bit of an STag is as often changed as kept
        for bit in 0..18 {
            let changed = all.windows(2).filter(|w| (w[0] ^ w[1]) >> bit & 1 == 1).count();
            assert!(changed.abs_diff(COUNT / 2) < 1_500, "bit {bit} changed {changed} times");
        }
    }

    #[test]
    fn all_are_given_and_no_more() {
        let stags = Stags::new(5);
        let mut taken: Vec<_> = (0..4).map(|_| stags.take().unwrap().0).collect();
        taken.sort_unstable();
        assert_eq!((taken, stags.used()), (vec![1, 2, 3, 4], 4));
        assert!(matches!(stags.take(), Err(Error::Exhausted { most: 5, .. })));
        stags.give_back(3);
        assert_eq!((stags.take().unwrap().0, stags.used()), (3, 4));
    }
}
