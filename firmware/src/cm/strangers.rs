// SPDX-License-Identifier: MIT OR Apache-2.0
//! What peers that nobody knows may open and hear: passive opens, the places for them, resets.
use super::api::Then;
use super::flow::{Flow, Phase};
use super::{ConnId, ListenerId, Manager};
use crate::tcp::conn::Conn;
use crate::tcp::cookie;
use crate::tcp::segment::{Segment, Tuple};
use alloc::boxed::Box;
use ferrowarp_abi::types::SeqNum;

impl Manager {
    /// `false` if nobody listens. A SYN beyond the backlog takes the place of the oldest half-open
    /// connection; without one it is dropped, and TCP sends it again. `iss` is the sequence number
    /// that answered it before.
    pub(super) fn passive_open(&mut self, tuple: Tuple, syn: &Segment, iss: Option<SeqNum>) -> bool {
        let (ip, port) = (tuple.local.ip(), tuple.local.port());
        let matches = |l: &super::Listen| l.port == port && l.address.is_none_or(|a| a == ip);
        let Some((&listener, listen)) = self.listeners.iter().find(|(_, l)| matches(l)) else { return false };
        let (backlog, mut then) = (listen.backlog, listen.then.clone());
        let waiting = self.flows.values().filter(|f| f.listener == Some(listener) && f.is_backlog()).count();
        let has_place = waiting < backlog || self.give_up_half_open(Some(listener));
        if !has_place || !self.has_room_for_strangers() && !self.give_up_half_open(None) {
            self.counters.backlog += 1;
            return true;
        }
        let iss = iss.unwrap_or_else(|| self.answer_to(&tuple, syn));
        if let Then::Initiate(how) = &mut then {
            // a listener's queue pair serves one connection; the application binds those of the
            // others
            how.qp = how.qp.filter(|qp| self.check_qp(*qp).is_ok());
        }
        let tcp = Conn::accept(tuple, iss, self.settings(&tuple), syn);
        let flow = Flow {
            id: ConnId(self.name()),
            tcp,
            listener: Some(listener),
            phase: Phase::Opening(Box::new(then)),
            deadline: Some(self.now.after(self.config.timing.open)),
            taken: false,
            // the application hears of it when TCP is open
            told: true,
            told_peer_fin: false,
            told_octets: false,
            wants_room: false,
        };
        self.keep(flow);
        true
    }

    /// Our sequence number of a passive open: a cookie if it may be given up.
    fn answer_to(&self, tuple: &Tuple, syn: &Segment) -> SeqNum {
        let tick_us = self.config.timing.tick_us;
        if self.now < self.pressed_until {
            cookie::make(&self.secret, tuple, syn, self.now, tick_us)
        } else {
            self.secret.isn(tuple, self.now, tick_us)
        }
    }

    /// Whether a segment is the first one after the SYN of a half-open connection that was given
    /// up: it is half open again.
    pub(super) fn passive_open_again(&mut self, tuple: Tuple, first: &Segment) -> bool {
        let lifetime = cookie::lifetime(self.config.timing.tick_us);
        if self.now >= self.pressed_until.after(lifetime) {
            return false;
        }
        let read = cookie::read(&self.secret, &tuple, first, self.now, self.config.timing.tick_us);
        read.is_some_and(|(syn, iss)| self.passive_open(tuple, &syn, Some(iss)))
    }

    /// Whether a listener may take one more connection: a quarter of all places is for those that
    /// the application opens.
    fn has_room_for_strangers(&self) -> bool {
        let most = self.config.connections - self.config.connections / 4;
        let strangers = self.flows.values().filter(|flow| flow.listener.is_some()).count();
        strangers < most && self.flows.len() < self.config.connections
    }

    /// Forgets the oldest half-open connection, of one listener or of all; `false` if there is
    /// none. The peer, if there is one, is not told, nor is its station asked for any more (RFC
    /// 4987 section 3.4).
    pub(super) fn give_up_half_open(&mut self, of: Option<ListenerId>) -> bool {
        let oldest = |f: &&Flow| f.is_half_open() && (of.is_none() || f.listener == of);
        let Some(id) = self.flows.values().find(oldest).map(|flow| flow.id) else { return false };
        let Some(flow) = self.flows.remove(&id) else { return false };
        self.counters.backlog += 1;
        self.pressed_until = self.now.after(cookie::lifetime(self.config.timing.tick_us));
        self.forget(&flow);
        let hop = self.hop_of(&flow);
        if let Some(hop) = hop.filter(|_| !self.flows.values().any(|other| self.hop_of(other) == hop)) {
            self.net.drop_question(hop);
        }
        true
    }

    /// Whether one more reset may leave that a stranger asked for.
    pub(super) fn may_reset(&mut self) -> bool {
        let may = self.resets.take(self.now);
        self.counters.unanswered += u64::from(!may);
        may
    }
}
