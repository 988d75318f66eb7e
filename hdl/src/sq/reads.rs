// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many RDMA Reads of ours are outstanding.
use crate::prelude::*;

/// Three counts a queue pair, modulo 256: Reads whose Requests were sent, whose responses have
/// come, and that retired. Each has one writer; the insert of a connection makes them zero, in a
/// cycle without any of the pulses.
#[block(clock)]
pub struct SqReads<const C: usize> {
    /// Queue pair that has the turn.
    pub turn_qp: Signal<In, Bits<C>>,
    /// Its Reads that were sent and whose responses have not come, one cycle later.
    pub outstanding: Signal<Out, Bits<8>>,
    /// Pulse: it sends one more.
    pub sent: Signal<In, Bit>,
    /// Queue pair whose oldest outstanding Read has its response.
    pub rdone_qp: Signal<In, Bits<C>>,
    /// Pulse: it has.
    pub rdone: Signal<In, Bit>,
    /// Queue pair whose messages are being retired.
    pub ring_qp: Signal<In, Bits<C>>,
    /// Its oldest Read that did not retire has its response, one cycle later.
    pub finished: Signal<Out, Bit>,
    /// Pulse: that one retires.
    pub retires: Signal<In, Bit>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    sends: LutRam<Bits<8>, C>,
    // each read by one side
    dones: LutRam<Bits<8>, C>,
    dones_turn: LutRam<Bits<8>, C>,
    dones_ring: LutRam<Bits<8>, C>,
    retired: LutRam<Bits<8>, C>,
    open: Flop<Bits<8>>,
    there: Flop<Bit>,
    send_up: Signal<Local, Bits<8>>,
    done_up: Signal<Local, Bits<8>>,
    retired_up: Signal<Local, Bits<8>>,
    send_qp: Signal<Local, Bits<C>>,
    done_qp: Signal<Local, Bits<C>>,
    retired_qp: Signal<Local, Bits<C>>,
}

#[kernel]
impl<const C: usize> Logic for SqReads<C> {
    fn update(&mut self) {
        flops!(open, there);
        clocked!(sends, dones, dones_turn, dones_ring, retired);
        self.sends.read_address.next = self.turn_qp.val();
        self.dones_turn.read_address.next = self.turn_qp.val();
        self.dones.read_address.next = self.rdone_qp.val();
        self.dones_ring.read_address.next = self.ring_qp.val();
        self.retired.read_address.next = self.ring_qp.val();
        self.outstanding.next = self.open.q.val();
        self.finished.next = self.there.q.val();
        self.open.d.next = self.sends.read_data.val() - self.dones_turn.read_data.val();
        self.there.d.next = self.dones_ring.read_data.val() != self.retired.read_data.val();
        self.send_up.next = self.sends.read_data.val() + 1;
        self.done_up.next = self.dones.read_data.val() + 1;
        self.retired_up.next = self.retired.read_data.val() + 1;
        self.send_qp.next = self.turn_qp.val();
        self.done_qp.next = self.rdone_qp.val();
        self.retired_qp.next = self.ring_qp.val();
        if self.fresh.val() {
            self.send_up.next = 0.into();
            self.done_up.next = 0.into();
            self.retired_up.next = 0.into();
            self.send_qp.next = self.fresh_qp.val();
            self.done_qp.next = self.fresh_qp.val();
            self.retired_qp.next = self.fresh_qp.val();
        }
        self.sends.write_enable.next = self.sent.val() || self.fresh.val();
        self.sends.write_address.next = self.send_qp.val();
        self.sends.write_data.next = self.send_up.val();
        self.dones.write_enable.next = self.rdone.val() || self.fresh.val();
        self.dones.write_address.next = self.done_qp.val();
        self.dones.write_data.next = self.done_up.val();
        self.dones_turn.write_enable.next = self.rdone.val() || self.fresh.val();
        self.dones_turn.write_address.next = self.done_qp.val();
        self.dones_turn.write_data.next = self.done_up.val();
        self.dones_ring.write_enable.next = self.rdone.val() || self.fresh.val();
        self.dones_ring.write_address.next = self.done_qp.val();
        self.dones_ring.write_data.next = self.done_up.val();
        self.retired.write_enable.next = self.retires.val() || self.fresh.val();
        self.retired.write_address.next = self.retired_qp.val();
        self.retired.write_data.next = self.retired_up.val();
    }
}
