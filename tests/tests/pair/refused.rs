// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is refused late or elsewhere: in a later segment of a message, by a region that was revoked
//! or is another stream's; over IPv4 and IPv6, in both directions, with memories that answer in
//! order and that do not.
use ferrowarp_abi::codec::MrRow;
use ferrowarp_abi::consts::{admin_opcode, event_kind, wc_status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{Pair, Side};
use ferrowarp_tests::device::{
    held, same, stream_under, Blame, FrameHook, RecvWork, Scene, Shape, Sink, BAD, DEED, QPS, TO_BASE,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

const PLAIN: Shape = Shape { from: 0, is_ipv6: false, is_rough: false };
const SIX_BACK: Shape = Shape { from: 1, is_ipv6: true, is_rough: false };
const ROUGH_BACK: Shape = Shape { from: 1, is_ipv6: false, is_rough: true };
const SIX_ROUGH: Shape = Shape { from: 0, is_ipv6: true, is_rough: true };

/// A region that only these tests have: its index, its key.
const INDEX: u16 = 20;
const KEY: u8 = 0x77;
/// Octets of a message of several segments.
const LONG: usize = 9_000;
/// Cycles that it and what follows it take on the wire: 1,538 octets for 1,440, eight a cycle.
const LOAD: u64 = (LONG + LONG / 4) as u64 * 1_538 / 1_440 / 8;

/// What becomes of the region before or while a Write names it.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// It is revoked before the Write.
    Revoked,
    /// It is revoked when the first octets of the Write are there.
    RevokedMeanwhile,
    /// It is bound to the stream of the other queue pair.
    Bound,
}

/// An RDMA Write of several segments to the region.
struct Write {
    shape: Shape,
    change: Change,
    base: u64,
    /// Where the payload begins in the sender's region, once it was sent.
    sent: Option<usize>,
    is_revoked: bool,
}

impl Write {
    fn new(shape: Shape, change: Change) -> Self {
        Self { shape, change, base: 0, sent: None, is_revoked: false }
    }

    /// The region is bit by bit what the payload is not, so that each octet placed is seen.
    fn send(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let to = 1 - self.shape.from;
        let near = &scene.traffic.hosts[self.shape.from];
        self.sent = Some(near.used());
        let (memory, inverse) = (scene.traffic.hosts[to].nic.memory, near.inverse(LONG));
        let host = pair.side(Side::BOTH[to]).host(memory);
        host.write(self.base, &inverse).map_err(|e| e.to_string())?;
        scene.write(pair, STag(u32::from(INDEX) << 8 | u32::from(KEY)), TO_BASE, LONG);
        Ok(())
    }

    /// Octets of the payload that are in the region; behind them it is as it was.
    fn placed(&self, scene: &Scene, pair: &mut Pair) -> Result<usize, String> {
        let at = self.sent.ok_or("nothing was sent")?;
        let sent = &scene.traffic.hosts[self.shape.from].expected[at..at + LONG];
        let to = 1 - self.shape.from;
        let host = pair.side(Side::BOTH[to]).host(scene.traffic.hosts[to].nic.memory);
        let octets = host.read(self.base, LONG as u64).map_err(|e| e.to_string())?;
        let placed = octets.iter().zip(sent).take_while(|(got, sent)| got == sent).count();
        match octets[placed..].iter().zip(&sent[placed..]).all(|(got, sent)| *got == !*sent) {
            true => Ok(placed),
            false => Err(format!("behind {placed} octets of the message the region is not as it was")),
        }
    }
}

impl Sink for Write {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn load(&self) -> u64 {
        LOAD
    }

    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let to = 1 - self.shape.from;
        let (host, bench) = (&mut scene.traffic.hosts[to], pair.side(Side::BOTH[to]));
        self.base = host.nic.map(bench, LONG as u64, 0x18, true);
        let row = MrRow {
            base: self.base,
            length: LONG as u64,
            to_base: TaggedOffset(TO_BASE),
            pd: host.qps[BAD].row.pd,
            remote_write: true,
            bound_to_qp: self.change == Change::Bound,
            qp: QPS[1 - BAD],
            is_valid: true,
            key: KEY,
            ..Default::default()
        };
        let row = row.octets().map_err(|e| e.to_string())?;
        host.nic.command(bench, admin_opcode::MR_WRITE, INDEX, &row);
        if self.change == Change::Revoked {
            host.nic.command(bench, admin_opcode::MR_REVOKE, INDEX, &[]);
        }
        scene.commanded(pair)
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if self.sent.is_none() && scene.posted > DEED {
            self.send(scene, pair)?;
            // the second one comes to a queue pair that has stopped, or goes to a region that is
            // not there any more
            scene.write(pair, STag(u32::from(INDEX) << 8 | u32::from(KEY)), TO_BASE, LONG / 4);
        } else if self.sent.is_some() && self.change == Change::RevokedMeanwhile && !self.is_revoked {
            if self.placed(scene, pair).is_ok_and(|placed| placed == 0) {
                return Ok(());
            }
            let to = 1 - self.shape.from;
            let bench = pair.side(Side::BOTH[to]);
            scene.traffic.hosts[to].nic.command(bench, admin_opcode::MR_REVOKE, INDEX, &[]);
            self.is_revoked = true;
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        scene.commanded(pair)?;
        let placed = self.placed(scene, pair)?;
        // whole segments only: EMSS 1,460 or 1,440, less 6 of MPA and 14 of DDP
        let segment = if self.shape.is_ipv6 { 1_420 } else { 1_440 };
        let fits = match self.change {
            Change::RevokedMeanwhile => placed > 0 && placed < LONG && placed % segment == 0,
            Change::Revoked | Change::Bound => placed == 0,
        };
        if !fits {
            return Err(format!("{placed} of {LONG} octets were placed, in segments of {segment}"));
        }
        let error = if self.change == Change::Bound { 0x1102 } else { 0x1100 };
        let (status, event) = (wc_status::LOC_ACCESS_ERR, event_kind::QP_ACCESS_ERROR);
        scene.check(pair, Some(Blame::remote(1 - self.shape.from, status, error, event)))
    }
}

#[test]
fn a_region_that_was_revoked() {
    held("revoked", || Write::new(SIX_BACK, Change::Revoked));
}

#[test]
fn a_region_that_is_revoked_between_two_segments() {
    for (name, shape) in [("revoked_amid", PLAIN), ("revoked_amid_rough", ROUGH_BACK)] {
        held(name, || Write::new(shape, Change::RevokedMeanwhile));
    }
}

#[test]
fn a_region_that_is_bound_to_another_stream() {
    held("bound", || Write::new(PLAIN, Change::Bound));
    held("bound_six_rough", || Write::new(SIX_ROUGH, Change::Bound));
}

/// A Send of several segments to a receive of so many octets, or to none.
struct Long {
    shape: Shape,
    receive: Option<usize>,
    is_sent: bool,
}

impl Long {
    fn new(shape: Shape, receive: Option<usize>) -> Self {
        Self { shape, receive, is_sent: false }
    }
}

impl Sink for Long {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn load(&self) -> u64 {
        LOAD
    }

    fn fill(&mut self, _: &mut Scene, _: &mut Pair) -> Result<(), String> {
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if self.is_sent || scene.posted <= DEED {
            return Ok(());
        }
        self.is_sent = true;
        let (from, to) = (self.shape.from, 1 - self.shape.from);
        if let Some(octets) = self.receive {
            let at = scene.traffic.hosts[from].used();
            // EMSS 1,460 or 1,440, less 6 of MPA and 18 of DDP; the next segment does not fit any
            // more
            let segment = if self.shape.is_ipv6 { 1_416 } else { 1_436 };
            let whole = octets / segment * segment;
            let payload = scene.traffic.hosts[from].expected[at..at + whole].to_vec();
            let (host, bench) = (&mut scene.traffic.hosts[to], pair.side(Side::BOTH[to]));
            let place = host.give(octets, 16);
            host.expected[place..place + whole].copy_from_slice(&payload);
            let scatters = vec![host.sge(place, octets)];
            host.qps[BAD].post_recv(&host.nic, bench, &RecvWork { wr_id: 77, scatters });
            host.qps[BAD].ring(&host.nic, bench, false, true);
        }
        scene.send(pair, LONG);
        scene.send(pair, 203);
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let (status, error, wr_id) = match self.receive {
            Some(_) => (wc_status::LOC_LEN_ERR, 0x1205, Some(77)),
            None => (wc_status::FATAL_ERR, 0x1202, None),
        };
        let blame = Blame::remote(1 - self.shape.from, status, error, event_kind::QP_FATAL);
        scene.check(pair, Some(Blame { wr_id, ..blame }))
    }
}

#[test]
fn a_send_whose_second_or_third_segment_finds_its_receive_too_small() {
    held("too_long_2", || Long::new(PLAIN, Some(2_000)));
    held("too_long_3", || Long::new(SIX_BACK, Some(3_500)));
    held("too_long_2_rough", || Long::new(ROUGH_BACK, Some(2_800)));
}

#[test]
fn a_send_of_several_segments_without_a_receive() {
    held("long_no_receive", || Long::new(SIX_ROUGH, None));
}

/// A's Writes arrive at B as garbage with a good FCS, or as they are.
struct Garbage {
    is_bad: bool,
    replaced: Arc<AtomicU64>,
    /// Frames that B refused for what they are, and frames that it took for another's.
    refused: u64,
    raw: u64,
    posted: usize,
    /// Where the payload of the last Write begins.
    last: usize,
}

/// Octets of a Write, and Writes.
const OCTETS: usize = 203;
const WRITES: usize = 24;
/// Bits of `bad_net_rx`: malformed, checksum of IPv4, checksum of TCP.
const REFUSED: u64 = 0b11_1000;

impl Garbage {
    fn new(is_bad: bool) -> Self {
        Self { is_bad, replaced: Arc::default(), refused: 0, raw: 0, posted: 0, last: 0 }
    }

    fn count(&mut self, pair: &Pair) -> Result<(), String> {
        let events = pair.b.get("bad_net_rx");
        self.refused += u64::from((events & REFUSED).count_ones());
        self.raw += pair.b.get("count_raw_full");
        same("B", "other bits of bad_net_rx", events & !REFUSED, 0)
    }
}

impl Sink for Garbage {
    fn hook(&self) -> FrameHook {
        let (is_bad, replaced) = (self.is_bad, Arc::clone(&self.replaced));
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        Box::new(move |sent| {
            if !is_bad || sent.from != Side::A || sent.data.len() <= OCTETS {
                return Fate::Deliver;
            }
            let mut other = sent.data.to_vec();
            match replaced.fetch_add(1, Ordering::Relaxed) % 4 {
                // nothing of a frame but its length
                0 => other = (0..rng.random_range(60..=other.len())).map(|_| rng.random()).collect(),
                // headers, then anything
                1 => other[54..].fill_with(|| rng.random()),
                // a header with a wrong octet
                2 => other[rng.random_range(12..54)] ^= rng.random_range(1..=255),
                // shorter than it says
                _ => other.truncate(rng.random_range(60..other.len())),
            }
            Fate::Replace(other)
        })
    }

    fn fill(&mut self, _: &mut Scene, _: &mut Pair) -> Result<(), String> {
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if self.posted < WRITES && scene.posted > self.posted / 2 {
            let host = &scene.traffic.hosts[1];
            let (stag, to) = (host.stag(), TO_BASE + (host.expected.len() - OCTETS) as u64);
            self.last = scene.traffic.hosts[0].used();
            // all of them to one place
            scene.write(pair, stag, to, OCTETS);
            self.posted += 1;
        }
        self.count(pair)
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let replaced = self.replaced.load(Ordering::Relaxed);
        let want = if self.is_bad { WRITES as u64 } else { 0 };
        same("link", "frames replaced", replaced, want)?;
        same("B", "frames refused or given to the raw ring", self.refused + self.raw, want)?;
        if !self.is_bad {
            // the last one stands there
            let [near, far] = &mut scene.traffic.hosts;
            let end = far.expected.len();
            far.expected[end - OCTETS..].copy_from_slice(&near.expected[self.last..self.last + OCTETS]);
        }
        scene.check(pair, None)
    }
}

/// The good connection has the time that it has beside the same Writes on a wire that leaves them
/// as they are, and each frame of garbage is counted once.
#[test]
fn garbage_in_the_place_of_frames() {
    let whole = stream_under("no_garbage", u64::MAX, || Garbage::new(false));
    stream_under("garbage", whole * 103 / 100, || Garbage::new(true));
}
