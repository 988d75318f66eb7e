// SPDX-License-Identifier: MIT OR Apache-2.0
//! Duplicate ACKs of a connection: the third one is as good as an expiry of its timer.
use crate::prelude::*;

/// What an event makes of a connection's count of duplicate ACKs, and whether what is not
/// acknowledged leaves again (RFC 5681 section 3.2). The event's row is read, and written, in the
/// event's cycle.
///
/// `count` is that of duplicates at the present SND.UNA, where 3 says that there is no fast resend
/// at this SND.UNA any more. It stands in the timer's row. Owner of the column `recover`: SND.NXT
/// modulo 2^24 when the last resend began, or at the set-up.
///
/// - The third duplicate fires, once for one SND.UNA. Receive has judged that it is one, and it
///   counts only while octets are outstanding.
/// - SND.UNA moves: the count begins anew. A peer that keeps nothing beyond a gap is sent all
///   octets behind it again. So three duplicates there belong to octets that left again, of which
///   one was lost.
/// - SND.UNA comes to stand at `recover`: a peer that kept octets answers each that leaves again by
///   a duplicate. Those are echoes, and none fires (RFC 6582 section 3.2 step 2). Octets that were
///   granted before may leave between the decision and the first octet that leaves again: `recover`
///   moves on with them, since the echoes have that number.
/// - The timer expires: all leaves again too, and the count begins anew. It stays if a probe's time
///   is over, so that duplicates and probes do not keep the timer from its end.
/// - Set-up: nothing was counted, and nothing left again.
#[block(clock)]
pub struct TxDups<const C: usize> {
    /// Connection of the event.
    pub qp: Signal<In, Bits<C>>,
    /// The connection is set up.
    pub set: Signal<In, Bit>,
    /// SND.UNA moves.
    pub moves: Signal<In, Bit>,
    /// To this value.
    pub una: Signal<In, Bits<24>>,
    /// A duplicate ACK has come.
    pub dup: Signal<In, Bit>,
    /// It may have an effect: octets are outstanding, and the connection sends.
    pub may: Signal<In, Bit>,
    /// The timer expires.
    pub expires: Signal<In, Bit>,
    /// A probe's time is over: octets leave again.
    pub probes: Signal<In, Bit>,
    /// SND.NXT moves before what has to leave again.
    pub ahead: Signal<In, Bit>,
    /// SND.NXT after this event.
    pub nxt: Signal<In, Bits<24>>,
    /// Count before.
    pub count: Signal<In, Bits<2>>,
    /// Count after.
    pub count_after: Signal<Out, Bits<2>>,
    /// What is not acknowledged leaves again.
    pub fires: Signal<Out, Bit>,
    /// With `moves`: SND.UNA has come to `recover`, or beyond; of meaning for less than 2^23 octets
    /// in flight.
    pub over: Signal<Out, Bit>,
    // never read before the set-up of the connection has written it
    recover: LutRam<Bits<24>, C>,
}

#[kernel]
impl<const C: usize> Logic for TxDups<C> {
    fn update(&mut self) {
        clocked!(recover);
        let third: Bit = self.dup.val() && self.may.val() && (self.count.val() == lit::<2>(2));
        self.fires.next = third;
        // Octets from `recover` to SND.UNA.
        let beyond: Bits<24> = self.una.val() - self.recover.read_data.val();
        self.over.next = !beyond.get_bit(23);
        self.count_after.next = self.count.val();
        if self.dup.val() && self.may.val() && !self.count.val().all() {
            self.count_after.next = self.count.val() + 1;
        }
        if self.moves.val() || self.expires.val() || self.set.val() {
            self.count_after.next = 0.into();
        }
        if self.moves.val() && (self.una.val() == self.recover.read_data.val()) {
            self.count_after.next = lit::<2>(3);
        }
        self.recover.read_address.next = self.qp.val();
        self.recover.write_enable.next =
            third || self.expires.val() || self.probes.val() || self.set.val() || self.ahead.val();
        self.recover.write_address.next = self.qp.val();
        self.recover.write_data.next = self.nxt.val();
    }
}
