//! Posting in batches. A guard holds the queue; its end rings the doorbell once, and there is no other way to ring.
use super::outstanding::Posted;
use super::qp::SendOptions;
use super::qp_shared::{QpShared, Queues};
use super::region::Segment;
use super::types::{Remote, WcOpcode};
use crate::error::Error;
use crate::rings::{Payload, SendRequest};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::TaggedOffset;
use parking_lot::MutexGuard;

/// What sends and receives that are being posted have in common: the lock, and a doorbell at the end.
#[derive(Debug)]
struct Batch<'a> {
    qp: &'a QpShared,
    /// Until the end.
    queues: Option<MutexGuard<'a, Queues>>,
    /// Which doorbell: 0 for sends, 1 for receives.
    doorbell: usize,
    posted: u32,
}

impl<'a> Batch<'a> {
    fn new(qp: &'a QpShared, doorbell: usize) -> Self {
        Self { qp, queues: Some(qp.queues()), doorbell, posted: 0 }
    }

    #[inline(always)]
    fn post(
        &mut self,
        put: impl FnOnce(&QpShared, &mut MutexGuard<'a, Queues>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // it is there until the end
        let Some(queues) = &mut self.queues else { return Ok(()) };
        put(self.qp, queues)?;
        self.posted += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        match (self.queues.take(), self.posted) {
            (Some(queues), 1..) => self.qp.ring(queues, self.doorbell),
            _ => Ok(()),
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Err(why) = self.end() {
            let (qp, doorbell) = (self.qp.number.index, self.doorbell);
            tracing::error!(qp, doorbell, %why, "posted work is not told to the device");
        }
    }
}

/// Sends, Writes and Reads being posted. Others who post to the queue pair wait until it ends, by [`Sends::ring`] or by
/// being dropped.
///
/// # Deadlocks
/// The guard holds the queue pair's lock. A thread that has one must end it before it posts to the same queue pair in another
/// way, asks for its state or limits, polls or arms a completion queue in which it completes, or calls what the connection
/// manager answers (connecting, listening, closing, [`crate::Device::audit`]): it would wait for itself. It must not wait for
/// another thread that does so either. In an async function, end it before the next `await`.
#[derive(Debug)]
#[must_use = "what is posted is told to the device when this ends"]
pub struct Sends<'a>(Batch<'a>);

impl<'a> Sends<'a> {
    pub(super) fn new(qp: &'a QpShared) -> Self {
        Self(Batch::new(qp, 0))
    }

    /// A message. `options.invalidate` names a region of the peer that is invalid once it is received.
    pub fn send(&mut self, wr_id: u64, segments: &[Segment], options: SendOptions) -> Result<(), Error> {
        self.post(of_send(wr_id, Payload::Segments(segments), options))
    }

    /// A message whose octets are taken now; as many as [`super::QpLimits::inline`] has.
    pub fn send_inline(&mut self, wr_id: u64, octets: &[u8], options: SendOptions) -> Result<(), Error> {
        self.post(of_send(wr_id, Payload::Inline(octets), options))
    }

    /// A Write into the peer's memory.
    pub fn write(
        &mut self,
        wr_id: u64,
        segments: &[Segment],
        remote: Remote,
        is_signaled: bool,
    ) -> Result<(), Error> {
        self.post(of_write(wr_id, segments, remote, is_signaled))
    }

    /// A Read of the peer's memory into `sink`.
    pub fn read(
        &mut self,
        wr_id: u64,
        sink: Segment,
        remote: Remote,
        is_signaled: bool,
    ) -> Result<(), Error> {
        self.post(of_read(wr_id, &[sink], remote, is_signaled))
    }

    fn post(&mut self, (posted, request): Work<'_>) -> Result<(), Error> {
        self.0.post(|qp, queues| qp.post(queues, posted, request))
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

/// A request, and what is kept of it.
pub(super) type Work<'a> = (Posted, SendRequest<'a, Segment>);

#[inline(always)]
pub(super) fn of_send(wr_id: u64, payload: Payload<'_, Segment>, options: SendOptions) -> Work<'_> {
    let opcode = match (options.solicited, options.invalidate) {
        (false, None) => Opcode::Send,
        (false, Some(_)) => Opcode::SendInvalidate,
        (true, None) => Opcode::SendSolicited,
        (true, Some(_)) => Opcode::SendSolicitedInvalidate,
    };
    let remote = Remote { stag: options.invalidate.unwrap_or_default(), to: TaggedOffset(0) };
    work(wr_id, (opcode, WcOpcode::Send), payload, remote, !options.unsignaled)
}

#[inline(always)]
pub(super) fn of_write(wr_id: u64, segments: &[Segment], remote: Remote, is_signaled: bool) -> Work<'_> {
    let kinds = (Opcode::RdmaWrite, WcOpcode::Write);
    work(wr_id, kinds, Payload::Segments(segments), remote, is_signaled)
}

#[inline(always)]
pub(super) fn of_read(wr_id: u64, sink: &[Segment; 1], remote: Remote, is_signaled: bool) -> Work<'_> {
    work(wr_id, (Opcode::ReadRequest, WcOpcode::Read), Payload::Segments(sink), remote, is_signaled)
}

#[inline(always)]
fn work(
    wr_id: u64,
    (opcode, kind): (Opcode, WcOpcode),
    payload: Payload<'_, Segment>,
    remote: Remote,
    is_signaled: bool,
) -> Work<'_> {
    let Remote { stag: remote_stag, to: remote_to } = remote;
    let request = SendRequest { opcode: opcode as u8, is_signaled, tag: 0, remote_stag, remote_to, payload };
    (Posted { wr_id, opcode: kind, is_signaled, is_own: false }, request)
}

/// Receives being posted, as [`Sends`], with the same lock.
#[derive(Debug)]
#[must_use = "what is posted is told to the device when this ends"]
pub struct Receives<'a>(Batch<'a>);

impl<'a> Receives<'a> {
    pub(super) fn new(qp: &'a QpShared) -> Self {
        Self(Batch::new(qp, 1))
    }

    /// A place for a message of the peer.
    pub fn post(&mut self, wr_id: u64, segments: &[Segment]) -> Result<(), Error> {
        self.0.post(|qp, queues| {
            qp.check(segments)?;
            queues.put_recv(wr_id, segments)
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
