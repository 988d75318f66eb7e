// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps of the peer.
use super::{Outcome, Run};
use crate::mpa_model::{crc32c, fpdu};
use crate::script::parse::Step;
use crate::script::table::time;
use crate::script::ulpdu::kind;
use crate::script::value::Octets;
use std::time::Duration;

/// Octets from one marker to the next.
const INTERVAL: u64 = 512;

impl Run<'_> {
    pub(super) fn says(&mut self, verb: &str, step: &Step) -> Outcome {
        match verb {
            "syn" => {
                self.offers(step)?;
                self.wire.open()?;
                self.until("an answer to the SYN", |run| {
                    let peer = run.wire.peer();
                    Ok((peer.open || peer.rst).then_some(()))
                })
            }
            "offers" => self.offers(step),
            "number" => {
                let iss = self.number_at(step, 0)? as u32;
                let peer = self.wire.peer();
                (peer.iss, peer.snd_nxt) = (iss, iss);
                Ok(())
            }
            "request" | "reply" => {
                let frame = self.startup(verb == "request", step)?;
                let flow = self.flow();
                flow.sent = Some(0);
                (flow.markers[0], flow.crc[0]) = (frame.flags & 0x80 != 0, frame.flags & 0x40 != 0);
                self.carry(&frame.octets(), step)
            }
            "fpdu" => {
                let ulpdu = kind(&step.words[0])?.build(&step.fields, &self.names)?;
                self.ulpdu(&ulpdu, step)
            }
            "ulpdu" => {
                let ulpdu = Octets::parse(&step.words[0])?.of(&self.names)?;
                self.ulpdu(&ulpdu, step)
            }
            "octets" => {
                let octets = Octets::parse(&step.words[0])?.of(&self.names)?;
                if let Some(sent) = &mut self.flow().sent {
                    *sent += octets.len() as u64;
                }
                self.carry(&octets, step)
            }
            "part" => self.part(step),
            "release" => step.words.iter().try_for_each(|name| {
                let held = self.flow().held.get(name).cloned();
                let held = held.ok_or_else(|| format!("nothing is held as `{name}`"))?;
                held.iter().try_for_each(|seg| self.wire.put(seg))
            }),
            "window" => {
                let octets = self.number_at(step, 0)? as u32;
                let peer = self.wire.peer();
                peer.edge = Some(peer.rcv_nxt.wrapping_add(octets));
                let seg = peer.seg();
                self.wire.put(&seg)
            }
            "too-big" => {
                let mtu = self.number_at(step, 0)? as u16;
                self.too_big(mtu)
            }
            "mute" | "answers" => {
                self.wire.peer().answers = verb == "answers";
                Ok(())
            }
            "fin" => {
                let fin = self.wire.peer().finish();
                self.wire.put(&fin)
            }
            "closes" => {
                self.wire.peer().closes = true;
                Ok(())
            }
            "rst" => {
                let rst = self.wire.peer().reset();
                self.wire.put(&rst)
            }
            "waits" => self.wait(Duration::from_millis(time(&step.words[0])?)),
            _ => self.segment(step),
        }
    }

    /// What the peer says in its SYN.
    fn offers(&mut self, step: &Step) -> Outcome {
        let [mss, scale] = ["mss", "scale"].map(|name| self.number_of(step, name));
        let (mss, scale) = (mss?, scale?);
        let peer = self.wire.peer();
        // 0 is an option that is not there
        peer.mss = mss.map_or(peer.mss, |mss| Some(mss as u16).filter(|mss| *mss != 0));
        peer.scale = scale.map_or(peer.scale, |scale| Some(scale as u8));
        Ok(())
    }

    /// A ULPDU as an FPDU, right or wrong as the step says.
    fn ulpdu(&mut self, ulpdu: &[u8], step: &Step) -> Outcome {
        let flow = self.flow();
        let Some(at) = flow.sent else {
            return Err("an FPDU before the peer's startup frame: use `peer octets`".into());
        };
        let (markers, crc) = (flow.markers[1], flow.crc[0] || flow.crc[1]);
        let mut octets = fpdu(ulpdu, at, markers, crc);
        flow.sent = Some(at + octets.len() as u64);
        // where the field of the length stands: behind a marker that leads
        let header = if markers && at.is_multiple_of(INTERVAL) { 4 } else { 0 };
        if let Some(length) = self.number_of(step, "length")? {
            octets[header..header + 2].copy_from_slice(&(length as u16).to_be_bytes());
            seal(&mut octets);
        }
        if step.has("bad-pad") {
            if (2 + ulpdu.len()).is_multiple_of(4) {
                return Err(format!("a ULPDU of {} octets has no pad", ulpdu.len()));
            }
            let pad = octets.len() - 5;
            octets[pad] ^= 0xFF;
            seal(&mut octets);
        }
        let marker = self.octets_of(step, "marker")?;
        if step.has("bad-marker") || marker.is_some() {
            let first = ((INTERVAL - at % INTERVAL) % INTERVAL) as usize;
            if !markers || first + 4 > octets.len() {
                return Err(format!("an FPDU of {} octets at {at} has no marker", octets.len()));
            }
            octets[first + 3] ^= if marker.is_none() { 4 } else { 0 };
            put(&mut octets, first, &marker.unwrap_or_default())?;
            seal(&mut octets);
        }
        if let Some(crc) = self.octets_of(step, "crc")? {
            let at = octets.len() - 4;
            put(&mut octets, at, &crc)?;
        }
        if let Some(bit) = self.number_of(step, "flip")? {
            let count = octets.len();
            let octet = octets.get_mut(bit as usize / 8);
            *octet.ok_or(format!("an FPDU of {count} octets has no bit {bit}"))? ^= 0x80 >> (bit % 8);
        }
        let last = octets.len() - 1;
        match (step.has("bad-crc"), step.has("zero-crc")) {
            (true, _) => octets[last] ^= 1,
            (_, true) => octets[last - 3..].fill(0),
            _ => {}
        }
        self.carry(&octets, step)
    }
}

/// Puts a field of four octets, or nothing, at its place.
fn put(octets: &mut [u8], at: usize, field: &[u8]) -> Outcome {
    if !matches!(field.len(), 0 | 4) {
        return Err(format!("a marker or CRC has 4 octets, not {}", field.len()));
    }
    octets[at..at + field.len()].copy_from_slice(field);
    Ok(())
}

/// Puts the CRC right again.
fn seal(octets: &mut [u8]) {
    let (body, field) = octets.split_at_mut(octets.len() - 4);
    field.copy_from_slice(&crc32c(body).to_le_bytes());
}
