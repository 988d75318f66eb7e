// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hash table with a secret: finds a connection by its 4-tuple.
use super::hash_buckets::HashBuckets;
use super::hash_ports::{Answer, AnswerSource, FoundSource, LookupSink, UpdateSink};
use super::hash_search::HashSearch;
use super::{Const, Flop, Reg};
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

/// Where the update under way stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Turn {
    Idle,
    /// An insertion waits until the lookup in front of it is read.
    Claim,
    /// Its key is read, and taken with the last word.
    Read,
    /// Its key is hashed and compared, its entry written.
    Insert,
    /// A removal is taken.
    Name,
    /// Bucket after bucket is searched for entries to remove.
    Sweep,
    Reply,
}

/// Exact table from keys of `KEY` bits to values of `VALUE` bits, with `2^S` slots: two halves of
/// buckets with two slots each.
///
/// **Hash.** Toeplitz, as in receive side scaling: bit `2j` (of the left half's bucket, `2j + 1` of
/// the right half's) is the parity of the key under the window of `secret` that starts there. A key
/// cannot be aimed at a bucket without the secret, so it must be all random: no expansion from a
/// shorter seed, which would leave differences that collide under every seed. `secret` is taken
/// while `ready` is low and must stand for the last sixteen of these cycles; a change later has no
/// effect before the next reset. 320 bits of it serve 292 bits of key and S of 4 to 14.
///
/// **Placement.** A key goes to the half whose bucket has more free slots, left if equal; entries
/// never move. When both buckets are full the answer is *full*. With 2,048 slots random keys met it
/// in none of 3,000 tables filled to an eighth, in one of 90 filled to a quarter; with 16,384 slots
/// in one of 14 filled to a quarter: give a table eight slots a connection.
///
/// **Slots.** Each has a tag of 12 bits (the key folded, under its bucket in the other half) beside
/// its value, and its key in four words of 72 bits; what is left of the key, up to four bits,
/// stands with the tag. The tags of a key's four slots are read first, then the key of each slot
/// whose tag agrees, until a word differs. A slot is believed when all of its key was compared: no
/// false hits. A tag that agrees by chance costs two to five cycles.
///
/// **Lookups**: the result is offered [`HashTable::LATENCY`] cycles after a lookup found the table
/// at rest if the key is there, in a bucket's first slot one earlier, and [`HashTable::MISS`]
/// cycles if no tag agrees; results come in the order of the lookups, at most [`HashTable::PERIOD`]
/// cycles after one another. A key stands at its port for the first seven cycles, in which it is
/// read and hashed word by word, and is kept in a RAM.
///
/// **Updates**: one at a time; the next is taken when the answer is. An insertion passes like a
/// lookup, which waits for it no more than twenty cycles. A removal takes out all entries whose
/// value agrees with the given one in the low bits that [`HashTable::new`] was told: a bucket every
/// five cycles, between lookups. Nothing is read while an update writes, so a lookup sees it wholly
/// or not at all; one taken after the answer was offered sees it.
///
/// After reset `ready` is low for `2^S` cycles, in which all slots are emptied and nothing is
/// taken.
#[block(clock)]
pub struct HashTable<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize> {
    /// Synchronous reset: empties the table.
    pub reset: Signal<In, Bit>,
    /// Random bits, taken until `ready`.
    pub secret: Signal<In, Bits<SECRET>>,
    /// The table is empty and in service.
    pub ready: Signal<Out, Bit>,
    /// Keys to look up.
    pub lookup: LookupSink<KEY>,
    /// Results in their order.
    pub found: FoundSource<VALUE>,
    /// Keys to insert, values to remove.
    pub change: UpdateSink<KEY, VALUE>,
    /// An answer to each.
    pub answer: AnswerSource,
    /// The slot emptied after reset; the bucket searched by a removal.
    sweep: Reg<Bits<S>>,
    scrubbed: Reg<Bit>,
    turn: Reg<Turn>,
    /// The removal under way has found something.
    gone: Reg<Bit>,
    reply_code: Flop<Bits<2>>,
    hash: HashBuckets<KEY, SECRET, S>,
    search: HashSearch<VALUE, S>,
    done: Const<Bits<2>>,
    absent: Const<Bits<2>>,
    buckets: Const<Bits<S>>,
}

impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize>
    HashTable<KEY, SECRET, VALUE, S>
{
    /// Cycles from the offer of a lookup to the offer of its result, if its key lies in a second
    /// slot, no other slot's tag agrees and nothing else is under way.
    pub const LATENCY: u64 = 17;

    /// The same if no tag agrees.
    pub const MISS: u64 = 13;

    /// Cycles from the offer of a lookup to its transfer, if nothing else is under way.
    pub const TRANSFER: u64 = 6;

    /// Cycles from one lookup to the next at most, under the same conditions.
    pub const PERIOD: u64 = 8;

    /// An empty table. A removal compares the low `same` bits of values.
    pub fn new(same: usize) -> Self {
        let code = |answer: Answer| Const::of(answer as usize);
        Self {
            hash: HashBuckets::new(),
            search: HashSearch::new(same),
            done: code(Answer::Done),
            absent: code(Answer::Absent),
            buckets: Const::of((1 << (S - 2)) - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize> Logic
    for HashTable<KEY, SECRET, VALUE, S>
{
    fn update(&mut self) {
        regs!(sweep, scrubbed, turn);
        flops!(gone, reply_code);
        parts!(hash, search);
        let sweep_up: Bits<S> = self.sweep.q.val() + 1;
        self.gone.reset.next = self.turn.q.val() == Turn::Idle;
        self.ready.next = self.scrubbed.q.val();
        FoundSource::<VALUE>::link(&mut self.found, &mut self.search.found);
        self.answer.code.next = self.reply_code.q.val();
        self.answer.valid.next = self.turn.q.val() == Turn::Reply;

        // In: an insertion closes the door to lookups until its key is read.
        self.hash.secret.next = self.secret.val();
        self.hash.fill.next = !self.scrubbed.q.val();
        self.hash.fill_row.next = self.sweep.q.val().get_bits::<4>(0);
        self.hash.lookup_key.next = self.lookup.key.val();
        self.hash.change_key.next = self.change.key.val();
        self.hash.inserts.next = self.turn.q.val() == Turn::Read;
        self.hash.d_valid.next = (self.lookup.valid.val() && self.scrubbed.q.val())
            && (self.hash.reading.val() || !(self.turn.q.val() == Turn::Claim));
        self.lookup.ready.next = self.hash.last.val() && !(self.turn.q.val() == Turn::Read);
        self.change.ready.next =
            (self.turn.q.val() == Turn::Name) || ((self.turn.q.val() == Turn::Read) && self.hash.last.val());
        if self.turn.q.val() == Turn::Read {
            self.hash.d_valid.next = self.change.valid.val();
        }

        // From the hash to the slots.
        self.hash.take.next = self.hash.valid.val() && self.search.open.val();
        self.search.part.next = self.hash.part.val();
        self.search.part_index.next = self.hash.part_index.val();
        self.search.part_turn.next = self.hash.part_turn.val();
        self.search.part_valid.next = self.hash.part_valid.val();
        self.search.left.next = self.hash.left.val();
        self.search.right.next = self.hash.right.val();
        self.search.fold.next = self.hash.fold.val();
        self.search.rest.next = self.hash.rest.val();
        self.search.insertion.next = self.hash.insertion.val();
        self.search.offered_turn.next = self.hash.turn.val();
        self.search.valid.next = self.hash.valid.val();
        self.search.sweep.next = self.turn.q.val() == Turn::Sweep;
        self.search.sweep_slot.next = self.sweep.q.val();
        self.search.blank.next = !self.scrubbed.q.val();
        self.search.load_value.next = self.change.valid.val()
            && ((self.turn.q.val() == Turn::Name)
                || ((self.turn.q.val() == Turn::Read) && self.hash.last.val()));
        self.search.value.next = self.change.value.val();
        if self.search.removed.val() {
            self.gone.d.next = true;
        }

        match self.turn.q.val() {
            Turn::Idle => {
                if self.change.valid.val() && self.scrubbed.q.val() {
                    self.turn.d.next = Turn::Claim;
                    if self.change.remove.val() {
                        self.turn.d.next = Turn::Name;
                    }
                }
            }
            Turn::Claim => {
                if !self.hash.reading.val() {
                    self.turn.d.next = Turn::Read;
                }
            }
            Turn::Read => {
                if self.change.valid.val() && self.hash.last.val() {
                    self.turn.d.next = Turn::Insert;
                }
            }
            Turn::Insert => {
                self.reply_code.d.next = self.search.code.val();
                if self.search.inserted.val() {
                    self.turn.d.next = Turn::Reply;
                }
            }
            Turn::Name => {
                if self.change.valid.val() {
                    self.turn.d.next = Turn::Sweep;
                }
            }
            Turn::Sweep => {
                self.reply_code.d.next = self.absent.val();
                if self.gone.q.val() {
                    self.reply_code.d.next = self.done.val();
                }
                if self.search.swept.val() {
                    self.sweep.d.next = sweep_up & self.buckets.val();
                    if self.sweep.q.val() == self.buckets.val() {
                        self.turn.d.next = Turn::Reply;
                    }
                }
            }
            Turn::Reply => {
                if self.answer.ready.val() {
                    self.turn.d.next = Turn::Idle;
                }
            }
            _ => {}
        }
        if !self.scrubbed.q.val() {
            self.sweep.d.next = sweep_up;
            self.scrubbed.d.next = self.sweep.q.val().all();
        }
    }
}
