// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbell pages, the admin window, counters and MSI-X of the PCI Express edge.
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
    4096 * if kind < 4 { u64::from(number) } else { 16 }
}

#[test]
fn a_doorbell_comes_out_as_it_was_rung() {
    for seed in seeds(0..2, 0..20) {
        run_widths("pcie-bar-doorbells", seed, |bench| {
            let host = Host::new(bench, Pattern::Random, Pattern::None);
            let sink = bench.channel_sink("db", Pattern::Random);
            let mut wanted = vec![];
            for value in 0..60_u32 {
                let kind = bench.rng().random_range(0..7_u8);
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
        for kind in 4..7_u8 {
            host.put(bench, BAR2, page(kind, 0), &doorbell(kind, false, 0, 70))?;
        }
        bench.hold_channel_sink(sink, false);
        let mut wanted = vec![item(0, 0, 15, 1), item(0, 0, 14, 1)];
        wanted.extend((0..16).map(|q| item(1, 0, q, (0..300).rev().find(|v| v % 16 == q).unwrap_or(0))));
        wanted.extend([item(3, 0, 4, 9), item(3, 1, 5, 2), item(2, 0, 6, 8)]);
        wanted.extend((4..7).map(|kind| item(kind, 0, 0, 70)));
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

/// An event's octets: kind, number.
fn event(kind: u8, number: u16) -> Vec<u8> {
    let [n0, n1] = number.to_be_bytes();
    let mut octets = vec![0; 16];
    (octets[0], octets[2], octets[3], octets[15]) = (kind, n0, n1, 1);
    octets
}

/// The device's event ring and the posted FIFO, played by the test.
struct Interrupts {
    events: ferrowarp_sim::SourceId,
    event_cmds: ferrowarp_sim::ChanSrcId,
    writes: ferrowarp_sim::SinkId,
    cmds: ferrowarp_sim::ChanSinkId,
}

impl Interrupts {
    fn new(bench: &mut Bench, stall: Pattern) -> Self {
        Self {
            events: bench.source("evt", Pattern::None),
            event_cmds: bench.channel_source("evt_cmd", Pattern::None),
            writes: bench.sink("wr", stall),
            cmds: bench.channel_sink("wr_cmd", stall),
        }
    }

    fn event(&self, bench: &mut Bench, kind: u8, number: u16) {
        bench.put(self.event_cmds, Item::new().with("addr", 0x7000).with("length", 16));
        bench.send(self.events, Frame::good(event(kind, number)));
    }

    /// What was written so far: addresses and octets.
    fn writes(&self, bench: &mut Bench) -> Vec<(u64, Vec<u8>)> {
        (0..100).for_each(|_| bench.step());
        let frames = bench.received(self.writes);
        let cmds = bench.taken(self.cmds);
        assert_eq!(frames.len(), cmds.len());
        let pair = |(c, f): (Item, Frame)| {
            assert_eq!(c.u64("length"), Some(f.data.len() as u64));
            (c.u64("addr").unwrap_or(0), f.data)
        };
        cmds.into_iter().zip(frames).map(pair).collect()
    }
}

/// MSI-X Enable, Function Mask of the configuration record; id, two sizes and the master bit stand
/// below.
const ENABLED: u64 = 1 << 23;
const MASKED: u64 = 1 << 24;

/// The message of a vector as the tests set it up.
fn message(vector: u8) -> (u64, Vec<u8>) {
    (0x1_fee0_0000 + 16 * u64::from(vector), vec![vector, 0x44, 0, 0])
}

/// Writes the entries of all vectors; they stay masked.
fn set_up(bench: &mut Bench, host: &Host) -> Result<(), String> {
    for vector in 0..16_u8 {
        let (addr, data) = message(vector);
        host.put(bench, BAR4, 16 * u64::from(vector), &addr.to_le_bytes())?;
        host.put(bench, BAR4, 16 * u64::from(vector) + 8, &data)?;
    }
    Ok(())
}

fn unmask(bench: &mut Bench, host: &Host, vector: u64, masked: u8) -> Result<(), String> {
    host.put(bench, BAR4, 16 * vector + 12, &[masked, 0, 0, 0])
}

#[test]
fn a_message_follows_its_event() {
    for seed in seeds(0..2, 0..20) {
        run_case("pcie-bar-msix", Top::PcieBarW64, seed, |bench| {
            let host = Host::new(bench, Pattern::None, Pattern::None);
            let lines = Interrupts::new(bench, Pattern::Random);
            set_up(bench, &host)?;
            for vector in 0..16 {
                unmask(bench, &host, vector, 0)?;
                host.set(bench, 0x100 + 4 * vector, 15 - vector as u32)?;
            }
            bench.set("msix_cfg", ENABLED);
            for _ in 0..30 {
                let (kind, number) =
                    (bench.rng().random_range(1..=10_u8), bench.rng().random_range(0..16_u16));
                lines.event(bench, kind, number);
                let vector = if kind == 1 { 15 - number as u8 } else { 0 };
                assert_eq!(lines.writes(bench), [(0x7000, event(kind, number)), message(vector)]);
            }
            Ok(())
        });
    }
}

#[test]
fn a_masked_vector_is_pending() {
    run_case("pcie-bar-msix-masks", Top::PcieBarW64, 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        host.set(bench, 0x100 + 4 * 7, 5)?;
        // off, then the function masked, then the vector
        lines.event(bench, 1, 7);
        assert_eq!(lines.writes(bench), [(0x7000, event(1, 7))]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1 << 5, 0]);
        unmask(bench, &host, 5, 0)?;
        assert_eq!(lines.writes(bench), []);
        bench.set("msix_cfg", ENABLED | MASKED);
        assert_eq!(lines.writes(bench), []);
        bench.set("msix_cfg", ENABLED);
        assert_eq!(lines.writes(bench), [message(5)]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [0, 0]);
        unmask(bench, &host, 5, 1)?;
        for _ in 0..3 {
            lines.event(bench, 1, 7);
            lines.event(bench, 2, 7);
        }
        assert_eq!(lines.writes(bench).len(), 6);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1 << 5 | 1, 0]);
        // any number of events: one message
        unmask(bench, &host, 5, 0)?;
        unmask(bench, &host, 0, 0)?;
        assert_eq!(lines.writes(bench), [message(5), message(0)]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [0, 0]);
        Ok(())
    });
}

#[test]
fn no_message_comes_behind_the_completion_that_shows_its_mask() {
    run_widths("pcie-bar-msix-flush", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        unmask(bench, &host, 0, 0)?;
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))]);
        // the message is begun and finds the posted FIFO full
        bench.hold_sink(lines.writes, true);
        bench.hold_channel_sink(lines.cmds, true);
        bench.set("msix_cfg", ENABLED | u64::from(DEVICE));
        (0..10).for_each(|_| bench.step());
        // masked, and read back; then any other register
        unmask(bench, &host, 0, 1)?;
        for (bar, offset, tag) in [(BAR4, 12, 1), (BAR0, 0, 2)] {
            host.send(bench, bar, &header(false, place(bar, offset), 1, 0x0f, tag))?;
        }
        (0..600).for_each(|_| bench.step());
        assert_eq!(bench.waiting(host.cpl), 0, "a completion passes the message");
        bench.hold_sink(lines.writes, false);
        bench.hold_channel_sink(lines.cmds, false);
        assert_eq!(lines.writes(bench), [message(0)]);
        let shown = bench.received(host.cpl);
        assert_eq!(shown.iter().map(|f| dwords(f)[2] >> 8 & 0xff).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(dwords(&shown[0])[3], 1_u32.swap_bytes());
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1, 0]);
        Ok(())
    });
}

#[test]
fn messages_without_end_do_not_hold_completions() {
    run_widths("pcie-bar-msix-many", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        for vector in 0..16 {
            unmask(bench, &host, vector, 0)?;
            host.set(bench, 0x100 + 4 * vector, vector as u32)?;
        }
        bench.set("msix_cfg", ENABLED | u64::from(DEVICE));
        for n in 0..400 {
            bench.put(lines.event_cmds, Item::new().with("addr", 0x7000).with("length", 16));
            bench.send(lines.events, Frame::good(event(1, n % 16)));
        }
        for _ in 0..20 {
            assert_eq!(host.get(bench, 0x104)?, 1);
        }
        assert!(!bench.sent_all(lines.events), "the messages are over: nothing is proved");
        Ok(())
    });
}

#[test]
fn moderation_keeps_messages_apart() {
    run_case("pcie-bar-msix-moderation", Top::PcieBarW64, 1, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        unmask(bench, &host, 0, 0)?;
        host.set(bench, 0x600, 3)?;
        bench.set("msix_cfg", ENABLED);
        let tick = |bench: &mut Bench| {
            bench.set("msix_tick", 1);
            bench.step();
            bench.set("msix_tick", 0);
        };
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench).len(), 2);
        for left in (0..3).rev() {
            lines.event(bench, 2, 1);
            assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))], "{left} ticks are left");
            tick(bench);
        }
        assert_eq!(lines.writes(bench), [message(0)]);
        (0..3).for_each(|_| tick(bench));
        assert_eq!(lines.writes(bench), []);
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench).len(), 2);
        Ok(())
    });
}
