// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end: a queue pair, its messages, its buffer.
use super::error::PerfError;
use super::limits::MOST_DEPTH;
use super::plan::PLAN_OCTETS;
use crate::error::ToolError;
use ferrowarp::{
    Access, Completion, CompletionQueue, Connected, Device, Error, MemoryRegion, ProtectionDomain, QpOptions,
    QueuePair, Status, WcOpcode,
};
use std::time::Duration;

/// Octets of each message that is not measured.
pub(super) const CONTROL_OCTETS: usize = PLAN_OCTETS;
/// Marks requests for such messages.
pub(super) const CONTROL: u64 = 1 << 32;
/// Places for them.
const PLACES: usize = 8;

/// One end of a connection.
pub(super) struct End {
    pub(super) qp: QueuePair,
    pub(super) pd: ProtectionDomain,
    cq: CompletionQueue,
    inbox: MemoryRegion,
    outbox: MemoryRegion,
    next_out: usize,
    patience: Duration,
}

impl End {
    /// A queue pair with nothing posted.
    pub(super) fn new(device: &Device, patience: Duration) -> Result<Self, Error> {
        let pd = device.protection_domain()?;
        let depth = u32::from(MOST_DEPTH) + PLACES as u32;
        let cq = device.completion_queue(2 * depth + 2)?;
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(depth).receives(depth))?;
        let inbox = pd.allocate(PLACES * CONTROL_OCTETS, Access::LOCAL)?;
        let outbox = pd.allocate(PLACES * CONTROL_OCTETS, Access::default())?;
        Ok(Self { qp, pd, cq, inbox, outbox, next_out: 0, patience })
    }

    /// Posts a place for a message.
    pub(super) fn expect(&self, place: usize) -> Result<(), Error> {
        let at = place % PLACES * CONTROL_OCTETS;
        self.qp.post_recv(CONTROL | place as u64, &[self.inbox.segment(at, CONTROL_OCTETS)?])
    }

    /// All places for messages.
    pub(super) fn expect_all(&self) -> Result<(), Error> {
        (0..PLACES).try_for_each(|place| self.expect(place))
    }

    /// Sends a message; it completes like any other, marked.
    pub(super) fn tell(
        &mut self,
        qp: &QueuePair<Connected>,
        octets: [u8; CONTROL_OCTETS],
    ) -> Result<(), Error> {
        let at = self.next_out % PLACES * CONTROL_OCTETS;
        self.next_out += 1;
        self.outbox.memory().write(at, &octets)?;
        qp.send(CONTROL, &[self.outbox.segment(at, CONTROL_OCTETS)?]).post()
    }

    /// The octets of a message that was received.
    pub(super) fn heard(&self, done: &Completion) -> Result<Vec<u8>, Error> {
        let place = (done.wr_id & !CONTROL) as usize % PLACES;
        let octets = (done.octets as usize).min(CONTROL_OCTETS);
        Ok(self.inbox.memory().copy(place * CONTROL_OCTETS, octets)?)
    }

    /// The next completion; none if the connection is over.
    pub(super) fn next(&self) -> Result<Option<Completion>, ToolError> {
        let done = self.cq.wait(self.patience)?;
        match done.status {
            Status::Success => Ok(Some(done)),
            Status::Flushed => Ok(None),
            status => Err(failed(&done, status).into()),
        }
    }

    /// The next completion, which has to be there.
    pub(super) fn done(&self) -> Result<Completion, ToolError> {
        self.next()?.ok_or_else(|| Error::Closed.into())
    }

    /// The next message, with nothing else under way but messages.
    pub(super) fn message(&self) -> Result<Vec<u8>, ToolError> {
        loop {
            let done = self.done()?;
            if done.opcode == WcOpcode::Receive {
                return Ok(self.heard(&done)?);
            }
        }
    }
}

fn failed(done: &Completion, status: Status) -> PerfError {
    PerfError::Work { opcode: done.opcode, status, error: done.error }
}
