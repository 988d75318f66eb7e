// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two hosts with two connections, of which one does what it must not while the other carries a
//! fixed set of messages.
use super::host::TO_BASE;
use super::{
    clock_ps, config, Blame, End, Events, Message, Nic, NicError, Plan, SendWork, Traffic, Wire, RDMA_WRITE,
    SEND,
};
use ferrowarp_abi::codec::{CapturedError, Event, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, admin_row, admin_status, event_kind, wc_status};
use ferrowarp_abi::host::admin::CAPTURED_OCTETS;
use ferrowarp_abi::host::work::SEND_BLOCK;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{MemoryTiming, Pair, Side};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Queue pairs of the connections, at both hosts.
pub const QPS: [u16; 2] = [3, 5];
/// The connection that does what it must not; the other one is 1.
pub const BAD: usize = 0;

/// TCP port of the first connection, at both ends; the second one has the next.
const PORT: u16 = 20_000;
/// Messages of the good connection, each way in turn; its octets; how many of a direction may wait.
const MESSAGES: usize = 24;
const OCTETS: usize = 3_000;
const AHEAD: usize = 3;
/// The bad deed comes with this message.
pub const DEED: usize = 8;
/// log2 of the slots of the event rings.
const EVENTS_LOG2: u8 = 4;

/// How the two connections of a scene look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// The host that does what it must not: 0 is A.
    pub from: usize,
    /// IPv6, else IPv4.
    pub is_ipv6: bool,
    /// Both memories answer late, in parts and out of order.
    pub is_rough: bool,
}

/// Two hosts with traffic.
pub struct Scene {
    /// How its connections look.
    pub shape: Shape,
    /// The hosts and what they exchange.
    pub traffic: Traffic,
    /// Their event rings.
    pub rings: [Events; 2],
    /// Messages of the good connection that were posted.
    pub posted: usize,
    /// Cycles from the first of the good connection's messages to the last completion.
    pub cycles: u64,
}

/// What is done in each cycle.
pub type Every<'a> = dyn FnMut(&mut Scene, &mut Pair) -> Result<(), String> + 'a;

impl Scene {
    /// Both devices set up, both connections used once by A. `hook` judges the frames of the bad
    /// connection.
    pub fn new(
        pair: &mut Pair,
        hook: impl FnMut(&Sent<'_>) -> Fate + Send + 'static,
    ) -> Result<Self, String> {
        Self::shaped(pair, Shape::default(), hook)
    }

    /// As [`Scene::new`], for connections of this shape.
    pub fn shaped(
        pair: &mut Pair,
        shape: Shape,
        mut hook: impl FnMut(&Sent<'_>) -> Fate + Send + 'static,
    ) -> Result<Self, String> {
        let mtu = config().mtu as u16;
        let end = |nth: usize, n: u8| End {
            mac: [2, 0, 0, 0, nth as u8, n],
            ip: match shape.is_ipv6 {
                true => Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, nth as u16, u16::from(n)).into(),
                false => Ipv4Addr::new(10, 0, nth as u8, n).into(),
            },
            port: PORT + nth as u16,
            seq_start: 0x1000_0000 * u32::from(n) + 77,
            wants_markers: false,
        };
        let window_log2 = config().window_log2 as u32;
        let wire = |nth| Wire { ends: [end(nth, 1), end(nth, 2)], vlan: None, crc: true, mtu, window_log2 };
        let plan = Plan {
            wires: vec![wire(0), wire(1)],
            numbers: QPS.to_vec(),
            timing: if shape.is_rough {
                MemoryTiming::rough(clock_ps())
            } else {
                MemoryTiming::steady(clock_ps())
            },
            longest: OCTETS,
            budget: MESSAGES * OCTETS,
        };
        // Frames have neither VLAN nor IP options. A hook changes when frames arrive, so that there
        // is one in every case.
        let ports = if shape.is_ipv6 { 14 + 40 } else { 14 + 20 };
        pair.link.set_hook(move |sent| match sent.data.get(ports..ports + 2) {
            Some(port) if port == (PORT + BAD as u16).to_be_bytes() => hook(sent),
            _ => Fate::Deliver,
        });
        let mut traffic = Traffic::new(pair, plan)?;
        traffic.may_fail = Some(BAD);
        let rings = [0, 1].map(|at| {
            let bench = pair.side(Side::BOTH[at]);
            Events::new(&mut traffic.hosts[at].nic, bench, EVENTS_LOG2, true)
        });
        let mut scene = Self { shape, traffic, rings, posted: 0, cycles: 0 };
        scene.commanded(pair)?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for nth in 0..2 {
            scene.traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
        }
        scene.settle(pair, &[0, 1], 20_000, &mut |_, _| Ok(()))?;
        Ok(scene)
    }

    /// Waits for the answers of all commands.
    pub fn commanded(&mut self, pair: &mut Pair) -> Result<(), String> {
        for at in 0..2 {
            let mut patience = 2_000;
            while !self.traffic.hosts[at].nic.settled(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())? {
                if patience == 0 {
                    return Err(format!("a command of host {at} was not answered"));
                }
                patience -= 1;
                self.traffic.step(pair);
            }
        }
        Ok(())
    }

    /// One clock cycle, what `every` does in each of them, and the completions that came.
    fn cycle(&mut self, pair: &mut Pair, every: &mut Every<'_>) -> Result<(), String> {
        self.traffic.step(pair);
        every(self, pair)?;
        self.traffic.look(pair)
    }

    /// Steps until all messages of these connections are completed.
    pub fn settle(
        &mut self,
        pair: &mut Pair,
        connections: &[usize],
        most: u64,
        every: &mut Every<'_>,
    ) -> Result<(), String> {
        for _ in 0..most {
            if (0..2).all(|from| connections.iter().all(|&nth| self.traffic.waiting(from, nth) == 0)) {
                return Ok(());
            }
            self.cycle(pair, every)?;
        }
        let waits = [0, 1].map(|from| [0, 1].map(|nth| self.traffic.waiting(from, nth)));
        Err(format!("after {most} cycles completions of (sender, connection) are owed: {waits:?}"))
    }

    /// The good connection's messages, always the same; the deed is done amid them. Then what is
    /// still on its way.
    pub fn run(
        &mut self,
        pair: &mut Pair,
        deed: impl FnOnce(&mut Scene, &mut Pair) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut deed = Some(deed);
        self.stream(pair, &mut |scene, pair| match scene.posted > DEED {
            true => deed.take().map_or(Ok(()), |deed| deed(scene, pair)),
            false => Ok(()),
        })
    }

    /// The good connection's messages with what is done in every cycle meanwhile. Then what is
    /// still on its way.
    pub fn stream(&mut self, pair: &mut Pair, every: &mut Every<'_>) -> Result<(), String> {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let start = pair.a.cycle();
        for message in 0..MESSAGES {
            let from = message % 2;
            while self.traffic.waiting(from, 1 - BAD) >= AHEAD {
                if pair.a.cycle() - start > 100_000 {
                    return Err(format!("the good connection stands before its message {message}"));
                }
                self.cycle(pair, every)?;
            }
            let opcode = if message % 4 < 2 { SEND } else { RDMA_WRITE };
            self.traffic.post(pair, from, 1 - BAD, Message::random(&mut rng, OCTETS, opcode));
            self.posted = message + 1;
        }
        // a Send behind them, so that Writes without a completion count too
        for from in 0..2 {
            self.traffic.post(pair, from, 1 - BAD, Message::random(&mut rng, 8, SEND));
        }
        self.settle(pair, &[1 - BAD], 100_000, every)?;
        self.cycles = pair.a.cycle() - start;
        for _ in 0..3_000 {
            self.traffic.step(pair);
            every(self, pair)?;
        }
        self.traffic.look(pair)
    }

    /// A request of the host that does what it must not, on the bad connection, with `octets`
    /// octets of its region as payload.
    pub fn request(&mut self, pair: &mut Pair, wr_id: u64, head: SendWqe, octets: usize) {
        let bench = pair.side(Side::BOTH[self.shape.from]);
        let near = &mut self.traffic.hosts[self.shape.from];
        let at = near.give(octets, 0);
        let gathers = vec![near.sge(at, octets)];
        near.qps[BAD].post_send(&near.nic, bench, &SendWork { wr_id, head, gathers, inline: None });
        near.qps[BAD].ring(&near.nic, bench, true, false);
    }

    /// Its RDMA Write to this place of the other host, unsignaled.
    pub fn write(&mut self, pair: &mut Pair, remote_stag: STag, remote_to: u64, octets: usize) {
        let remote_to = TaggedOffset(remote_to);
        let head = SendWqe { opcode: RDMA_WRITE, remote_stag, remote_to, ..Default::default() };
        self.request(pair, 900, head, octets);
    }

    /// Its RDMA Write to an STag that the other host does not have, and what that says.
    pub fn stray_write(&mut self, pair: &mut Pair) -> Blame {
        let to = 1 - self.shape.from;
        let stag = STag(self.traffic.hosts[to].stag().0 ^ 0x10_00);
        self.write(pair, stag, TO_BASE, 203);
        Blame::remote(to, wc_status::LOC_ACCESS_ERR, 0x1100, event_kind::QP_ACCESS_ERROR)
    }

    /// Its Send, unsignaled.
    pub fn send(&mut self, pair: &mut Pair, octets: usize) {
        self.request(pair, 901, SendWqe { opcode: SEND, ..Default::default() }, octets);
    }

    /// A request of its send queue that says what no driver would: a head and what follows it, in
    /// the blocks that these need.
    pub fn slot(&mut self, pair: &mut Pair, wr_id: u64, head: SendWqe, tail: &[u8]) -> Result<(), String> {
        let octets = (SendWqe::LEN + tail.len()).next_multiple_of(SEND_BLOCK);
        let head = SendWqe { blocks: (octets / SEND_BLOCK) as u8, ..head };
        let head = head.octets().map_err(|e| e.to_string())?;
        let mut slot = [&head[..], tail].concat();
        slot.resize(octets, 0);
        let bench = pair.side(Side::BOTH[self.shape.from]);
        let near = &mut self.traffic.hosts[self.shape.from];
        near.qps[BAD].post_octets(&near.nic, bench, wr_id, &slot);
        near.qps[BAD].ring(&near.nic, bench, true, false);
        Ok(())
    }

    /// Gives the send queue of a host's end of the bad connection a slot behind everything it has
    /// begun, as firmware does.
    pub fn control(&mut self, pair: &mut Pair, at: usize, opcode: u8, inline: Vec<u8>) -> Result<(), String> {
        let head = SendWqe { opcode, ..Default::default() };
        let slot = SendWork { head, inline: Some(inline), ..Default::default() }.control();
        let bench = pair.side(Side::BOTH[at]);
        self.traffic.hosts[at].nic.command(bench, admin_opcode::CONN_CONTROL, QPS[BAD], &slot);
        self.commanded(pair)
    }

    /// A gather of its region.
    pub fn gather(&mut self, octets: usize) -> Sge {
        let near = &mut self.traffic.hosts[self.shape.from];
        let at = near.give(octets, 0);
        near.sge(at, octets)
    }

    /// Compares what both devices say of the bad connection with what one of them must say, or with
    /// nothing at all; and both memories with what was written legally.
    pub fn check(&mut self, pair: &mut Pair, blame: Option<Blame>) -> Result<(), String> {
        self.traffic.compare(pair)?;
        self.check_told(pair, blame)?;
        for at in 0..2 {
            let blame = blame.filter(|b| b.host == at);
            let events = self.events(pair, at);
            let mut got: Vec<_> = events.iter().map(|e| (e.kind, e.number, e.error)).collect();
            let mut want: Vec<_> = blame.iter().map(|b| (b.event, QPS[BAD], b.error)).collect();
            want.extend(blame.and_then(|b| b.overrun).map(|cq| (event_kind::CQ_OVERRUN, cq, 0)));
            // the event of an overrun and that of its queue pair come from two blocks
            got.sort_unstable();
            want.sort_unstable();
            same(["A", "B"][at], "events (kind, number, error)", got, want)?;
        }
        Ok(())
    }

    /// Compares completions with errors and captured errors with what one device must say, or with
    /// nothing at all.
    pub fn check_told(&mut self, pair: &mut Pair, blame: Option<Blame>) -> Result<(), String> {
        for at in 0..2 {
            let blame = blame.filter(|b| b.host == at);
            let name = ["A", "B"][at];
            let failed: Vec<_> = self.traffic.failed.iter().filter(|(host, ..)| *host == at).collect();
            match (&failed[..], blame) {
                ([], None) => {}
                ([(_, queue, cqe)], Some(b)) => {
                    let wr_id = (cqe.has_wr, cqe.wr_id);
                    let got = (*queue, cqe.is_recv, cqe.qp, cqe.status, cqe.error, wr_id);
                    let want = (b.is_recv, b.is_recv, QPS[BAD], b.status, b.error, b.told_wr());
                    same(name, "receives' queue, is_recv, QP, status, error, wr_id of its CQE", got, want)?;
                }
                _ => return Err(format!("{name}: completions with errors {failed:?}, expected {blame:?}")),
            }
            for (nth, qp) in QPS.into_iter().enumerate() {
                let (c, octets) = self.captured(pair, at, qp)?;
                let named = || self.traffic.hosts[at].nic.named(qp, !c.is_local, c.index);
                let wr_id = (c.has_wr, if c.has_wr { named() } else { c.index.into() });
                let got = (c.is_captured, c.is_local, c.status, c.error, c.later, wr_id);
                let want = match blame.filter(|_| nth == BAD) {
                    Some(b) => (true, b.is_local, b.status, b.error, 0, b.told_wr()),
                    None => (false, false, 0, 0, 0, (false, 0)),
                };
                let what = format!("is_captured, is_local, status, error, later, wr_id captured of QP {qp}");
                same(name, &what, got, want)?;
                // a Terminate quotes the segment: all that DDP refuses, nothing of MPA, of TCP and
                // of our own
                let quotes = blame.is_some_and(|b| nth == BAD && b.quotes());
                same(name, "has_segment, is_terminate", (c.has_segment, c.is_terminate), (quotes, false))?;
                let is_tagged = quotes && c.error >> 8 == 0x11;
                same(name, "T of its octets", octets[0] & 0x80 != 0, is_tagged)?;
                same(name, "whether there are any", octets.iter().any(|&o| o != 0), quotes)?;
            }
        }
        Ok(())
    }

    /// Takes the events of a host that are there, without `first_fpdu`, which every connection has
    /// once.
    pub fn events(&mut self, pair: &mut Pair, at: usize) -> Vec<Event> {
        let (nic, bench) = (&self.traffic.hosts[at].nic, pair.side(Side::BOTH[at]));
        let events = std::iter::from_fn(|| self.rings[at].poll(nic, bench));
        events.filter(|e| e.kind != event_kind::FIRST_FPDU).collect()
    }

    /// What is captured of a queue pair, and the octets behind it.
    pub fn captured(
        &mut self,
        pair: &mut Pair,
        at: usize,
        qp: u16,
    ) -> Result<(CapturedError, Vec<u8>), String> {
        self.traffic.hosts[at].nic.ask(pair.side(Side::BOTH[at]), admin_row::CAPTURED, qp);
        for _ in 0..2_000 {
            self.traffic.step(pair);
            let nic: &mut Nic = &mut self.traffic.hosts[at].nic;
            let answers = nic.answered(pair.side(Side::BOTH[at])).map_err(|e: NicError| e.to_string())?;
            if let Some((head, row)) = answers.first() {
                same("read_row", "status", head.status, admin_status::DONE)?;
                let captured = CapturedError::parse(row).map_err(|e| e.to_string())?;
                let octets = row[CapturedError::LEN..].to_vec();
                same("read_row", "octets behind a captured error", octets.len(), CAPTURED_OCTETS)?;
                return Ok((captured, octets));
            }
        }
        Err("read_row of a captured error was not answered".to_string())
    }
}

/// Compares; the error says what differs and whose it is.
pub fn same<T: PartialEq + std::fmt::Debug>(whose: &str, what: &str, got: T, want: T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("{whose}: {what} are {got:?}, expected {want:?}")),
    }
}
