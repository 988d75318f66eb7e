// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slots of the hash table without their keys.
use super::hash_tag::Tag;
use super::{lit, Const, Flop, Sdp};
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

/// Tags of all slots in two RAMs, left half and right half, and what tells which of them may be a
/// key's: the key folded and what of it fills no word, and its bucket in the other half. A key
/// cannot be aimed at another one's tag without the secret.
///
/// A read gives the first or the second slot (`way`) of both buckets, in the next cycle and until
/// the next read. No output follows an input.
#[block(clock)]
pub struct HashTags<const VALUE: usize, const S: usize> {
    /// A key's buckets are taken, or those to remove from.
    pub load: Signal<In, Bit>,
    /// With it: bucket in the left half.
    pub left: Signal<In, Bits<S>>,
    /// With it: bucket in the right half.
    pub right: Signal<In, Bits<S>>,
    /// With it: the key folded.
    pub fold: Signal<In, Bits<12>>,
    /// With it: its bits that fill no word.
    pub rest: Signal<In, Bits<4>>,
    /// With it: values are compared, not keys.
    pub sweeps: Signal<In, Bit>,
    /// The value to insert or to remove is taken.
    pub load_value: Signal<In, Bit>,
    /// This one.
    pub value: Signal<In, Bits<VALUE>>,
    /// The tags of the bucket are read in this cycle.
    pub read: Signal<In, Bit>,
    /// In the buckets that are offered for `load`, not in those taken.
    pub ahead: Signal<In, Bit>,
    /// The second slots; for a write too.
    pub way: Signal<In, Bit>,
    /// Bit 0 writes a slot of the left bucket, bit 1 of the right one: with the key taken and the
    /// value, or, if values are compared, empty.
    pub write: Signal<In, Bits<2>>,
    /// Empties a slot of each half.
    pub blank: Signal<In, Bit>,
    /// This one.
    pub blank_slot: Signal<In, Bits<S>>,
    /// Of the slots read, left and right: the tag is the key's, or the value agrees.
    pub hits: Signal<Out, Bits<4>>,
    /// The slot is free.
    pub free: Signal<Out, Bits<4>>,
    /// Value in the left one.
    pub left_value: Signal<Out, Bits<VALUE>>,
    /// Value in the right one.
    pub right_value: Signal<Out, Bits<VALUE>>,
    /// Bucket taken in the left half.
    pub left_bucket: Signal<Out, Bits<S>>,
    /// Bucket taken in the right half.
    pub right_bucket: Signal<Out, Bits<S>>,
    left_bits: Flop<Bits<S>>,
    right_bits: Flop<Bits<S>>,
    folded: Flop<Bits<12>>,
    tail: Flop<Bits<4>>,
    by_value: Flop<Bit>,
    work: Flop<Bits<VALUE>>,
    left_ram: Sdp<Tag<VALUE>, S>,
    right_ram: Sdp<Tag<VALUE>, S>,
    left_tag: Signal<Local, Tag<VALUE>>,
    right_tag: Signal<Local, Tag<VALUE>>,
    left_entry: Signal<Local, Tag<VALUE>>,
    right_entry: Signal<Local, Tag<VALUE>>,
    left_hit: Signal<Local, Bit>,
    right_hit: Signal<Local, Bit>,
    left_free: Signal<Local, Bit>,
    right_free: Signal<Local, Bit>,
    alike: Const<Bits<VALUE>>,
}

impl<const VALUE: usize, const S: usize> HashTags<VALUE, S> {
    /// A removal compares the low `alike` bits of values.
    pub fn new(alike: usize) -> Self {
        assert!(alike <= VALUE, "{alike} bits of a value of {VALUE}");
        Self {
            left_ram: Sdp::short(S - 1),
            right_ram: Sdp::short(S - 1),
            alike: Const::of((1 << alike) - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const VALUE: usize, const S: usize> Logic for HashTags<VALUE, S> {
    fn update(&mut self) {
        flops!(left_bits, right_bits, folded, tail, by_value, work);
        clocked!(left_ram, right_ram);
        if self.load.val() {
            self.left_bits.d.next = self.left.val();
            self.right_bits.d.next = self.right.val();
            self.folded.d.next = self.fold.val();
            self.tail.d.next = self.rest.val();
            self.by_value.d.next = self.sweeps.val();
        }
        if self.load_value.val() {
            self.work.d.next = self.value.val();
        }
        self.left_bucket.next = self.left_bits.q.val();
        self.right_bucket.next = self.right_bits.q.val();
        let left_slot: Bits<S> =
            self.left_bits.q.val() | (bit_cast::<S, 1>(self.way.val().into()) << lit::<8>(S - 2));
        let right_slot: Bits<S> =
            self.right_bits.q.val() | (bit_cast::<S, 1>(self.way.val().into()) << lit::<8>(S - 2));
        let left_check: Bits<12> = self.folded.q.val() ^ bit_cast::<12, S>(self.right_bits.q.val());
        let right_check: Bits<12> = self.folded.q.val() ^ bit_cast::<12, S>(self.left_bits.q.val());

        // Read.
        self.left_ram.read_enable.next = self.read.val();
        self.right_ram.read_enable.next = self.read.val();
        self.left_ram.read_address.next = left_slot;
        self.right_ram.read_address.next = right_slot;
        if self.ahead.val() {
            self.left_ram.read_address.next = self.left.val();
            self.right_ram.read_address.next = self.right.val();
        }

        // Compare.
        self.left_tag.next = self.left_ram.read_data.val();
        self.right_tag.next = self.right_ram.read_data.val();
        let left_differs: Bits<VALUE> = (self.left_tag.val().value ^ self.work.q.val()) & self.alike.val();
        let right_differs: Bits<VALUE> = (self.right_tag.val().value ^ self.work.q.val()) & self.alike.val();
        self.left_hit.next =
            (self.left_tag.val().check == left_check) && (self.left_tag.val().rest == self.tail.q.val());
        self.right_hit.next =
            (self.right_tag.val().check == right_check) && (self.right_tag.val().rest == self.tail.q.val());
        if self.by_value.q.val() {
            self.left_hit.next = !left_differs.any();
            self.right_hit.next = !right_differs.any();
        }
        self.left_free.next = !self.left_tag.val().taken;
        self.right_free.next = !self.right_tag.val().taken;
        self.left_hit.next = self.left_hit.val() && self.left_tag.val().taken;
        self.right_hit.next = self.right_hit.val() && self.right_tag.val().taken;
        self.hits.next = bit_cast::<4, 1>(self.left_hit.val().into())
            | (bit_cast::<4, 1>(self.right_hit.val().into()) << 1);
        self.free.next = bit_cast::<4, 1>(self.left_free.val().into())
            | (bit_cast::<4, 1>(self.right_free.val().into()) << 1);
        self.left_value.next = self.left_tag.val().value;
        self.right_value.next = self.right_tag.val().value;

        // Write.
        self.left_entry.next.check = left_check;
        self.left_entry.next.rest = self.tail.q.val();
        self.left_entry.next.value = self.work.q.val();
        self.left_entry.next.taken = !(self.by_value.q.val() || self.blank.val());
        self.right_entry.next.check = right_check;
        self.right_entry.next.rest = self.tail.q.val();
        self.right_entry.next.value = self.work.q.val();
        self.right_entry.next.taken = !(self.by_value.q.val() || self.blank.val());
        self.left_ram.write_data.next = self.left_entry.val();
        self.right_ram.write_data.next = self.right_entry.val();
        self.left_ram.write_enable.next = self.write.val().get_bit(0) || self.blank.val();
        self.right_ram.write_enable.next = self.write.val().get_bit(1) || self.blank.val();
        self.left_ram.write_address.next = left_slot;
        self.right_ram.write_address.next = right_slot;
        if self.blank.val() {
            self.left_ram.write_address.next = self.blank_slot.val();
            self.right_ram.write_address.next = self.blank_slot.val();
        }
    }
}
