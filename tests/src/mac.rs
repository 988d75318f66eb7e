// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of a wire of 1 Gb/s, and two clocks, in plain code.
use crc::{Crc, CRC_32_ISO_HDLC};
use ferrowarp_sim::{Model, PortId};

/// What stands on the wire for one octet time (GMII).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The octet.
    pub octet: u8,
    /// RX_DV or TX_EN.
    pub carrier: bool,
    /// RX_ER.
    pub fault: bool,
}

impl Symbol {
    /// Between frames, with an octet that says nothing.
    pub const IDLE: Self = Self { octet: 0xD5, carrier: false, fault: false };

    /// An octet of a frame.
    pub fn carried(octet: u8) -> Self {
        Self { octet, carrier: true, fault: false }
    }
}

/// FCS of these octets, in the order of the wire.
pub fn fcs(octets: &[u8]) -> [u8; 4] {
    Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(octets).to_le_bytes()
}

/// `octets` and their FCS.
pub fn with_fcs(octets: &[u8]) -> Vec<u8> {
    [octets, &fcs(octets)].concat()
}

/// A frame on the wire: `preamble` octets 0x55, the delimiter, the octets.
pub fn symbols(preamble: usize, octets: &[u8]) -> Vec<Symbol> {
    let head = std::iter::repeat_n(0x55, preamble).chain([0xD5]);
    head.chain(octets.iter().copied()).map(Symbol::carried).collect()
}

/// A frame that was seen on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Octet times without carrier in front of the frame.
    pub gap: usize,
    /// Octets behind the delimiter, FCS included.
    pub octets: Vec<u8>,
}

impl Seen {
    /// The octets without FCS; none if the FCS is wrong.
    pub fn good(&self) -> Option<&[u8]> {
        let (data, end) = self.octets.split_at_checked(self.octets.len().checked_sub(4)?)?;
        (fcs(data) == end).then_some(data)
    }
}

/// Takes the frames out of what stood on the wire.
///
/// # Errors
/// A preamble that is not seven octets 0x55 and the delimiter.
pub fn frames(wire: &[Symbol]) -> Result<Vec<Seen>, String> {
    let mut frames = vec![];
    let mut gap = 0;
    for run in wire.chunk_by(|a, b| a.carrier == b.carrier) {
        if !run[0].carrier {
            gap = run.len();
            continue;
        }
        let octets: Vec<u8> = run.iter().map(|s| s.octet).collect();
        match octets.strip_prefix(&[0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5]) {
            Some(octets) => frames.push(Seen { gap, octets: octets.to_vec() }),
            None => {
                return Err(format!(
                    "frame {} begins with {:02x?}",
                    frames.len(),
                    &octets[..octets.len().min(9)]
                ))
            }
        }
    }
    Ok(frames)
}

/// Two clocks of a model; times in femtoseconds.
pub struct Clocks {
    ports: [PortId; 2],
    periods: [u64; 2],
    next: [u64; 2],
}

impl Clocks {
    /// The clock ports `names`, the second one `phase` behind the first one.
    ///
    /// # Panics
    /// If the model has no such port.
    pub fn new(model: &Model, names: [&str; 2], periods: [u64; 2], phase: u64) -> Self {
        let ports = names.map(|name| model.need(name).unwrap_or_else(|e| panic!("{e}")));
        Self { ports, periods, next: [0, phase] }
    }

    /// Which clocks rise at the next edge.
    pub fn rising(&self) -> [bool; 2] {
        let now = self.next[0].min(self.next[1]);
        self.next.map(|next| next == now)
    }

    /// Passes the next edge.
    ///
    /// # Panics
    /// If the ports are no inputs.
    pub fn edge(&mut self, model: &mut Model) {
        let rising = self.rising();
        for level in [1, 0] {
            for (port, _) in self.ports.iter().zip(rising).filter(|(_, rises)| *rises) {
                model.set_u64(*port, level).unwrap_or_else(|e| panic!("{e}"));
            }
            model.eval();
        }
        for i in (0..2).filter(|&i| rising[i]) {
            self.next[i] += self.periods[i];
        }
    }
}
