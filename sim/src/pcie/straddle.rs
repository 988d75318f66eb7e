// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLPs as the PCI Express block of the 7 series gives them at 128 bits: one may begin where
//! another ends.
use crate::bench::wire::Wire;
use crate::bench::Item;
use crate::check::{Fields, Payload, Violation};
use crate::model::{Model, PortError, PortId};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use std::fmt;

/// Octets of half a beat and of a beat.
const HALF: usize = 8;
const BEAT: usize = 16;
/// A TLP begins or ends in the beat; the low bits say in which octet.
const HERE: u8 = 0x10;

/// A beat of the channel in which TLPs may begin in mid-beat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Straddled {
    /// The dwords as numbers, the low octet first.
    pub data: [u8; BEAT],
    /// Bit 4 and the octet in which a TLP begins, or 0.
    pub is_sof: u8,
    /// The same of the octet in which a TLP ends.
    pub is_eof: u8,
    /// The BARs that the TLP which ends or goes on here hits, or the one that begins.
    pub bar_hit: u8,
    /// The block gives up the TLP that ends.
    pub err: bool,
}

impl Straddled {
    /// Lanes from `own` on belong to nobody and have any value.
    fn closed(mut self, own: usize, rng: &mut ChaCha8Rng) -> Self {
        rng.fill_bytes(&mut self.data[own..]);
        self
    }
}

impl From<Straddled> for Item {
    fn from(beat: Straddled) -> Self {
        Item::new()
            .with_bytes("data", &beat.data)
            .with("is_sof", beat.is_sof.into())
            .with("is_eof", beat.is_eof.into())
            .with("bar_hit", beat.bar_hit.into())
            .with("err", beat.err.into())
    }
}

impl fmt::Display for Straddled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Item::from(self.clone()))
    }
}

/// Puts TLPs into beats one behind the other (PG054, receive interface of 128 bits): where one ends
/// in the lower half of a beat, the next one begins in its upper half.
#[derive(Debug, Clone, Default)]
pub struct Straddle {
    /// A beat under way, and how many of its lanes are taken.
    open: Option<(Straddled, usize)>,
}

impl Straddle {
    /// The beats that are complete with a TLP, which has at least three dwords. `lanes` are its
    /// dwords as numbers, the low octet first; `err` says that the block gives it up. If it ends in
    /// a lower half, that beat waits for the next TLP or [`Self::flush`].
    pub fn add(&mut self, lanes: &[u8], bar_hit: u8, err: bool, rng: &mut ChaCha8Rng) -> Vec<Straddled> {
        let mut beats = Vec::with_capacity(lanes.len() / BEAT + 2);
        let (mut rest, mut is_sof) = (lanes, HERE);
        if let Some((mut open, own)) = self.open.take() {
            let (first, more) = rest.split_at(HALF);
            rng.fill_bytes(&mut open.data[own..HALF]);
            open.data[HALF..].copy_from_slice(first);
            (open.is_sof, open.bar_hit) = (HERE | HALF as u8, bar_hit);
            beats.push(open);
            (rest, is_sof) = (more, 0);
        }
        let last = rest.len().div_ceil(BEAT) - 1;
        for (n, chunk) in rest.chunks(BEAT).enumerate() {
            let mut beat = Straddled { is_sof, bar_hit, ..Straddled::default() };
            beat.data[..chunk.len()].copy_from_slice(chunk);
            is_sof = 0;
            if n == last {
                (beat.is_eof, beat.err) = (HERE | (chunk.len() - 1) as u8, err);
            }
            if n == last && chunk.len() <= HALF {
                self.open = Some((beat, chunk.len()));
            } else {
                beats.push(beat.closed(chunk.len(), rng));
            }
        }
        beats
    }

    /// A beat waits for the next TLP.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The beat that waits, if there is one: nothing begins in it.
    pub fn flush(&mut self, rng: &mut ChaCha8Rng) -> Option<Straddled> {
        self.open.take().map(|(open, own)| open.closed(own, rng))
    }
}

impl Payload for Straddled {
    fn difference(&self, now: &Self) -> Option<(String, String, String)> {
        if self == now {
            return None;
        }
        let fields = |beat: &Self| -> Fields { Item::from(beat.clone()).0.into_iter().collect() };
        fields(self).difference(&fields(now))
    }

    fn lawful(&self, _width: usize) -> Result<(), Violation> {
        Ok(())
    }
}

/// The payload's ports.
pub(crate) struct StraddledPorts {
    data: PortId,
    is_sof: PortId,
    is_eof: PortId,
    bar_hit: PortId,
    err: PortId,
}

impl Wire for Straddled {
    type Unit = Self;
    type Ports = StraddledPorts;

    fn find(model: &Model, prefix: &str) -> Result<(StraddledPorts, usize, Self), PortError> {
        let port = |field: &str| model.need(&format!("{prefix}_{field}"));
        let ports = StraddledPorts {
            data: port("data")?,
            is_sof: port("is_sof")?,
            is_eof: port("is_eof")?,
            bar_hit: port("bar_hit")?,
            err: port("err")?,
        };
        Ok((ports, 0, Self::default()))
    }

    fn read(&mut self, ports: &StraddledPorts, model: &Model) -> Result<(), PortError> {
        self.data.copy_from_slice(model.get_bytes(ports.data));
        self.is_sof = model.get_u64(ports.is_sof)? as u8;
        self.is_eof = model.get_u64(ports.is_eof)? as u8;
        self.bar_hit = model.get_u64(ports.bar_hit)? as u8;
        self.err = model.get_u64(ports.err)? == 1;
        Ok(())
    }

    fn write(&self, ports: &StraddledPorts, model: &mut Model) -> Result<(), PortError> {
        model.set_bytes(ports.data, &self.data)?;
        model.set_u64(ports.is_sof, self.is_sof.into())?;
        model.set_u64(ports.is_eof, self.is_eof.into())?;
        model.set_u64(ports.bar_hit, self.bar_hit.into())?;
        model.set_u64(ports.err, self.err.into())
    }

    fn scramble(&mut self, _ports: &StraddledPorts, _model: &Model, rng: &mut ChaCha8Rng) {
        rng.fill_bytes(&mut self.data);
        (self.is_sof, self.is_eof) = (rng.random_range(0..32), rng.random_range(0..32));
        (self.bar_hit, self.err) = (rng.random_range(0..8), rng.random());
    }

    fn cut(&self, beat: &Self, _rng: &mut ChaCha8Rng) -> Result<Vec<Self>, String> {
        Ok(vec![beat.clone()])
    }

    fn gather(&self, _partial: &mut Vec<u8>) -> Option<Self> {
        Some(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn a_tlp_begins_where_another_ends() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut block = Straddle::default();
        let five: Vec<u8> = (0..20).collect();
        let three: Vec<u8> = (100..112).collect();
        let mut beats = block.add(&five, 1, true, rng);
        assert_eq!(beats.len(), 1);
        beats.extend(block.add(&three, 4, false, rng));
        assert_eq!(beats.len(), 2);
        beats.extend(block.add(&five, 2, false, rng));
        beats.extend(block.flush(rng));
        let marks = |b: &Straddled| [b.is_sof, b.is_eof, b.bar_hit, b.err.into()];
        let want = [[0x10, 0, 1, 0], [0x18, 0x13, 4, 1], [0x18, 0x13, 2, 0], [0, 0x1B, 2, 0]];
        assert_eq!(beats.iter().map(marks).collect::<Vec<_>>(), want);
        let half = |b: &Straddled, high: bool| b.data[if high { 8..16 } else { 0..8 }].to_vec();
        assert_eq!(half(&beats[0], false), five[..8]);
        assert_eq!(half(&beats[1], false)[..4], five[16..]);
        assert_eq!(half(&beats[1], true), three[..8]);
        assert_eq!(half(&beats[2], false)[..4], three[8..]);
        assert_eq!([half(&beats[2], true), half(&beats[3], false)].concat(), five[..16]);
        assert!(block.flush(rng).is_none());
    }
}
