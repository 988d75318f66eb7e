// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads become memory read TLPs, and completions in any lawful order and division become answers.
use ferrowarp_sim::pcie::{Completion, Misdeed, RcConfig, Status};
use ferrowarp_sim::{seeds, Pattern};
use ferrowarp_tests::pcie::{lengths, run_widths, Dma, ACROSS, CLOCK_PS, HIGH, LOW};
use rand::seq::IndexedRandom;
use rand::Rng;

#[test]
fn every_length_at_every_alignment() {
    for (mrrs, mps) in [(0, 0), (2, 1), (5, 2)] {
        run_widths(&format!("pcie-read-lengths-{mrrs}"), 1, |bench| {
            let config = RcConfig { mps, mrrs, ..RcConfig::steady(CLOCK_PS) };
            let mut dma = Dma::new(bench, config, Pattern::None);
            let near =
                |base: u64| (base..base + 8).chain(base + 4092..base + 4097).chain(base + 509..base + 512);
            let starts: Vec<_> = near(LOW.0).chain(near(HIGH.0)).collect();
            let mut reads = vec![];
            for length in lengths() {
                let picked: Vec<_> = match length {
                    ..=20 => starts.clone(),
                    _ => starts.choose_multiple(bench.rng(), 3).copied().collect(),
                };
                reads.extend(picked.into_iter().map(|addr| (addr, length)));
            }
            dma.read_right(bench, &reads, 400_000)?;
            assert_eq!(dma.faults.values().sum::<u64>(), 0, "{:?}", dma.faults);
            Ok(())
        });
    }
}

#[test]
fn random_reads_with_completions_cut_and_out_of_order() {
    for seed in seeds(0..6, 0..60) {
        run_widths("pcie-read-rough", seed, |bench| {
            let rcb = *[64, 128].choose(bench.rng()).expect("two");
            let (mps, mrrs) = (bench.rng().random_range(0..=2), bench.rng().random_range(0..=5));
            let mut config = RcConfig { mps, mrrs, rcb, ..RcConfig::rough(CLOCK_PS) };
            config.function = bench.rng().random();
            config.timing.read_credits = *[3, 8, 32].choose(bench.rng()).expect("three");
            let idle = *[Pattern::None, Pattern::Random].choose(bench.rng()).expect("two");
            let mut dma = Dma::new(bench, config, idle);
            let mut reads = vec![];
            for _ in 0..150 {
                let (base, len) = *[LOW, HIGH, ACROSS].choose(bench.rng()).expect("three");
                let most = *[8, 64, 700, 4096].choose(bench.rng()).expect("four");
                let length = bench.rng().random_range(1..=most);
                reads.push((base + bench.rng().random_range(0..=len - length as u64), length));
            }
            dma.read_right(bench, &reads, 600_000)?;
            assert_eq!(dma.faults.values().sum::<u64>(), 0, "{:?}", dma.faults);
            Ok(())
        });
    }
}

#[test]
fn memory_that_is_not_mapped_is_an_error_of_that_read_alone() {
    run_widths("pcie-read-unmapped", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        let end = LOW.0 + LOW.1;
        let reads = [(LOW.0, 4096), (end - 600, 2000), (0x10, 4), (end - 4, 4), (end - 1000, 1001)];
        let answers = dma.read_all(bench, &reads, 20_000)?;
        let errs: Vec<_> = answers.iter().map(|a| a.err).collect();
        assert_eq!(errs, [false, true, true, false, true]);
        assert_eq!(answers[0].data, dma.octets(LOW.0, 4096));
        let refused = bench.root(dma.root).host.take_refused().len() as u64;
        assert!(refused >= 3 && dma.fault("refused") == refused, "{refused} refused, {:?}", dma.faults);
        dma.read_right(bench, &[(HIGH.0 + 3, 4000); 40], 40_000)
    });
}

/// What is done to the second of four parts of a read, and which fault it counts as.
const MISDEEDS: [(&str, Misdeed); 11] = [
    ("refused", Misdeed::Status(Status::Unsupported)),
    ("refused", Misdeed::Status(Status::Other(2))),
    ("refused", Misdeed::Status(Status::Other(7))),
    ("aborted", Misdeed::Status(Status::Aborted)),
    ("poisoned", Misdeed::Poison),
    ("malformed", Misdeed::Count(1)),
    ("malformed", Misdeed::Count(-4)),
    ("malformed", Misdeed::Lower(4)),
    ("malformed", Misdeed::NoData),
    ("malformed", Misdeed::Cut),
    ("malformed", Misdeed::Short),
];

#[test]
fn a_bad_completion_fails_its_read_and_no_other() {
    for (n, (fault, misdeed)) in MISDEEDS.into_iter().enumerate() {
        for shuffle in [false, true] {
            run_widths(&format!("pcie-read-bad-{n}"), n as u64, |bench| {
                let mut config = RcConfig::rough(CLOCK_PS);
                config.timing.shuffle = shuffle;
                config.timing.read_credits = 32;
                let mut dma = Dma::new(bench, config, Pattern::None);
                // parts 0 to 3 are the first read's
                bench.root(dma.root).misbehave(1, misdeed);
                let reads = [(LOW.0, 2048), (HIGH.0, 512), (HIGH.0 + 5, 1500), (LOW.0 + 99, 700)];
                let answers = dma.read_all(bench, &reads, 20_000)?;
                assert!(answers[0].err, "{misdeed:?} is not seen");
                for (&(addr, length), answer) in reads.iter().zip(&answers).skip(1) {
                    assert!(!answer.err && answer.data == dma.octets(addr, length), "{misdeed:?}");
                }
                assert_eq!(dma.faults.values().sum::<u64>(), 1, "{misdeed:?}: {:?}", dma.faults);
                assert_eq!(dma.fault(fault), 1, "{misdeed:?}: {:?}", dma.faults);
                dma.read_right(bench, &[(LOW.0 + 1, 4096); 20], 30_000)
            });
        }
    }
}

#[test]
fn a_completion_that_answers_nobody_is_dropped_and_its_read_expires() {
    for misdeed in [Misdeed::Tag(0x80), Misdeed::Tag(0x08), Misdeed::Requester(1), Misdeed::Silent(5_000)] {
        run_widths("pcie-read-stray", 1, |bench| {
            let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
            bench.set("timeout", 3);
            bench.root(dma.root).misbehave(0, misdeed);
            dma.ask(bench, 0, LOW.0 + 3, 700);
            (0..400).for_each(|_| dma.step(bench));
            assert!(dma.answered(bench).is_empty());
            assert_eq!(dma.fault("unexpected"), u64::from(misdeed != Misdeed::Silent(5_000)), "{misdeed:?}");
            // three whole ticks at least
            (0..3).for_each(|_| dma.tick(bench));
            assert!(dma.answered(bench).is_empty(), "{misdeed:?} expired too early");
            dma.tick(bench);
            let answers = dma.answered(bench);
            assert!(matches!(&answers[..], [(0, a)] if a.err), "{misdeed:?}: {answers:?}");
            assert_eq!(dma.fault("expired"), 1);
            dma.read_right(bench, &[(HIGH.0 + 1, 4096); 20], 20_000)
        });
    }
}

#[test]
fn a_late_completion_is_dropped_and_its_tag_rests_meanwhile() {
    run_widths("pcie-read-late", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.set("timeout", 2);
        // the completions come in the middle of the rest: the root complex would see the tag used
        // again before
        bench.root(dma.root).misbehave(0, Misdeed::Late(600));
        dma.ask(bench, 0, LOW.0, 512);
        (0..100).for_each(|_| dma.step(bench));
        (0..3).for_each(|_| dma.tick(bench));
        let answers = dma.answered(bench);
        assert!(matches!(&answers[..], [(0, a)] if a.err), "{answers:?}");
        assert_eq!((dma.fault("expired"), dma.fault("late")), (1, 0));
        assert_eq!(bench.get("outstanding"), 1);
        dma.read_right(bench, &[(HIGH.0 + 1, 2048); 40], 20_000)?;
        // two completions of 256 octets
        assert_eq!(dma.fault("late"), 2, "{:?}", dma.faults);
        assert_eq!(bench.get("outstanding"), 1);
        (0..3).for_each(|_| dma.tick(bench));
        assert_eq!(bench.get("outstanding"), 0, "the tag rests for ever");
        dma.read_right(bench, &[(HIGH.0 + 1, 2048); 40], 20_000)
    });
}

#[test]
fn time_begins_when_the_request_has_left() {
    run_widths("pcie-read-no-credits", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.set("timeout", 2);
        bench.root(dma.root).config.timing.read_credits = 64;
        // 32 requests wait for credits, longer than a read may take and its tag rests
        bench.hold_reads(dma.root, true);
        for n in 0..32 {
            assert!(dma.ask(bench, n, LOW.0 + 512 * n as u64, 512));
        }
        (0..8).for_each(|_| dma.tick(bench));
        assert_eq!(bench.root(dma.root).outstanding(), 0);
        assert_eq!((dma.answered(bench).len(), dma.fault("expired"), bench.get("outstanding")), (0, 0, 1));
        // they leave and are not answered: two whole ticks from now on, and two more until a tag
        // comes back
        (0..32).for_each(|n| bench.root(dma.root).misbehave(n, Misdeed::Silent(150 + 4 * 81)));
        bench.hold_reads(dma.root, false);
        (0..250).for_each(|_| dma.step(bench));
        assert_eq!(bench.root(dma.root).outstanding(), 32);
        (0..2).for_each(|_| dma.tick(bench));
        assert_eq!((dma.answered(bench).len(), dma.fault("expired")), (0, 0), "given up too early");
        dma.tick(bench);
        assert_eq!((dma.answered(bench).len(), dma.fault("expired")), (32, 32));
        dma.ask(bench, 0, LOW.0, 100);
        dma.tick(bench);
        assert!(dma.answered(bench).is_empty(), "a tag at rest was used");
        dma.tick(bench);
        (0..300).for_each(|_| dma.step(bench));
        assert_eq!(dma.answered(bench).len(), 1);
        dma.read_right(bench, &[(LOW.0 + 77, 3000); 40], 20_000)
    });
}

#[test]
fn a_completion_of_a_request_that_has_not_left_is_unexpected() {
    run_widths("pcie-read-unsent", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        let RcConfig { function, root, .. } = bench.root(dma.root).config;
        bench.hold_reads(dma.root, true);
        dma.ask(bench, 0, LOW.0 + 64, 64);
        (0..50).for_each(|_| dma.step(bench));
        // the first of 32 tags is 0
        for data in [None, Some(vec![0; 64])] {
            let status = if data.is_some() { Status::Successful } else { Status::Aborted };
            let (requester, completer) = (function, root);
            let cpl = Completion {
                completer,
                status,
                count: 64,
                requester,
                tag: 0,
                lower: 64,
                poisoned: false,
                data,
            };
            bench.root(dma.root).send(cpl.octets(), 0);
        }
        (0..100).for_each(|_| dma.step(bench));
        assert_eq!(dma.fault("unexpected"), 2, "{:?}", dma.faults);
        assert!(dma.answered(bench).is_empty());
        bench.hold_reads(dma.root, false);
        (0..400).for_each(|_| dma.step(bench));
        let answers = dma.answered(bench);
        assert!(
            matches!(&answers[..], [(0, a)] if !a.err && a.data == dma.octets(LOW.0 + 64, 64)),
            "{answers:?}"
        );
        Ok(())
    });
}

#[test]
fn with_completion_timeout_disable_only_a_request_that_was_dropped_is_given_up() {
    run_widths("pcie-read-endless", 1, |bench| {
        let mut dma =
            Dma::new(bench, RcConfig { endless: true, ..RcConfig::steady(CLOCK_PS) }, Pattern::None);
        bench.set("timeout", 2);
        bench.root(dma.root).misbehave(0, Misdeed::Silent(200_000));
        dma.ask(bench, 0, LOW.0, 300);
        // more ticks than the count of them has values
        (0..600).for_each(|_| dma.tick(bench));
        assert_eq!((dma.answered(bench).len(), dma.fault("expired")), (0, 0));
        // without Bus Master Enable nobody would ever answer
        bench.root(dma.root).config.master = false;
        (0..4).for_each(|_| dma.step(bench));
        bench.hold_reads(dma.root, true);
        dma.ask(bench, 1, LOW.0, 300);
        (0..50).for_each(|_| dma.step(bench));
        assert_eq!(dma.dropped, 1, "what is dropped needs no credit");
        (0..3).for_each(|_| dma.tick(bench));
        let answers = dma.answered(bench);
        assert!(matches!(&answers[..], [(1, a)] if a.err), "{answers:?}");
        bench.hold_reads(dma.root, false);
        bench.root(dma.root).config.master = true;
        dma.read_right(bench, &[(HIGH.0 + 1, 2048); 40], 20_000)?;
        assert_eq!(dma.fault("expired"), 1);
        // it may be cleared at any time
        bench.root(dma.root).config.endless = false;
        (0..4).for_each(|_| dma.tick(bench));
        let answers = dma.answered(bench);
        assert!(matches!(&answers[..], [(0, a)] if a.err), "{answers:?}");
        Ok(())
    });
}

#[test]
fn tags_come_back_whatever_became_of_them() {
    run_widths("pcie-read-tags", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.set("timeout", 1);
        // every tag is lost once: with 32 of them at rest nothing can be asked, and nobody uses one
        // until the third tick
        bench.root(dma.root).config.timing.read_credits = 64;
        (0..32).for_each(|n| bench.root(dma.root).misbehave(n, Misdeed::Silent(700)));
        for n in 0..32 {
            assert!(dma.ask(bench, n, LOW.0 + 512 * n as u64, 512));
        }
        (0..400).for_each(|_| dma.step(bench));
        (0..2).for_each(|_| dma.tick(bench));
        assert_eq!(dma.answered(bench).len(), 32);
        assert_eq!(dma.fault("expired"), 32);
        dma.ask(bench, 0, LOW.0, 100);
        (0..300).for_each(|_| dma.step(bench));
        assert!(dma.answered(bench).is_empty(), "a tag at rest was used");
        (0..2).for_each(|_| dma.tick(bench));
        (0..300).for_each(|_| dma.step(bench));
        assert_eq!(dma.answered(bench).len(), 1);
        dma.read_right(bench, &[(LOW.0 + 77, 3000); 40], 20_000)
    });
}

#[test]
fn a_completion_that_comes_twice_is_told() {
    run_widths("pcie-read-twice", 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        // a whole answer: the second one finds nobody
        bench.root(dma.root).misbehave(0, Misdeed::Twice);
        dma.read_right(bench, &[(LOW.0, 64)], 1_000)?;
        (0..50).for_each(|_| dma.step(bench));
        assert_eq!((dma.fault("unexpected"), dma.fault("malformed")), (1, 0), "{:?}", dma.faults);
        // half an answer: the second one is not what must come next
        bench.root(dma.root).misbehave(0, Misdeed::Twice);
        let answers = dma.read_all(bench, &[(LOW.0, 512)], 1_000)?;
        assert!(answers[0].err);
        (0..200).for_each(|_| dma.step(bench));
        assert_eq!((dma.fault("malformed"), dma.fault("late")), (1, 1), "{:?}", dma.faults);
        dma.read_right(bench, &[(LOW.0 + 77, 3000); 40], 20_000)
    });
}
