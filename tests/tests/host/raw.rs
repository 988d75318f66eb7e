// SPDX-License-Identifier: MIT OR Apache-2.0
//! The raw rings in host memory: frames received with their heads, frames sent from descriptors.
mod bits;

use ferrowarp_abi::consts::{doorbell_kind, event_kind};
use ferrowarp_hdl::gen::Event;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    run_case, seeds, Bench, ChanSrcId, Frame, Item, MemoryId, MemoryPorts, MemoryTiming, Pattern,
};
use ferrowarp_tests::record::Record;
use rand::{Rng, RngCore};

/// 156.25 MHz.
const CLOCK_PS: u64 = 6_400;
/// The rings of these tests, and the octets of a slot of the raw receive ring.
const BASE: u64 = 0x1234_5678_9000;
const SLOT: u64 = 2048;
/// Frames to be sent lie here.
const FRAMES: u64 = 0x4000_0000;

/// A ring's place as the record lies on the port: base, log2 of its slots, valid.
fn ring(base: u64, log2: u8) -> Item {
    Item::new().with_bytes("item", &[&base.to_le_bytes()[..], &[log2, 1]].concat())
}

/// A doorbell's record with an index; who takes it does not look at kind and number.
fn bell(value: u32) -> Item {
    Item::new().with("item", u64::from(value) << 25)
}

/// A doorbell's record that arms the raw receive ring.
fn arm(consumer: u32) -> Item {
    Item::new().with("item", u64::from(doorbell_kind::RAW_RX_ARM) | u64::from(consumer) << 25)
}

fn random(bench: &mut Bench, octets: usize) -> Vec<u8> {
    let mut data = vec![0; octets];
    bench.rng().fill_bytes(&mut data);
    data
}

/// Steps so often; sum of a pulse.
fn pulses(bench: &mut Bench, port: &str, cycles: u64) -> u64 {
    (0..cycles).map(|_| (bench.step(), bench.get(port)).1).sum()
}

/// The head of a slot: length, reason, index, phase.
fn head(bench: &mut Bench, memory: MemoryId, slot: u64) -> (u16, u8, u32, u8) {
    let octets = bench.host(memory).read(slot, 16).unwrap();
    let word = |at: usize| u16::from_be_bytes([octets[at], octets[at + 1]]);
    (word(0), octets[2], u32::from(word(4)) << 16 | u32::from(word(6)), octets[15] & 1)
}

/// The ends of the raw receive ring.
struct Receiver {
    memory: MemoryId,
    notes: ChanSrcId,
    frames: ferrowarp_sim::SourceId,
    bells: ChanSrcId,
    rings: ChanSrcId,
    base: u64,
    log2: u8,
}

impl Receiver {
    fn new(bench: &mut Bench, timing: MemoryTiming, log2: u8) -> Self {
        let mut new = Self::unplaced(bench, timing, BASE, log2);
        new.place(bench);
        new
    }

    /// With memory for a ring that the device does not know yet.
    fn unplaced(bench: &mut Bench, timing: MemoryTiming, base: u64, log2: u8) -> Self {
        let memory = bench.memory(&MemoryPorts::write("rawrx_raw"), timing);
        bench.host(memory).map(base, SLOT << log2, true).unwrap();
        Self {
            memory,
            notes: bench.channel_source("rawrx_note", Pattern::Random),
            // frames of the stage before are whole when they are announced
            frames: bench.source("rawrx_rx", Pattern::None),
            bells: bench.channel_source("rawrx_db", Pattern::Random),
            rings: bench.channel_source("rawrx_ring", Pattern::None),
            base,
            log2,
        }
    }

    fn place(&mut self, bench: &mut Bench) {
        bench.put(self.rings, ring(self.base, self.log2));
        bench.run_until(100, |b| b.put_all(self.rings)).unwrap();
    }

    /// First octet of the slot of an index.
    fn slot(&self, index: u32) -> u64 {
        self.base + SLOT * u64::from(index & ((1 << self.log2) - 1))
    }

    fn send(&self, bench: &mut Bench, frame: &Frame, reason: u8) {
        let item = frame.data.len() as u64 | u64::from(reason) << 16;
        bench.put(self.notes, Item::new().with("item", item));
        bench.send(self.frames, frame.clone());
    }

    /// Waits for the head of a slot, which must be the last to be seen, and gives the frame.
    fn take(&self, bench: &mut Bench, index: u32) -> Result<(u8, Vec<u8>), String> {
        let phase = 1 ^ ((index >> self.log2) & 1) as u8;
        let slot = self.slot(index);
        bench.run_until(20_000, |b| head(b, self.memory, slot).3 == phase)?;
        let (length, reason, number, _) = head(bench, self.memory, slot);
        assert_eq!(number, index);
        let frame = bench.host(self.memory).read(slot + 16, u64::from(length)).unwrap();
        Ok((reason, frame))
    }
}

#[test]
fn received_frames_stand_in_their_slots_when_the_head_is_seen() {
    for seed in seeds(0..2, 0..30) {
        for timing in [MemoryTiming::steady(CLOCK_PS), MemoryTiming::rough(CLOCK_PS)] {
            run_case("host-raw-rx", Top::HostW64, seed, |bench| {
                let ring = Receiver::new(bench, timing, 2);
                let frames: Vec<_> = (0..30)
                    .map(|n| {
                        let length = [60, 61, 1514, 2032][n % 4]
                            .max(bench.rng().random_range(14..=2032) * (n % 3 / 2));
                        (Frame::good(random(bench, length)), bench.rng().random::<u8>())
                    })
                    .collect();
                let mut sent = 0;
                for (index, (frame, reason)) in frames.iter().enumerate() {
                    // never more than the ring holds
                    while sent < frames.len() && sent < index + 3 {
                        ring.send(bench, &frames[sent].0, frames[sent].1);
                        sent += 1;
                    }
                    let got = ring.take(bench, index as u32)?;
                    assert_eq!(got, (*reason, frame.data.clone()), "frame {index}");
                    bench.put(ring.bells, bell(index as u32 + 1));
                    bench.run_until(1_000, |b| b.put_all(ring.bells))?;
                }
                bench.step();
                assert_eq!(bench.get("rawrx_producer"), 30);
                Ok(())
            });
        }
    }
}

#[test]
fn a_full_ring_drops_and_goes_on_when_room_comes() {
    run_case("host-raw-rx-full", Top::HostW64, 1, |bench| {
        let ring = Receiver::new(bench, MemoryTiming::steady(CLOCK_PS), 1);
        let frames: Vec<_> = (0..5).map(|_| Frame::good(random(bench, 100))).collect();
        frames[..4].iter().for_each(|f| ring.send(bench, f, 5));
        assert_eq!(pulses(bench, "rawrx_full", 400), 2);
        assert_eq!(bench.get("rawrx_producer"), 2);
        for index in 0..2 {
            assert_eq!(ring.take(bench, index)?.1, frames[index as usize].data);
        }
        bench.put(ring.bells, bell(1));
        assert_eq!(pulses(bench, "rawrx_bad_db", 50), 0);
        ring.send(bench, &frames[4], 6);
        assert_eq!(ring.take(bench, 2)?, (6, frames[4].data.clone()));
        // an index that claims more than was written, or gives slots back twice, is dropped
        for impossible in [4, 0, 0xffff_ffff] {
            bench.put(ring.bells, bell(impossible));
            assert_eq!(pulses(bench, "rawrx_bad_db", 50), 1, "index {impossible}");
        }
        ring.send(bench, &frames[0], 6);
        assert_eq!(pulses(bench, "rawrx_full", 200), 1);
        Ok(())
    });
}

#[test]
fn frames_that_are_bad_or_have_no_ring_touch_no_memory() {
    run_case("host-raw-rx-bad", Top::HostW64, 1, |bench| {
        let mut ring = Receiver::new(bench, MemoryTiming::steady(CLOCK_PS), 1);
        let long = Frame::good(random(bench, 2033));
        let broken = Frame { data: random(bench, 70), err: true };
        let good = Frame::good(random(bench, 60));
        for (frame, bad) in [(&long, 1), (&broken, 1), (&good, 0)] {
            ring.send(bench, frame, 1);
            assert_eq!(pulses(bench, "rawrx_bad", 600), bad);
        }
        assert_eq!(bench.get("rawrx_producer"), 1);
        assert_eq!(ring.take(bench, 0)?.1, good.data);
        // placed anew it begins at 0 again; after a reset there is none
        ring.place(bench);
        bench.step();
        assert_eq!(bench.get("rawrx_producer"), 0);
        bench.reset();
        ring.send(bench, &good, 1);
        assert_eq!(pulses(bench, "rawrx_full", 200), 1);
        Ok(())
    });
}

/// Rings a doorbell, and waits until it is taken.
fn ring_bell(bench: &mut Bench, ring: &Receiver, bell: Item) -> Result<(), String> {
    bench.put(ring.bells, bell);
    bench.run_until(100, |b| b.put_all(ring.bells))?;
    (0..4).for_each(|_| bench.step());
    Ok(())
}

#[test]
fn an_armed_ring_makes_one_event_behind_the_head_of_a_frame() {
    for seed in seeds(0..4, 0..40) {
        run_case("host-raw-rx-event", Top::HostW64, seed, |bench| {
            let ring = Receiver::new(bench, MemoryTiming::rough(CLOCK_PS), 2);
            let events = bench.channel_sink("rawrx_event", Pattern::Random);
            let told = Record::<Event>::new().with("kind", event_kind::RAW_RX).item();
            let frame = Frame::good(random(bench, 100));
            let mut armed = false;
            for index in 0..40_u32 {
                // without an arm no event, whatever comes
                if bench.rng().random() {
                    ring_bell(bench, &ring, arm(index))?;
                    armed = true;
                    assert_eq!(bench.waiting_items(events), 0, "an event before frame {index}");
                }
                ring.send(bench, &frame, 5);
                if armed {
                    bench.run_until(2_000, |b| b.get("rawrx_event_valid") == 1)?;
                    let left = ["rawrx_raw_cmd_valid", "rawrx_raw_valid", "rawrx_producer"];
                    let [cmd, beat, producer] = left.map(|port| bench.get(port));
                    assert_eq!((cmd, beat, producer), (0, 0, u64::from(index) + 1), "all was handed over");
                }
                // an arm may meet any step of the frame that it did not know of
                if !armed && bench.rng().random() {
                    (0..bench.rng().random_range(0..60)).for_each(|_| bench.step());
                    ring_bell(bench, &ring, arm(index))?;
                    armed = true;
                }
                if armed {
                    bench.run_until(2_000, |b| b.waiting_items(events) > 0)?;
                    assert_eq!(bench.taken(events), std::slice::from_ref(&told), "frame {index}");
                    armed = false;
                }
                ring.take(bench, index)?;
                ring_bell(bench, &ring, bell(index + 1))?;
                (0..100).for_each(|_| bench.step());
                assert_eq!(bench.waiting_items(events), 0, "one event for one arm, frame {index}");
            }
            Ok(())
        });
    }
}

#[test]
fn an_arm_fires_at_once_in_a_full_ring_and_not_in_one_that_is_placed_anew() {
    run_case("host-raw-rx-arm", Top::HostW64, 1, |bench| {
        let mut ring = Receiver::new(bench, MemoryTiming::steady(CLOCK_PS), 1);
        let events = bench.channel_sink("rawrx_event", Pattern::None);
        let frame = Frame::good(random(bench, 60));
        (0..3).for_each(|_| ring.send(bench, &frame, 5));
        assert_eq!(pulses(bench, "rawrx_full", 400), 1);
        ring_bell(bench, &ring, arm(0))?;
        bench.run_until(20, |b| b.waiting_items(events) == 1)?;
        // the host has taken both, and is told of the next one alone
        ring_bell(bench, &ring, bell(2))?;
        ring_bell(bench, &ring, arm(2))?;
        assert_eq!(pulses(bench, "rawrx_bad_db", 100), 0);
        assert_eq!(bench.waiting_items(events), 1);
        ring.place(bench);
        ring.send(bench, &frame, 5);
        ring.take(bench, 0)?;
        assert_eq!(pulses(bench, "rawrx_bad", 100), 0);
        assert_eq!(bench.waiting_items(events), 1, "an arm of the ring before");
        Ok(())
    });
}

/// A descriptor of the raw transmit ring.
fn descriptor(iova: u64, length: u16) -> Vec<u8> {
    [&iova.to_be_bytes()[..], &length.to_be_bytes(), &[0; 6]].concat()
}

/// The raw transmit ring with so many slots, and the source of its doorbells.
fn sender(bench: &mut Bench, timing: MemoryTiming, log2: u8) -> (MemoryId, ChanSrcId, ChanSrcId) {
    let memory = bench.memory(&MemoryPorts::read("rawtx_rd"), timing);
    bench.host(memory).map(BASE, 16 << log2, false).unwrap();
    bench.host(memory).map(FRAMES, 0x1_0000, false).unwrap();
    let frames = random(bench, 0x1_0000);
    bench.host(memory).write(FRAMES, &frames).unwrap();
    let rings = bench.channel_source("rawtx_ring", Pattern::None);
    bench.put(rings, ring(BASE, log2));
    bench.run_until(100, |b| b.put_all(rings)).unwrap();
    (memory, bench.channel_source("rawtx_db", Pattern::Random), rings)
}

#[test]
fn descriptors_become_frames_in_order() {
    for seed in seeds(0..2, 0..30) {
        for timing in [MemoryTiming::steady(CLOCK_PS), MemoryTiming::rough(CLOCK_PS)] {
            run_case("host-raw-tx", Top::HostW64, seed, |bench| {
                let (memory, bells, _) = sender(bench, timing, 2);
                let sink = bench.sink("rawtx_tx", Pattern::Random);
                for n in 0..20_u32 {
                    let length = [14, 60, 1514, 2032][n as usize % 4];
                    let iova = FRAMES + 8 * bench.rng().random_range(0..0x1f00 - 300);
                    let slot = BASE + 16 * u64::from(n % 4);
                    bench.host(memory).write(slot, &descriptor(iova, length)).unwrap();
                    bench.put(bells, bell(n + 1));
                    bench.expect(sink, 1);
                    bench.run_until(20_000, |b| b.waiting(sink) == 1)?;
                    let want = bench.host(memory).read(iova, u64::from(length)).unwrap();
                    assert_eq!(bench.received(sink), [Frame::good(want)], "descriptor {n}");
                    assert_eq!(bench.get("rawtx_consumer"), u64::from(n) + 1);
                }
                Ok(())
            });
        }
    }
}

#[test]
fn several_descriptors_may_be_rung_at_once_and_bad_ones_are_skipped() {
    run_case("host-raw-tx-bad", Top::HostW64, 1, |bench| {
        let (memory, bells, _) = sender(bench, MemoryTiming::rough(CLOCK_PS), 3);
        let sink = bench.sink("rawtx_tx", Pattern::None);
        let descriptors = [
            (FRAMES, 13),
            (FRAMES, 2033),
            (FRAMES + 4, 60),
            (FRAMES + 0x1_0000, 60),
            (FRAMES + 0xffc0, 65),
            (FRAMES + 8, 60),
            (FRAMES + 0xffc0, 64),
        ];
        let ring =
            descriptors.iter().flat_map(|&(iova, length)| descriptor(iova, length)).collect::<Vec<_>>();
        bench.host(memory).write(BASE, &ring).unwrap();
        bench.put(bells, bell(7));
        assert_eq!(pulses(bench, "rawtx_bad", 4_000), 5);
        let want = [bench.host(memory).read(FRAMES + 8, 60), bench.host(memory).read(FRAMES + 0xffc0, 64)];
        assert_eq!(bench.received(sink), want.map(|data| Frame::good(data.unwrap())));
        assert_eq!(bench.get("rawtx_consumer"), 7);
        assert_eq!(bench.host(memory).take_refused().len(), 2);
        for impossible in [16, 6] {
            bench.put(bells, bell(impossible));
            assert_eq!(pulses(bench, "rawtx_bad_db", 50), 1, "index {impossible}");
        }
        Ok(())
    });
}

#[test]
fn a_descriptor_that_cannot_be_read_stops_the_ring_until_it_is_placed_anew() {
    run_case("host-raw-tx-stop", Top::HostW64, 1, |bench| {
        let (memory, bells, rings) = sender(bench, MemoryTiming::steady(CLOCK_PS), 2);
        let sink = bench.sink("rawtx_tx", Pattern::None);
        bench.host(memory).unmap(BASE).unwrap();
        bench.put(bells, bell(2));
        assert_eq!(pulses(bench, "rawtx_bad", 1_000), 1);
        assert_eq!((bench.get("rawtx_consumer"), bench.host(memory).take_refused().len()), (0, 1));
        bench.host(memory).map(BASE, 64, false).unwrap();
        bench.host(memory).write(BASE, &descriptor(FRAMES, 100)).unwrap();
        bench.put(rings, ring(BASE, 2));
        bench.run_until(100, |b| b.put_all(rings))?;
        bench.put(bells, bell(1));
        bench.run_until(2_000, |b| b.waiting(sink) == 1)?;
        let want = bench.host(memory).read(FRAMES, 100).unwrap();
        assert_eq!(bench.received(sink), [Frame::good(want)]);
        Ok(())
    });
}
