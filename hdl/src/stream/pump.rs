// SPDX-License-Identifier: MIT OR Apache-2.0
//! The choice of an event: its kind and its row, for the owner of a column.
use super::ItemSink;
use crate::prelude::*;

/// Chooses the most urgent of `N` events and holds its kind and its row, of `2^A` rows. The owner
/// says what a kind does to a row.
///
/// `E` lists the kinds. Its first variant is none, or idle. `read_enable` and `read_address` are
/// for a column that answers in the next cycle, `row` is for a column that answers at once.
///
/// **Contract.** An event that is offered and not chosen stays offered, or is lost. A column is
/// never read in the cycle of a write if `free` needs that `kind` is none.
///
/// **Timing.** `kind` and `row` follow in the cycle behind the choice. While `free` is high, an
/// event leaves each cycle. An owner with several steps an event lowers `free` and drives `then`.
#[block(clock)]
pub struct Pump<E: Synth, const N: usize, const A: usize> {
    /// Synchronous reset: `kind` is none.
    pub reset: Signal<In, Bit>,
    /// Rows of the events that wait, the most urgent first; `ready` when the event is chosen.
    pub rx: Vec<ItemSink<Bits<A>>>,
    /// An event may be chosen in this cycle.
    pub free: Signal<In, Bit>,
    /// What `kind` becomes while `free` is low: the same, another step, or none.
    pub then: Signal<In, E>,
    /// An event is chosen in this cycle.
    pub read_enable: Signal<Out, Bit>,
    /// Row of the event that is chosen; the last of `rx` if no event waits.
    pub read_address: Signal<Out, Bits<A>>,
    /// Kind of the event at work.
    pub kind: Signal<Out, E>,
    /// Row of the event at work.
    pub row: Signal<Out, Bits<A>>,
    kind_now: Reg<E>,
    row_now: Flop<Bits<A>>,
    none: Const<E>,
    kinds: Vec<Const<E>>,
    found: Signal<Local, Bit>,
    chosen: Signal<Local, E>,
    address: Signal<Local, Bits<A>>,
}

impl<E: Synth, const N: usize, const A: usize> Pump<E, N, A> {
    /// No event at work. `kinds`: what each of `rx` makes of `kind`; several may make the same.
    pub fn new(kinds: [E; N]) -> Self {
        Self {
            rx: kinds.iter().map(|_| ItemSink::default()).collect(),
            kinds: kinds.map(Const::new).into(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<E: Synth, const N: usize, const A: usize> Logic for Pump<E, N, A> {
    fn update(&mut self) {
        regs!(kind_now);
        flops!(row_now);
        self.found.next = false;
        self.chosen.next = self.none.val();
        self.address.next = self.rx[0].item.val();
        for i in 0..N {
            self.rx[i].ready.next = self.rx[i].valid.val() && self.free.val() && !self.found.val();
            if !self.found.val() {
                self.address.next = self.rx[i].item.val();
                if self.rx[i].valid.val() {
                    self.chosen.next = self.kinds[i].val();
                    self.found.next = true;
                }
            }
        }
        self.kind_now.d.next = self.then.val();
        if self.free.val() {
            self.kind_now.d.next = self.chosen.val();
            self.row_now.d.next = self.address.val();
        }
        self.read_enable.next = self.found.val() && self.free.val();
        self.read_address.next = self.address.val();
        self.kind.next = self.kind_now.q.val();
        self.row.next = self.row_now.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::Pump;
    use crate::prelude::*;
    use crate::stream::native::tick;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    enum Kind {
        None,
        Set,
        Move,
        Second,
    }

    #[test]
    fn the_most_urgent_event_that_waits_is_chosen_and_its_kind_and_row_follow_a_cycle_later() {
        let kinds = [Kind::Set, Kind::Move, Kind::Move];
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut pump = Pump::<Kind, 3, 4>::new(kinds);
        pump.connect_all();
        let mut seen = [0; 4];
        let mut at_work = None;
        for cycle in 0..2000 {
            let rows: [u64; 3] = std::array::from_fn(|_| rng.random_range(0..16));
            let waits: [bool; 3] = std::array::from_fn(|_| rng.random_bool(0.3));
            let free = rng.random_bool(0.7);
            let then = [Kind::None, Kind::Move, Kind::Second][rng.random_range(0..3)];
            pump.reset.next = cycle < 2;
            pump.free.next = free;
            pump.then.next = then;
            for i in 0..3 {
                pump.rx[i].item.next = rows[i].into();
                pump.rx[i].valid.next = waits[i];
            }
            assert!(simulate(&mut pump, 50));
            let first = waits.iter().position(|&waits| waits);
            let chosen = first.filter(|_| free);
            assert_eq!(pump.read_enable.val(), chosen.is_some());
            assert_eq!(pump.read_address.val().to_u64(), rows[first.unwrap_or(2)]);
            for i in 0..3 {
                assert_eq!(pump.rx[i].ready.val(), chosen == Some(i), "cycle {cycle}, event {i}");
            }
            if let Some((kind, row)) = at_work {
                assert_eq!(pump.kind.val(), kind, "cycle {cycle}");
                assert_eq!(pump.row.val().to_u64(), row, "cycle {cycle}");
                seen[chosen.unwrap_or(3)] += 1;
            }
            let row = if free { rows[first.unwrap_or(2)] } else { pump.row.val().to_u64() };
            let kind = match (cycle < 2, free) {
                (true, _) => Kind::None,
                (_, true) => first.map_or(Kind::None, |i| kinds[i]),
                _ => then,
            };
            at_work = (cycle > 0).then_some((kind, row));
            tick(&mut pump, |b, c| b.clock.next = c);
        }
        assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
    }
}
