// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the PCI Express edge: what a host reads and writes, and everything that it may not.
use ferrowarp_sim::{seeds, Frame, Pattern};
use ferrowarp_tests::pcie_bar::{
    edge_bits, header, place, run_widths, write, Host, BAR0, BAR2, BAR4, DEVICE, HOST,
};
use rand::Rng;
use std::collections::BTreeMap;

/// What a device of profile `tiny` shows in BAR0 after reset, where it is not 0: by
/// docs/registers.md. Its widths stand at 0x014.
const SHOWN: [(u64, u32); 12] = [
    (0x000, 0x4677_5270),
    (0x004, 0xfe77_1234),
    (0x008, 0x0004_0003),
    (0x010, 0x0408_0504),
    (0x018, 62_500),
    (0x01c, 0x510f_05dc),
    (0x028, 20),
    (0x02c, 100),
    (0x030, 15),
    (0x034, 50),
    (0x038, 0x0bad_cafe),
    (0x090, 1),
];

/// Whether docs/registers.md has a register there, of 16 queue pairs and 32 completion queues,
/// that may be read or written.
fn is_register(offset: u64) -> bool {
    let ranges = [
        0x00..0x68,
        0x80..0x8c,
        0x90..0x94,
        0xa0..0xc0,
        0xc0..0xc8,
        0x100..0x180,
        0x200..0x640,
        0x800..0xa00,
    ];
    ranges.iter().any(|r| r.contains(&offset))
}

#[test]
fn every_register_is_read() {
    run_widths("pcie-bar-every-register", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let mut shown: BTreeMap<_, _> = SHOWN.into();
        shown.insert(0x014, edge_bits(bench) << 16 | 64);
        let mut unknown = 0;
        for offset in (0..4096).step_by(4) {
            if !is_register(offset) {
                unknown += 1;
                // one in eight of what is not there
                if offset % 32 != 0 {
                    continue;
                }
            }
            let value = host.get(bench, offset)?;
            let wanted = shown.get(&offset).copied().unwrap_or(0);
            // the first error is that of the first hole
            if !(0x80..0x8c).contains(&offset) && value != wanted {
                return Err(format!("register {offset:#x} is {value:#x}, expected {wanted:#x}"));
            }
        }
        assert!(unknown > 500);
        Ok(())
    });
}

#[test]
fn what_is_written_stays() {
    run_widths("pcie-bar-written", 2, |bench| {
        let mut host = Host::new(bench, Pattern::Random, Pattern::Random);
        for (offset, port, bits) in
            [(0x028, "ack_delay", 16), (0x02c, "rto_min", 16), (0x030, "retry_limit", 8)]
        {
            let value: u32 = bench.rng().random();
            host.set(bench, offset, value)?;
            let kept = value & ((1 << bits) - 1);
            assert_eq!((host.get(bench, offset)?, bench.get(port)), (kept, u64::from(kept)));
        }
        // a timeout that the device cannot count is not taken
        for (value, kept) in [(100, 100), (0, 100), (101, 100), (0x8000_0064, 100), (1, 1)] {
            host.set(bench, 0x034, value)?;
            assert_eq!((host.get(bench, 0x034)?, bench.get("read_timeout")), (kept, u64::from(kept)));
        }
        // two in one request, both ways, and one that crosses no quadword
        host.put(bench, BAR0, 0x028, &[7, 0, 0, 0, 9, 0, 0, 0])?;
        assert_eq!(host.ask(bench, BAR0, 0x028, 2)?, [7, 9]);
        // the secret cannot be read
        let secret: Vec<u8> = (0..40).map(|_| bench.rng().random()).collect();
        for (i, octets) in secret.chunks(8).enumerate() {
            host.put(bench, BAR0, 0x40 + 8 * i as u64, octets)?;
        }
        assert_eq!(bench.get_bytes("secret"), secret);
        assert_eq!(host.ask(bench, BAR0, 0x40, 2)?, [0, 0]);
        // vectors of queues, moderation, the table
        for i in 0..16 {
            host.set(bench, 0x100 + 4 * i, 0xfff0 | i as u32)?;
            host.set(bench, 0x600 + 4 * i, 0xff00 | (200 - i as u32))?;
            let entry: Vec<u8> = (0..8).map(|o| o + 16 * i as u8).collect();
            host.put(bench, BAR4, 16 * i, &entry)?;
            host.put(bench, BAR4, 16 * i + 8, &[1, 2, 3, i as u8, i as u8 & 1, 0, 0, 0])?;
        }
        for i in 0..16 {
            assert_eq!(host.get(bench, 0x100 + 4 * i)?, i as u32);
            assert_eq!(host.get(bench, 0x600 + 4 * i)?, 200 - i as u32);
            let o = 0x1010_1010 * (i as u32 & 0xf);
            let low = (0x0302_0100 + o) & !3;
            assert_eq!(host.ask(bench, BAR4, 16 * i, 2)?, [low, 0x0706_0504 + o]);
            assert_eq!(host.ask(bench, BAR4, 16 * i + 8, 2)?, [0x0003_0201 | (i as u32) << 24, i as u32 & 1]);
        }
        Ok(())
    });
}

#[test]
fn writes_one_behind_the_other_all_count() {
    for seed in seeds(0..3, 0..30) {
        run_widths("pcie-bar-dense", seed, |bench| {
            let mut host = Host::new(bench, Pattern::None, Pattern::None);
            // address and data of the messages, in pairs and alone; of 256 octets of the table
            // every other 8
            let mut table = [0_u32; 32];
            let mut tlps = vec![];
            for _ in 0..200 {
                let at = bench.rng().random_range(0..16);
                let (first, dwords) =
                    [(2 * at, 2), (2 * at, 1), (2 * at + 1, 1)][bench.rng().random_range(0..3_usize)];
                let mut octets = vec![];
                for dword in &mut table[first..first + dwords] {
                    *dword = bench.rng().random::<u32>() & !3;
                    octets.extend(dword.to_le_bytes());
                }
                let be = if dwords == 1 { 0x0f } else { 0xff };
                tlps.push(write(place(BAR4, table_offset(first)), be, &octets));
            }
            host.burst(bench, BAR4, &tlps)?;
            for (n, pair) in table.chunks(2).enumerate() {
                assert_eq!(host.ask(bench, BAR4, table_offset(2 * n), 2)?, pair, "entry {n}");
            }
            Ok(())
        });
    }
}

/// The place of a dword of the addresses of messages.
fn table_offset(dword: usize) -> u64 {
    (16 * (dword / 2) + 4 * (dword % 2)) as u64
}

#[test]
fn ticks_are_counted() {
    run_widths("pcie-bar-ticks", 3, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        bench.set("tick", 1);
        (0..300).for_each(|_| bench.step());
        bench.set("tick", 0);
        bench.step();
        assert_eq!(host.ask(bench, BAR0, 0x20, 2)?, [300, 0]);
        Ok(())
    });
}

#[test]
fn cycles_are_counted() {
    run_widths("pcie-bar-cycles", 4, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let before = (bench.cycle(), host.ask(bench, BAR0, 0x70, 2)?);
        (0..1_000).for_each(|_| bench.step());
        let after = (bench.cycle(), host.ask(bench, BAR0, 0x70, 2)?);
        assert_eq!((before.1[1], after.1[1]), (0, 0));
        // both reads take the same way, so between them are as many cycles as between their
        // beginnings
        assert_eq!(u64::from(after.1[0] - before.1[0]), after.0 - before.0);
        Ok(())
    });
}

/// Byte count and lower address of a read by the base specification, tables 2-38 and 2-39 (octet by
/// octet).
fn wanted(addr: u64, dwords: usize, be: u8) -> (u32, u32) {
    let enabled = |octet: usize| match octet / 4 {
        0 => be >> octet & 1 == 1,
        last if last == dwords - 1 => be >> (4 + octet % 4) & 1 == 1,
        _ => true,
    };
    let octets: Vec<_> = (0..4 * dwords).filter(|&o| enabled(o)).collect();
    match (octets.first(), octets.last()) {
        (Some(&first), Some(&last)) => ((last - first + 1) as u32, (addr as u32 & 0x7c) + first as u32),
        _ => (1, addr as u32 & 0x7c),
    }
}

#[test]
fn a_completion_is_as_its_request() {
    for seed in seeds(0..3, 0..30) {
        run_widths("pcie-bar-completions", seed, |bench| {
            let host = Host::new(bench, Pattern::Random, Pattern::Random);
            for _ in 0..60 {
                let dwords = bench.rng().random_range(1..=2);
                let offset = bench.rng().random_range(0..12_u64) * 8 + if dwords == 1 { 4 } else { 0 };
                let mut be: u8 = bench.rng().random();
                if dwords == 1 {
                    be &= 0x0f;
                } else if be & 0x0f == 0 || be & 0xf0 == 0 {
                    continue;
                }
                let tag: u8 = bench.rng().random();
                let mut tlp = header(false, place(BAR0, offset), dwords, be, tag);
                // traffic class and attributes
                let kept = bench.rng().random::<u32>() & 0x0074_3000;
                tlp[0] |= kept;
                host.send(bench, BAR0, &tlp)?;
                let cpl = host.completion(bench)?;
                let (octets, low) = wanted(offset, dwords, be);
                let head = [
                    0x4a00_0000 | kept | dwords as u32,
                    DEVICE << 16 | octets,
                    HOST << 16 | u32::from(tag) << 8 | low,
                ];
                assert_eq!(cpl[..3], head, "read of {dwords} at {offset:#x} with {be:#x}");
                assert_eq!(cpl.len(), 3 + dwords);
            }
            Ok(())
        });
    }
}

/// What is wrong with a request, as a bit of the error pulses.
const MALFORMED: usize = 0;
const UNSUPPORTED: usize = 1;
const POISONED: usize = 2;
const LENGTH: usize = 3;
const PARTIAL: usize = 4;
const ADDRESS: usize = 5;
const REFUSED: usize = 6;
const PAGE: usize = 7;
/// Place of the page of the device's own rings: behind those of 32 queues.
const OWN: u64 = 0x2_0000;

/// Completion without data: kind, status, octets; low address is the request's.
type Answer = Option<(u32, u32, u32)>;

/// Requests that are refused: BARs hit, TLP, error, completion.
fn refused() -> Vec<(u64, Vec<u32>, usize, Answer)> {
    let at = |offset| place(BAR0, offset);
    let other = |kind: u32, payload: usize| {
        let mut tlp = vec![kind << 24 | payload.max(1) as u32, HOST << 16 | 0x330f, at(0) as u32];
        if kind & 0x20 != 0 {
            tlp.push(0);
        }
        tlp.extend(vec![0x5555_5555; payload]);
        tlp
    };
    let mut cases = vec![
        // lengths
        (BAR0, write(at(0x28), 0xff, &[1; 12]), LENGTH, None),
        (BAR0, write(at(0x2c), 0xff, &[1; 8]), LENGTH, None),
        (BAR0, write(at(0x40), 0xff, &[1; 4096]), LENGTH, None),
        (BAR0, header(false, at(0x40), 3, 0xff, 0x33), LENGTH, Some((0x0a, 4, 12))),
        (BAR0, header(false, at(0x44), 2, 0xff, 0x33), LENGTH, Some((0x0a, 4, 8))),
        (BAR0, header(false, at(0), 1024, 0x3c, 0x33), LENGTH, Some((0x0a, 4, 4092))),
        // byte enables
        (BAR0, write(at(0x28), 0x07, &[1; 4]), PARTIAL, None),
        (BAR0, write(at(0x28), 0x00, &[1; 4]), PARTIAL, None),
        (BAR0, write(at(0x28), 0x7f, &[1; 8]), PARTIAL, None),
        (BAR4, write(place(BAR4, 0), 0xf7, &[1; 8]), PARTIAL, None),
        (BAR0, write(at(0x28), 0xff, &[1; 4]), MALFORMED, None),
        (BAR0, write(at(0x28), 0x0f, &[1; 8]), MALFORMED, None),
        (BAR0, header(false, at(0x28), 1, 0x1f, 0x33), MALFORMED, None),
        // addresses
        (BAR0, write(at(0x68), 0x0f, &[1; 4]), ADDRESS, None),
        (BAR0, write(at(0xffc), 0x0f, &[1; 4]), ADDRESS, None),
        (BAR0, write(at(0x180), 0x0f, &[1; 4]), ADDRESS, None),
        (BAR0, write(at(0xa00), 0x0f, &[1; 4]), ADDRESS, None),
        (BAR0, write(at(0x9fc), 0x0f, &[1; 4]), REFUSED, None),
        (BAR4, write(place(BAR4, 0x100), 0x0f, &[1; 4]), ADDRESS, None),
        (BAR0, write(at(0x00c), 0x0f, &[1; 4]), REFUSED, None),
        (BAR0, write(at(0x200), 0x0f, &[1; 4]), REFUSED, None),
        (BAR4, write(place(BAR4, 0x800), 0x0f, &[1; 4]), REFUSED, None),
        (0, write(at(0x28), 0x0f, &[1; 4]), UNSUPPORTED, None),
        (3, write(at(0x28), 0x0f, &[1; 4]), UNSUPPORTED, None),
        (0, header(false, at(0x28), 1, 0x0f, 0x33), UNSUPPORTED, Some((0x0a, 1, 4))),
        (0, header(false, at(0x28), 4, 0xff, 0x33), UNSUPPORTED, Some((0x0a, 1, 16))),
        // doorbells
        (BAR2, write(place(BAR2, 0x1000), 0x0f, &[0, 0, 0, 1]), LENGTH, None),
        (BAR2, write(place(BAR2, 0x1000), 0xf7, &[0, 0, 0, 1, 0, 0, 0, 5]), PARTIAL, None),
        (BAR2, write(place(BAR2, 0x1008), 0xff, &[0, 0, 0, 1, 0, 0, 0, 5]), ADDRESS, None),
        (BAR2, write(place(BAR2, 0x2000), 0xff, &[0, 0, 0, 1, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, 0x1000), 0xff, &[0, 0, 1, 1, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, OWN), 0xff, &[0, 0, 0, 32, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, OWN), 0xff, &[4, 0, 0, 1, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, 0), 0xff, &[4, 0, 0, 0, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, OWN), 0xff, &[8, 0, 0, 0, 0, 0, 0, 5]), PAGE, None),
        (BAR2, write(place(BAR2, OWN + 0x1000), 0xff, &[4, 0, 0, 0, 0, 0, 0, 5]), PAGE, None),
        // other kinds: locked read, I/O, configuration, atomic operations; messages; what is no
        // kind
        (BAR0, other(0x01, 0), UNSUPPORTED, Some((0x0b, 1, 4))),
        (BAR0, other(0x21, 0), UNSUPPORTED, Some((0x0b, 1, 4))),
        (BAR0, other(0x02, 0), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x42, 1), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x04, 0), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x45, 1), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x4c, 1), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x6d, 2), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x6e, 4), UNSUPPORTED, Some((0x0a, 1, 4))),
        (BAR0, other(0x30, 0), UNSUPPORTED, None),
        (BAR0, other(0x74, 1), UNSUPPORTED, None),
        (BAR0, other(0x1f, 0), MALFORMED, None),
        (BAR0, other(0x80, 0), MALFORMED, None),
    ];
    // more or fewer dwords than the header says
    let good = write(at(0x28), 0x0f, &[1; 4]);
    cases.push((BAR0, [&good[..], &[0]].concat(), MALFORMED, None));
    cases.push((BAR0, good[..3].into(), MALFORMED, None));
    cases.push((BAR0, good[..2].into(), MALFORMED, None));
    let mut poisoned = good;
    poisoned[0] |= 1 << 14;
    cases.push((BAR0, poisoned, POISONED, None));
    cases
}

#[test]
fn what_may_not_be_is_dropped_answered_and_noted() {
    run_widths("pcie-bar-refused", 4, |bench| {
        let mut host = Host::new(bench, Pattern::Random, Pattern::Random);
        let doorbells = bench.channel_sink("db", Pattern::None);
        for (bar, tlp, error, answer) in refused() {
            let text = format!("{:08x?} at BAR {bar}", &tlp[..tlp.len().min(6)]);
            // the first error only
            host.set(bench, 0x80, 0)?;
            let errors = host.send(bench, bar, &tlp)?;
            let mut told = [0; 17];
            told[error] = 1;
            // the second dword of a pair may be there
            assert_eq!(errors, told, "{text}");
            if let Some((kind, status, octets)) = answer {
                let cpl = host.completion(bench)?;
                let memory = tlp[0] >> 24 & 0x1f == 0;
                let first = (tlp[1] & 0xf).trailing_zeros();
                let low = if memory { (tlp[2] & 0x7c) + first } else { 0 };
                assert_eq!(
                    cpl,
                    [kind << 24, DEVICE << 16 | status << 13 | octets, HOST << 16 | 0x3300 | low],
                    "{text}"
                );
            }
            let what = host.get(bench, 0x80)?;
            assert_eq!(what & 0xff, error as u32 + 1, "{text}");
            if error != ADDRESS && error != REFUSED {
                assert_eq!(what >> 8 & 7, bar as u32, "{text}");
                assert_eq!(host.get(bench, 0x84)?, tlp[0], "{text}");
            }
        }
        // what the block gives up is nobody's request
        for tlp in [write(place(BAR0, 0x28), 0x0f, &[9; 4]), header(false, place(BAR0, 0x28), 1, 0x0f, 0)] {
            assert_eq!(host.give(bench, BAR0, &tlp, true)?[MALFORMED], 1);
        }
        assert_eq!(bench.waiting(host.cpl), 0);
        assert!(bench.taken(doorbells).is_empty());
        assert_eq!(host.ask(bench, BAR0, 0x28, 2)?, [20, 100]);
        // what is not there reads 0 and is noted
        host.set(bench, 0x80, 0)?;
        assert_eq!((host.get(bench, 0x78)?, host.get(bench, 0x80)? & 0xff), (0, 6));
        assert_eq!(host.get(bench, 0x88)?, 0x78);
        Ok(())
    });
}

#[test]
fn posted_requests_are_taken_while_completions_wait() {
    run_widths("pcie-bar-posted", 5, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        bench.hold_sink(host.cpl, true);
        bench.step();
        let mut asked = 0;
        while bench.get("np_ok") == 1 {
            host.send(bench, BAR0, &header(false, place(BAR0, 0x28), 1, 0x0f, asked))?;
            asked += 1;
            assert!(asked < 16, "requests are never held back");
        }
        assert!(asked >= 8);
        // the block in front may deliver some that it had already
        for tag in asked..asked + 4 {
            host.send(bench, BAR0, &header(false, place(BAR0, 0x28), 1, 0x0f, tag))?;
        }
        for value in 0..200_u32 {
            host.set(bench, 0x2c, value)?;
            assert_eq!(bench.get("rto_min"), u64::from(value));
        }
        bench.hold_sink(host.cpl, false);
        bench.run_until(2_000, |b| b.waiting(host.cpl) == usize::from(asked) + 4)?;
        let tags: Vec<_> = bench.received(host.cpl).iter().map(|f: &Frame| f.data[9]).collect();
        assert_eq!(tags, (0..asked + 4).collect::<Vec<_>>());
        assert_eq!(bench.get("np_ok"), 1);
        Ok(())
    });
}
