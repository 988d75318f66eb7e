// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets that firmware itself sends on a connection: a startup frame, a Terminate, raw octets
//! of a delayed startup, and the FIN. Few and small: kept until acknowledged, sent again from the
//! first one missing.
use super::segment::within;
use crate::time::{Backoff, Expiry, Ticks};
use alloc::vec::Vec;
use ferrowarp_abi::types::SeqNum;

/// A piece to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Of its first octet.
    pub seq: SeqNum,
    /// Its octets.
    pub octets: Vec<u8>,
    /// Whether our FIN follows them.
    pub fin: bool,
}

/// Send side after the handshake.
#[derive(Clone, Debug)]
pub struct Sender {
    una: SeqNum,
    /// Highest sequence number sent, plus one.
    nxt: SeqNum,
    /// Where sending goes on: behind `nxt` after an expiry.
    cursor: SeqNum,
    /// Sequence number of `octets[0]`; the FIN comes after the last of them.
    base: SeqNum,
    octets: Vec<u8>,
    fin: bool,
    window: u32,
    timer: Backoff,
    /// The timer expired: a segment may leave although the window is closed.
    probe: bool,
    congestion: Congestion,
}

/// Segments that may be in flight (RFC 5681), whatever the peer's window. What firmware sends is a
/// few segments, so there is slow start and no more.
#[derive(Copy, Clone, Debug)]
struct Congestion(u32);

impl Congestion {
    /// The initial window of RFC 6928.
    const INITIAL: Self = Self(10);
    /// The loss window of RFC 5681 section 3.1.
    const LOSS: Self = Self(1);

    /// New octets were acknowledged.
    fn grow(&mut self) {
        self.0 = self.0.saturating_add(1);
    }
}

impl Sender {
    /// Nothing to send yet; the next octet is `nxt`.
    pub fn new(nxt: SeqNum, timer: Backoff) -> Self {
        let octets = Vec::new();
        Self {
            una: nxt,
            nxt,
            cursor: nxt,
            base: nxt,
            octets,
            fin: false,
            window: 0,
            timer,
            probe: false,
            congestion: Congestion::INITIAL,
        }
    }

    /// SND.UNA.
    pub fn una(&self) -> SeqNum {
        self.una
    }

    /// SND.NXT.
    pub fn nxt(&self) -> SeqNum {
        self.nxt
    }

    /// SND.WND in octets.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// Takes a new window, in octets. The peer had no room for what probed a closed one: it leaves
    /// again.
    pub fn set_window(&mut self, window: u32) {
        if self.window == 0 && window > 0 {
            self.cursor = self.una;
        }
        self.window = window;
    }

    /// Adds octets; nothing may follow the FIN.
    pub fn push(&mut self, octets: &[u8]) {
        if !self.fin {
            self.octets.extend(octets);
        }
    }

    /// Octets pushed and not acknowledged.
    pub fn queued(&self) -> usize {
        self.octets.len()
    }

    /// The FIN follows what was pushed.
    pub fn finish(&mut self) {
        self.fin = true;
    }

    /// Whether the FIN was asked for and acknowledged.
    pub fn fin_is_acked(&self) -> bool {
        self.fin && self.is_done()
    }

    /// Whether our FIN has left, and nothing else is without an acknowledgment.
    pub fn awaits_fin_alone(&self) -> bool {
        self.fin && self.octets.is_empty() && self.una != self.nxt
    }

    /// Whether everything pushed, and the FIN if asked for, was acknowledged.
    pub fn is_done(&self) -> bool {
        self.una == self.end()
    }

    /// The sequence number after everything that was pushed.
    fn end(&self) -> SeqNum {
        self.base.plus(self.octets.len() as u32 + u32::from(self.fin))
    }

    /// An acknowledgement of `ack`, which lies in `[una, nxt]`.
    pub fn acked(&mut self, ack: SeqNum, now: Ticks) {
        if ack == self.una && self.window == 0 {
            // a peer without room is there as long as it answers (RFC 9293 section 3.8.6.1)
            self.timer.answered();
        }
        if ack == self.una || !within(self.una, ack, self.nxt) {
            return;
        }
        self.una = ack;
        self.congestion.grow();
        let octets = (ack.since(self.base) as usize).min(self.octets.len());
        self.octets.drain(..octets);
        self.base = self.base.plus(octets as u32);
        if !within(self.una, self.cursor, self.nxt) {
            self.cursor = self.una;
        }
        if self.is_done() {
            self.timer.stop();
        } else {
            self.timer.restart(now);
        }
    }

    /// What may leave now, cut to `emss` octets.
    pub fn pieces(&mut self, emss: u16, now: Ticks) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let most = self.congestion.0.saturating_mul(u32::from(emss));
        while self.cursor != self.end() && self.cursor.since(self.una) < most {
            let in_flight = self.cursor.since(self.una);
            let mut room = self.window.min(most).saturating_sub(in_flight) as usize;
            if room == 0 && core::mem::take(&mut self.probe) {
                room = 1;
            }
            let from = self.cursor.since(self.base) as usize;
            let left = self.octets.get(from..).unwrap_or_default();
            let length = left.len().min(usize::from(emss)).min(room);
            let fin = self.fin && length == left.len() && room > length;
            if length == 0 && !fin {
                break;
            }
            let octets = left.get(..length).unwrap_or_default().to_vec();
            pieces.push(Piece { seq: self.cursor, octets, fin });
            self.cursor = self.cursor.plus(length as u32 + u32::from(fin));
            if within(self.una, self.nxt, self.cursor) {
                self.nxt = self.cursor;
            }
        }
        self.probe = false;
        if !self.is_done() {
            self.timer.start(now);
        }
        pieces
    }

    /// When to call [`Sender::expire`] next.
    pub fn due(&self) -> Option<Ticks> {
        self.timer.due()
    }

    /// Stops the timer for good: hardware has the connection now.
    pub fn freeze(&mut self) {
        self.timer.stop();
    }

    /// Looks at the timer; `true` if the connection is to be given up.
    pub fn expire(&mut self, now: Ticks) -> bool {
        match self.timer.expire(now) {
            Some(Expiry::GiveUp) => return true,
            Some(Expiry::Again) => {
                self.cursor = self.una;
                self.probe = true;
                self.congestion = Congestion::LOSS;
            }
            None => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn sender() -> Sender {
        let mut sender = Sender::new(SeqNum(0xFFFF_FFFE), Backoff::new(10, 100, 3));
        sender.set_window(1_000);
        sender
    }

    fn places(pieces: &[Piece]) -> Vec<(u32, usize, bool)> {
        pieces.iter().map(|p| (p.seq.0, p.octets.len(), p.fin)).collect()
    }

    #[test]
    fn octets_are_cut_sent_again_and_acknowledged_across_the_wrap() {
        let mut sender = sender();
        sender.push(&[7; 250]);
        sender.finish();
        assert_eq!(
            places(&sender.pieces(100, Ticks(0))),
            [(0xFFFF_FFFE, 100, false), (98, 100, false), (198, 50, true)]
        );
        assert_eq!(sender.nxt(), SeqNum(249));
        assert!(sender.pieces(100, Ticks(1)).is_empty(), "nothing is sent twice without a reason");
        sender.acked(SeqNum(98), Ticks(2));
        assert!(!sender.expire(Ticks(12)));
        assert_eq!(places(&sender.pieces(100, Ticks(12))), [(98, 100, false)], "the loss window");
        sender.acked(SeqNum(198), Ticks(12));
        assert_eq!(places(&sender.pieces(100, Ticks(12))), [(198, 50, true)]);
        sender.acked(SeqNum(248), Ticks(13));
        assert!(!sender.is_done(), "the FIN is not acknowledged yet");
        assert!(!sender.expire(Ticks(23)));
        assert_eq!(places(&sender.pieces(100, Ticks(23))), [(248, 0, true)]);
        sender.acked(SeqNum(249), Ticks(24));
        assert!(sender.fin_is_acked());
        assert_eq!(sender.due(), None);
    }

    #[test]
    fn a_closed_window_is_probed() {
        let mut sender = sender();
        sender.set_window(0);
        sender.push(&[1, 2, 3]);
        assert_eq!(sender.pieces(100, Ticks(0)), []);
        assert!(!sender.expire(Ticks(10)));
        assert_eq!(
            sender.pieces(100, Ticks(10)),
            [Piece { seq: SeqNum(0xFFFF_FFFE), octets: vec![1], fin: false }]
        );
        sender.set_window(2);
        sender.acked(SeqNum(0xFFFF_FFFF), Ticks(11));
        assert_eq!(places(&sender.pieces(100, Ticks(11))), [(0xFFFF_FFFF, 2, false)]);
    }

    #[test]
    fn a_peer_without_room_that_answers_is_probed_on() {
        let mut sender = sender();
        sender.set_window(0);
        sender.push(&[1, 2, 3]);
        sender.pieces(100, Ticks(0));
        for now in [10, 30, 70, 150, 250, 350] {
            assert!(!sender.expire(Ticks(now)), "given up at {now}");
            assert_eq!(places(&sender.pieces(100, Ticks(now))), [(0xFFFF_FFFE, 1, false)]);
            sender.acked(SeqNum(0xFFFF_FFFE), Ticks(now));
        }
        // the octet of the last probe found no room
        sender.set_window(100);
        assert_eq!(places(&sender.pieces(100, Ticks(351))), [(0xFFFF_FFFE, 3, false)]);
    }

    #[test]
    fn it_gives_up() {
        let mut sender = sender();
        sender.push(&[1]);
        sender.pieces(100, Ticks(0));
        assert!(!sender.expire(Ticks(10)) && !sender.expire(Ticks(30)) && !sender.expire(Ticks(70)));
        assert!(sender.expire(Ticks(150)));
    }
}
