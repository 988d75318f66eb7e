// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counters of each queue pair.
use super::bar_ports::Ask;
use crate::mpa::verdict;
use crate::prelude::*;
use crate::record::{TxFact, TxFpdu};
use crate::stream::Queue;
use crate::tcp::timer_kind;
use ferrowarp_abi::host::counters::{QP_COUNTERS, QP_PLACES};

/// log2 of the places of a queue pair.
const PLACE: usize = 3;

/// What is added to which counter.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Tally {
    /// Queue pair.
    pub qp: Bits<8>,
    /// One of `QP_COUNTERS`.
    pub place: Bits<3>,
    /// How many.
    pub add: Bits<16>,
}

/// Saturating counters of 32 bits of `2^C` queue pairs, at most 64, eight places each, in one RAM
/// of `2^A` words, `A = C + 3`. It listens to the channels between the stages and takes part in
/// none.
///
/// **Contract.** After reset the counters are zero, and read so while they are cleared, which takes
/// longer than a reader waits. `ask` is answered by `say` within five cycles. A change is written
/// every second cycle.
/// A segment that leaves again makes two, a segment from the wire one, and both have ten beats at
/// least with the gap that Ethernet wants between them; the others come once a connection, or in a
/// burst of one a connection. So a queue of eight changes for each source is never full.
#[block(clock)]
pub struct QpCounters<const C: usize, const A: usize> {
    /// Synchronous reset; the counters are then cleared, `2^A` cycles.
    pub reset: Signal<In, Bit>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now, and it is a counter.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    /// A fact that receive tells transmit.
    pub fact_item: Signal<In, TxFact>,
    /// Receive offers the fact.
    pub fact_valid: Signal<In, Bit>,
    /// Transmit takes the fact.
    pub fact_ready: Signal<In, Bit>,
    /// A segment on its way to TCP.
    pub seg_item: Signal<In, TxFpdu>,
    /// The segment is offered.
    pub seg_valid: Signal<In, Bit>,
    /// TCP takes the segment.
    pub seg_ready: Signal<In, Bit>,
    /// Connection whose timer tells something.
    pub timer_qp: Signal<In, Bits<C>>,
    /// One of `timer_kind`.
    pub timer_kind: Signal<In, Bits<2>>,
    /// Pulse: the timer tells.
    pub timer_valid: Signal<In, Bit>,
    /// Connection of an FPDU or verdict.
    pub fpdu_conn: Signal<In, Bits<C>>,
    /// One of `verdict`.
    pub fpdu_verdict: Signal<In, Bits<3>>,
    /// MPA offers the FPDU.
    pub fpdu_valid: Signal<In, Bit>,
    /// DDP takes the FPDU.
    pub fpdu_ready: Signal<In, Bit>,

    ram: Sdp<Bits<32>, A>,
    facts: Queue<Bits<C>, 3>,
    segs: Queue<Tally, 3>,
    timers: Queue<Tally, C>,
    crcs: Queue<Bits<C>, 3>,
    /// Octets of the segment whose number was counted are next.
    half: Reg<Bit>,
    clearing: Reg<Bit>,
    clear: Reg<Bits<A>>,
    /// A change is read, then written.
    reads: Reg<Bit>,
    at: Flop<Bits<A>>,
    add: Flop<Bits<16>>,
    wanted: Flop<Bits<A>>,
    wants: Reg<Bit>,
    asked: Reg<Bit>,
    answer: Flop<Bits<32>>,
    answers: Reg<Bit>,
    fact: Signal<Local, TxFact>,
    seg: Signal<Local, TxFpdu>,
    again: Signal<Local, Tally>,
    now: Signal<Local, Tally>,
    some: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    k_segments: Const<Bits<3>>,
    k_octets: Const<Bits<3>>,
    k_duplicates: Const<Bits<3>>,
    k_timeouts: Const<Bits<3>>,
    k_fast: Const<Bits<3>>,
    k_probes: Const<Bits<3>>,
    timer: Signal<Local, Tally>,
    k_crcs: Const<Bits<3>>,
    full: Const<Bits<32>>,
}

/// The place of the counter of this name; panics at elaboration if there is none.
fn place(name: &str) -> Const<Bits<3>> {
    let place = QP_COUNTERS.iter().position(|c| c.name == name);
    Const::of(place.unwrap_or_else(|| panic!("`{name}` is no counter of a queue pair")))
}

impl<const C: usize, const A: usize> QpCounters<C, A> {
    /// All zero; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(A == C + PLACE && QP_PLACES == 1 << PLACE && C <= 6, "QpCounters<{C}, {A}>");
        Self {
            clearing: Reg::new(true),
            k_segments: place("retransmitted_segments"),
            k_octets: place("regenerated_octets"),
            k_duplicates: place("duplicate_acks"),
            k_timeouts: place("timeouts"),
            k_fast: place("fast_retransmits"),
            k_probes: place("probes"),
            k_crcs: place("crc_errors"),
            full: Const::of(0xffff_ffff),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const A: usize> Logic for QpCounters<C, A> {
    fn update(&mut self) {
        regs!(half, clearing, clear, reads, wants, asked, answers);
        flops!(at, add, wanted, answer);
        parts!(facts, segs, timers, crcs);
        clocked!(ram);

        // What passes.
        self.fact.next = self.fact_item.val();
        self.facts.rx.item.next = bit_cast::<C, 8>(self.fact.val().qp);
        self.facts.rx.valid.next = self.fact_valid.val() && self.fact_ready.val() && self.fact.val().is_dup;
        self.seg.next = self.seg_item.val();
        self.again.next.qp = self.seg.val().qp;
        self.again.next.place = self.k_segments.val();
        self.again.next.add = self.seg.val().octets;
        self.segs.rx.item.next = self.again.val();
        self.segs.rx.valid.next = self.seg_valid.val() && self.seg_ready.val() && self.seg.val().replay;
        self.timer.next.qp = bit_cast::<8, C>(self.timer_qp.val());
        self.timer.next.add = lit::<16>(1);
        self.timer.next.place = self.k_timeouts.val();
        if self.timer_kind.val() == lit::<2>(timer_kind::DUPLICATES) {
            self.timer.next.place = self.k_fast.val();
        } else if self.timer_kind.val() == lit::<2>(timer_kind::PROBE) {
            self.timer.next.place = self.k_probes.val();
        }
        self.timers.rx.item.next = self.timer.val();
        self.timers.rx.valid.next = self.timer_valid.val();
        self.crcs.rx.item.next = self.fpdu_conn.val();
        self.crcs.rx.valid.next = self.fpdu_valid.val()
            && self.fpdu_ready.val()
            && (self.fpdu_verdict.val() == lit::<3>(verdict::CRC));

        // First step, while none is written: a reader, or the next change.
        self.now.next = self.segs.tx.item.val();
        self.some.next = false;
        self.facts.tx.ready.next = false;
        self.segs.tx.ready.next = false;
        self.timers.tx.ready.next = false;
        self.crcs.tx.ready.next = false;
        if !self.reads.q.val() && !self.wants.q.val() && !self.clearing.q.val() {
            if self.facts.tx.valid.val() {
                self.some.next = true;
                self.facts.tx.ready.next = true;
                self.now.next.qp = bit_cast::<8, C>(self.facts.tx.item.val());
                self.now.next.place = self.k_duplicates.val();
                self.now.next.add = lit::<16>(1);
            } else if self.segs.tx.valid.val() {
                self.some.next = true;
                self.half.d.next = !self.half.q.val();
                self.segs.tx.ready.next = self.half.q.val();
                if self.half.q.val() {
                    self.now.next.place = self.k_octets.val();
                } else {
                    self.now.next.add = lit::<16>(1);
                }
            } else if self.timers.tx.valid.val() {
                self.some.next = true;
                self.timers.tx.ready.next = true;
                self.now.next = self.timers.tx.item.val();
            } else if self.crcs.tx.valid.val() {
                self.some.next = true;
                self.crcs.tx.ready.next = true;
                self.now.next.qp = bit_cast::<8, C>(self.crcs.tx.item.val());
                self.now.next.place = self.k_crcs.val();
                self.now.next.add = lit::<16>(1);
            }
        }
        let place: Bits<A> =
            bit_cast::<A, 3>(self.now.val().place) | (bit_cast::<A, 8>(self.now.val().qp) << 3);
        self.reads.d.next = self.some.val();
        self.at.d.next = place;
        self.add.d.next = self.now.val().add;
        self.ram.read_enable.next = true;
        self.ram.read_address.next = place;
        self.asked.d.next = false;
        if self.wants.q.val() && !self.reads.q.val() {
            self.ram.read_address.next = self.wanted.q.val();
            self.asked.d.next = true;
            self.wants.d.next = false;
        }

        // Second step: added and written.
        let old: Bits<33> = bit_cast::<33, 32>(self.ram.read_data.val());
        let sum: Bits<33> = old + bit_cast::<33, 16>(self.add.q.val());
        self.value.next = bit_cast::<32, 33>(sum);
        if sum.get_bit(32) {
            self.value.next = self.full.val();
        }
        self.ram.write_enable.next = self.reads.q.val();
        self.ram.write_address.next = self.at.q.val();
        self.ram.write_data.next = self.value.val();
        if self.clearing.q.val() {
            self.clear.d.next = self.clear.q.val() + 1;
            self.clearing.d.next = !self.clear.q.val().all();
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.clear.q.val();
            self.ram.write_data.next = 0.into();
        }

        // A reader.
        let asked_at: Bits<12> = self.ask.val().addr;
        let dword: Bits<10> = asked_at.get_bits::<10>(2);
        if self.ask_valid.val() {
            self.wants.d.next = !self.clearing.q.val();
            self.wanted.d.next = bit_cast::<A, 10>(dword);
        }
        self.answers.d.next = self.asked.q.val();
        self.answer.d.next = self.ram.read_data.val();
        if self.clearing.q.val() {
            self.answers.d.next = self.ask_valid.val();
            self.answer.d.next = 0.into();
        }
        self.say.next = self.answer.q.val();
        self.say_valid.next = self.answers.q.val();
    }
}
