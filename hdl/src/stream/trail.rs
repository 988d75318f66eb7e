// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short FIFO of wide records, of registers alone.
use super::{Hold, ItemSink, ItemSource};
use crate::prelude::*;

/// FIFO of three records, one behind the other: what a [`super::Queue`] is, for items that come at
/// most every other cycle and whose consumer waits for something else anyway. An item is offered
/// three cycles after it was taken in.
///
/// It costs three flip-flops a bit and no LUT; a `Queue` of up to 16 records costs one and a half
/// LUT4 of an ECP5 a bit.
#[block(clock)]
pub struct Trail<T: Synth> {
    /// Synchronous reset: empties it.
    pub reset: Signal<In, Bit>,
    /// Item to take in.
    pub rx: ItemSink<T>,
    /// Oldest item.
    pub tx: ItemSource<T>,
    item: Flop<T>,
    full: Reg<Bit>,
    second: Hold<T>,
    third: Hold<T>,
}

#[kernel]
impl<T: Synth> Logic for Trail<T> {
    fn update(&mut self) {
        regs!(full);
        flops!(item);
        parts!(second, third);
        self.rx.ready.next = !self.full.q.val() || self.second.rx.ready.val();
        if !self.full.q.val() || self.second.rx.ready.val() {
            self.item.d.next = self.rx.item.val();
            self.full.d.next = self.rx.valid.val();
        }
        self.second.rx.item.next = self.item.q.val();
        self.second.rx.valid.next = self.full.q.val();
        self.third.rx.item.next = self.second.tx.item.val();
        self.third.rx.valid.next = self.second.tx.valid.val();
        self.second.tx.ready.next = self.third.rx.ready.val();
        self.tx.item.next = self.third.tx.item.val();
        self.tx.valid.next = self.third.tx.valid.val();
        self.third.tx.ready.next = self.tx.ready.val();
    }
}

#[cfg(test)]
mod tests {
    use super::Trail;
    use crate::prelude::*;

    /// Gives 40 items whenever there is room and takes one every `pause` cycles; the cycles in
    /// which one came in and out.
    fn run(pause: u64) -> (Vec<u64>, Vec<u64>) {
        let mut t = Trail::<Bits<8>>::default();
        t.connect_all();
        let (mut sent, mut got) = (vec![], vec![]);
        for cycle in 0..400_u64 {
            t.reset.next = cycle < 2;
            t.rx.item.next = (sent.len() as u64).into();
            t.rx.valid.next = cycle > 2 && sent.len() < 40;
            t.tx.ready.next = cycle % pause == 0;
            assert!(simulate(&mut t, 50));
            if t.rx.valid.val() && t.rx.ready.val() {
                sent.push(cycle);
            }
            if cycle > 2 && t.tx.valid.val() && t.tx.ready.val() {
                assert_eq!(t.tx.item.val(), Bits::<8>::from(got.len() as u64));
                got.push(cycle);
            }
            t.clock.next = true.into();
            assert!(simulate(&mut t, 50));
            t.clock.next = false.into();
            assert!(simulate(&mut t, 50));
        }
        (sent, got)
    }

    #[test]
    fn an_item_every_other_cycle_passes_in_three() {
        let (sent, got) = run(1);
        assert_eq!((sent.len(), got.len()), (40, 40));
        assert_eq!(got[0] - sent[0], 3);
        assert!(got.windows(2).all(|w| w[1] - w[0] == 2), "{got:?}");
    }

    #[test]
    fn three_items_wait_for_a_slow_consumer() {
        let (sent, got) = run(7);
        assert_eq!(got.len(), 40);
        let inside = sent
            .iter()
            .map(|s| sent.iter().filter(|x| *x <= s).count() - got.iter().filter(|g| *g <= s).count());
        assert_eq!(inside.max(), Some(3));
    }
}
