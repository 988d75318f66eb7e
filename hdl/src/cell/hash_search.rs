// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slots of the hash table, and the one thing at a time that is done with them.
use super::hash_ports::{Answer, FoundSource};
use super::hash_tags::HashTags;
use super::{lit, Flop, LutRam, Reg, Sdp};
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

/// What is done with the slots.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    /// The tags of a removal's bucket are read; those of a key were when it was taken.
    First,
    /// The first slots of both buckets are compared by their tags, the second ones read.
    Second,
    /// The second slots are compared.
    Last,
    /// Keys are compared, of one slot after the other.
    Keys,
    /// A key is written, then its tag.
    Store,
    /// Tags are blanked, one a cycle.
    Strike,
}

/// Compares a key with what lies in its buckets, writes it there, or removes what has a value. See
/// [`super::HashTable`].
///
/// The tags of the four slots are read first. Only the slots whose tag agrees are looked at again,
/// by reading their keys word by word until one differs. A result that is not taken stops the next
/// key before it could touch it.
#[block(clock)]
pub struct HashSearch<const VALUE: usize, const S: usize> {
    /// Synchronous reset: forgets what is under way.
    pub reset: Signal<In, Bit>,
    /// Blanks a slot of each half; nothing else goes on.
    pub blank: Signal<In, Bit>,
    /// This one; otherwise the bucket in both halves to remove from.
    pub sweep_slot: Signal<In, Bits<S>>,
    /// It is offered.
    pub sweep: Signal<In, Bit>,
    /// Word of the key that is hashed.
    pub part: Signal<In, Bits<36>>,
    /// Index of the part.
    pub part_index: Signal<In, Bits<3>>,
    /// Of the key of this number.
    pub part_turn: Signal<In, Bits<2>>,
    /// All three are there.
    pub part_valid: Signal<In, Bit>,
    /// Hashed: bucket in the left half.
    pub left: Signal<In, Bits<S>>,
    /// Bucket in the right half.
    pub right: Signal<In, Bits<S>>,
    /// The key folded.
    pub fold: Signal<In, Bits<12>>,
    /// Its bits that fill no word.
    pub rest: Signal<In, Bits<4>>,
    /// It is to be inserted.
    pub insertion: Signal<In, Bit>,
    /// Its number.
    pub offered_turn: Signal<In, Bits<2>>,
    /// All six are offered.
    pub valid: Signal<In, Bit>,
    /// They are taken if they are offered; follows no input.
    pub open: Signal<Out, Bit>,
    /// The value to insert or to remove is taken.
    pub load_value: Signal<In, Bit>,
    /// This one.
    pub value: Signal<In, Bits<VALUE>>,
    /// Results of lookups.
    pub found: FoundSource<VALUE>,
    /// Pulse: an insertion is over.
    pub inserted: Signal<Out, Bit>,
    /// With it: [`Answer`].
    pub code: Signal<Out, Bits<2>>,
    /// Pulse: a bucket is done.
    pub swept: Signal<Out, Bit>,
    /// Pulse: something was removed.
    pub removed: Signal<Out, Bit>,
    phase: Reg<Phase>,
    inserts: Flop<Bit>,
    sweeps: Flop<Bit>,
    tags: HashTags<VALUE, S>,
    /// The key compared, the one offered and the one being read, by their numbers: low and high
    /// halves of words.
    low_texts: LutRam<Bits<36>, 4>,
    high_texts: LutRam<Bits<36>, 4>,
    turn: Flop<Bits<2>>,
    /// Slots to look at: first ones left and right, second ones left and right.
    these: Flop<Bits<4>>,
    free: Flop<Bits<4>>,
    pick: Signal<Local, Bits<4>>,
    pick_way: Signal<Local, Bit>,
    pick_right: Signal<Local, Bit>,
    place: Signal<Local, Bits<4>>,
    keys: Sdp<Bits<72>, 16>,
    bucket: Signal<Local, Bits<S>>,
    /// Word to read or to write.
    step: Reg<Bits<2>>,
    /// Word that was read, or is written.
    came: Flop<Bits<2>>,
    came_valid: Reg<Bit>,
    result_hit: Flop<Bit>,
    result_value: Flop<Bits<VALUE>>,
    result_valid: Reg<Bit>,
}

impl<const VALUE: usize, const S: usize> HashSearch<VALUE, S> {
    /// Nothing under way. A removal compares the low `alike` bits of values.
    pub fn new(alike: usize) -> Self {
        Self { tags: HashTags::new(alike), keys: Sdp::short(S + 2), ..Default::default() }
    }
}

#[kernel]
impl<const VALUE: usize, const S: usize> Logic for HashSearch<VALUE, S> {
    fn update(&mut self) {
        regs!(phase, step, came_valid, result_valid);
        flops!(inserts, sweeps, turn, these, free, came, result_hit, result_value);
        clocked!(low_texts, high_texts, tags, keys);
        self.found.hit.next = self.result_hit.q.val();
        self.found.value.next = self.result_value.q.val();
        self.found.valid.next = self.result_valid.q.val();
        if self.found.ready.val() {
            self.result_valid.d.next = false;
        }
        let stores: Bit = self.phase.q.val() == Phase::Store;
        let strikes: Bit = (self.phase.q.val() == Phase::Strike) && self.these.q.val().any();
        let comparing: Bit = self.phase.q.val() == Phase::Keys;

        // The slot looked at, and the one that an insertion goes to.
        self.pick.next = 8.into();
        if self.these.q.val().get_bit(2) {
            self.pick.next = 4.into();
        }
        if self.these.q.val().get_bit(1) {
            self.pick.next = 2.into();
        }
        if self.these.q.val().get_bit(0) {
            self.pick.next = 1.into();
        }
        self.pick_way.next = self.pick.val().get_bit(2) || self.pick.val().get_bit(3);
        self.pick_right.next = self.pick.val().get_bit(1) || self.pick.val().get_bit(3);
        let others: Bits<4> = self.these.q.val() ^ self.pick.val();
        let go_right: Bit = ((self.free.q.val().get_bit(1) && self.free.q.val().get_bit(3))
            && !(self.free.q.val().get_bit(0) && self.free.q.val().get_bit(2)))
            || ((self.free.q.val().get_bit(1) || self.free.q.val().get_bit(3))
                && !(self.free.q.val().get_bit(0) || self.free.q.val().get_bit(2)));
        self.place.next = 4.into();
        if self.free.q.val().get_bit(0) {
            self.place.next = 1.into();
        }
        if go_right {
            self.place.next = 8.into();
            if self.free.q.val().get_bit(1) {
                self.place.next = 2.into();
            }
        }

        // Keys: word by word against the slot's, or into it.
        let part_row: Bits<4> = bit_cast::<4, 2>(self.part_index.val().get_bits::<2>(1))
            | (bit_cast::<4, 2>(self.part_turn.val()) << 2);
        self.low_texts.write_enable.next = self.part_valid.val() && !self.part_index.val().get_bit(0);
        self.low_texts.write_address.next = part_row;
        self.low_texts.write_data.next = self.part.val();
        self.high_texts.write_enable.next = self.part_valid.val() && self.part_index.val().get_bit(0);
        self.high_texts.write_address.next = part_row;
        self.high_texts.write_data.next = self.part.val();
        let text_row: Bits<4> =
            bit_cast::<4, 2>(self.came.q.val()) | (bit_cast::<4, 2>(self.turn.q.val()) << 2);
        self.low_texts.read_address.next = text_row;
        self.high_texts.read_address.next = text_row;
        let text: Bits<72> = bit_cast::<72, 36>(self.low_texts.read_data.val())
            | (bit_cast::<72, 36>(self.high_texts.read_data.val()) << 36);
        self.bucket.next = self.tags.left_bucket.val();
        if self.pick_right.val() {
            self.bucket.next = self.tags.right_bucket.val();
        }
        let key_slot: Bits<16> = bit_cast::<16, S>(self.bucket.val())
            | (bit_cast::<16, 1>(self.pick_way.val().into()) << lit::<8>(S - 2))
            | (bit_cast::<16, 1>(self.pick_right.val().into()) << lit::<8>(S - 1));
        let key_row: Bits<16> = (key_slot << 2) | bit_cast::<16, 2>(self.step.q.val());
        let reads_key: Bit = self.these.q.val().any()
            && (comparing || ((self.phase.q.val() == Phase::Last) && !self.sweeps.q.val()));
        self.keys.read_enable.next = reads_key;
        self.keys.read_address.next = key_row;
        self.keys.write_enable.next = stores;
        self.keys.write_address.next = key_row;
        self.keys.write_data.next = text;
        self.came_valid.d.next = reads_key;
        self.came.d.next = self.step.q.val();
        if stores {
            self.came.d.next = self.step.q.val() + 1;
        }
        if reads_key || stores {
            self.step.d.next = self.step.q.val() + 1;
        }
        let same: Bit = self.keys.read_data.val() == text;
        let came_last: Bit = self.came_valid.q.val() && self.came.q.val().all();
        let hit: Bit = self.came_valid.q.val() && same;
        let ends: Bit = comparing && (!self.these.q.val().any() || (came_last && (same || !others.any())));
        if comparing && (self.came_valid.q.val() && !same) {
            self.these.d.next = others;
            self.came_valid.d.next = false;
            self.step.d.next = 0.into();
        }

        // What comes next: a key while the one before it ends, if that is known without its last
        // word.
        self.open.next = (self.phase.q.val() == Phase::Idle)
            || ((comparing && !self.inserts.q.val())
                && (!self.these.q.val().any() || (came_last && !others.any())));
        let starts: Bit = self.open.val() && self.valid.val();
        let sweep_starts: Bit =
            (self.phase.q.val() == Phase::Idle) && (self.sweep.val() && !self.valid.val());
        let go: Bit =
            (self.phase.q.val() == Phase::Second) && (!self.result_valid.q.val() || self.found.ready.val());

        // Tags: read when a key is taken, and again for the value while the key of a slot is
        // compared.
        self.tags.load.next = starts || sweep_starts;
        self.tags.left.next = self.left.val();
        self.tags.right.next = self.right.val();
        if sweep_starts {
            self.tags.left.next = self.sweep_slot.val();
            self.tags.right.next = self.sweep_slot.val();
        }
        self.tags.fold.next = self.fold.val();
        self.tags.rest.next = self.rest.val();
        self.tags.sweeps.next = sweep_starts;
        self.tags.load_value.next = self.load_value.val();
        self.tags.value.next = self.value.val();
        self.tags.read.next = (starts || go)
            || ((self.phase.q.val() == Phase::First) || (reads_key && !self.step.q.val().any()));
        self.tags.ahead.next = self.open.val();
        self.tags.way.next = (self.phase.q.val() == Phase::Second)
            || (self.pick_way.val() && !(self.phase.q.val() == Phase::First));
        self.tags.write.next = 0.into();
        let writes: Bit = strikes || (stores && self.step.q.val().all());
        if writes {
            self.tags.write.next = 1.into();
            if self.pick_right.val() {
                self.tags.write.next = 2.into();
            }
        }
        self.tags.blank.next = self.blank.val();
        self.tags.blank_slot.next = self.sweep_slot.val();

        self.inserted.next = false;
        self.code.next = lit::<2>(Answer::Done as usize);
        self.swept.next = false;
        self.removed.next = strikes;
        match self.phase.q.val() {
            Phase::First => {
                self.phase.d.next = Phase::Second;
            }
            Phase::Second => {
                self.these.d.next = self.tags.hits.val();
                self.free.d.next = self.tags.free.val();
                if go {
                    self.phase.d.next = Phase::Last;
                }
            }
            Phase::Last => {
                self.these.d.next = self.these.q.val() | (self.tags.hits.val() << 2);
                self.free.d.next = self.free.q.val() | (self.tags.free.val() << 2);
                self.phase.d.next = Phase::Keys;
                if self.sweeps.q.val() {
                    self.phase.d.next = Phase::Strike;
                }
            }
            Phase::Keys => {
                if ends {
                    self.step.d.next = 0.into();
                    self.came.d.next = 0.into();
                    self.came_valid.d.next = false;
                    self.phase.d.next = Phase::Idle;
                    if self.inserts.q.val() {
                        self.inserted.next = true;
                        if hit {
                            self.code.next = lit::<2>(Answer::Present as usize);
                        } else if !self.free.q.val().any() {
                            self.code.next = lit::<2>(Answer::Full as usize);
                        } else {
                            self.inserted.next = false;
                            self.these.d.next = self.place.val();
                            self.phase.d.next = Phase::Store;
                        }
                    } else {
                        self.result_valid.d.next = true;
                        self.result_hit.d.next = hit;
                        self.result_value.d.next = 0.into();
                        if hit {
                            self.result_value.d.next = self.tags.left_value.val();
                            if self.pick_right.val() {
                                self.result_value.d.next = self.tags.right_value.val();
                            }
                        }
                    }
                }
            }
            Phase::Store => {
                if self.step.q.val().all() {
                    self.inserted.next = true;
                    self.phase.d.next = Phase::Idle;
                }
            }
            Phase::Strike => {
                self.these.d.next = others;
                if !self.these.q.val().any() {
                    self.swept.next = true;
                    self.phase.d.next = Phase::Idle;
                }
            }
            _ => {}
        }
        if starts {
            self.inserts.d.next = self.insertion.val();
            self.sweeps.d.next = false;
            self.turn.d.next = self.offered_turn.val();
            self.phase.d.next = Phase::Second;
        }
        if sweep_starts {
            self.sweeps.d.next = true;
            self.phase.d.next = Phase::First;
        }
    }
}
