// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application's calls. They change state and queue what is to be sent; the next poll sends it.
use super::api::{Accept, ConnId, Connect, Initiate, Listen, ListenerId, Offer, Terms, Then};
use super::ends::End;
use super::flow::{Ending, Flow, Phase};
use super::handover::{HandOver, Side};
use super::startup::{check_private_data, is_enhanced};
use super::Manager;
use crate::error::{CallError, ConnError};
use crate::mpa::frame::{Kind, Startup};
use crate::mpa::negotiate::{self, Agreed, Depth, Limits, Wanted};
use crate::port::QpId;
use crate::tcp::conn::Signal;
use alloc::vec::Vec;
use ferrowarp_abi::codec::MpaDepths;
use ferrowarp_abi::consts::mpa;

impl Manager {
    /// Listens on a port; port 0 is a free one, which [`Manager::listen_port`] tells.
    pub fn listen(&mut self, listen: Listen) -> Result<ListenerId, CallError> {
        if let Then::Initiate(how) = &listen.then {
            self.check(how)?;
        }
        let port = self.free_port(&listen)?;
        let id = ListenerId(self.name());
        self.listeners.insert(id, Listen { port, ..listen });
        Ok(id)
    }

    /// Ends a listener. Connections that the application has heard of stay; the others are reset.
    pub fn unlisten(&mut self, id: ListenerId) {
        self.listeners.remove(&id);
        let is_early = |f: &Flow| matches!(f.phase, Phase::Opening(_) | Phase::AwaitRequest);
        let unheard = |f: &&Flow| f.listener == Some(id) && !f.taken && is_early(f);
        let ids: Vec<_> = self.flows.values().filter(unheard).map(|f| f.id).collect();
        for id in ids {
            if let Some(flow) = self.flows.remove(&id) {
                self.end(flow, ConnError::Aborted, End::Reset);
            }
        }
    }

    /// Opens a connection; [`Manager::local`] tells our end.
    pub fn connect(&mut self, connect: Connect) -> Result<ConnId, CallError> {
        if let Then::Initiate(how) = &connect.then {
            self.check(how)?;
        }
        if self.flows.len() >= self.config.connections && !self.give_up_half_open(None) {
            return Err(CallError::TooMany(self.config.connections));
        }
        let tuple = self.free_tuple(&connect)?;
        let flow = self.active(tuple, connect.then);
        let id = flow.id;
        self.keep(flow);
        Ok(id)
    }

    /// Accepts a Request. The Reply leaves once the hardware has the connection.
    pub fn accept(&mut self, id: ConnId, accept: Accept) -> Result<(), CallError> {
        let request = match &self.flow(id)?.phase {
            Phase::Deciding(request) => (**request).clone(),
            other => return Err(state("accept", "has a Request", other)),
        };
        check_private_data(accept.private_data.len(), request.enhanced.is_some())?;
        check_depths(accept.wanted)?;
        accept.liveness.check()?;
        self.check_qp(accept.qp)?;
        let rtr = self.config.limits.rtr.common(accept.rtr);
        if rtr.is_empty() && request.enhanced.is_some_and(|asked| asked.peer_to_peer) {
            return Err(CallError::NoRtr);
        }
        let limits = Limits { rtr, ..self.config.limits };
        let too_small = |asked| negotiate::too_small(asked, accept.wanted, &limits);
        if let (true, Some(words)) = (accept.strict, request.enhanced.as_ref().and_then(too_small)) {
            self.send_reject(id, &request, Some(words), Vec::new());
            let offered = request.enhanced.map_or(0, |asked| asked.ird);
            return Err(CallError::IrdTooSmall { offered, needed: accept.wanted.ord });
        }
        let plain = accept.wanted.within(&limits);
        let plain = Agreed { ird: plain.ird, ord: plain.ord, rtr: None };
        let answer = request.enhanced.map(|asked| negotiate::respond(&asked, accept.wanted, &limits));
        let agreed = answer.map_or(plain, |(agreed, _)| agreed);
        let reply = Startup {
            markers: accept.markers,
            crc: self.wants_crc(),
            reject: false,
            revision: request.revision,
            enhanced: answer.map(|(_, words)| words),
            private_data: accept.private_data,
        };
        let terms = Terms {
            agreed,
            revision: request.revision,
            crc: request.crc || reply.crc,
            tx_markers: request.markers,
            rx_markers: reply.markers,
        };
        let side = Side::Responder { reply: reply.octets(Kind::Reply), early: accept.early };
        let handover = HandOver::new(accept.qp, side, (terms, Offer::of(&request)), accept.liveness);
        self.change(id, |manager, flow| manager.hand_over(flow, handover));
        Ok(())
    }

    /// Rejects a Request; TCP stays open (RFC 5044 section 7.1.2 rule 2). `needed` are the depths
    /// that the application would have needed, for an enhanced Request.
    pub fn reject(
        &mut self,
        id: ConnId,
        private_data: Vec<u8>,
        needed: Option<Wanted>,
    ) -> Result<(), CallError> {
        let request = match &self.flow(id)?.phase {
            Phase::Deciding(request) => (**request).clone(),
            other => return Err(state("reject", "has a Request", other)),
        };
        check_private_data(private_data.len(), request.enhanced.is_some())?;
        let limits = self.config.limits;
        let wanted = needed.unwrap_or(Wanted::new(limits.ird, limits.ord));
        check_depths(wanted)?;
        let words = request.enhanced.map(|asked| {
            let (_, words) = negotiate::respond(&asked, wanted, &limits);
            let told = Depth::from_wire(asked.ird) != Depth::NotNegotiated && needed.is_some();
            if told {
                MpaDepths { ord: wanted.ord, ..words }
            } else {
                words
            }
        });
        self.send_reject(id, &request, words, private_data);
        Ok(())
    }

    fn send_reject(
        &mut self,
        id: ConnId,
        request: &Startup,
        enhanced: Option<MpaDepths>,
        private_data: Vec<u8>,
    ) {
        let (crc, revision) = (self.wants_crc(), request.revision);
        let reply = Startup { markers: false, crc, reject: true, revision, enhanced, private_data };
        self.change(id, |_, flow| {
            flow.tcp.push(&reply.octets(Kind::Reply));
            flow.phase = Phase::Streaming;
            flow.taken = true;
            flow.deadline = None;
        });
    }

    /// Binds a queue pair after [`super::api::Event::Reply`].
    pub fn bind(&mut self, id: ConnId, qp: QpId) -> Result<(), CallError> {
        let accepted = match &self.flow(id)?.phase {
            Phase::Unbound(accepted) => (**accepted).clone(),
            other => return Err(state("bind", "has a Reply and no queue pair", other)),
        };
        self.check_qp(qp)?;
        let side = Side::Initiator(accepted.terms.agreed.rtr);
        let words = (accepted.terms, accepted.offer);
        let handover = HandOver::new(qp, side, words, accepted.liveness);
        self.change(id, |manager, flow| manager.hand_over(flow, handover));
        Ok(())
    }

    /// Closes: what is queued still leaves, then a FIN. [`super::api::Event::Ended`] follows.
    pub fn close(&mut self, id: ConnId) -> Result<(), CallError> {
        let now = self.now;
        match &mut self.flow_mut(id)?.phase {
            Phase::Running(running) => {
                let todo = running.close(now);
                self.perform(id, todo);
            }
            Phase::HandOver(handover) if !handover.is_draining() => handover.cancel(ConnError::Aborted),
            Phase::Opening(_) => return self.abort(id),
            Phase::Ending(_) => {}
            _ => self.change(id, |manager, flow| manager.close_tcp(flow, Ending::Fin)),
        }
        Ok(())
    }

    /// Ends our side of a stream in full operation: a FIN after everything posted. The peer may go
    /// on sending for as long as the application likes (RFC 5041 section 6.2.1).
    /// [`super::api::Event::Ended`] follows the peer's FIN. When both have finished, what was
    /// posted leaves for as long as the peer acknowledges some of it within the time of a close.
    pub fn finish_sending(&mut self, id: ConnId) -> Result<(), CallError> {
        let now = self.now;
        match &mut self.flow_mut(id)?.phase {
            Phase::Running(running) => {
                let todo = running.finish_sending(now);
                self.perform(id, todo);
                Ok(())
            }
            other => Err(state("finish_sending", "is in full operation", other)),
        }
    }

    /// Resets at once. [`super::api::Event::Ended`] follows, when the queue pair is free.
    pub fn abort(&mut self, id: ConnId) -> Result<(), CallError> {
        match &mut self.flow_mut(id)?.phase {
            Phase::Running(running) => {
                let todo = running.abort(ConnError::Aborted);
                self.perform(id, todo);
            }
            Phase::HandOver(handover) if !handover.is_draining() => handover.cancel(ConnError::Aborted),
            _ => {
                if let Some(flow) = self.flows.remove(&id) {
                    self.end(flow, ConnError::Aborted, End::Reset);
                }
            }
        }
        Ok(())
    }

    pub(super) fn flow(&self, id: ConnId) -> Result<&Flow, CallError> {
        let known = |flow: &&Flow| !flow.told;
        self.flows.get(&id).filter(known).ok_or(CallError::Unknown(id.0))
    }

    pub(super) fn flow_mut(&mut self, id: ConnId) -> Result<&mut Flow, CallError> {
        self.flow(id)?;
        self.flows.get_mut(&id).ok_or(CallError::Unknown(id.0))
    }

    /// Changes a connection and does what follows from it.
    pub(super) fn change(&mut self, id: ConnId, how: impl FnOnce(&mut Self, &mut Flow)) {
        if let Some(mut flow) = self.flows.remove(&id) {
            how(self, &mut flow);
            self.advance(flow, Signal::None);
        }
    }

    pub(super) fn check(&self, how: &Initiate) -> Result<(), CallError> {
        check_private_data(how.private_data.len(), is_enhanced(how, self.config.revision))?;
        check_depths(how.wanted)?;
        how.liveness.check()?;
        if how.peer_to_peer && how.rtr.common(self.config.limits.rtr).is_empty() {
            return Err(CallError::NoRtr);
        }
        how.qp.map_or(Ok(()), |qp| self.check_qp(qp))
    }

    pub(super) fn check_qp(&self, qp: QpId) -> Result<(), CallError> {
        let busy = self.flows.values().any(|flow| flow.phase.qp() == Some(qp));
        if busy {
            Err(CallError::QpBusy(qp.0))
        } else {
            Ok(())
        }
    }
}

fn check_depths(wanted: Wanted) -> Result<(), CallError> {
    match wanted.ird.max(wanted.ord) {
        depth if depth > mpa::DEPTH_MAX => Err(CallError::Depth(depth)),
        _ => Ok(()),
    }
}

pub(super) fn state(call: &'static str, needs: &'static str, phase: &Phase) -> CallError {
    CallError::State { call, needs, phase: phase.name() }
}
