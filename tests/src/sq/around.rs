// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands around the send queue: memory regions, TCP, the fault block and who reads
//! completions.
use super::records::{pack, quoted, unpack};
use super::replay::Segment;
use super::{Announced, Done, Fault, Rig, EMSS, QPS, RAW};
use crate::cited::MOST;
use ferrowarp_abi::consts::event_kind;
use ferrowarp_sim::{Bench, Frame, Item};
use rand::Rng;

impl Rig {
    /// What stands around the stage, once a cycle.
    pub(super) fn neighbours(&mut self, bench: &mut Bench) -> Result<(), String> {
        if bench.cycle() < self.looked {
            return Ok(());
        }
        self.looked = bench.cycle() + 1;
        self.bad_doorbells += bench.get("sq_bad_db");
        self.slot_words(bench);
        for item in bench.taken(self.ask) {
            self.check(bench, &item)?;
        }
        for item in bench.taken(self.back) {
            self.give_back(&item)?;
        }
        for item in bench.taken(self.res) {
            self.reserve(bench, &item)?;
        }
        self.reads(bench)?;
        for item in bench.taken(self.fpdu) {
            self.announce(&item)?;
        }
        self.frames.extend(bench.received(self.tx));
        while !self.announced.is_empty() && !self.frames.is_empty() {
            let (Some(told), Some(frame)) = (self.announced.pop_front(), self.frames.pop_front()) else {
                break;
            };
            self.arrive(told, frame)?;
        }
        for item in bench.taken(self.done) {
            self.complete(&item)?;
        }
        for item in bench.taken(self.event) {
            self.ended(&item)?;
        }
        for item in bench.taken(self.fault) {
            self.blame(bench, &item)?;
        }
        self.cited.pump(bench)?;
        let unread = self.quotes.iter_mut().flatten().filter(|(_, octets)| octets.is_empty());
        for (_, octets) in unread {
            let Some(mut words) = self.cited.take() else { break };
            words.resize(MOST, 0);
            *octets = words;
        }
        bench.set("sq_wake_valid", 0);
        if self.wakes.front().is_some_and(|w| w.0 <= bench.cycle()) {
            if let Some((_, qp)) = self.wakes.pop_front() {
                bench.set("sq_wake_qp", qp as u64);
                bench.set("sq_wake_valid", 1);
            }
        }
        bench.set("sq_una_valid", 0);
        if self.manners.acks && bench.rng().random_range(0..8) == 0 {
            self.acknowledge_some(bench);
        }
        Ok(())
    }

    /// The admin port's RAM: words of the slot of the command under way, each a cycle after it was
    /// asked for.
    fn slot_words(&mut self, bench: &mut Bench) {
        if let Some(slot) = self.ctl_slots.front() {
            bench.set_bytes("sq_cmd_word", &slot[8 * self.ctl_at..][..8]);
        }
        self.ctl_at = bench.get("sq_cmd_at") as usize;
        if bench.get("sq_ctl_ready") == 1 {
            self.ctl_slots.pop_front();
        }
    }

    /// The memory regions' answer: the first of STag, domain, access, wrap and bounds that is
    /// wrong.
    fn check(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[32, 64, 32, 8, 16, 1, 1, 1])?;
        if self.qps[f[3] as usize].pd != f[4] {
            return Err(format!("a check of another domain: {f:x?}"));
        }
        if f[5] != 0 || (f[6] == 1 && f[7] == 1) {
            return Err(format!("a check of a peer that does not read, or the like: {f:x?}"));
        }
        let (error, iova) = match self.regions.iter().find(|r| u64::from(r.key) == f[0]) {
            None => (1, 0),
            Some(r) if r.pd != f[4] => (2, 0),
            Some(r) if (f[6] == 1 && !r.access.remote_read) || (f[7] == 1 && !r.access.local_write) => (3, 0),
            Some(_) if f[2] == 0 => (0, 0),
            Some(_) if f[1].checked_add(f[2]).is_none() => (4, 0),
            Some(r) => {
                let at = f[1].wrapping_sub(r.to_base);
                (5 * u64::from(at > r.length || f[2] > r.length - at), r.base.wrapping_add(at))
            }
        };
        let fields = [(1, (error == 0).into()), (3, error), (64, iova)];
        bench.put(self.say, Item::new().with_bytes("item", &pack(&fields)));
        Ok(())
    }

    /// TCP's answer.
    fn reserve(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 16, 2, 1, 1, 40, 16, 1, 16])?;
        let (qp, length, kind, control) = (f[0] as usize, f[1], f[2], f[4] == 1);
        if f[3] == 1 {
            return self.reserve_again(bench, &f);
        }
        let most = [self.qps[qp].mulpdu, EMSS.min(1_024), 0][kind as usize];
        if length as usize > most {
            return Err(format!("a reservation of more than {most} octets: {f:x?}"));
        }
        let seq = bench.rng().random_range(0..1_u64 << 32);
        let crc = bench.rng().random_range(0..2_u64);
        // without a meaning if nothing was given back
        let elsewhere = bench.rng().random_range(0..128_u64);
        let from = f[6];
        let q = &self.qps[qp];
        let place = q.phase + q.hole.filter(|_| control).unwrap_or(q.reserved) - from;
        // behind raw octets of any number words begin anywhere
        let (mut phase, mut flags) = ((place % 512) & !3, crc << 1 | qp as u64 & 1);
        if let Some(before) = self.qps[qp].segments.last().filter(|s| !s.ends && self.qps[qp].hole.is_none())
        {
            (phase, flags) = (before.told[5], before.told[7] | before.told[8] << 1);
            if (before.told[9] + before.told[6], before.told[1], before.told[2]) != (from, length, kind) {
                return Err(format!("not what follows {before:x?}: {f:x?}"));
            }
        } else if from != 0 && !self.qps[qp].is_cut {
            return Err(format!("the rest of an FPDU that nobody cut: {f:x?}"));
        }
        let rest = match kind {
            0 => (2 + length).next_multiple_of(4) + 4 + (flags & 1) * markers(length, phase) - from,
            1 => length,
            _ => 1,
        };
        let octets = self.piece(bench, kind, rest);
        let passes = control || ((from > 0 || self.dead >> qp & 1 == 0) && !self.qps[qp].is_cut);
        let ok = passes && !self.closed[qp] && bench.rng().random_range(0..100) >= self.manners.refused;
        let q = &mut self.qps[qp];
        let hole = q.hole.take_if(|_| ok && control);
        if let Some(hole) = hole {
            q.segments.retain(|s| s.from < hole);
            q.ends.retain(|end| *end <= hole);
            (q.reserved, q.offset) = (hole, hole);
        }
        let told = [(1, ok.into()), (1, 0), (32, seq), (9, phase), (16, octets), (1, flags & 1)];
        let ends = octets == rest;
        let fields = [
            &told[..],
            &[(1, flags >> 1), (1, hole.is_some().into()), (40, hole.unwrap_or(elsewhere)), (1, ends.into())],
            &[(1, q.is_cut.into())],
        ]
        .concat();
        bench.put(self.grant, Item::new().with_bytes("item", &pack(&fields)));
        if ok {
            self.order.push(qp);
            let told = vec![qp as u64, length, kind, 0, seq, phase, octets, flags & 1, flags >> 1, from];
            let q = &mut self.qps[qp];
            let (from, frame) = (q.reserved, None);
            q.reserved += octets;
            let index = q.segments.len();
            q.segments.push(Segment { from, told: told.clone(), is_control: control, frame, ends });
            self.granted[qp].push_back((control, told, index));
            return Ok(());
        }
        self.refusals += 1;
        self.refused[qp] = true;
        if !self.closed[qp] {
            self.open(bench, qp);
        }
        Ok(())
    }

    /// How much of the rest of an FPDU one segment gets.
    pub(super) fn piece(&self, bench: &mut Bench, kind: u64, rest: u64) -> u64 {
        if kind != 0 || bench.rng().random_range(0..100) >= self.manners.cut {
            return rest;
        }
        bench.rng().random_range(1..=rest)
    }

    /// There is room again; who was refused is told, soon.
    pub fn open(&mut self, bench: &mut Bench, qp: usize) {
        self.closed[qp] = false;
        if std::mem::take(&mut self.refused[qp]) {
            let at = self.wakes.back().map_or(0, |w| w.0).max(bench.cycle());
            let at = at + bench.rng().random_range(0..60);
            self.wakes.push_back((at, qp));
        }
    }

    /// Room of a segment that never leaves: the oldest one that was granted and not announced.
    fn give_back(&mut self, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 32, 1])?;
        let qp = f[0] as usize;
        let Some((is_control, told, index)) = self.granted[qp].pop_front() else {
            return Err(format!("room that nobody granted: {f:x?}"));
        };
        if is_control || [told[4], told[3]] != [f[1], f[2]] {
            return Err(format!("room {f:x?}, granted was {told:x?}"));
        }
        let (q, is_again) = (&mut self.qps[qp], f[2] == 1);
        q.is_cut = true;
        if !is_again {
            let from = q.segments[index].from;
            q.hole.get_or_insert(from);
            q.reserved = q.reserved.min(from);
        }
        self.unsent.push((qp, is_again));
        Ok(())
    }

    /// What MPA and TCP are told of an FPDU.
    fn announce(&mut self, item: &Item) -> Result<(), String> {
        let told = unpack(item, &[8, 16, 2, 1, 32, 9, 16, 1, 1, 16])?;
        let qp = told[0] as usize;
        let Some((is_control, expected, index)) = self.granted[qp].pop_front() else {
            return Err(format!("an FPDU that nobody granted: {told:x?}"));
        };
        if told != expected {
            return Err(format!("FPDU {told:x?}, granted was {expected:x?}"));
        }
        let q = &mut self.qps[qp];
        let (is_raw, is_again) = (told[2] == 1, told[3] == 1);
        if is_again {
            self.left_again += 1;
            let end = q.offset;
            if told[2] != 2 {
                self.announced.push_back(Announced { qp, end, is_raw, is_control, index, is_again });
            }
            return Ok(());
        }
        if q.stream.finished {
            return Err(format!("queue pair {qp}: a segment behind the end of the stream, {told:x?}"));
        }
        q.offset += told[6];
        q.ends.push(q.offset);
        if told[2] == 2 {
            return q.stream.end(is_control);
        }
        let end = q.offset;
        self.announced.push_back(Announced { qp, end, is_raw, is_control, index, is_again });
        Ok(())
    }

    /// A ULPDU with its item.
    fn arrive(&mut self, told: Announced, frame: Frame) -> Result<(), String> {
        let qp = told.qp;
        if told.is_again {
            return self.arrive_again(told, frame);
        }
        if frame.err {
            return Err(format!("queue pair {qp}: a frame with `err`, {frame}"));
        }
        let q = &mut self.qps[qp];
        let ends = q.segments[told.index].ends;
        let opcode = if told.is_raw { RAW } else { frame.data[1] & 0x0F };
        if q.segments[told.index].told[9] != 0 {
            if q.segments[told.index - 1].frame.as_ref() != Some(&frame.data) {
                return Err(format!("queue pair {qp}, {told:?}: the rest of another FPDU, {frame}"));
            }
            q.is_over(opcode, ends.then_some(told.end));
            q.segments[told.index].frame = Some(frame.data);
            return Ok(());
        }
        if told.is_control != (opcode == 7) {
            return Err(format!("queue pair {qp}, {told:?}: {frame}"));
        }
        q.stream.boundary(opcode, told.is_raw || frame.data[0] & 0x40 != 0)?;
        let due = match opcode {
            2 => &mut q.stream.responses,
            7 => &mut q.stream.terminates,
            _ => &mut q.expected,
        };
        let Some(expected) = due.pop_front() else {
            return Err(format!("queue pair {qp} sent one ULPDU too many: {frame}"));
        };
        if frame.data != expected {
            let at = frame.data.iter().zip(&expected).position(|(a, b)| a != b);
            let expected = Frame::good(expected);
            return Err(format!(
                "queue pair {qp}, first difference {at:?}:\n  {frame}\n  expected {expected}"
            ));
        }
        q.is_over(opcode, ends.then_some(told.end));
        if opcode == 1 {
            q.stream.asked()?;
        }
        q.segments[told.index].frame = Some(frame.data.clone());
        self.sent.push(frame.data);
        Ok(())
    }

    fn complete(&mut self, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[16, 32, 32, 16, 8, 8, 32, 16, 1, 1, 1, 1])?;
        let qp = f[3] as usize;
        let wr_id = self.qps[qp].named(f[1])?;
        let done = Done { qp, cq: f[0], wr_id, opcode: f[5], byte_len: f[2] };
        let rest = [f[4], f[6], f[7], f[8], f[9], f[10], f[11]];
        if rest != [0, 0, 0, 0, 0, 0, 1] {
            return Err(format!("a send completion with status or flags: {f:x?}"));
        }
        let q = &mut self.qps[done.qp];
        match q.completions.pop_front() {
            Some((ulpdus, reads, expected)) if expected == done => {
                if ulpdus > 0 && q.wqe_ends.get(ulpdus - 1).is_none_or(|end| *end > q.acked) {
                    return Err(format!("{done:x?} before its octets were acknowledged"));
                }
                if q.stream.done < reads {
                    return Err(format!("{done:x?} before {reads} Reads were done"));
                }
            }
            other => return Err(format!("{done:x?} came, {other:x?} was due")),
        }
        self.dones.push(done);
        Ok(())
    }

    /// The end of a stream is acknowledged.
    fn ended(&mut self, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 16, 16, 32, 1])?;
        let qp = f[1] as usize;
        let q = &mut self.qps[qp];
        if f[0] != u64::from(event_kind::FIN_ACKED) || (f[2], f[3]) != (0, 0) {
            return Err(format!("an event of another kind: {f:x?}"));
        }
        if !q.stream.finished || q.acked != q.offset || std::mem::replace(&mut q.fin_told, true) {
            return Err(format!("queue pair {qp}: fin_acked, but {q:x?}"));
        }
        Ok(())
    }

    /// The fault block's part: the queue pair is dead from now on.
    fn blame(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 16, 8, 1, 32, 1])?;
        let qp = f[0] as usize;
        let wr_id = (f[5] == 1).then(|| self.qps[qp].named(f[4])).transpose()?;
        let is_local = f[3] == 1;
        self.faults.push(Fault { qp, error: f[1], status: f[2], wr_id, is_local });
        self.quotes.push(quoted(item)?.map(|length| (length, vec![])));
        self.dead |= 1 << qp;
        bench.set("sq_dead", self.dead);
        Ok(())
    }

    /// Acknowledges up to some octet that has been sent.
    fn acknowledge_some(&mut self, bench: &mut Bench) {
        let qp = bench.rng().random_range(0..QPS);
        let q = &self.qps[qp];
        let pending = self.announced.iter().filter(|a| a.qp == qp && !a.is_again);
        let arrived = pending.map(|a| q.segments[a.index].from).min();
        let end = arrived.unwrap_or(q.offset);
        let end = q.hole.map_or(end, |hole| end.min(hole));
        if end == q.acked {
            return;
        }
        let offset = if bench.rng().random() { end } else { bench.rng().random_range(q.acked..=end) };
        self.pulse_una(bench, qp, offset);
    }
}

/// Octets of the markers of an FPDU that begins so far behind SeqStart: one stands at each multiple
/// of 512 octets, in front of a word.
fn markers(length: u64, phase: u64) -> u64 {
    let words = (length + 2).div_ceil(4) + 1;
    let mut at = phase;
    for _ in 0..words {
        at += if at.is_multiple_of(512) { 8 } else { 4 };
    }
    at - phase - 4 * words
}
