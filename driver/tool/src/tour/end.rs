// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end: a queue pair, places for messages, and what is waited for.
use super::error::TourError;
use super::shown::MESSAGE;
use crate::error::ToolError;
use ferrowarp::{
    Access, Completion, CompletionQueue, Connected, Connection, Device, Error, MemoryRegion,
    ProtectionDomain, QpOptions, QueuePair, STag, Status, WcOpcode,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Places for messages.
const PLACES: usize = 4;
/// How long an end that is refused, or refuses, leaves its connection open for the Terminate, and
/// time between two looks at its end.
const FAREWELL: Duration = Duration::from_secs(3);
const NAP: Duration = Duration::from_millis(10);

/// One end of a connection.
pub(super) struct End {
    pub(super) qp: QueuePair,
    pub(super) pd: ProtectionDomain,
    cq: CompletionQueue,
    inbox: MemoryRegion,
    outbox: MemoryRegion,
    /// Messages that came and were not asked for yet.
    came: VecDeque<Message>,
    patience: Duration,
}

/// A message of the peer.
pub(super) struct Message {
    pub(super) octets: Vec<u8>,
    /// The region of ours that it invalidated.
    pub(super) invalidated: Option<STag>,
}

impl End {
    /// A queue pair with all places for messages posted.
    pub(super) fn new(device: &Device, patience: Duration) -> Result<Self, Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue(4 * PLACES as u32)?;
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(4).receives(PLACES as u32))?;
        let inbox = pd.allocate(PLACES * MESSAGE, Access::LOCAL)?;
        let outbox = pd.allocate(MESSAGE, Access::default())?;
        let end = Self { qp, pd, cq, inbox, outbox, came: VecDeque::new(), patience };
        (0..PLACES).try_for_each(|place| end.expect(place))?;
        Ok(end)
    }

    fn expect(&self, place: usize) -> Result<(), Error> {
        self.qp.post_recv(place as u64, &[self.inbox.segment(place * MESSAGE, MESSAGE)?])
    }

    /// Sends a message and waits until it is done.
    pub(super) fn send(
        &mut self,
        qp: &QueuePair<Connected>,
        octets: &[u8],
        invalidate: Option<STag>,
    ) -> Result<(), ToolError> {
        self.outbox.memory().write(0, octets)?;
        qp.send(0, &[self.outbox.segment(0, octets.len())?]).invalidate(invalidate).post()?;
        self.until(WcOpcode::Send)
    }

    /// The next message, which has to have `due` octets.
    pub(super) fn message(&mut self, due: usize) -> Result<Message, ToolError> {
        loop {
            if let Some(message) = self.came.pop_front() {
                let got = message.octets.len();
                return if got == due { Ok(message) } else { Err(TourError::Message { got, due }.into()) };
            }
            self.step()?;
        }
    }

    /// Waits until a request of this kind is done.
    pub(super) fn until(&mut self, opcode: WcOpcode) -> Result<(), ToolError> {
        while self.step()? != opcode {}
        Ok(())
    }

    /// Waits for a completion and does what it is about.
    fn step(&mut self) -> Result<WcOpcode, ToolError> {
        let Completion { wr_id, status, opcode, octets, invalidated, error, .. } =
            self.cq.wait(self.patience)?;
        if status != Status::Success {
            return Err(TourError::Work { opcode, status, error }.into());
        }
        if opcode == WcOpcode::Receive {
            let place = wr_id as usize;
            let octets = self.inbox.memory().copy(place * MESSAGE, octets as usize)?;
            self.came.push_back(Message { octets, invalidated });
            self.expect(place)?;
        }
        Ok(opcode)
    }

    /// Waits until the connection has ended, which it does by a Terminate, and the receives are
    /// flushed: what the connection manager says of it. What else is outstanding ends in whatever
    /// way.
    pub(super) fn refused(&mut self, connection: Connection) -> Result<Option<Error>, Error> {
        // a wait for a completion and a close are words to the device, in between the commands that
        // send the Terminate
        let begun = Instant::now();
        while connection.ended().is_none() && begun.elapsed() < FAREWELL.min(self.patience) {
            std::thread::sleep(NAP);
        }
        let mut left = PLACES;
        while left > 0 {
            let done = self.cq.wait(self.patience)?;
            left -= usize::from(done.opcode == WcOpcode::Receive);
        }
        match connection.disconnect(self.patience) {
            Ok(()) => Ok(None),
            Err(why @ (Error::Connection(_) | Error::Closed)) => Ok(Some(why)),
            Err(why) => Err(why),
        }
    }

    /// The same, if only its end is of interest.
    pub(super) fn ended(&mut self, connection: Connection) -> Result<(), Error> {
        self.refused(connection).map(drop)
    }
}
