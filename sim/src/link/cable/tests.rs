// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames in one direction, by the cycle in which their beats arrive.
use super::*;

/// 10 Gbit/s on a 64-bit stream: a beat a cycle.
pub(super) const CONFIG: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 64 };

pub(super) fn octets(n: usize) -> Vec<u8> {
    (0..n).map(|i| i as u8).collect()
}

/// A cable with whole frames, sent one after the other from time 0.
pub(super) fn sent(frames: &[(usize, Fate)]) -> Cable {
    let mut cable = Cable::new(CONFIG, Side::B, false);
    let mut start = 0;
    for (n, fate) in frames {
        cable.open(start, true);
        cable.push(&octets(*n));
        let end = start + CONFIG.wire_ps(PREAMBLE + *n as u64);
        cable.close(start, end, false, fate.clone());
        start += CONFIG.wire_ps(on_wire(*n as u64));
    }
    cable
}

/// Whole frames that a device takes that is always ready, with the cycle of their last beats.
pub(super) fn taken(cable: &mut Cable) -> Vec<(u64, Vec<u8>, bool)> {
    let (mut frames, mut data) = (vec![], vec![]);
    for cycle in 0..3_000 {
        let Some(beat) = cable.receive(cycle * CONFIG.clock_ps, 8) else { continue };
        data.extend(&beat.data[..beat.bytes as usize]);
        if beat.last {
            frames.push((cycle, std::mem::take(&mut data), beat.err));
        }
    }
    frames
}

#[test]
fn a_frame_arrives_after_the_delay_with_its_last_octet_and_fcs() {
    let mut cable = Cable::new(CONFIG, Side::B, false);
    cable.open(6_400, false);
    let (mut beats, all) = (vec![], octets(60));
    for cycle in 1..=40_u64 {
        // the device hands a beat over in each of cycles 1 to 8
        if let Some(part) = all.chunks(8).nth(cycle as usize - 1) {
            cable.push(part);
            if cycle == 8 {
                cable.close(6_400, cycle * 6_400, false, Fate::Deliver);
            }
        }
        beats.extend(cable.receive(cycle * 6_400, 8).map(|b| (cycle, b)));
    }
    // preamble from cycle 1, delay 10 cycles, preamble 1, then a beat a cycle; the last with
    // the FCS
    let cycles: Vec<_> = beats.iter().map(|(c, _)| *c).collect();
    assert_eq!(cycles, (13..=20).collect::<Vec<_>>());
    assert!(beats[7].1.last && !beats[7].1.err && beats[7].1.bytes == 4);
    assert!(!cable.pending());
    assert_eq!((cable.stats.frames, cable.stats.octets, cable.stats.busy_ps), (1, 60, 84 * 800));
}

#[test]
fn each_fate_is_what_it_says() {
    let changed = Fate::Replace(vec![7; 61]);
    let fates = [Fate::Drop, Fate::Corrupt(8 * 70 + 3), Fate::Duplicate, changed, Fate::Delay(2_000)];
    let lengths = [60, 64, 100, 61, 80];
    let mut frames: Vec<_> = lengths.into_iter().zip(fates).collect();
    frames.push((90, Fate::Deliver));
    let mut cable = sent(&frames);
    let got = taken(&mut cable);
    let mut bad = octets(64);
    bad[6] ^= 8;
    let want = [(bad, true), (octets(100), false), (octets(100), false), (vec![7; 61], false)];
    let want = want.into_iter().chain([(octets(90), false), (octets(80), false)]).collect::<Vec<_>>();
    assert_eq!(got.iter().map(|(_, d, e)| (d.clone(), *e)).collect::<Vec<_>>(), want);
    let s = cable.stats;
    assert_eq!((s.frames, s.dropped, s.damaged, s.duplicated, s.delayed), (6, 1, 2, 1, 1));
    assert!(!cable.pending());
}

#[test]
fn a_frame_of_a_third_station_arrives_between_two_others() {
    let mut cable = sent(&[(100, Fate::Deliver)]);
    cable.inject(0, octets(60));
    cable.open(200_000, true);
    cable.push(&octets(24));
    cable.inject(210_000, octets(70));
    cable.push(&octets(56));
    cable.close(200_000, 300_000, false, Fate::Deliver);
    let got: Vec<_> = taken(&mut cable).into_iter().map(|(cycle, data, _)| (cycle, data.len())).collect();
    // preamble, octets and FCS from 0, from 84 octets later, from 210 ns, then when the judged
    // one was whole
    assert_eq!(got.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [60, 100, 70, 80]);
    assert_eq!(got[0].0, (8 + 60 + 4_u64).div_ceil(8));
    assert_eq!((cable.stats.frames, cable.pending()), (2, false));
}

#[test]
fn a_device_that_waits_loses_the_rest_of_the_frame() {
    let mut cable = sent(&[(200, Fate::Deliver), (60, Fate::Deliver), (70, Fate::Deliver)]);
    let mut now = 0;
    let mut next = |cable: &mut Cable| loop {
        now += 6_400;
        if let Some(beat) = cable.receive(now, 8) {
            return (now, beat);
        }
    };
    let (_, first) = next(&mut cable);
    let (later, second) = next(&mut cable);
    assert!(!first.last && !second.last);
    // the second beat is not taken while the third, and later the whole second frame, arrive
    let fault = cable.overrun(later + 6_400, 8);
    assert_eq!(fault, Some(LinkFault::Overrun { index: 0, to: Side::B, octets: 16 }));
    assert_eq!(cable.overrun(later + 12_800, 8), None);
    let (_, end) = next(&mut cable);
    assert!(end.last && end.err);
    let whole = taken(&mut cable);
    assert_eq!(whole.iter().map(|(_, d, e)| (d.len(), *e)).collect::<Vec<_>>(), [(60, false), (70, false)]);
    assert_eq!(cable.stats.overruns, 1);
}

#[test]
fn a_frame_that_comes_while_the_last_beat_is_not_taken_is_lost() {
    let mut cable = sent(&[(60, Fate::Deliver), (60, Fate::Deliver)]);
    let mut now = 0;
    while !cable.receive(now, 8).is_some_and(|b| b.last) {
        now += 6_400;
    }
    let lost = cable.overrun(now + 100 * 6_400, 8);
    assert_eq!(lost, Some(LinkFault::Overrun { index: 1, to: Side::B, octets: 0 }));
    assert_eq!((taken(&mut cable), cable.pending()), (vec![], false));
}

#[test]
fn a_judged_frame_of_ends_in_blocks_begins_to_arrive_a_delay_after_its_last_beat() {
    for (in_blocks, begins) in [(false, 300_000), (true, 364_000)] {
        let mut cable = Cable::new(CONFIG, Side::B, in_blocks);
        cable.open(200_000, true);
        cable.push(&octets(100));
        cable.close(200_000, 300_000, false, Fate::Deliver);
        let arrives = begins + CONFIG.wire_ps(PREAMBLE + 100 + FCS);
        assert_eq!(cable.arrived(arrives - 1, &mut Carrier::default()), None);
        assert_eq!(cable.arrived(arrives, &mut Carrier::default()).map(|(at, ..)| at), Some(arrives));
    }
}
