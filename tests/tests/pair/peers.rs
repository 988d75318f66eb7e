// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a peer never does, or does for ever, on one connection while another one streams: its rate
//! stays, and the connection ends or waits as it is defined to (design decision D10).
use ferrowarp_abi::consts::{event_kind, wc_status};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::wire::{checksum, tcp_checksum};
use ferrowarp_sim::{Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, held, rewrite, stream_under, Blame, FrameHook, Message, Scene, Sink, BAD, RDMA_WRITE, SEND,
    TO_BASE,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Messages to a queue pair without a receive.
const MESSAGES: usize = 8;
/// Octets of each, and those of its frame on the wire: the FPDU, TCP, IPv4, Ethernet with preamble,
/// FCS and gap.
const OCTETS: usize = 203;
const ON_WIRE: usize = (2 + 18 + OCTETS).next_multiple_of(4) + 4 + 20 + 20 + 38;
/// Cycles between two frames of a third station; one has up to 16 of them on the wire.
const FRAME_EVERY: u64 = 150;

/// Sends to a queue pair that never has a receive.
struct NoReceive;

impl Sink for NoReceive {
    /// They leave amid the good connection's messages, eight octets a cycle.
    fn load(&self) -> u64 {
        (MESSAGES * ON_WIRE.div_ceil(8)) as u64
    }

    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        (0..MESSAGES).for_each(|_| scene.send(pair, OCTETS));
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        scene.check(pair, Some(Blame::remote(1, wc_status::FATAL_ERR, 0x1202, event_kind::QP_FATAL)))
    }
}

#[test]
fn no_receive_is_ever_posted() {
    held("no_receive_ever", || NoReceive);
}

/// B's segments of the bad connection say that its window is closed, or do not arrive.
struct Peer {
    is_silent: bool,
    acts: Arc<AtomicBool>,
}

impl Peer {
    fn new(is_silent: bool) -> Self {
        Self { is_silent, acts: Arc::default() }
    }
}

impl Sink for Peer {
    fn hook(&self) -> FrameHook {
        let (is_silent, acts) = (self.is_silent, Arc::clone(&self.acts));
        Box::new(move |sent| match sent.from == Side::B && acts.load(Ordering::Relaxed) {
            true if is_silent => Fate::Drop,
            // the window: 14 of Ethernet, 20 of IPv4, at 14 of TCP
            true => Fate::Replace(rewrite(sent.data, 14 + 20 + 14, 0)),
            false => Fate::Deliver,
        })
    }

    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        self.acts.store(true, Ordering::Relaxed);
        // twice the window
        for n in 0..12 {
            scene.traffic.post(pair, 0, BAD, Message::plain(RDMA_WRITE, vec![n; 3_000]));
        }
        // while A's window lasts both connections have the wire
        (0..8_000).for_each(|_| scene.traffic.step(pair));
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let owed = scene.traffic.waiting(0, BAD);
        let enough = if self.is_silent { owed == 12 } else { (1..12).contains(&owed) };
        if !enough {
            return Err(format!("{owed} of 12 completions of the bad connection are owed"));
        }
        scene.check_told(pair, None)?;
        // parked, not lost: the next segment of the peer has its ACK and its window
        self.acts.store(false, Ordering::Relaxed);
        scene.traffic.post(pair, 1, BAD, Message::plain(SEND, vec![0xAA; 8]));
        scene.settle(pair, &[0, 1], 30_000, &mut |_, _| Ok(()))?;
        // what is acknowledged may be on its way to memory
        (0..1_000).for_each(|_| scene.traffic.step(pair));
        scene.check(pair, None)
    }
}

#[test]
fn a_peer_whose_window_is_closed() {
    held("window_closed", || Peer::new(false));
}

#[test]
fn a_peer_that_never_acknowledges() {
    held("never_acknowledged", || Peer::new(true));
}

/// A third station sends a segment of the bad connection to B again and again; B's queue pair is in
/// error, or it is not.
struct Insistent {
    is_dead: bool,
    blame: Option<Blame>,
    /// A's first segment.
    segment: Arc<Mutex<Vec<u8>>>,
    /// Frames of B since then.
    answers: Arc<AtomicUsize>,
}

impl Insistent {
    fn new(is_dead: bool) -> Self {
        Self { is_dead, blame: None, segment: Arc::default(), answers: Arc::default() }
    }
}

impl Sink for Insistent {
    fn hook(&self) -> FrameHook {
        let (segment, answers) = (Arc::clone(&self.segment), Arc::clone(&self.answers));
        Box::new(move |sent| {
            match sent.from {
                Side::A => {
                    if let Some(first) = segment.lock().ok().filter(|s| s.is_empty()).as_mut() {
                        first.extend(sent.data);
                    }
                }
                Side::B => {
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            }
            Fate::Deliver
        })
    }

    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if self.is_dead {
            self.blame = Some(scene.stray_write(pair));
            // A does not know: its window's worth of what comes then is in order
            for _ in 0..20 {
                scene.stray_write(pair);
            }
        }
        (0..3_000).for_each(|_| scene.traffic.step(pair));
        self.answers.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn every(&mut self, _: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        if pair.a.cycle().is_multiple_of(FRAME_EVERY) {
            let segment = self.segment.lock().map_err(|e| e.to_string())?.clone();
            pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), segment);
        }
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let answers = self.answers.load(Ordering::Relaxed);
        // what was received already is acknowledged each time, also by a queue pair in error
        if (answers as u64) < scene.cycles / FRAME_EVERY {
            return Err(format!("{answers} frames of B in {} cycles", scene.cycles));
        }
        scene.check(pair, self.blame)
    }
}

#[test]
fn frames_for_a_queue_pair_in_error() {
    let free = stream_under("insistent", u64::MAX, || Insistent::new(false));
    stream_under("insistent_dead", free * 103 / 100, || Insistent::new(true));
}

/// A's segments with data arrive cut in half, so that B has the beginning of an FPDU and never its
/// end.
struct HalfAnFpdu;

/// The first half of a frame of TCP over IPv4, with the length and the checksums of a whole one.
fn half(frame: &[u8]) -> Vec<u8> {
    let mut other = frame[..frame.len() / 2].to_vec();
    let octets = other.len() - 14;
    other[16..18].copy_from_slice(&(octets as u16).to_be_bytes());
    other[24..26].fill(0);
    let header = checksum(&[&other[14..34]]);
    other[24..26].copy_from_slice(&header.to_be_bytes());
    other[50..52].fill(0);
    let sum = tcp_checksum(&other[26..30], &other[30..34], &other[34..]);
    other[50..52].copy_from_slice(&sum.to_be_bytes());
    other
}

impl Sink for HalfAnFpdu {
    fn hook(&self) -> FrameHook {
        Box::new(|sent| match sent.from == Side::A && sent.data.len() > 200 {
            true => Fate::Replace(half(sent.data)),
            false => Fate::Deliver,
        })
    }

    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let host = &scene.traffic.hosts[1];
        let (stag, to) = (host.stag(), TO_BASE + (host.expected.len() - 3_000) as u64);
        (0..MESSAGES).for_each(|_| scene.write(pair, stag, to, 3_000));
        (0..8_000).for_each(|_| scene.traffic.step(pair));
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        let sent = pair.link.stats(Side::A).damaged;
        if sent < 2 {
            return Err(format!("{sent} frames were cut"));
        }
        scene.check(pair, None)
    }
}

#[test]
fn an_fpdu_that_never_ends() {
    held("half_an_fpdu", || HalfAnFpdu);
}
