// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two kinds of boundary, streams and channels: their ports, and how units become beats and
//! back.
use super::unit::{Frame, Item};
use crate::check::{Beat, Fields, Payload};
use crate::model::{Model, PortError, PortId};
use ferrowarp_hdl::emit::Port;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use smallvec::smallvec;
use std::fmt::Display;

/// A payload that can be put on ports and read from them.
pub(crate) trait Wire: Payload {
    /// What one or more beats carry.
    type Unit: Display;
    /// The payload's ports.
    type Ports;

    /// The ports below `prefix`, the octets of a beat (0 for a channel) and a payload of the right
    /// shape.
    fn find(model: &Model, prefix: &str) -> Result<(Self::Ports, usize, Self), PortError>;
    /// Reads all fields.
    fn read(&mut self, ports: &Self::Ports, model: &Model) -> Result<(), PortError>;
    /// Writes all fields.
    fn write(&self, ports: &Self::Ports, model: &mut Model) -> Result<(), PortError>;
    /// Random values in all fields, lawful or not: for cycles in which nobody may look.
    fn scramble(&mut self, ports: &Self::Ports, model: &Model, rng: &mut ChaCha8Rng);
    /// The beats of a unit. The error says what is wrong with the unit.
    fn cut(&self, unit: &Self::Unit, rng: &mut ChaCha8Rng) -> Result<Vec<Self>, String>;
    /// Adds this beat to `partial`; the unit, if it was its last beat.
    fn gather(&self, partial: &mut Vec<u8>) -> Option<Self::Unit>;
}

/// Payload ports of a stream.
pub(crate) struct StreamPorts {
    data: PortId,
    bytes: PortId,
    last: PortId,
    err: PortId,
}

impl Wire for Beat {
    type Unit = Frame;
    type Ports = StreamPorts;

    fn find(model: &Model, prefix: &str) -> Result<(StreamPorts, usize, Self), PortError> {
        let port = |field: &str| model.need(&format!("{prefix}_{field}"));
        let ports = StreamPorts {
            data: port("data")?,
            bytes: port("bytes")?,
            last: port("last")?,
            err: port("err")?,
        };
        let octets = model.width(ports.data) / 8;
        Ok((ports, octets, Beat { data: smallvec![0; octets], ..Beat::default() }))
    }

    fn read(&mut self, ports: &StreamPorts, model: &Model) -> Result<(), PortError> {
        self.data.copy_from_slice(model.get_bytes(ports.data));
        self.bytes = model.get_u64(ports.bytes)?;
        self.last = model.get_u64(ports.last)? == 1;
        self.err = model.get_u64(ports.err)? == 1;
        Ok(())
    }

    fn write(&self, ports: &StreamPorts, model: &mut Model) -> Result<(), PortError> {
        model.set_bytes(ports.data, &self.data)?;
        model.set_u64(ports.bytes, self.bytes)?;
        model.set_u64(ports.last, u64::from(self.last))?;
        model.set_u64(ports.err, u64::from(self.err))
    }

    fn scramble(&mut self, ports: &StreamPorts, model: &Model, rng: &mut ChaCha8Rng) {
        rng.fill_bytes(&mut self.data);
        self.bytes = rng.random_range(0..1 << model.width(ports.bytes).min(16));
        self.last = rng.random();
        self.err = rng.random();
    }

    fn cut(&self, frame: &Frame, rng: &mut ChaCha8Rng) -> Result<Vec<Self>, String> {
        if frame.data.is_empty() {
            return Err("a frame has at least one octet".into());
        }
        let octets = self.data.len();
        let count = frame.data.len().div_ceil(octets);
        let beats = frame.data.chunks(octets).enumerate().map(|(i, chunk)| {
            let last = i + 1 == count;
            // octets beyond `bytes` are random, so that nobody depends on them
            let mut data = smallvec![0; octets];
            rng.fill_bytes(&mut data[chunk.len()..]);
            data[..chunk.len()].copy_from_slice(chunk);
            Beat { data, bytes: chunk.len() as u64, last, err: last && frame.err }
        });
        Ok(beats.collect())
    }

    fn gather(&self, partial: &mut Vec<u8>) -> Option<Frame> {
        partial.extend_from_slice(&self.data[..self.data.len().min(self.bytes as usize)]);
        // the next frame is likely to be as long
        let next = || Vec::with_capacity(partial.len());
        self.last.then(next).map(|next| Frame { data: std::mem::replace(partial, next), err: self.err })
    }
}

impl Wire for Fields {
    type Unit = Item;
    type Ports = Vec<PortId>;

    fn find(model: &Model, prefix: &str) -> Result<(Vec<PortId>, usize, Self), PortError> {
        let all = model.library().ports();
        let mut ids = vec![];
        let mut fields = vec![];
        for port in all.iter().filter(|p| belongs(&p.name, prefix, all)) {
            ids.push(model.need(&port.name)?);
            fields.push((port.name[prefix.len() + 1..].to_string(), vec![0; port.width.div_ceil(8)]));
        }
        Ok((ids, 0, fields))
    }

    fn read(&mut self, ports: &Vec<PortId>, model: &Model) -> Result<(), PortError> {
        for ((_, value), &port) in self.iter_mut().zip(ports) {
            value.copy_from_slice(model.get_bytes(port));
        }
        Ok(())
    }

    fn write(&self, ports: &Vec<PortId>, model: &mut Model) -> Result<(), PortError> {
        self.iter().zip(ports).try_for_each(|((_, value), &port)| model.set_bytes(port, value))
    }

    fn scramble(&mut self, ports: &Vec<PortId>, model: &Model, rng: &mut ChaCha8Rng) {
        for ((_, value), &port) in self.iter_mut().zip(ports) {
            rng.fill_bytes(value);
            let spare = value.len() * 8 - model.width(port);
            if let Some(top) = value.last_mut() {
                *top &= 0xff >> spare;
            }
        }
    }

    fn cut(&self, item: &Item, _rng: &mut ChaCha8Rng) -> Result<Vec<Self>, String> {
        if let Some(stranger) = item.0.keys().find(|k| !self.iter().any(|(name, _)| name == *k)) {
            return Err(format!("there is no field `{stranger}`; the fields are {}", names(self)));
        }
        let field = |(name, shape): &(String, Vec<u8>)| match item.bytes(name) {
            Some(value) => {
                let mut octets = value.to_vec();
                // zeros beyond the port are dropped; anything else stays and is refused with its
                // width
                while octets.len() > shape.len() && octets.last() == Some(&0) {
                    octets.pop();
                }
                octets.resize(octets.len().max(shape.len()), 0);
                Ok((name.clone(), octets))
            }
            None => Err(format!("field `{name}` is missing; the fields are {}", names(self))),
        };
        Ok(vec![self.iter().map(field).collect::<Result<_, _>>()?])
    }

    fn gather(&self, _partial: &mut Vec<u8>) -> Option<Item> {
        Some(Item(self.iter().cloned().collect()))
    }
}

fn names(fields: &Fields) -> String {
    fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Whether port `name` is a payload field of the channel `prefix`: below it, not its handshake, and
/// not of a channel whose own prefix is longer.
fn belongs(name: &str, prefix: &str, all: &[Port]) -> bool {
    let field = match name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')) {
        Some("valid" | "ready") | None => return false,
        Some(field) => field,
    };
    let cuts = field.match_indices('_').map(|(at, _)| &name[..prefix.len() + 1 + at]);
    let mut longer = cuts.filter(|p| all.iter().any(|q| q.name == format!("{p}_valid")));
    longer.next().is_none() && !(all.iter().any(|q| q.name == format!("{name}_valid")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::emit::Direction;

    #[test]
    fn a_longer_prefix_keeps_its_fields() {
        let names =
            ["t_valid", "t_ready", "t_key", "t_key_hi", "t_req_valid", "t_req_ready", "t_req_key", "tt_key"];
        let port = |n: &&str| Port { name: n.to_string(), width: 1, direction: Direction::Input };
        let all: Vec<_> = names.iter().map(port).collect();
        let of = |prefix| names.into_iter().filter(|n| belongs(n, prefix, &all)).collect::<Vec<_>>();
        assert_eq!(of("t"), ["t_key", "t_key_hi"]);
        assert_eq!(of("t_req"), ["t_req_key"]);
    }
}
