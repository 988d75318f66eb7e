// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests of the host: writes of registers, doorbells, and what wants a completion.
use super::bar_ports::{Bell, Fault, Owed, Put};
use super::reg_map::{RegMap, PARTS};
use super::rx_judge::RxJudge;
use super::rx_take::RxTake;
use crate::gen::consts::edge_error;
use crate::prelude::*;
use crate::stream::{ItemSource, Queue, StreamSink};

/// log2 of the completions that can be owed at once.
const OWED: usize = 4;

/// Takes requests and messages and judges them.
///
/// **Contract.** What is posted is taken at once (D6), a beat a cycle (above 64 bits with a cycle
/// between TLPs), without a look at what becomes of it.
/// Requests that want a completion wait in a queue of 16; `np_ok` falls when half of it is full,
/// and the block in front then holds such requests back (and lets posted ones pass). If it does
/// not, the queue's overflow is a fault (`malformed`) and that request is never answered.
///
/// `G` = 1 + log2 of the doorbell pages of queues, as in `RxJudge`.
///
/// A register is written from registers of this block: `put` stands for one cycle, and its part
/// takes it.
///
/// **Timing.** Three cycles from a request's last beat to `bell`, four to `put` and `owed`.
#[block]
pub struct RxReq<const W: usize, const K: usize, const NB: usize, const G: usize> {
    /// TLPs that are no completions.
    pub req: StreamSink<W, K>,
    /// The BAR that the request hit, beside each beat: bit 0 BAR0, bit 1 BAR2, bit 2 BAR4.
    pub req_bar_hit: Signal<In, Bits<3>>,
    /// Requests that want a completion may come.
    pub np_ok: Signal<Out, Bit>,
    /// A register is written.
    pub put: Signal<Out, Put>,
    /// By the part that has it, a bit each.
    pub put_to: Signal<Out, Bits<PARTS>>,
    /// A doorbell rings.
    pub bell: Signal<Out, Bell>,
    /// It does now; it must be taken.
    pub bell_valid: Signal<Out, Bit>,
    /// A completion that is owed.
    pub owed: ItemSource<Owed>,
    /// What was wrong.
    pub fault: Signal<Out, Fault>,
    /// Something was.
    pub fault_valid: Signal<Out, Bit>,

    take: RxTake<W, K, NB>,
    judge: RxJudge<G>,
    map: RegMap,
    queue: Queue<Owed, OWED>,
    count: Reg<Bits<5>>,
    room: Reg<Bit>,
    /// Registers still to be written.
    puts: Reg<Bits<2>>,
    write: Flop<Put>,
    high: Flop<Bits<32>>,
    about: Flop<Fault>,
    wrong: Reg<Bit>,
    ring: Flop<Bell>,
    rings: Reg<Bit>,
    answer: Flop<Owed>,
    answers: Reg<Bit>,
}

impl<const W: usize, const K: usize, const NB: usize, const G: usize> RxReq<W, K, NB, G> {
    /// Nothing under way; the device has `2^qps_log2` queue pairs, and a completion queue a page.
    pub fn new(qps_log2: usize) -> Self {
        Self {
            take: RxTake::new(),
            judge: RxJudge::new(),
            map: RegMap::new(qps_log2, G - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const NB: usize, const G: usize> Logic for RxReq<W, K, NB, G> {
    fn update(&mut self) {
        regs!(count, room, puts, wrong, rings, answers);
        flops!(write, high, about, ring, answer);
        parts!(take, queue);
        StreamSink::<W, K>::link(&mut self.req, &mut self.take.rx);
        self.take.bar_hit.next = self.req_bar_hit.val();
        self.judge.d.next = self.take.q.val();

        // One request is judged a cycle; its second register is written in the cycle behind.
        let data: Bits<64> = self.judge.data.val();
        self.puts.d.next = 0.into();
        self.rings.d.next = false;
        self.answers.d.next = false;
        self.wrong.d.next = false;
        self.about.d.next = self.judge.fault.val();
        self.ring.d.next = self.judge.bell.val();
        self.answer.d.next = self.judge.owed.val();
        self.high.d.next = data.get_bits::<32>(32);
        if self.puts.q.val() == 2 {
            self.puts.d.next = 1.into();
            self.write.d.next.data = self.high.q.val();
            self.write.d.next.addr = self.write.q.val().addr + lit::<12>(4);
            self.about.d.next = self.about.q.val();
        }
        if self.take.q_valid.val() {
            self.puts.d.next = self.judge.puts.val();
            self.write.d.next.bar4 = self.judge.bar4.val();
            self.write.d.next.addr = self.judge.addr.val();
            self.write.d.next.data = data.get_bits::<32>(0);
            self.about.d.next = self.judge.fault.val();
            self.rings.d.next = self.judge.is_bell.val();
            self.answers.d.next = self.judge.owed_valid.val();
            self.wrong.d.next = self.judge.fault_valid.val();
        }

        // Writes of registers.
        self.map.at.next.bar4 = self.write.q.val().bar4;
        self.map.at.next.addr = self.write.q.val().addr;
        let writes: Bit = self.puts.q.val().any();
        let known: Bit = self.map.readable.val() || self.map.writable.val();
        self.put.next = self.write.q.val();
        self.put_to.next = 0.into();
        if writes && self.map.writable.val() {
            self.put_to.next = self.map.whose.val();
        }
        self.bell.next = self.ring.q.val();
        self.bell_valid.next = self.rings.q.val();
        self.fault.next = self.about.q.val();
        self.fault_valid.next = self.wrong.q.val();
        if writes && !self.map.writable.val() {
            self.fault_valid.next = true;
            self.fault.next.kind = edge_error::address().val();
            if known {
                self.fault.next.kind = edge_error::refused().val();
            }
        }

        // Completions that are owed.
        self.queue.rx.item.next = self.answer.q.val();
        self.queue.rx.valid.next = self.answers.q.val();
        if self.answers.q.val() && !self.queue.rx.ready.val() {
            self.fault_valid.next = true;
            self.fault.next.kind = edge_error::malformed().val();
        }
        ItemSource::<Owed>::link(&mut self.owed, &mut self.queue.tx);
        let count_up: Bits<5> = self.count.q.val() + 1;
        let count_down: Bits<5> = self.count.q.val() - 1;
        if self.answers.q.val() && self.queue.rx.ready.val() {
            if !(self.owed.valid.val() && self.owed.ready.val()) {
                self.count.d.next = count_up;
            }
        } else if self.owed.valid.val() && self.owed.ready.val() {
            self.count.d.next = count_down;
        }
        self.room.d.next = self.count.q.val() < lit::<5>(1 << (OWED - 1));
        self.np_ok.next = self.room.q.val();
    }
}
