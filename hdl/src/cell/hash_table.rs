//! Hash table with a secret: finds a connection by its 4-tuple.
use super::hash_entry::Entry;
use super::hash_ports::{Answer, AnswerSource, FoundSource, LookupSink, UpdateSink};
use super::{Const, Flop, Reg, Sdp};
use rust_hdl::prelude::*;

/// Exact table from keys of `KEY` bits to values of `VALUE` bits: two halves of `2^A` buckets with two slots
/// each, `4 * 2^A` entries at most.
///
/// **Hash.** Toeplitz, as in receive side scaling: bit `2j` (of the left half's bucket, `2j + 1` of the right
/// half's) is the parity of the key under the window of `secret` that starts there. A key cannot be aimed at a
/// bucket without the secret, so it must be all random: no expansion from a shorter seed, which would leave
/// differences that collide under every seed. `secret` is taken while `ready` is low; a change later has no
/// effect before the next reset. `SECRET` >= `KEY + 2 * A - 1`; 320 bits serve 289 bits of key and A <= 16.
///
/// **Placement.** A key goes to the half whose bucket has more free slots, left if equal; entries never move.
/// When both buckets are full the answer is *full*. With 2,048 slots (`A` = 9) random keys met it in none of 3,000
/// tables filled to an eighth, in one of 90 filled to a quarter; with 16,384 slots in one of 14 filled to a
/// quarter: give a table eight slots a connection. Keys are compared whole: no false hits.
///
/// **Lookups**: one a cycle, result [`HashTable::LATENCY`] cycles later in the order of the lookups; an update
/// takes two of the cycles. While a result is not taken everything holds: `lookup.ready` follows `found.ready`
/// combinationally.
///
/// **Updates**: one at a time; the next is taken when the answer is. An entry is one RAM word, so a lookup sees
/// an update wholly or not at all; one taken after the answer was offered sees it.
///
/// After reset `ready` is low for `2^A` cycles, in which all slots are emptied and nothing is taken.
#[derive(LogicBlock, Default)]
pub struct HashTable<const KEY: usize, const SECRET: usize, const VALUE: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
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
    /// Keys to insert or remove.
    pub change: UpdateSink<KEY, VALUE>,
    /// An answer to each.
    pub answer: AnswerSource,

    sweep: Reg<Bits<A>>,
    scrubbed: Reg<Bit>,
    window: Flop<Bits<SECRET>>,
    advance: Signal<Local, Bit>,
    take_lookup: Signal<Local, Bit>,
    take_change: Signal<Local, Bit>,

    // the update in work
    work_key: Flop<Bits<KEY>>,
    work_value: Flop<Bits<VALUE>>,
    work_remove: Flop<Bit>,
    busy: Reg<Bit>,
    waits: Reg<Bit>,
    work_left: Flop<Bits<A>>,
    work_right: Flop<Bits<A>>,

    // stage 0: key, hashed in this cycle; 1: buckets, read; 2: slots, compared; 3: hits, judged
    key: [Flop<Bits<KEY>>; 3],
    asks: [Reg<Bit>; 4],
    changes: [Reg<Bit>; 4],
    parity: Signal<Local, Bit>,
    left_hash: Signal<Local, Bits<A>>,
    right_hash: Signal<Local, Bits<A>>,
    left: Flop<Bits<A>>,
    right: Flop<Bits<A>>,
    /// Slots 0 and 1 of the left half, 2 and 3 of the right one.
    slot: [Sdp<Entry<KEY, VALUE>, A>; 4],
    read: Signal<Local, Entry<KEY, VALUE>>,
    hit: [Flop<Bit>; 4],
    free: [Flop<Bit>; 4],
    stored: [Flop<Bits<VALUE>>; 4],
    any_hit: Signal<Local, Bit>,
    value: Signal<Local, Bits<VALUE>>,
    any_free: Signal<Local, Bit>,
    go_right: Signal<Local, Bit>,
    code: Signal<Local, Bits<2>>,
    done: Const<Bits<2>>,
    present: Const<Bits<2>>,
    full: Const<Bits<2>>,
    absent: Const<Bits<2>>,
    result_hit: Flop<Bit>,
    result_value: Flop<Bits<VALUE>>,
    result_valid: Reg<Bit>,
    reply_code: Flop<Bits<2>>,
    reply_valid: Reg<Bit>,
    /// Slots written in this cycle, as they shall be.
    strike: [Reg<Bit>; 4],
    strike_taken: Flop<Bit>,
    entry: Signal<Local, Entry<KEY, VALUE>>,
}

impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const A: usize>
    HashTable<KEY, SECRET, VALUE, A>
{
    /// Cycles from the transfer of a lookup to the offer of its result.
    pub const LATENCY: u64 = 5;

    /// An empty table.
    pub fn new() -> Self {
        assert!(A >= 1 && SECRET >= KEY + 2 * A - 1, "{SECRET} bits of secret for a key of {KEY}");
        let code = |answer: Answer| Const::of(answer as usize);
        Self {
            done: code(Answer::Done),
            present: code(Answer::Present),
            full: code(Answer::Full),
            absent: code(Answer::Absent),
            ..Default::default()
        }
    }
}

impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const A: usize> Logic
    for HashTable<KEY, SECRET, VALUE, A>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sweep, scrubbed, window, work_key, work_value, work_remove, busy, waits);
        dff_setup!(self, clock, work_left, work_right, left, right, strike_taken);
        dff_setup!(self, clock, result_hit, result_value, result_valid, reply_code, reply_valid);
        self.sweep.reset.next = self.reset.val();
        self.scrubbed.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.waits.reset.next = self.reset.val();
        self.result_valid.reset.next = self.reset.val();
        self.reply_valid.reset.next = self.reset.val();
        for i in 0..3 {
            self.key[i].clock.next = self.clock.val();
            self.key[i].d.next = self.key[i].q.val();
        }
        for i in 0..4 {
            self.asks[i].clock.next = self.clock.val();
            self.asks[i].reset.next = self.reset.val();
            self.asks[i].d.next = self.asks[i].q.val();
            self.changes[i].clock.next = self.clock.val();
            self.changes[i].reset.next = self.reset.val();
            self.changes[i].d.next = self.changes[i].q.val();
            self.hit[i].clock.next = self.clock.val();
            self.hit[i].d.next = self.hit[i].q.val();
            self.free[i].clock.next = self.clock.val();
            self.free[i].d.next = self.free[i].q.val();
            self.stored[i].clock.next = self.clock.val();
            self.stored[i].d.next = self.stored[i].q.val();
            self.strike[i].clock.next = self.clock.val();
            self.strike[i].reset.next = self.reset.val();
            self.strike[i].d.next = false;
            self.slot[i].clock.next = self.clock.val();
        }
        self.ready.next = self.scrubbed.q.val();
        self.found.hit.next = self.result_hit.q.val();
        self.found.value.next = self.result_value.q.val();
        self.found.valid.next = self.result_valid.q.val();
        self.answer.code.next = self.reply_code.q.val();
        self.answer.valid.next = self.reply_valid.q.val();
        self.advance.next = self.found.ready.val() || !self.result_valid.q.val();

        // An update enters in a cycle of its own. When it is in stage 2 no lookup is taken: the one taken then
        // would read in the cycle in which the update writes.
        self.take_lookup.next = ((self.advance.val() && self.scrubbed.q.val()) && !self.waits.q.val())
            && !self.changes[2].q.val();
        self.lookup.ready.next = self.take_lookup.val();
        self.take_change.next = self.scrubbed.q.val() && !self.busy.q.val();
        self.change.ready.next = self.take_change.val();
        if self.advance.val() {
            self.key[0].d.next = self.lookup.key.val();
            self.asks[0].d.next = self.lookup.valid.val() && self.take_lookup.val();
            self.changes[0].d.next = self.waits.q.val();
            if self.waits.q.val() {
                self.key[0].d.next = self.work_key.q.val();
                self.waits.d.next = false;
            }
        }
        if self.reply_valid.q.val() && self.answer.ready.val() {
            self.reply_valid.d.next = false;
            self.busy.d.next = false;
        }
        if self.change.valid.val() && self.take_change.val() {
            self.work_key.d.next = self.change.key.val();
            self.work_value.d.next = self.change.value.val();
            self.work_remove.d.next = self.change.remove.val();
            self.busy.d.next = true;
            self.waits.d.next = true;
        }

        self.left_hash.next = 0.into();
        self.right_hash.next = 0.into();
        for j in 0..A {
            self.parity.next = (self.key[0].q.val() & self.window.q.val().get_bits::<KEY>(2 * j)).xor();
            self.left_hash.next = (self.left_hash.val() << 1) | bit_cast::<A, 1>(self.parity.val().into());
            self.parity.next = (self.key[0].q.val() & self.window.q.val().get_bits::<KEY>(2 * j + 1)).xor();
            self.right_hash.next = (self.right_hash.val() << 1) | bit_cast::<A, 1>(self.parity.val().into());
        }
        if self.advance.val() {
            self.left.d.next = self.left_hash.val();
            self.right.d.next = self.right_hash.val();
            for i in 0..2 {
                self.key[i + 1].d.next = self.key[i].q.val();
            }
            for i in 0..3 {
                self.asks[i + 1].d.next = self.asks[i].q.val();
                self.changes[i + 1].d.next = self.changes[i].q.val();
            }
            if self.changes[1].q.val() {
                self.work_left.d.next = self.left.q.val();
                self.work_right.d.next = self.right.q.val();
            }
        }
        for i in 0..4 {
            self.read.next = self.slot[i].read_data.val();
            if self.advance.val() {
                self.hit[i].d.next = self.read.val().taken && (self.read.val().key == self.key[2].q.val());
                self.free[i].d.next = !self.read.val().taken;
                self.stored[i].d.next = self.read.val().value;
            }
        }

        self.any_hit.next = false;
        self.any_free.next = false;
        self.value.next = 0.into();
        for i in 0..4 {
            if self.hit[i].q.val() {
                self.any_hit.next = true;
                self.value.next = self.stored[i].q.val();
            }
            if self.free[i].q.val() {
                self.any_free.next = true;
            }
        }
        self.go_right.next = ((self.free[2].q.val() && self.free[3].q.val())
            && !(self.free[0].q.val() && self.free[1].q.val()))
            || ((self.free[2].q.val() || self.free[3].q.val())
                && !(self.free[0].q.val() || self.free[1].q.val()));
        self.code.next = self.done.val();
        if self.work_remove.q.val() {
            if !self.any_hit.val() {
                self.code.next = self.absent.val();
            }
        } else {
            if self.any_hit.val() {
                self.code.next = self.present.val();
            } else if !self.any_free.val() {
                self.code.next = self.full.val();
            }
        }
        if self.advance.val() {
            self.result_valid.d.next = self.asks[3].q.val();
            self.result_hit.d.next = self.any_hit.val();
            self.result_value.d.next = self.value.val();
            if self.changes[3].q.val() {
                self.reply_valid.d.next = true;
                self.reply_code.d.next = self.code.val();
                self.strike_taken.d.next = !self.work_remove.q.val();
                if self.work_remove.q.val() {
                    for i in 0..4 {
                        self.strike[i].d.next = self.hit[i].q.val();
                    }
                } else if self.code.val() == self.done.val() {
                    self.strike[0].d.next = !self.go_right.val() && self.free[0].q.val();
                    self.strike[1].d.next = !self.go_right.val() && !self.free[0].q.val();
                    self.strike[2].d.next = self.go_right.val() && self.free[2].q.val();
                    self.strike[3].d.next = self.go_right.val() && !self.free[2].q.val();
                }
            }
        }

        self.entry.next.key = self.work_key.q.val();
        self.entry.next.value = self.work_value.q.val();
        self.entry.next.taken = self.strike_taken.q.val() && self.scrubbed.q.val();
        for i in 0..4 {
            self.slot[i].read_enable.next = self.advance.val();
            self.slot[i].write_enable.next = self.strike[i].q.val() || !self.scrubbed.q.val();
            self.slot[i].write_data.next = self.entry.val();
        }
        for i in 0..2 {
            self.slot[i].read_address.next = self.left.q.val();
            self.slot[i + 2].read_address.next = self.right.q.val();
            self.slot[i].write_address.next = self.work_left.q.val();
            self.slot[i + 2].write_address.next = self.work_right.q.val();
        }
        if !self.scrubbed.q.val() {
            for i in 0..4 {
                self.slot[i].write_address.next = self.sweep.q.val();
            }
            self.window.d.next = self.secret.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.scrubbed.d.next = self.sweep.q.val().all();
        }
    }
}
