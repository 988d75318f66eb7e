// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers to segments of nobody are rationed: a flood is not reflected.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::wire::Seg;

/// A second of 10,000 frames; how many segments come back.
fn answers_to(bench: &mut Bench, seg: &Seg) -> usize {
    bench.peer.log.clear();
    for _ in 0..1_000 {
        for _ in 0..10 {
            bench.send(seg);
        }
        bench.run(1);
    }
    bench.peer.log.len()
}

#[test]
fn resets_to_strays_are_rationed() {
    let mut bench = Bench::default();
    bench.peer.theirs = Some(([10, 9, 0, 1], 99).into());
    let stray = Seg { data: vec![1; 10], ..bench.peer.seg() };
    let resets = answers_to(&mut bench, &stray);
    assert!((900..=1_100).contains(&resets), "{resets} resets to 10,000 strays in a second");
    assert_eq!(bench.manager.counters().0.strays, resets as u64);
    // the ration comes back
    bench.run(100);
    bench.peer.log.clear();
    bench.send(&stray);
    bench.settle();
    assert_eq!(bench.peer.log.len(), 1);
}

#[test]
fn answers_in_time_wait_are_rationed() {
    let mut config = config();
    config.timing.time_wait = 60_000;
    let mut bench = Bench::new(config);
    let id = bench.connect(Then::Stream);
    bench.manager.close(id).expect("open");
    bench.settle();
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    assert_eq!(bench.manager.audit().time_waits, 1);
    let old = Seg { seq: fin.seq.wrapping_sub(5), fin: false, data: vec![1; 5], ..fin.clone() };
    let answers = answers_to(&mut bench, &old);
    assert!((1..=3).contains(&answers), "{answers} answers to 10,000 old segments in a second");
    // a FIN that comes again is answered in its turn
    bench.run(500);
    bench.peer.log.clear();
    bench.send(&fin);
    bench.settle();
    assert_eq!(bench.peer.log.len(), 1);
}
