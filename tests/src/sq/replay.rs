// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that leave again: what they were when they left first, and TCP's answers to them.
use super::records::pack;
use super::{Announced, Rig};
use ferrowarp_sim::{Bench, Frame, Item};
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

/// A segment as it was granted first.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Stream offset of its first octet.
    pub from: u64,
    /// What `fpdu` said of it.
    pub told: Vec<u64>,
    /// It was of the control plane.
    pub is_control: bool,
    /// The frame of its FPDU, once that came.
    pub frame: Option<Vec<u8>>,
    /// Its FPDU ends there.
    pub ends: bool,
}

impl Segment {
    /// Stream offset after its last octet.
    fn end(&self) -> u64 {
        self.from + self.told[6]
    }
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
    pub(super) fn reserve_again(&mut self, bench: &mut Bench, f: &[u64]) -> Result<(), String> {
        let qp = f[0] as usize;
        let q = &self.qps[qp];
        let start = f[5] - f[6];
        let of_fpdu = |s: &&Segment| s.from - s.told[9] == start;
        let (Some(index), Some(last)) =
            (q.segments.iter().position(|s| of_fpdu(&s)), q.segments.iter().rfind(of_fpdu))
        else {
            return Err(format!("a segment from {} again, which never left: {f:x?}", f[5]));
        };
        let segment = &q.segments[index];
        let rest = last.end().saturating_sub(f[5]);
        let (is_bounded, most) = (f[7] == 1, f[8]);
        if rest == 0 || (is_bounded && most < rest) || !(last.ends || (is_bounded && most == rest)) {
            return Err(format!("{rest} octets can leave again: {f:x?}, {last:x?}"));
        }
        if (f[1], f[2], f[4] == 1) != (segment.told[1], segment.told[2], segment.is_control) {
            return Err(format!("a segment that is another one than before: {f:x?}, {segment:x?}"));
        }
        let octets = self.piece(bench, f[2], rest);
        let skip = f[5] + octets <= q.acked || q.hole.is_some_and(|hole| f[5] + octets > hole);
        let ok = !skip && !self.shut[qp] && bench.rng().random_range(0..100) >= self.manners.refused;
        let [seq, phase, markers, crc] = [4, 5, 7, 8].map(|i| segment.told[i]);
        let told = [(1, ok.into()), (1, skip.into()), (32, seq), (9, phase), (16, octets), (1, markers)];
        let fields =
            [&told[..], &[(1, crc), (1, 0), (40, 0), (1, (octets == rest).into()), (1, q.is_cut.into())]]
                .concat();
        bench.put(self.grant, Item::new().with_bytes("item", &pack(&fields)));
        if ok {
            let mut told = segment.told.clone();
            (told[3], told[6], told[9]) = (1, octets, f[6]);
            self.granted[qp].push_back((segment.is_control, told, index));
            self.again.push((qp, f[5]));
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
