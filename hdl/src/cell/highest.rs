// SPDX-License-Identifier: MIT OR Apache-2.0
//! The highest bit of a mask, found by halves.
use super::Const;
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

/// `index` = the number of the highest bit of `mask` that is set, or 0. Combinational; `N` = `2^C`.
///
/// A tree: its depth grows with `C`, where the depth of a chain of choices grows with `N`.
#[block(comb)]
pub struct Highest<const N: usize, const C: usize> {
    /// Bits to look at.
    pub mask: Signal<In, Bits<N>>,
    /// Number of the highest bit.
    pub index: Signal<Out, Bits<C>>,
    /// A bit is set.
    pub any: Signal<Out, Bit>,
    /// `2^k`.
    steps: Vec<Const<Bits<16>>>,
    /// At each multiple `i` of the step so far: one of the bits from `i` on is set.
    some: Signal<Local, Bits<N>>,
    /// At the same places: bit of `index`, as far as these bits decide.
    digits: Vec<Signal<Local, Bits<N>>>,
    upper: Signal<Local, Bits<N>>,
    lower: Signal<Local, Bits<N>>,
    found: Signal<Local, Bits<C>>,
}

impl<const N: usize, const C: usize> Highest<N, C> {
    /// The finder; panics at elaboration if `N` is not `2^C`.
    pub fn new() -> Self {
        assert!(N == 1 << C && C <= 16, "Highest<{N}, {C}>: {N} is not 2^{C}");
        Self {
            steps: (0..C).map(|k| Const::of(1 << k)).collect(),
            digits: (0..C).map(|_| Signal::default()).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const N: usize, const C: usize> Logic for Highest<N, C> {
    fn update(&mut self) {
        self.some.next = self.mask.val();
        for j in 0..C {
            self.digits[j].next = 0.into();
        }
        for k in 0..C {
            self.upper.next = self.some.val() >> self.steps[k].val();
            self.lower.next = !self.upper.val();
            for j in 0..C {
                self.digits[j].next = (self.upper.val() & (self.digits[j].val() >> self.steps[k].val()))
                    | (self.lower.val() & self.digits[j].val());
            }
            self.digits[k].next = self.upper.val();
            self.some.next = self.some.val() | self.upper.val();
        }
        self.any.next = self.some.val().get_bit(0);
        self.found.next = 0.into();
        for j in 0..C {
            self.found.next = self.found.val().replace_bit(j, self.digits[j].val().get_bit(0));
        }
        self.index.next = self.found.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_highest_bit_is_found_and_no_bit_gives_index_zero() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut find = Highest::<64, 6>::new();
        find.connect_all();
        let random = (0..1000).map(|_| rng.random::<u64>() >> rng.random_range(0..64));
        for mask in (0..64).map(|i| 1_u64 << i).chain([0, u64::MAX]).chain(random.collect::<Vec<_>>()) {
            find.mask.next = mask.to_bits();
            assert!(simulate(&mut find, 10));
            assert_eq!(find.any.val(), mask != 0);
            assert_eq!(find.index.val().to_u64(), u64::from(mask.checked_ilog2().unwrap_or(0)), "{mask:x}");
        }
    }
}
