// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raw mode: plain octets of TCP before MPA, and the start of MPA behind them (RFC 5044 sections
//! 7.1.3 to 7.1.5).
//!
//! Octets stay in the stream until the application reads them. So the receive window bounds what is
//! held, and the octets that are left when MPA starts are its startup frame.
use super::api::{ConnId, Event, Initiate};
use super::calls::state;
use super::flow::{Flow, Phase};
use super::Manager;
use crate::error::CallError;
use alloc::vec::Vec;

/// Most octets that wait to be sent or acknowledged. Firmware has no congestion window, so this is
/// the initial one of RFC 6928 section 2.
const SEND_MOST: usize = 14_600;

impl Manager {
    /// The application has this connection of a listener in raw mode: the backlog counts it no
    /// more.
    pub fn take(&mut self, id: ConnId) -> Result<(), CallError> {
        self.streaming(id, "take")?;
        let flow = self.flow_mut(id)?;
        (flow.taken, flow.deadline) = (true, None);
        Ok(())
    }

    /// Takes up to `most` raw octets from the stream. There are none: [`Event::Readable`] tells of
    /// the next ones. The rest stays, for the next call or as startup frame of MPA.
    pub fn read(&mut self, id: ConnId, most: usize) -> Result<Vec<u8>, CallError> {
        self.streaming(id, "read")?;
        let flow = self.flow_mut(id)?;
        let octets = flow.tcp.take(most);
        flow.told_octets = !flow.tcp.received().is_empty();
        Ok(octets)
    }

    /// Raw octets that were received and not read.
    pub fn unread(&self, id: ConnId) -> Result<usize, CallError> {
        self.streaming(id, "unread")?;
        Ok(self.flow(id)?.tcp.received().len())
    }

    /// Sends as many raw octets from the first on as there is room for, and says how many. If some
    /// are left, [`Event::Writable`] tells when there is room again.
    pub fn send(&mut self, id: ConnId, octets: &[u8]) -> Result<usize, CallError> {
        self.streaming(id, "send")?;
        let room = SEND_MOST.saturating_sub(self.flow(id)?.tcp.sender().queued());
        let part = octets.get(..room).unwrap_or(octets);
        self.change(id, |_, flow| {
            flow.tcp.push(part);
            flow.wants_room = part.len() < octets.len();
        });
        Ok(part.len())
    }

    /// Starts MPA as initiator on a connection in raw mode, right after the octets sent so far.
    /// There is no fallback: another connection would not have them.
    pub fn initiate(&mut self, id: ConnId, how: Initiate) -> Result<(), CallError> {
        self.streaming(id, "initiate")?;
        self.check(&how)?;
        self.change(id, |manager, flow| {
            flow.leave_raw_mode();
            flow.taken = true;
            manager.send_request(flow, Initiate { fallback: false, ..how });
        });
        Ok(())
    }

    /// Starts MPA as responder on a connection in raw mode, right after the octets read so far.
    /// `last` is sent before: the last raw message, after which the peer may send its Request at
    /// once (RFC 5044 section 7.1.5). A connection of a listener that nobody has taken is still of
    /// its backlog.
    pub fn respond(&mut self, id: ConnId, last: &[u8]) -> Result<(), CallError> {
        self.streaming(id, "respond")?;
        self.change(id, |manager, flow| {
            flow.leave_raw_mode();
            flow.tcp.push(last);
            manager.await_request(flow);
        });
        Ok(())
    }

    fn streaming(&self, id: ConnId, call: &'static str) -> Result<(), CallError> {
        match &self.flow(id)?.phase {
            Phase::Streaming => Ok(()),
            other => Err(state(call, "is in raw mode", other)),
        }
    }

    /// What the application of a connection in raw mode is told, each once until it reads or sends
    /// again.
    pub(super) fn stream(&mut self, flow: &mut Flow) {
        let id = flow.id;
        let has_octets = !flow.tcp.received().is_empty();
        if has_octets && !core::mem::replace(&mut flow.told_octets, true) {
            self.events.push_back(Event::Readable { id });
        }
        if flow.tcp.peer_fin() && !core::mem::replace(&mut flow.told_peer_fin, true) {
            self.events.push_back(Event::PeerClosed { id });
        }
        if flow.wants_room && flow.tcp.sender().queued() <= SEND_MOST / 2 {
            flow.wants_room = false;
            self.events.push_back(Event::Writable { id });
        }
    }
}

impl Flow {
    /// No raw octets come or go any more.
    fn leave_raw_mode(&mut self) {
        (self.told_octets, self.wants_room) = (false, false);
    }
}
