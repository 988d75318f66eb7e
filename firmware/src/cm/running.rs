// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection that the hardware has: from the Reply to the removal of its row.
mod faults;

use super::api::{ConnId, Event, Offer, Terms};
use super::closing::Closing;
use super::liveness::UserTimeout;
use super::path::Path;
use crate::error::{ConnError, Stage};
use crate::port::{Change, Command, DeviceEvent, QpId};
use crate::terminate;
use crate::time::{is_due, Ticks};
use alloc::vec;
use alloc::vec::Vec;
use ferrowarp_abi::types::SeqNum;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Do {
    /// Give a command.
    Command(Command),
    /// Tell the application.
    Tell(Event),
}

/// How far the beginning is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Begin {
    /// This many commands are to be answered first.
    Answers(u32),
    /// The responder's gate is closed.
    FirstFpdu,
    /// The same, and the application is told when the Reply is posted.
    Reply,
    /// The application was told, and the responder's gate is closed.
    Early,
    /// The application was told.
    Told,
}

/// The state machine.
#[derive(Clone, Debug)]
pub struct Running {
    id: ConnId,
    qp: QpId,
    terms: Terms,
    offer: Offer,
    begin: Begin,
    closing: Closing,
    /// Why it ends, if not by a close.
    cause: Option<ConnError>,
    removing: bool,
    deadline: Option<Ticks>,
    /// Ticks that a close may take.
    patience: u64,
    /// What the peer had acknowledged at the last look, while nothing but our FIN is awaited.
    stands_at: Option<SeqNum>,
    path: Path,
    user: Option<UserTimeout>,
}

impl Running {
    /// The row is in; returns what begins it. `patience` and `first_fpdu` in ticks.
    pub fn initiator(
        id: ConnId,
        qp: QpId,
        (terms, offer): (Terms, Offer),
        path: Path,
        patience: u64,
    ) -> (Self, Vec<Do>) {
        let begin = Begin::Answers(0);
        let mut running = Self::new(id, qp, (terms, offer), path, patience, begin);
        let Some(kind) = terms.agreed.rtr else {
            let told = running.tell(Begin::Told);
            return (running, vec![told]);
        };
        running.begin = Begin::Answers(2);
        let (rtr, gate) = (Command::Rtr { qp, kind }, Command::OpenGate { qp });
        (running, vec![Do::Command(rtr), Do::Command(gate)])
    }

    /// As [`Running::initiator`]; the Reply goes out now, and the first FPDU is awaited until
    /// `deadline`. If `early`, the application is told when the Reply is posted: what it posts
    /// stands behind the Reply in the send queue. Then the first FPDU may come as late as it likes.
    pub fn responder(
        id: ConnId,
        qp: QpId,
        words: (Terms, Offer),
        path: Path,
        patience: u64,
        (reply, early, deadline): (Vec<u8>, bool, Ticks),
    ) -> (Self, Vec<Do>) {
        let begin = if early { Begin::Reply } else { Begin::FirstFpdu };
        let mut running = Self::new(id, qp, words, path, patience, begin);
        running.deadline = Some(deadline);
        (running, vec![Do::Command(Command::RawMessage { qp, octets: reply })])
    }

    /// The row is in, but the connection is not wanted any more. A peer that reset it gets no reset
    /// back.
    pub fn doomed(
        id: ConnId,
        qp: QpId,
        words: (Terms, Offer),
        path: Path,
        why: ConnError,
    ) -> (Self, Vec<Do>) {
        let mut running = Self::new(id, qp, words, path, 0, Begin::FirstFpdu);
        let todo = match why {
            ConnError::Reset => running.remove(why),
            _ => running.abort(why),
        };
        (running, todo)
    }

    fn new(id: ConnId, qp: QpId, words: (Terms, Offer), path: Path, patience: u64, begin: Begin) -> Self {
        let (terms, offer) = words;
        let closing = Closing::default();
        Self {
            id,
            qp,
            terms,
            offer,
            begin,
            closing,
            cause: None,
            removing: false,
            deadline: None,
            patience,
            stands_at: None,
            path,
            user: None,
        }
    }

    /// Octets that left are watched.
    pub fn watched(self, user: Option<UserTimeout>) -> Self {
        Self { user, ..self }
    }

    /// Its queue pair.
    pub fn qp(&self) -> QpId {
        self.qp
    }

    /// When to call [`Running::expire`] next.
    pub fn due(&self) -> Option<Ticks> {
        let user = self.user.as_ref().map(UserTimeout::due);
        [self.deadline, self.path.due(), user].into_iter().flatten().filter(|_| !self.removing).min()
    }

    /// Whether the application was told that it is established.
    pub fn is_established(&self) -> bool {
        matches!(self.begin, Begin::Told | Begin::Early)
    }

    /// Whether nothing good came of the initiator yet, whom this responder may send no FPDU.
    fn is_gated(&self) -> bool {
        matches!(self.begin, Begin::FirstFpdu | Begin::Reply | Begin::Early)
    }

    /// Whether TIME-WAIT is ours: a close that both finished and we began.
    pub fn keeps_time_wait(&self) -> bool {
        self.closing.keeps_time_wait()
    }

    /// How it ended.
    pub fn outcome(&self) -> Result<(), ConnError> {
        self.cause.clone().map_or(Ok(()), Err)
    }

    /// As [`Running::outcome`], of a row that went with these numbers. If the peer has closed and
    /// all but our FIN is acknowledged, the last ACK of LAST-ACK or CLOSING was lost: nothing has
    /// failed. A reset in these states tells that the peer is gone (RFC 9293 section 3.10.7.4).
    pub fn outcome_at(&self, snd_una: SeqNum, snd_nxt: SeqNum) -> Result<(), ConnError> {
        let late = matches!(self.cause, Some(ConnError::TimedOut(Stage::Close) | ConnError::Reset));
        match late && self.closing.is_final() && SeqNum(snd_una.0.wrapping_add(1)) == snd_nxt {
            true => Ok(()),
            false => self.outcome(),
        }
    }

    fn tell(&mut self, begin: Begin) -> Do {
        self.begin = begin;
        // the first FPDU is awaited no more; a close that was asked for keeps its time
        self.deadline = self.deadline.filter(|_| self.closing.is_timed());
        Do::Tell(Event::Established {
            id: self.id,
            qp: self.qp,
            terms: self.terms,
            offer: self.offer.clone(),
        })
    }

    /// A command that the beginning waits for was done.
    pub fn done(&mut self) -> Vec<Do> {
        match self.begin {
            Begin::Answers(1) if !self.removing && self.cause.is_none() => vec![self.tell(Begin::Told)],
            Begin::Reply if !self.removing && self.cause.is_none() => vec![self.tell(Begin::Early)],
            Begin::Answers(n) => {
                self.begin = Begin::Answers(n.saturating_sub(1));
                vec![]
            }
            _ => vec![],
        }
    }

    /// An event of the hardware.
    pub fn event(&mut self, event: DeviceEvent, now: Ticks) -> Vec<Do> {
        if self.removing {
            return vec![];
        }
        match event {
            DeviceEvent::FirstFpdu(_) => self.first_fpdu(),
            DeviceEvent::PeerFin(_) => self.peer_fin(now),
            DeviceEvent::PeerReset(_) => self.remove(ConnError::Reset),
            DeviceEvent::Lost(_) => self.remove(ConnError::Lost),
            DeviceEvent::Fault(_, captured) => self.fault(&captured, now),
            DeviceEvent::Terminate(_, octets) => self.terminated(&octets, now),
            DeviceEvent::BadTerminate(_, error) => self.bad_terminate(terminate::error_of(error), now),
            DeviceEvent::OctetsAfterFin(_) => self.abort(ConnError::OctetsAfterFin),
            DeviceEvent::FinAcked(_) => {
                self.closing.acknowledged();
                self.finish()
            }
        }
    }

    /// The hardware has opened the gate.
    fn first_fpdu(&mut self) -> Vec<Do> {
        match self.begin {
            _ if self.cause.is_some() => vec![],
            Begin::FirstFpdu | Begin::Reply => vec![self.tell(Begin::Told)],
            Begin::Early => {
                self.begin = Begin::Told;
                vec![]
            }
            Begin::Answers(_) | Begin::Told => vec![],
        }
    }

    fn peer_fin(&mut self, now: Ticks) -> Vec<Do> {
        if !self.closing.peer_finished() {
            return vec![];
        }
        if !self.is_established() && self.cause.is_none() {
            self.cause = Some(ConnError::PeerClosed);
            return self.fin(now);
        }
        let mut todo = self.finish();
        todo.extend(self.watch(now));
        if self.cause.is_none() && !self.closing.is_timed() && !self.removing {
            todo.push(Do::Tell(Event::PeerClosed { id: self.id }));
        }
        todo
    }

    /// Commands that concern the row as it is, unless it goes.
    pub fn pass_on(&self, commands: Vec<Command>) -> Vec<Do> {
        let stays = !self.removing;
        commands.into_iter().filter(|_| stays).map(Do::Command).collect()
    }

    /// The application is done: a FIN after everything posted.
    pub fn close(&mut self, now: Ticks) -> Vec<Do> {
        if self.removing {
            return vec![];
        }
        self.fin(now)
    }

    /// The application has nothing more to send: a FIN after everything posted. The peer may go on,
    /// and nothing is timed.
    pub fn finish_sending(&mut self, now: Ticks) -> Vec<Do> {
        let mut todo = self.order_fin();
        todo.extend(self.watch(now));
        todo
    }

    /// Our FIN alone is awaited. What was posted before the FIN may take long, but the peer has to
    /// acknowledge some of that within the time of a close. A closed window would hold the FIN for
    /// ever.
    fn watch(&mut self, now: Ticks) -> Vec<Do> {
        if self.removing || self.deadline.is_some() || !self.closing.is_last() {
            return vec![];
        }
        self.deadline = Some(now.after(self.patience));
        vec![Do::Command(Command::Progress { qp: self.qp })]
    }

    /// How far the peer has acknowledged, and what has left.
    pub fn acknowledged(&mut self, snd_una: SeqNum, snd_nxt: SeqNum, now: Ticks) -> Vec<Do> {
        if let Some(user) = self.user.as_mut().and_then(UserTimeout::answered) {
            return match user.is_over((snd_una, snd_nxt), now) {
                true => self.abort(ConnError::TimedOut(Stage::Acknowledgement)),
                false => vec![],
            };
        }
        let before = self.stands_at.replace(snd_una);
        match before == Some(snd_una) && self.closing.is_last() {
            true => self.abort(ConnError::TimedOut(Stage::Close)),
            false => vec![],
        }
    }

    fn order_fin(&mut self) -> Vec<Do> {
        if self.removing || !self.closing.order() {
            return vec![];
        }
        vec![Do::Command(Command::Fin { qp: self.qp })]
    }

    fn fin(&mut self, now: Ticks) -> Vec<Do> {
        if self.closing.time() {
            self.deadline = Some(now.after(self.patience));
        }
        self.order_fin()
    }

    /// Both FINs are through: the row goes.
    fn finish(&mut self) -> Vec<Do> {
        if !self.closing.is_over() {
            return vec![];
        }
        self.take_out()
    }

    /// A reset, and the row goes.
    pub fn abort(&mut self, why: ConnError) -> Vec<Do> {
        if self.removing {
            return vec![];
        }
        let mut todo = vec![Do::Command(Command::Rst { qp: self.qp })];
        todo.extend(self.remove(why));
        todo
    }

    /// The row goes; TCP is over already.
    pub fn remove(&mut self, why: ConnError) -> Vec<Do> {
        self.cause.get_or_insert(why);
        self.take_out()
    }

    fn take_out(&mut self) -> Vec<Do> {
        if core::mem::replace(&mut self.removing, true) {
            return vec![];
        }
        self.deadline = None;
        vec![Do::Command(Command::ConnRemove { qp: self.qp })]
    }

    /// What does not end by itself is ended (D4).
    pub fn expire(&mut self, now: Ticks) -> Vec<Do> {
        if !is_due(self.deadline, now) {
            let looks = !self.closing.is_last() && self.user.as_mut().is_some_and(|user| user.looks(now));
            if looks {
                return vec![Do::Command(Command::Progress { qp: self.qp })];
            }
            let risen = self.path.rises(now);
            // nothing is quoted: it is a try
            return risen.map_or(vec![], |emss| self.set_emss(emss, SeqNum(0)));
        }
        if self.closing.is_last() {
            self.deadline = None;
            return self.watch(now);
        }
        let stage = if self.closing.is_timed() { Stage::Close } else { Stage::FirstFpdu };
        self.abort(ConnError::TimedOut(stage))
    }

    /// The path takes `emss` octets a segment, says a router that quotes `quoted`. Whether that is
    /// in flight is judged by the hardware.
    pub fn path_mtu(&mut self, emss: u16, quoted: SeqNum, now: Ticks) -> Vec<Do> {
        let told = self.path.narrows(emss, now);
        told.map_or(vec![], |emss| self.set_emss(emss, quoted))
    }

    fn set_emss(&self, emss: u16, quoted: SeqNum) -> Vec<Do> {
        let mulpdu = crate::mpa::fpdu::mulpdu(emss, self.terms.tx_markers);
        let change = Change::PathMtu { emss, mulpdu, quoted };
        self.pass_on(vec![Command::ConnUpdate { qp: self.qp, change }])
    }
}
