// SPDX-License-Identifier: MIT OR Apache-2.0
//! All kinds of messages on several queue pairs at once, on emitted Verilog against the model.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::ddp_model::{
    invalidating, tagged, terminate, untagged, Read, Receive, Request, Scatter,
};
use ferrowarp_tests::ddp_rx::{quiet, Pauses, Rx, PAIRS};
use ferrowarp_tests::mr::Region;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::Rng;
use std::collections::VecDeque;

/// Octets of a region.
const SPAN: u64 = 1 << 16;
/// Reads of ours, and regions that the peer may invalidate, of a queue pair.
const EACH: u64 = 6;

/// Makes a segment: offset in the message, whether it is the last, payload.
type Make<'a> = &'a dyn Fn(usize, bool, &[u8]) -> Vec<u8>;

/// What the peer of a queue pair still sends, and what it knows.
struct Peer {
    qp: u8,
    /// Tagged offsets of the region that it may read and write.
    to: u64,
    /// Where our receives and Reads go.
    ours: u64,
    msn: u32,
    request_msn: u32,
    reads: VecDeque<Read>,
    names: u64,
    queue: VecDeque<Vec<u8>>,
}

/// STag of a region: 0 of the peer's, 1 of ours, from 2 on those it may invalidate.
fn stag(qp: u8, which: u64) -> u32 {
    (12 * u32::from(qp) + 1 + which as u32) << 8 | u32::from(qp ^ 0x33)
}

impl Peer {
    /// Rows, regions, and the Reads of ours that will be answered.
    fn new(bench: &mut Bench, rx: &mut Rx, qp: u8) -> Result<Self, String> {
        let pd = 50 + u16::from(qp);
        rx.set_up(bench, qp, pd, qp.into())?;
        let base = (u64::from(qp) << 32) + bench.rng().random_range(0..5_000);
        let to = bench.rng().random_range(0..u64::MAX - 2 * SPAN);
        let theirs = Region { remote_read: true, to_base: to, ..Region::writable(base, SPAN, pd, qp ^ 0x33) };
        rx.region(bench, stag(qp, 0) >> 8, theirs)?;
        let ours = bench.rng().random_range(0..u64::MAX - 2 * SPAN);
        let private = Region { local_write: true, remote_write: false, remote_read: false, ..theirs };
        let private = Region { base: base + 4 * SPAN, to_base: ours, ..private };
        rx.region(bench, stag(qp, 1) >> 8, private)?;
        for i in 0..EACH {
            let named = Region { only: Some(qp.into()), base: base + 8 * SPAN, ..theirs };
            rx.region(bench, stag(qp, 2 + i) >> 8, named)?;
        }
        let mut reads = VecDeque::new();
        for i in 0..EACH {
            let length = *[0, 1, 700, 1_446, 2_000].choose(bench.rng()).unwrap_or(&8);
            let read = Read { stag: stag(qp, 1), to: ours + 0x8000 + 2_000 * i, length, got: 0 };
            rx.read(bench, qp, read);
            reads.push_back(read);
        }
        let (msn, request_msn, names, queue) = (0, 0, 0, VecDeque::new());
        Ok(Self { qp, to, ours, msn, request_msn, reads, names, queue })
    }

    /// Segments of one more message.
    fn message(&mut self, bench: &mut Bench, rx: &mut Rx) {
        let octets =
            |bench: &mut Bench, n: u32| -> Vec<u8> { (0..n).map(|_| bench.rng().random()).collect() };
        let length = *[0, 1, 7, 40, 300, 1_500].choose(bench.rng()).unwrap_or(&8);
        let cut = *[16, 61, 512, 1_442].choose(bench.rng()).unwrap_or(&64);
        let pieces = |data: &[u8]| -> Vec<Vec<u8>> {
            if data.is_empty() {
                vec![vec![]]
            } else {
                data.chunks(cut).map(<[u8]>::to_vec).collect()
            }
        };
        let make = |data: &[u8], segment: Make<'_>| -> Vec<Vec<u8>> {
            let all = pieces(data);
            let last = all.len() - 1;
            all.iter().enumerate().map(|(i, p)| segment(i * cut, i == last, p)).collect()
        };
        let qp = self.qp;
        let ulpdus = match bench.rng().random_range(0..5) {
            0 => {
                let to = self.to + bench.rng().random_range(0..SPAN - 2_000);
                let key = if bench.rng().random() { 0 } else { 2 + self.names.min(EACH - 1) };
                let data = octets(bench, length);
                // a key that was invalidated is used no more, unless by mistake
                let key = if self.names < EACH { key } else { 0 };
                make(&data, &|at, last, p| tagged(0, stag(qp, key), to + at as u64, last, p))
            }
            1 if self.request_msn < 8 => {
                self.request_msn += 1;
                let length = *[0, 1, 5_000].choose(bench.rng()).unwrap_or(&0);
                let src_to = self.to + bench.rng().random_range(0..SPAN - 5_000);
                let (sink_stag, sink_to) = (bench.rng().random(), bench.rng().random());
                let request = Request { qp, sink_stag, sink_to, length, src_stag: stag(qp, 0), src_to };
                vec![request.ulpdu(self.request_msn)]
            }
            2 if !self.reads.is_empty() => {
                let read = self.reads.pop_front().unwrap_or_default();
                let data = octets(bench, read.length);
                make(&data, &|at, last, p| tagged(2, read.stag, read.to + at as u64, last, p))
            }
            kind => {
                self.msn += 1;
                let (msn, to) = (self.msn, self.ours + u64::from(self.msn % 16) * 1_700);
                let scatters = vec![Scatter { to, length: 1_600, key: stag(qp, 1) }];
                rx.post(qp, Receive { index: bench.rng().random(), scatters });
                let data = octets(bench, length);
                if kind == 3 && self.names < EACH {
                    self.names += 1;
                    let (name, opcode) =
                        (stag(qp, 1 + self.names), *[4, 6].choose(bench.rng()).unwrap_or(&4));
                    make(&data, &|at, last, p| invalidating(opcode, name, msn, at as u32, last, p))
                } else {
                    let opcode = *[3, 5].choose(bench.rng()).unwrap_or(&3);
                    make(&data, &|at, last, p| untagged(opcode, 0, msn, at as u32, last, p))
                }
            }
        };
        self.queue.extend(ulpdus);
    }
}

fn pauses(bench: &mut Bench) -> Pauses {
    let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
    Pauses { idle: pattern(), stall: pattern() }
}

#[test]
fn all_kinds_of_several_queue_pairs() {
    for seed in seeds(1..6, 1..120) {
        run_case("ddp_rx-mix", Top::DdpRxW64, seed, |bench| {
            let pauses = pauses(bench);
            let mut rx = Rx::new(bench, pauses)?;
            rx.stuck = bench.rng().random_range(0..3);
            let mut peers = vec![];
            for qp in [1, 4, 10, 15] {
                peers.push(Peer::new(bench, &mut rx, qp)?);
            }
            rx.reads_noted(bench)?;
            for peer in &mut peers {
                (0..20).for_each(|_| peer.message(bench, &mut rx));
            }
            while !peers.is_empty() {
                let i = bench.rng().random_range(0..peers.len());
                match peers[i].queue.pop_front() {
                    Some(ulpdu) => rx.send(bench, peers[i].qp, 0, &ulpdu),
                    None => drop(peers.swap_remove(i)),
                }
            }
            for _ in 0..2_000 {
                rx.run(bench, 1)?;
            }
            rx.stuck = 0;
            rx.check(bench)?;
            let m = &rx.model;
            assert!(m.faults.is_empty() && m.requests.len() > 4 && m.done.len() > 4, "{m:?}");
            assert!(m.completions.iter().filter(|c| c.invalidated.is_some()).count() > 2);
            Ok(())
        });
    }
}

#[test]
fn faults_of_any_kind_stop_their_queue_pair_alone() {
    for seed in seeds(1..6, 1..120) {
        run_case("ddp_rx-mix-faults", Top::DdpRxW64, seed, |bench| {
            let pauses = pauses(bench);
            let mut rx = Rx::new(bench, pauses)?;
            let mut peers = vec![];
            for qp in 0..PAIRS {
                peers.push(Peer::new(bench, &mut rx, qp)?);
            }
            rx.reads_noted(bench)?;
            for _ in 0..260 {
                let i = bench.rng().random_range(0..peers.len());
                while peers[i].queue.is_empty() {
                    peers[i].message(bench, &mut rx);
                }
                let mut ulpdu = peers[i].queue.pop_front().unwrap_or_default();
                if bench.rng().random_bool(0.06) {
                    match bench.rng().random_range(0..6) {
                        // a bit of header or RDMAP header
                        0 | 1 => {
                            let bit = bench.rng().random_range(0..8 * ulpdu.len().min(46));
                            ulpdu[bit / 8] ^= 1 << (bit % 8);
                        }
                        // another opcode, another queue
                        2 => ulpdu[1] = 0x40 | bench.rng().random_range(0..16),
                        3 => {
                            ulpdu.resize(ulpdu.len().max(18), 0);
                            ulpdu[9] = bench.rng().random_range(0..4);
                        }
                        // cut short or too long
                        4 => {
                            let length = bench.rng().random_range(14..80);
                            ulpdu.resize(length, 0x11);
                        }
                        _ => ulpdu = terminate(&bench.rng().random::<u32>().to_be_bytes()),
                    }
                }
                let qp = peers[i].qp;
                rx.send(bench, qp, 0, &ulpdu);
            }
            rx.check(bench)?;
            assert!(rx.faults.len() > 3, "{} faults", rx.faults.len());
            Ok(())
        });
    }
}

#[test]
fn a_sink_that_takes_nothing_for_a_while_loses_nothing() {
    quiet("mix-held", |bench, rx| {
        let mut peers = vec![];
        for qp in [2, 9] {
            peers.push(Peer::new(bench, rx, qp)?);
        }
        rx.reads_noted(bench)?;
        let mut all = vec![];
        for peer in &mut peers {
            (0..16).for_each(|_| peer.message(bench, rx));
            all.extend(peer.queue.drain(..).map(|ulpdu| (peer.qp, ulpdu)));
        }
        all.iter().for_each(|(qp, ulpdu)| rx.send(bench, *qp, 0, ulpdu));
        let mut sinks = [rx.rr, rx.deliver, rx.fault];
        sinks.shuffle(bench.rng());
        for sink in sinks {
            bench.hold_channel_sink(sink, true);
            rx.run(bench, 300)?;
            bench.hold_channel_sink(sink, false);
        }
        rx.check(bench)
    });
}

/// Cycles a segment, with `count` segments made by `make`.
fn cycles(bench: &mut Bench, rx: &mut Rx, all: &[Vec<u8>]) -> Result<f64, String> {
    let start = bench.cycle();
    all.iter().for_each(|ulpdu| rx.send(bench, 1, 0, ulpdu));
    while rx.requests.len() < rx.model.requests.len() || rx.done.len() < rx.model.done.len() {
        rx.run(bench, 1)?;
    }
    let taken = bench.cycle() - start;
    rx.check(bench)?;
    Ok(taken as f64 / all.len() as f64)
}

#[test]
fn responses_flow_a_beat_a_cycle_and_requests_as_fast_as_their_octets() {
    quiet("mix-rate", |bench, rx| {
        let peer = Peer::new(bench, rx, 1)?;
        rx.reads_noted(bench)?;
        // the first Reads are others'; a long one behind them is what is measured
        rx.set_up(bench, 1, 51, 1)?;
        let (to, key) = (peer.ours, stag(1, 1));
        rx.read(bench, 1, Read { stag: key, to, length: 40 * 1_446, got: 0 });
        rx.reads_noted(bench)?;
        let part = |i: u64| tagged(2, key, to + 1_446 * i, i == 39, &[7; 1_446]);
        let each = cycles(bench, rx, &(0..40).map(part).collect::<Vec<_>>())?;
        assert!(each <= 188.0, "{each} cycles for a segment of 182.5 beats");
        let request = |msn| {
            let (src_stag, src_to) = (stag(1, 0), peer.to);
            Request { qp: 1, sink_stag: 1, sink_to: 2, length: 9, src_stag, src_to }.ulpdu(msn)
        };
        let each = cycles(bench, rx, &(1..=8).map(request).collect::<Vec<_>>())?;
        assert!(each <= 14.0, "{each} cycles for a Read Request of 6 beats");
        Ok(())
    });
}
