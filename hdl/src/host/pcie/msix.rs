// SPDX-License-Identifier: MIT OR Apache-2.0
//! Message-signalled interrupts, behind the events that they tell of.
use super::super::ports::{WriteSink, WriteSource};
use super::bar_ports::{Ask, Put};
use super::msix_table::MsixTable;
use super::ports::PcieConfig;
use crate::gen::consts::event_kind;
use crate::prelude::*;
use crate::stream::{StreamSink, StreamSource};

/// Step of the write under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// None.
    Idle,
    /// An event passes.
    Event,
    /// The vector's entry is fetched.
    Fetch,
    /// A message leaves.
    Message,
}

const LENGTH: usize = 4;

/// Stands between the event ring and the posted FIFO: an event passes, then the message of its
/// vector follows on the same port, so it is behind the event on the bus whatever else is written
/// (D6). `V` vectors, `NQ` = `2^Q` completion queues.
///
/// Vector 0 tells of all events but `cq_notify`, whose vector is that of its completion queue. A
/// message waits as a pending bit while MSI-X is off, the function or the vector is masked, or so
/// many ticks have not passed since the vector's last one as `moderation` says; any number of
/// events make one message then. A message that was begun leaves, but before any completion that is
/// made after its vector was masked (`message`).
///
/// **Contract.** Of `EventRing`: 16 octets a write. `put` and `ask` stand for a cycle; an answer
/// comes in the cycle behind.
///
/// **Timing.** One cycle for an event; its message begins two cycles behind its last beat.
#[block]
pub struct Msix<const V: usize, const Q: usize, const NQ: usize> {
    /// Beside `reset`: registers and table keep their values.
    pub keep: Signal<In, Bit>,
    /// MSI-X Enable, Function Mask.
    pub cfg: Signal<In, PcieConfig>,
    /// A tick.
    pub tick: Signal<In, Bit>,
    /// A register that is written.
    pub put: Signal<In, Put>,
    /// It is, now, and it is one of these.
    pub put_valid: Signal<In, Bit>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now, and it is one of these.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    /// Commands of event writes.
    pub evt_cmd: WriteSink,
    /// Their frames.
    pub evt: StreamSink<64, 4>,
    /// Commands.
    pub wr_cmd: WriteSource,
    /// Frames.
    pub wr: StreamSource<64, 4>,
    /// Pulse: a message was written.
    pub sent: Signal<Out, Bit>,
    /// A message was begun and is not written: no completion may be made, since whoever masked its
    /// vector would take one for the end of its messages.
    pub message: Signal<Out, Bit>,
    entries: MsixTable<V, Q, NQ>,
    st: Reg<St>,
    cmd_done: Reg<Bit>,
    rx_done: Reg<Bit>,
    /// The event's first beat was seen; its vector.
    begun: Reg<Bit>,
    whose: Flop<Bits<4>>,
    pending: Reg<Bits<V>>,
    /// Vector of the last message.
    turn: Reg<Bits<4>>,
    addr: Flop<Bits<64>>,
    data: Flop<Bits<32>>,
    after_event: Reg<Bit>,
    told: Reg<Bit>,
    unit: Vec<Const<Bits<V>>>,
    rest: Vec<Const<Bits<V>>>,
    some: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    pick: Signal<Local, Bits<4>>,
    vector: Signal<Local, Bits<4>>,
    cmd_now: Signal<Local, Bit>,
    rx_now: Signal<Local, Bit>,
    waiting: Signal<Local, Bits<V>>,
}

impl<const V: usize, const Q: usize, const NQ: usize> Msix<V, Q, NQ> {
    /// Everything masked, nothing pending.
    pub fn new() -> Self {
        assert!((1..=16).contains(&V), "{V} vectors: 1 to 16");
        Self {
            entries: MsixTable::new(),
            unit: (0..V).map(|i| Const::of(1 << i)).collect(),
            rest: (0..V).map(|i| Const::of(((1 << V) - 1) ^ 1 << i)).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const V: usize, const Q: usize, const NQ: usize> Logic for Msix<V, Q, NQ> {
    fn update(&mut self) {
        regs!(st, cmd_done, rx_done, begun, pending, turn, after_event, told);
        flops!(whose, addr, data);
        clocked!(entries);
        self.entries.reset.next = self.reset.val() && !self.keep.val();
        self.entries.tick.next = self.tick.val();
        self.entries.put.next = self.put.val();
        self.entries.put_valid.next = self.put_valid.val();
        self.entries.ask.next = self.ask.val();
        self.entries.ask_valid.next = self.ask_valid.val();
        self.entries.pending.next = self.pending.q.val();
        self.say.next = self.entries.say.val();
        self.say_valid.next = self.entries.say_valid.val();

        // Which vector may send: first those after the last one, then those up to it.
        let on: Bit = self.cfg.val().msix && !self.cfg.val().masked;
        let may: Bits<V> = self.pending.q.val() & self.entries.free.val();
        self.pick.next = 0.into();
        self.some.next = false;
        self.passed.next = false;
        for i in 0..V {
            if self.passed.val() && may.get_bit(i) && !self.some.val() {
                self.pick.next = i.to_bits();
                self.some.next = true;
            }
            if i.to_bits() == self.turn.q.val() {
                self.passed.next = true;
            }
        }
        for i in 0..V {
            if may.get_bit(i) && !self.some.val() {
                self.pick.next = i.to_bits();
                self.some.next = true;
            }
        }

        // The vector of the event that passes: octet 0 is its kind, octet 3 the low half of its
        // number.
        let first: Bits<64> = self.evt.data.val();
        self.entries.cq.next = self.evt.data.val().get_bits::<Q>(24);
        self.vector.next = 0.into();
        if first.get_bits::<8>(0) == event_kind::cq_notify().val() {
            self.vector.next = self.entries.vector.val();
        }
        self.waiting.next = self.pending.q.val();

        self.evt_cmd.ready.next = false;
        self.evt.ready.next = false;
        self.wr_cmd.addr.next = self.evt_cmd.addr.val();
        self.wr_cmd.length.next = self.evt_cmd.length.val();
        self.wr_cmd.valid.next = false;
        self.wr.data.next = self.evt.data.val();
        self.wr.bytes.next = self.evt.bytes.val();
        self.wr.last.next = self.evt.last.val();
        self.wr.err.next = self.evt.err.val();
        self.wr.valid.next = false;
        self.cmd_now.next = false;
        self.rx_now.next = false;
        self.entries.fetch.next = self.turn.q.val();
        self.entries.sends.next = false;
        self.told.d.next = false;
        self.sent.next = self.told.q.val();
        self.message.next = (self.st.q.val() == St::Fetch) || (self.st.q.val() == St::Message);
        match self.st.q.val() {
            St::Event => {
                self.wr_cmd.valid.next = self.evt_cmd.valid.val() && !self.cmd_done.q.val();
                self.evt_cmd.ready.next = self.wr_cmd.ready.val() && !self.cmd_done.q.val();
                self.cmd_now.next =
                    self.evt_cmd.valid.val() && self.wr_cmd.ready.val() && !self.cmd_done.q.val();
                self.wr.valid.next = self.evt.valid.val() && !self.rx_done.q.val();
                self.evt.ready.next = self.wr.ready.val() && !self.rx_done.q.val();
                self.rx_now.next = self.evt.valid.val()
                    && self.wr.ready.val()
                    && !self.rx_done.q.val()
                    && self.evt.last.val();
                if self.evt.valid.val() && self.wr.ready.val() && !self.rx_done.q.val() {
                    self.begun.d.next = true;
                    if !self.begun.q.val() {
                        self.whose.d.next = self.vector.val();
                    }
                }
            }
            St::Message => {
                self.wr_cmd.addr.next = self.addr.q.val();
                self.wr_cmd.length.next = lit::<13>(LENGTH);
                self.wr_cmd.valid.next = !self.cmd_done.q.val();
                self.cmd_now.next = self.wr_cmd.ready.val() && !self.cmd_done.q.val();
                self.wr.data.next = bit_cast::<64, 32>(self.data.q.val());
                self.wr.bytes.next = 4.into();
                self.wr.last.next = true;
                self.wr.err.next = false;
                self.wr.valid.next = !self.rx_done.q.val();
                self.rx_now.next = self.wr.ready.val() && !self.rx_done.q.val();
            }
            _ => {}
        }
        let both: Bit =
            (self.cmd_now.val() || self.cmd_done.q.val()) && (self.rx_now.val() || self.rx_done.q.val());
        if self.cmd_now.val() {
            self.cmd_done.d.next = true;
        }
        if self.rx_now.val() {
            self.rx_done.d.next = true;
        }
        match self.st.q.val() {
            St::Idle => {
                self.cmd_done.d.next = false;
                self.rx_done.d.next = false;
                self.begun.d.next = false;
                if on && self.some.val() && (self.after_event.q.val() || !self.evt_cmd.valid.val()) {
                    self.turn.d.next = self.pick.val();
                    self.st.d.next = St::Fetch;
                } else if self.evt_cmd.valid.val() {
                    self.st.d.next = St::Event;
                }
                self.after_event.d.next = false;
            }
            St::Event => {
                if both {
                    self.after_event.d.next = true;
                    for i in 0..V {
                        if i.to_bits() == self.whose.q.val() {
                            self.waiting.next = self.waiting.val() | self.unit[i].val();
                        }
                    }
                    self.st.d.next = St::Idle;
                }
            }
            St::Fetch => {
                self.addr.d.next = self.entries.addr.val();
                self.data.d.next = self.entries.data.val();
                // the host's read has the table in this cycle
                if !self.ask_valid.val() {
                    self.entries.sends.next = true;
                    for i in 0..V {
                        if i.to_bits() == self.turn.q.val() {
                            self.waiting.next = self.waiting.val() & self.rest[i].val();
                        }
                    }
                    self.st.d.next = St::Message;
                }
            }
            St::Message => {
                if both {
                    self.told.d.next = true;
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
        self.pending.d.next = self.waiting.val();
    }
}
