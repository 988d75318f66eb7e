// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands around the send queue: memory regions, TCP, the fault block and who reads
//! completions.
use super::state::Segment;
use super::{Announced, Done, Fault, Rig, EMSS, QPS, RAW};
use crate::cited::MOST;
use crate::record::Record;
use ferrowarp_abi::consts::event_kind;
use ferrowarp_hdl::gen::Event;
use ferrowarp_hdl::record::{
    CqeItem, Fault as FaultRecord, Grant, MrAsk, MrSay, Quoted, Reserve, TxBack, TxFpdu,
};
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
        let ask = Record::<MrAsk>::of_item(item);
        let [stag, addr, length, pd] = ["stag", "addr", "length", "pd"].map(|field| ask.get(field));
        let (remote_read, local_write) = (ask.is("remote_read"), ask.is("local_write"));
        if self.qps[ask.get("qp") as usize].pd != pd {
            return Err(format!("a check of another domain: {ask:?}"));
        }
        if ask.is("remote_write") || (remote_read && local_write) {
            return Err(format!("a check of a peer that does not read, or the like: {ask:?}"));
        }
        let (error, iova) = match self.regions.iter().find(|r| u64::from(r.key) == stag) {
            None => (1, 0),
            Some(r) if r.pd != pd => (2, 0),
            Some(r) if (remote_read && !r.access.remote_read) || (local_write && !r.access.local_write) => {
                (3, 0)
            }
            Some(_) if length == 0 => (0, 0),
            Some(_) if addr.checked_add(length).is_none() => (4, 0),
            Some(r) => {
                let at = addr.wrapping_sub(r.to_base);
                (5 * u64::from(at > r.length || length > r.length - at), r.base.wrapping_add(at))
            }
        };
        let say = Record::<MrSay>::new().with("ok", error == 0).with("error", error).with("iova", iova);
        bench.put(self.say, say.item());
        Ok(())
    }

    /// TCP's answer.
    fn reserve(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let ask = Record::<Reserve>::of_item(item);
        let (length, kind, control) = (ask.get("length"), ask.get("kind"), ask.is("control"));
        let qp = ask.get("qp") as usize;
        if ask.is("replay") {
            return self.reserve_again(bench, &ask);
        }
        let most = [self.qps[qp].mulpdu, EMSS.min(1_024), 0][kind as usize];
        if length as usize > most {
            return Err(format!("a reservation of more than {most} octets: {ask:?}"));
        }
        let seq = bench.rng().random_range(0..1_u64 << 32);
        let mut crc = bench.rng().random_range(0..2_u64);
        // without a meaning if nothing was given back
        let elsewhere = bench.rng().random_range(0..128_u64);
        let from = ask.get("from");
        let q = &self.qps[qp];
        // modulo 512; of a rest whose begin was given back the place has no meaning
        let place = (q.phase + q.hole.filter(|_| control).unwrap_or(q.reserved)).wrapping_sub(from);
        // behind raw octets of any number words begin anywhere
        let (mut phase, mut has_markers) = ((place % 512) & !3, qp as u64 & 1);
        if let Some(before) = self.qps[qp].segments.last().filter(|s| !s.ends && self.qps[qp].hole.is_none())
        {
            let told = &before.told;
            [phase, has_markers, crc] = ["phase", "markers", "crc"].map(|field| told.get(field));
            let follows = told.get("from") + told.get("octets");
            if (follows, told.get("length"), told.get("kind")) != (from, length, kind) {
                return Err(format!("not what follows {before:x?}: {ask:?}"));
            }
        } else if from != 0 && !self.qps[qp].is_cut {
            return Err(format!("the rest of an FPDU that nobody cut: {ask:?}"));
        }
        let rest = match kind {
            0 => (2 + length).next_multiple_of(4) + 4 + has_markers * markers(length, phase) - from,
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
        let ends = octets == rest;
        let grant = Record::<Grant>::new().with("ok", ok).with("seq", seq).with("phase", phase);
        let grant = grant.with("octets", octets).with("markers", has_markers).with("crc", crc);
        let grant = grant.with("moved", hole.is_some()).with("at", hole.unwrap_or(elsewhere));
        bench.put(self.grant, grant.with("ends", ends).with("sure", q.is_cut).item());
        if ok {
            self.order.push(qp);
            let told = Record::<TxFpdu>::new().with("qp", qp).with("length", length).with("kind", kind);
            let told = told.with("seq", seq).with("phase", phase).with("octets", octets);
            let told = told.with("markers", has_markers).with("crc", crc).with("from", from);
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
        let back = Record::<TxBack>::of_item(item);
        let qp = back.get("qp") as usize;
        let Some((is_control, told, index)) = self.granted[qp].pop_front() else {
            return Err(format!("room that nobody granted: {back:?}"));
        };
        if is_control || ["seq", "replay"].iter().any(|field| told.get(field) != back.get(field)) {
            return Err(format!("room {back:?}, granted was {told:?}"));
        }
        let (q, is_again) = (&mut self.qps[qp], back.is("replay"));
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
        let told = Record::<TxFpdu>::of_item(item);
        let (qp, kind) = (told.get("qp") as usize, told.get("kind"));
        let Some((is_control, expected, index)) = self.granted[qp].pop_front() else {
            return Err(format!("an FPDU that nobody granted: {told:?}"));
        };
        if told != expected {
            return Err(format!("FPDU {told:?}, granted was {expected:?}"));
        }
        let q = &mut self.qps[qp];
        let (is_raw, is_again) = (kind == 1, told.is("replay"));
        if is_again {
            self.left_again += 1;
            let end = q.offset;
            if kind != 2 {
                self.announced.push_back(Announced { qp, end, is_raw, is_control, index, is_again });
            }
            return Ok(());
        }
        if q.stream.finished {
            return Err(format!("queue pair {qp}: a segment behind the end of the stream, {told:?}"));
        }
        q.offset += told.get("octets");
        q.ends.push(q.offset);
        if kind == 2 {
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
        if q.segments[told.index].told.is("from") {
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
        let cqe = Record::<CqeItem>::of_item(item);
        let [cq, opcode, byte_len] = ["cq", "opcode", "byte_len"].map(|field| cqe.get(field));
        let qp = cqe.get("qp") as usize;
        let done = Done { qp, cq, wr_id: self.qps[qp].named(cqe.get("index"))?, opcode, byte_len };
        let rest = ["status", "invalidated_stag", "error", "is_recv", "is_solicited", "has_invalidate"];
        if rest.iter().any(|field| cqe.is(field)) || !cqe.is("has_wr") {
            return Err(format!("a send completion with status or flags: {cqe:?}"));
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
        let event = Record::<Event>::of_item(item);
        let qp = event.get("number") as usize;
        let q = &mut self.qps[qp];
        if event.get("kind") != u64::from(event_kind::FIN_ACKED) || event.is("error") || event.is("info") {
            return Err(format!("an event of another kind: {event:?}"));
        }
        if !q.stream.finished || q.acked != q.offset || std::mem::replace(&mut q.fin_told, true) {
            return Err(format!("queue pair {qp}: fin_acked, but {q:x?}"));
        }
        Ok(())
    }

    /// The fault block's part: the queue pair is dead from now on.
    fn blame(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let fault = Record::<FaultRecord>::of_item(item);
        let qp = fault.get("qp") as usize;
        let wr_id = fault.is("has_wr").then(|| self.qps[qp].named(fault.get("index"))).transpose()?;
        let (error, status) = (fault.get("error"), fault.get("status"));
        self.faults.push(Fault { qp, error, status, wr_id, is_local: fault.is("is_local") });
        let quote = Record::<Quoted>::of_field(item, "quote");
        if quote.is("is_there") && quote.is("is_terminate") {
            return Err("the send queue quotes a Terminate".to_string());
        }
        self.quotes.push(quote.is("is_there").then(|| (quote.get("length"), vec![])));
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
