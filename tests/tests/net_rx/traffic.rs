// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network receive stage on the emitted Verilog, against a model in plain code: random traffic,
//! rubbish, rates.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::wire::{Ip, IPV4, TCP};
use ferrowarp_sim::{run_case, seeds, Bench};
use ferrowarp_tests::net_rx::{plain, Rx};
use ferrowarp_tests::net_rx_frames::{ethernet, ip_packet, Segment, Tuple, ACK, FIN, RST, SYN, URG};
use ferrowarp_tests::net_rx_model::{bad, Conn, Model, Outcome, WINDOW};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;

/// Octets and frames that may be under way at once without being lost however the sinks stall: less
/// than half of what holds raw frames, and than the queue of jobs.
const UNDER_WAY: (usize, usize) = (3_500, 24);

/// A connection with random numbers, some of them just before the wrap.
fn random_conn(rng: &mut ChaCha8Rng) -> Conn {
    let is_ipv6 = rng.random();
    let tuple = Tuple::random(rng, is_ipv6);
    let mut number = || if rng.random() { u32::MAX - rng.random_range(0..3_000) } else { rng.random() };
    let (rcv_nxt, una) = (number(), number());
    let mut conn = Conn::new(tuple, rcv_nxt, una);
    conn.scale = rng.random_range(0..=14);
    conn.snd_nxt = una.wrapping_add(rng.random_range(0..2_000));
    conn.vlan = rng.random_bool(0.4).then(|| rng.random());
    conn
}

/// The connection's tag, mostly: another priority, another VLAN by one bit, a priority alone, no
/// tag.
fn tag(rng: &mut ChaCha8Rng, conn: &Conn) -> Option<u16> {
    match rng.random_range(0..30) {
        0 => Some(conn.vlan.unwrap_or(0) ^ 1 << rng.random_range(0..12)),
        1 => Some(rng.random::<u16>() & 0xF000),
        2 => None,
        3..10 => conn.vlan.map(|tci| tci ^ 0x7000),
        _ => conn.vlan,
    }
}

/// Octets of options, 0 to 40.
fn options(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let words = *[0, 0, 0, 3, 5, 10].choose(rng).unwrap_or(&0);
    (0..4 * words).map(|_| rng.random()).collect()
}

/// A segment near what the connection expects: mostly in order, sometimes old, ahead, or strange.
fn random_segment(rng: &mut ChaCha8Rng, conn: &Conn) -> Segment {
    let ack = match rng.random_range(0..10) {
        0 => conn.una.wrapping_sub(rng.random_range(1..200_000)),
        1 => conn.snd_nxt.wrapping_add(rng.random_range(1..100)),
        2..6 => conn.una,
        _ => conn.una.wrapping_add(rng.random_range(0..=conn.snd_nxt.wrapping_sub(conn.una))),
    };
    let seq = match rng.random_range(0..12) {
        0 => conn.rcv_nxt.wrapping_sub(rng.random_range(1..1_000)),
        1 => conn.rcv_nxt.wrapping_add(rng.random_range(1..6_000)),
        2 => conn.rcv_nxt.wrapping_sub(rng.random_range(1..4)),
        3 => conn.rcv_nxt.wrapping_sub(1_000 + rng.random_range(0..100_000)),
        _ => conn.rcv_nxt,
    };
    let mut s = Segment::new(&conn.tuple, seq, ack);
    let length = match rng.random_range(0..20) {
        0 => rng.random_range(1_461..8_000),
        1..6 => 0,
        6..12 => rng.random_range(1..30),
        _ => rng.random_range(1..=1_460),
    };
    s.data = (0..length).map(|_| rng.random()).collect();
    s.options = options(rng);
    if !conn.tuple.is_ipv6() {
        s.ip_options = options(rng);
    }
    s.vlan = tag(rng, conn);
    s.window = *[0, 0x4000, (conn.window >> conn.scale) as u16, rng.random()].choose(rng).unwrap_or(&0);
    s.padding = *[0, 0, 1, 7, 30].choose(rng).unwrap_or(&0);
    s.flags |= match rng.random_range(0..60) {
        0 => FIN,
        1 => SYN,
        2 => RST,
        3 => URG,
        _ => 0,
    };
    if rng.random_bool(0.02) {
        s.flags &= !ACK;
    }
    s
}

/// A frame that is no business of a connection.
fn stranger(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let tuple = {
        let is_ipv6 = rng.random();
        Tuple::random(rng, is_ipv6)
    };
    let payload: Vec<u8> = (0..rng.random_range(0..200)).map(|_| rng.random()).collect();
    let vlan = rng.random_bool(0.3).then(|| rng.random());
    let ethertype = tuple.ip().ethertype();
    match rng.random_range(0..7) {
        6 => {
            // more fragments, an offset, and what is none: the reserved bit with DF
            let fragment = *[0x2000, 0x0001, 0x3FFF, 0xC000].choose(rng).unwrap_or(&0);
            let tuple = Tuple::random(rng, false);
            let segment = Segment { data: payload, ..Segment::new(&tuple, 1, 2) };
            ethernet(vlan, IPV4, &Ip { fragment, ..tuple.ip() }.packet(TCP, &segment.tcp()), 0)
        }
        0 => ethernet(vlan, 0x0806, &payload, 0),
        1 => ethernet(vlan, rng.random(), &payload, 0),
        2 => ethernet(vlan, ethertype, &ip_packet(&tuple, &[], 17, &payload), 0),
        3 => ethernet(vlan, ethertype, &ip_packet(&tuple, &[], 44, &payload), 0),
        _ => Segment { data: payload, flags: SYN, ..Segment::new(&tuple, 1, 2) }.frame(),
    }
}

/// Wrong here and there: a bit, the end, or all of it.
fn spoil(rng: &mut ChaCha8Rng, frame: &mut Vec<u8>) {
    match rng.random_range(0..4) {
        0 => frame.truncate(rng.random_range(1..=frame.len())),
        1 => frame.iter_mut().for_each(|o| *o = rng.random()),
        _ => {
            for _ in 0..rng.random_range(1..3) {
                let at = rng.random_range(0..frame.len().min(100));
                frame[at] ^= 1 << rng.random_range(0..8);
            }
        }
    }
}

/// Connections with random traffic between them, a batch at a time so that nothing may be lost.
fn traffic(bench: &mut Bench, frames: usize, seen: &RefCell<Seen>) -> Result<(), String> {
    let mut rx = Rx::random(bench)?;
    let mut model = Model::default();
    for qp in 0..4 {
        let conn = random_conn(bench.rng());
        assert_eq!(rx.insert(bench, qp as u64, &conn)?, 0, "insertion of {qp}");
        model.conns[qp] = Some(conn);
    }
    let mut under_way = (0, 0);
    for _ in 0..frames {
        let qp = bench.rng().random_range(0..4);
        let rng = bench.rng();
        let mut frame = match (rng.random_range(0..10), &model.conns[qp]) {
            (0, _) | (_, None) => stranger(rng),
            (_, Some(conn)) => random_segment(rng, conn).frame(),
        };
        if rng.random_bool(0.1) {
            spoil(rng, &mut frame);
        }
        let err = rng.random_bool(0.03);
        if under_way.1 == UNDER_WAY.1 || (under_way.1 > 0 && under_way.0 + frame.len() > UNDER_WAY.0) {
            seen.borrow_mut().add(&model.expected);
            rx.check(bench, &mut model)?;
            under_way = (0, 0);
            change(bench, &mut rx, &mut model)?;
        }
        under_way = (under_way.0 + frame.len(), under_way.1 + 1);
        rx.send(bench, &mut model, frame, err);
    }
    seen.borrow_mut().add(&model.expected);
    rx.check(bench, &mut model)
}

/// What all cases together met.
#[derive(Debug, Default)]
struct Seen {
    counts: [u64; 14],
    reasons: [u64; 6],
    events: [u64; 4],
    texts: u64,
    cut: u64,
    duplicates: u64,
    windows: u64,
}

impl Seen {
    fn add(&mut self, outcome: &Outcome) {
        self.counts.iter_mut().zip(outcome.counts).for_each(|(n, more)| *n += more);
        outcome.raw.iter().for_each(|r| self.reasons[usize::from(r.1)] += 1);
        outcome.events.iter().for_each(|e| self.events[usize::from(e.1)] += 1);
        // a FIN is told by MPA, when the stream ends there
        self.events[2] += outcome.texts.iter().filter(|t| t.end).count() as u64;
        self.texts += outcome.texts.len() as u64;
        self.cut += outcome.texts.iter().filter(|t| t.octets.len() == WINDOW as usize).count() as u64;
        self.duplicates += outcome.facts.iter().filter(|f| f.0.is_dup).count() as u64;
        self.windows += outcome.facts.iter().filter(|f| f.0.window.is_some()).count() as u64;
    }

    /// Nothing that random traffic is for was missing.
    fn judge(&self) {
        let met = [
            bad::FCS,
            bad::MALFORMED,
            bad::IP,
            bad::TCP,
            bad::OUTSIDE,
            bad::ACK,
            bad::GAP,
            bad::URGENT,
            bad::STRANGE,
        ];
        let all = met.iter().all(|&i| self.counts[i] > 0)
            && self.reasons[1..].iter().chain(&self.events[1..]).all(|&n| n > 0)
            && [self.texts, self.cut, self.duplicates, self.windows].iter().all(|&n| n > 0);
        assert!(all, "{self:?}");
    }
}

/// Between batches: octets are sent, a connection ends, or is replaced.
fn change(bench: &mut Bench, rx: &mut Rx, model: &mut Model) -> Result<(), String> {
    let qp = bench.rng().random_range(0..4);
    match (bench.rng().random_range(0..7), &mut model.conns[qp]) {
        (0..5, Some(conn)) => {
            conn.snd_nxt = conn.snd_nxt.wrapping_add(bench.rng().random_range(0..3_000));
            rx.publish(bench, qp as u64, conn.snd_nxt);
        }
        (5, conn) => {
            let wanted = if conn.is_some() { 0 } else { 3 };
            assert_eq!(rx.remove(bench, qp as u64)?, wanted, "removal of {qp}");
            *conn = None;
        }
        (6, conn @ None) => {
            let new = random_conn(bench.rng());
            assert_eq!(rx.insert(bench, qp as u64, &new)?, 0, "insertion of {qp}");
            *conn = Some(new);
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn random_traffic() {
    let seen = RefCell::default();
    let seeds = seeds(0..24, 0..1_000);
    for &seed in &seeds {
        run_case("net_rx-traffic", Top::NetRxW64, seed, |bench| traffic(bench, 120, &seen));
    }
    if seeds.len() > 1 {
        seen.borrow().judge();
    }
}

#[test]
fn shortest_frames_at_line_rate() {
    plain("shortest", |bench, rx| {
        let mut model = Model::default();
        let conn = Conn::new(Tuple::random(bench.rng(), false), 7, 9);
        rx.insert(bench, 2, &conn)?;
        model.conns[2] = Some(conn.clone());
        for i in 0..400_u32 {
            let mut s = Segment::new(&conn.tuple, 7 + 6 * i, 9);
            s.data = i.to_be_bytes().repeat(2)[..6].to_vec();
            rx.send(bench, &mut model, s.frame(), false);
        }
        rx.check(bench, &mut model)?;
        let rate = bench.source_rate(rx.input);
        // 60 octets are eight beats; on the wire there would be 20 octets more between two frames
        assert_eq!((rate.beats, rate.cycles()), (400 * 8, 400 * 8));
        Ok(())
    });
}

#[test]
fn long_frames_a_beat_a_cycle() {
    plain("long", |bench, rx| {
        for (mss, is_ipv6) in [(1_460, false), (1_440, true)] {
            let mut model = Model::default();
            let conn = Conn::new(Tuple::random(bench.rng(), is_ipv6), 7, 9);
            rx.insert(bench, u64::from(is_ipv6), &conn)?;
            model.conns[usize::from(is_ipv6)] = Some(conn.clone());
            bench.restart_rates();
            for i in 0..60_u32 {
                let mut s = Segment::new(&conn.tuple, 7 + mss * i, 9);
                s.data = (0..mss).map(|k| (k ^ i) as u8).collect();
                rx.send(bench, &mut model, s.frame(), false);
            }
            rx.check(bench, &mut model)?;
            let (input, output) = (bench.source_rate(rx.input), bench.sink_rate(rx.output));
            assert_eq!(input.beats, input.cycles());
            assert!(output.cycles() <= input.cycles(), "{output:?} {input:?}");
        }
        Ok(())
    });
}
