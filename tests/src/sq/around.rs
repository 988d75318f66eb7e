//! What stands around the send queue: memory regions, TCP, the fault block and who reads completions.
use super::records::{pack, unpack};
use super::{Done, Fault, Rig, QPS};
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
        for item in bench.taken(self.ask) {
            self.check(bench, &item)?;
        }
        for item in bench.taken(self.res) {
            self.reserve(bench, &item)?;
        }
        for item in bench.taken(self.fpdu) {
            self.announce(&item)?;
        }
        self.frames.extend(bench.received(self.tx));
        while !self.announced.is_empty() && !self.frames.is_empty() {
            let (Some(qp), Some(frame)) = (self.announced.pop_front(), self.frames.pop_front()) else {
                break;
            };
            self.arrive(qp, frame)?;
        }
        for item in bench.taken(self.done) {
            self.complete(&item)?;
        }
        for item in bench.taken(self.fault) {
            self.blame(bench, &item)?;
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

    /// The memory regions' answer.
    fn check(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[32, 64, 32, 8, 16, 1, 1, 1, 1])?;
        if f[5..9] != [0; 4] || self.qps[f[3] as usize].pd != f[4] {
            return Err(format!("a check with need, or of another domain: {f:x?}"));
        }
        let good = self.regions.iter().any(|r| {
            u64::from(r.key) == f[0]
                && r.pd == f[4]
                && (f[2] == 0 || (f[1] >= r.base && f[1] - r.base + f[2] <= r.length))
        });
        let error = if good { 0 } else { 5 };
        bench.put(
            self.say,
            Item::new().with_bytes("item", &pack(&[(1, good.into()), (3, error), (64, f[1])])),
        );
        Ok(())
    }

    /// TCP's answer.
    fn reserve(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 16, 2, 1, 1, 48])?;
        let (qp, length) = (f[0] as usize, f[1]);
        if f[2..5] != [0; 3] {
            return Err(format!("a reservation that is not for a new FPDU: {f:x?}"));
        }
        if length as usize > self.qps[qp].mulpdu {
            return Err(format!("{length} octets for a MULPDU of {}", self.qps[qp].mulpdu));
        }
        let seq = bench.rng().random_range(0..1_u64 << 32);
        let (phase, flags) = (4 * bench.rng().random_range(0..128_u64), bench.rng().random_range(0..4_u64));
        let total = (2 + length).next_multiple_of(4) + 4 + 4 * (flags & 1);
        let ok = !self.closed[qp] && bench.rng().random_range(0..100) >= self.manners.refused;
        let fields =
            [(1, ok.into()), (1, 0), (32, seq), (9, phase), (16, total), (1, flags & 1), (1, flags >> 1)];
        bench.put(self.grant, Item::new().with_bytes("item", &pack(&fields)));
        if ok {
            self.order.push(qp);
            let told = vec![qp as u64, length, 0, 0, seq, phase, total, flags & 1, flags >> 1];
            self.granted.push_back((qp, told));
            return Ok(());
        }
        self.refusals += 1;
        self.refused[qp] = true;
        if !self.closed[qp] {
            self.open(bench, qp);
        }
        Ok(())
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

    /// What MPA and TCP are told of an FPDU.
    fn announce(&mut self, item: &Item) -> Result<(), String> {
        let told = unpack(item, &[8, 16, 2, 1, 32, 9, 16, 1, 1])?;
        let Some((qp, expected)) = self.granted.pop_front() else {
            return Err(format!("an FPDU that nobody granted: {told:x?}"));
        };
        if told != expected {
            return Err(format!("FPDU {told:x?}, granted was {expected:x?}"));
        }
        self.announced.push_back(qp);
        self.qps[qp].offset += told[6];
        let offset = self.qps[qp].offset;
        self.qps[qp].ends.push(offset);
        Ok(())
    }

    /// A ULPDU with its item.
    fn arrive(&mut self, qp: usize, frame: Frame) -> Result<(), String> {
        if frame.err {
            self.spoilt.push((qp, frame));
            return Ok(());
        }
        let Some(expected) = self.qps[qp].expected.pop_front() else {
            return Err(format!("queue pair {qp} sent one ULPDU too many: {frame}"));
        };
        if frame.data != expected {
            let at = frame.data.iter().zip(&expected).position(|(a, b)| a != b);
            let expected = Frame::good(expected);
            return Err(format!(
                "queue pair {qp}, first difference {at:?}:\n  {frame}\n  expected {expected}"
            ));
        }
        self.sent.push(frame.data);
        Ok(())
    }

    fn complete(&mut self, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[16, 64, 32, 16, 8, 8, 32, 16, 1, 1, 1, 1])?;
        let done = Done { qp: f[3] as usize, cq: f[0], wr_id: f[1], opcode: f[5] };
        let rest = [f[2], f[4], f[6], f[7], f[8], f[9], f[10], f[11]];
        if rest != [0, 0, 0, 0, 0, 0, 0, 1] {
            return Err(format!("a send completion with length, status or flags: {f:x?}"));
        }
        let q = &mut self.qps[done.qp];
        match q.completions.pop_front() {
            Some((ulpdus, expected)) if expected == done => {
                if q.ends.get(ulpdus - 1).is_none_or(|end| *end > q.acked) {
                    return Err(format!("{done:x?} before its octets were acknowledged"));
                }
            }
            other => return Err(format!("{done:x?} came, {other:x?} was due")),
        }
        self.dones.push(done);
        Ok(())
    }

    /// The fault block's part: the queue pair is dead from now on.
    fn blame(&mut self, bench: &mut Bench, item: &Item) -> Result<(), String> {
        let f = unpack(item, &[8, 16, 8, 1, 64, 1])?;
        if f[3] != 1 {
            return Err(format!("a fault of a peer: {f:x?}"));
        }
        let qp = f[0] as usize;
        self.faults.push(Fault { qp, error: f[1], status: f[2], wr_id: (f[5] == 1).then_some(f[4]) });
        self.dead |= 1 << qp;
        bench.set("sq_dead", self.dead);
        Ok(())
    }

    /// Acknowledges up to some octet that has been sent.
    fn acknowledge_some(&mut self, bench: &mut Bench) {
        let qp = bench.rng().random_range(0..QPS);
        let pending = self.announced.iter().filter(|q| **q == qp).count();
        let q = &self.qps[qp];
        let arrived = q.ends.len() - pending;
        if arrived == 0 || q.ends[arrived - 1] == q.acked {
            return;
        }
        let end = q.ends[arrived - 1];
        let offset = if bench.rng().random() { end } else { bench.rng().random_range(q.acked..=end) };
        self.pulse_una(bench, qp, offset);
    }
}
