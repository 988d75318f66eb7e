// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posted writes become memory write TLPs: judged by the root complex, and every octet in memory.
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{seeds, Pattern};
use ferrowarp_tests::pcie::{lengths, run_widths, Dma, ACROSS, CLOCK_PS, HIGH, LOW};
use rand::seq::IndexedRandom;
use rand::Rng;

/// Addresses whose distance to a boundary is 0 to 7 octets.
fn starts() -> Vec<u64> {
    let near = |base: u64| (base..base + 5).chain(base + 4093..base + 4100).chain(base + 250..base + 253);
    near(LOW.0).chain(near(HIGH.0)).collect()
}

#[test]
fn every_length_at_every_alignment() {
    for mps in [0, 1, 2, 5] {
        run_widths(&format!("pcie-write-lengths-{mps}"), 1, |bench| {
            let config = RcConfig { mps, ..RcConfig::steady(CLOCK_PS) };
            let size = config.max_payload();
            let mut dma = Dma::new(bench, config, Pattern::None);
            bench.root(dma.root).record = true;
            let mut writes = vec![];
            for length in lengths() {
                let picked: Vec<_> = match length {
                    ..=20 => starts(),
                    _ => starts().choose_multiple(bench.rng(), 3).copied().collect(),
                };
                writes.extend(picked.into_iter().map(|addr| (addr, length)));
            }
            for &(addr, length) in &writes {
                dma.write(bench, addr, length);
            }
            dma.until_written(bench, 400_000)?;
            // each write came as TLPs that follow each other and end at multiples of the payload
            // size or with the write
            let requests = std::mem::take(&mut bench.root(dma.root).requests);
            let mut tlps = requests.iter().map(|r| r.span());
            for (addr, length) in writes {
                let (mut at, end) = (addr, addr + length as u64);
                while at < end {
                    let (first, octets) = tlps.next().ok_or("too few TLPs")?;
                    assert_eq!(first, at, "of {length} octets at {addr:x}");
                    at += octets;
                    assert!(at == end || (at < end && at.is_multiple_of(size)), "cut at {at:x}");
                    assert!(first / size == (at - 1) / size, "{octets} octets at {first:x}");
                }
            }
            assert_eq!(tlps.next(), None);
            // what a byte enable hides is zero, not an octet of somebody else
            for request in &requests {
                let data = request.data.as_deref().unwrap_or_default();
                assert!((0..data.len()).all(|i| request.enables(i) || data[i] == 0), "{request:?}");
            }
            Ok(())
        });
    }
}

#[test]
fn random_writes_under_stalls_and_few_credits() {
    for seed in seeds(0..4, 0..40) {
        run_widths("pcie-write-rough", seed, |bench| {
            let mps = bench.rng().random_range(0..=2);
            let function = bench.rng().random();
            let config = RcConfig { mps, function, ..RcConfig::rough(CLOCK_PS) };
            let mut dma = Dma::new(bench, config, Pattern::Random);
            bench.monitor("tx");
            for _ in 0..120 {
                let (base, len) = *[LOW, HIGH, ACROSS].choose(bench.rng()).expect("three");
                let most = *[8, 64, 700, 4096].choose(bench.rng()).expect("four");
                let length = bench.rng().random_range(1..=most);
                let addr = base + bench.rng().random_range(0..=len - length as u64);
                dma.write(bench, addr, length);
            }
            dma.until_written(bench, 600_000)
        });
    }
}

#[test]
fn a_write_across_4_gib_changes_its_header() {
    run_widths("pcie-write-across", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.root(dma.root).record = true;
        for start in 1..=70_u64 {
            dma.write(bench, 0x1_0000_0000 - start, 300);
        }
        dma.until_written(bench, 20_000)?;
        let requests = std::mem::take(&mut bench.root(dma.root).requests);
        assert!(requests.iter().any(|r| r.addr >> 32 == 0) && requests.iter().any(|r| r.addr >> 32 == 1));
        Ok(())
    });
}

#[test]
fn a_link_that_takes_nothing_loses_nothing() {
    run_widths("pcie-write-held", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.hold_link(dma.root, true);
        for n in 0..20 {
            dma.write(bench, HIGH.0 + 700 * n + n, 650);
        }
        (0..2_000).for_each(|_| dma.step(bench));
        assert!(!bench.sent_all(dma.frames) && bench.root(dma.root).up.tlps == 0);
        bench.hold_link(dma.root, false);
        dma.until_written(bench, 10_000)
    });
}

#[test]
fn without_bus_master_enable_requests_are_dropped() {
    run_widths("pcie-write-master", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        dma.write(bench, LOW.0 + 8, 300);
        dma.until_written(bench, 1_000)?;
        bench.root(dma.root).config.master = false;
        let want = dma.want.clone();
        for n in 0..8 {
            dma.write(bench, LOW.0 + 1_024 * n + 128, 256);
        }
        dma.want = want;
        (0..2_000).for_each(|_| dma.step(bench));
        assert!(bench.sent_all(dma.frames), "writes wait for Bus Master Enable");
        // 128 octets to the multiple of 256, 128 behind it
        assert_eq!(dma.dropped, 16);
        assert!(dma.settled(bench));
        bench.root(dma.root).config.master = true;
        dma.write(bench, LOW.0 + 0x4000, 4_000);
        // what was dropped counts as out: a read waits for nobody
        dma.read_right(bench, &[(HIGH.0, 64)], 1_000)?;
        dma.until_written(bench, 2_000)
    });
}
