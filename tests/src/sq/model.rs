// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests and what must come of them, from plain code.
use crate::mpa_model::hex;
use crate::record::Record;
use ferrowarp_hdl::record::ReadRequest;

/// Opcode of raw octets.
pub const RAW: u8 = 16;

/// Payload in host memory.
#[derive(Copy, Clone, Debug)]
pub struct Local {
    /// Tagged offset of the first octet.
    pub addr: u64,
    /// STag of its region.
    pub key: u32,
}

/// A gather of a work request.
#[derive(Copy, Clone, Debug)]
pub struct Sge {
    /// Tagged offset.
    pub addr: u64,
    /// Octets.
    pub length: u32,
    /// STag.
    pub key: u32,
}

/// What a message says, wherever its payload comes from.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// RDMAP opcode, or [`RAW`].
    pub opcode: u8,
    /// STag of the peer, or one that it is to invalidate.
    pub stag: u32,
    /// TO of the first octet.
    pub to: u64,
    /// The octets.
    pub payload: Vec<u8>,
}

impl Message {
    /// The ULPDUs of the message, by RFC 5041 sections 4 and 5.2; raw octets are one.
    pub fn ulpdus(&self, mulpdu: usize, msn: u32) -> Vec<Vec<u8>> {
        if self.opcode == RAW {
            return vec![self.payload.clone()];
        }
        let tagged = matches!(self.opcode, 0 | 2);
        let room = mulpdu - if tagged { 14 } else { 18 };
        let mut parts: Vec<_> = self.payload.chunks(room).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let count = parts.len();
        let ulpdu = |(i, part): (usize, &&[u8])| {
            let last = if i + 1 == count { 0x40 } else { 0 };
            let mut octets = vec![if tagged { 0x81 } else { 0x01 } | last, 0x40 | self.opcode];
            if tagged {
                octets.extend(self.stag.to_be_bytes());
                octets.extend(self.to.wrapping_add((i * room) as u64).to_be_bytes());
            } else {
                let invalidate = if matches!(self.opcode, 4 | 6) { self.stag } else { 0 };
                octets.extend(invalidate.to_be_bytes());
                octets.extend(queue(self.opcode).to_be_bytes());
                octets.extend(msn.to_be_bytes());
                octets.extend(((i * room) as u32).to_be_bytes());
            }
            octets.extend(*part);
            octets
        };
        parts.iter().enumerate().map(ulpdu).collect()
    }
}

/// The queue of an untagged message.
pub fn queue(opcode: u8) -> u32 {
    match opcode {
        1 => 1,
        7 => 2,
        _ => 0,
    }
}

/// A Read Request of the peer.
#[derive(Copy, Clone, Debug)]
pub struct Request {
    /// Where the answer goes: the peer's STag and TO.
    pub sink: (u32, u64),
    /// Octets that it asks for.
    pub length: u32,
    /// What it reads: our STag and TO.
    pub source: (u32, u64),
}

impl Request {
    /// What a Terminate quotes of it if `sent` octets of its response have left: it asks for the
    /// others. `msn` is its own.
    pub fn quoted(&self, msn: u32, sent: u32) -> (u64, Vec<u8>) {
        let ((sink, sink_to), (source, source_to)) = (self.sink, self.source);
        let mut octets = hex("4141 00000000 00000001");
        octets.extend([msn, 0, sink].map(u32::to_be_bytes).concat());
        octets.extend((sink_to + u64::from(sent)).to_be_bytes());
        octets.extend([self.length - sent, source].map(u32::to_be_bytes).concat());
        octets.extend(source_to.wrapping_add(u64::from(sent)).to_be_bytes());
        let length = octets.len();
        octets.resize(72, 0);
        (length as u64, octets)
    }

    /// Its record for a queue pair, as it stands in `rr_item`.
    pub(super) fn record(&self, qp: usize) -> Record<ReadRequest> {
        let ((sink, sink_to), (source, source_to)) = (self.sink, self.source);
        let record = Record::new().with("qp", qp).with("length", self.length);
        let record = record.with("sink_stag", sink).with("sink_to", sink_to);
        record.with("src_stag", source).with("src_to", source_to)
    }
}

/// A work request.
#[derive(Clone, Debug, Default)]
pub struct Post {
    /// What it sends.
    pub message: Message,
    /// Where the octets lie; none if they stand in the slot. Of an RDMA Read: where they shall lie.
    pub sges: Vec<Sge>,
    /// The octets stand in the slot.
    pub inline: bool,
    /// A completion is wanted.
    pub signaled: bool,
    /// It waits for the RDMA Reads before it.
    pub fenced: bool,
    /// Its name, which the test alone knows: it stands in octets that the device has no use for.
    pub wr_id: u64,
}

impl Post {
    /// Octets that its message moves.
    pub fn length(&self) -> u32 {
        match self.message.opcode {
            1 => self.sges.iter().map(|s| s.length).sum(),
            _ => self.message.payload.len() as u32,
        }
    }

    /// The ULPDUs of its message; a Read Request by RFC 5040 section 4.4.
    pub fn ulpdus(&self, mulpdu: usize, msn: u32) -> Vec<Vec<u8>> {
        let mut message = self.message.clone();
        if message.opcode == 1 {
            message.payload = self.sges[0].key.to_be_bytes().to_vec();
            message.payload.extend(self.sges[0].addr.to_be_bytes());
            message.payload.extend(self.length().to_be_bytes());
            message.payload.extend(message.stag.to_be_bytes());
            message.payload.extend(message.to.to_be_bytes());
        }
        message.ulpdus(mulpdu, msn)
    }

    /// The octets of its blocks.
    pub fn octets(&self) -> Vec<u8> {
        let m = &self.message;
        let flags = u8::from(self.signaled) << 7 | u8::from(self.inline) << 6 | u8::from(self.fenced) << 5;
        let tail = if self.inline { m.payload.len() } else { 16 * self.sges.len() };
        let blocks = if tail > 32 { 2 } else { 1 };
        let mut octets = vec![m.opcode, flags, self.sges.len() as u8, blocks];
        octets.extend(self.length().to_be_bytes());
        octets.extend(self.wr_id.to_be_bytes());
        octets.extend(m.stag.to_be_bytes());
        octets.extend([0; 4]);
        octets.extend(m.to.to_be_bytes());
        for sge in &self.sges {
            octets.extend(sge.addr.to_be_bytes());
            octets.extend(sge.length.to_be_bytes());
            octets.extend(sge.key.to_be_bytes());
        }
        if self.inline {
            octets.extend(&m.payload);
        }
        // what nobody reads is not zero
        octets.resize(64 * usize::from(blocks), 0xA5);
        octets
    }
}
