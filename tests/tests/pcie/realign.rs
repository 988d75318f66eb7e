// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the PCI Express block gives at 128 bits, where a TLP may begin in the middle of a beat,
//! becomes TLPs with beats of their own.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::Straddle;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use rand::{Rng, RngCore};

/// A TLP as the block has it: its lanes, the BARs that it hits, given up.
type Tlp = (Vec<u8>, u8, bool);

/// The same, as dwords.
type Dwords = (Vec<u32>, u8, bool);

/// Begins in octet 0, in octet 8; ends in lane `n`.
const LOW: u64 = 0x10;
const HIGH: u64 = 0x18;
const fn end(lane: u64) -> u64 {
    0x10 | (4 * lane + 3)
}

fn ends(bench: &mut Bench, offers: Pattern, takes: Pattern) -> (ChanSrcId, ChanSinkId) {
    (bench.channel_source("rx", offers), bench.channel_sink("req", takes))
}

/// A beat of four dwords.
fn beat(dwords: [u32; 4], is_sof: u64, is_eof: u64, bar_hit: u64, err: bool) -> Item {
    let data: Vec<u8> = dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
    let item = Item::new().with_bytes("data", &data).with("is_sof", is_sof).with("is_eof", is_eof);
    item.with("bar_hit", bar_hit).with("err", err.into())
}

/// The TLPs that beats of requests make.
fn tlps(beats: Vec<Item>) -> Result<Vec<Tlp>, String> {
    let (mut all, mut open) = (vec![], None::<(Vec<u8>, u8)>);
    for beat in beats {
        let field = |name: &str| beat.u64(name).expect("a port of the top");
        let (hit, last) = (field("bar_hit") as u8, field("last") == 1);
        let (lanes, first) = open.get_or_insert_with(|| (vec![], hit));
        if *first != hit {
            return Err(format!("bar_hit changes from {first} to {hit} inside a TLP"));
        }
        let octets = field("bytes") as usize;
        if octets != 16 && !last || !octets.is_multiple_of(4) {
            return Err(format!("{octets} octets in a beat, last {last}"));
        }
        lanes.extend(&beat.bytes("data").expect("a port of the top")[..octets]);
        if let (true, Some((lanes, hit))) = (last, open.take_if(|_| last)) {
            all.push((lanes, hit, field("err") == 1));
        }
    }
    Ok(all)
}

/// Steps until all is taken and given.
fn run(bench: &mut Bench, rx: ChanSrcId) {
    let ended = bench.run_until(400_000, |bench| bench.put_all(rx));
    ended.expect("beats are taken");
    (0..60).for_each(|_| bench.step());
}

/// A message of `dwords` dwords, which no part of the edge answers and `req` shows as it came.
fn message(bench: &mut Bench, dwords: usize) -> Vec<u8> {
    let mut lanes = vec![0; 4 * dwords];
    bench.rng().fill_bytes(&mut lanes);
    lanes[3] = 0x74;
    lanes
}

#[test]
fn beats_written_by_hand() {
    const M: u32 = 0x7400_0000;
    // beats, then the TLPs that they are
    let cases: [(&str, Vec<Item>, Vec<Dwords>); 5] = [
        ("one that fits", vec![beat([M, 1, 2, 9], LOW, end(2), 1, false)], vec![(vec![M, 1, 2], 1, false)]),
        (
            "two, the second from octet 8 to a lower half",
            vec![
                beat([M, 1, 2, 3], LOW, 0, 1, false),
                beat([4, 9, M, 5], HIGH, end(0), 2, false),
                beat([6, 9, 9, 9], 0, end(0), 2, true),
            ],
            vec![(vec![M, 1, 2, 3, 4], 1, false), (vec![M, 5, 6], 2, true)],
        ),
        (
            "the second to an upper half: a beat more than came",
            vec![
                beat([M, 1, 2, 3], LOW, 0, 4, false),
                beat([4, 5, M, 6], HIGH, end(1), 2, true),
                beat([7, 8, 10, 9], 0, end(2), 2, false),
                beat([M, 1, 2, 3], LOW, end(3), 1, false),
            ],
            vec![
                (vec![M, 1, 2, 3, 4, 5], 4, true),
                (vec![M, 6, 7, 8, 10], 2, false),
                (vec![M, 1, 2, 3], 1, false),
            ],
        ),
        (
            "three, each from octet 8",
            vec![
                beat([M, 1, 2, 3], LOW, 0, 1, false),
                beat([4, 9, M, 5], HIGH, end(0), 2, false),
                beat([6, 7, M, 8], HIGH, end(1), 4, false),
                beat([11, 12, 13, 14], 0, end(3), 4, true),
            ],
            vec![
                (vec![M, 1, 2, 3, 4], 1, false),
                (vec![M, 5, 6, 7], 2, false),
                (vec![M, 8, 11, 12, 13, 14], 4, true),
            ],
        ),
        (
            "dwords of nobody, then one from octet 8 of an empty beat",
            vec![
                beat([1, 2, 3, 4], 0, end(1), 7, true),
                beat([9, 9, M, 1], HIGH, 0, 1, false),
                beat([2, 9, 9, 9], 0, end(0), 1, false),
            ],
            vec![(vec![M, 1, 2], 1, false)],
        ),
    ];
    for (name, beats, want) in cases {
        run_case("pcie-realign-guide", Top::PcieDmaW128, 1, |bench| {
            let (rx, req) = ends(bench, Pattern::None, Pattern::None);
            beats.iter().for_each(|b| bench.put(rx, b.clone()));
            run(bench, rx);
            let got = tlps(bench.taken(req))?;
            let octets = |d: &Vec<u32>| d.iter().flat_map(|d| d.to_le_bytes()).collect::<Vec<_>>();
            let want: Vec<Tlp> = want.iter().map(|(d, hit, err)| (octets(d), *hit, *err)).collect();
            if got != want {
                return Err(format!("{name}: {got:?}, not {want:?}"));
            }
            Ok(())
        });
    }
}

#[test]
fn tlps_of_all_lengths_come_whole_with_their_bar() {
    for (seed, pattern) in (1..).zip([Pattern::None, Pattern::Random]) {
        run_case("pcie-realign-lengths", Top::PcieDmaW128, seed, |bench| {
            let (rx, req) = ends(bench, pattern, pattern);
            let (mut block, mut want, mut mid) = (Straddle::default(), vec![], 0);
            for _ in 0..2_000 {
                let dwords = bench.rng().random_range(3..=24);
                let tlp =
                    (message(bench, dwords), bench.rng().random_range(0..8), bench.rng().random_ratio(1, 8));
                let alone = bench.rng().random_ratio(1, 8).then(|| block.flush(bench.rng())).flatten();
                let beats = block.add(&tlp.0, tlp.1, tlp.2, bench.rng());
                want.push(tlp);
                for beat in alone.into_iter().chain(beats) {
                    mid += u64::from(u64::from(beat.is_sof) == HIGH);
                    bench.put(rx, beat.into());
                }
            }
            let left = block.flush(bench.rng());
            left.into_iter().for_each(|beat| bench.put(rx, beat.into()));
            run(bench, rx);
            assert!(mid > 300, "only {mid} TLPs began in octet 8");
            let got = tlps(bench.taken(req))?;
            let first = got.iter().zip(&want).position(|(g, w)| g != w);
            if let Some(n) = first {
                return Err(format!("TLP {n}: {:?}, not {:?}", got[n], want[n]));
            }
            if got.len() != want.len() {
                return Err(format!("{} TLPs, not {}", got.len(), want.len()));
            }
            Ok(())
        });
    }
}

#[test]
fn a_beat_is_taken_every_cycle_but_for_the_beat_more_that_a_tlp_may_have() {
    // dwords of each TLP, beats that come, cycles that they may take
    for (name, dwords, more) in [("completions", [19, 35], 0), ("writes", [5, 5], 1)] {
        run_case("pcie-realign-rate", Top::PcieDmaW128, 1, |bench| {
            let (rx, req) = ends(bench, Pattern::None, Pattern::None);
            let mut block = Straddle::default();
            let mut beats = vec![];
            for n in 0..200 {
                let lanes = message(bench, dwords[n % 2]);
                beats.extend(block.add(&lanes, 1, false, bench.rng()));
            }
            beats.extend(block.flush(bench.rng()));
            let came = beats.len() as u64;
            beats.into_iter().for_each(|b| bench.put(rx, b.into()));
            let mut cycles = 0;
            let ended = bench.run_until(4_000, |bench| {
                cycles += 1;
                bench.put_all(rx)
            });
            ended?;
            let most = came + more * 100 + 4;
            assert!(cycles <= most, "{name}: {came} beats in {cycles} cycles, not {most}");
            assert!(bench.taken(req).len() as u64 <= came + more * 100);
            Ok(())
        });
    }
}

#[test]
fn marks_that_contradict_each_other_hold_nothing_up() {
    run_case("pcie-realign-noise", Top::PcieDmaW128, 1, |bench| {
        let (rx, req) = ends(bench, Pattern::None, Pattern::None);
        for _ in 0..5_000 {
            let mut dwords = [0; 4];
            bench.rng().fill(&mut dwords);
            let [sof, eof, hit] = [32, 32, 8].map(|n| bench.rng().random_range(0..n));
            // never a completion: those go elsewhere
            let dwords = dwords.map(|d: u32| d & 0x00FF_FFFF | 0x7400_0000);
            let err = bench.rng().random();
            bench.put(rx, beat(dwords, sof, eof, hit, err));
        }
        // whatever is under way ends here
        bench.put(rx, beat([0x7400_0000; 4], 0, end(3), 0, false));
        run(bench, rx);
        bench.taken(req);
        let good = (message(bench, 21), 2, false);
        let mut block = Straddle::default();
        let mut beats = block.add(&good.0, good.1, good.2, bench.rng());
        beats.extend(block.flush(bench.rng()));
        beats.into_iter().for_each(|b| bench.put(rx, b.into()));
        run(bench, rx);
        assert_eq!(tlps(bench.taken(req))?, [good]);
        Ok(())
    });
}
