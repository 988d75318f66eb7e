// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps about what the device sends.
use super::{hexed, Outcome, Run};
use crate::mpa_model::fpdu;
use crate::script::habits;
use crate::script::parse::Step;
use crate::script::table::time;
use crate::script::ulpdu::{kind, same};
use crate::script::value::Octets;
use std::time::Duration;

/// Octets from one marker to the next, and of a marker.
const INTERVAL: usize = 512;
const MARKER: usize = 4;
/// L of the first control octet, and T.
const LAST: u8 = 0x40;
const TAGGED: u8 = 0x80;

impl Run<'_> {
    pub(super) fn sees(&mut self, verb: &str, step: &Step) -> Outcome {
        match verb {
            "open" => self.until("TCP's handshake", |run| Ok(run.wire.peer().open.then_some(()))),
            "request" | "reply" => self.started(verb == "request", step),
            "fpdu" => {
                let ulpdu = self.next_ulpdu(&step.words[0])?;
                self.judge(step, &ulpdu)
            }
            "message" => {
                let message = self.next_message(&step.words[0])?;
                self.judge(step, &message)
            }
            "octets" => {
                let wanted = Octets::parse(&step.words[0])?.of(&self.names)?;
                let count = wanted.len();
                let seen = self
                    .until("octets of the device", |run| Ok(run.rest().get(..count).map(<[u8]>::to_vec)))?;
                self.flow().read += count;
                same("octets of the device", &wanted, &seen)
            }
            "acked" => {
                let within = self.within(step)?;
                self.until_within(within, "an ACK of all that the peer has sent", |run| {
                    let peer = run.wire.peer();
                    let end = peer.snd_nxt;
                    Ok(peer.log.iter().any(|seg| seg.ack == Some(end)).then_some(()))
                })
            }
            "skip" => {
                self.skip_log();
                Ok(())
            }
            "fin" => self
                .until("a FIN", |run| Ok(run.wire.peer().fin.then_some(())))
                .and_then(|()| self.all_read()),
            "closed" => self
                .until("a FIN or a RST", |run| {
                    let peer = run.wire.peer();
                    Ok((peer.fin || peer.rst).then_some(()))
                })
                .and_then(|()| self.all_read()),
            "rst" => self.until("a RST", |run| Ok(run.wire.peer().rst.then_some(()))),
            "quiet" => {
                self.all_read()?;
                let state = |run: &mut Self| {
                    let peer = run.wire.peer();
                    (peer.inbox.len(), peer.fin, peer.rst)
                };
                let before = state(self);
                self.wait(Duration::from_millis(time(&step.words[0])?))?;
                match state(self) == before {
                    true => Ok(()),
                    false => Err(format!("the device is not quiet: {}", self.seen())),
                }
            }
            "none" => self.segment_missed(step),
            _ => self.segment_seen(step),
        }
    }

    /// Octets of the device that no step has read.
    pub(super) fn rest(&mut self) -> &[u8] {
        let read = self.flow().read;
        self.wire.peer().inbox.get(read..).unwrap_or_default()
    }

    fn all_read(&mut self) -> Outcome {
        let rest = self.rest();
        match rest.is_empty() {
            true => Ok(()),
            false => Err(format!("the device sent more: {}", hexed(rest))),
        }
    }

    fn judge(&mut self, step: &Step, ulpdu: &[u8]) -> Outcome {
        let kind = kind(&step.words[0])?;
        let before = self.names.clone();
        let judged = kind
            .check(&step.fields, ulpdu, &mut self.names)
            .map_err(|why| format!("{}: {why}; it is {}", kind.name, hexed(ulpdu)));
        let Err(why) = judged else { return Ok(()) };
        self.names = before;
        let mended = habits::in_bit_order(ulpdu);
        if !self.wire.has_habits()
            || kind.name != "terminate"
            || kind.check(&step.fields, &mended, &mut self.names).is_err()
        {
            return Err(why);
        }
        self.habit = Some(why);
        Ok(())
    }

    /// The ULPDU of the next FPDU, whose markers, pad and CRC must be as plain code makes them.
    fn next_ulpdu(&mut self, what: &str) -> Outcome<Vec<u8>> {
        self.until(what, |run| {
            let flow = run.flow();
            let (at, markers) = (flow.read - flow.before, flow.markers[0]);
            let crc = flow.crc[0] || flow.crc[1];
            let rest = run.rest();
            let Some(ulpdu) = plain(rest, at, markers) else { return Ok(None) };
            let whole = fpdu(&ulpdu, at as u64, markers, crc);
            let Some(seen) = rest.get(..whole.len()) else { return Ok(None) };
            if seen != whole {
                let is_habit = !markers && habits::is_but_pad(seen, &whole, ulpdu.len(), crc);
                let why =
                    format!("the FPDU at octet {at} is {}, plain code makes {}", hexed(seen), hexed(&whole));
                if !is_habit || !run.wire.has_habits() {
                    return Err(why);
                }
                run.habit.get_or_insert(why);
            }
            run.flow().read += whole.len();
            Ok(Some(ulpdu))
        })
    }

    /// The segments of the next message as one: places must follow each other, the rest of the
    /// headers must be the same.
    fn next_message(&mut self, what: &str) -> Outcome<Vec<u8>> {
        let mut message = self.next_ulpdu(what)?;
        let is_tagged = message.first().is_some_and(|first| first & TAGGED != 0);
        // header, where its place stands, octets of the place
        let (header, place) = if is_tagged { (14, 6..14) } else { (18, 14..18) };
        while message[0] & LAST == 0 {
            let next = self.next_ulpdu(what)?;
            if next.len() < header {
                return Err(format!("a segment of {} octets has no header", next.len()));
            }
            let number = |octets: &[u8]| octets.iter().fold(0_u64, |n, octet| n << 8 | u64::from(*octet));
            let (first, here) = (number(&message[place.clone()]), number(&next[place.clone()]));
            let behind = (message.len() - header) as u64;
            if here != first.wrapping_add(behind) {
                return Err(format!("a segment stands at {here:#x}, not {behind} octets behind {first:#x}"));
            }
            if message[1..place.start] != next[1..place.start] || (message[0] ^ next[0]) & !LAST != 0 {
                return Err(format!(
                    "headers of one message differ: {} and {}",
                    hexed(&message[..header]),
                    hexed(&next)
                ));
            }
            message[0] = next[0];
            message.extend_from_slice(&next[header..]);
        }
        Ok(message)
    }
}

/// The ULPDU of an FPDU that begins at octet `at` of full operation, if it is there whole.
fn plain(octets: &[u8], at: usize, markers: bool) -> Option<Vec<u8>> {
    let is_marker = |n: usize| markers && (at + n) % INTERVAL < MARKER;
    let mut plain = (0..octets.len()).filter(|n| !is_marker(*n)).map(|n| octets[n]);
    let length = usize::from(plain.next()?) << 8 | usize::from(plain.next()?);
    let ulpdu: Vec<u8> = plain.take(length).collect();
    (ulpdu.len() == length).then_some(ulpdu)
}
