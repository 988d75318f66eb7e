// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may pass whom at the edge, and what the root complex says of a TLP that breaks a rule.
use ferrowarp_sim::pcie::{Completion, RcConfig, Request, Status};
use ferrowarp_sim::{seeds, Bench, Frame, Pattern};
use ferrowarp_tests::pcie::{run_widths, Dma, CLOCK_PS, HIGH, LOW};
use rand::Rng;

/// A TLP as octets of a stream: each dword's octets in the opposite order.
fn lanes(tlp: &[u8]) -> Vec<u8> {
    tlp.chunks(4).flat_map(|dword| dword.iter().rev().copied()).collect()
}

fn completion(config: &RcConfig, tag: u8, addr: u64, data: &[u8]) -> Completion {
    Completion {
        completer: config.function,
        status: Status::Successful,
        count: data.len() as u32,
        requester: config.root,
        tag,
        lower: (addr & 0x7F) as u8,
        poisoned: false,
        data: Some(data.to_vec()),
    }
}

#[test]
fn a_read_sees_the_writes_before_it() {
    for seed in seeds(0..3, 0..30) {
        run_widths("pcie-order-read", seed, |bench| {
            let mut dma = Dma::new(bench, RcConfig::rough(CLOCK_PS), Pattern::None);
            for n in 0..25_u64 {
                let (at, length) = (HIGH.0 + 600 * n, bench.rng().random_range(1..=600));
                dma.write(bench, at, length);
                // the write is taken: from now on a read of it is later
                bench.run_until(20_000, |b| b.put_all(dma.commands) && b.sent_all(dma.frames))?;
                dma.read_right(bench, &[(at, length)], 20_000)?;
            }
            Ok(())
        });
    }
}

#[test]
fn reads_without_credits_do_not_hold_writes() {
    run_widths("pcie-order-blocked", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.hold_reads(dma.root, true);
        (0..32).for_each(|n| assert!(dma.ask(bench, n, LOW.0 + 100 * n as u64, 4096)));
        for n in 0..30 {
            dma.write(bench, HIGH.0 + 1_000 * n, 999);
        }
        dma.until_written(bench, 10_000)?;
        assert!(dma.answered(bench).is_empty() && bench.root(dma.root).outstanding() == 0);
        bench.hold_reads(dma.root, false);
        let mut answers = 0;
        for _ in 0..40_000 {
            dma.step(bench);
            answers += dma.answered(bench).len();
        }
        assert_eq!(answers, 32);
        Ok(())
    });
}

#[test]
fn writes_without_end_do_not_starve_reads_and_completions() {
    run_widths("pcie-order-fair", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        let config = bench.root(dma.root).config.clone();
        for n in 0..200 {
            dma.write(bench, HIGH.0 + 37 * n, 4_096);
        }
        // all 200 were begun before the completion: it must wait for them; a read only for those
        // that are taken
        let tag = bench.root(dma.root).bar_read(0, 0x40, 4);
        let cpl = completion(&config, tag, config.bars[0] + 0x40, &[1, 2, 3, 4]);
        bench.send(dma.completions, Frame::good(lanes(&cpl.octets())));
        dma.read_right(bench, &[(LOW.0, 4096)], 6_000)?;
        assert!(!bench.sent_all(dma.frames), "the writes are over: nothing is proved");
        assert!(bench.root(dma.root).take_answers().is_empty(), "a completion passed writes");
        dma.until_written(bench, 400_000)?;
        (0..20).for_each(|_| dma.step(bench));
        let answers = bench.root(dma.root).take_answers();
        assert!(matches!(&answers[..], [a] if a.tag == tag && a.data == [1, 2, 3, 4]), "{answers:?}");
        Ok(())
    });
}

/// On a link that is slower than the edge, writes and reads wait all the time.
#[test]
fn writes_and_reads_take_turns_on_a_slow_link() {
    run_widths("pcie-order-turns", 1, |bench| {
        let config = RcConfig { lanes: 1, generation: 1, ..RcConfig::steady(CLOCK_PS) };
        let mut dma = Dma::new(bench, config, Pattern::None);
        bench.root(dma.root).record = true;
        for n in 0..60 {
            dma.write(bench, HIGH.0 + 64 * n, 64);
        }
        let reads: Vec<_> = (0..30).map(|n| (LOW.0 + 64 * n, 64)).collect();
        dma.read_right(bench, &reads, 100_000)?;
        let is_write: Vec<_> = bench.root(dma.root).requests.iter().map(|r| r.data.is_some()).collect();
        let first = is_write.iter().position(|is_write| !is_write).unwrap_or(is_write.len());
        let turns = is_write[first..].chunk_by(|a, b| a == b).collect::<Vec<_>>();
        // the last reads leave when all writes have
        let together = turns.iter().take(40).filter(|turn| turn.len() > 2).count();
        assert!(turns.len() > 40 && together == 0, "{is_write:?}");
        dma.until_written(bench, 400_000)
    });
}

#[test]
fn a_completion_leaves_when_the_writes_before_it_have() {
    run_widths("pcie-order-completion", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        let config = bench.root(dma.root).config.clone();
        let tag = bench.root(dma.root).bar_read(1, 0x1008, 8);
        let cpl = completion(&config, tag, config.bars[1] + 0x1008, &[9; 8]);
        // the device has begun a write that has not come this far
        bench.set("begun", 1);
        bench.send(dma.completions, Frame::good(lanes(&cpl.octets())));
        (0..300).for_each(|_| dma.step(bench));
        assert!(bench.root(dma.root).take_answers().is_empty(), "a completion passed a write");
        dma.write(bench, LOW.0, 300);
        (0..300).for_each(|_| dma.step(bench));
        assert_eq!(bench.root(dma.root).take_answers().len(), 1);
        // without one it leaves at once
        let tag = bench.root(dma.root).bar_read(1, 0x1008, 8);
        let cpl = completion(&config, tag, config.bars[1] + 0x1008, &[9; 8]);
        bench.send(dma.completions, Frame::good(lanes(&cpl.octets())));
        (0..12).for_each(|_| dma.step(bench));
        assert_eq!(bench.root(dma.root).take_answers().len(), 1);
        Ok(())
    });
}

#[test]
fn requests_go_one_way_and_completions_the_other() {
    run_widths("pcie-route", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::rough(CLOCK_PS), Pattern::None);
        let config = bench.root(dma.root).config.clone();
        let mut want = vec![];
        for n in 0..30_u64 {
            let bar = (n % 3) as u8;
            let octets = vec![n as u8; 1 + (n as usize * 5) % 40];
            let addr = config.bars[usize::from(bar)] + 64 * n;
            bench.root(dma.root).bar_write(bar, 64 * n, &octets);
            let tlp = Request::new(config.root, 0, addr, octets.len() as u64, Some(&octets)).octets();
            want.push((lanes(&tlp), 1 << bar));
        }
        dma.read_right(bench, &[(LOW.0 + 5, 2_000); 20], 60_000)?;
        let (mut got, mut frame) = (vec![], vec![]);
        for beat in bench.taken(dma.requests) {
            let field = |name: &str| beat.u64(name).expect("a port of the top");
            frame.extend(&beat.bytes("data").expect("a port of the top")[..field("bytes") as usize]);
            if field("last") == 1 {
                got.push((std::mem::take(&mut frame), field("bar_hit")));
            }
        }
        assert_eq!(got, want);
        assert_eq!(dma.faults.values().sum::<u64>(), 0, "{:?}", dma.faults);
        Ok(())
    });
}

/// What the root complex says of a TLP that the completion port lets through as it is.
fn verdict(bench: &mut Bench, make: impl Fn(&RcConfig) -> Vec<u8>) -> String {
    let dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
    let config = bench.root(dma.root).config.clone();
    bench.send(dma.completions, Frame::good(lanes(&make(&config))));
    let mut cycles = 0;
    let ended = bench.run_until(200, |_| {
        cycles += 1;
        cycles > 100
    });
    ended.expect_err("the root complex accepts it")
}

#[test]
fn a_tlp_that_breaks_a_rule_ends_the_case_with_a_dump() {
    type Make = fn(&RcConfig) -> Vec<u8>;
    let cases: [(&str, Make); 6] = [
        ("answers no request", |c| completion(c, 3, 0, &[0; 4]).octets()),
        ("cross a boundary of 4 KiB", |c| Request::new(c.function, 0, 0x1FFC, 8, Some(&[0; 8])).octets()),
        ("exceed Max_Payload_Size 256", |c| {
            Request::new(c.function, 0, 0x1000, 260, Some(&[0; 260])).octets()
        }),
        ("the function's is 0x0300", |c| Request::new(c.function + 1, 0, 0x1000, 4, None).octets()),
        ("tag 40", |c| Request::new(c.function, 40, 0x1000, 4, None).octets()),
        ("0x42 is nothing that this device sends", |_| {
            vec![0x42, 0, 0, 1, 0, 0, 0, 0x0F, 0, 0, 0, 0, 1, 2, 3, 4]
        }),
    ];
    for (n, (text, make)) in cases.into_iter().enumerate() {
        run_widths(&format!("pcie-violation-{n}"), 1, |bench| {
            let said = verdict(bench, make);
            assert!(said.contains(text) && said.contains("0000: "), "{said}");
            Ok(())
        });
    }
}

#[test]
fn the_root_complex_sees_a_request_without_bus_master_enable() {
    run_widths("pcie-violation-master", 1, |bench| {
        let dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        let config = bench.root(dma.root).config.clone();
        bench.root(dma.root).config.master = false;
        (0..1_000).for_each(|_| bench.step());
        let write = Request::new(config.function, 0, LOW.0, 4, Some(&[0; 4]));
        bench.send(dma.completions, Frame::good(lanes(&write.octets())));
        let mut cycles = 0;
        let said = bench.run_until(200, |_| {
            cycles += 1;
            cycles > 100
        });
        assert!(said.expect_err("it is accepted").contains("Bus Master Enable is off"));
        Ok(())
    });
}
