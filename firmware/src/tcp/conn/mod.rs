// SPDX-License-Identifier: MIT OR Apache-2.0
//! State machine of one connection while firmware owns it: its state, its timers, what leaves (RFC
//! 9293 section 3.3). What a segment does to it is in `input`.

mod input;

use super::segment::{Segment, Tuple};
use super::sender::Sender;
use crate::time::{is_due, Backoff, Expiry, Ticks};
use alloc::vec::Vec;
use ferrowarp_abi::types::SeqNum;

/// Most times that a SYN-ACK is sent again by our timer: nobody may be there to hear it.
const SYN_ACKS_AGAIN: u32 = 3;

/// States of RFC 9293 section 3.3.2 that firmware has; LISTEN is a listener, TIME-WAIT is
/// remembered elsewhere.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Our SYN is out.
    SynSent,
    /// SYNs crossed or a SYN came; our SYN-ACK is out.
    SynReceived,
    /// Open both ways.
    Established,
    /// Our FIN is queued or out, the peer's did not come.
    FinWait,
    /// The peer's FIN came, ours is not asked for.
    CloseWait,
    /// Both FINs are under way, ours was first.
    Closing,
    /// Both FINs are under way, the peer's was first.
    LastAck,
    /// Closed by us first; the tuple is to be remembered.
    TimeWait,
    /// Nothing is left.
    Closed,
}

/// What a segment or a timer brought about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Nothing of note.
    None,
    /// The handshake is done.
    Opened,
    /// The peer reset the connection.
    Reset,
    /// The retry limit was reached.
    Lost,
}

/// What does not change.
#[derive(Copy, Clone, Debug)]
pub struct Settings {
    /// MSS that we tell the peer.
    pub mss: u16,
    /// Largest segment our own MTU allows.
    pub most: u16,
    /// Receive window in octets.
    pub window: u32,
    /// Its shift.
    pub scale: u8,
    /// First retransmission.
    pub rto: u64,
    /// Longest wait.
    pub rto_max: u64,
    /// Expiries until the connection is lost.
    pub retries: u32,
}

/// A connection.
#[derive(Clone, Debug)]
pub struct Conn {
    /// Who talks to whom.
    pub tuple: Tuple,
    settings: Settings,
    state: State,
    iss: SeqNum,
    irs: SeqNum,
    rcv_nxt: SeqNum,
    /// Shift of the peer's windows; `None` if it did not offer the option.
    snd_scale: Option<u8>,
    emss: u16,
    /// EMSS without a narrow link on the path, and when it is tried again.
    full_emss: u16,
    narrow_until: Option<Ticks>,
    max_window: u32,
    wl1: SeqNum,
    wl2: SeqNum,
    sender: Sender,
    received: Vec<u8>,
    peer_fin: bool,
    /// ACKs owed.
    acks: u32,
    syn_timer: Backoff,
    /// The SYN or SYN-ACK is to be sent.
    syn_due: bool,
    /// When it left, if it left once.
    syn_at: Option<Ticks>,
    /// It left more than once.
    syn_again: bool,
    /// Ticks of the handshake's round trip.
    round_trip: Option<u64>,
}

impl Conn {
    /// An active open: the SYN leaves with the next [`Conn::emit`].
    pub fn connect(tuple: Tuple, iss: SeqNum, settings: Settings) -> Self {
        let timer = || Backoff::new(settings.rto, settings.rto_max, settings.retries);
        let emss = tuple.default_mss().min(settings.most);
        Self {
            tuple,
            settings,
            state: State::SynSent,
            iss,
            irs: SeqNum(0),
            rcv_nxt: SeqNum(0),
            snd_scale: None,
            emss,
            full_emss: emss,
            narrow_until: None,
            max_window: 0,
            wl1: SeqNum(0),
            wl2: SeqNum(0),
            sender: Sender::new(iss.plus(1), timer()),
            received: Vec::new(),
            peer_fin: false,
            acks: 0,
            syn_timer: timer(),
            syn_due: true,
            syn_at: None,
            syn_again: false,
            round_trip: None,
        }
    }

    /// A passive open by a SYN.
    pub fn accept(tuple: Tuple, iss: SeqNum, settings: Settings, syn: &Segment) -> Self {
        let mut conn = Self::connect(tuple, iss, settings);
        conn.take_syn(syn);
        conn.syn_timer = Backoff::new(settings.rto, settings.rto_max, settings.retries.min(SYN_ACKS_AGAIN));
        conn.state = State::SynReceived;
        conn
    }

    /// State.
    pub fn state(&self) -> State {
        self.state
    }

    /// RCV.NXT.
    pub fn rcv_nxt(&self) -> SeqNum {
        self.rcv_nxt
    }

    /// Send side.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Effective maximum segment size in octets.
    pub fn emss(&self) -> u16 {
        self.emss
    }

    /// What it is on a path without a narrow link.
    pub fn full_emss(&self) -> u16 {
        self.full_emss
    }

    /// Until then the path takes no more than `emss` octets a segment.
    pub fn lower_emss(&mut self, emss: u16, until: Ticks) {
        self.emss = self.emss.min(emss.max(64));
        self.narrow_until = (self.emss < self.full_emss).then_some(until);
    }

    /// Shift of the peer's windows.
    pub fn snd_scale(&self) -> u8 {
        self.snd_scale.unwrap_or(0)
    }

    /// Shift of ours: 0 unless the peer has the option, too.
    pub fn rcv_scale(&self) -> u8 {
        self.snd_scale.map_or(0, |_| self.settings.scale)
    }

    /// Ticks between our SYN or SYN-ACK and what acknowledged it; none if it left more than once
    /// (RFC 6298 section 3).
    pub fn round_trip(&self) -> Option<u64> {
        self.round_trip
    }

    /// SND.WL1 and SND.WL2.
    pub fn window_marks(&self) -> (SeqNum, SeqNum) {
        (self.wl1, self.wl2)
    }

    /// Octets received in order and not yet taken.
    pub fn received(&self) -> &[u8] {
        &self.received
    }

    /// Takes up to `n` of them. An ACK tells the peer if there is room for a segment again, or for
    /// half of the window (RFC 9293 section 3.8.6.2.2).
    pub fn take(&mut self, n: usize) -> Vec<u8> {
        let enough = u32::from(self.settings.mss).min(self.settings.window / 2);
        let was_full = self.free() < enough;
        let taken = self.received.drain(..n.min(self.received.len())).collect();
        self.acks += u32::from(was_full && self.free() >= enough);
        taken
    }

    /// Octets of the receive window that are free.
    fn free(&self) -> u32 {
        self.settings.window.saturating_sub(self.received.len() as u32)
    }

    /// Whether the peer's FIN came in order.
    pub fn peer_fin(&self) -> bool {
        self.peer_fin
    }

    /// Whether an ACK is owed.
    pub fn owes_ack(&self) -> bool {
        self.acks > 0
    }

    /// Octets to be sent.
    pub fn push(&mut self, octets: &[u8]) {
        self.sender.push(octets);
    }

    /// Asks for our FIN after what was pushed; before the handshake is done it just ends.
    pub fn close(&mut self) {
        self.state = match self.state {
            State::SynSent | State::SynReceived => State::Closed,
            State::Established => State::FinWait,
            State::CloseWait => State::LastAck,
            other => other,
        };
        if self.state != State::Closed {
            self.sender.finish();
        }
    }

    /// The reset of an abort, if the peer may know of the connection.
    pub fn abort(&mut self) -> Option<Segment> {
        let state = core::mem::replace(&mut self.state, State::Closed);
        match state {
            State::SynSent | State::TimeWait | State::Closed => None,
            _ => Some(Segment {
                seq: self.sender.nxt(),
                ack: Some(self.rcv_nxt),
                rst: true,
                ..Segment::default()
            }),
        }
    }

    /// Hardware has the connection: no timer runs here any more.
    pub fn freeze(&mut self) {
        self.sender.freeze();
        self.narrow_until = None;
        self.acks = 0;
    }

    /// One segment of this connection. Answers are collected by [`Conn::emit`], but for a reset,
    /// which is returned.
    pub fn segment(&mut self, segment: &Segment, now: Ticks) -> (Signal, Option<Segment>) {
        match self.state {
            State::Closed | State::TimeWait => (Signal::None, None),
            State::SynSent => self.in_syn_sent(segment, now),
            State::SynReceived => self.in_syn_received(segment, now),
            _ => (self.synchronised(segment, now), None),
        }
    }

    /// When to call [`Conn::expire`] next.
    pub fn due(&self) -> Option<Ticks> {
        [self.syn_timer.due(), self.sender.due(), self.narrow_until].into_iter().flatten().min()
    }

    /// Looks at the timers.
    pub fn expire(&mut self, now: Ticks) -> Signal {
        if is_due(self.narrow_until, now) {
            (self.emss, self.narrow_until) = (self.full_emss, None);
        }
        match self.syn_timer.expire(now) {
            Some(Expiry::GiveUp) => return Signal::Lost,
            Some(Expiry::Again) => self.syn_due = true,
            None => {}
        }
        if self.sender.expire(now) {
            return Signal::Lost;
        }
        Signal::None
    }

    /// Whether a SYN or SYN-ACK leaves with the next [`Conn::emit`], from which its timer counts:
    /// the next hop's station should be known before.
    pub fn opens(&self) -> bool {
        self.syn_due && matches!(self.state, State::SynSent | State::SynReceived)
    }

    /// Everything that is to leave now.
    pub fn emit(&mut self, now: Ticks) -> Vec<Segment> {
        let mut segments = Vec::new();
        if matches!(self.state, State::SynSent | State::SynReceived) {
            if core::mem::take(&mut self.syn_due) {
                self.syn_timer.wait_from(now);
                self.syn_at = (!self.syn_again).then_some(now);
                self.syn_again = true;
                segments.push(self.syn());
            } else if self.acks > 0 {
                segments.push(self.ack());
            }
            self.acks = 0;
            return segments;
        }
        let pieces = self.sender.pieces(self.emss, now);
        // one ACK for each segment that asked for one; the first pieces carry some of them
        let alone = (self.acks as usize).saturating_sub(pieces.len());
        segments.extend(pieces.into_iter().map(|piece| Segment {
            seq: piece.seq,
            fin: piece.fin,
            payload: piece.octets,
            ..self.ack()
        }));
        segments.extend((0..alone).map(|_| self.ack()));
        self.acks = 0;
        segments
    }

    fn ack(&self) -> Segment {
        let window = (self.free() >> self.rcv_scale()).min(0xFFFF) as u16;
        Segment { seq: self.sender.nxt(), ack: Some(self.rcv_nxt), window, ..Segment::default() }
    }

    fn syn(&self) -> Segment {
        let answers = self.state == State::SynReceived;
        Segment {
            seq: self.iss,
            ack: answers.then_some(self.rcv_nxt),
            window: self.settings.window.min(0xFFFF) as u16,
            syn: true,
            mss: Some(self.settings.mss),
            // offered in a SYN, agreed to in a SYN-ACK
            scale: (!answers || self.snd_scale.is_some()).then_some(self.settings.scale),
            ..Segment::default()
        }
    }
}
