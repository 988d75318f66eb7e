//! Work requests and what must come of them, from plain code.

/// Payload in host memory.
#[derive(Copy, Clone, Debug)]
pub struct Local {
    /// IOVA of the first octet.
    pub addr: u64,
    /// STag of its region.
    pub key: u32,
}

/// A gather of a work request.
#[derive(Copy, Clone, Debug)]
pub struct Sge {
    /// IOVA.
    pub addr: u64,
    /// Octets.
    pub length: u32,
    /// STag.
    pub key: u32,
}

/// What a message says, wherever its payload comes from.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// RDMAP opcode.
    pub opcode: u8,
    /// STag of the peer.
    pub stag: u32,
    /// TO of the first octet.
    pub to: u64,
    /// The octets.
    pub payload: Vec<u8>,
}

impl Message {
    /// The ULPDUs of the message, by RFC 5041 sections 4 and 5.2.
    pub fn ulpdus(&self, mulpdu: usize, msn: u32) -> Vec<Vec<u8>> {
        let tagged = self.opcode == 0;
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
                octets.extend([0; 8]);
                octets.extend(msn.to_be_bytes());
                octets.extend(((i * room) as u32).to_be_bytes());
            }
            octets.extend(*part);
            octets
        };
        parts.iter().enumerate().map(ulpdu).collect()
    }
}

/// A work request.
#[derive(Clone, Debug, Default)]
pub struct Post {
    /// What it sends.
    pub message: Message,
    /// Where the octets lie; none if they stand in the slot.
    pub sges: Vec<Sge>,
    /// The octets stand in the slot.
    pub inline: bool,
    /// A completion is wanted.
    pub signaled: bool,
    /// Its name.
    pub wr_id: u64,
}

impl Post {
    /// The 128 octets of its slot.
    pub fn octets(&self) -> Vec<u8> {
        let m = &self.message;
        let flags = u8::from(self.signaled) << 7 | u8::from(self.inline) << 6;
        let mut octets = vec![m.opcode, flags, self.sges.len() as u8, 0];
        octets.extend((m.payload.len() as u32).to_be_bytes());
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
        octets.resize(128, 0xA5);
        octets
    }
}
