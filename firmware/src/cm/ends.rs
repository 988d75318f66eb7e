// SPDX-License-Identifier: MIT OR Apache-2.0
//! How connections end while firmware owns TCP, and all timers.
use super::api::{Connect, Event, Then};
use super::flow::{Asked, Ending, Flow, Phase};
use super::Manager;
use crate::error::{ConnError, Stage};
use crate::port::{Change, Command};
use crate::tcp::conn::{Conn, Signal, State};
use crate::tcp::segment::Tuple;
use crate::time::is_due;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// What is done with TCP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// There is nothing left to say.
    Silent,
    /// A reset.
    Reset,
    /// A FIN, and the rest of the close.
    Fin,
}

impl Manager {
    /// The last event, once.
    pub(super) fn tell_end(&mut self, flow: &mut Flow, outcome: Result<(), ConnError>) {
        if !core::mem::replace(&mut flow.told, true) {
            let (id, listener) = (flow.id, flow.listener);
            self.events.push_back(Event::Ended { id, listener, outcome });
        }
    }

    /// A connection ends with an error.
    pub(super) fn end(&mut self, mut flow: Flow, error: ConnError, how: End) {
        if let Some(flow) = self.fall_back(&mut flow, &error, how) {
            return self.keep(flow);
        }
        self.tell_end(&mut flow, Err(error));
        match how {
            End::Silent => self.forget(&flow),
            End::Reset => self.reset(flow),
            End::Fin => {
                self.close_tcp(&mut flow, Ending::Fin);
                self.settle(flow);
            }
        }
    }

    /// Our FIN after what is queued; not longer than a close may take.
    pub(super) fn close_tcp(&mut self, flow: &mut Flow, ending: Ending) {
        if ending == Ending::Fin {
            flow.tcp.close();
        }
        flow.phase = Phase::Ending(ending);
        flow.deadline = Some(self.now.after(self.config.timing.close));
    }

    /// A reset, if the peer can know of the connection; nothing is left.
    pub(super) fn reset(&mut self, mut flow: Flow) {
        if let Some(segment) = flow.tcp.abort() {
            self.net.send(&flow.tcp.tuple, &segment, self.now);
        }
        self.forget(&flow);
    }

    pub(super) fn forget(&mut self, flow: &Flow) {
        if self.tuples.get(&flow.tcp.tuple) == Some(&flow.id) {
            self.tuples.remove(&flow.tcp.tuple);
        }
    }

    pub(super) fn keep(&mut self, flow: Flow) {
        self.tuples.insert(flow.tcp.tuple, flow.id);
        self.flows.insert(flow.id, flow);
    }

    /// Keeps the connection, unless TCP is through.
    pub(super) fn settle(&mut self, mut flow: Flow) {
        let Phase::Ending(ending) = flow.phase else { return self.keep(flow) };
        let state = flow.tcp.state();
        if ending == Ending::ResetWhenAcked && flow.tcp.sender().is_done() {
            return self.reset(flow);
        }
        if state == State::TimeWait {
            // the ACK of the peer's FIN leaves before the connection is forgotten
            for segment in flow.tcp.emit(self.now) {
                self.net.send(&flow.tcp.tuple, &segment, self.now);
            }
            let (snd_nxt, rcv_nxt) = (flow.tcp.sender().nxt(), flow.tcp.rcv_nxt());
            self.time_wait.insert(flow.tcp.tuple, snd_nxt, rcv_nxt, self.now);
        }
        if matches!(state, State::TimeWait | State::Closed) {
            self.tell_end(&mut flow, Ok(()));
            return self.forget(&flow);
        }
        self.keep(flow);
    }

    /// The peer closed TCP on an enhanced Request, and the application allows a plain one: a new
    /// TCP connection under the old name and from the same address, on another port; the old one
    /// ends by itself (RFC 6581 section 10).
    fn fall_back(&mut self, flow: &mut Flow, error: &ConnError, how: End) -> Option<Flow> {
        let closed = matches!(error, ConnError::PeerClosed | ConnError::Reset);
        let Phase::AwaitReply(asked) = &flow.phase else { return None };
        if !closed || !asked.how.fallback || asked.request.enhanced.is_none() {
            return None;
        }
        let Asked { how: mut plain, .. } = (**asked).clone();
        (plain.enhanced, plain.fallback) = (false, false);
        let Tuple { local, remote } = flow.tcp.tuple;
        let connect = Connect { remote, address: Some(local.ip()), local_port: None, then: Then::Respond };
        let tuple = self.free_tuple(&connect).ok()?;
        let mut fresh = self.active(tuple, Then::Initiate(plain));
        core::mem::swap(&mut fresh.id, &mut flow.id);
        // what is left of the old one is nobody's
        self.tuples.remove(&flow.tcp.tuple);
        if how == End::Fin {
            flow.tcp.close();
            let orphan = Flow {
                id: flow.id,
                tcp: flow.tcp.clone(),
                listener: None,
                phase: Phase::Ending(Ending::Fin),
                deadline: Some(self.now.after(self.config.timing.close)),
                taken: true,
                told: true,
                told_peer_fin: true,
                told_octets: false,
                wants_room: false,
            };
            self.keep(orphan);
        }
        Some(fresh)
    }

    /// A new active open; not entered yet.
    pub(super) fn active(&mut self, tuple: Tuple, then: Then) -> Flow {
        let iss = self.secret.isn(&tuple, self.now, self.config.timing.tick_us);
        let tcp = Conn::connect(tuple, iss, self.settings(&tuple));
        Flow {
            id: super::ConnId(self.name()),
            tcp,
            listener: None,
            phase: Phase::Opening(Box::new(then)),
            deadline: Some(self.now.after(self.config.timing.open)),
            taken: true,
            told: false,
            told_peer_fin: false,
            told_octets: false,
            wants_room: false,
        }
    }

    /// Every timer.
    pub(super) fn expire(&mut self) {
        let now = self.now;
        let flows = &self.flows;
        self.net.expire(now, || flows.values().map(|flow| flow.tcp.tuple.remote.ip()));
        self.time_wait.expire(now);
        self.unreachable_hops();
        self.moved_hops();
        let ids: Vec<_> = self.flows.keys().copied().collect();
        for id in ids {
            let Some(mut flow) = self.flows.remove(&id) else { continue };
            if is_due(flow.deadline, now) {
                self.too_late(flow);
            } else if flow.speaks_tcp() {
                match flow.tcp.expire(now) {
                    Signal::None => self.keep(flow),
                    signal => self.advance(flow, signal),
                }
            } else {
                if let Phase::Running(running) = &mut flow.phase {
                    let todo = running.expire(now);
                    self.perform(id, todo);
                }
                self.keep(flow);
            }
        }
    }

    fn too_late(&mut self, mut flow: Flow) {
        flow.deadline = None;
        let how = if flow.is_half_open() { End::Silent } else { End::Reset };
        let stage = match &mut flow.phase {
            Phase::Opening(_) => Stage::Open,
            Phase::AwaitRequest => Stage::Request,
            Phase::AwaitReply(_) => Stage::Reply,
            Phase::Unbound(_) | Phase::Deciding(_) | Phase::Streaming => Stage::Application,
            Phase::HandOver(handover) if !handover.is_draining() => {
                handover.cancel(ConnError::TimedOut(Stage::Hardware));
                return self.keep(flow);
            }
            Phase::HandOver(_) => Stage::Hardware,
            Phase::Ending(_) => Stage::Close,
            Phase::Running(_) => return self.keep(flow),
        };
        self.end(flow, ConnError::TimedOut(stage), how);
    }

    fn unreachable_hops(&mut self) {
        for hop in self.net.unreachable() {
            let opening =
                |flow: &&Flow| matches!(flow.phase, Phase::Opening(_)) && self.hop_of(flow) == Some(hop);
            let lost: Vec<_> = self.flows.values().filter(opening).map(|flow| flow.id).collect();
            for id in lost {
                if let Some(flow) = self.flows.remove(&id) {
                    self.end(flow, ConnError::Unreachable(hop), End::Silent);
                }
            }
        }
    }

    fn moved_hops(&mut self) {
        for (hop, station) in self.net.moved() {
            let with_row = |flow: &&Flow| !flow.speaks_tcp() && self.hop_of(flow) == Some(hop);
            let bound = self.flows.values().filter(with_row);
            let bound: Vec<_> = bound.filter_map(|flow| Some((flow.id, flow.phase.qp()?))).collect();
            for (id, qp) in bound {
                let change = Change::NextHop(station);
                self.commands.push_back((id, Command::ConnUpdate { qp, change }));
            }
        }
    }

    pub(super) fn hop_of(&self, flow: &Flow) -> Option<core::net::IpAddr> {
        self.net.routes().next_hop(flow.tcp.tuple.remote.ip())
    }
}
