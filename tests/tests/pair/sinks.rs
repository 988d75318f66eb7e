// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each sink that software or a peer frees, held for ever in turn for one queue pair or for the
//! whole host, while another queue pair streams: its rate stays, and what is held ends as it is
//! defined to end (design decision D10).
use ferrowarp_abi::codec::{Event, SendWqe};
use ferrowarp_abi::consts::{admin_row, event_kind, wc_status};
use ferrowarp_abi::types::TaggedOffset;
use ferrowarp_sim::{Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, held, same, stream_under, Blame, Cq, Events, Message, RawReceives, RawSends, RecvWork, Scene,
    Sink, BAD, QPS, RDMA_WRITE, SEND, TO_BASE,
};

/// Number of a completion queue that only the bad connection has, log2 of its slots, messages that
/// it is given.
const OWN_CQ: u16 = 5;
const OWN_LOG2: u8 = 2;
const MESSAGES: u64 = 8;
/// Cycles between two frames of a third station; one has 10 to 16 of them on the wire.
const FRAME_EVERY: u64 = 150;

/// A completion queue of the bad connection that nobody empties: of A's sends, or of B's receives.
struct FullCq {
    is_recv: bool,
    own: Option<Cq>,
}

impl Sink for FullCq {
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let at = usize::from(self.is_recv);
        let host = &mut scene.traffic.hosts[at];
        self.own = Some(host.renew(pair.side(Side::BOTH[at]), BAD, at, OWN_CQ, OWN_LOG2));
        scene.traffic.reinsert(pair, BAD);
        scene.commanded(pair)?;
        for wr_id in 0..MESSAGES {
            if self.is_recv {
                let host = &mut scene.traffic.hosts[1];
                let work = RecvWork { wr_id, scatters: vec![] };
                host.qps[BAD].post_recv(&host.nic, &mut pair.b, &work);
                host.qps[BAD].ring(&host.nic, &mut pair.b, false, true);
                scene.send(pair, 0);
            } else {
                let (remote_stag, remote_to) = (scene.traffic.hosts[1].stag(), TaggedOffset(TO_BASE));
                let is_signaled = true;
                let head =
                    SendWqe { opcode: RDMA_WRITE, is_signaled, remote_stag, remote_to, ..Default::default() };
                scene.request(pair, wr_id, head, 0);
            }
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let at = usize::from(self.is_recv);
        let own = self.own.as_mut().ok_or("no queue")?;
        let (nic, bench) = (&scene.traffic.hosts[at].nic, pair.side(Side::BOTH[at]));
        let entries: Vec<_> = std::iter::from_fn(|| own.poll(nic, bench)).collect();
        let got: Vec<_> = entries.iter().map(|c| (c.wr_id, c.status, c.is_recv, c.qp)).collect();
        let want: Vec<_> = (0..1 << OWN_LOG2).map(|wr_id| (wr_id, 0, self.is_recv, QPS[BAD])).collect();
        same(["A", "B"][at], "entries of the full queue (wr_id, status, is_recv, QP)", got, want)?;
        // the queue that is not full has the completion that says so
        let blame = Blame::remote(at, wc_status::GENERAL_ERR, 0, event_kind::QP_FATAL);
        scene.check(pair, Some(Blame { is_recv: !self.is_recv, overrun: Some(OWN_CQ), ..blame }))
    }
}

#[test]
fn a_completion_queue_of_sends_that_nobody_empties() {
    held("cq_of_sends", || FullCq { is_recv: false, own: None });
}

#[test]
fn a_completion_queue_of_receives_that_nobody_empties() {
    held("cq_of_receives", || FullCq { is_recv: true, own: None });
}

/// Both hosts ask for an event again and again and take none. One event of a fault is among those
/// that find no room.
struct FullEvents {
    /// A ring of one slot, or none.
    is_valid: bool,
    first: Option<Event>,
    blame: Option<Blame>,
}

impl FullEvents {
    fn place(&self, scene: &mut Scene, pair: &mut Pair, log2: u8, is_valid: bool) -> Result<(), String> {
        for at in 0..2 {
            let bench = pair.side(Side::BOTH[at]);
            scene.rings[at] = Events::new(&mut scene.traffic.hosts[at].nic, bench, log2, is_valid);
        }
        scene.commanded(pair)
    }
}

/// Both hosts ask for an event of each completion queue.
fn arm(scene: &mut Scene, pair: &mut Pair) {
    for at in 0..2 {
        let host = &scene.traffic.hosts[at];
        host.cqs.iter().for_each(|cq| cq.arm(&host.nic, pair.side(Side::BOTH[at]), false));
    }
}

impl Sink for FullEvents {
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        self.place(scene, pair, 0, self.is_valid)?;
        arm(scene, pair);
        let message = Message::plain(SEND, vec![7; 20]);
        scene.traffic.post(pair, 0, 1 - BAD, message);
        scene.settle(pair, &[1 - BAD], 5_000, &mut |_, _| Ok(()))?;
        (0..500).for_each(|_| scene.traffic.step(pair));
        self.first = scene.rings[1].peek(&scene.traffic.hosts[1].nic, &mut pair.b);
        let kind = self.first.map(|e| e.kind);
        same("B", "kind of the first event", kind, self.is_valid.then_some(event_kind::CQ_NOTIFY))?;
        self.blame = Some(scene.stray_write(pair));
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if pair.a.cycle().is_multiple_of(200) {
            arm(scene, pair);
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let first = scene.rings[1].peek(&scene.traffic.hosts[1].nic, &mut pair.b);
        same("B", "the event that nobody took", first, self.first)?;
        let blame = self.blame.ok_or("no blame")?;
        scene.check_told(pair, Some(blame))?;
        // what was kept comes as soon as there is room, of each number the newest
        if !self.is_valid {
            self.place(scene, pair, 4, true)?;
        }
        let mut kept = vec![];
        for _ in 0..2_000 {
            scene.traffic.step(pair);
            kept.extend(scene.events(pair, 1).iter().map(|e| (e.kind, e.number, e.error)));
        }
        if self.is_valid {
            kept.remove(0);
        }
        kept.sort_unstable();
        let notify = |cq: &Cq| (event_kind::CQ_NOTIFY, cq.number, 0);
        let [sends, receives] = scene.traffic.hosts[1].cqs.each_ref().map(notify);
        same(
            "B",
            "events that were kept",
            kept,
            vec![sends, receives, (blame.event, QPS[BAD], blame.error)],
        )?;
        scene.traffic.compare(pair)
    }
}

#[test]
fn an_event_ring_that_nobody_empties() {
    held("event_ring_full", || FullEvents { is_valid: true, first: None, blame: None });
}

#[test]
fn no_event_ring() {
    held("event_ring_none", || FullEvents { is_valid: false, first: None, blame: None });
}

/// Frames of no connection come to B all the time; its ring has four slots.
struct Raw {
    /// The host takes them.
    takes: bool,
    ring: Option<RawReceives>,
    sent: Vec<Vec<u8>>,
    taken: Vec<Vec<u8>>,
    dropped: u64,
}

impl Raw {
    fn new(takes: bool) -> Self {
        Self { takes, ring: None, sent: vec![], taken: vec![], dropped: 0 }
    }

    /// One more frame of ARP, all of its other octets its number.
    fn inject(&mut self, pair: &mut Pair) {
        let mut frame = vec![self.sent.len() as u8; 60];
        frame[12..14].copy_from_slice(&[0x08, 0x06]);
        pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), frame.clone());
        self.sent.push(frame);
    }

    fn take(&mut self, scene: &Scene, pair: &mut Pair) {
        let nic = &scene.traffic.hosts[1].nic;
        self.taken.extend(self.ring.iter_mut().filter_map(|ring| ring.poll(nic, &mut pair.b)));
    }
}

impl Sink for Raw {
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        self.ring = Some(RawReceives::new(&mut scene.traffic.hosts[1].nic, &mut pair.b, 2));
        scene.commanded(pair)?;
        (0..8).for_each(|_| self.inject(pair));
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if pair.a.cycle().is_multiple_of(FRAME_EVERY) {
            self.inject(pair);
        }
        self.dropped += pair.b.get("count_raw_full");
        if self.takes {
            self.take(scene, pair);
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        for _ in 0..1_000 {
            scene.traffic.step(pair);
            self.dropped += pair.b.get("count_raw_full");
        }
        (0..4).for_each(|_| self.take(scene, pair));
        let fit = if self.takes { self.sent.len() } else { 4 };
        same("B", "frames of the ring", &self.taken[..], &self.sent[..fit])?;
        same("B", "frames that found no slot", self.dropped, (self.sent.len() - fit) as u64)?;
        // with room again the next one comes
        self.inject(pair);
        (0..1_000).for_each(|_| scene.traffic.step(pair));
        self.take(scene, pair);
        same("B", "frame that came last", self.taken.last(), self.sent.last())?;
        scene.check(pair, None)
    }
}

#[test]
fn a_raw_receive_ring_that_nobody_empties() {
    let free = stream_under("raw_ring_taken", u64::MAX, || Raw::new(true));
    stream_under("raw_ring_full", free * 103 / 100, || Raw::new(false));
}

/// A's raw transmit ring gets descriptors all the time that are not possible; or its own memory is
/// gone.
struct BadDescriptors {
    is_gone: bool,
    ring: Option<RawSends>,
    frame: u64,
    posted: usize,
    bad: u64,
}

/// A descriptor every so many cycles: more than the two reads of one take.
const DESCRIPTOR_EVERY: u64 = 300;

impl Sink for BadDescriptors {
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let nic = &mut scene.traffic.hosts[0].nic;
        let ring = RawSends::new(nic, &mut pair.a, 3);
        self.frame = nic.map(&mut pair.a, 64, 0, false);
        scene.commanded(pair)?;
        if self.is_gone {
            ring.unmap(&scene.traffic.hosts[0].nic, &mut pair.a);
        }
        self.ring = Some(ring);
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        self.bad += pair.a.get("bad_raw_tx");
        let (nic, bench) = (&scene.traffic.hosts[0].nic, &mut pair.a);
        let Some(ring) = self.ring.as_mut().filter(|_| bench.cycle().is_multiple_of(DESCRIPTOR_EVERY)) else {
            return Ok(());
        };
        // not mapped, no multiple of 8, too short, too long
        let kinds = [(self.frame + 64, 60), (self.frame + 4, 60), (self.frame, 13), (self.frame, 2_033)];
        let (iova, length) = kinds[self.posted % 4];
        match self.is_gone {
            true if self.posted < 8 => ring.claim(nic, bench),
            true => return Ok(()),
            false => ring.post(nic, bench, iova, length),
        }
        self.posted += 1;
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        for _ in 0..1_000 {
            scene.traffic.step(pair);
            self.bad += pair.a.get("bad_raw_tx");
        }
        let refused = pair.a.host(scene.traffic.hosts[0].nic.memory).take_refused().len();
        if self.is_gone {
            same("A", "bad descriptors, refused reads", (self.bad, refused), (1, 1))?;
            return scene.check(pair, None);
        }
        let want = (self.posted as u64, self.posted.div_ceil(4));
        same("A", "bad descriptors, refused reads", (self.bad, refused), want)?;
        // a good one behind them leaves
        let mut frame = vec![0x5A; 64];
        frame[12..14].copy_from_slice(&[0x88, 0xB5]);
        pair.a
            .host(scene.traffic.hosts[0].nic.memory)
            .write(self.frame, &frame)
            .map_err(|e| e.to_string())?;
        let mut received = RawReceives::new(&mut scene.traffic.hosts[1].nic, &mut pair.b, 2);
        scene.commanded(pair)?;
        let ring = self.ring.as_mut().ok_or("no ring")?;
        ring.post(&scene.traffic.hosts[0].nic, &mut pair.a, self.frame, 64);
        (0..2_000).for_each(|_| scene.traffic.step(pair));
        let got = received.poll(&scene.traffic.hosts[1].nic, &mut pair.b);
        same("B", "frame of the good descriptor", got, Some(frame))?;
        scene.check(pair, None)
    }
}

#[test]
fn bad_descriptors_in_the_raw_transmit_ring() {
    held("raw_descriptors", || BadDescriptors { is_gone: false, ring: None, frame: 0, posted: 0, bad: 0 });
}

#[test]
fn a_raw_transmit_ring_that_cannot_be_read() {
    held("raw_ring_gone", || BadDescriptors { is_gone: true, ring: None, frame: 0, posted: 0, bad: 0 });
}

/// A's doorbells are rung as fast as they are taken: again and again for the same index.
struct Flood(u64);

impl Sink for Flood {
    fn fill(&mut self, _: &mut Scene, _: &mut Pair) -> Result<(), String> {
        Ok(())
    }

    fn every(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        for (host, bench) in scene.traffic.hosts.iter().zip([&mut pair.a, &mut pair.b]) {
            if host.nic.is_quiet(bench) {
                host.qps[BAD].ring(&host.nic, bench, true, true);
                self.0 += 2;
            }
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if self.0 < scene.cycles / 8 {
            return Err(format!("only {} doorbells in {} cycles", self.0, scene.cycles));
        }
        for from in 0..2 {
            scene.traffic.post(pair, from, BAD, Message::plain(SEND, vec![3; 500]));
        }
        scene.settle(pair, &[0, 1], 10_000, &mut |_, _| Ok(()))?;
        (0..1_000).for_each(|_| scene.traffic.step(pair));
        scene.check(pair, None)
    }
}

#[test]
fn a_flood_of_doorbells() {
    held("doorbells", || Flood(0));
}

/// Nobody takes the answers of the admin ports.
struct Answers;

/// Commands that are given meanwhile.
const COMMANDS: usize = 3;

impl Sink for Answers {
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        for (host, bench) in scene.traffic.hosts.iter_mut().zip([&mut pair.a, &mut pair.b]) {
            host.nic.hold_answers(bench, true);
            (0..COMMANDS).for_each(|_| host.nic.ask(bench, admin_row::QP, QPS[BAD]));
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let mut answered = [0; 2];
        for (host, bench) in scene.traffic.hosts.iter_mut().zip([&mut pair.a, &mut pair.b]) {
            host.nic.hold_answers(bench, false);
        }
        for _ in 0..1_000 {
            scene.traffic.step(pair);
            for (at, host) in scene.traffic.hosts.iter_mut().enumerate() {
                let answers = host.nic.answered(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())?;
                answered[at] += answers.len();
            }
        }
        same("A and B", "answers", answered, [COMMANDS; 2])?;
        scene.check(pair, None)
    }
}

#[test]
fn admin_answers_that_nobody_takes() {
    held("admin_answers", || Answers);
}
