// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbell pages, the admin window, counters and MSI-X of the PCI Express edge.
mod decode;
mod first_error;
mod interrupts;
mod vectors;

use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Frame, Item, Pattern};
use ferrowarp_tests::pcie_bar::{dwords, header, place, run_widths, write, Host, BAR0, BAR2, BAR4, DEVICE};
use rand::Rng;

/// Octets of a doorbell, by docs/abi.md.
fn doorbell(kind: u8, solicited: bool, number: u16, value: u32) -> Vec<u8> {
    let [n0, n1] = number.to_be_bytes();
    [&[kind, u8::from(solicited) << 7, n0, n1], &value.to_be_bytes()[..]].concat()
}

/// The same as the device gets it.
fn item(kind: u64, solicited: u64, number: u64, value: u64) -> Item {
    Item::new().with("item", kind | solicited << 8 | number << 9 | value << 25)
}

/// The page of a doorbell: its queue's number, or the one behind all queues.
fn page(kind: u8, number: u16) -> u64 {
    4096 * if kind < 4 { u64::from(number) } else { 32 }
}

#[test]
fn a_doorbell_comes_out_as_it_was_rung() {
    for seed in seeds(0..2, 0..20) {
        run_widths("pcie-bar-doorbells", seed, |bench| {
            let host = Host::new(bench, Pattern::Random, Pattern::None);
            let sink = bench.channel_sink("db", Pattern::Random);
            let mut wanted = vec![];
            for value in 0..60_u32 {
                let kind = bench.rng().random_range(0..8_u8);
                let number = if kind < 4 { bench.rng().random_range(0..16_u16) } else { 0 };
                let solicited = kind == 3 && value % 2 == 1;
                host.put(bench, BAR2, page(kind, number), &doorbell(kind, solicited, number, value))?;
                wanted.push(item(kind.into(), solicited.into(), number.into(), value.into()));
            }
            bench.run_until(500, |b| b.waiting_items(sink) == wanted.len())?;
            assert_eq!(bench.taken(sink), wanted);
            Ok(())
        });
    }
}

#[test]
fn doorbells_one_behind_the_other_all_ring() {
    run_widths("pcie-bar-doorbells-dense", 1, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        let sink = bench.channel_sink("db", Pattern::None);
        let ring = |n: u16| {
            let (kind, number) = ((n / 16) as u8, n % 16);
            write(place(BAR2, page(kind, number)), 0xff, &doorbell(kind, false, number, n.into()))
        };
        let tlps: Vec<_> = (0..48).map(ring).collect();
        host.burst(bench, BAR2, &tlps)?;
        bench.run_until(500, |b| b.waiting_items(sink) == 48)?;
        let wanted = (0..48).map(|n| item(n / 16, 0, n % 16, n));
        assert_eq!(bench.taken(sink), wanted.collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn a_device_that_takes_no_doorbell_stalls_nobody() {
    run_widths("pcie-bar-doorbells-held", 3, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        let sink = bench.channel_sink("db", Pattern::None);
        bench.hold_channel_sink(sink, true);
        // two leave for the register behind; what follows is the newest of each
        host.put(bench, BAR2, 0xf000, &doorbell(0, false, 15, 1))?;
        host.put(bench, BAR2, 0xe000, &doorbell(0, false, 14, 1))?;
        for value in 0..300_u32 {
            let queue = (value % 16) as u16;
            host.put(bench, BAR2, page(1, queue), &doorbell(1, false, queue, value))?;
        }
        // an arm for any entry outlives a weaker one, and moves with the consumer index
        for (kind, solicited, value) in [(2, false, 5), (3, false, 6), (3, true, 7), (2, false, 9)] {
            host.put(bench, BAR2, page(2, 4), &doorbell(kind, solicited, 4, value))?;
        }
        for (kind, solicited, value) in [(3, true, 1), (2, false, 2)] {
            host.put(bench, BAR2, page(2, 5), &doorbell(kind, solicited, 5, value))?;
        }
        host.put(bench, BAR2, page(2, 6), &doorbell(2, false, 6, 8))?;
        for kind in 4..8_u8 {
            host.put(bench, BAR2, page(kind, 0), &doorbell(kind, false, 0, 70))?;
        }
        bench.hold_channel_sink(sink, false);
        let mut wanted = vec![item(0, 0, 15, 1), item(0, 0, 14, 1)];
        wanted.extend((0..16).map(|q| item(1, 0, q, (0..300).rev().find(|v| v % 16 == q).unwrap_or(0))));
        wanted.extend([item(3, 0, 4, 9), item(3, 1, 5, 2), item(2, 0, 6, 8)]);
        wanted.extend((4..8).map(|kind| item(kind, 0, 0, 70)));
        bench.run_until(500, |b| b.waiting_items(sink) == wanted.len())?;
        assert_eq!(bench.taken(sink), wanted);
        // an arm that was delivered is over
        host.put(bench, BAR2, page(2, 4), &doorbell(2, false, 4, 10))?;
        bench.run_until(500, |b| b.waiting_items(sink) == 1)?;
        assert_eq!(bench.taken(sink), [item(2, 0, 4, 10)]);
        Ok(())
    });
}

/// Registers of the admin window.
const GO: u64 = 0xc0;
const STATUS: u64 = 0xc4;
const COMMAND: u64 = 0x400;
const ANSWER: u64 = 0x500;
/// Place of the pulse that tells that the window was misused.
const ADMIN: usize = 8;

#[test]
fn commands_and_answers_pass_the_window() {
    for seed in seeds(0..2, 0..10) {
        run_widths("pcie-bar-admin", seed, |bench| {
            let mut host = Host::new(bench, Pattern::None, Pattern::Random);
            let commands = bench.sink("cmd", Pattern::Random);
            let answers = bench.source("ans", Pattern::Random);
            assert_eq!(host.get(bench, STATUS)?, 0);
            for octets in [8, 152, 136, 256, 1, 13] {
                let command: Vec<u8> = (0..octets).map(|_| bench.rng().random()).collect();
                for (i, chunk) in command.chunks(8).enumerate() {
                    let mut padded = chunk.to_vec();
                    padded.resize(chunk.len().next_multiple_of(4), 0);
                    host.put(bench, BAR0, COMMAND + 8 * i as u64, &padded)?;
                }
                host.set(bench, GO, octets)?;
                bench.run_until(500, |b| b.waiting(commands) == 1)?;
                assert_eq!(bench.received(commands), [Frame::good(command)]);
                assert_eq!(host.get(bench, STATUS)?, 1);
                let answer: Vec<u8> = (0..octets).map(|_| bench.rng().random()).collect();
                bench.send(answers, Frame::good(answer.clone()));
                bench.run_until(500, |b| b.sent_all(answers))?;
                assert_eq!(host.get(bench, STATUS)?, 2 | octets << 16);
                let mut read = vec![];
                for i in 0..64 {
                    read.extend(host.get(bench, ANSWER + 4 * i)?.to_le_bytes());
                }
                let last = answer.len();
                assert_eq!(read[..last], answer);
                assert!(read[last.next_multiple_of(4)..].iter().all(|&o| o == 0));
            }
            Ok(())
        });
    }
}

#[test]
fn a_misused_window_changes_nothing() {
    run_widths("pcie-bar-admin-misused", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let commands = bench.sink("cmd", Pattern::None);
        let answers = bench.source("ans", Pattern::None);
        let refused = |bench: &mut Bench, host: &Host, offset, value: u32| {
            let errors = host.send(bench, BAR0, &write(place(BAR0, offset), 0x0f, &value.to_le_bytes()))?;
            let mut told = [0; 17];
            told[ADMIN] = 1;
            if errors != told {
                return Err(format!("a write of {value:#x} at {offset:#x} told {errors:?}"));
            }
            Ok(())
        };
        host.put(bench, BAR0, COMMAND, &[1, 2, 3, 4, 5, 6, 7, 8])?;
        for length in [0, 257, 0xffff, 0x1_0000] {
            refused(bench, &host, GO, length)?;
        }
        assert_eq!((host.get(bench, STATUS)?, bench.waiting(commands)), (0, 0));
        bench.hold_sink(commands, true);
        host.set(bench, GO, 8)?;
        refused(bench, &host, GO, 8)?;
        refused(bench, &host, COMMAND, 0xffff_ffff)?;
        bench.hold_sink(commands, false);
        bench.run_until(100, |b| b.waiting(commands) == 1)?;
        refused(bench, &host, COMMAND, 0xffff_ffff)?;
        assert_eq!(bench.received(commands), [Frame::good(vec![1, 2, 3, 4, 5, 6, 7, 8])]);
        // an answer that is bad, then one that is too long
        bench.send(answers, Frame { data: vec![9; 8], err: true });
        bench.run_until(100, |b| b.sent_all(answers))?;
        assert_eq!(host.get(bench, STATUS)?, 0x0008_0006);
        host.set(bench, GO, 8)?;
        bench.send(answers, Frame::good((0..=255).chain(0..16).collect()));
        bench.run_until(200, |b| b.sent_all(answers))?;
        assert_eq!(host.get(bench, STATUS)?, 0x0100_0006);
        assert_eq!(host.get(bench, ANSWER)?, 0x0302_0100);
        assert_eq!(host.get(bench, ANSWER + 0xfc)?, 0xfffe_fdfc);
        Ok(())
    });
}

#[test]
fn every_pulse_is_counted() {
    run_case("pcie-bar-counters", Top::PcieBarW64, 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        const N: usize = ferrowarp_abi::host::counters::COUNTERS.len();
        let mut counts = [0_u32; N];
        for _ in 0..2_000 {
            let mut octets = vec![0_u8; N.div_ceil(8)];
            for (i, count) in counts.iter_mut().enumerate() {
                // counter 3 in every cycle, the last one never
                if i == 3 || (i != N - 1 && bench.rng().random_ratio(1, 1 + i as u32)) {
                    octets[i / 8] |= 1 << (i % 8);
                    *count += 1;
                }
            }
            bench.set_bytes("pulse", &octets);
            bench.step();
        }
        bench.set_bytes("pulse", &[]);
        (0..200).for_each(|_| bench.step());
        assert_eq!(counts[3], 2_000);
        for (i, count) in counts.iter().enumerate() {
            assert_eq!(host.get(bench, 0x200 + 4 * i as u64)?, *count, "counter {i}");
        }
        assert_eq!(host.ask(bench, BAR0, 0x200, 2)?, counts[..2]);
        assert_eq!(host.get(bench, 0x200 + 4 * 127)?, 0);
        Ok(())
    });
}
