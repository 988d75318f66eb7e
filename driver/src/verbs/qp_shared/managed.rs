// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue pair as the connection manager has it: where it is, its row, and the driver's own
//! messages.
use super::QpShared;
use crate::error::Error;
use crate::objects::Managed;
use crate::rings::{Payload, SendRequest, INLINE_MOST};
use crate::verbs::outstanding::{Outstanding, Posted};
use crate::verbs::types::QpState;
use crate::verbs::types::WcOpcode;
use ferrowarp_abi::codec::{QpRow, Sge};
use ferrowarp_abi::consts::work_opcode;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_firmware::port::Rtr;
use std::sync::atomic::{fence, Ordering};
use std::sync::Arc;

impl QpShared {
    /// A connection wants the queue pair.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        match self.phase.step(QpState::Idle, QpState::Connecting) {
            true => Ok(()),
            false => Err(Error::Used(self.number.index)),
        }
    }

    /// Nothing came of it, before the hardware heard of it.
    pub(crate) fn unbind(&self) {
        self.phase.step(QpState::Connecting, QpState::Idle);
    }

    /// Work may be posted.
    pub(crate) fn connected(&self) {
        self.phase.step(QpState::Connecting, QpState::Connected);
    }

    /// The stream is over: what is outstanding, and what is posted from now on, is flushed.
    pub(crate) fn fail(&self) {
        let left = self.cease();
        (0..2).filter(|&n| left[n]).for_each(|n| self.tell_flushed(n));
    }

    /// From now on it is in error, and the device tells of nothing more that was done before; which
    /// of its queues have something left. The connection manager has asked for the fault, and the
    /// answer came behind all segments that TCP had taken before.
    pub(in crate::verbs) fn cease(&self) -> [bool; 2] {
        self.phase.fail();
        self.is_ceased.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        self.out.each_ref().map(Outstanding::has_some)
    }

    /// The row with these Read depths.
    pub(crate) fn row(&self, ird: u8, ord: u8) -> QpRow {
        let mut row = self.row.lock();
        *row = QpRow { ird, ord, ..*row };
        self.ord.store(ord, Ordering::Relaxed);
        *row
    }

    /// The row was written anew, which emptied the queues: tells the receives again. Nothing of
    /// them was used yet. A thread that posts receives meanwhile does it at the end of its batch:
    /// it may be waiting for this one.
    pub(crate) fn ring_receives(&self) -> Result<(), Error> {
        self.is_forgotten.store(true, Ordering::SeqCst);
        self.remind()
    }

    /// Tells the receives again, if they were forgotten. Who holds the queue comes here when it has
    /// given it back.
    #[inline(always)]
    pub(in crate::verbs) fn remind(&self) -> Result<(), Error> {
        fence(Ordering::SeqCst);
        match self.is_forgotten.load(Ordering::Relaxed) {
            true => self.ring_again(),
            false => Ok(()),
        }
    }

    #[cold]
    fn ring_again(&self) -> Result<(), Error> {
        while self.is_forgotten.load(Ordering::SeqCst) {
            let Some(ring) = self.receives.try_lock() else { return Ok(()) };
            if self.is_forgotten.swap(false, Ordering::SeqCst) {
                ring.ring()?;
            }
            drop(ring);
            fence(Ordering::SeqCst);
        }
        Ok(())
    }

    /// The device's cycle counter at the event that stopped the queue pair, if there was one.
    pub(crate) fn stopped_at(&self) -> Option<u64> {
        self.stopped_at.get().copied()
    }

    /// Octets outside of messages. They stand in the requests themselves: no region has them.
    pub(crate) fn post_raw(&self, octets: &[u8]) -> Result<(), Error> {
        self.post_own(work_opcode::RAW, octets.chunks(INLINE_MOST).map(Payload::Inline))
    }

    /// The initiator's first message. The sink of a Read of no octets is looked at by nobody.
    pub(crate) fn post_ready(&self, kind: Rtr) -> Result<(), Error> {
        let sink = [Sge::default()];
        let (opcode, segments) = match kind {
            Rtr::Send => (Opcode::Send, &[][..]),
            Rtr::Write => (Opcode::RdmaWrite, &[][..]),
            Rtr::Read => (Opcode::ReadRequest, &sink[..]),
        };
        self.post_own(opcode as u8, [Payload::Segments(segments)])
    }

    /// Posts a message in as many requests as it has parts.
    fn post_own<'a>(&self, opcode: u8, parts: impl IntoIterator<Item = Payload<'a>>) -> Result<(), Error> {
        if self.phase() == QpState::Idle {
            return Err(Error::NotConnected(self.number.index));
        }
        let mut ring = self.sends();
        let opcode_of = WcOpcode::of_send(opcode);
        let posted =
            Posted { wr_id: 0, opcode: opcode_of, is_signaled: false, is_own: true, has_slot: false };
        for payload in parts {
            self.put_send(&mut ring, posted, SendRequest { opcode, payload, ..Default::default() })?;
        }
        self.ring_sends(ring)
    }
}

impl Managed for QpShared {
    fn fail(self: Arc<Self>) {
        QpShared::fail(&self);
    }

    fn err(self: Arc<Self>) {
        self.phase.fail();
    }

    fn stops_at(&self, cycles: u64) {
        self.stopped_at.get_or_init(|| cycles);
    }

    fn row(&self, ird: u8, ord: u8) -> QpRow {
        QpShared::row(self, ird, ord)
    }

    fn ring_receives(&self) -> Result<(), Error> {
        QpShared::ring_receives(self)
    }

    fn post_raw(&self, octets: &[u8]) -> Result<(), Error> {
        QpShared::post_raw(self, octets)
    }

    fn post_ready(&self, kind: Rtr) -> Result<(), Error> {
        QpShared::post_ready(self, kind)
    }
}
