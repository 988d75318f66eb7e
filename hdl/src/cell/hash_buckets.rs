//! The two buckets of a key in the hash table.
use super::{Const, Flop, LutRam, Reg};
use rust_hdl::prelude::*;

/// Toeplitz hash of a key, a word of 72 bits a cycle: bit `2j` (of the left bucket, `2j + 1` of the right one) is the
/// parity of the key under the window of the secret that starts there. The secret stands in a RAM, for each word of a
/// key the part that its windows reach.
///
/// A key stands at its port until its fourth word is read; what the table needs of it leaves word by word. It is offered
/// two cycles later with its buckets; the next one is read from the cycle on in which it is taken. No output follows an
/// input.
#[derive(LogicBlock, Default)]
pub struct HashBuckets<const KEY: usize, const SECRET: usize, const S: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: forgets the key.
    pub reset: Signal<In, Bit>,
    /// The secret.
    pub secret: Signal<In, Bits<SECRET>>,
    /// A part of it is taken; all four before the first key.
    pub fill: Signal<In, Bit>,
    /// This one.
    pub fill_row: Signal<In, Bits<2>>,
    /// Key to look up.
    pub lookup_key: Signal<In, Bits<KEY>>,
    /// Key to insert.
    pub change_key: Signal<In, Bits<KEY>>,
    /// The one to insert is meant; constant while `reading`.
    pub inserts: Signal<In, Bit>,
    /// It is offered.
    pub d_valid: Signal<In, Bit>,
    /// Some of its words are read, not all.
    pub reading: Signal<Out, Bit>,
    /// If it is offered now its last word is read.
    pub last: Signal<Out, Bit>,
    /// Word of a key.
    pub part: Signal<Out, Bits<72>>,
    /// Which.
    pub part_index: Signal<Out, Bits<2>>,
    /// Both are there, for this cycle.
    pub part_valid: Signal<Out, Bit>,
    /// The key's bucket of `2^(S - 2)` in the left half, high bit first hashed.
    pub left: Signal<Out, Bits<S>>,
    /// Its bucket in the right half.
    pub right: Signal<Out, Bits<S>>,
    /// Its words folded.
    pub fold: Signal<Out, Bits<12>>,
    /// Its bits that fill no word.
    pub rest: Signal<Out, Bits<4>>,
    /// It is to be inserted.
    pub insertion: Signal<Out, Bit>,
    /// All five are there.
    pub valid: Signal<Out, Bit>,
    /// They are taken if they are there.
    pub take: Signal<In, Bit>,
    rows: LutRam<Bits<104>, 2>,
    row: Signal<Local, Bits<104>>,
    step: Reg<Bits<2>>,
    /// Four words, and behind the last one what is left.
    chosen: Signal<Local, Bits<72>>,
    other: Signal<Local, Bits<72>>,
    tail: Signal<Local, Bits<KEY>>,
    goes: Signal<Local, Bit>,
    held: Flop<Bits<76>>,
    held_index: Flop<Bits<2>>,
    held_valid: Reg<Bit>,
    full: Reg<Bit>,
    of_change: Flop<Bit>,
    left_bits: Flop<Bits<S>>,
    right_bits: Flop<Bits<S>>,
    folded: Flop<Bits<12>>,
    tail_bits: Flop<Bits<4>>,
    moved: Signal<Local, Bits<104>>,
    wide: Signal<Local, Bits<104>>,
    parity: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<S>>,
    right_now: Signal<Local, Bits<S>>,
    fold_now: Signal<Local, Bits<12>>,
    whole: Const<Bits<16>>,
}

impl<const KEY: usize, const SECRET: usize, const S: usize> HashBuckets<KEY, SECRET, S> {
    /// Without a key; panics at elaboration if `S` is not 3 to 14, or key or secret have not the size for four words and
    /// up to four bits.
    pub fn new() -> Self {
        assert!((3..=14).contains(&S), "2^{S} slots");
        assert!((289..=292).contains(&KEY), "a key of {KEY} bits");
        assert!(SECRET >= 320, "{SECRET} bits of secret");
        Self { whole: Const::of(288), ..Default::default() }
    }
}

impl<const KEY: usize, const SECRET: usize, const S: usize> Logic for HashBuckets<KEY, SECRET, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows);
        dff_setup!(self, clock, step, held, held_index, held_valid, full, of_change);
        dff_setup!(self, clock, left_bits, right_bits, folded, tail_bits);
        self.step.reset.next = self.reset.val();
        self.held_valid.reset.next = self.reset.val();
        self.full.reset.next = self.reset.val();
        self.reading.next = self.step.q.val().any();
        self.last.next = self.step.q.val().all();
        self.part.next = self.held.q.val().get_bits::<72>(0);
        self.part_index.next = self.held_index.q.val();
        self.part_valid.next = self.held_valid.q.val();
        self.left.next = self.left_bits.q.val();
        self.right.next = self.right_bits.q.val();
        self.fold.next = self.folded.q.val();
        self.rest.next = self.tail_bits.q.val();
        self.insertion.next = self.of_change.q.val();
        self.valid.next = self.full.q.val();

        // The secret.
        self.row.next = self.secret.val().get_bits::<104>(0);
        if self.fill_row.val() == 1 {
            self.row.next = self.secret.val().get_bits::<104>(72);
        }
        if self.fill_row.val() == 2 {
            self.row.next = self.secret.val().get_bits::<104>(144);
        }
        if self.fill_row.val() == 3 {
            self.row.next = self.secret.val().get_bits::<104>(216);
        }
        self.rows.write_enable.next = self.fill.val();
        self.rows.write_address.next = self.fill_row.val();
        self.rows.write_data.next = self.row.val();
        self.rows.read_address.next = self.held_index.q.val();

        // Read: a word a cycle, into its own register.
        self.chosen.next = self.lookup_key.val().get_bits::<72>(0);
        self.other.next = self.change_key.val().get_bits::<72>(0);
        if self.step.q.val() == 1 {
            self.chosen.next = self.lookup_key.val().get_bits::<72>(72);
            self.other.next = self.change_key.val().get_bits::<72>(72);
        }
        if self.step.q.val() == 2 {
            self.chosen.next = self.lookup_key.val().get_bits::<72>(144);
            self.other.next = self.change_key.val().get_bits::<72>(144);
        }
        if self.step.q.val() == 3 {
            self.chosen.next = self.lookup_key.val().get_bits::<72>(216);
            self.other.next = self.change_key.val().get_bits::<72>(216);
        }
        self.tail.next = self.lookup_key.val() >> self.whole.val();
        if self.inserts.val() {
            self.chosen.next = self.other.val();
            self.tail.next = self.change_key.val() >> self.whole.val();
        }
        self.goes.next = self.d_valid.val()
            && (self.step.q.val().any()
                || (!(self.held_valid.q.val() || self.full.q.val()) || self.take.val()));
        self.held_valid.d.next = self.goes.val();
        if self.goes.val() {
            self.step.d.next = self.step.q.val() + 1;
            self.held_index.d.next = self.step.q.val();
            self.of_change.d.next = self.inserts.val();
            self.held.d.next = bit_cast::<76, 72>(self.chosen.val());
            if self.step.q.val().all() {
                self.held.d.next = bit_cast::<76, 72>(self.chosen.val())
                    | (bit_cast::<76, 4>(self.tail.val().get_bits::<4>(0)) << 72);
            }
        }

        // Hash: the window moves past the word.
        self.moved.next = self.rows.read_data.val();
        self.wide.next = bit_cast::<104, 76>(self.held.q.val());
        self.left_now.next = 0.into();
        self.right_now.next = 0.into();
        for _j in 0..S {
            self.parity.next = (self.moved.val() & self.wide.val()).xor();
            self.left_now.next = (self.left_now.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
            self.moved.next = self.moved.val() >> 1;
            self.parity.next = (self.moved.val() & self.wide.val()).xor();
            self.right_now.next = (self.right_now.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
            self.moved.next = self.moved.val() >> 1;
        }
        // the last two rounds were too many
        self.left_now.next = self.left_now.val() >> 2;
        self.right_now.next = self.right_now.val() >> 2;
        self.fold_now.next = ((self.held.q.val().get_bits::<12>(0) ^ self.held.q.val().get_bits::<12>(12))
            ^ (self.held.q.val().get_bits::<12>(24) ^ self.held.q.val().get_bits::<12>(36)))
            ^ (self.held.q.val().get_bits::<12>(48) ^ self.held.q.val().get_bits::<12>(60));
        if self.held_index.q.val().any() {
            self.left_now.next = self.left_now.val() ^ self.left_bits.q.val();
            self.right_now.next = self.right_now.val() ^ self.right_bits.q.val();
            self.fold_now.next = self.fold_now.val() ^ self.folded.q.val();
        }
        if self.take.val() {
            self.full.d.next = false;
        }
        if self.held_valid.q.val() {
            self.left_bits.d.next = self.left_now.val();
            self.right_bits.d.next = self.right_now.val();
            self.folded.d.next = self.fold_now.val();
            self.tail_bits.d.next = self.held.q.val().get_bits::<4>(72);
            if self.held_index.q.val().all() {
                self.full.d.next = true;
            }
        }
    }
}
