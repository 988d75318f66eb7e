// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams with side signals: further ports `<prefix>_<field>` that hold one value through each
//! frame.
use super::unit::{Frame, Item};
use super::wire::{StreamPorts, Wire};
use crate::check::{Beat, Fields, Payload, Violation};
use crate::model::{Model, PortError, PortId};
use rand_chacha::ChaCha8Rng;
use std::fmt;

/// The ports of the stream itself; all others below the prefix are side signals.
const STREAM: [&str; 4] = ["data", "bytes", "last", "err"];

/// A beat and the side signals that stand beside it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct SideBeat {
    beat: Beat,
    side: Fields,
}

/// A frame of a stream with side signals.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SideFrame {
    /// Its octets.
    pub frame: Frame,
    /// Its side signals, as they stood beside the last beat.
    pub side: Item,
}

impl fmt::Display for SideFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.side, self.frame)
    }
}

impl Payload for SideBeat {
    fn difference(&self, now: &Self) -> Option<(String, String, String)> {
        self.beat.difference(&now.beat).or_else(|| self.side.difference(&now.side))
    }

    fn lawful(&self, width: usize) -> Result<(), Violation> {
        self.beat.lawful(width)
    }
}

impl Wire for SideBeat {
    type Unit = SideFrame;
    type Ports = (StreamPorts, Vec<PortId>);

    fn find(model: &Model, prefix: &str) -> Result<(Self::Ports, usize, Self), PortError> {
        let (stream, width, beat) = Beat::find(model, prefix)?;
        let (ids, _, fields) = Fields::find(model, prefix)?;
        let all = ids.into_iter().zip(fields);
        let (ids, side) = all.filter(|(_, (name, _))| !STREAM.contains(&name.as_str())).unzip();
        Ok(((stream, ids), width, Self { beat, side }))
    }

    fn read(&mut self, ports: &Self::Ports, model: &Model) -> Result<(), PortError> {
        self.beat.read(&ports.0, model)?;
        self.side.read(&ports.1, model)
    }

    fn write(&self, ports: &Self::Ports, model: &mut Model) -> Result<(), PortError> {
        self.beat.write(&ports.0, model)?;
        self.side.write(&ports.1, model)
    }

    fn scramble(&mut self, ports: &Self::Ports, model: &Model, rng: &mut ChaCha8Rng) {
        self.beat.scramble(&ports.0, model, rng);
        self.side.scramble(&ports.1, model, rng);
    }

    fn cut(&self, unit: &SideFrame, rng: &mut ChaCha8Rng) -> Result<Vec<Self>, String> {
        let side = self.side.cut(&unit.side, rng)?.remove(0);
        let beats = self.beat.cut(&unit.frame, rng)?;
        Ok(beats.into_iter().map(|beat| Self { beat, side: side.clone() }).collect())
    }

    fn gather(&self, partial: &mut Vec<u8>) -> Option<SideFrame> {
        let frame = self.beat.gather(partial)?;
        Some(SideFrame { frame, side: Item(self.side.iter().cloned().collect()) })
    }
}
