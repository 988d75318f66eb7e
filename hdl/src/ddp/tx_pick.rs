// SPDX-License-Identifier: MIT OR Apache-2.0
//! One of eight, in turn. No state.
use crate::prelude::*;

/// Finds the first bit of a mask at or behind a place, and from the beginning on if there is none.
#[block(comb)]
pub struct TxPick {
    /// Who wants.
    pub mask: Signal<In, Bits<8>>,
    /// The one that is looked at first.
    pub from: Signal<In, Bits<3>>,
    /// The one that is found.
    pub index: Signal<Out, Bits<3>>,
    /// There is one.
    pub any: Signal<Out, Bit>,
    numbers: [Const<Bits<3>>; 8],
    all: Const<Bits<8>>,
}

impl TxPick {
    /// The finder.
    pub fn new() -> Self {
        Self { numbers: std::array::from_fn(Const::of), all: Const::of(0xFF), ..Default::default() }
    }
}

#[kernel]
impl Logic for TxPick {
    fn update(&mut self) {
        self.any.next = self.mask.val().any();
        let behind: Bits<8> = self.mask.val() & (self.all.val() << self.from.val());
        self.index.next = 0.into();
        for i in 0..8 {
            if self.mask.val().get_bit(7 - i) {
                self.index.next = self.numbers[7 - i].val();
            }
        }
        for i in 0..8 {
            if behind.get_bit(7 - i) {
                self.index.next = self.numbers[7 - i].val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_from_a_place_on_then_from_the_beginning() {
        let mut pick = TxPick::new();
        pick.connect_all();
        for mask in 0..256_u64 {
            for from in 0..8_u64 {
                pick.mask.next = mask.into();
                pick.from.next = from.into();
                assert!(simulate(&mut pick, 10));
                let found = (from..8).chain(0..from).find(|i| mask >> i & 1 == 1);
                assert_eq!(pick.any.val(), found.is_some());
                assert_eq!(pick.index.val().to_u64(), found.unwrap_or(0), "{mask:08b} from {from}");
            }
        }
    }
}
