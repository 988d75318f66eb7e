// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk of connections that come and go under one number, beside a stream and beside a peer that
//! sends FPDUs with wrong CRCs back to back: each connection delivers its messages whole, each end
//! leaves nothing behind, nobody else stands still.
use crate::device::{
    clock_ps, config, random_size, random_wire, rewrite, units, wrong_crcs, FrameHook, Message, Nic, Plan,
    SendWork, Traffic, Walk, Wire, RDMA_WRITE, SEND, TCP_PAYLOAD, TO_BASE,
};
use ferrowarp_abi::codec::{QpRow, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, qp_state, work_opcode};
use ferrowarp_abi::types::{ByteCount, TaggedOffset};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{MemoryTiming, Pair, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::Arc;

/// Queue pairs: the one that comes and goes, the hostile one, the stream.
const QPS: [u16; 3] = [3, 7, 12];
const CHURN: usize = 0;
const HOSTILE: usize = 1;
const STREAM: usize = 2;
/// Messages of a connection.
const MESSAGES: usize = 3;
const LONGEST: usize = 4_000;
/// Messages of the stream in a round of a walk, at most.
const STREAMED: usize = 40;
/// Octets that the messages of a round are, about, each way.
const OCTETS: usize = 60_000;
/// Segments of the hostile peer in a round of a walk, at least.
const ASSAULTS: u64 = 10;
/// Cycles that the messages of a connection, a command, and the close of a stream may take.
const PATIENCE: u64 = 60_000;
const CLOSE: u64 = 12_000;
/// Ticks of the shortest timeout, and expiries in a row until a connection is lost: a Send whose
/// receive is read late may be cut, and leaves again.
const RTO: [(&str, u64); 2] = [("rto_min", units(8)), ("retry_limit", 12)];

/// The long segments of the hostile connection are FPDUs with wrong CRCs, from their first octet to
/// their last. Those of the connection whose port `spoilt` says have one wrong octet.
fn hostile(port: u16, spoilt: Arc<AtomicU16>) -> FrameHook {
    Box::new(move |sent| {
        let data = sent.data;
        let is_long = data.len() > 1_000 && data[12..15] == [8, 0, 0x45] && sent.from == Side::A;
        let from = u16::from_be_bytes([data[34], data[35]]);
        if is_long && from == spoilt.load(Ordering::Relaxed) {
            let at = TCP_PAYLOAD + 100;
            return Fate::Replace(rewrite(data, at, u16::from_be_bytes([data[at], data[at + 1]]) ^ 0x0100));
        }
        if !is_long || from != port {
            return Fate::Deliver;
        }
        Fate::Replace(wrong_crcs(data))
    })
}

struct Churn {
    traffic: Traffic,
    rng: ChaCha8Rng,
    /// Messages of the stream so far, and at most.
    streamed: usize,
    most: usize,
    /// Port of the connection that comes and goes, and of the one whose segments are spoilt.
    port: u16,
    spoilt: Arc<AtomicU16>,
}

/// Connection `round` of a walk: IPv4 without VLAN, as the hook reads frames.
fn wire(seed: u64, round: usize) -> Wire {
    let config = config();
    Wire::plain(
        33_000 + ((8 * (seed % 6_000) + round as u64) % 6_000) as u16,
        config.mtu as u16,
        config.window_log2 as u32,
    )
}

impl Walk for Churn {
    fn nic(&mut self, at: usize) -> &mut Nic {
        &mut self.traffic.hosts[at].nic
    }

    /// New work for the stream and for the hostile peer.
    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        if pair.a.cycle().is_multiple_of(512) {
            self.write(pair, HOSTILE);
        }
        for from in 0..2 {
            if self.streamed < self.most && self.traffic.waiting(from, STREAM) < 2 {
                let octets = random_size(&mut self.rng, LONGEST);
                let message = Message { is_signaled: true, ..Message::random(&mut self.rng, octets, SEND) };
                self.traffic.post(pair, from, STREAM, message);
                self.streamed += 1;
            }
        }
        self.traffic.step(pair);
        self.traffic.look(pair)
    }
}

impl Churn {
    fn new(pair: &mut Pair, seed: u64, rounds: usize) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (config, run) = (config(), seed as u16);
        let stranger = Wire::plain(40_000, config.mtu as u16, config.window_log2 as u32);
        let spoilt = Arc::new(AtomicU16::new(0));
        pair.link.set_hook(hostile(stranger.ends[0].port, spoilt.clone()));
        let first = wire(seed, 0);
        let wires = vec![first, stranger, random_wire(&mut rng, run, 2, false)];
        let timing = MemoryTiming::rough(clock_ps());
        let plan =
            Plan { wires, numbers: QPS.to_vec(), timing, longest: LONGEST, budget: OCTETS * (rounds + 1) };
        let mut traffic = Traffic::new(pair, plan)?;
        for (port, value) in RTO {
            pair.a.set(port, value);
            pair.b.set(port, value);
        }
        traffic.may_fail = Some(HOSTILE);
        for nth in 0..QPS.len() {
            traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
        }
        traffic.until_settled(pair, PATIENCE)?;
        let mut walk =
            Self { traffic, rng, streamed: 0, most: STREAMED * rounds, port: first.ends[0].port, spoilt };
        // the hostile one has failed, and has no completion more
        walk.until(pair, PATIENCE, "the fault of the hostile connection", |w| !w.traffic.failed.is_empty())?;
        walk.traffic.may_fail = Some(CHURN);
        Ok(walk)
    }

    /// A Write of one segment, which the hook makes what it is.
    fn write(&mut self, pair: &mut Pair, nth: usize) {
        let stag = self.traffic.hosts[1].stag();
        let near = &mut self.traffic.hosts[0];
        let octets = 1_400;
        let sge = Sge { length: ByteCount(octets), ..near.sge(0, octets as usize) };
        let head = SendWqe {
            opcode: RDMA_WRITE,
            remote_stag: stag,
            remote_to: TaggedOffset(TO_BASE),
            ..Default::default()
        };
        let work = SendWork { head, gathers: vec![sge], ..Default::default() };
        near.qps[nth].post_send(&near.nic, &mut pair.a, &work);
        near.qps[nth].ring(&near.nic, &mut pair.a, true, false);
    }

    /// Messages of connection `nth` whose completions are owed, in the direction that has more.
    fn waits(&self, nth: usize) -> usize {
        (0..2).map(|from| self.traffic.waiting(from, nth)).max().unwrap_or(0)
    }

    fn command(&mut self, pair: &mut Pair, at: usize, opcode: u8, row: &[u8]) {
        let bench = pair.side(Side::BOTH[at]);
        self.traffic.hosts[at].nic.command(bench, opcode, QPS[CHURN], row);
    }

    /// Three messages either way, then a Send each way, which comes behind every Write: all whole
    /// and completed.
    fn messages(&mut self, pair: &mut Pair, round: usize) -> Result<(), String> {
        for nth in 0..MESSAGES + 2 {
            // the initiator speaks first, as RFC 5044 section 7.1.3 has it
            let from = if nth == 0 { 0 } else { self.rng.random_range(0..2) };
            let from = nth.checked_sub(MESSAGES).unwrap_or(from);
            let octets = random_size(&mut self.rng, LONGEST);
            let opcode = if nth < MESSAGES { [SEND, RDMA_WRITE][self.rng.random_range(0..2)] } else { SEND };
            let message = Message { is_signaled: true, ..Message::random(&mut self.rng, octets, opcode) };
            self.traffic.post(pair, from, CHURN, message);
            let what = format!("connection {round}, message {nth}");
            self.until(pair, PATIENCE, &what, |w| w.waits(CHURN) == 0)?;
        }
        Ok(())
    }

    /// One side ends the connection, in one of four ways; then the number is free at both.
    fn end(&mut self, pair: &mut Pair) -> Result<(), String> {
        let first = self.rng.random_range(0..2);
        match self.rng.random_range(0..6) {
            0 => {
                let head = SendWqe { opcode: work_opcode::FIN, ..Default::default() };
                let slot = SendWork { head, inline: Some(vec![]), ..Default::default() }.control();
                for at in [first, 1 - first] {
                    self.command(pair, at, admin_opcode::CONN_CONTROL, &slot);
                    self.answered(pair, PATIENCE)?;
                }
                let cycles = self.rng.random_range(0..CLOSE);
                (0..cycles).try_for_each(|_| self.step(pair))?;
            }
            1 => self.command(pair, first, admin_opcode::CONN_RESET, &[]),
            2 => {}
            // a wrong CRC stops it: the next owner of the number must not find it so
            _ => {
                let failed = self.traffic.failed.len();
                self.spoilt.store(self.port, Ordering::Relaxed);
                self.write(pair, CHURN);
                self.until(pair, PATIENCE, "the fault of a wrong CRC", |w| w.traffic.failed.len() > failed)?;
                self.spoilt.store(0, Ordering::Relaxed);
            }
        }
        let reset = QpRow { state: qp_state::RESET, ..Default::default() };
        let reset = reset.octets().map_err(|e| e.to_string())?;
        for at in [first, 1 - first] {
            let commands = [(admin_opcode::CONN_REMOVE, &[][..]), (admin_opcode::QP_WRITE, &reset[..])];
            let swapped = self.rng.random_range(0..2);
            for n in 0..2 {
                let (opcode, row) = commands[(n + swapped) % 2];
                self.command(pair, at, opcode, row);
            }
        }
        self.answered(pair, PATIENCE)
    }
}

/// Walks through so many connections and one more on a fresh pair of devices; the frames that were
/// made hostile.
///
/// # Errors
/// What does not hold.
pub fn churn(pair: &mut Pair, seed: u64, rounds: usize) -> Result<u64, String> {
    let mut walk = Churn::new(pair, seed, rounds)?;
    for round in 0..rounds {
        walk.messages(pair, round)?;
        let streamed = walk.streamed;
        walk.end(pair)?;
        let wire = wire(seed, round + 1);
        walk.port = wire.ends[0].port;
        walk.traffic.renew(pair, CHURN, wire);
        walk.answered(pair, PATIENCE)?;
        if walk.streamed == streamed && streamed < walk.most {
            // a message more is posted when one of the two that wait is done
            walk.until(pair, PATIENCE, "the stream beside", |w| w.streamed > streamed)?;
        }
    }
    walk.messages(pair, rounds)?;
    walk.streamed = usize::MAX;
    walk.until(pair, PATIENCE, "the end of the stream", |w| w.waits(STREAM) == 0)?;
    let least = ASSAULTS * rounds as u64;
    match pair.link.stats(Side::A).damaged {
        n if n < least => Err(format!("the hostile peer sent {n} segments: {least} are the least")),
        n => walk.traffic.compare(pair).map(|()| n),
    }
}
