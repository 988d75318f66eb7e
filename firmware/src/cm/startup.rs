// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA startup over a connection that firmware owns: what the octets received so far mean (RFC 5044
//! section 7.1, RFC 6581 sections 9 and 10).
use super::api::{Event, Initiate, Offer, Terms, Then};
use super::ends::End;
use super::flow::{Accepted, Asked, Ending, Flow, Phase};
use super::handover::{HandOver, Side};
use super::running::Do;
use super::Manager;
use crate::config::CrcPolicy;
use crate::error::{CallError, ConnError};
use crate::mpa::frame::{self, FrameError, Kind, Parsed, Startup};
use crate::mpa::{fpdu, negotiate};
use crate::port::Command;
use crate::tcp::conn::Signal;
use crate::terminate;
use alloc::boxed::Box;

impl Manager {
    /// After a segment, a timer or a call: everything that follows from the state of TCP. The
    /// connection goes back to its place, unless it ended.
    pub(super) fn advance(&mut self, mut flow: Flow, signal: Signal) {
        match signal {
            Signal::Reset if matches!(flow.phase, Phase::Opening(_)) => {
                let remote = flow.tcp.tuple.remote;
                return self.end(flow, ConnError::Refused(remote), End::Silent);
            }
            Signal::Reset => return self.end(flow, ConnError::Reset, End::Silent),
            Signal::Lost if flow.is_half_open() => return self.end(flow, ConnError::Lost, End::Silent),
            Signal::Lost => return self.end(flow, ConnError::Lost, End::Reset),
            Signal::Opened => self.opened(&mut flow),
            Signal::None => {}
        }
        match self.step(&mut flow) {
            Ok(()) => self.settle(flow),
            Err(error @ ConnError::PeerClosed) => self.end(flow, error, End::Fin),
            Err(error) => self.end(flow, error, End::Reset),
        }
    }

    fn opened(&mut self, flow: &mut Flow) {
        flow.deadline = None;
        flow.told = false;
        let Phase::Opening(then) = core::mem::replace(&mut flow.phase, Phase::Streaming) else { return };
        match *then {
            Then::Initiate(how) => {
                flow.taken = true;
                self.send_request(flow, how);
            }
            Then::Respond => self.await_request(flow),
            Then::Stream => {
                let within = self.now.after(self.config.timing.application);
                flow.deadline = (!flow.taken).then_some(within);
                let (id, listener, tuple) = (flow.id, flow.listener, flow.tcp.tuple);
                self.events.push_back(Event::Opened {
                    id,
                    listener,
                    local: tuple.local,
                    remote: tuple.remote,
                });
            }
        }
    }

    pub(super) fn await_request(&mut self, flow: &mut Flow) {
        flow.phase = Phase::AwaitRequest;
        flow.deadline = Some(self.now.after(self.config.timing.startup));
    }

    pub(super) fn wants_crc(&self) -> bool {
        self.config.crc == CrcPolicy::Wanted
    }

    pub(super) fn send_request(&mut self, flow: &mut Flow, how: Initiate) {
        let limits = self.config.limits;
        let wanted = how.wanted.within(&limits);
        if let Some(qp) = how.qp {
            // RFC 6581 section 9.3 step 1: before the Request leaves
            let depths = Command::Depths { qp, ird: wanted.ird, ord: wanted.ord };
            self.perform(flow.id, [Do::Command(depths)]);
        }
        let enhanced = is_enhanced(&how, self.config.revision);
        let words = negotiate::request(wanted, how.peer_to_peer, how.rtr.common(limits.rtr));
        let request = Startup {
            markers: how.markers,
            crc: self.wants_crc(),
            reject: false,
            revision: if enhanced { 2 } else { 1 },
            enhanced: enhanced.then_some(words),
            private_data: how.private_data.clone(),
        };
        flow.tcp.push(&request.octets(Kind::Request));
        flow.phase = Phase::AwaitReply(Box::new(Asked { how, request }));
        flow.deadline = Some(self.now.after(self.config.timing.startup));
    }

    /// What the octets received so far bring about.
    fn step(&mut self, flow: &mut Flow) -> Result<(), ConnError> {
        match &flow.phase {
            Phase::Streaming => {
                self.stream(flow);
                Ok(())
            }
            Phase::AwaitRequest => self.read_request(flow),
            Phase::AwaitReply(_) => self.read_reply(flow),
            Phase::Deciding(_) => nothing_more(flow, Kind::Request),
            Phase::Unbound(_) => nothing_more(flow, Kind::Reply),
            Phase::HandOver(handover) if handover.is_draining() => {
                let after = if handover.is_initiator() { Kind::Reply } else { Kind::Request };
                nothing_more(flow, after)
            }
            Phase::Ending(_) => {
                flow.tcp.take(usize::MAX);
                Ok(())
            }
            Phase::Opening(_) | Phase::HandOver(_) | Phase::Running(_) => Ok(()),
        }
    }

    fn read_request(&mut self, flow: &mut Flow) -> Result<(), ConnError> {
        let Some(request) = whole(flow, Kind::Request, self.config.revision)? else { return Ok(()) };
        nothing_more(flow, Kind::Request)?;
        let tuple = flow.tcp.tuple;
        self.events.push_back(Event::Request {
            id: flow.id,
            listener: flow.listener,
            local: tuple.local,
            remote: tuple.remote,
            offer: Offer::of(&request),
        });
        flow.phase = Phase::Deciding(Box::new(request));
        flow.deadline = Some(self.now.after(self.config.timing.application));
        Ok(())
    }

    fn read_reply(&mut self, flow: &mut Flow) -> Result<(), ConnError> {
        let Phase::AwaitReply(asked) = &flow.phase else { return Ok(()) };
        let (revision, words) = (asked.request.revision, asked.request.enhanced);
        let Some(reply) = whole(flow, Kind::Reply, revision)? else { return Ok(()) };
        match (words.is_some(), reply.enhanced.is_some()) {
            (true, false) => return Err(FrameError::NotEnhanced { revision: reply.revision }.into()),
            (false, true) => return Err(FrameError::UnaskedEnhanced { revision: reply.revision }.into()),
            _ => {}
        }
        let Phase::AwaitReply(asked) = core::mem::replace(&mut flow.phase, Phase::Streaming) else {
            return Ok(());
        };
        let offer = Offer::of(&reply);
        if reply.reject {
            flow.deadline = None;
            self.events.push_back(Event::Rejected { id: flow.id, offer });
            self.stream(flow);
            return Ok(());
        }
        flow.phase = Phase::AwaitReply(asked.clone());
        nothing_more(flow, Kind::Reply)?;
        self.conclude(flow, *asked, &reply);
        Ok(())
    }

    fn conclude(&mut self, flow: &mut Flow, asked: Asked, reply: &Startup) {
        let Asked { how, request } = asked;
        let limits = &self.config.limits;
        let wanted = how.wanted.within(limits);
        let agreed = match (&request.enhanced, &reply.enhanced) {
            (Some(words), Some(answer)) => negotiate::conclude(words, answer, how.wanted, limits),
            _ => Ok(negotiate::Agreed { ird: wanted.ird, ord: wanted.ord, rtr: None }),
        };
        let crc = request.crc || reply.crc;
        let agreed = match agreed {
            Ok(agreed) => agreed,
            Err(mismatch) => {
                let ulpdu = terminate::bare(mismatch.number()).unwrap_or_default();
                flow.tcp.push(&fpdu::first(&ulpdu, reply.markers, crc));
                self.tell_end(flow, Err(mismatch.into()));
                return self.close_tcp(flow, Ending::Fin);
            }
        };
        if how.strict && how.wanted.tell_ord && agreed.ord < how.wanted.ord {
            let few = ConnError::FewReads { granted: agreed.ord, needed: how.wanted.ord };
            self.tell_end(flow, Err(few));
            return self.close_tcp(flow, Ending::Fin);
        }
        let terms = Terms {
            agreed,
            revision: reply.revision,
            crc,
            tx_markers: reply.markers,
            rx_markers: request.markers,
        };
        let accepted = Accepted { terms, offer: Offer::of(reply), liveness: how.liveness };
        match how.qp {
            Some(qp) => {
                let words = (terms, accepted.offer);
                let handover = HandOver::new(qp, Side::Initiator(agreed.rtr), words, how.liveness);
                self.hand_over(flow, handover);
            }
            None => {
                self.events.push_back(Event::Reply { id: flow.id, offer: accepted.offer.clone() });
                flow.phase = Phase::Unbound(Box::new(accepted));
                flow.deadline = Some(self.now.after(self.config.timing.application));
            }
        }
    }

    pub(super) fn hand_over(&mut self, flow: &mut Flow, handover: HandOver) {
        flow.phase = Phase::HandOver(Box::new(handover));
        flow.deadline = Some(self.now.after(self.config.timing.startup));
    }
}

/// Whether the Request has the words of RFC 6581: not without anything to say in them (RFC 6581
/// section 10).
pub(super) fn is_enhanced(how: &Initiate, revision: u8) -> bool {
    let something = how.peer_to_peer || how.wanted.tell_ird || how.wanted.tell_ord;
    how.enhanced && something && revision >= 2
}

/// Whether private data fits beside what else is in the frame.
pub(super) fn check_private_data(octets: usize, enhanced: bool) -> Result<(), CallError> {
    let most = frame::private_data_max(enhanced);
    if octets > most {
        return Err(CallError::PrivateData { octets, most });
    }
    Ok(())
}

/// The frame at the start of what was received, once it is whole.
fn whole(flow: &mut Flow, kind: Kind, highest: u8) -> Result<Option<Startup>, ConnError> {
    let have = flow.tcp.received().len();
    match frame::parse(kind, flow.tcp.received(), highest)? {
        Parsed::Whole { frame, used } => {
            flow.tcp.take(used);
            Ok(Some(frame))
        }
        Parsed::More { .. } if flow.tcp.peer_fin() && have == 0 => Err(ConnError::PeerClosed),
        Parsed::More { need } if flow.tcp.peer_fin() => Err(FrameError::CutShort { have, need }.into()),
        Parsed::More { .. } => Ok(None),
    }
}

/// After a startup frame nothing may come until the other side spoke.
fn nothing_more(flow: &Flow, after: Kind) -> Result<(), ConnError> {
    let octets = flow.tcp.received().len();
    if octets > 0 {
        return Err(FrameError::Surplus { after, octets }.into());
    }
    if flow.tcp.peer_fin() {
        return Err(ConnError::PeerClosed);
    }
    Ok(())
}
