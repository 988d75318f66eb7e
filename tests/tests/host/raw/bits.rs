// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings and frames anywhere in 64 bits of address, every bit of heads and descriptors, and what a
//! block does before it has a ring.
use super::*;
use ferrowarp_abi::codec::{RawDescriptor, RawHead};
use ferrowarp_hdl::record::RawNote;

/// Slots of the rings that lie anywhere.
const LOG2: u8 = 2;

/// A multiple of 4,096 with random bits above, so that a ring or a frame behind it does not reach
/// the end of all addresses.
fn anywhere(bench: &mut Bench) -> u64 {
    (bench.rng().random::<u64>() >> bench.rng().random_range(0..8)).clamp(0x1_0000, u64::MAX - 0xF_FFFF)
        & !0xFFF
}

#[test]
fn heads_and_frames_go_to_a_receive_ring_anywhere() {
    for seed in seeds(0..8, 0..100) {
        run_case("host-raw-rx-anywhere", Top::HostW64, seed, |bench| {
            let base = anywhere(bench);
            let mut ring = Receiver::unplaced(bench, MemoryTiming::steady(CLOCK_PS), base, LOG2);
            ring.place(bench);
            for index in 0..12 {
                let length = bench.rng().random_range(14..=2032);
                let (frame, reason) = (Frame::good(random(bench, length)), bench.rng().random());
                ring.send(bench, &frame, reason);
                assert_eq!(ring.take(bench, index)?, (reason, frame.data), "frame {index}");
                let head = RawHead { length: length as u16, reason, index, phase: index >> LOG2 & 1 == 0 };
                let octets = bench.host(ring.memory).read(ring.slot(index), 16).unwrap();
                assert_eq!(octets, head.octets().unwrap(), "head {index}");
                ring_bell(bench, &ring, bell(index + 1))?;
            }
            assert_eq!(bench.host(ring.memory).take_refused().len(), 0);
            Ok(())
        });
    }
}

#[test]
fn a_length_beyond_a_slot_is_refused_by_each_of_its_bits() {
    run_case("host-raw-rx-length", Top::HostW64, 1, |bench| {
        let ring = Receiver::new(bench, MemoryTiming::steady(CLOCK_PS), LOG2);
        for length in [2033, 2040, 2048, 4096 + 60, 8192 + 60, 16_384 + 60, 32_768 + 60, 0xFFFF] {
            let long = Frame::good(random(bench, length));
            ring.send(bench, &long, 1);
            assert_eq!(pulses(bench, "rawrx_bad", 50), 1, "{length} octets");
            bench.run_until(10_000, |b| b.sent_all(ring.frames))?;
        }
        let good = Frame::good(random(bench, 2032));
        ring.send(bench, &good, 1);
        assert_eq!(ring.take(bench, 0)?.1, good.data);
        assert_eq!(bench.get("rawrx_producer"), 1);
        Ok(())
    });
}

#[test]
fn a_receive_ring_is_busy_while_a_frame_is_under_way_and_at_no_other_time() {
    run_case("host-raw-rx-busy", Top::HostW64, 1, |bench| {
        let mut ring = Receiver::unplaced(bench, MemoryTiming::steady(CLOCK_PS), BASE, 1);
        let good = Frame::good(random(bench, 100));
        let broken = Frame { data: random(bench, 70), err: true };
        let long = Frame::good(random(bench, 2033));
        assert_eq!(pulses(bench, "rawrx_busy", 50), 0, "at rest");
        // without a ring, then with one of two slots: written, broken, too long, written, no slot
        for (nth, frame) in [&good, &good, &broken, &long, &good, &good].into_iter().enumerate() {
            if nth == 1 {
                ring.place(bench);
            }
            let before = bench.get("rawrx_producer");
            bench.hold_source(ring.frames, true);
            ring.send(bench, frame, 1);
            bench.run_until(200, |b| b.put_all(ring.notes))?;
            bench.step();
            assert_eq!(pulses(bench, "rawrx_busy", 40), 40, "frame {nth} was announced");
            bench.hold_source(ring.frames, false);
            bench.run_until(1_000, |b| b.sent_all(ring.frames))?;
            bench.run_until(20, |b| b.get("rawrx_busy") == 0)?;
            let written = u64::from([1, 4].contains(&nth));
            assert_eq!(bench.get("rawrx_producer"), before + written, "frame {nth}");
            assert_eq!(pulses(bench, "rawrx_busy", 50), 0, "behind frame {nth}");
        }
        Ok(())
    });
}

#[test]
fn frames_of_low_worth_find_no_slot_beyond_the_half() {
    run_case("host-raw-rx-low", Top::HostW64, 1, |bench| {
        let ring = Receiver::new(bench, MemoryTiming::steady(CLOCK_PS), LOG2);
        let frame = Frame::good(random(bench, 60));
        let low = |bench: &mut Bench| {
            let note = Record::<RawNote>::new().with("length", 60).with("reason", 1).with("is_low", true);
            bench.put(ring.notes, note.item());
            bench.send(ring.frames, frame.clone());
            pulses(bench, "rawrx_spared", 200)
        };
        assert_eq!([low(bench), low(bench), low(bench)], [0, 0, 1]);
        ring.send(bench, &frame, 1);
        assert_eq!(ring.take(bench, 2)?.1, frame.data);
        ring_bell(bench, &ring, bell(2))?;
        assert_eq!(low(bench), 0);
        assert_eq!(ring.take(bench, 3)?.1, frame.data);
        Ok(())
    });
}

#[test]
fn descriptors_and_frames_are_read_anywhere() {
    for seed in seeds(0..8, 0..100) {
        run_case("host-raw-tx-anywhere", Top::HostW64, seed, |bench| {
            let memory = bench.memory(&MemoryPorts::read("rawtx_rd"), MemoryTiming::steady(CLOCK_PS));
            let base = anywhere(bench) + 16 * bench.rng().random_range(0..64);
            bench.host(memory).map(base, 16 << LOG2, false).unwrap();
            let rings = bench.channel_source("rawtx_ring", Pattern::None);
            let bells = bench.channel_source("rawtx_db", Pattern::Random);
            let sink = bench.sink("rawtx_tx", Pattern::Random);
            bench.put(rings, ring(base, LOG2));
            bench.run_until(100, |b| b.put_all(rings))?;
            for n in 0..12_u32 {
                let length = bench.rng().random_range(14..=2032);
                let iova = anywhere(bench) + 8 * bench.rng().random_range(0..512);
                let frame = random(bench, length);
                if bench.host(memory).map(iova, length as u64, false).is_err() {
                    return Err(format!("the frame at {iova:#x} lies over another one"));
                }
                bench.host(memory).write(iova, &frame).unwrap();
                let descriptor = RawDescriptor { iova, length: length as u16 }.octets().unwrap();
                // reserved bits are ignored
                let spare = random(bench, 6);
                let octets = [&descriptor[..10], &spare].concat();
                bench.host(memory).write(base + 16 * u64::from(n % 4), &octets).unwrap();
                bench.put(bells, bell(n + 1));
                bench.expect(sink, 1);
                bench.run_until(20_000, |b| b.waiting(sink) == 1)?;
                assert_eq!(bench.received(sink), [Frame::good(frame)], "descriptor {n} at {iova:#x}");
            }
            assert_eq!(bench.host(memory).take_refused().len(), 0);
            Ok(())
        });
    }
}

#[test]
fn a_descriptor_is_skipped_for_each_bit_of_its_length_and_alignment() {
    run_case("host-raw-tx-bits", Top::HostW64, 1, |bench| {
        let (memory, bells, _) = sender(bench, MemoryTiming::steady(CLOCK_PS), 3);
        let sink = bench.sink("rawtx_tx", Pattern::None);
        let long = [2033, 2040, 2048, 4096, 8192, 16_384, 32_768].map(|more| (FRAMES, more | 32));
        let short = [(FRAMES, 0), (FRAMES, 1), (FRAMES, 13)];
        let uneven = [1, 2, 4].map(|low| (FRAMES + low, 60));
        let bad = [&long[..], &short, &uneven].concat();
        for (n, &(iova, length)) in bad.iter().enumerate() {
            let slot = BASE + 16 * (n as u64 % 8);
            bench.host(memory).write(slot, &descriptor(iova, length)).unwrap();
            bench.put(bells, bell(n as u32 + 1));
            assert_eq!(pulses(bench, "rawtx_bad", 200), 1, "{length} octets at {iova:#x}");
            assert_eq!(bench.get("rawtx_consumer"), n as u64 + 1);
        }
        assert_eq!((bench.waiting(sink), bench.host(memory).take_refused().len()), (0, 0));
        Ok(())
    });
}

#[test]
fn doorbells_of_a_ring_that_is_not_placed_are_dropped() {
    run_case("host-raw-unplaced", Top::HostW64, 1, |bench| {
        let mut receiver = Receiver::unplaced(bench, MemoryTiming::steady(CLOCK_PS), BASE, 1);
        let memory = bench.memory(&MemoryPorts::read("rawtx_rd"), MemoryTiming::steady(CLOCK_PS));
        bench.host(memory).map(BASE, 16 << LOG2, false).unwrap();
        let rings = bench.channel_source("rawtx_ring", Pattern::None);
        let bells = bench.channel_source("rawtx_db", Pattern::None);
        let frame = Frame::good(random(bench, 60));
        // after the first reset, after one of a ring that was placed, after a row that says that
        // there is none, after one of too many slots
        for round in 0..4 {
            let indices = ["rawrx_producer", "rawtx_consumer"].map(|port| bench.get(port));
            assert_eq!(indices, [0; 2], "round {round}: nothing was written or read");
            for index in [0, 1, u32::MAX] {
                bench.put(bells, bell(index));
                assert_eq!(pulses(bench, "rawtx_bad_db", 50), 1, "round {round}, sender, index {index}");
                bench.put(receiver.bells, bell(index));
                assert_eq!(pulses(bench, "rawrx_bad_db", 50), 1, "round {round}, receiver, index {index}");
            }
            receiver.send(bench, &frame, 1);
            assert_eq!(pulses(bench, "rawrx_full", 200), 1, "round {round}");
            assert_eq!(pulses(bench, "rawtx_rd_req_valid", 200), 0, "round {round}");
            receiver.place(bench);
            bench.put(rings, ring(BASE, LOG2));
            bench.run_until(100, |b| b.put_all(rings))?;
            bench.put(bells, bell(0));
            assert_eq!(pulses(bench, "rawtx_bad_db", 50), 0, "round {round}");
            match round {
                0 => bench.reset(),
                _ => {
                    let last = [[17, 1], [LOG2, 0]][round % 2];
                    let none = Item::new().with_bytes("item", &[&BASE.to_le_bytes()[..], &last].concat());
                    bench.put(rings, none.clone());
                    bench.put(receiver.rings, none);
                    bench.run_until(100, |b| b.put_all(rings) && b.put_all(receiver.rings))?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_ring_has_up_to_65536_slots() {
    run_case("host-raw-slots", Top::HostW64, 1, |bench| {
        let (memory, bells, rings) = sender(bench, MemoryTiming::steady(CLOCK_PS), LOG2);
        let mut receiver = Receiver::unplaced(bench, MemoryTiming::steady(CLOCK_PS), BASE, LOG2);
        receiver.log2 = 16;
        receiver.place(bench);
        bench.put(rings, ring(BASE, 16));
        bench.run_until(100, |b| b.put_all(rings))?;
        // so many slots may be full at once, and no more
        bench.put(bells, bell(0x1_0001));
        assert_eq!(pulses(bench, "rawtx_bad_db", 50), 1);
        let sink = bench.sink("rawtx_tx", Pattern::None);
        bench.hold_sink(sink, true);
        bench.host(memory).write(BASE, &descriptor(FRAMES, 100)).unwrap();
        bench.put(bells, bell(0x1_0000));
        assert_eq!(pulses(bench, "rawtx_bad_db", 50), 0);
        bench.run_until(1_000, |b| b.get("rawtx_consumer") == 1)?;
        for slot in 0..2 {
            let frame = Frame::good(random(bench, 60));
            receiver.send(bench, &frame, 1);
            assert_eq!(receiver.take(bench, slot)?.1, frame.data);
        }
        Ok(())
    });
}

#[test]
fn a_transmit_ring_moves_when_the_frame_before_has_left() {
    run_case("host-raw-tx-moves", Top::HostW64, 1, |bench| {
        let (memory, bells, rings) = sender(bench, MemoryTiming::steady(CLOCK_PS), LOG2);
        let sink = bench.sink("rawtx_tx", Pattern::None);
        bench.hold_sink(sink, true);
        bench.host(memory).write(BASE, &descriptor(FRAMES, 100)).unwrap();
        bench.put(bells, bell(1));
        bench.run_until(1_000, |b| b.get("rawtx_tx_valid") == 1)?;
        bench.put(rings, ring(BASE, LOG2));
        pulses(bench, "rawtx_tx_valid", 50);
        assert!(!bench.put_all(rings), "the ring moves while a frame leaves");
        assert_eq!(bench.get("rawtx_consumer"), 1);
        bench.hold_sink(sink, false);
        bench.run_until(100, |b| b.put_all(rings))?;
        assert_eq!(bench.waiting(sink), 1, "the frame has left");
        bench.run_until(10, |b| b.get("rawtx_consumer") == 0)?;
        Ok(())
    });
}
