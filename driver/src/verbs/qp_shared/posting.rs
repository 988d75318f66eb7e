// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posting to the queues of a queue pair, and the end of a batch.
use super::QpShared;
use crate::error::Error;
use crate::rings::{Payload, ReceiveRing, SendRequest, SendRing};
use crate::verbs::outstanding::Posted;
use crate::verbs::region::Segment;
use crate::verbs::types::QpState;
use crate::verbs::types::WcOpcode;
use ferrowarp_abi::codec::Sge;
use parking_lot::MutexGuard;
use std::borrow::Borrow;
use std::sync::atomic::Ordering;

impl QpShared {
    /// Posts one request and rings.
    #[inline(always)]
    pub(in crate::verbs) fn post_one(
        &self,
        posted: Posted,
        request: SendRequest<'_, Segment>,
    ) -> Result<(), Error> {
        let mut ring = self.sends();
        let told = self.post(&mut ring, posted, request).and_then(|()| self.told(&ring));
        self.end(ring, told)
    }

    /// Posts a request of the application.
    #[inline(always)]
    pub(in crate::verbs) fn post(
        &self,
        ring: &mut SendRing,
        posted: Posted,
        request: SendRequest<'_, Segment>,
    ) -> Result<(), Error> {
        if let Payload::Segments(segments) = request.payload {
            self.check(segments)?;
        }
        let is_read = posted.opcode == WcOpcode::Read;
        if is_read {
            self.may_read()?;
        }
        self.put_send(ring, posted, request)?;
        if is_read {
            self.has_read();
        }
        Ok(())
    }

    /// Writes a request into the next blocks, unless it is flushed; [`QpShared::ring_sends`] tells
    /// of it. An error changes nothing.
    #[inline(always)]
    pub(super) fn put_send<S: Borrow<Sge>>(
        &self,
        ring: &mut SendRing,
        posted: Posted,
        request: SendRequest<'_, S>,
    ) -> Result<(), Error> {
        self.is_ours()?;
        let Some(number) = self.out[0].room() else { return Err(self.full(0)) };
        let index = ring.index();
        if !self.phase.is_open() && !posted.is_own {
            let Posted { wr_id, opcode, is_signaled, .. } = posted;
            let (segments, octets): (&[S], &[u8]) = match request.payload {
                Payload::Segments(segments) => (segments, &[]),
                Payload::Inline(octets) => (&[], octets),
            };
            return self.put_unconnected((number, index), (wr_id, opcode, is_signaled), segments, octets);
        }
        if posted.is_signaled {
            self.cqs[0].reserve()?;
        }
        if let Err(why) = ring.put(&request) {
            self.cqs[0].release(posted.is_signaled.into());
            return Err(why);
        }
        self.out[0].push(number, index, Posted { has_slot: posted.is_signaled, ..posted });
        Ok(())
    }

    /// Posts that do not reach the ring. An error that waits goes first. Keeps a request of a queue
    /// pair in error, which is flushed. There is none before the queue
    /// pair has a connection, and none after this end has finished sending. It is given in parts: a
    /// whole one would be put together for each post.
    #[cold]
    #[inline(never)]
    fn put_unconnected<S: Borrow<Sge>>(
        &self,
        (number, index): (u32, u32),
        (wr_id, opcode, is_signaled): (u64, WcOpcode, bool),
        segments: &[S],
        octets: &[u8],
    ) -> Result<(), Error> {
        self.refused(0)?;
        self.number.shared.backend.lives()?;
        match self.phase() {
            QpState::Error => {}
            QpState::Finished => return Err(Error::Finished(self.number.index)),
            _ => return Err(Error::NotConnected(self.number.index)),
        }
        // what is impossible is so in error, too
        let (remote_stag, remote_to) = Default::default();
        let payload = if octets.is_empty() { Payload::Segments(segments) } else { Payload::Inline(octets) };
        SendRequest { opcode: 0, is_signaled, is_fenced: false, remote_stag, remote_to, payload }.octets()?;
        self.out[0].push(
            number,
            index,
            Posted { wr_id, opcode, is_signaled, is_own: false, has_slot: false },
        );
        Ok(())
    }

    /// The same for a receive.
    #[inline(always)]
    pub(in crate::verbs) fn put_recv(
        &self,
        ring: &mut ReceiveRing,
        wr_id: u64,
        segments: &[Segment],
    ) -> Result<(), Error> {
        self.is_ours()?;
        if self.holds_receives.load(Ordering::Relaxed) {
            self.refused(1)?;
        }
        let Some(number) = self.out[1].room() else { return Err(self.full(1)) };
        let index = ring.index();
        let has_slot = !self.is_flushed(1);
        if !has_slot {
            self.number.shared.backend.lives()?;
        }
        if has_slot {
            self.cqs[1].reserve()?;
            if let Err(why) = ring.put(segments) {
                self.cqs[1].release(1);
                return Err(why);
            }
        }
        let opcode = WcOpcode::Receive;
        self.out[1].push(number, index, Posted { wr_id, opcode, is_signaled: true, is_own: false, has_slot });
        Ok(())
    }

    #[cold]
    fn full(&self, queue: usize) -> Error {
        let name = if queue == 0 { "send" } else { "receive" };
        Error::Full { queue: name, most: self.out[queue].most() }
    }

    /// Whether a queue is flushed, asked behind a request that was kept: either this sees so, or
    /// who flushes it sees the request.
    #[inline(always)]
    fn is_over(&self, queue: usize) -> bool {
        self.phase.is_over() || (queue == 1 && self.is_deaf.load(Ordering::Relaxed))
    }

    /// The end of a batch: the device is told, or, in error, the completion queue.
    #[inline(always)]
    pub(in crate::verbs) fn ring_sends(&self, ring: MutexGuard<'_, SendRing>) -> Result<(), Error> {
        let told = self.told(&ring);
        self.end(ring, told)
    }

    /// Tells the device of the requests in the ring, unless the queue is flushed; whether it was
    /// told.
    #[inline(always)]
    fn told(&self, ring: &SendRing) -> Result<bool, Error> {
        match self.is_over(0) {
            true => Ok(false),
            false => ring.ring().map(|()| true),
        }
    }

    /// Gives the lock back, behind which the completion queue hears of what the device was not
    /// told.
    #[inline(always)]
    fn end(&self, ring: MutexGuard<'_, SendRing>, told: Result<bool, Error>) -> Result<(), Error> {
        match told {
            Ok(true) => {
                drop(ring);
                Ok(())
            }
            Ok(false) => {
                self.leave(ring);
                Ok(())
            }
            Err(why) => Err(unposted(ring, why)),
        }
    }

    /// The end of requests that are flushed.
    #[cold]
    #[inline(never)]
    fn leave(&self, ring: MutexGuard<'_, SendRing>) {
        drop(ring);
        self.tell_flushed(0);
    }

    /// The same for receives.
    #[inline(always)]
    pub(in crate::verbs) fn ring_recvs(&self, ring: MutexGuard<'_, ReceiveRing>) -> Result<(), Error> {
        let is_over = self.is_over(1);
        let rung = if is_over { Ok(()) } else { ring.ring() };
        drop(ring);
        if is_over {
            self.tell_flushed(1);
        }
        rung.and(self.remind())
    }
}

/// A request was not put into the ring, or the device was not told of it. The lock goes back here,
/// outside of the data path.
#[cold]
#[inline(never)]
fn unposted(ring: MutexGuard<'_, SendRing>, why: Error) -> Error {
    drop(ring);
    why
}
