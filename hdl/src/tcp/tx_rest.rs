// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an expiry means: octets leave again, the peer is asked, or the connection has rested.
use super::tx_row::RtoRow;
use crate::prelude::*;

/// The decision on an expired timer of [`super::tx_rto::TxRto`], out of its row. No register.
///
/// A connection *rests* while nothing is unacknowledged and nothing waits for the peer's window.
/// First its timer waits once more: then the congestion window is the initial one again (RFC 5681
/// section 4.1). Then 128 parts of its keepalive time are counted: a peer of which no segment came
/// in that time is asked for a sign of life (RFC 9293 section 3.8.4). Without an answer it is asked
/// again behind each part, until the timer gives up.
///
/// At most one of `again`, `probes`, `rested` and `lost` is set. Without any of them a part of the
/// keepalive time is over.
#[block(comb)]
pub struct TxRest {
    /// Row of the timer.
    pub row: Signal<In, RtoRow>,
    /// Expiries in a row, of which the last one gives up, of connections whose `limit` is 0.
    pub retry_limit: Signal<In, Bits<8>>,
    /// The connection's own number of these expiries, or 0.
    pub limit: Signal<In, Bits<8>>,
    /// It has expired.
    pub expires: Signal<In, Bit>,
    /// Octets leave again.
    pub again: Signal<Out, Bit>,
    /// The peer is asked for its window, or for a sign of life.
    pub probes: Signal<Out, Bit>,
    /// The connection has rested for as long as the timer waits.
    pub rested: Signal<Out, Bit>,
    /// The connection is given up.
    pub lost: Signal<Out, Bit>,
    /// The next deadline is a part of the keepalive time away.
    pub parts: Signal<Out, Bit>,
    /// The peer is asked from now on.
    pub asks: Signal<Out, Bit>,
    /// `tries` behind it.
    pub tries: Signal<Out, Bits<8>>,
    now: Signal<Local, RtoRow>,
    most: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for TxRest {
    fn update(&mut self) {
        self.now.next = self.row.val();
        let up: Bits<8> = self.now.val().tries + 1;
        let counts: Bit = self.now.val().keeps && !self.now.val().persist;
        self.most.next = self.limit.val();
        if !self.limit.val().any() {
            self.most.next = self.retry_limit.val();
        }
        let over: Bit = up >= self.most.val();
        self.parts.next = self.now.val().rests;
        self.asks.next = counts && up.get_bit(7);
        self.tries.next = up;
        self.again.next = false;
        self.probes.next = false;
        self.rested.next = false;
        self.lost.next = false;
        if self.expires.val() {
            if self.now.val().early {
                self.again.next = true;
                self.tries.next = self.now.val().tries;
            } else if self.now.val().rests && !self.now.val().keeps {
                self.rested.next = true;
                self.tries.next = 0.into();
            } else if counts {
                self.probes.next = self.asks.val();
                if self.asks.val() {
                    self.tries.next = 0.into();
                }
            } else {
                self.lost.next = over;
                self.probes.next = self.now.val().persist && !over;
                self.again.next = !self.now.val().persist && !over;
            }
        }
    }
}
