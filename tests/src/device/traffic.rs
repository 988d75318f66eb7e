// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random messages between two hosts, and what must come of them.
use super::host::TO_BASE;
use super::message::{random_size, Message, Part, RDMA_READ, RDMA_WRITE, SEND, SEND_SOLICITED};
use super::ticks::{FIRST_RTO_MIN, TICK};
use super::{Done, Host, RecvWork, SendWork, Wire};
use ferrowarp_abi::codec::{Cqe, SendWqe, Sge};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::TaggedOffset;
use ferrowarp_sim::{Bench, MemoryTiming, Pair, Side};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Octets of the DDP headers.
const TAGGED: usize = 14;
const UNTAGGED: usize = 18;

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The connections, each with a queue pair of the same number at both ends.
    pub wires: Vec<Wire>,
    /// Queue pair numbers.
    pub numbers: Vec<u16>,
    /// Timing of both memories.
    pub timing: MemoryTiming,
    /// Most octets of a message.
    pub longest: usize,
    /// Octets of payload in each direction that the run stops at.
    pub budget: usize,
}

/// A completion that must come.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owed {
    wr_id: u64,
    opcode: u8,
    byte_len: u32,
    solicited: bool,
}

/// One direction of one connection.
#[derive(Default)]
struct Flow {
    sends: VecDeque<Owed>,
    receives: VecDeque<Owed>,
    /// FPDUs that its messages make.
    fpdus: u64,
}

/// Two hosts with traffic between them.
pub struct Traffic {
    /// The hosts, A first.
    pub hosts: [Host; 2],
    plan: Plan,
    /// By sender, then connection.
    flows: [Vec<Flow>; 2],
    next_id: u64,
    /// The connection that may fail, if one may: its completions with an error are kept in
    /// `failed`.
    pub may_fail: Option<usize>,
    /// Completions with an error: host, whether of the receives' queue, entry.
    pub failed: Vec<(usize, bool, Done)>,
}

impl Traffic {
    /// Sets both devices up and waits until every command was answered.
    pub fn new(pair: &mut Pair, plan: Plan) -> Result<Self, String> {
        pair.join("tx", "rx");
        let region = 3 * plan.budget + 40 * plan.longest + 100_000;
        let host = |bench: &mut Bench| {
            bench.set("ack_delay", 1);
            bench.set("tick_use_pin", 1);
            // the wait of a connection's first octets; a case that wants timers sets what counts
            // from then on
            bench.set("rto_min", FIRST_RTO_MIN);
            bench.set("recovery", 15);
            Host::new(bench, plan.timing, &plan.numbers, region)
        };
        let mut hosts = [host(&mut pair.a), host(&mut pair.b)];
        for (wire, &number) in plan.wires.iter().zip(&plan.numbers) {
            for (at, host) in hosts.iter_mut().enumerate() {
                wire.insert(&mut host.nic, pair.side(Side::BOTH[at]), at, number);
            }
        }
        let mut done = [Ok(false), Ok(false)];
        pair.run_until(50_000, |p| {
            for (at, host) in hosts.iter_mut().enumerate() {
                if matches!(done[at], Ok(false)) {
                    done[at] = host.nic.settled(p.side(Side::BOTH[at]));
                }
            }
            done.iter().all(|d| !matches!(d, Ok(false)))
        })?;
        for answer in done {
            answer.map_err(|e| e.to_string())?;
        }
        pair.a.set("rto_min", 0);
        pair.b.set("rto_min", 0);
        let flows = [(); 2].map(|()| plan.wires.iter().map(|_| Flow::default()).collect());
        Ok(Self { hosts, plan, flows, next_id: 1, may_fail: None, failed: vec![] })
    }

    /// Begins connection `nth` anew at both hosts, from its SeqStarts on; nothing of it may be
    /// under way.
    pub fn reinsert(&mut self, pair: &mut Pair, nth: usize) {
        let (wire, qp) = (self.plan.wires[nth], self.plan.numbers[nth]);
        for (at, host) in self.hosts.iter_mut().enumerate() {
            let bench = pair.side(Side::BOTH[at]);
            host.nic.command(bench, admin_opcode::CONN_REMOVE, qp, &[]);
            wire.insert(&mut host.nic, bench, at, qp);
        }
    }

    /// Another connection of the number of connection `nth`, with queue pairs of its own; that one
    /// was taken out and owes nothing.
    pub fn renew(&mut self, pair: &mut Pair, nth: usize, wire: Wire) {
        for (at, host) in self.hosts.iter_mut().enumerate() {
            let bench = pair.side(Side::BOTH[at]);
            host.afresh(bench, nth);
            wire.insert(&mut host.nic, bench, at, self.plan.numbers[nth]);
        }
        self.plan.wires[nth] = wire;
    }

    /// What the run is made of.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// FPDUs that the messages so far make.
    pub fn fpdus(&self) -> u64 {
        self.flows.iter().flatten().map(|f| f.fpdus).sum()
    }

    /// Posts one message from host `from` on connection `nth`: a Write, or a Send with its receive.
    /// Doorbells are rung.
    pub fn post(&mut self, pair: &mut Pair, from: usize, nth: usize, message: Message) {
        let Message { opcode, payload, inline, gathers, scatters, is_signaled } = message;
        let octets = payload.len();
        let wr_id = self.next_id;
        self.next_id += 1;
        let [near, far] = pick(&mut self.hosts, from);

        // where the payload comes from
        let bench = pair.side(Side::BOTH[from]);
        let mut rest = &payload[..];
        let mut sges: Vec<Sge> = vec![];
        for Part { gap, octets } in gathers {
            let at = near.give(octets, gap);
            let (part, behind) = rest.split_at(octets);
            near.expected[at..at + octets].copy_from_slice(part);
            bench.host(near.nic.memory).write(near.base + at as u64, part).expect("in the region");
            sges.push(near.sge(at, octets));
            rest = behind;
        }

        // where it goes
        let flow = &mut self.flows[from][nth];
        let mut head = SendWqe { opcode, is_signaled, ..Default::default() };
        let far_bench = pair.side(Side::BOTH[1 - from]);
        let mut rest = &payload[..];
        let mut places: Vec<Sge> = vec![];
        for Part { gap, octets } in scatters {
            let at = far.give(octets, gap);
            let (part, behind) = rest.split_at(octets.min(rest.len()));
            far.expected[at..at + part.len()].copy_from_slice(part);
            places.push(far.sge(at, octets));
            if opcode == RDMA_WRITE {
                head.remote_stag = far.stag();
                head.remote_to = TaggedOffset(TO_BASE + at as u64);
            }
            rest = behind;
        }
        if opcode != RDMA_WRITE {
            far.qps[nth].post_recv(&far.nic, far_bench, &RecvWork { wr_id, scatters: places });
            far.qps[nth].ring(&far.nic, far_bench, false, true);
            let solicited = opcode == SEND_SOLICITED;
            flow.receives.push_back(Owed { wr_id, opcode, byte_len: octets as u32, solicited });
        }
        if is_signaled {
            flow.sends.push_back(Owed { wr_id, opcode, byte_len: 0, solicited: false });
        }
        let header = if opcode == RDMA_WRITE { TAGGED } else { UNTAGGED };
        let room = usize::from(self.plan.wires[nth].mulpdu(from)) - header;
        flow.fpdus += octets.div_ceil(room).max(1) as u64;
        let bench = pair.side(Side::BOTH[from]);
        let work = SendWork { wr_id, head, gathers: sges, inline: inline.then_some(payload) };
        near.qps[nth].post_send(&near.nic, bench, &work);
        near.qps[nth].ring(&near.nic, bench, true, false);
    }

    /// Posts an RDMA Read by host `from` on connection `nth`: the peer's region has the payload
    /// behind `gaps[0]` unused octets, its place in the reader's region comes behind `gaps[1]`. The
    /// doorbell is rung.
    pub fn post_read(&mut self, pair: &mut Pair, from: usize, nth: usize, payload: &[u8], gaps: [usize; 2]) {
        let (wr_id, octets) = (self.next_id, payload.len());
        self.next_id += 1;
        let [near, far] = pick(&mut self.hosts, from);
        let source = far.give(octets, gaps[0]);
        far.expected[source..source + octets].copy_from_slice(payload);
        let far_bench = pair.side(Side::BOTH[1 - from]);
        far_bench.host(far.nic.memory).write(far.base + source as u64, payload).expect("in the region");
        let sink = near.give(octets, gaps[1]);
        near.expected[sink..sink + octets].copy_from_slice(payload);
        let head = SendWqe {
            opcode: RDMA_READ,
            is_signaled: true,
            remote_stag: far.stag(),
            remote_to: TaggedOffset(TO_BASE + source as u64),
            ..Default::default()
        };
        let work = SendWork { wr_id, head, gathers: vec![near.sge(sink, octets)], inline: None };
        self.flows[from][nth].sends.push_back(Owed {
            wr_id,
            opcode: RDMA_READ,
            byte_len: octets as u32,
            solicited: false,
        });
        let bench = pair.side(Side::BOTH[from]);
        near.qps[nth].post_send(&near.nic, bench, &work);
        near.qps[nth].ring(&near.nic, bench, true, false);
        // the Request, and what answers it
        let room = usize::from(self.plan.wires[nth].mulpdu(1 - from)) - TAGGED;
        self.flows[from][nth].fpdus += 1 + octets.div_ceil(room).max(1) as u64;
    }

    /// Takes the completions that are there and compares each with the one owed.
    pub fn look(&mut self, pair: &mut Pair) -> Result<(), String> {
        for at in 0..2 {
            let [sent, received] = self.hosts[at].poll(pair.side(Side::BOTH[at]));
            for cqe in sent {
                let nth = self.nth(&cqe)?;
                if !self.put_aside(at, false, nth, &cqe) {
                    owed(&cqe, self.flows[at][nth].sends.pop_front(), false)?;
                }
            }
            for cqe in received {
                let nth = self.nth(&cqe)?;
                if !self.put_aside(at, true, nth, &cqe) {
                    owed(&cqe, self.flows[1 - at][nth].receives.pop_front(), true)?;
                }
            }
        }
        Ok(())
    }

    /// Keeps a completion with an error of the connection that may fail.
    fn put_aside(&mut self, at: usize, is_recv: bool, nth: usize, cqe: &Done) -> bool {
        let aside = self.may_fail == Some(nth) && cqe.status != 0;
        if aside {
            self.failed.push((at, is_recv, *cqe));
        }
        aside
    }

    /// Messages of a direction of connection `nth` whose completions are owed.
    pub fn waiting(&self, from: usize, nth: usize) -> usize {
        let flow = &self.flows[from][nth];
        flow.sends.len().max(flow.receives.len())
    }

    /// Completions that are owed, of all directions of all connections.
    pub fn owed_completions(&self) -> usize {
        self.flows.iter().flatten().map(|f| f.sends.len() + f.receives.len()).sum()
    }

    /// Which connection a completion is of.
    fn nth(&self, cqe: &Cqe) -> Result<usize, String> {
        let nth = self.plan.numbers.iter().position(|&n| n == cqe.qp);
        nth.ok_or_else(|| format!("a completion of queue pair {}, which is not there: {cqe:?}", cqe.qp))
    }

    /// One clock cycle, with its tick.
    pub fn step(&self, pair: &mut Pair) {
        let tick = u64::from(pair.a.cycle().is_multiple_of(TICK));
        pair.a.set("tick_pin", tick);
        pair.b.set("tick_pin", tick);
        pair.step();
    }

    /// All completions came.
    pub fn settled(&self) -> bool {
        self.flows.iter().flatten().all(|f| f.sends.is_empty() && f.receives.is_empty())
    }

    /// Steps until all completions came; the error after `most` cycles.
    pub fn until_settled(&mut self, pair: &mut Pair, most: u64) -> Result<(), String> {
        let start = pair.a.cycle();
        while !self.settled() {
            if pair.a.cycle() - start >= most {
                return Err(format!("completions are owed after {most} cycles: {}", self.debts()));
            }
            self.step(pair);
            self.look(pair)?;
        }
        Ok(())
    }

    /// Steps until host `at` holds the last octet that is meant for the end of its region so far;
    /// the error after `most` cycles, or if it holds that octet already, so that nothing can be
    /// seen to come.
    pub fn until_placed(&self, pair: &mut Pair, at: usize, most: u64) -> Result<(), String> {
        let host = &self.hosts[at];
        let last = host.used().checked_sub(1).ok_or("no octet of the region is given away")?;
        let start = pair.a.cycle();
        while !host.holds(pair.side(Side::BOTH[at]), last) {
            if pair.a.cycle() - start >= most {
                return Err(format!("octet {last} is not in memory after {most} cycles"));
            }
            self.step(pair);
        }
        match pair.a.cycle() - start {
            0 => Err(format!("octet {last} was in memory before")),
            _ => Ok(()),
        }
    }

    /// (sends, receives) that are owed, by sender and connection.
    fn debts(&self) -> String {
        let owed: Vec<_> = self.flows.iter().flatten().map(|f| (f.sends.len(), f.receives.len())).collect();
        format!("(sends, receives) {owed:?}")
    }

    /// Both memories hold what they must, and nothing else.
    pub fn compare(&self, pair: &mut Pair) -> Result<(), String> {
        self.hosts[0].compare(&mut pair.a, "A")?;
        self.hosts[1].compare(&mut pair.b, "B")
    }

    /// Random messages in both directions on all connections until the budget is used, then all
    /// completions, then both memories.
    pub fn run(&mut self, pair: &mut Pair, rng: &mut ChaCha8Rng) -> Result<(), String> {
        // the initiator speaks first, as RFC 5044 section 7.1.3 has it
        for nth in 0..self.plan.wires.len() {
            self.post(pair, 0, nth, Message::random(rng, 16, SEND));
        }
        self.until_settled(pair, 20_000)?;
        let mut left = [self.plan.budget; 2];
        let start = pair.a.cycle();
        let patience = 60_000 + 40 * self.plan.budget as u64;
        let mut ended = false;
        while !ended || !self.settled() {
            let from = rng.random_range(0..2);
            let nth = rng.random_range(0..self.plan.wires.len());
            if left[from] > 0 && self.waiting(from, nth) < 8 && rng.random_bool(0.1) {
                let octets = random_size(rng, self.plan.longest).min(left[from]);
                let opcode = [RDMA_WRITE, RDMA_WRITE, SEND, SEND_SOLICITED][rng.random_range(0..4_usize)];
                self.post(pair, from, nth, Message::random(rng, octets, opcode));
                left[from] -= octets.max(20).min(left[from]);
            }
            // a last Send each way: its receive comes after every Write before it, signaled or not
            if !ended && left == [0; 2] && self.settled() {
                for nth in 0..self.plan.wires.len() {
                    self.post(pair, 0, nth, Message::random(rng, 16, SEND));
                    self.post(pair, 1, nth, Message::random(rng, 16, SEND));
                }
                ended = true;
            }
            for _ in 0..20 {
                self.step(pair);
            }
            self.look(pair)?;
            if pair.a.cycle() - start > patience {
                return Err(format!("completions are owed after {patience} cycles: {}", self.debts()));
            }
        }
        // nothing may come twice
        for _ in 0..2_000 {
            self.step(pair);
        }
        self.look(pair)?;
        self.compare(pair)
    }
}

/// The host at `first` and the other one.
fn pick(hosts: &mut [Host; 2], first: usize) -> [&mut Host; 2] {
    let [a, b] = hosts;
    if first == 0 {
        [a, b]
    } else {
        [b, a]
    }
}

/// Compares a completion with the one that must come next.
fn owed(cqe: &Done, owed: Option<Owed>, is_recv: bool) -> Result<(), String> {
    let Done { wr_id, entry: Cqe { opcode, byte_len, is_solicited, .. } } = *cqe;
    let got = Owed { wr_id, opcode, byte_len: byte_len.0, solicited: is_solicited };
    let clean =
        cqe.status == 0 && cqe.error == 0 && cqe.is_recv == is_recv && cqe.has_wr && !cqe.has_invalidate;
    match owed {
        Some(owed) if owed == got && clean => Ok(()),
        owed => Err(format!("completion {cqe:?}, expected {owed:?}, receive {is_recv}")),
    }
}
