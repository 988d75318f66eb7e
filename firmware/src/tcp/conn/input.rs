// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a segment does to a connection (RFC 9293 section 3.10.7, RFC 5961).
use super::{Conn, Signal, State};
use crate::tcp::segment::{is_acceptable, within, Segment};
use crate::tcp::stray;
use crate::time::Ticks;
use ferrowarp_abi::consts::tcp_limit;
use ferrowarp_abi::types::SeqNum;

impl Conn {
    pub(super) fn in_syn_sent(&mut self, segment: &Segment, now: Ticks) -> (Signal, Option<Segment>) {
        let ours = self.iss.plus(1);
        let acks_us = segment.ack == Some(ours);
        if segment.ack.is_some() && !acks_us {
            let reset = stray::answer(segment);
            return (Signal::None, reset);
        }
        if segment.rst {
            // without an ACK of our SYN anybody could have sent it
            return (if acks_us { Signal::Reset } else { Signal::None }, None);
        }
        if !segment.syn {
            return (Signal::None, None);
        }
        self.take_syn(segment);
        if !acks_us {
            self.state = State::SynReceived;
            self.syn_due = true;
            return (Signal::None, None);
        }
        self.acks += 1;
        (self.open(segment, now), None)
    }

    pub(super) fn take_syn(&mut self, syn: &Segment) {
        self.irs = syn.seq;
        self.rcv_nxt = syn.seq.plus(1);
        self.emss = syn.mss_or(self.tuple.default_mss()).min(self.settings.most).max(64);
        self.full_emss = self.emss;
        self.snd_scale = syn.scale.map(|s| s.min(tcp_limit::WINDOW_SHIFT_MAX));
        // the window of a SYN is never scaled
        self.sender.set_window(u32::from(syn.window));
    }

    fn open(&mut self, segment: &Segment, now: Ticks) -> Signal {
        self.state = State::Established;
        self.syn_timer.stop();
        self.syn_due = false;
        self.round_trip = self.syn_at.map(|at| now.since(at));
        (self.wl1, self.wl2) = (segment.seq, self.iss.plus(1));
        let shift = if segment.syn { 0 } else { self.snd_scale() };
        self.set_window(u32::from(segment.window) << shift);
        self.sender.acked(self.iss.plus(1), now);
        Signal::Opened
    }

    pub(super) fn in_syn_received(&mut self, segment: &Segment, now: Ticks) -> (Signal, Option<Segment>) {
        let ours = self.iss.plus(1);
        if segment.syn && !segment.rst && segment.seq == self.irs {
            // the SYN again, or the SYN-ACK of a simultaneous open
            if segment.ack == Some(ours) {
                self.acks += 1;
                return (self.open(segment, now), None);
            }
            self.syn_due = true;
            return (Signal::None, None);
        }
        if !is_acceptable(segment.seq, segment.len(), self.rcv_nxt, self.settings.window) {
            self.acks += u32::from(!segment.rst);
            return (Signal::None, None);
        }
        if segment.rst && segment.seq == self.rcv_nxt {
            return (Signal::Reset, None);
        }
        if segment.rst || segment.syn {
            self.acks += 1; // RFC 5961 sections 3 and 4: challenge
            return (Signal::None, None);
        }
        match segment.ack {
            Some(ack) if ack == ours => {
                self.open(segment, now);
                (self.merge(Signal::Opened, segment, now), None)
            }
            Some(_) => (Signal::None, stray::answer(segment)),
            None => (Signal::None, None),
        }
    }

    /// The rest of the segment that completed the handshake.
    fn merge(&mut self, first: Signal, segment: &Segment, now: Ticks) -> Signal {
        match self.synchronised(segment, now) {
            Signal::None => first,
            later => later,
        }
    }

    pub(super) fn synchronised(&mut self, segment: &Segment, now: Ticks) -> Signal {
        let window = self.free();
        if !is_acceptable(segment.seq, segment.len(), self.rcv_nxt, window) {
            self.acks += u32::from(!segment.rst);
            return Signal::None;
        }
        if segment.rst {
            if segment.seq == self.rcv_nxt {
                return self.reset_by_peer();
            }
            self.acks += 1; // RFC 5961 section 3: challenge
            return Signal::None;
        }
        let Some(ack) = segment.ack.filter(|_| !segment.syn) else {
            self.acks += u32::from(segment.syn); // RFC 5961 section 4: challenge
            return Signal::None;
        };
        let (una, nxt) = (self.sender.una(), self.sender.nxt());
        let oldest = SeqNum(una.0.wrapping_sub(self.max_window));
        if !within(oldest, ack, nxt) {
            self.acks += 1; // RFC 5961 section 5
            return Signal::None;
        }
        if within(una, ack, nxt) {
            self.update_window(segment, ack);
            self.sender.acked(ack, now);
        }
        self.take_data(segment, window);
        self.settle();
        Signal::None
    }

    /// A reset that counts. Behind both FINs the peer is gone, and nothing has failed (RFC 9293
    /// section 3.10.7.4).
    fn reset_by_peer(&mut self) -> Signal {
        let is_final = matches!(self.state, State::Closing | State::LastAck);
        if is_final && self.sender.awaits_fin_alone() {
            self.state = State::Closed;
            return Signal::None;
        }
        Signal::Reset
    }

    fn set_window(&mut self, window: u32) {
        self.max_window = self.max_window.max(window);
        self.sender.set_window(window);
    }

    fn update_window(&mut self, segment: &Segment, ack: SeqNum) {
        let newer = self.wl1.is_before(segment.seq) || (self.wl1 == segment.seq && !ack.is_before(self.wl2));
        if newer {
            (self.wl1, self.wl2) = (segment.seq, ack);
            self.set_window(u32::from(segment.window) << self.snd_scale());
        }
    }

    /// Data and FIN. What lies beyond a gap is not kept: the peer sends it again.
    fn take_data(&mut self, segment: &Segment, window: u32) {
        if segment.is_empty() {
            return;
        }
        self.acks += 1;
        let known = self.rcv_nxt.since(segment.seq) as usize;
        let Some(fresh) = segment.payload.get(known..).filter(|_| !self.rcv_nxt.is_before(segment.seq))
        else {
            return;
        };
        if self.peer_fin {
            return;
        }
        let room = fresh.len().min(window as usize);
        self.received.extend(fresh.iter().take(room));
        self.rcv_nxt = self.rcv_nxt.plus(room as u32);
        if segment.fin && room == fresh.len() {
            self.rcv_nxt = self.rcv_nxt.plus(1);
            self.peer_fin = true;
            self.state = match self.state {
                State::Established => State::CloseWait,
                State::FinWait => State::Closing,
                other => other,
            };
        }
    }

    /// Our FIN is acknowledged: on to the end if the peer's came, too.
    fn settle(&mut self) {
        if self.sender.fin_is_acked() {
            self.state = match self.state {
                State::Closing => State::TimeWait,
                State::LastAck => State::Closed,
                other => other,
            };
        }
    }
}
