// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a hostile or broken peer sends: one verdict, nothing of the FPDU, the other connections
//! untouched.
use ferrowarp_tests::mpa_model::{crc32c, fpdu};
use ferrowarp_tests::mpa_rx::{
    add_idle, both_widths, compare, cut_every, end_streams, judged, segments, Stream, BUFFER, CRC, LENGTH,
};
use rand::Rng;

const ENDED: u64 = 5;

#[test]
fn impossible_lengths() {
    for length in (0..14).chain(64_769..=64_771).chain([65_023, 65_535_u32]) {
        for markers in [false, true] {
            let mut s = Stream::new(2, 11, markers, true);
            s.push(&[1; 50]);
            let bytes = (length as u16).to_be_bytes();
            s.push_fault(&[bytes[0], bytes[1], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], LENGTH);
            s.octets.extend([0x55; 3000]);
            judged("length", &s, 700);
        }
    }
}

#[test]
fn the_shortest_possible_ulpdu() {
    let mut s = Stream::new(2, 11, true, true);
    s.push(&[1; 14]);
    s.push(&[2; 15]);
    judged("shortest", &s, 1460);
}

/// The bench tops have buffers for FPDUs of 9,216 octets, markers not counted. The first FPDU of a
/// stream with markers begins behind a marker.
#[test]
fn longer_than_the_buffer() {
    for markers in [false, true] {
        let mut s = Stream::new(2, 11, markers, true);
        s.push(&[1; 9_210]);
        s.push(&[2; 9_210]);
        judged("fits", &s, 1460);
        s.push_fault(&fpdu(&[2; 9_211], s.octets.len() as u64, markers, true), BUFFER);
        judged("buffer", &s, 1460);
        let mut first = Stream::new(2, 11, markers, true);
        first.push_fault(&fpdu(&[2; 9_211], 0, markers, true), BUFFER);
        judged("buffer-first", &first, 1460);
    }
    let mut longest = Stream::new(2, 11, true, true);
    longest.push_fault(&fpdu(&[2; 64_768], 0, true, true), BUFFER);
    judged("buffer-longest", &longest, 1460);
}

#[test]
fn a_stream_that_ends_inside_an_fpdu() {
    let whole = fpdu(&[3; 40], 0, true, true);
    for cut in 1..whole.len() {
        both_widths("ended", |bench, rx| {
            let mut s = Stream::new(4, 1, true, true);
            s.push_fault(&whole[..cut], ENDED);
            rx.set_up(bench, &s)?;
            let streams = [s];
            let mut segments = cut_every(&streams, 17);
            end_streams(&mut segments, 1);
            rx.check(bench, &streams, &segments)
        });
    }
}

#[test]
fn a_stream_that_ends_between_fpdus_says_nothing() {
    both_widths("ends", |bench, rx| {
        let mut s = Stream::new(4, 1, true, true);
        s.push(&[3; 40]);
        s.push(&[4; 41]);
        rx.set_up(bench, &s)?;
        let streams = [s];
        let mut segments = cut_every(&streams, 20);
        end_streams(&mut segments, 1);
        rx.check(bench, &streams, &segments)
    });
}

#[test]
fn a_connection_runs_again_after_it_is_set_up_again() {
    both_widths("again", |bench, rx| {
        for round in 0..6_u8 {
            let mut s = Stream::new(9, bench.rng().random(), round % 2 == 0, true);
            s.push(&[round; 700]);
            match round % 3 {
                0 => s.push_fault(&[0; 40], LENGTH),
                1 => {
                    let mut wire = fpdu(&[7; 600], s.octets.len() as u64, s.markers, true);
                    wire[300] ^= 1;
                    s.push_fault(&wire, 1);
                }
                _ => s.octets.extend(&fpdu(&[7; 600], s.octets.len() as u64, s.markers, true)[..99]),
            }
            rx.set_up(bench, &s)?;
            let streams = [s];
            rx.check(bench, &streams, &cut_every(&streams, 333))?;
        }
        Ok(())
    });
}

/// Some connections go bad in random ways among others that do not.
#[test]
fn others_go_on_untouched() {
    both_widths("others", |bench, rx| {
        let mut streams = vec![];
        for conn in 0..12 {
            let mut s = Stream::new(conn, bench.rng().random(), conn % 2 == 0, true);
            for _ in 0..8 {
                let n = bench.rng().random_range(14..900);
                let ulpdu: Vec<u8> = (0..n).map(|_| bench.rng().random()).collect();
                s.push(&ulpdu);
            }
            if conn % 3 == 0 {
                let mut wire = fpdu(&[conn as u8; 100], s.octets.len() as u64, s.markers, true);
                let last = wire.len() - 1;
                wire[last] ^= 0x80;
                s.push_fault(&wire, 1);
                s.octets.extend((0..2_000).map(|i| (i * 7) as u8)); // whatever it means now
            }
            rx.set_up(bench, &s)?;
            streams.push(s);
        }
        let mut cuts = segments(&streams, bench.rng(), |rng, _, _| rng.random_range(1..1461));
        add_idle(&mut cuts, &streams, bench.rng(), 60);
        rx.check(bench, &streams, &cuts)
    });
}

/// Each connection that stops gives one pulse on its verdict's bit, whatever follows; good FPDUs
/// give none.
#[test]
fn each_stop_is_counted_once() {
    both_widths("counted", |bench, rx| {
        let mut flipped = fpdu(&[7; 60], 0, true, true);
        flipped[30] ^= 1;
        let mut wrong_pointer = [vec![0, 0, 0, 4, 0, 14], vec![5; 14]].concat();
        wrong_pointer.extend(crc32c(&wrong_pointer).to_le_bytes());
        let faults: [(&[u8], u64); 5] = [
            (&flipped, 1),
            (&wrong_pointer, 2),
            (&[0, 0, 0, 0, 0, 3, 0, 0], LENGTH),
            (&[0, 0, 0, 0, 0xF0, 0, 0, 0], BUFFER),
            (&[0, 0, 0, 0, 0, 40, 1], ENDED),
        ];
        for (octets, verdict) in faults {
            let mut s = Stream::new(5, 1, true, true);
            s.push_fault(octets, verdict);
            if verdict != ENDED {
                s.octets.extend([0; 300]); // more that is wrong
            }
            let mut good = Stream::new(6, 1, true, true);
            good.push(&[1; 500]);
            rx.set_up(bench, &s)?;
            rx.set_up(bench, &good)?;
            let streams = [s, good];
            let mut segments = cut_every(&streams, 100);
            end_streams(&mut segments, 1);
            rx.send(bench, &streams, &segments);
            let (mut pulses, end) = ([0; 8], bench.cycle() + 1_000);
            rx.run_until(bench, 2_000, |b| {
                let bad = b.get("mpa_rx_bad");
                (0..8).for_each(|bit| pulses[bit] += bad >> bit & 1);
                b.cycle() >= end
            })?;
            let got = rx.finish(bench, &streams)?;
            streams.iter().zip(&got).try_for_each(|(s, g)| compare(s, g))?;
            let mut want = [0; 8];
            want[verdict as usize] = 1;
            if pulses != want {
                return Err(format!("pulses {pulses:?}, not {want:?}"));
            }
        }
        Ok(())
    });
}

/// What follows a bad FPDU is framed and silent; three buffers full of it must not stay there.
#[test]
fn a_stopped_connection_holds_no_rows() {
    both_widths("rows", |bench, rx| {
        let mut bad = Stream::new(1, bench.rng().random(), false, true);
        let mut wire = fpdu(&[9; 100], 0, false, true);
        wire[50] ^= 1;
        bad.push_fault(&wire, CRC);
        for _ in 0..48 {
            bad.octets.extend(fpdu(&[8; 1_000], 0, false, true));
        }
        let mut good = Stream::new(2, bench.rng().random(), false, true);
        good.push(&[7; 1_000]);
        let streams = [bad, good];
        for s in &streams {
            rx.set_up(bench, s)?;
        }
        rx.check(bench, &streams, &cut_every(&streams, 1_460))
    });
}

#[test]
fn one_octet_a_segment() {
    let mut s = Stream::new(0, 0xFFFF_FFF0, true, true);
    s.push(&[1; 20]);
    s.push(&[2; 600]);
    judged("octets", &s, 1);
}

/// 63 connections hold one octet of an FPDU each and never send another; the 64th does not notice.
#[test]
fn held_octets_of_others_cost_nothing() {
    both_widths("held", |bench, rx| {
        let mut streams = vec![];
        for conn in 0..63 {
            let mut s = Stream::new(conn, bench.rng().random(), false, true);
            s.octets.push(0);
            rx.set_up(bench, &s)?;
            streams.push(s);
        }
        rx.check(bench, &streams, &cut_every(&streams, 1))?;
        let mut s = Stream::new(63, bench.rng().random(), false, true);
        for i in 0..40 {
            s.push(&vec![i; 1_454]);
        }
        rx.set_up(bench, &s)?;
        bench.restart_rates();
        let streams = [s];
        rx.check(bench, &streams, &cut_every(&streams, 1_460))?;
        let rate = bench.source_rate(rx.input).beats_per_cycle();
        if rate < 0.97 {
            return Err(format!("{rate} beats a cycle while others hold octets"));
        }
        Ok(())
    });
}

#[test]
fn fpdus_over_three_segments() {
    let mut s = Stream::new(0, 3, true, true);
    for i in 0..20 {
        s.push(&vec![i; 1_300 + usize::from(i)]);
    }
    judged("three", &s, 500);
}
