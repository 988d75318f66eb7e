// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two buckets of a key in the hash table.
use super::{lit, Flop, LutRam, Reg};
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

const SEVENTH: usize = 6;
const BEHIND: usize = 288;
const WHOLE: usize = 252;

/// Toeplitz hash of a key, a word of 36 bits a cycle: bit `2j` (of the left bucket, `2j + 1` of the
/// right one) is the parity of the key under the window of the secret that starts there. The secret
/// stands in two RAMs, which give for each word of a key the words of the secret that its windows
/// reach.
///
/// A key stands at its port until its seventh word is read, and the eighth with it, which is kept
/// for a cycle; what the table needs of it leaves word by word. It is offered three cycles later
/// with its buckets. The next one is read from the second of these on; its first word waits until
/// this key is taken. No output follows an input.
#[block(clock)]
pub struct HashBuckets<const KEY: usize, const SECRET: usize, const S: usize> {
    /// Synchronous reset: forgets the key.
    pub reset: Signal<In, Bit>,
    /// The secret.
    pub secret: Signal<In, Bits<SECRET>>,
    /// A word of it is taken; all before the first key.
    pub fill: Signal<In, Bit>,
    /// This one: 0 to 8, others are nothing.
    pub fill_row: Signal<In, Bits<4>>,
    /// Key to look up.
    pub lookup_key: Signal<In, Bits<KEY>>,
    /// Key to insert.
    pub change_key: Signal<In, Bits<KEY>>,
    /// The one to insert is meant; constant from a key's first word to `last`.
    pub inserts: Signal<In, Bit>,
    /// It is offered.
    pub d_valid: Signal<In, Bit>,
    /// Some of its words are read, not all.
    pub reading: Signal<Out, Bit>,
    /// If it is offered now the last of it is read.
    pub last: Signal<Out, Bit>,
    /// Word of a key.
    pub part: Signal<Out, Bits<36>>,
    /// Index of the part.
    pub part_index: Signal<Out, Bits<3>>,
    /// Of which key: they are numbered in turn.
    pub part_turn: Signal<Out, Bits<2>>,
    /// All three are there, for this cycle at least.
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
    /// Its number.
    pub turn: Signal<Out, Bits<2>>,
    /// All six are there.
    pub valid: Signal<Out, Bit>,
    /// They are taken if they are there.
    pub take: Signal<In, Bit>,
    /// Word by word, and the same one word further.
    near_rows: LutRam<Bits<36>, 4>,
    far_rows: LutRam<Bits<36>, 4>,
    row: Signal<Local, Bits<36>>,
    step: Reg<Bits<3>>,
    /// Seven words, and behind them what is kept.
    chosen: Signal<Local, Bits<36>>,
    other: Signal<Local, Bits<36>>,
    tail: Signal<Local, Bits<KEY>>,
    ahead: Flop<Bits<40>>,
    held: Flop<Bits<40>>,
    held_index: Flop<Bits<3>>,
    held_valid: Reg<Bit>,
    held_turn: Reg<Bits<2>>,
    held_change: Flop<Bit>,
    full: Reg<Bit>,
    of_change: Flop<Bit>,
    left_bits: Flop<Bits<S>>,
    right_bits: Flop<Bits<S>>,
    folded: Flop<Bits<12>>,
    tail_bits: Flop<Bits<4>>,
    moved: Signal<Local, Bits<72>>,
    parity: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<S>>,
    right_now: Signal<Local, Bits<S>>,
    fold_now: Signal<Local, Bits<12>>,
}

impl<const KEY: usize, const SECRET: usize, const S: usize> HashBuckets<KEY, SECRET, S> {
    /// Without a key; panics at elaboration if `S` is not 4 to 14, or key or secret have not the
    /// size for eight words and up to four bits.
    pub fn new() -> Self {
        assert!((4..=14).contains(&S), "2^{S} slots");
        assert!((289..=292).contains(&KEY), "a key of {KEY} bits");
        assert!((320..=324).contains(&SECRET), "{SECRET} bits of secret");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const KEY: usize, const SECRET: usize, const S: usize> Logic for HashBuckets<KEY, SECRET, S> {
    fn update(&mut self) {
        regs!(step, held_valid, held_turn, full);
        flops!(ahead, held, held_index, held_change, of_change, left_bits, right_bits, folded, tail_bits);
        clocked!(near_rows, far_rows);
        self.reading.next = self.step.q.val().any();
        self.last.next = self.step.q.val() == lit::<3>(SEVENTH);
        self.part.next = self.held.q.val().get_bits::<36>(0);
        self.part_index.next = self.held_index.q.val();
        self.part_turn.next = self.held_turn.q.val();
        self.part_valid.next = self.held_valid.q.val();
        self.left.next = self.left_bits.q.val();
        self.right.next = self.right_bits.q.val();
        self.fold.next = self.folded.q.val();
        self.rest.next = self.tail_bits.q.val();
        self.insertion.next = self.of_change.q.val();
        // the last word of the key that is offered moved the number on
        self.turn.next = self.held_turn.q.val() - 1;
        self.valid.next = self.full.q.val();

        // The secret: the second RAM has each word one row before the first.
        let last_row: Bits<SECRET> = self.secret.val() >> lit::<16>(BEHIND);
        self.row.next = self.secret.val().get_bits::<36>(0);
        if self.fill_row.val() == 1 {
            self.row.next = self.secret.val().get_bits::<36>(36);
        }
        if self.fill_row.val() == 2 {
            self.row.next = self.secret.val().get_bits::<36>(72);
        }
        if self.fill_row.val() == 3 {
            self.row.next = self.secret.val().get_bits::<36>(108);
        }
        if self.fill_row.val() == 4 {
            self.row.next = self.secret.val().get_bits::<36>(144);
        }
        if self.fill_row.val() == 5 {
            self.row.next = self.secret.val().get_bits::<36>(180);
        }
        if self.fill_row.val() == 6 {
            self.row.next = self.secret.val().get_bits::<36>(216);
        }
        if self.fill_row.val() == 7 {
            self.row.next = self.secret.val().get_bits::<36>(252);
        }
        if self.fill_row.val() == 8 {
            self.row.next = last_row.get_bits::<36>(0);
        }
        let row_before: Bits<4> = self.fill_row.val() - 1;
        self.near_rows.write_enable.next = self.fill.val();
        self.near_rows.write_address.next = self.fill_row.val();
        self.near_rows.write_data.next = self.row.val();
        self.near_rows.read_address.next = bit_cast::<4, 3>(self.held_index.q.val());
        self.far_rows.write_enable.next = self.fill.val();
        self.far_rows.write_address.next = row_before;
        self.far_rows.write_data.next = self.row.val();
        self.far_rows.read_address.next = bit_cast::<4, 3>(self.held_index.q.val());

        // Read: a word a cycle, into its own register.
        self.chosen.next = self.lookup_key.val().get_bits::<36>(0);
        self.other.next = self.change_key.val().get_bits::<36>(0);
        if self.step.q.val() == 1 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(36);
            self.other.next = self.change_key.val().get_bits::<36>(36);
        }
        if self.step.q.val() == 2 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(72);
            self.other.next = self.change_key.val().get_bits::<36>(72);
        }
        if self.step.q.val() == 3 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(108);
            self.other.next = self.change_key.val().get_bits::<36>(108);
        }
        if self.step.q.val() == 4 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(144);
            self.other.next = self.change_key.val().get_bits::<36>(144);
        }
        if self.step.q.val() == 5 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(180);
            self.other.next = self.change_key.val().get_bits::<36>(180);
        }
        if self.step.q.val() == 6 {
            self.chosen.next = self.lookup_key.val().get_bits::<36>(216);
            self.other.next = self.change_key.val().get_bits::<36>(216);
        }
        self.tail.next = self.lookup_key.val() >> lit::<16>(WHOLE);
        if self.inserts.val() {
            self.chosen.next = self.other.val();
            self.tail.next = self.change_key.val() >> lit::<16>(WHOLE);
        }
        let waits: Bit = (self.held_valid.q.val() && !self.held_index.q.val().any())
            && (self.full.q.val() && !self.take.val());
        let hashes: Bit = self.held_valid.q.val() && !waits;
        let goes: Bit = (self.d_valid.val() || self.step.q.val().all()) && !waits;
        self.held_valid.d.next = goes || waits;
        if goes {
            self.step.d.next = self.step.q.val() + 1;
            self.held_index.d.next = self.step.q.val();
            self.held.d.next = bit_cast::<40, 36>(self.chosen.val());
            if self.step.q.val().all() {
                self.held.d.next = self.ahead.q.val();
            } else {
                self.held_change.d.next = self.inserts.val();
            }
            if self.last.val() {
                self.ahead.d.next = self.tail.val().get_bits::<40>(0);
            }
        }

        // Hash: the window moves past the word.
        self.moved.next = bit_cast::<72, 36>(self.near_rows.read_data.val())
            | (bit_cast::<72, 36>(self.far_rows.read_data.val()) << 36);
        let wide: Bits<72> = bit_cast::<72, 40>(self.held.q.val());
        self.left_now.next = 0.into();
        self.right_now.next = 0.into();
        for _j in 0..S {
            self.parity.next = (self.moved.val() & wide).xor();
            self.left_now.next = (self.left_now.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
            self.moved.next = self.moved.val() >> 1;
            self.parity.next = (self.moved.val() & wide).xor();
            self.right_now.next = (self.right_now.val() << 1) | bit_cast::<S, 1>(self.parity.val().into());
            self.moved.next = self.moved.val() >> 1;
        }
        // the last two rounds were too many
        self.left_now.next = self.left_now.val() >> 2;
        self.right_now.next = self.right_now.val() >> 2;
        self.fold_now.next = self.held.q.val().get_bits::<12>(0)
            ^ (self.held.q.val().get_bits::<12>(12) ^ self.held.q.val().get_bits::<12>(24));
        if self.held_index.q.val().any() {
            self.left_now.next = self.left_now.val() ^ self.left_bits.q.val();
            self.right_now.next = self.right_now.val() ^ self.right_bits.q.val();
            self.fold_now.next = self.fold_now.val() ^ self.folded.q.val();
        }
        if self.take.val() {
            self.full.d.next = false;
        }
        if hashes {
            self.left_bits.d.next = self.left_now.val();
            self.right_bits.d.next = self.right_now.val();
            self.folded.d.next = self.fold_now.val();
            self.tail_bits.d.next = self.held.q.val().get_bits::<4>(36);
            if self.held_index.q.val().all() {
                self.of_change.d.next = self.held_change.q.val();
                self.held_turn.d.next = self.held_turn.q.val() + 1;
                self.full.d.next = true;
            }
        }
    }
}
