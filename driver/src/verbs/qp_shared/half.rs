// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue pair of which one direction has ended (RFC 5041 section 6.2.1).
use super::QpShared;
use crate::error::Error;
use crate::verbs::outstanding::Outstanding;
use crate::verbs::QpState;
use std::sync::atomic::{fence, Ordering};

impl QpShared {
    /// The send queue takes no more requests. Requests of batches that have ended still leave.
    pub(crate) fn close_sends(&self) {
        self.phase.finish();
    }

    /// As [`QpShared::close_sends`], behind a batch that is being posted.
    pub(crate) fn finish_sending(&self) {
        let batch = self.sends();
        self.close_sends();
        drop(batch);
    }

    /// The peer has finished sending, and all octets before the FIN are placed and told. Receives
    /// are flushed. The next poll looks for Reads, see `end_reads`.
    pub(crate) fn peer_finished(&self) {
        self.is_deaf.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if self.out[0].has_reads() {
            self.tell_flushed(0);
        }
        if self.out[1].has_some() {
            self.tell_flushed(1);
        }
    }

    /// Whether requests of a queue are flushed. The send queue is 0, the receive queue is 1. The
    /// entry of a fault overtakes entries of messages before the fault: nothing is flushed on its
    /// word alone.
    #[inline(always)]
    pub(super) fn is_flushed(&self, queue: usize) -> bool {
        let has_ceased = self.phase.is_failed() && self.is_ceased.load(Ordering::SeqCst);
        has_ceased || (queue == 1 && self.is_deaf.load(Ordering::Relaxed))
    }

    /// Refuses a Read without an answer: the hardware would hold the Read, and all requests behind
    /// the Read.
    #[inline(always)]
    pub(super) fn may_read(&self) -> Result<(), Error> {
        match self.ord.load(Ordering::Relaxed) > 0 && !self.is_deaf.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.no_read(),
        }
    }

    #[cold]
    fn no_read(&self) -> Result<(), Error> {
        let number = self.number.index;
        match self.phase() {
            _ if self.ord.load(Ordering::Relaxed) == 0 => Err(Error::NoReads(number)),
            // the next poll flushes the Read
            QpState::Error => Ok(()),
            _ => Err(Error::PeerFinished(number)),
        }
    }

    /// A Read was kept. Either this call sees `is_deaf`, or [`QpShared::peer_finished`] sees the
    /// Read.
    #[inline(always)]
    pub(super) fn has_read(&self) {
        fence(Ordering::SeqCst);
        if self.is_deaf.load(Ordering::Relaxed) {
            self.tell_flushed(0);
        }
    }
}

impl Outstanding {
    /// Whether a Read of the application's is there. The peer has answered the driver's own before
    /// the connection was established.
    pub(super) fn has_reads(&self) -> bool {
        self.all().any(|(_, what)| what.is_read() && !what.is_own())
    }
}
