// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way around MPA transmit on the emitted Verilog: FPDUs and raw octets leave in the order of
//! their items.
use ferrowarp_hdl::record::TxFpdu;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Pattern, SinkId, SourceId};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

const FPDU: u64 = 0;
const RAW: u64 = 1;
const FIN: u64 = 2;
/// A `TxAnswer` of which `refused` alone is set.
const REFUSED: u64 = 1 << 17;

/// The feed with a stand-in for MPA: it puts two octets in front of each ULPDU, some time after it
/// came.
struct Feed {
    items: ChanSrcId,
    frames: SourceId,
    commands: ChanSinkId,
    ulpdus: SinkId,
    made: SourceId,
    segments: ChanSinkId,
    out: SinkId,
    /// ULPDUs that MPA holds, and when each may leave.
    inside: VecDeque<(u64, Vec<u8>)>,
    commanded: u64,
}

impl Feed {
    fn new(bench: &mut Bench) -> Self {
        let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
        let p: [Pattern; 6] = [(); 6].map(|()| pattern());
        bench.set("feed_ans_valid", 0);
        Self {
            items: bench.channel_source("feed_fpdu", p[0]),
            frames: bench.source("feed_rx", p[1]),
            commands: bench.channel_sink("feed_cmd", p[2]),
            ulpdus: bench.sink("feed_ulpdu", p[3]),
            made: bench.source("feed_made", Pattern::None),
            segments: bench.channel_sink("feed_seg", p[4]),
            out: bench.sink("feed_tx", p[5]),
            inside: VecDeque::new(),
            commanded: 0,
        }
    }

    /// MPA's part of one cycle.
    fn mpa(&mut self, bench: &mut Bench) {
        self.commanded += bench.taken(self.commands).len() as u64;
        for frame in bench.received(self.ulpdus) {
            let at = bench.cycle() + bench.rng().random_range(0..60);
            self.inside.push_back((at, [&[0xAA, 0xBB], &frame.data[..]].concat()));
        }
        if self.inside.front().is_some_and(|f| f.0 <= bench.cycle()) {
            if let Some((_, data)) = self.inside.pop_front() {
                bench.send(self.made, Frame::good(data));
            }
        }
    }

    /// Queues the item of a frame of `length` octets, and it.
    fn put(&self, bench: &mut Bench, kind: u64, octets: &[u8]) {
        let rest: [u64; 3] = bench.rng().random();
        let record = Record::<TxFpdu>::new()
            .with("qp", rest[0] & 0xFF)
            .with("length", octets.len())
            .with("kind", kind)
            .with("replay", rest[0] >> 8 & 1)
            .with("seq", rest[1] & 0xFFFF_FFFF)
            .with("phase", rest[2] & 511)
            .with("octets", rest[2] >> 9 & 0xFFFF)
            .with("markers", rest[2] >> 25 & 1)
            .with("crc", rest[2] >> 26 & 1);
        bench.put(self.items, record.item());
        if kind != FIN {
            bench.send(self.frames, Frame::good(octets.to_vec()));
        }
    }
}

#[test]
fn the_order_is_that_of_the_items() {
    run_case("feed-order", Top::TcpTxW64, 4, |bench| {
        let mut feed = Feed::new(bench);
        let (mut expected, mut kinds) = (vec![], vec![]);
        for i in 0..200_u64 {
            let kind = *[FPDU, FPDU, RAW, FIN].choose(bench.rng()).unwrap_or(&FPDU);
            let length = bench.rng().random_range(1..80);
            let octets: Vec<u8> = (0..length).map(|n| (i + n) as u8).collect();
            feed.put(bench, kind, &octets);
            kinds.push((kind, length));
            match kind {
                FPDU => expected.push([&[0xAA, 0xBB], &octets[..]].concat()),
                RAW => expected.push(octets),
                _ => {}
            }
        }
        bench.expect(feed.out, expected.len() as u64);
        bench.run_until(200_000, |b| {
            feed.mpa(b);
            b.waiting(feed.out) >= expected.len() && b.waiting_items(feed.segments) >= kinds.len()
        })?;
        let frames: Vec<_> = bench.received(feed.out).into_iter().map(|f| f.data).collect();
        assert_eq!(frames, expected);
        // TCP hears of every item as it is, MPA of FPDUs only
        let told: Vec<_> = bench
            .taken(feed.segments)
            .iter()
            .map(|item| {
                let told = Record::<TxFpdu>::of_item(item);
                (told.get("kind"), told.get("length"))
            })
            .collect();
        assert_eq!(told, kinds);
        assert_eq!(feed.commanded, kinds.iter().filter(|k| k.0 == FPDU).count() as u64);
        Ok(())
    });
}

#[test]
fn raw_octets_wait_for_the_fpdus_before_them() {
    run_case("feed-wait", Top::TcpTxW64, 1, |bench| {
        let feed = Feed::new(bench);
        feed.put(bench, FPDU, &[1; 20]);
        feed.put(bench, RAW, &[2; 30]);
        feed.put(bench, FPDU, &[3; 40]);
        bench.run_until(2_000, |b| b.waiting(feed.ulpdus) == 1)?;
        (0..500).for_each(|_| bench.step());
        assert_eq!(bench.waiting(feed.out), 0, "raw octets passed an FPDU");
        assert_eq!(bench.waiting(feed.ulpdus), 1, "an FPDU passed raw octets");
        bench.send(feed.made, Frame::good(vec![9; 24]));
        bench.run_until(2_000, |b| b.waiting(feed.out) == 2 && b.waiting(feed.ulpdus) == 2)?;
        let frames: Vec<_> = bench.received(feed.out).into_iter().map(|f| f.data).collect();
        assert_eq!(frames, [vec![9; 24], vec![2; 30]]);
        Ok(())
    });
}

/// A command that MPA refuses gives no FPDU: what comes behind must not wait for it.
#[test]
fn a_refused_command_holds_nothing() {
    run_case("feed-refused", Top::TcpTxW64, 1, |bench| {
        let feed = Feed::new(bench);
        feed.put(bench, FPDU, &[1; 20]);
        feed.put(bench, RAW, &[2; 30]);
        bench.run_until(2_000, |b| b.waiting(feed.ulpdus) == 1)?;
        bench.set("feed_ans_valid", 1);
        bench.set("feed_ans_item", REFUSED);
        bench.settle();
        assert_eq!(bench.get("feed_refused"), 1);
        bench.step();
        bench.set("feed_ans_valid", 0);
        bench.run_until(2_000, |b| b.waiting(feed.out) == 1)?;
        assert_eq!(bench.received(feed.out)[0].data, vec![2; 30]);
        Ok(())
    });
}
