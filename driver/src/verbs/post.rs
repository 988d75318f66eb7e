// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posting in batches. A guard holds the queue; its end rings the doorbell once, and there is no
//! other way to ring.
use super::outstanding::Posted;
use super::qp_shared::QpShared;
use super::region::Segment;
use super::request::parts::Queue;
use super::request::{AnyVerb, ReadVerb, SendVerb, WorkRequest, WriteVerb};
use super::types::Remote;
use crate::error::Error;
use crate::rings::{Payload, ReceiveRing, SendRequest, SendRing};
use parking_lot::MutexGuard;

/// What sends and receives that are being posted have in common: the lock of a ring, and a doorbell
/// at the end.
#[derive(Debug)]
struct Batch<'a, R: Ring> {
    qp: &'a QpShared,
    /// Until the end.
    ring: Option<MutexGuard<'a, R>>,
    posted: u32,
}

/// A ring that requests are posted to.
trait Ring: Sized {
    const NAME: &'static str;
    /// Its number in a queue pair.
    const QUEUE: usize;
    /// Tells the device; `None` if there is nothing to tell.
    fn end(qp: &QpShared, ring: Option<MutexGuard<'_, Self>>) -> Result<(), Error>;
}

impl Ring for SendRing {
    const NAME: &'static str = "send";
    const QUEUE: usize = 0;

    fn end(qp: &QpShared, ring: Option<MutexGuard<'_, Self>>) -> Result<(), Error> {
        ring.map_or(Ok(()), |ring| qp.ring_sends(ring))
    }
}

impl Ring for ReceiveRing {
    const NAME: &'static str = "receive";
    const QUEUE: usize = 1;

    fn end(qp: &QpShared, ring: Option<MutexGuard<'_, Self>>) -> Result<(), Error> {
        match ring {
            Some(ring) => qp.ring_recvs(ring),
            None => qp.remind(),
        }
    }
}

impl<'a, R: Ring> Batch<'a, R> {
    fn new(qp: &'a QpShared, ring: MutexGuard<'a, R>) -> Self {
        Self { qp, ring: Some(ring), posted: 0 }
    }

    #[inline(always)]
    fn post(&mut self, put: impl FnOnce(&QpShared, &mut R) -> Result<(), Error>) -> Result<(), Error> {
        // it is there until the end
        let Some(ring) = &mut self.ring else { return Ok(()) };
        put(self.qp, ring)?;
        self.posted += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        let Some(ring) = self.ring.take() else { return Ok(()) };
        R::end(self.qp, (self.posted > 0).then_some(ring))
    }
}

impl<R: Ring> Drop for Batch<'_, R> {
    fn drop(&mut self) {
        if let Err(why) = self.end() {
            let (qp, queue) = (self.qp.number.index, R::NAME);
            tracing::error!(qp, queue, %why, "posted work is not told to the device");
            self.qp.refuse_next(R::QUEUE, why);
        }
    }
}

/// Sends, Writes and Reads being posted. If the batch is dropped and the device cannot be told, the
/// next post to the queue has the error. Others who post to the send queue wait until it ends, by
/// [`Sends::ring`] or by being dropped, and so does `Connection::finish_sending`. Nobody else
/// waits: who has one may poll, post receives, ask for state and limits, and call the connection
/// manager otherwise.
///
/// # Deadlocks
/// The guard holds the lock of the send queue. A thread that has one must end it before it posts
/// Sends, Writes or Reads to the same queue pair in another way, calls `finish_sending`, or waits
/// for another thread that does: it would wait for itself. In an async function, end it before the
/// next `await`.
#[derive(Debug)]
#[must_use = "what is posted is told to the device when this ends"]
pub struct Sends<'a>(Batch<'a, SendRing>);

impl<'a> Sends<'a> {
    pub(super) fn new(qp: &'a QpShared) -> Self {
        Self(Batch::new(qp, qp.sends()))
    }

    /// A message.
    #[inline(always)]
    pub fn send<'s>(&mut self, wr_id: u64, segments: &'s [Segment]) -> WorkRequest<&mut Self, SendVerb<'s>> {
        WorkRequest::send(self, wr_id, Payload::Segments(segments))
    }

    /// A message whose bytes are taken now; as many as [`super::QpLimits::inline`] has.
    #[inline(always)]
    pub fn send_inline<'s>(&mut self, wr_id: u64, bytes: &'s [u8]) -> WorkRequest<&mut Self, SendVerb<'s>> {
        WorkRequest::send(self, wr_id, Payload::Inline(bytes))
    }

    /// A Write into the peer's memory.
    #[inline(always)]
    pub fn write<'s>(
        &mut self,
        wr_id: u64,
        segments: &'s [Segment],
        remote: Remote,
    ) -> WorkRequest<&mut Self, WriteVerb<'s>> {
        WorkRequest::write(self, wr_id, Payload::Segments(segments), remote)
    }

    /// A Write whose bytes are taken now, as those of [`Sends::send_inline`].
    #[inline(always)]
    pub fn write_inline<'s>(
        &mut self,
        wr_id: u64,
        bytes: &'s [u8],
        remote: Remote,
    ) -> WorkRequest<&mut Self, WriteVerb<'s>> {
        WorkRequest::write(self, wr_id, Payload::Inline(bytes), remote)
    }

    /// A Read of the peer's memory into `sink`.
    #[inline(always)]
    pub fn read(&mut self, wr_id: u64, sink: Segment, remote: Remote) -> WorkRequest<&mut Self, ReadVerb> {
        WorkRequest::read(self, wr_id, sink, remote)
    }

    /// A request whose verb is known when the program runs.
    #[inline(always)]
    pub fn any<'s>(&mut self, wr_id: u64, verb: AnyVerb<'s>) -> WorkRequest<&mut Self, AnyVerb<'s>> {
        WorkRequest::any(self, wr_id, verb)
    }

    /// How many there are.
    pub fn posted(&self) -> u32 {
        self.0.posted
    }

    /// Tells the device of all of them.
    pub fn ring(mut self) -> Result<(), Error> {
        self.0.end()
    }
}

impl Queue for &mut Sends<'_> {
    /// Without a closure: one that several verbs share would be a call of its own.
    #[inline(always)]
    fn take(self, posted: Posted, request: SendRequest<'_, Segment>) -> Result<(), Error> {
        let Batch { qp, ring, posted: count } = &mut self.0;
        // it is there until the end
        let Some(ring) = ring else { return Ok(()) };
        qp.post(ring, posted, request)?;
        *count += 1;
        Ok(())
    }
}

/// Receives being posted, as [`Sends`], with the lock of the receive queue.
#[derive(Debug)]
#[must_use = "what is posted is told to the device when this ends"]
pub struct Receives<'a>(Batch<'a, ReceiveRing>);

impl<'a> Receives<'a> {
    pub(super) fn new(qp: &'a QpShared) -> Self {
        Self(Batch::new(qp, qp.receives()))
    }

    /// A place for a message of the peer.
    #[inline(always)]
    pub fn post(&mut self, wr_id: u64, segments: &[Segment]) -> Result<(), Error> {
        self.0.post(|qp, ring| {
            qp.check(segments)?;
            qp.put_recv(ring, wr_id, segments)
        })
    }

    /// How many there are.
    pub fn posted(&self) -> u32 {
        self.0.posted
    }

    /// Tells the device of all of them.
    pub fn ring(mut self) -> Result<(), Error> {
        self.0.end()
    }
}
