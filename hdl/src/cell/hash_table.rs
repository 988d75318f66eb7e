//! Hash table with a secret: finds a connection by its 4-tuple.
use super::hash_buckets::HashBuckets;
use super::hash_entry::Entry;
use super::hash_ports::{Answer, AnswerSource, FoundSource, LookupSink, UpdateSink};
use super::{Const, Flop, Reg, Sdp};
use rust_hdl::prelude::*;

/// Where the update under way stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Turn {
    Idle,
    /// It is taken when the lookup in front of it has gone on to be hashed.
    Claim,
    /// Its key waits to be hashed.
    Hash,
    /// Its key is hashed and compared, its entry written.
    Insert,
    /// Bucket after bucket is searched for entries to remove.
    Sweep,
    Reply,
}

/// Exact table from keys of `KEY` bits to values of `VALUE` bits, with `2^S` slots: two halves of buckets with two
/// slots each.
///
/// **Hash.** Toeplitz, as in receive side scaling: bit `2j` (of the left half's bucket, `2j + 1` of the right
/// half's) is the parity of the key under the window of `secret` that starts there. A key cannot be aimed at a
/// bucket without the secret, so it must be all random: no expansion from a shorter seed, which would leave
/// differences that collide under every seed. `secret` is taken while `ready` is low; a change later has no
/// effect before the next reset. 320 bits of it serve 289 bits of key and S <= 16.
///
/// **Placement.** A key goes to the half whose bucket has more free slots, left if equal; entries never move.
/// When both buckets are full the answer is *full*. With 2,048 slots random keys met it in none of 3,000
/// tables filled to an eighth, in one of 90 filled to a quarter; with 16,384 slots in one of 14 filled to a
/// quarter: give a table eight slots a connection. Keys are compared whole: no false hits.
///
/// **Lookups**: one every [`HashTable::PERIOD`] cycles, result [`HashTable::LATENCY`] cycles later in the order of the
/// lookups. The key moves past the window, a bit of both buckets a cycle; its four slots are read and compared one
/// after the other. So there is one RAM, one comparator and one pair of parity trees.
///
/// **Updates**: one at a time; the next is taken when the answer is. An insertion passes like a lookup, which waits
/// for it no more than twenty cycles. A removal takes out all entries whose value agrees with the given one in the
/// low bits that [`HashTable::new`] was told: a bucket every seven cycles, between lookups. An entry is one RAM word, so
/// a lookup sees an update wholly or not at all; one taken after the answer was offered sees it.
///
/// After reset `ready` is low for `2^S` cycles, in which all slots are emptied and nothing is taken.
#[derive(LogicBlock, Default)]
pub struct HashTable<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize> {
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
    /// Keys to insert, values to remove.
    pub change: UpdateSink<KEY, VALUE>,
    /// An answer to each.
    pub answer: AnswerSource,

    /// The slot emptied after reset; the bucket searched by a removal.
    sweep: Reg<Bits<S>>,
    scrubbed: Reg<Bit>,
    window: Flop<Bits<SECRET>>,
    turn: Reg<Turn>,
    work_value: Flop<Bits<VALUE>>,
    /// The removal under way has found something.
    gone: Reg<Bit>,
    reply_code: Flop<Bits<2>>,

    // Keys that wait to be hashed. At most one of them is not zero, so no multiplexer stands behind them.
    asked: Reg<Bits<KEY>>,
    asked_full: Reg<Bit>,
    given: Reg<Bits<KEY>>,
    load: Signal<Local, Bit>,

    hash: HashBuckets<KEY, SECRET, S>,
    hash_inserts: Flop<Bit>,

    // The key being compared. Steps 0 to 3 read a slot each, 1 to 4 compare what was read, 5 judges, 8 to 11 write.
    busy: Reg<Bit>,
    step: Reg<Bits<4>>,
    inserts: Flop<Bit>,
    sweeps: Flop<Bit>,
    key: Flop<Bits<KEY>>,
    left: Flop<Bits<S>>,
    right: Flop<Bits<S>>,
    take: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    bucket: Signal<Local, Bits<S>>,
    address: Signal<Local, Bits<S>>,
    ram: Sdp<Entry<KEY, VALUE>, S>,
    read: Signal<Local, Entry<KEY, VALUE>>,
    differs: Signal<Local, Bits<VALUE>>,
    hit: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    /// Of the slots compared so far, the newest in bit 3: slots 0 and 1 of the left half, 2 and 3 of the right one.
    hits: Flop<Bits<4>>,
    free: Flop<Bits<4>>,
    stored: Flop<Bits<VALUE>>,
    any_hit: Signal<Local, Bit>,
    any_free: Signal<Local, Bit>,
    go_right: Signal<Local, Bit>,
    code: Signal<Local, Bits<2>>,
    picked: Signal<Local, Bits<4>>,
    writes: Signal<Local, Bit>,
    /// Slots that are still to be written, the next in bit 0.
    strike: Flop<Bits<4>>,
    entry: Signal<Local, Entry<KEY, VALUE>>,
    result_hit: Flop<Bit>,
    result_value: Reg<Bits<VALUE>>,
    result_valid: Reg<Bit>,
    done: Const<Bits<2>>,
    present: Const<Bits<2>>,
    full: Const<Bits<2>>,
    absent: Const<Bits<2>>,
    way_shift: Const<Bits<8>>,
    buckets: Const<Bits<S>>,
    same: Const<Bits<VALUE>>,
}

impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize>
    HashTable<KEY, SECRET, VALUE, S>
{
    /// Cycles from the transfer of a lookup to the offer of its result.
    pub const LATENCY: u64 = S as u64 + 6;

    /// Cycles from one lookup to the next.
    pub const PERIOD: u64 = if S > 8 { S as u64 - 2 } else { 6 };

    /// An empty table. A removal compares the low `same` bits of values.
    pub fn new(same: usize) -> Self {
        assert!(same <= VALUE, "{same} bits of a value of {VALUE}");
        let code = |answer: Answer| Const::of(answer as usize);
        Self {
            hash: HashBuckets::new(),
            done: code(Answer::Done),
            present: code(Answer::Present),
            full: code(Answer::Full),
            absent: code(Answer::Absent),
            way_shift: Const::of(S - 2),
            buckets: Const::of((1 << (S - 2)) - 1),
            same: Const::of((1 << same) - 1),
            turn: Reg::new(Turn::Idle),
            ..Default::default()
        }
    }
}

impl<const KEY: usize, const SECRET: usize, const VALUE: usize, const S: usize> Logic
    for HashTable<KEY, SECRET, VALUE, S>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ram, hash);
        dff_setup!(self, clock, sweep, scrubbed, window, turn, work_value, gone, reply_code);
        dff_setup!(self, clock, asked, asked_full, given, hash_inserts);
        dff_setup!(self, clock, busy, step, inserts, sweeps, key, left, right);
        dff_setup!(self, clock, hits, free, stored, strike, result_hit, result_value, result_valid);
        self.sweep.reset.next = self.reset.val();
        self.scrubbed.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.gone.reset.next = self.turn.q.val() == Turn::Idle;
        self.asked_full.reset.next = self.reset.val();
        self.hash.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.step.reset.next = self.reset.val();
        self.result_valid.reset.next = self.reset.val();
        self.ready.next = self.scrubbed.q.val();
        self.found.hit.next = self.result_hit.q.val();
        self.found.value.next = self.result_value.q.val();
        self.found.valid.next = self.result_valid.q.val();
        self.answer.code.next = self.reply_code.q.val();
        self.answer.valid.next = self.turn.q.val() == Turn::Reply;

        // In: an update closes the door to lookups until its key is hashed.
        self.lookup.ready.next = (self.scrubbed.q.val() && !self.asked_full.q.val())
            && !((self.turn.q.val() == Turn::Claim) || (self.turn.q.val() == Turn::Hash));
        if self.lookup.valid.val() && self.lookup.ready.val() {
            self.asked.d.next = self.lookup.key.val();
            self.asked_full.d.next = true;
        }
        self.change.ready.next = (self.turn.q.val() == Turn::Claim) && !self.asked_full.q.val();

        // Hash.
        self.hash.open.next = !self.busy.q.val()
            || ((self.step.q.val() == 5) && !(self.inserts.q.val() || self.sweeps.q.val()));
        self.hash.d_valid.next = self.asked_full.q.val() || (self.turn.q.val() == Turn::Hash);
        self.hash.d.next = self.asked.q.val() | self.given.q.val();
        self.hash.window.next = self.window.q.val();
        self.take.next = self.hash.takes.val();
        self.load.next = self.hash.loads.val();
        self.start.next = self.take.val()
            || (!self.busy.q.val() && (self.turn.q.val() == Turn::Sweep) && !self.hash.valid.val());
        self.asked.reset.next = self.reset.val() || self.load.val();
        self.given.reset.next = self.reset.val() || self.load.val();
        if self.load.val() {
            self.hash_inserts.d.next = self.turn.q.val() == Turn::Hash;
            self.asked_full.d.next = false;
        }

        // Compare. A result that is not taken stops the next lookup before it could touch it.
        self.go.next = self.busy.q.val()
            && !((self.step.q.val() == 1) && (self.result_valid.q.val() && !self.found.ready.val()));
        self.read.next = self.ram.read_data.val();
        self.differs.next = (self.read.val().value ^ self.work_value.q.val()) & self.same.val();
        self.hit.next = self.read.val().key == self.key.q.val();
        if self.sweeps.q.val() {
            self.hit.next = !self.differs.val().any();
        }
        self.hit.next = self.hit.val() && self.read.val().taken;
        self.empty.next = !self.read.val().taken;
        if self.go.val() {
            self.step.d.next = self.step.q.val() + 1;
            self.hits.d.next = (self.hits.q.val() >> 1) | (bit_cast::<4, 1>(self.hit.val().into()) << 3);
            self.free.d.next = (self.free.q.val() >> 1) | (bit_cast::<4, 1>(self.empty.val().into()) << 3);
            self.stored.d.next = self.read.val().value;
            if self.hits.q.val().get_bit(3) && (self.step.q.val().get_bit(1) || self.step.q.val().get_bit(2))
            {
                self.result_value.d.next = self.stored.q.val();
            }
        }
        self.result_value.reset.next = self.go.val() && (self.step.q.val() == 1);
        if self.found.ready.val() {
            self.result_valid.d.next = false;
        }

        // Judge.
        self.any_hit.next = self.hits.q.val().any();
        self.any_free.next = self.free.q.val().any();
        self.go_right.next = ((self.free.q.val().get_bit(2) && self.free.q.val().get_bit(3))
            && !(self.free.q.val().get_bit(0) && self.free.q.val().get_bit(1)))
            || ((self.free.q.val().get_bit(2) || self.free.q.val().get_bit(3))
                && !(self.free.q.val().get_bit(0) || self.free.q.val().get_bit(1)));
        self.code.next = self.done.val();
        self.picked.next = self.hits.q.val();
        self.writes.next = self.any_hit.val();
        if self.sweeps.q.val() {
            if !(self.any_hit.val() || self.gone.q.val()) {
                self.code.next = self.absent.val();
            }
        } else {
            self.writes.next = self.inserts.q.val() && (!self.any_hit.val() && self.any_free.val());
            if self.any_hit.val() {
                self.code.next = self.present.val();
            } else if !self.any_free.val() {
                self.code.next = self.full.val();
            }
            if self.go_right.val() {
                self.picked.next = 8.into();
                if self.free.q.val().get_bit(2) {
                    self.picked.next = 4.into();
                }
            } else {
                self.picked.next = 2.into();
                if self.free.q.val().get_bit(0) {
                    self.picked.next = 1.into();
                }
            }
        }
        self.ends.next = self.busy.q.val() && (self.step.q.val() == 11);
        if self.busy.q.val() && (self.step.q.val() == 5) {
            if self.inserts.q.val() || self.sweeps.q.val() {
                self.reply_code.d.next = self.code.val();
            }
            if self.sweeps.q.val() && self.any_hit.val() {
                self.gone.d.next = true;
            }
            self.strike.d.next = self.picked.val();
            self.result_hit.d.next = self.any_hit.val();
            self.result_valid.d.next = !(self.inserts.q.val() || self.sweeps.q.val());
            self.step.d.next = 8.into();
            self.ends.next = !self.writes.val();
        } else {
            self.strike.d.next = self.strike.q.val() >> 1;
        }
        if self.ends.val() {
            self.busy.d.next = false;
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.step.d.next = 0.into();
            self.inserts.d.next = self.hash_inserts.q.val() && self.take.val();
            self.sweeps.d.next = !self.take.val();
            self.left.d.next = self.sweep.q.val();
            self.right.d.next = self.sweep.q.val();
            if self.take.val() {
                self.left.d.next = self.hash.left.val();
                self.right.d.next = self.hash.right.val();
                self.key.d.next = self.hash.key.val();
            }
        }

        // The slots: one port reads in steps 0 to 3, the other one writes in steps 8 to 11.
        self.bucket.next = self.left.q.val();
        if self.step.q.val().get_bit(1) {
            self.bucket.next = self.right.q.val();
        }
        self.address.next = (bit_cast::<S, 2>(self.step.q.val().get_bits::<2>(0)) << self.way_shift.val())
            | self.bucket.val();
        self.ram.read_enable.next =
            self.go.val() && !(self.step.q.val().get_bit(2) || self.step.q.val().get_bit(3));
        self.ram.read_address.next = self.address.val();
        self.entry.next.key = self.key.q.val();
        self.entry.next.value = self.work_value.q.val();
        self.entry.next.taken = self.inserts.q.val() && self.scrubbed.q.val();
        self.ram.write_data.next = self.entry.val();
        self.ram.write_enable.next =
            (self.busy.q.val() && self.step.q.val().get_bit(3)) && self.strike.q.val().get_bit(0);
        self.ram.write_address.next = self.address.val();

        match self.turn.q.val() {
            Turn::Idle => {
                if self.change.valid.val() && self.scrubbed.q.val() {
                    self.turn.d.next = Turn::Claim;
                }
            }
            Turn::Claim => {
                if self.change.valid.val() && self.change.ready.val() {
                    self.work_value.d.next = self.change.value.val();
                    self.turn.d.next = Turn::Sweep;
                    if !self.change.remove.val() {
                        self.given.d.next = self.change.key.val();
                        self.turn.d.next = Turn::Hash;
                    }
                }
            }
            Turn::Hash => {
                if self.load.val() {
                    self.turn.d.next = Turn::Insert;
                }
            }
            Turn::Insert => {
                if self.ends.val() && self.inserts.q.val() {
                    self.turn.d.next = Turn::Reply;
                }
            }
            Turn::Sweep => {
                if self.ends.val() && self.sweeps.q.val() {
                    self.sweep.d.next = (self.sweep.q.val() + 1) & self.buckets.val();
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
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val();
            self.window.d.next = self.secret.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.scrubbed.d.next = self.sweep.q.val().all();
        }
    }
}
