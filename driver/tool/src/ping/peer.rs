// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue pair that pings: its buffers, its messages, its completions.
use super::error::PingError;
use super::limits::ADVERT_OCTETS;
use crate::error::ToolError;
use ferrowarp::{
    Access, CompletionQueue, Connected, Connection, Device, Error, MemoryRegion, ProtectionDomain, QpOptions,
    QueuePair, Remote, Status, WcOpcode,
};
use std::collections::VecDeque;
use std::time::Duration;

/// Places for messages of the peer.
const RECEIVES: usize = 2;
/// Outstanding at once: a message and an RDMA operation.
const SENDS: u32 = 2;

/// One end.
pub(super) struct Peer {
    pub(super) qp: QueuePair,
    /// The same, once it has a connection.
    connected: Option<QueuePair<Connected>>,
    pub(super) pd: ProtectionDomain,
    cq: CompletionQueue,
    inbox: MemoryRegion,
    outbox: MemoryRegion,
    /// Messages that came and were not asked for yet.
    came: VecDeque<[u8; ADVERT_OCTETS]>,
    /// A message was sent and is not completed.
    sending: bool,
    patience: Duration,
}

impl Peer {
    /// A queue pair with its receives posted.
    pub(super) fn new(device: &Device, patience: Duration) -> Result<Self, Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue(16)?;
        let options = QpOptions::default().sends(SENDS).receives(RECEIVES as u32);
        let qp = device.queue_pair(&pd, [&cq, &cq], options)?;
        let inbox = pd.allocate(RECEIVES * ADVERT_OCTETS, Access::LOCAL)?;
        let outbox = pd.allocate(ADVERT_OCTETS, Access::default())?;
        let peer = Self {
            qp,
            connected: None,
            pd,
            cq,
            inbox,
            outbox,
            came: VecDeque::new(),
            sending: false,
            patience,
        };
        (0..RECEIVES).try_for_each(|place| peer.receive_at(place))?;
        Ok(peer)
    }

    /// The connection was made.
    pub(super) fn connects(&mut self, connection: &Connection) {
        self.connected = Some(connection.queue_pair().clone());
    }

    fn connected(&self) -> Result<&QueuePair<Connected>, Error> {
        self.connected.as_ref().ok_or(Error::NotConnected(self.qp.number()))
    }

    fn receive_at(&self, place: usize) -> Result<(), Error> {
        let segment = self.inbox.segment(place * ADVERT_OCTETS, ADVERT_OCTETS)?;
        self.qp.post_recv(place as u64, &[segment])
    }

    /// Sends a message; the one before has been completed.
    pub(super) fn send(&mut self, octets: [u8; ADVERT_OCTETS]) -> Result<(), ToolError> {
        while self.sending {
            self.completed()?;
        }
        self.outbox.memory().write(0, &octets)?;
        self.connected()?.send(0, &[self.outbox.segment(0, ADVERT_OCTETS)?]).post()?;
        self.sending = true;
        Ok(())
    }

    /// The next message of the peer; none if the connection is over.
    pub(super) fn receive(&mut self) -> Result<Option<[u8; ADVERT_OCTETS]>, ToolError> {
        loop {
            if let Some(message) = self.came.pop_front() {
                return Ok(Some(message));
            }
            match self.completed() {
                Err(ToolError::Ping(PingError::Work { status: Status::Flushed, .. })) => return Ok(None),
                other => drop(other?),
            }
        }
    }

    /// Reads `octets` octets of the peer to the start of `sink`.
    pub(super) fn read(&mut self, sink: &MemoryRegion, octets: usize, from: Remote) -> Result<(), ToolError> {
        self.connected()?.read(0, sink.segment(0, octets)?, from).post()?;
        self.until(WcOpcode::Read)
    }

    /// Writes the first `octets` octets of `source` to the peer.
    pub(super) fn write(
        &mut self,
        source: &MemoryRegion,
        octets: usize,
        to: Remote,
    ) -> Result<(), ToolError> {
        self.connected()?.write(0, &[source.segment(0, octets)?], to).post()?;
        self.until(WcOpcode::Write)
    }

    /// Everything that was sent is completed.
    pub(super) fn drain(&mut self) -> Result<(), ToolError> {
        while self.sending {
            self.completed()?;
        }
        Ok(())
    }

    fn until(&mut self, opcode: WcOpcode) -> Result<(), ToolError> {
        while self.completed()? != opcode {}
        Ok(())
    }

    /// The next completion: what it was of.
    fn completed(&mut self) -> Result<WcOpcode, ToolError> {
        let done = self.cq.wait(self.patience)?;
        let (opcode, status, error) = (done.opcode, done.status, done.error);
        if status != Status::Success {
            return Err(PingError::Work { opcode, status, error }.into());
        }
        match opcode {
            WcOpcode::Send => self.sending = false,
            WcOpcode::Receive => {
                if done.octets as usize != ADVERT_OCTETS {
                    return Err(PingError::Message(done.octets).into());
                }
                let place = done.wr_id as usize;
                let mut message = [0; ADVERT_OCTETS];
                self.inbox.memory().read(place * ADVERT_OCTETS, &mut message)?;
                self.came.push_back(message);
                self.receive_at(place)?;
            }
            _ => {}
        }
        Ok(opcode)
    }
}
