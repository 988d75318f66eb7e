// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA ports of the device against the host's memory: reads of four clients under the tags of
//! the bus, and posted writes of four clients in one order.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    run_case, seeds, Bench, ChanSinkId, ChanSrcId, Frame, Item, MemoryPorts, MemoryTiming, Pattern, SourceId,
};
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore};
use std::collections::BTreeMap;

/// 156.25 MHz.
const CLOCK_PS: u64 = 6_400;
/// Where the memory of these tests lies, and how long it is.
const BASE: u64 = 0xffff_8000_0000_1000;
const OCTETS: usize = 0x8000;
const CLIENTS: usize = 4;

fn timings() -> [MemoryTiming; 2] {
    [MemoryTiming::steady(CLOCK_PS), MemoryTiming::rough(CLOCK_PS)]
}

/// A memory with random octets.
fn memory(
    bench: &mut Bench,
    ports: &MemoryPorts,
    timing: MemoryTiming,
    writable: bool,
) -> (ferrowarp_sim::MemoryId, Vec<u8>) {
    let memory = bench.memory(ports, timing);
    let mut octets = vec![0; OCTETS];
    bench.rng().fill_bytes(&mut octets);
    bench.host(memory).map(BASE, OCTETS as u64, writable).unwrap();
    bench.host(memory).write(BASE, &octets).unwrap();
    (memory, octets)
}

/// The ends of one read client.
struct Reader {
    requests: ChanSrcId,
    answers: ChanSinkId,
    /// Octets of requests without their final frame, by tag.
    open: BTreeMap<u64, Vec<u8>>,
    /// Tag of the frame that is open.
    frame: Option<u64>,
}

impl Reader {
    fn new(bench: &mut Bench, client: usize, idle: Pattern) -> Self {
        Self {
            requests: bench.channel_source(&format!("read_c{client}_req"), idle),
            // a client is always ready: it has reserved room (D10)
            answers: bench.channel_sink(&format!("read_c{client}_ans"), Pattern::None),
            open: BTreeMap::new(),
            frame: None,
        }
    }

    fn ask(&mut self, bench: &mut Bench, addr: u64, length: usize, tag: u64) {
        let item = Item::new().with("addr", addr).with("length", length as u64).with("tag", tag);
        bench.put(self.requests, item);
    }

    /// Requests that were answered: tag, octets, failed.
    fn answered(&mut self, bench: &mut Bench) -> Vec<(u64, Vec<u8>, bool)> {
        let mut done = vec![];
        for beat in bench.taken(self.answers) {
            let field = |name: &str| beat.u64(name).unwrap();
            let (tag, last) = (field("tag"), field("last") == 1);
            assert_eq!(*self.frame.get_or_insert(tag), tag, "frames are mixed");
            let octets = &beat.bytes("data").unwrap()[..field("bytes") as usize];
            self.open.entry(tag).or_default().extend(octets);
            if last {
                self.frame = None;
                if field("final") == 1 {
                    done.push((tag, self.open.remove(&tag).unwrap(), field("err") == 1));
                }
            }
        }
        done
    }
}

#[test]
fn every_client_gets_what_it_asked_for_under_its_own_tag() {
    for seed in seeds(0..3, 0..40) {
        for timing in timings() {
            run_case("host-reads", Top::HostW64, seed, |bench| {
                let (memory, octets) = memory(bench, &MemoryPorts::read("read_rd"), timing, false);
                let mut readers: Vec<_> =
                    (0..CLIENTS).map(|c| Reader::new(bench, c, Pattern::Random)).collect();
                let mut want = BTreeMap::new();
                for n in 0..25_u64 {
                    for (client, reader) in readers.iter_mut().enumerate() {
                        let length = bench.rng().random_range(1..=[16, 64, 700, 4096][client]);
                        let at = bench.rng().random_range(0..OCTETS + 200);
                        // clients use the same tags, and all the bits of them
                        let tag = (n * 10 + 3) % 256;
                        reader.ask(bench, BASE + at as u64, length, tag);
                        want.insert((client, tag), (at, length));
                    }
                }
                let mut refused = 0;
                bench.run_until(400_000, |b| {
                    for (client, reader) in readers.iter_mut().enumerate() {
                        for (tag, got, err) in reader.answered(b) {
                            let (at, length) = want.remove(&(client, tag)).expect("asked for");
                            assert_eq!(err, at + length > OCTETS, "client {client}, tag {tag}");
                            refused += usize::from(err);
                            assert!(err || got == octets[at..at + length], "client {client}, tag {tag}");
                        }
                    }
                    want.is_empty()
                })?;
                assert_eq!(bench.host(memory).take_refused().len(), refused);
                Ok(())
            });
        }
    }
}

#[test]
fn reads_keep_the_stream_full_and_clients_take_turns() {
    run_case("host-read-rate", Top::HostW64, 1, |bench| {
        let (_, octets) = memory(bench, &MemoryPorts::read("read_rd"), MemoryTiming::steady(CLOCK_PS), false);
        let mut readers: Vec<_> = (0..CLIENTS).map(|c| Reader::new(bench, c, Pattern::None)).collect();
        bench.monitor_channel("read_rd_req");
        let bus = bench.cycle();
        for n in 0..32 {
            readers.iter_mut().for_each(|r| r.ask(bench, BASE + 64 * n, 512, n));
        }
        let mut order = vec![];
        bench.run_until(20_000, |b| {
            for (client, reader) in readers.iter_mut().enumerate() {
                for (tag, got, err) in reader.answered(b) {
                    assert!(!err && got == octets[64 * tag as usize..][..512]);
                    order.push(client);
                }
            }
            order.len() == 128
        })?;
        let turns = |w: &[usize]| w.iter().collect::<std::collections::BTreeSet<_>>().len() == CLIENTS;
        assert!(order.chunks(CLIENTS).all(turns), "{order:?}");
        // 128 answers of 64 beats one after the other, behind 32 cycles of tags, 600 ns and 4
        // cycles of registers
        let cycles = bench.cycle() - bus;
        let beats: u64 = readers.iter().map(|r| bench.channel_sink_rate(r.answers).beats).sum();
        assert_eq!(beats, 128 * 64);
        assert!(cycles < beats + 150, "{cycles} cycles for {beats} beats");
        let first = readers.iter().map(|r| bench.channel_sink_rate(r.answers).first_cycle).min().unwrap();
        let last = readers.iter().map(|r| bench.channel_sink_rate(r.answers).last_cycle).max().unwrap();
        assert_eq!(last - first + 1, beats);
        Ok(())
    });
}

/// The ends of one write client.
struct Writer {
    commands: ChanSrcId,
    frames: SourceId,
}

impl Writer {
    fn new(bench: &mut Bench, client: usize, idle: Pattern) -> Self {
        let commands = bench.channel_source(&format!("post_c{client}_cmd"), idle);
        Self { commands, frames: bench.source(&format!("post_c{client}"), Pattern::None) }
    }

    fn write(&self, bench: &mut Bench, addr: u64, octets: &[u8]) {
        bench.put(self.commands, Item::new().with("addr", addr).with("length", octets.len() as u64));
        bench.send(self.frames, Frame::good(octets.to_vec()));
    }

    fn idle(&self, bench: &Bench) -> bool {
        bench.put_all(self.commands) && bench.sent_all(self.frames)
    }
}

#[test]
fn writes_of_all_clients_reach_memory_whole() {
    for seed in seeds(0..3, 0..40) {
        for timing in timings() {
            run_case("host-writes", Top::HostW64, seed, |bench| {
                let (memory, mut want) = memory(bench, &MemoryPorts::write("post_wr"), timing, true);
                let writers: Vec<_> = (0..CLIENTS).map(|c| Writer::new(bench, c, Pattern::Random)).collect();
                bench.monitor("post_wr");
                // each client has 8 KiB of its own, so that the order among clients does not matter
                for _ in 0..30 {
                    for (client, writer) in writers.iter().enumerate() {
                        let length = bench.rng().random_range(1..=[1024, 32, 16, 700][client]);
                        let at = client * 0x2000 + bench.rng().random_range(0..0x2000 - length);
                        bench.rng().fill_bytes(&mut want[at..at + length]);
                        writer.write(bench, BASE + at as u64, &want[at..at + length]);
                    }
                }
                bench.run_until(400_000, |b| {
                    writers.iter().all(|w| w.idle(b))
                        && b.host(memory).read(BASE, OCTETS as u64).unwrap() == want
                })?;
                Ok(())
            });
        }
    }
}

#[test]
fn a_write_offered_after_another_s_last_beat_comes_after_it() {
    for seed in seeds(0..6, 0..60) {
        run_case("host-order", Top::HostW64, seed, |bench| {
            let timing = MemoryTiming::rough(CLOCK_PS);
            let (memory, _) = memory(bench, &MemoryPorts::write("post_wr"), timing, true);
            let writers: Vec<_> = (0..CLIENTS).map(|c| Writer::new(bench, c, Pattern::None)).collect();
            // every write goes to the same octets: what stands there at last must be the last one's
            for n in 0..40_u8 {
                let clients: Vec<usize> = (0..CLIENTS).collect();
                let client = *clients.choose(bench.rng()).unwrap();
                let length = bench.rng().random_range(1..=40);
                writers[client].write(bench, BASE, &vec![n; length]);
                // others press in from behind
                let other = (client + 1) % CLIENTS;
                writers[other].write(bench, BASE + 0x1000, &[n; 8]);
                bench.run_until(2_000, |b| b.sent_all(writers[client].frames))?;
                writers[other].write(bench, BASE, &[n | 0x80; 44]);
                bench.run_until(2_000, |b| writers.iter().all(|w| w.idle(b)))?;
                if n % 8 == 0 {
                    bench.run_until(2_000, |b| b.host(memory).read(BASE + 43, 1).unwrap() == [n | 0x80])?;
                    for _ in 0..100 {
                        bench.step();
                    }
                    assert_eq!(bench.host(memory).read(BASE, 44).unwrap(), [n | 0x80; 44]);
                }
            }
            Ok(())
        });
    }
}

#[test]
fn writes_follow_without_a_bubble() {
    run_case("host-write-rate", Top::HostW64, 1, |bench| {
        let (cmd, data) =
            (bench.channel_sink("post_wr_cmd", Pattern::None), bench.sink("post_wr", Pattern::None));
        let writers: Vec<_> = (0..CLIENTS).map(|c| Writer::new(bench, c, Pattern::None)).collect();
        for n in 0..50_u64 {
            for (client, writer) in writers.iter().enumerate() {
                writer.write(bench, n, &vec![client as u8; [1440, 8, 1, 64][client]]);
            }
        }
        bench.run_until(20_000, |b| b.waiting(data) == 200)?;
        let from: Vec<_> = bench.received(data).iter().map(|f| f.data[0]).collect();
        assert!(from.chunks(CLIENTS).all(|w| (0..CLIENTS as u8).all(|c| w.contains(&c))), "{from:?}");
        assert_eq!(bench.waiting_items(cmd), 200);
        assert_eq!(bench.sink_rate(data).bubbles(), 0);
        Ok(())
    });
}

#[test]
fn a_bus_that_takes_nothing_stops_the_writers_and_loses_nothing() {
    run_case("host-held", Top::HostW64, 1, |bench| {
        let timing = MemoryTiming::steady(CLOCK_PS);
        let (memory, mut want) = memory(bench, &MemoryPorts::write("post_wr"), timing, true);
        bench.hold_memory(memory, true);
        let writers: Vec<_> = (0..CLIENTS).map(|c| Writer::new(bench, c, Pattern::None)).collect();
        for (client, writer) in writers.iter().enumerate() {
            let at = client * 1000;
            bench.rng().fill_bytes(&mut want[at..at + 900]);
            writer.write(bench, BASE + at as u64, &want[at..at + 900]);
        }
        for _ in 0..1_000 {
            bench.step();
        }
        assert!(writers.iter().all(|w| !w.idle(bench)));
        bench.hold_memory(memory, false);
        bench.run_until(5_000, |b| b.host(memory).read(BASE, OCTETS as u64).unwrap() == want).map(drop)
    });
}

#[test]
fn writes_are_counted_when_they_are_begun_and_when_they_are_on_the_bus() {
    for seed in seeds(0..3, 0..30) {
        run_case("host-fence", Top::HostW64, seed, |bench| {
            let cmd = bench.channel_sink("post_wr_cmd", Pattern::Random);
            let data = bench.sink("post_wr", Pattern::Random);
            let writers: Vec<_> = (0..CLIENTS).map(|c| Writer::new(bench, c, Pattern::Random)).collect();
            let counts = |b: &Bench| (b.get("post_accepted"), b.get("post_left"));
            assert_eq!(counts(bench), (0, 0));
            // command and frame held in turn: a write is on the bus when it has both
            for (hold_cmd, hold_data) in [(true, true), (false, true), (true, false)] {
                let before = bench.waiting_items(cmd).min(bench.waiting(data)) as u64;
                bench.hold_channel_sink(cmd, hold_cmd);
                bench.hold_sink(data, hold_data);
                (0..3).for_each(|n| writers[n].write(bench, BASE, &[1; 16]));
                bench.run_until(400, |b| writers.iter().all(|w| w.idle(b)))?;
                (0..60).for_each(|_| bench.step());
                let (begun, left) = counts(bench);
                assert!(
                    left <= before + 3 && begun == before + 3,
                    "{begun} begun, {left} left of {before} + 3"
                );
                assert_eq!(left, bench.waiting_items(cmd).min(bench.waiting(data)) as u64);
                bench.hold_channel_sink(cmd, false);
                bench.hold_sink(data, false);
                bench.run_until(400, |b| counts(b) == (before + 3, before + 3))?;
            }
            // what was taken is among those begun; what left is on the bus
            for n in 10..60_u64 {
                let writer = &writers[n as usize % CLIENTS];
                let length = bench.rng().random_range(1..60);
                writer.write(bench, BASE, &vec![1; length]);
                bench.run_until(2_000, |b| b.sent_all(writer.frames))?;
                let (begun, left) = counts(bench);
                assert!(begun >= n, "{begun} of {n} writes begun, whose last beat was taken");
                let on_bus = bench.waiting_items(cmd).min(bench.waiting(data)) as u64;
                assert!(left <= on_bus && left + 2 >= on_bus, "{left} left, {on_bus} are on the bus");
            }
            bench.run_until(2_000, |b| counts(b) == (59, 59)).map(drop)
        });
    }
}
