//! One of eight, in turn. No state.
use crate::cell::Const;
use rust_hdl::prelude::*;

/// Finds the first bit of a mask at or behind a place, and from the beginning on if there is none.
#[derive(LogicBlock, Default)]
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
    behind: Signal<Local, Bits<8>>,
}

impl TxPick {
    /// The finder.
    pub fn new() -> Self {
        Self { numbers: std::array::from_fn(Const::of), all: Const::of(0xFF), ..Default::default() }
    }
}

impl Logic for TxPick {
    #[hdl_gen]
    fn update(&mut self) {
        self.any.next = self.mask.val().any();
        self.behind.next = self.mask.val() & (self.all.val() << self.from.val());
        self.index.next = 0.into();
        for i in 0..8 {
            if self.mask.val().get_bit(7 - i) {
                self.index.next = self.numbers[7 - i].val();
            }
        }
        for i in 0..8 {
            if self.behind.val().get_bit(7 - i) {
                self.index.next = self.numbers[7 - i].val();
            }
        }
    }
}
