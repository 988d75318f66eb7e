// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a Send that begins may go on to DDP: the receive that it takes is in the store, or none
//! is to come. If it waits for long and somebody waits behind it, its segment is cut.
use crate::prelude::*;

/// Counts for each connection the Sends that went on and whose receive DDP has not taken yet; they
/// are promised one each.
///
/// A Send goes on if more receives are in the store than were promised, if none is to come, or if
/// the queue pair takes nothing any more. Who waits for the read of a receive is *late* from
/// `patience` cycles on, *overdue* from twice as many on, and *forlorn* from sixteen times as many
/// on. While two are promised, the wait is for DDP alone, and sixteen cycles count as one. A
/// promise that DDP does not keep puts its queue pair in error, to which nothing is to come; a
/// stream or row that begins anew has none. `NC` = `2^C` connections.
#[block]
pub struct RxHold<const C: usize, const NC: usize> {
    /// A receive is in the store, by queue pair.
    pub there: Signal<In, Bits<NC>>,
    /// Two are.
    pub two: Signal<In, Bits<NC>>,
    /// One is to come.
    pub to_come: Signal<In, Bits<NC>>,
    /// Connections that have stopped: nothing of them gets to DDP.
    pub stopped: Signal<In, Bits<NC>>,
    /// Queue pair whose take is answered.
    pub took_qp: Signal<In, Bits<C>>,
    /// The answer is offered.
    pub took_valid: Signal<In, Bit>,
    /// The answer is taken; not in each of four cycles.
    pub took_ready: Signal<In, Bit>,
    /// Queue pair whose row or stream begins anew.
    pub anew_qp: Signal<In, Bits<C>>,
    /// Pulse: the row begins.
    pub anew: Signal<In, Bit>,
    /// Pulse: the stream begins.
    pub given: Signal<In, Bit>,
    /// Connection in work.
    pub conn: Signal<In, Bits<C>>,
    /// A Send of it waits in this cycle.
    pub waits: Signal<In, Bit>,
    /// One goes on in this cycle.
    pub passes: Signal<In, Bit>,
    /// It may, from registers.
    pub may: Signal<Out, Bit>,
    /// It was cut before.
    pub again: Signal<In, Bit>,
    /// Half of the room for segments is full: a Send that is late is cut.
    pub crowded: Signal<In, Bit>,
    /// A queue pair or connection ends: a Send that is late is cut.
    pub ends: Signal<In, Bit>,
    /// A segment waits right behind the Send. A Send that is forlorn is cut, as nobody else may be
    /// seen behind a segment of its own connection.
    pub next_valid: Signal<In, Bit>,
    /// Connection of this segment; with `next_valid`. If it is another one, a Send that is late is
    /// cut.
    pub next_conn: Signal<In, Bits<C>>,
    /// Somebody waits behind it: who is overdue is cut.
    pub waiting: Signal<In, Bit>,
    /// Its segment is cut.
    pub cuts: Signal<Out, Bit>,
    /// A Send of `conn` waited or went on in the cycle before.
    pub shows: Signal<Out, Bit>,
    /// It went on, or was cut.
    pub moves: Signal<Out, Bit>,
    promised: LutRam<Bits<2>, C>,
    back: Reg<Bit>,
    back_qp: Flop<Bits<C>>,
    fresh: Reg<Bit>,
    fresh_qp: Flop<Bits<C>>,
    waited: Reg<Bits<14>>,
    slow: Reg<Bits<4>>,
    is_late: Reg<Bit>,
    is_overdue: Reg<Bit>,
    is_forlorn: Reg<Bit>,
    holding: Reg<Bit>,
    moved: Reg<Bit>,
    k_late: Const<Bits<14>>,
    k_overdue: Const<Bits<14>>,
    k_forlorn: Const<Bits<14>>,
}

impl<const C: usize, const NC: usize> RxHold<C, NC> {
    /// Nothing is promised. `patience` in cycles.
    pub fn new(patience: usize) -> Self {
        assert!(NC == 1 << C && (1..1 << 10).contains(&patience), "{patience} cycles of patience");
        Self {
            k_late: Const::of(patience),
            k_overdue: Const::of(2 * patience),
            k_forlorn: Const::of(16 * patience),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for RxHold<C, NC> {
    fn update(&mut self) {
        regs!(back, fresh, waited, slow, is_late, is_overdue, is_forlorn, holding, moved);
        flops!(back_qp, fresh_qp);
        clocked!(promised);

        // The column has one port: a stream that begins goes before an answer, that before the Send
        // in work.
        self.fresh.d.next = self.given.val() || self.anew.val();
        self.fresh_qp.d.next = self.anew_qp.val();
        if self.took_valid.val() && self.took_ready.val() {
            self.back.d.next = true;
            self.back_qp.d.next = self.took_qp.val();
        } else if !self.fresh.q.val() {
            self.back.d.next = false;
        }
        let turn: Bit = !self.fresh.q.val() && !self.back.q.val();
        self.promised.read_address.next = self.conn.val();
        if self.back.q.val() {
            self.promised.read_address.next = self.back_qp.q.val();
        }
        let count: Bits<2> = self.promised.read_data.val();
        let up: Bits<2> = count + 1;
        let down: Bits<2> = count - 1;
        self.promised.write_enable.next = !turn || self.passes.val();
        self.promised.write_address.next = self.conn.val();
        self.promised.write_data.next = up;
        if count.all() {
            self.promised.write_data.next = count;
        }
        if self.back.q.val() {
            self.promised.write_address.next = self.back_qp.q.val();
            self.promised.write_data.next = down;
            if !count.any() {
                self.promised.write_data.next = count;
            }
        }
        if self.fresh.q.val() {
            self.promised.write_address.next = self.fresh_qp.q.val();
            self.promised.write_data.next = 0.into();
        }

        // The Send in work.
        let is_there: Bit = self.there.val().get_bit(self.conn.val().index()) && !count.any();
        let is_two: Bit = self.two.val().get_bit(self.conn.val().index()) && !count.get_bit(1);
        let goes: Bit = is_there
            || is_two
            || !self.to_come.val().get_bit(self.conn.val().index())
            || self.stopped.val().get_bit(self.conn.val().index());
        self.may.next = turn && goes;
        let reads: Bit = turn && !goes && (!count.get_bit(1) || self.is_overdue.q.val());
        let counts: Bit = turn && (!count.get_bit(1) || self.slow.q.val().all());
        if !self.waits.val() {
            self.waited.d.next = 0.into();
            self.is_late.d.next = false;
            self.is_overdue.d.next = false;
            self.is_forlorn.d.next = false;
        } else {
            if turn && count.get_bit(1) {
                self.slow.d.next = self.slow.q.val() + 1;
            }
            if counts && !self.is_forlorn.q.val() {
                self.waited.d.next = self.waited.q.val() + 1;
                if self.waited.q.val() == self.k_late.val() {
                    self.is_late.d.next = true;
                }
                if self.waited.q.val() == self.k_overdue.val() {
                    self.is_overdue.d.next = true;
                }
                self.is_forlorn.d.next = self.waited.q.val() == self.k_forlorn.val();
            }
        }

        // A cut, and what is shown of a hold.
        let others: Bit = self.crowded.val()
            || self.ends.val()
            || (self.next_valid.val() && (self.next_conn.val() != self.conn.val()));
        let cut: Bit = self.waits.val()
            && reads
            && (((self.is_late.q.val() || self.again.val()) && others)
                || ((self.is_overdue.q.val() || self.again.val()) && self.waiting.val())
                || (self.is_forlorn.q.val() && self.next_valid.val()));
        self.cuts.next = cut;
        self.holding.d.next = self.waits.val();
        self.moved.d.next = self.passes.val() || cut;
        self.shows.next = self.holding.q.val() || self.moved.q.val();
        self.moves.next = self.moved.q.val();
    }
}
