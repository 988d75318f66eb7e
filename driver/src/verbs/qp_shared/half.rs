//! A queue pair of which one direction has ended (RFC 5041 section 6.2.1).
use super::QpShared;
use crate::error::Error;
use crate::verbs::outstanding::Outstanding;
use crate::verbs::QpState;
use std::sync::atomic::{fence, Ordering};

impl QpShared {
    /// Posted requests of the send queue still leave. The send queue takes no more requests.
    pub(crate) fn finish_sending(&self) {
        self.phase.step(QpState::Connected, QpState::Finished);
    }

    /// The peer has finished sending, and all octets before the FIN are placed and told. Receives are flushed. An outstanding Read
    /// ends the queue pair: no response comes, and no request behind the Read completes.
    pub(crate) fn peer_finished(&self) {
        self.is_deaf.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if self.out[0].has_reads() {
            self.fail();
        } else if self.out[1].has_some() {
            self.tell_flushed(1);
        }
    }

    /// Whether requests of a queue are flushed. The send queue is 0, the receive queue is 1.
    #[inline(always)]
    pub(super) fn is_flushed(&self, queue: usize) -> bool {
        self.phase() == QpState::Error || (queue == 1 && self.is_deaf.load(Ordering::Relaxed))
    }

    /// Whether requests of one of the queues are flushed.
    pub(in crate::verbs) fn is_flushing(&self) -> bool {
        self.is_flushed(1)
    }

    /// Refuses a Read without an answer: the hardware would hold the Read, and all requests behind the Read.
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

    /// A Read was kept. Either this call sees `is_deaf`, or [`QpShared::peer_finished`] sees the Read.
    #[inline(always)]
    pub(super) fn has_read(&self) {
        fence(Ordering::SeqCst);
        if self.is_deaf.load(Ordering::Relaxed) {
            self.fail();
        }
    }
}

impl Outstanding {
    /// Whether a Read is there.
    fn has_reads(&self) -> bool {
        self.all().any(|(_, what)| what.is_read())
    }
}
