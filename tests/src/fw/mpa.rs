// SPDX-License-Identifier: MIT OR Apache-2.0
//! Startup frames and FPDUs of a peer, from plain octets.
use crate::mpa_model::fpdu;

/// A Request or Reply by hand.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The first 16 octets.
    pub key: [u8; 16],
    /// Octet 16: M 0x80, C 0x40, R 0x20, S 0x10.
    pub flags: u8,
    /// Octet 17.
    pub revision: u8,
    /// Octets 18 and 19, if they are not the length of `data`.
    pub length: Option<u16>,
    /// Private data, the words of RFC 6581 included.
    pub data: Vec<u8>,
}

/// Key of a Request.
pub const REQUEST: [u8; 16] = *b"MPA ID Req Frame";
/// Key of a Reply.
pub const REPLY: [u8; 16] = *b"MPA ID Rep Frame";

impl Frame {
    /// A plain Request of Rev 1 with CRC.
    pub fn request() -> Self {
        Self { key: REQUEST, flags: 0x40, revision: 1, length: None, data: vec![] }
    }

    /// A plain Reply of Rev 1 with CRC.
    pub fn reply() -> Self {
        Self { key: REPLY, ..Self::request() }
    }

    /// Rev 2 and S, with these words.
    pub fn enhanced(mut self, words: u32) -> Self {
        self.flags |= 0x10;
        self.revision = 2;
        self.data.splice(0..0, words.to_be_bytes());
        self
    }

    /// With private data behind what is there.
    pub fn with(mut self, data: &[u8]) -> Self {
        self.data.extend(data);
        self
    }

    /// The octets.
    pub fn octets(&self) -> Vec<u8> {
        let length = self.length.unwrap_or(self.data.len() as u16);
        [&self.key[..], &[self.flags, self.revision], &length.to_be_bytes(), &self.data].concat()
    }
}

/// A zero-length RDMA Write as an FPDU with CRC and without markers.
pub fn empty_write() -> Vec<u8> {
    first_fpdu(&[0xC1, 0x40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
}

/// An FPDU with CRC and without markers.
pub fn first_fpdu(ulpdu: &[u8]) -> Vec<u8> {
    fpdu(ulpdu, 0, false, true)
}
