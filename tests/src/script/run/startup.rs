// SPDX-License-Identifier: MIT OR Apache-2.0
//! Startup frames by their fields (RFC 5044 section 7.1.1, RFC 6581 section 6).
use super::{Outcome, Run};
use crate::fw::mpa::{Frame, REPLY, REQUEST};
use crate::script::parse::Step;
use crate::script::ulpdu::same;
use crate::script::value::Want;

/// Octets before private data.
pub(super) const HEADER: usize = 20;
/// Flags and their bits in octet 16.
const FLAGS: [(&str, u8); 4] = [("m", 0x80), ("c", 0x40), ("r", 0x20), ("s", 0x10)];
/// Fields of the words of RFC 6581: name, first bit from the right, bits.
const WORDS: [(&str, u32, u32); 6] =
    [("a", 31, 1), ("b", 30, 1), ("ird", 16, 14), ("cw", 15, 1), ("dr", 14, 1), ("ord", 0, 14)];

impl Run<'_> {
    /// The frame that a step of the peer describes: of revision 2 with depths of 4 and CRC, if it
    /// says nothing else.
    pub(super) fn startup(&self, is_request: bool, step: &Step) -> Outcome<Frame> {
        let number = |name: &str, or: u64| self.number_of(step, name).map(|number| number.unwrap_or(or));
        let rev = number("rev", 2)?;
        let presets = [("c", 1), ("s", u64::from(rev >= 2))];
        let preset =
            |name: &str| presets.iter().find(|(other, _)| *other == name).map_or(0, |(_, value)| *value);
        let mut flags = number("res", 0)? as u8 & 0xF;
        for (name, bit) in FLAGS {
            flags |= if number(name, preset(name))? == 1 { bit } else { 0 };
        }
        let mut data = vec![];
        if flags & 0x10 != 0 {
            let mut words = 0_u32;
            for (name, at, bits) in WORDS {
                let or = if bits > 1 { 4 } else { 0 };
                words |= (number(name, or)? as u32 & ((1 << bits) - 1)) << at;
            }
            data.extend(words.to_be_bytes());
        }
        data.extend(self.octets_of(step, "data")?.unwrap_or_default());
        let right = if is_request { REQUEST } else { REPLY };
        let key = self.octets_of(step, "key")?.unwrap_or(right.to_vec());
        let key = key.try_into().map_err(|_| "a key has 16 octets")?;
        let length = self.number_of(step, "length")?.map(|length| length as u16);
        Ok(Frame { key, flags, revision: rev as u8, length, data })
    }

    /// The frame that the device sends next is as a step describes.
    pub(super) fn started(&mut self, is_request: bool, step: &Step) -> Outcome {
        let what = if is_request { "a Request" } else { "a Reply" };
        let frame = self.until(what, |run| {
            let rest = run.rest();
            let length = rest.get(18..HEADER).map(|two| usize::from(two[0]) << 8 | usize::from(two[1]));
            Ok(length.and_then(|length| rest.get(..HEADER + length)).map(<[u8]>::to_vec))
        })?;
        self.judge_startup(is_request, &frame, step)
            .map_err(|why| format!("{what}: {why}; it is {}", super::hexed(&frame)))?;
        let [m, c] = [0x80, 0x40].map(|bit| frame[16] & bit != 0);
        let flow = self.flow();
        flow.read += frame.len();
        (flow.before, flow.markers[1], flow.crc[1]) = (flow.read, m, c);
        Ok(())
    }

    fn judge_startup(&mut self, is_request: bool, frame: &[u8], step: &Step) -> Outcome {
        let right = if is_request { REQUEST } else { REPLY };
        let key = self.octets_of(step, "key")?.unwrap_or(right.to_vec());
        same("the key", &key, &frame[..16])?;
        let flags = FLAGS.map(|(name, bit)| (name, u64::from(frame[16] & bit != 0)));
        let others = [("res", u64::from(frame[16] & 0xF)), ("rev", u64::from(frame[17]))];
        let length = [("length", (frame.len() - HEADER) as u64)];
        let has_words = frame[16] & 0x10 != 0 && frame.len() >= HEADER + 4;
        let (words, data) = frame[HEADER..].split_at(if has_words { 4 } else { 0 });
        let words = words.iter().fold(0_u32, |words, octet| words << 8 | u32::from(*octet));
        let words = WORDS.map(|(name, at, bits)| (name, u64::from(words >> at & ((1 << bits) - 1))));
        for (name, seen) in flags.into_iter().chain(others).chain(length).chain(words) {
            let Some(wanted) = step.field(name) else { continue };
            if !has_words && WORDS.iter().any(|(word, ..)| *word == name) {
                return Err(format!("there are no words of RFC 6581, so no `{name}`"));
            }
            Want::parse(wanted)?.check(name, seen, &mut self.names)?;
        }
        match self.octets_of(step, "data")? {
            Some(wanted) => same("private data", &wanted, data),
            None => Ok(()),
        }
    }
}
