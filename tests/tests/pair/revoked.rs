// SPDX-License-Identifier: MIT OR Apache-2.0
//! A region is revoked amid a message that uses it, and its memory is taken away with the answer:
//! the device reaches it no more (design decision D5). Beside it a second connection streams, so
//! that no part of the pipeline is ever empty by chance.
use ferrowarp_abi::codec::{MrRow, SendWqe, Sge};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, library, link, random_wire, same, Message, Plan, RecvWork, SendWork, Traffic, RDMA_READ,
    RDMA_WRITE, SEND,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Queue pairs: of the message, of the stream beside it.
const QPS: [u16; 2] = [5, 9];
/// The region that each host has for the message: its STag, its octets.
const STAG: STag = STag(21 << 8 | 0x31);
const LENGTH: usize = 40_000;
/// Cycles that the message takes on the wire at least: 1,538 octets for 1,440, eight a cycle.
const WIRE: u64 = LENGTH as u64 * 1_538 / 1_440 / 8;
/// Cycles that a command may take: in front of the token of a revoke are up to fourteen long FPDUs,
/// here 400 cycles of memory each.
const PATIENCE: u64 = 8_000;
/// Cycles behind it, expiries and replays too.
const QUIET: u64 = 8_000;

/// What the region is to the message.
#[derive(Clone, Copy, Debug)]
enum Use {
    WriteGather,
    WriteTarget,
    ReadSource,
    ReadSink,
    SendGather,
    SendScatter,
}

impl Use {
    const ALL: [Self; 6] = [
        Self::WriteTarget,
        Self::ReadSource,
        Self::WriteGather,
        Self::SendScatter,
        Self::ReadSink,
        Self::SendGather,
    ];

    fn opcode(self) -> u8 {
        match self {
            Self::WriteGather | Self::WriteTarget => RDMA_WRITE,
            Self::ReadSource | Self::ReadSink => RDMA_READ,
            Self::SendGather | Self::SendScatter => SEND,
        }
    }

    /// The region that goes is that of the host that posts the message.
    fn is_near(self) -> bool {
        matches!(self, Self::WriteGather | Self::ReadSink | Self::SendGather)
    }
}

/// Registers the message's region at host `at`; its IOVA.
fn register(traffic: &mut Traffic, pair: &mut Pair, at: usize) -> Result<u64, String> {
    let (host, bench) = (&mut traffic.hosts[at], pair.side(Side::BOTH[at]));
    let base = host.nic.map(bench, LENGTH as u64, 0x28, true);
    let row = MrRow {
        base,
        length: LENGTH as u64,
        to_base: TaggedOffset(base),
        pd: host.qps[0].row.pd,
        local_write: true,
        remote_read: true,
        remote_write: true,
        is_valid: true,
        key: STAG.0 as u8,
        ..Default::default()
    };
    let row = row.octets().map_err(|e| e.to_string())?;
    host.nic.command(bench, admin_opcode::MR_WRITE, (STAG.0 >> 8) as u16, &row);
    answered(traffic, pair, at)?;
    Ok(base)
}

/// Cycles until host `at` has the answers of its commands.
fn answered(traffic: &mut Traffic, pair: &mut Pair, at: usize) -> Result<u64, String> {
    let start = pair.a.cycle();
    while !traffic.hosts[at].nic.settled(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())? {
        if pair.a.cycle() - start > PATIENCE {
            return Err(format!("a command of host {at} is not answered after {PATIENCE} cycles"));
        }
        traffic.step(pair);
        traffic.look(pair)?;
    }
    Ok(pair.a.cycle() - start)
}

/// Posts the message on the first connection, between the regions of the two hosts.
fn post(traffic: &mut Traffic, pair: &mut Pair, from: usize, opcode: u8, bases: [u64; 2]) {
    let sge = |at: usize| Sge { to: TaggedOffset(bases[at]), length: ByteCount(LENGTH as u32), key: STAG };
    if opcode == SEND {
        let (far, bench) = (&mut traffic.hosts[1 - from], pair.side(Side::BOTH[1 - from]));
        far.qps[0].post_recv(&far.nic, bench, &RecvWork { wr_id: 7, scatters: vec![sge(1 - from)] });
        far.qps[0].ring(&far.nic, bench, false, true);
    }
    let remote_to = TaggedOffset(bases[1 - from]);
    let head = SendWqe { opcode, remote_stag: STAG, remote_to, ..Default::default() };
    let (near, bench) = (&mut traffic.hosts[from], pair.side(Side::BOTH[from]));
    let work = SendWork { wr_id: 8, head, gathers: vec![sge(from)], inline: None };
    near.qps[0].post_send(&near.nic, bench, &work);
    near.qps[0].ring(&near.nic, bench, true, false);
}

/// So many cycles with the second connection streaming both ways.
fn stream(traffic: &mut Traffic, pair: &mut Pair, rng: &mut ChaCha8Rng, cycles: u64) -> Result<(), String> {
    for _ in 0..cycles {
        for from in 0..2 {
            if traffic.waiting(from, 1) < 3 {
                let (octets, opcode) =
                    (rng.random_range(1..3_000), [SEND, RDMA_WRITE][rng.random_range(0..2)]);
                let message = Message { is_signaled: true, ..Message::random(rng, octets, opcode) };
                traffic.post(pair, from, 1, message);
            }
        }
        traffic.step(pair);
        traffic.look(pair)?;
    }
    Ok(())
}

fn revoked(pair: &mut Pair, seed: u64) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let what = Use::ALL[seed as usize % Use::ALL.len()];
    let from = rng.random_range(0..2);
    let wires = [0, 1].map(|nth| random_wire(&mut rng, seed as u16, nth, false)).to_vec();
    // a write is in memory as soon as the bus has it, so that one that is late is seen
    let timing = MemoryTiming { write_ns: 0, shuffle: false, ..MemoryTiming::rough(clock_ps()) };
    let plan = Plan { wires, numbers: QPS.to_vec(), timing, longest: 3_000, budget: 60_000 };
    let mut traffic = Traffic::new(pair, plan)?;
    traffic.may_fail = Some(0);
    for nth in 0..2 {
        traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, 20_000)?;
    let bases = [register(&mut traffic, pair, 0)?, register(&mut traffic, pair, 1)?];
    post(&mut traffic, pair, from, what.opcode(), bases);
    let before = rng.random_range(0..WIRE);
    stream(&mut traffic, pair, &mut rng, before)?;

    let owner = if what.is_near() { from } else { 1 - from };
    let (host, bench) = (&mut traffic.hosts[owner], pair.side(Side::BOTH[owner]));
    host.nic.command(bench, admin_opcode::MR_REVOKE, (STAG.0 >> 8) as u16, &[]);
    answered(&mut traffic, pair, owner)?;
    let memory = traffic.hosts[owner].nic.memory;
    pair.side(Side::BOTH[owner]).host(memory).unmap(bases[owner]).map_err(|e| e.to_string())?;
    stream(&mut traffic, pair, &mut rng, QUIET)?;
    // Sends behind them, so that every Write before is in memory
    for at in 0..2 {
        traffic.post(pair, at, 1, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, 40_000)?;
    let refused = pair.side(Side::BOTH[owner]).host(memory).take_refused();
    let told: Vec<_> = refused.iter().map(ToString::to_string).collect();
    same(&format!("{what:?}"), "accesses to memory that was taken away", told, vec![])?;
    traffic.compare(pair)
}

#[test]
fn what_a_region_was_is_not_reached_behind_the_answer() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..600) {
        run_pair_on("revoked", &library, link(), seed, |pair| revoked(pair, seed));
    }
}
