// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that leave again: what they were when they left first, and TCP's answers to them.
use super::state::Segment;
use super::{Announced, Rig};
use crate::record::Record;
use ferrowarp_hdl::record::{Grant, Reserve};
use ferrowarp_sim::{Bench, Frame};
use rand::Rng;

/// MULPDU of connections that carry so many raw octets in front of their FPDUs.
pub const BEHIND_RAW: usize = 499;
/// See [`BEHIND_RAW`].
pub const RAW_BEFORE: usize = 22;

/// Octets between SeqStart and stream offset 0 of a connection, modulo 512. Those of odd numbers
/// have markers.
pub(super) fn phase(qp: usize, mulpdu: usize) -> u64 {
    let before = if mulpdu == BEHIND_RAW { RAW_BEFORE } else { 0 };
    (4 * (53 * qp + 11 * mulpdu) + 512 - before) as u64 % 512
}

impl Rig {
    /// The timer of a queue pair's connection expires.
    pub fn expire(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        bench.set("sq_rto_qp", qp as u64);
        bench.set("sq_rto_valid", 1);
        self.neighbours(bench)?;
        bench.step();
        bench.set("sq_rto_valid", 0);
        Ok(())
    }

    /// Stream offsets of the segments of a queue pair that left so far, without those that are
    /// acknowledged.
    pub fn in_flight(&self, qp: usize) -> Vec<u64> {
        let q = &self.qps[qp];
        q.segments.iter().filter(|s| s.end() > q.acked).map(|s| s.from).collect()
    }

    /// Some of an FPDU of a queue pair was granted, the rest not.
    pub fn is_half(&self, qp: usize) -> bool {
        self.qps[qp].segments.last().is_some_and(|s| !s.ends)
    }

    /// TCP's answer to a segment that wants to leave again: it must be one that has left.
    pub(super) fn reserve_again(&mut self, bench: &mut Bench, ask: &Record<Reserve>) -> Result<(), String> {
        let [offset, from, length, kind] = ["offset", "from", "length", "kind"].map(|field| ask.get(field));
        let qp = ask.get("qp") as usize;
        let q = &self.qps[qp];
        let start = offset - from;
        let of_fpdu = |s: &&Segment| s.from - s.told.get("from") == start;
        let (Some(index), Some(last)) =
            (q.segments.iter().position(|s| of_fpdu(&s)), q.segments.iter().rfind(of_fpdu))
        else {
            return Err(format!("a segment from {offset} again, which never left: {ask:?}"));
        };
        let segment = &q.segments[index];
        let rest = last.end().saturating_sub(offset);
        let (is_bounded, most) = (ask.is("bounded"), ask.get("most"));
        if rest == 0 || (is_bounded && most < rest) || !(last.ends || (is_bounded && most == rest)) {
            return Err(format!("{rest} octets can leave again: {ask:?}, {last:x?}"));
        }
        let before = (segment.told.get("length"), segment.told.get("kind"), segment.is_control);
        if (length, kind, ask.is("control")) != before {
            return Err(format!("a segment that is another one than before: {ask:?}, {segment:x?}"));
        }
        let octets = self.piece(bench, kind, rest);
        let skip = offset + octets <= q.acked || q.hole.is_some_and(|hole| offset + octets > hole);
        let ok = !skip && !self.shut[qp] && bench.rng().random_range(0..100) >= self.manners.refused;
        let kept = ["seq", "phase", "markers", "crc"];
        let grant = Record::<Grant>::new().with("ok", ok).with("skip", skip).with("octets", octets);
        let grant = kept.iter().fold(grant, |grant, field| grant.with(field, segment.told.get(field)));
        bench.put(self.grant, grant.with("ends", octets == rest).with("sure", q.is_cut).item());
        if ok {
            let told = segment.told.clone().with("replay", true).with("octets", octets).with("from", from);
            self.granted[qp].push_back((segment.is_control, told, index));
            self.again.push((qp, offset));
        } else if !skip && !self.shut[qp] {
            self.refusals += 1;
            self.refused[qp] = true;
            self.open(bench, qp);
        }
        self.skips += usize::from(skip);
        Ok(())
    }

    /// The frame of a segment that leaves again.
    pub(super) fn arrive_again(&mut self, told: Announced, frame: Frame) -> Result<(), String> {
        let segment = &self.qps[told.qp].segments[told.index];
        if frame.err || segment.frame.as_ref() != Some(&frame.data) {
            return Err(format!("again, but other octets: {frame}, first {:02x?}", segment.frame));
        }
        Ok(())
    }
}
