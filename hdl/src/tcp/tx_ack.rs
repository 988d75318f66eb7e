// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one generator of ACKs (D12): RCV.ACK, what is owed, and when.
use super::tx_right::TxRight;
use super::tx_row::{AckAsk, AckRow, AckSaid, TxSetup};
use crate::prelude::*;
use crate::stream::{ItemSink, Pump, Queue};
use ferrowarp_abi::host::conn_row::first_window_log2;

/// What happens to a row.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Event {
    /// Nothing.
    None,
    /// MPA is done with a segment.
    Done,
    /// Set-up.
    Set,
    /// The header builder asks for the newest RCV.ACK.
    Ask,
    /// A fact asks for an ACK of its own.
    Fact,
    /// The walk looks at the deadline.
    Walk,
}

const ALL_QUICK: usize = 15;

/// Owner of the ACK column. One event a cycle is chosen and changes its row in the next, the first
/// of:
///
/// 1. `done`, which never waits: RCV.ACK moves; the second data segment since the last ACK makes
///    one due, and so does the peer's FIN; the first one starts the wait of `delay` units (0: no
///    wait);
/// 2. set-up;
/// 3. `ask` of the header builder: the newest RCV.ACK, for a data segment or for the next ACK of
///    the list. It leaves with the segment, so nothing is owed or due any more; ACKs that need a
///    segment each stay;
/// 4. and 5., in turn: a fact, or the timer for a probe, asks for an ACK of its own; the walk of
///    the timers ([`super::tx_rto::TxRto`]) looks at one deadline. It visits all connections after
///    each unit of 10 us, the next one when this block has looked.
///
/// An ACK tells the window up to the edge that [`TxRight`] finds. If little was told, and much may
/// be told, the walk makes an ACK due. `renew` asks for a walk when the store of frames has become
/// empty enough.
///
/// The list holds each connection with `due` or `now` once, in the order in which they came to owe,
/// so one that owes many waits for every other between two of its ACKs. A connection owes three to
/// facts at most: three tell the peer of a loss (RFC 5681 section 3.2), and a fact never waits for
/// what another connection owes.
///
/// A sender that mends a loss has few segments in flight, and each ACK lets it send more. So behind
/// a fact the next fifteen data segments have their ACKs at once, as Linux does.
#[block(clock)]
pub struct TxAck<const C: usize> {
    /// Synchronous reset; the column is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// What it begins with.
    pub set: Signal<In, TxSetup>,
    /// A set-up is offered.
    pub set_valid: Signal<In, Bit>,
    /// The set-up is taken in this cycle.
    pub set_take: Signal<Out, Bit>,
    /// Connection of a segment that MPA has judged and stored, or dropped since the connection has
    /// stopped.
    pub done_conn: Signal<In, Bits<C>>,
    /// Sequence number after its last octet.
    pub done_seq: Signal<In, Bits<32>>,
    /// The peer's stream ends with it: its ACK waits for nothing.
    pub done_ends: Signal<In, Bit>,
    /// Pulse, at most one a cycle.
    pub done_valid: Signal<In, Bit>,
    /// Connections that owe an ACK of their own.
    pub fact: ItemSink<AckAsk>,
    /// Units of 10 us so far, modulo 2^16.
    pub now: Signal<In, Bits<16>>,
    /// Units that an ACK may wait, 0 to 32767.
    pub delay: Signal<In, Bits<16>>,
    /// Connections that the walk comes to; `ready` when the one before was looked at.
    pub walk: ItemSink<Bits<C>>,
    /// Pulse: a walk is wanted.
    pub renew: Signal<Out, Bit>,
    /// The column may be used.
    pub scrubbed: Signal<In, Bit>,
    /// Until then: make this row blank.
    pub blank_row: Signal<In, Bits<C>>,
    /// Shares of the window that are not offered, see [`TxRight`].
    pub pressed: Signal<In, Bits<5>>,
    /// The list has a connection.
    pub some: Signal<Out, Bit>,
    /// Connection of the data segment that is built.
    pub ask_qp: Signal<In, Bits<C>>,
    /// Take the next one of the list instead.
    pub ask_list: Signal<In, Bit>,
    /// Asked; goes low in the cycle of the answer, two cycles later or more.
    pub ask_valid: Signal<In, Bit>,
    /// Answer to the question.
    pub say: Signal<Out, AckSaid>,
    /// Pulse: `say` is there.
    pub say_valid: Signal<Out, Bit>,

    rows: LutRam<AckRow, C>,
    list: Queue<Bits<C>, C>,
    pump: Pump<Event, 5, C>,
    number: Flop<Bits<32>>,
    /// With `Set` and `Done`: an ACK is due; with `Ask`: for the list; with `Fact`: a probe.
    flag: Flop<Bit>,
    scale: Flop<Bits<4>>,
    /// `again_qp` left the list and still owes.
    again: Reg<Bit>,
    again_qp: Flop<Bits<C>>,
    /// `pushes_qp` goes to the end of the list.
    pushes: Reg<Bit>,
    pushes_qp: Flop<Bits<C>>,
    /// The walk is at `at`.
    walks: Reg<Bit>,
    at: Flop<Bits<C>>,
    /// Of a fact and the walk, both of which are there, the fact is next.
    turn: Reg<Bit>,
    said: Reg<Bit>,
    answer: Flop<AckSaid>,
    window: TxRight,
    /// Less than eight shares were pressed in the cycle before.
    wide: Reg<Bit>,
    blank: Const<AckRow>,
    row: Signal<Local, AckRow>,
    back: Signal<Local, AckRow>,
    now_up: Signal<Local, Bits<2>>,
    at_once: Signal<Local, Bit>,
    listed: Signal<Local, Bit>,
}

impl<const C: usize> TxAck<C> {
    /// An idle block. The whole window has `2^window_log2` octets.
    pub fn new(window_log2: usize) -> Self {
        let right = (1_u64 << first_window_log2(window_log2 as u32)) - 1;
        Self {
            pump: Pump::new([Event::Done, Event::Set, Event::Ask, Event::Fact, Event::Walk]),
            window: TxRight::new(window_log2),
            // what was never set up has been told enough, so that nothing is to be told again
            blank: Const::new(AckRow { right: right.into(), ..Default::default() }),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for TxAck<C> {
    fn update(&mut self) {
        regs!(again, pushes, turn, said, wide, walks);
        flops!(number, flag, again_qp, pushes_qp, answer, scale, at);
        parts!(pump, list);
        clocked!(rows);
        self.some.next = self.list.tx.valid.val();
        self.say.next = self.answer.q.val();
        self.say_valid.next = self.said.q.val();

        // Step 1: which event. While one connection is between two places in the list, the list is
        // not asked.
        let may_list: Bit = self.list.tx.valid.val() && !self.again.q.val();
        self.pump.free.next = true;
        self.pump.then.next = Event::None;
        self.pump.rx[0].item.next = self.done_conn.val();
        self.pump.rx[0].valid.next = self.done_valid.val();
        self.pump.rx[1].item.next = self.set_qp.val();
        self.pump.rx[1].valid.next = self.set_valid.val() && self.scrubbed.val();
        self.pump.rx[2].item.next = self.ask_qp.val();
        if self.ask_list.val() {
            self.pump.rx[2].item.next = self.list.tx.item.val();
        }
        self.pump.rx[2].valid.next = self.ask_valid.val()
            && (self.pump.kind.val() != Event::Ask)
            && (may_list || !self.ask_list.val());
        self.pump.rx[3].item.next = bit_cast::<C, 8>(self.fact.item.val().qp);
        self.pump.rx[3].valid.next = self.fact.valid.val() && (self.turn.q.val() || !self.walks.q.val());
        self.pump.rx[4].item.next = self.at.q.val();
        self.pump.rx[4].valid.next = self.walks.q.val();
        self.set_take.next = self.pump.rx[1].ready.val();
        self.list.tx.ready.next = self.pump.rx[2].ready.val() && self.ask_list.val();
        self.fact.ready.next = self.pump.rx[3].ready.val();
        self.number.d.next = self.done_seq.val();
        self.flag.d.next = self.done_ends.val();
        self.scale.d.next = self.set.val().scale;
        if self.pump.rx[1].ready.val() {
            self.number.d.next = self.set.val().rcv_nxt;
            self.flag.d.next = self.set.val().ack_now;
        }
        if self.pump.rx[2].ready.val() {
            self.flag.d.next = self.ask_list.val();
        }
        if self.pump.rx[3].ready.val() {
            self.flag.d.next = self.fact.item.val().probes;
            if self.walks.q.val() {
                self.turn.d.next = false;
            }
        }
        if self.pump.rx[4].ready.val() {
            self.walks.d.next = false;
            if self.fact.valid.val() {
                self.turn.d.next = true;
            }
        }

        // Step 2: what it does to the row.
        self.rows.read_address.next = self.pump.row.val();
        self.row.next = self.rows.read_data.val();
        self.back.next = self.row.val();
        let deadline: Bits<16> = self.now.val() + self.delay.val();
        let past: Bits<16> = self.now.val() - self.row.val().deadline;
        self.now_up.next = self.row.val().now;
        if !self.row.val().now.all() {
            self.now_up.next = self.row.val().now + 1;
        }
        let now_down: Bits<2> = self.row.val().now - 1;
        self.window.ack.next = self.row.val().rcv_ack;
        self.window.from.next = self.row.val().rcv_ack;
        if self.pump.kind.val() == Event::Set {
            self.window.from.next = self.number.q.val();
        }
        self.window.told.next = self.row.val().right;
        self.window.scale.next = self.row.val().scale;
        self.window.moved.next = self.row.val().owed || self.row.val().due;
        self.window.pressed.next = self.pressed.val();
        self.window.begins.next = self.pump.kind.val() == Event::Set;
        let says: Bit =
            !self.flag.q.val() || self.row.val().due || self.row.val().now.any() || self.row.val().probe;
        self.listed.next = false;
        self.at_once.next = false;
        match self.pump.kind.val() {
            Event::Done => {
                self.listed.next = false;
                if self.number.q.val() != self.row.val().rcv_ack {
                    self.back.next.rcv_ack = self.number.q.val();
                    self.at_once.next =
                        self.flag.q.val() || self.row.val().quick.any() || !self.delay.val().any();
                    if self.row.val().quick.any() {
                        self.back.next.quick = self.row.val().quick - 1;
                    }
                    self.back.next.owed = !self.row.val().owed && !self.at_once.val();
                    self.back.next.due = self.row.val().due || self.row.val().owed || self.at_once.val();
                    self.back.next.deadline = deadline;
                }
            }
            Event::Set => {
                self.back.next.rcv_ack = self.number.q.val();
                self.back.next.owed = false;
                self.back.next.due = false;
                self.back.next.probe = false;
                self.back.next.quick = 0.into();
                self.back.next.now = bit_cast::<2, 1>(self.flag.q.val().into());
                self.back.next.right = self.window.then.val();
                self.back.next.scale = self.scale.q.val();
            }
            Event::Ask => {
                // a data segment shows the peer as much
                self.back.next.probe = false;
                self.listed.next = self.flag.q.val();
                // the peer reads neither number nor window of a probe, so what is owed stays
                if !self.flag.q.val() || !self.row.val().probe {
                    if says {
                        self.back.next.right = self.window.then.val();
                    }
                    self.back.next.owed = false;
                    self.back.next.due = false;
                    if self.flag.q.val() && self.row.val().now.any() {
                        self.back.next.now = now_down;
                    }
                }
            }
            Event::Fact => {
                self.back.next.probe = self.row.val().probe || self.flag.q.val();
                if !self.flag.q.val() {
                    self.back.next.now = self.now_up.val();
                    self.back.next.quick = lit::<4>(ALL_QUICK);
                }
            }
            Event::Walk => {
                self.listed.next = false;
                if (self.row.val().owed && !past.get_bit(15)) || self.window.opens.val() {
                    self.back.next.owed = false;
                    self.back.next.due = true;
                }
            }
            _ => {}
        }

        // The list. It has a place for every connection, so it is never full when one joins.
        let owes: Bit = self.back.val().due || self.back.val().now.any() || self.back.val().probe;
        let joins: Bit =
            (self.pump.kind.val() != Event::None) && owes && !self.row.val().listed && !self.listed.val();
        if joins {
            self.back.next.listed = true;
        }
        if self.listed.val() {
            self.back.next.listed = owes;
            self.again.d.next = owes;
            self.again_qp.d.next = self.pump.row.val();
        } else if !joins {
            self.again.d.next = false;
        }
        self.pushes_qp.d.next = self.pump.row.val();
        self.pushes.d.next = joins;
        if self.again.q.val() && !joins {
            self.pushes_qp.d.next = self.again_qp.q.val();
            self.pushes.d.next = true;
        }
        self.list.rx.item.next = self.pushes_qp.q.val();
        self.list.rx.valid.next = self.pushes.q.val();
        self.said.d.next = self.pump.kind.val() == Event::Ask;
        self.answer.d.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.answer.d.next.ack = self.row.val().rcv_ack;
        self.answer.d.next.probes = self.flag.q.val() && self.row.val().probe;
        self.answer.d.next.owes = says;
        self.answer.d.next.span = self.window.span.val();
        self.answer.d.next.shut = self.window.is_shut.val();
        self.answer.d.next.scale = self.row.val().scale;
        self.rows.write_enable.next = self.pump.kind.val() != Event::None;
        self.rows.write_address.next = self.pump.row.val();
        self.rows.write_data.next = self.back.val();
        if !self.scrubbed.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.blank_row.val();
            self.rows.write_data.next = self.blank.val();
        }
        let is_wide: Bit = !self.pressed.val().get_bit(4) && !self.pressed.val().get_bit(3);
        self.wide.d.next = is_wide;
        self.renew.next = is_wide && !self.wide.q.val();
        self.walk.ready.next = !self.walks.q.val();
        if self.walk.valid.val() {
            self.walks.d.next = true;
            self.at.d.next = self.walk.item.val();
        }
    }
}
