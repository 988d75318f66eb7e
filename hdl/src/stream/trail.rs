//! Short FIFO of wide records, of registers alone.
use super::Hold;
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// FIFO of three records, one behind the other: what a [`super::Queue`] is, for items that come at most every other cycle and
/// whose consumer waits for something else anyway. An item is offered three cycles after it was taken in.
///
/// It costs three flip-flops a bit and no LUT; a `Queue` of up to 16 records costs one and a half LUT4 of an ECP5 a bit.
#[derive(LogicBlock, Default)]
pub struct Trail<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: empties it.
    pub reset: Signal<In, Bit>,
    /// Item to take in.
    pub d: Signal<In, T>,
    /// It is offered.
    pub d_valid: Signal<In, Bit>,
    /// There is room.
    pub d_ready: Signal<Out, Bit>,
    /// Oldest item.
    pub q: Signal<Out, T>,
    /// There is one.
    pub q_valid: Signal<Out, Bit>,
    /// It is taken.
    pub q_ready: Signal<In, Bit>,
    item: Flop<T>,
    full: Reg<Bit>,
    second: Hold<T>,
    third: Hold<T>,
}

impl<T: Synth> Logic for Trail<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, second, third);
        dff_setup!(self, clock, item, full);
        self.full.reset.next = self.reset.val();
        self.second.reset.next = self.reset.val();
        self.third.reset.next = self.reset.val();
        self.d_ready.next = !self.full.q.val() || self.second.d_ready.val();
        if !self.full.q.val() || self.second.d_ready.val() {
            self.item.d.next = self.d.val();
            self.full.d.next = self.d_valid.val();
        }
        self.second.d.next = self.item.q.val();
        self.second.d_valid.next = self.full.q.val();
        self.third.d.next = self.second.q.val();
        self.third.d_valid.next = self.second.q_valid.val();
        self.second.q_ready.next = self.third.d_ready.val();
        self.q.next = self.third.q.val();
        self.q_valid.next = self.third.q_valid.val();
        self.third.q_ready.next = self.q_ready.val();
    }
}

#[cfg(test)]
mod tests {
    use super::Trail;
    use rust_hdl::prelude::*;

    /// Gives 40 items whenever there is room and takes one every `pause` cycles; the cycles in which one came in and out.
    fn run(pause: u64) -> (Vec<u64>, Vec<u64>) {
        let mut t = Trail::<Bits<8>>::default();
        t.connect_all();
        let (mut sent, mut got) = (vec![], vec![]);
        for cycle in 0..400_u64 {
            t.reset.next = cycle < 2;
            t.d.next = (sent.len() as u64).into();
            t.d_valid.next = cycle > 2 && sent.len() < 40;
            t.q_ready.next = cycle % pause == 0;
            assert!(simulate(&mut t, 50));
            if t.d_valid.val() && t.d_ready.val() {
                sent.push(cycle);
            }
            if cycle > 2 && t.q_valid.val() && t.q_ready.val() {
                assert_eq!(t.q.val(), Bits::<8>::from(got.len() as u64));
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
