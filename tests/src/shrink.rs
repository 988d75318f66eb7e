// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delta debugging: a failing sequence is cut down to a part of it that still fails.

/// Places of a part of `0..count` that fails as the whole does. No place of the part can be left
/// out alone, unless `most` runs of `fails` came before that was found. `fails` gets places in
/// rising order.
pub fn least(count: usize, most: usize, mut fails: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count).collect();
    let mut length = kept.len().div_ceil(2);
    let mut runs = 0;
    while length > 0 && runs < most {
        let (mut from, before) = (0, kept.len());
        // from the end on less depends on what goes
        while from < kept.len() && runs < most {
            let end = kept.len() - from;
            let part = [&kept[..end.saturating_sub(length)], &kept[end..]].concat();
            runs += 1;
            match fails(&part) {
                true => kept = part,
                false => from += length,
            }
        }
        length = match kept.len() == before {
            true => length / 2,
            false => length.min(kept.len().div_ceil(2)),
        };
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::least;

    #[test]
    fn what_a_failure_needs_is_left() {
        for needed in [vec![], vec![0], vec![99], vec![3, 4, 57], vec![1, 50, 51, 52, 98]] {
            let fails = |part: &[usize]| needed.iter().all(|n| part.contains(n));
            assert_eq!(least(100, 10_000, fails), needed);
        }
    }

    #[test]
    fn any_two_are_enough() {
        let mut runs = 0;
        let left = least(200, 10_000, |part| {
            runs += 1;
            part.len() >= 2
        });
        assert_eq!(left.len(), 2);
        assert!(runs < 200, "{runs} runs");
    }

    #[test]
    fn runs_have_a_limit() {
        let mut runs = 0;
        least(1_000, 20, |part| {
            runs += 1;
            part.contains(&7)
        });
        assert_eq!(runs, 20);
    }
}
