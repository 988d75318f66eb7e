//! Rings that the driver fills: send and receive work requests.
use super::{BadEntry, Slots};
use crate::backend::Backend;
use crate::error::Error;
use ferrowarp_abi::codec::{RecvWqe, SendWqe, Sge};
use ferrowarp_abi::consts::doorbell_kind;
use ferrowarp_abi::host::work::{RECV_SLOT, SEND_SLOT};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use std::sync::Arc;

/// Most gathers of a send request.
pub const SEND_SEGMENTS: usize = 4;
/// Most scatters of a receive.
pub const RECEIVE_SEGMENTS: usize = (RECV_SLOT - RecvWqe::LEN) / Sge::LEN;
/// Most octets in a send request itself.
pub const INLINE_MOST: usize = SEND_SLOT - SendWqe::LEN;

/// What a slot of the send queue says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendRequest {
    /// RDMAP opcode or one of `work_opcode`.
    pub opcode: u8,
    /// A completion is wanted.
    pub is_signaled: bool,
    /// Comes back in the completion.
    pub tag: u64,
    /// The peer's buffer, or what a Send invalidates.
    pub remote_stag: STag,
    /// Where in it.
    pub remote_to: TaggedOffset,
    /// Gathers, or the sink of a Read.
    pub segments: Vec<Sge>,
    /// In place of gathers: the octets themselves.
    pub inline: Option<Vec<u8>>,
}

impl SendRequest {
    /// The slot's octets, all of them.
    pub fn slot(&self) -> Result<Vec<u8>, Error> {
        let queue = "send";
        if self.segments.len() > SEND_SEGMENTS {
            return Err(Error::Segments { queue, given: self.segments.len(), most: SEND_SEGMENTS });
        }
        let inline = self.inline.as_ref().map(Vec::len);
        if let Some(octets) = inline.filter(|&n| n > INLINE_MOST) {
            return Err(Error::Long(octets as u64));
        }
        let total: u64 = self.segments.iter().map(|s| u64::from(s.length.0)).sum();
        let total = inline.map_or(total, |n| n as u64);
        let length = ByteCount(u32::try_from(total).map_err(|_| Error::Long(total))?);
        let head = SendWqe {
            opcode: self.opcode,
            is_signaled: self.is_signaled,
            is_inline: inline.is_some(),
            num_sge: self.segments.len() as u8,
            length,
            wr_id: self.tag,
            remote_stag: self.remote_stag,
            remote_to: self.remote_to,
        };
        let mut slot = head.octets().map_err(|e| unfit("send", e))?.to_vec();
        slot.extend(self.inline.iter().flatten());
        push_segments(&mut slot, &self.segments)?;
        slot.resize(SEND_SLOT, 0);
        Ok(slot)
    }
}

fn push_segments(slot: &mut Vec<u8>, segments: &[Sge]) -> Result<(), Error> {
    for segment in segments {
        slot.extend(segment.octets().map_err(|e| unfit("segment", e))?);
    }
    Ok(())
}

fn unfit(ring: &'static str, why: impl ToString) -> Error {
    Error::Entry(BadEntry { ring, index: 0, why: why.to_string() })
}

/// The slots of a send queue. Who uses it counts how many are free.
#[derive(Debug)]
pub struct SendRing(Slots);

impl SendRing {
    /// `2^log2` slots of queue pair `qp`.
    pub fn new(backend: &Arc<dyn Backend>, qp: u16, log2: u8) -> Result<Self, Error> {
        Slots::new(backend, (log2, SEND_SLOT), false, (doorbell_kind::SQ, qp)).map(Self)
    }

    /// First octet of slot 0, and log2 of the slots.
    pub fn place(&self) -> (u64, u8) {
        (self.0.base(), self.0.log2())
    }

    /// Absolute index of the next slot.
    pub fn index(&self) -> u32 {
        self.0.index()
    }

    /// Writes a request into the next slot and rings.
    pub fn post(&mut self, request: &SendRequest) -> Result<(), Error> {
        self.0.write(&request.slot()?)?;
        self.0.step();
        self.0.ring()
    }
}

/// The slots of a receive queue.
#[derive(Debug)]
pub struct ReceiveRing(Slots);

impl ReceiveRing {
    /// `2^log2` slots of queue pair `qp`.
    pub fn new(backend: &Arc<dyn Backend>, qp: u16, log2: u8) -> Result<Self, Error> {
        Slots::new(backend, (log2, RECV_SLOT), false, (doorbell_kind::RQ, qp)).map(Self)
    }

    /// First octet of slot 0, and log2 of the slots.
    pub fn place(&self) -> (u64, u8) {
        (self.0.base(), self.0.log2())
    }

    /// Absolute index of the next slot.
    pub fn index(&self) -> u32 {
        self.0.index()
    }

    /// Writes a receive into the next slot and rings.
    pub fn post(&mut self, tag: u64, segments: &[Sge]) -> Result<(), Error> {
        if segments.len() > RECEIVE_SEGMENTS {
            return Err(Error::Segments { queue: "receive", given: segments.len(), most: RECEIVE_SEGMENTS });
        }
        let head = RecvWqe { wr_id: tag, num_sge: segments.len() as u8 };
        let mut slot = head.octets().map_err(|e| unfit("receive", e))?.to_vec();
        push_segments(&mut slot, segments)?;
        slot.resize(RECV_SLOT, 0);
        self.0.write(&slot)?;
        self.0.step();
        self.0.ring()
    }

    /// Rings again: the device forgot the index as the row was written anew.
    pub fn ring(&self) -> Result<(), Error> {
        self.0.ring()
    }
}
