// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue pair ends while octets for it are on their way, and its number comes again: with the
//! answers of `qp_write` and `conn_remove` nothing of the first one is in the device any more, so
//! that its memory can have another use and the next owner of the number meets nothing of it
//! (design decision D5). Host B takes no posted write for a time, or its MAC no frame. Beside it a
//! second connection streams, so that no part of the pipeline is ever empty by chance.
use ferrowarp_abi::codec::{MrRow, QpRow, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, event_kind, qp_state};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, library, link, random_wire, same, Cq, Events, Message, Plan, Qp, RecvWork, SendWork, Traffic,
    Wire, RDMA_READ, RDMA_WRITE, SEND,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Queue pairs: the one that ends, the one of the stream beside it.
const QPS: [u16; 2] = [5, 9];
/// Completion queue of the queue pair that ends, at B.
const OWN_CQ: u16 = 6;
const LOG2: u8 = 6;
/// The receive buffer at B: its STag, its octets, and the octets that an application finds in it.
const STAG: STag = STag(21 << 8 | 0x31);
const OCTETS: usize = 8_192;
const FILL: u8 = 0xEE;
/// Octets of the Send that comes first, which is one segment.
const FIRST: usize = 1_400;
/// The region and the protection domain of the next owner.
const NEXT: STag = STag(22 << 8 | 0x32);
const NEXT_PD: u16 = 2;
/// Longest hold, cycles that a command may take behind it, and cycles behind the last answer.
const HOLD: u64 = 2_000;
const PATIENCE: u64 = 12_000;
const QUIET: u64 = 10_000;

/// What host B has of the queue pair that ends.
struct Old {
    cq: Cq,
    events: Events,
    buffer: u64,
    /// Source of what B sends.
    source: u64,
}

struct Scene {
    traffic: Traffic,
    rng: ChaCha8Rng,
    old: Old,
    /// Cycles until what is held goes on, and whether that is the MAC.
    held: Option<u64>,
    holds_mac: bool,
}

impl Scene {
    fn new(pair: &mut Pair, seed: u64) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let wires = [0, 1].map(|nth| random_wire(&mut rng, seed as u16, nth, false)).to_vec();
        // a write is in memory as soon as the bus has it, so that one that is late is seen
        let timing = MemoryTiming { write_ns: 0, shuffle: false, ..MemoryTiming::rough(clock_ps()) };
        let plan = Plan { wires, numbers: QPS.to_vec(), timing, longest: 3_000, budget: 60_000 };
        let mut traffic = Traffic::new(pair, plan)?;
        traffic.may_fail = Some(0);
        let (host, bench) = (&mut traffic.hosts[1], &mut pair.b);
        let cq = Cq::new(&mut host.nic, bench, OWN_CQ, LOG2);
        let events = Events::new(&mut host.nic, bench, LOG2, true);
        let pd = host.qps[0].row.pd;
        host.qps[0] = Qp::new(&mut host.nic, bench, QPS[0], pd, [&cq, &cq], LOG2);
        let buffer = host.nic.map(bench, OCTETS as u64, 0x28, true);
        let source = host.nic.map(bench, OCTETS as u64, 0x30, false);
        region(&mut traffic, pair, 1, buffer, STAG, pd);
        region(&mut traffic, pair, 1, source, STag(STAG.0 + 0x200), pd);
        traffic.reinsert(pair, 0);
        let old = Old { cq, events, buffer, source };
        let mut scene = Self { traffic, rng, old, held: None, holds_mac: false };
        scene.answered(pair, 0)?;
        scene.answered(pair, 1)?;
        let first = Message::random(&mut scene.rng, 16, SEND);
        scene.traffic.post(pair, 0, 1, first);
        scene.traffic.until_settled(pair, 20_000)?;
        Ok(scene)
    }

    /// One cycle: the stream beside, and the end of the hold.
    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        for from in 0..2 {
            if self.traffic.waiting(from, 1) < 3 {
                let octets = self.rng.random_range(1..3_000);
                let opcode = [SEND, RDMA_WRITE][self.rng.random_range(0..2)];
                let message = Message { is_signaled: true, ..Message::random(&mut self.rng, octets, opcode) };
                self.traffic.post(pair, from, 1, message);
            }
        }
        if let Some(left) = &mut self.held {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.held = None;
                self.hold(pair, false);
            }
        }
        self.traffic.step(pair);
        self.traffic.look(pair)
    }

    /// B's bus takes no posted write, or its MAC no frame.
    fn hold(&self, pair: &mut Pair, held: bool) {
        match self.holds_mac {
            true => pair.link.pause(Side::B, held),
            false => pair.b.hold_writes(self.traffic.hosts[1].nic.memory, held),
        }
    }

    fn stream(&mut self, pair: &mut Pair, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step(pair))
    }

    /// Cycles until host `at` has the answers of its commands.
    fn answered(&mut self, pair: &mut Pair, at: usize) -> Result<u64, String> {
        let start = pair.a.cycle();
        while !self.traffic.hosts[at].nic.settled(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())? {
            if pair.a.cycle() - start > HOLD + PATIENCE {
                return Err(format!("a command of host {at} is not answered after {PATIENCE} cycles"));
            }
            self.step(pair)?;
        }
        Ok(pair.a.cycle() - start)
    }

    fn command(&mut self, pair: &mut Pair, at: usize, opcode: u8, row: &[u8]) -> Result<(), String> {
        let bench = pair.side(Side::BOTH[at]);
        self.traffic.hosts[at].nic.command(bench, opcode, QPS[0], row);
        self.answered(pair, at).map(drop)
    }

    fn reset(&mut self, pair: &mut Pair, at: usize) -> Result<(), String> {
        let row = QpRow { state: qp_state::RESET, ..Default::default() };
        self.command(pair, at, admin_opcode::QP_WRITE, &row.octets().map_err(|e| e.to_string())?)
    }

    /// A posts a Send to the receive buffer and three Writes behind it; B sends as well, one of
    /// three ways.
    fn post(&mut self, pair: &mut Pair, way: u64) {
        let Old { buffer, source, .. } = self.old;
        let sge = |to: u64, octets: usize, key: STag| Sge {
            to: TaggedOffset(to),
            length: ByteCount(octets as u32),
            key,
        };
        let scatters = vec![sge(buffer, FIRST, STAG)];
        let far = &mut self.traffic.hosts[1];
        far.qps[0].post_recv(&far.nic, &mut pair.b, &RecvWork { wr_id: 1, scatters });
        far.qps[0].ring(&far.nic, &mut pair.b, false, true);
        let near = &mut self.traffic.hosts[0];
        let at = near.give(OCTETS, 0);
        for nth in 0..4_u64 {
            let to = if nth == 0 { 0 } else { FIRST as u64 + nth * 1_450 };
            let (remote_stag, remote_to) = (STAG, TaggedOffset(buffer + to));
            let opcode = if nth == 0 { SEND } else { RDMA_WRITE };
            let head = SendWqe { opcode, remote_stag, remote_to, ..Default::default() };
            let gathers = vec![near.sge(at, if nth == 0 { FIRST } else { 1_000 })];
            let work = SendWork { wr_id: nth, head, gathers, inline: None };
            near.qps[0].post_send(&near.nic, &mut pair.a, &work);
        }
        if way == 2 {
            let (remote_stag, remote_to) = (STAG, TaggedOffset(buffer));
            let head = SendWqe { opcode: RDMA_READ, remote_stag, remote_to, ..Default::default() };
            let gathers = vec![near.sge(at, 3_000)];
            let work = SendWork { wr_id: 9, head, gathers, inline: None };
            near.qps[0].post_send(&near.nic, &mut pair.a, &work);
        }
        near.qps[0].ring(&near.nic, &mut pair.a, true, false);
        let stag = near.stag();
        let place = near.give(OCTETS, 0);
        let far = &mut self.traffic.hosts[1];
        let remote_to = TaggedOffset(ferrowarp_tests::device::TO_BASE + place as u64);
        let head = |opcode| SendWqe {
            opcode,
            remote_stag: stag,
            remote_to,
            is_signaled: true,
            ..Default::default()
        };
        for nth in 0..4 {
            let (opcode, gather) = match way {
                0 => break,
                1 => (RDMA_WRITE, sge(source, 3_000, STag(STAG.0 + 0x200))),
                _ => (RDMA_READ, sge(buffer + 5_900, 2_000, STAG)),
            };
            let work = SendWork { wr_id: nth, head: head(opcode), gathers: vec![gather], inline: None };
            far.qps[0].post_send(&far.nic, &mut pair.b, &work);
        }
        if way != 0 {
            far.qps[0].ring(&far.nic, &mut pair.b, true, false);
        }
    }

    /// With the answer that ended its queue pair B takes all that it lent to it, and looks at the
    /// completions that are there.
    fn take(&mut self, pair: &mut Pair) -> Result<(), String> {
        let Old { buffer, source, cq, events } = &mut self.old;
        let host = &self.traffic.hosts[1];
        let memory = host.nic.memory;
        let row = host.qps[0].row;
        let b = pair.b.host(memory);
        b.write(*buffer, &[FILL; OCTETS]).map_err(|e| e.to_string())?;
        for base in [*source, row.sq_base, row.rq_base] {
            b.unmap(base).map_err(|e| e.to_string())?;
        }
        while cq.poll(&host.nic, &mut pair.b).is_some() {}
        while events.poll(&host.nic, &mut pair.b).is_some() {}
        Ok(())
    }

    /// Nothing came to B since; the buffer is as it was left.
    fn check(&mut self, pair: &mut Pair) -> Result<(), String> {
        let memory = self.traffic.hosts[1].nic.memory;
        let refused = pair.b.host(memory).take_refused();
        let told: Vec<_> = refused.iter().map(ToString::to_string).collect();
        let got = pair.b.host(memory).read(self.old.buffer, OCTETS as u64).map_err(|e| e.to_string())?;
        let changed = got.iter().position(|&o| o != FILL);
        let nic = &self.traffic.hosts[1].nic;
        let entries: Vec<_> = std::iter::from_fn(|| self.old.cq.poll(nic, &mut pair.b)).collect();
        let entries: Vec<_> = entries.iter().map(|c| (c.qp, c.wr_id, c.status, c.is_recv)).collect();
        let events: Vec<_> = std::iter::from_fn(|| self.old.events.poll(nic, &mut pair.b)).collect();
        let events: Vec<_> = events
            .iter()
            .filter(|e| e.number == QPS[0] && e.kind != event_kind::CQ_NOTIFY)
            .map(|e| (e.kind, e.error))
            .collect();
        same("B", "first octet that changed behind the answer", changed, None)?;
        same("B", "completions (QP, wr_id, status, is_recv) behind the answer", entries, vec![])?;
        same("B", "events (kind, error) of the number behind the answer", events, vec![])?;
        same("B", "accesses to memory that was taken away", told, vec![])
    }

    /// The next owner of the number at host `at`: a queue pair in another protection domain and its
    /// connection.
    fn renew(&mut self, pair: &mut Pair, at: usize, wire: &Wire) -> Result<(), String> {
        let (host, bench) = (&mut self.traffic.hosts[at], pair.side(Side::BOTH[at]));
        let cqs = match at {
            0 => [&host.cqs[0], &host.cqs[1]],
            _ => [&self.old.cq, &self.old.cq],
        };
        host.qps[0] = Qp::new(&mut host.nic, bench, QPS[0], NEXT_PD, cqs, LOG2);
        wire.insert(&mut host.nic, bench, at, QPS[0]);
        self.answered(pair, at).map(drop)
    }

    /// The next connection works: A's first Send comes.
    fn goes_on(&mut self, pair: &mut Pair, wire: &Wire) -> Result<(), String> {
        if self.rng.random() {
            self.command(pair, 0, admin_opcode::CONN_REMOVE, &[])?;
            self.reset(pair, 0)?;
        } else {
            self.reset(pair, 0)?;
            self.command(pair, 0, admin_opcode::CONN_REMOVE, &[])?;
        }
        self.renew(pair, 0, wire)?;
        let mut bases = [0; 2];
        for (at, base) in bases.iter_mut().enumerate() {
            let bench = pair.side(Side::BOTH[at]);
            *base = self.traffic.hosts[at].nic.map(bench, OCTETS as u64, 0x18, true);
            region(&mut self.traffic, pair, at, *base, NEXT, NEXT_PD);
            self.answered(pair, at)?;
        }
        let sge = |at: usize| Sge { to: TaggedOffset(bases[at]), length: ByteCount(700), key: NEXT };
        let far = &mut self.traffic.hosts[1];
        far.qps[0].post_recv(&far.nic, &mut pair.b, &RecvWork { wr_id: 77, scatters: vec![sge(1)] });
        far.qps[0].ring(&far.nic, &mut pair.b, false, true);
        let near = &mut self.traffic.hosts[0];
        let head = SendWqe { opcode: SEND, ..Default::default() };
        let work = SendWork { wr_id: 78, head, gathers: vec![sge(0)], inline: None };
        near.qps[0].post_send(&near.nic, &mut pair.a, &work);
        near.qps[0].ring(&near.nic, &mut pair.a, true, false);
        self.stream(pair, QUIET)?;
        let remote_to = TaggedOffset(bases[0]);
        let is_signaled = true;
        let head = SendWqe { opcode: RDMA_WRITE, remote_stag: NEXT, remote_to, is_signaled, ..head };
        let far = &mut self.traffic.hosts[1];
        let work = SendWork { wr_id: 79, head, gathers: vec![sge(1)], inline: None };
        far.qps[0].post_send(&far.nic, &mut pair.b, &work);
        far.qps[0].ring(&far.nic, &mut pair.b, true, false);
        self.stream(pair, QUIET)?;
        let nic = &self.traffic.hosts[1].nic;
        let got: Vec<_> = std::iter::from_fn(|| self.old.cq.poll(nic, &mut pair.b)).collect();
        let got: Vec<_> = got.iter().map(|c| (c.wr_id, c.status, c.byte_len.0)).collect();
        same(
            "B",
            "completions (wr_id, status, octets) of the next owner",
            got,
            vec![(77, 0, 700), (79, 0, 0)],
        )
    }
}

/// Registers `OCTETS` octets at host `at`.
fn region(traffic: &mut Traffic, pair: &mut Pair, at: usize, base: u64, stag: STag, pd: u16) {
    let row = MrRow {
        base,
        length: OCTETS as u64,
        to_base: TaggedOffset(base),
        pd,
        local_write: true,
        remote_read: true,
        remote_write: true,
        is_valid: true,
        key: stag.0 as u8,
        ..Default::default()
    };
    let row = row.octets().expect("fields fit");
    let bench = pair.side(Side::BOTH[at]);
    traffic.hosts[at].nic.command(bench, admin_opcode::MR_WRITE, (stag.0 >> 8) as u16, &row);
}

fn ended(pair: &mut Pair, seed: u64) -> Result<(), String> {
    let mut scene = Scene::new(pair, seed)?;
    let wire = random_wire(&mut scene.rng, seed as u16, 2, false);
    let before = scene.rng.random_range(0..3_000);
    scene.stream(pair, before)?;
    let some = scene.rng.random_range(0..HOLD);
    let hold = [some, HOLD, some / 8, 0][seed as usize / 6 % 4];
    let early = scene.rng.random_range(300..1_200);
    let late = scene.rng.random_range(0..400);
    scene.post(pair, seed / 2 % 3);
    scene.stream(pair, early)?;
    scene.holds_mac = seed / 2 % 3 == 1 && scene.rng.random();
    scene.hold(pair, true);
    scene.stream(pair, late)?;
    scene.held = Some(hold.max(1));
    if seed.is_multiple_of(2) {
        scene.reset(pair, 1)?;
        scene.take(pair)?;
        scene.command(pair, 1, admin_opcode::CONN_REMOVE, &[])?;
    } else {
        scene.command(pair, 1, admin_opcode::CONN_REMOVE, &[])?;
        scene.reset(pair, 1)?;
        scene.take(pair)?;
    }
    scene.renew(pair, 1, &wire)?;
    scene.stream(pair, QUIET)?;
    scene.check(pair)?;
    scene.goes_on(pair, &wire)
}

#[test]
fn a_number_that_comes_again_meets_nothing_of_the_queue_pair_before() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..600) {
        run_pair_on("ended", &library, link(), seed, |pair| ended(pair, seed));
    }
}
