// SPDX-License-Identifier: MIT OR Apache-2.0
//! Covering arrays: few rows in which each few factors meet in all their values.

/// Values of some factors: (factor, value), factors rising.
type Tuple = Vec<(usize, usize)>;

/// Rows of values, one of each factor. For each choice of `strength` factors some row has each
/// choice of their values. `sizes` has the number of values of each factor. The same call gives the
/// same rows, the rows that cover most come first.
pub fn covering(sizes: &[usize], strength: usize) -> Vec<Vec<usize>> {
    let mut open = tuples(sizes, strength);
    let mut rows = vec![];
    while let Some(first) = open.first().cloned() {
        let mut row: Vec<Option<usize>> = vec![None; sizes.len()];
        first.into_iter().for_each(|(factor, value)| row[factor] = Some(value));
        while let Some(factor) = row.iter().position(Option::is_none) {
            row[factor] = (0..sizes[factor]).rev().max_by_key(|&value| {
                row[factor] = Some(value);
                open.iter().filter(|tuple| may_have(&row, tuple, factor)).count()
            });
        }
        let row: Vec<usize> = row.into_iter().flatten().collect();
        open.retain(|tuple| !tuple.iter().all(|&(factor, value)| row[factor] == value));
        rows.push(row);
    }
    rows
}

/// A row that is begun may come to have a tuple that this factor is in.
fn may_have(row: &[Option<usize>], tuple: &Tuple, factor: usize) -> bool {
    tuple.iter().any(|&(f, _)| f == factor)
        && tuple.iter().all(|&(f, value)| row[f].is_none_or(|v| v == value))
}

/// All choices of values of all choices of factors.
fn tuples(sizes: &[usize], strength: usize) -> Vec<Tuple> {
    let mut all: Vec<Tuple> = vec![vec![]];
    for _ in 0..strength {
        let longer = |tuple: Tuple| {
            let next = tuple.last().map_or(0, |&(factor, _)| factor + 1);
            let more = (next..sizes.len()).flat_map(|f| (0..sizes[f]).map(move |value| (f, value)));
            more.map(move |one| [&tuple[..], &[one]].concat()).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_two_or_three_factors_meet_in_all_values() {
        for (sizes, strength, most) in [(vec![4, 4, 2, 3, 2, 2, 3], 2, 24), (vec![3, 2, 2, 3, 2], 3, 30)] {
            let rows = covering(&sizes, strength);
            assert!(rows.len() <= most, "{} rows", rows.len());
            assert!(rows.iter().all(|row| row.iter().zip(&sizes).all(|(value, size)| value < size)));
            for tuple in tuples(&sizes, strength) {
                assert!(rows.iter().any(|row| tuple.iter().all(|&(f, v)| row[f] == v)), "{tuple:?}");
            }
        }
    }

    #[test]
    fn the_first_rows_cover_most() {
        let sizes = [4, 4, 2, 3, 2, 2, 3];
        let rows = covering(&sizes, 2);
        let covers = |upto: usize| {
            let has = |t: &Tuple| rows[..upto].iter().any(|row| t.iter().all(|&(f, v)| row[f] == v));
            tuples(&sizes, 2).iter().filter(|t| has(t)).count()
        };
        assert!(2 * covers(rows.len() / 2) > covers(rows.len()));
    }
}
