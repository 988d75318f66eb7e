// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counters of the device's pulses.
use super::bar_ports::Ask;
use crate::prelude::*;

const NONE: usize = 0;

/// `N` saturating counters of 32 bits in a RAM. `A` = log2 of their places, `L` = `N - 1`.
///
/// A pulse steps a small number of its own; one counter a cycle takes its number in. So every pulse
/// counts, and a counter is `N` cycles late at most.
///
/// **Contract.** After reset the counters are zero. `ask` is answered by `say` when its counter's
/// turn comes, within `N + 3` cycles; a place behind the last counter gives 0. The turn goes round
/// once after reset, and once after the last pulse or `ask`. Then no register changes, and the RAM
/// is neither read nor written.
#[block]
pub struct CounterBank<const N: usize, const L: usize, const A: usize> {
    /// Bit i: one event of counter i.
    pub pulse: Signal<In, Bits<N>>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now, and it is a counter.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    ram: Sdp<Bits<32>, A>,
    some: Vec<Reg<Bits<8>>>,
    turn: Reg<Bits<A>>,
    /// Turns until every counter has had one.
    left: Reg<Bits<8>>,
    /// What is taken in now: place, number, and the round in which the RAM means nothing yet.
    place: Reg<Bits<A>>,
    add: Reg<Bits<8>>,
    /// Something is.
    begun: Reg<Bit>,
    blank: Reg<Bit>,
    first_round: Reg<Bit>,
    wanted: Flop<Bits<A>>,
    wants: Reg<Bit>,
    answer: Flop<Bits<32>>,
    answers: Reg<Bit>,
    full: Const<Bits<32>>,
    step: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<8>>,
    old: Signal<Local, Bits<33>>,
    value: Signal<Local, Bits<32>>,
}

impl<const N: usize, const L: usize, const A: usize> CounterBank<N, L, A> {
    /// All zero; panics at elaboration if the parameters do not belong together, or a number could
    /// overflow before its turn.
    pub fn new() -> Self {
        assert!((2..=200).contains(&N) && L + 1 == N && N <= 1 << A && A <= 10, "CounterBank<{N}, {L}, {A}>");
        Self {
            some: (0..N).map(|_| Reg::default()).collect(),
            left: Reg::new((N as u64).into()),
            first_round: Reg::new(true),
            full: Const::of(0xffff_ffff),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const N: usize, const L: usize, const A: usize> Logic for CounterBank<N, L, A> {
    fn update(&mut self) {
        regs!(turn, left, place, add, begun, blank, first_round, wants, answers);
        flops!(wanted, answer);
        clocked!(ram);

        // First step: the number of the counter whose turn it is.
        let goes: Bit = self.left.q.val().any();
        self.add.d.next = lit::<8>(NONE);
        for i in 0..N {
            self.some[i].clock.next = self.clock.val();
            self.some[i].reset.next = self.reset.val();
            self.step.next = lit::<8>(NONE);
            if self.pulse.val().get_bit(i) {
                self.step.next = lit::<8>(1);
            }
            self.more.next = self.some[i].q.val() + self.step.val();
            self.some[i].d.next = self.more.val();
            if goes && (self.turn.q.val() == i.to_bits()) {
                self.add.d.next = self.some[i].q.val();
                self.some[i].d.next = self.step.val();
            }
        }
        self.ram.read_enable.next = goes;
        self.ram.read_address.next = self.turn.q.val();
        self.begun.d.next = goes;
        self.place.d.next = self.turn.q.val();
        self.blank.d.next = self.first_round.q.val();
        if goes {
            self.left.d.next = self.left.q.val() - 1;
            self.turn.d.next = self.turn.q.val() + 1;
            if self.turn.q.val() == lit::<A>(L) {
                self.turn.d.next = 0.into();
                self.first_round.d.next = false;
            }
        }
        if self.pulse.val().any() || self.ask_valid.val() {
            self.left.d.next = lit::<8>(N);
        }

        // Second step: added and written.
        self.old.next = bit_cast::<33, 32>(self.ram.read_data.val());
        if self.blank.q.val() {
            self.old.next = 0.into();
        }
        let sum: Bits<33> = self.old.val() + bit_cast::<33, 8>(self.add.q.val());
        self.value.next = bit_cast::<32, 33>(sum);
        if sum.get_bit(32) {
            self.value.next = self.full.val();
        }
        self.ram.write_enable.next = self.begun.q.val();
        self.ram.write_address.next = self.place.q.val();
        self.ram.write_data.next = self.value.val();

        // A reader waits for the turn of its counter.
        let asked: Bits<12> = self.ask.val().addr;
        self.answers.d.next = false;
        if self.wants.q.val() && self.begun.q.val() && (self.place.q.val() == self.wanted.q.val()) {
            self.wants.d.next = false;
            self.answers.d.next = true;
            self.answer.d.next = self.value.val();
        }
        if self.wants.q.val() && (self.wanted.q.val() > lit::<A>(L)) {
            self.wants.d.next = false;
            self.answers.d.next = true;
            self.answer.d.next = 0.into();
        }
        if self.ask_valid.val() {
            self.wants.d.next = true;
            self.wanted.d.next = bit_cast::<A, 10>(asked.get_bits::<10>(2));
        }
        self.say.next = self.answer.q.val();
        self.say_valid.next = self.answers.q.val();
    }
}
