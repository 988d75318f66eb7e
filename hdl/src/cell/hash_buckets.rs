//! The two buckets of a key in the hash table.
use super::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Toeplitz hash of a key, two bits a cycle: bit `2j` (of the left bucket, `2j + 1` of the right one) is the parity
/// of the key under the window of the secret that starts there. The key moves past the window by two bits a cycle.
///
/// A key is offered with its buckets `S - 2` cycles after it was loaded; the next one is loaded in the cycle in which
/// it is taken. `d_valid` and `open` come from registers: no path leads back to them from `loads` and `takes`.
#[derive(LogicBlock, Default)]
pub struct HashBuckets<const KEY: usize, const SECRET: usize, const S: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: forgets the key.
    pub reset: Signal<In, Bit>,
    /// The secret, constant while a key is hashed.
    pub window: Signal<In, Bits<SECRET>>,
    /// Key to hash.
    pub d: Signal<In, Bits<KEY>>,
    /// It is offered.
    pub d_valid: Signal<In, Bit>,
    /// It is loaded.
    pub loads: Signal<Out, Bit>,
    /// The key.
    pub key: Signal<Out, Bits<KEY>>,
    /// Its bucket of `2^(S - 2)` in the left half, high bit first hashed.
    pub left: Signal<Out, Bits<S>>,
    /// Its bucket in the right half.
    pub right: Signal<Out, Bits<S>>,
    /// All three are there.
    pub valid: Signal<Out, Bit>,
    /// They are wanted.
    pub open: Signal<In, Bit>,
    /// They are taken.
    pub takes: Signal<Out, Bit>,
    moved: Flop<Bits<SECRET>>,
    full: Reg<Bit>,
    step: Reg<Bits<4>>,
    left_bits: Flop<Bits<S>>,
    right_bits: Flop<Bits<S>>,
    on: Signal<Local, Bits<SECRET>>,
    aside: Signal<Local, Bits<SECRET>>,
    back: Signal<Local, Bits<SECRET>>,
    parity: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<S>>,
    right_now: Signal<Local, Bits<S>>,
    last: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    /// The places that a key reaches.
    reach: Const<Bits<SECRET>>,
    last_step: Const<Bits<4>>,
    offset: Const<Bits<8>>,
    buckets: Const<Bits<S>>,
}

impl<const KEY: usize, const SECRET: usize, const S: usize> HashBuckets<KEY, SECRET, S> {
    /// Without a key; panics at elaboration if `S` is not 3 to 16 or the secret is too short.
    pub fn new() -> Self {
        assert!((3..=16).contains(&S), "2^{S} slots");
        assert!(SECRET + 5 >= KEY + 2 * S, "{SECRET} bits of secret for a key of {KEY}");
        let reach = (0..KEY + 2 * (S - 3)).fold(Bits::<SECRET>::from(0), |k, i| k.replace_bit(i, true));
        Self {
            reach: Const::new(reach),
            last_step: Const::of(S - 3),
            offset: Const::of(2 * (S - 3)),
            buckets: Const::of((1 << (S - 2)) - 1),
            ..Default::default()
        }
    }
}

impl<const KEY: usize, const SECRET: usize, const S: usize> Logic for HashBuckets<KEY, SECRET, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, moved, full, step, left_bits, right_bits);
        self.full.reset.next = self.reset.val();
        self.step.reset.next = self.reset.val();
        self.last.next = self.full.q.val() && (self.step.q.val() == self.last_step.val());
        self.parity.next = (self.moved.q.val() & self.window.val()).xor();
        self.left_now.next = (self.left_bits.q.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
        self.aside.next = self.window.val() >> 1;
        self.parity.next = (self.moved.q.val() & self.aside.val()).xor();
        self.right_now.next = (self.right_bits.q.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
        self.on.next = (self.moved.q.val() << 2) & self.reach.val();
        self.back.next = self.moved.q.val() >> self.offset.val();
        self.key.next = self.back.val().get_bits::<KEY>(0);
        self.left.next = self.left_now.val() & self.buckets.val();
        self.right.next = self.right_now.val() & self.buckets.val();
        self.valid.next = self.last.val();
        self.take.next = self.last.val() && self.open.val();
        self.takes.next = self.take.val();
        self.load.next = self.d_valid.val() && (!self.full.q.val() || self.take.val());
        self.loads.next = self.load.val();
        if self.load.val() || (self.full.q.val() && !self.last.val()) {
            self.moved.d.next = self.on.val();
            self.left_bits.d.next = self.left_now.val();
            self.right_bits.d.next = self.right_now.val();
            self.step.d.next = self.step.q.val() + 1;
            if self.load.val() {
                self.moved.d.next = bit_cast::<SECRET, KEY>(self.d.val());
                self.step.d.next = 0.into();
            }
        }
        if self.take.val() {
            self.full.d.next = false;
        }
        if self.load.val() {
            self.full.d.next = true;
        }
    }
}
