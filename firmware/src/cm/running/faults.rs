// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors that end the stream of a connection, ours and those of the peer.
use super::{Do, Running};
use crate::cm::api::Event;
use crate::error::ConnError;
use crate::port::{Captured, Command};
use crate::terminate;
use crate::time::Ticks;
use alloc::vec;
use alloc::vec::Vec;
use ferrowarp_abi::error::TermError;

impl Running {
    /// The first error ends the stream with one Terminate, if one may be sent (RFC 5040 section 7):
    /// nothing follows our FIN.
    pub(super) fn fault(&mut self, captured: &Captured, now: Ticks) -> Vec<Do> {
        if self.cause.is_some() {
            return vec![];
        }
        let error = terminate::error_of(captured.error);
        // before the first good FPDU the responder may send none (RFC 5044 section 7.1.2 rule 4)
        if self.is_gated() {
            return self.abort(ConnError::FirstFpdu(error));
        }
        let ulpdu = terminate::ulpdu(captured).filter(|_| !self.closing.is_half());
        let Some(ulpdu) = ulpdu else {
            return self.abort(ConnError::Fault(error));
        };
        self.end_with(ConnError::Fault(error), Event::Faulted { id: self.id, error }, Some(ulpdu), now)
    }

    /// The peer meant to end the stream, and it ends.
    pub(super) fn bad_terminate(&mut self, error: TermError, now: Ticks) -> Vec<Do> {
        if self.cause.is_some() {
            return vec![];
        }
        if self.is_gated() {
            return self.abort(ConnError::FirstFpdu(error));
        }
        self.end_with(ConnError::Fault(error), Event::Faulted { id: self.id, error }, None, now)
    }

    fn end_with(&mut self, cause: ConnError, event: Event, ulpdu: Option<Vec<u8>>, now: Ticks) -> Vec<Do> {
        self.cause = Some(cause);
        let terminate = ulpdu.map(|ulpdu| Do::Command(Command::Terminate { qp: self.qp, ulpdu }));
        let mut todo = vec![Do::Tell(event)];
        todo.extend(terminate);
        todo.extend(self.fin(now));
        todo
    }

    /// A Terminate is never answered with another.
    pub(super) fn terminated(&mut self, octets: &[u8], now: Ticks) -> Vec<Do> {
        if self.cause.is_some() {
            return vec![];
        }
        let Ok(received) = terminate::parse(octets) else {
            self.cause = Some(ConnError::ShortTerminate { octets: octets.len() });
            return self.fin(now);
        };
        if self.is_gated() {
            return self.abort(ConnError::Terminated(received));
        }
        self.end_with(ConnError::Terminated(received), Event::Terminated { id: self.id, received }, None, now)
    }
}
