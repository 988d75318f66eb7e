// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections in and out of the receive side.
use super::rx_record::RxRow;
use crate::cell::{Answer, AnswerSink, ScrubbedRam, UpdateSource};
use crate::gen::ConnRow;
use crate::prelude::*;

/// Where an insertion or a removal stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    Idle,
    /// Whether the connection has an entry comes out of its RAM.
    Fetch,
    /// The 4-tuple table is asked.
    Ask,
    /// It works.
    Wait,
    /// Its answer was good: the row is written or blanked.
    Row,
    /// Visible; frames that were looked up before go their way.
    Settle,
    /// The command is answered.
    Done,
}

/// Inserts and removes connections: first the 4-tuple table, then the row, then `ready` for one
/// cycle. An insertion is answered when the frames that came before it are settled, see
/// [`super::rx_fence::RxFence`]. `C` = log2 of the connections.
///
/// A connection is visible to segments from its row on. A key that is there already or finds no
/// slot changes nothing, nor does an insertion over a connection that was not removed (*present*):
/// `code` says so. A removal of what is not there answers *absent*. About twenty cycles for an
/// insertion, without the wait for frames; a removal searches the table, five cycles and more a
/// bucket. The table reads the key from the row while it is asked.
#[block(clock)]
pub struct RxSetup<const C: usize> {
    /// Synchronous reset; its RAM is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection to insert.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub ins_row: Signal<In, ConnRow>,
    /// Insertion offered.
    pub ins_valid: Signal<In, Bit>,
    /// Insertion done.
    pub ins_ready: Signal<Out, Bit>,
    /// Connection to remove.
    pub rem_qp: Signal<In, Bits<C>>,
    /// Removal offered.
    pub rem_valid: Signal<In, Bit>,
    /// Removal done.
    pub rem_ready: Signal<Out, Bit>,
    /// With either `ready`: the table's [`Answer`].
    pub code: Signal<Out, Bits<2>>,
    /// Updates of the 4-tuple table.
    pub change: UpdateSource<289, 12>,
    /// Their answers.
    pub answer: AnswerSink,
    /// Connection whose row is written.
    pub row_qp: Signal<Out, Bits<C>>,
    /// The row, blank for a removal.
    pub row: Signal<Out, RxRow>,
    /// VLAN of `ins_row`, as in [`super::rx_record::RxSegment`].
    pub vid: Signal<Out, Bits<12>>,
    /// First SND.NXT of an insertion.
    pub row_sent: Signal<Out, Bits<32>>,
    /// Row offered.
    pub row_valid: Signal<Out, Bit>,
    /// Row written.
    pub row_ready: Signal<In, Bit>,
    /// Pulse: a connection becomes visible.
    pub visible: Signal<Out, Bit>,
    /// Pulse: the frames that were looked up before are settled.
    pub settled: Signal<In, Bit>,
    step: Reg<Step>,
    removes: Flop<Bit>,
    qp: Flop<Bits<C>>,
    next_row: Flop<RxRow>,
    next_sent: Flop<Bits<32>>,
    said: Flop<Bits<2>>,
    age: Reg<Bits<4>>,
    /// Connections that have an entry.
    used: ScrubbedRam<Bit, C>,
    blank: Const<RxRow>,
    conn: Signal<Local, ConnRow>,
    fresh: Signal<Local, RxRow>,
}

impl<const C: usize> RxSetup<C> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize> Logic for RxSetup<C> {
    fn update(&mut self) {
        regs!(step, age);
        flops!(removes, qp, next_row, next_sent, said);
        parts!(used);

        self.conn.next = self.ins_row.val();
        let tci: Bits<16> = self.ins_row.val().vlan_tci;
        self.change.key.next = bit_cast::<289, 128>(self.conn.val().remote_ip)
            | (bit_cast::<289, 128>(self.conn.val().local_ip) << 128)
            | (bit_cast::<289, 16>(self.conn.val().remote_port) << 256)
            | (bit_cast::<289, 16>(self.conn.val().local_port) << 272)
            | (bit_cast::<289, 1>(self.conn.val().is_ipv6.into()) << 288);
        self.fresh.next.is_valid = true;
        self.fresh.next.age = self.age.q.val();
        self.fresh.next.is_closed = false;
        self.fresh.next.scale = self.conn.val().snd_scale;
        self.fresh.next.rcv_nxt = self.conn.val().rcv_nxt;
        self.fresh.next.una = self.conn.val().snd_una;
        self.fresh.next.wl1 = self.conn.val().snd_wl1;
        self.fresh.next.wl2 = self.conn.val().snd_wl2;
        self.fresh.next.window = self.conn.val().snd_wnd;
        self.fresh.next.most = self.conn.val().snd_wnd;
        self.fresh.next.is_late = false;
        self.fresh.next.side = false;
        self.vid.next = 0.into();
        if self.conn.val().has_vlan {
            self.vid.next = tci.get_bits::<12>(0);
        }

        self.used.read_enable.next = self.step.q.val() == Step::Idle;
        self.used.read_address.next = self.rem_qp.val();
        if self.ins_valid.val() {
            self.used.read_address.next = self.ins_qp.val();
        }
        self.used.write_enable.next = false;
        self.used.write_address.next = self.qp.q.val();
        self.used.write_data.next = !self.removes.q.val();
        self.change.value.next =
            bit_cast::<12, C>(self.qp.q.val()) | (bit_cast::<12, 4>(self.next_row.q.val().age) << 8);
        self.change.remove.next = self.removes.q.val();
        self.change.valid.next = self.step.q.val() == Step::Ask;
        self.answer.ready.next = self.step.q.val() == Step::Wait;
        self.row_qp.next = self.qp.q.val();
        self.row.next = self.next_row.q.val();
        self.row_sent.next = self.next_sent.q.val();
        self.row_valid.next = self.step.q.val() == Step::Row;
        self.ins_ready.next = (self.step.q.val() == Step::Done) && !self.removes.q.val();
        self.rem_ready.next = (self.step.q.val() == Step::Done) && self.removes.q.val();
        self.code.next = self.said.q.val();
        self.visible.next = (self.step.q.val() == Step::Row) && self.row_ready.val() && !self.removes.q.val();

        match self.step.q.val() {
            Step::Idle => {
                self.removes.d.next = !self.ins_valid.val();
                self.next_row.d.next = self.fresh.val();
                self.next_sent.d.next = self.conn.val().snd_nxt;
                self.qp.d.next = self.ins_qp.val();
                if !self.ins_valid.val() {
                    self.qp.d.next = self.rem_qp.val();
                    self.next_row.d.next = self.blank.val();
                }
                if (self.ins_valid.val() || self.rem_valid.val()) && self.used.ready.val() {
                    self.step.d.next = Step::Fetch;
                }
            }
            Step::Fetch => {
                self.step.d.next = Step::Ask;
                self.said.d.next = lit::<2>(Answer::Present as usize);
                if self.removes.q.val() {
                    self.said.d.next = lit::<2>(Answer::Absent as usize);
                }
                if self.used.read_data.val() != self.removes.q.val() {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Ask => {
                if self.change.ready.val() {
                    self.step.d.next = Step::Wait;
                }
            }
            Step::Wait => {
                self.said.d.next = self.answer.code.val();
                if self.answer.valid.val() {
                    self.step.d.next = Step::Done;
                    if self.answer.code.val() == lit::<2>(Answer::Done as usize) {
                        self.step.d.next = Step::Row;
                    }
                }
            }
            Step::Row => {
                self.used.write_enable.next = true;
                if self.row_ready.val() {
                    self.step.d.next = Step::Settle;
                    if self.removes.q.val() {
                        self.step.d.next = Step::Done;
                    }
                    self.age.d.next = self.age.q.val() + 1;
                }
            }
            Step::Settle => {
                if self.settled.val() {
                    self.step.d.next = Step::Done;
                }
            }
            Step::Done => {
                self.step.d.next = Step::Idle;
            }
            _ => {}
        }
    }
}
