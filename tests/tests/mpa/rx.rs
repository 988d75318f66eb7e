// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MPA receive stage on the emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::mpa_model::fpdu;
use ferrowarp_tests::mpa_rx::{add_idle, both_widths, compare, cut_every, segments, Rx, Stream, CRC, LENGTH};
use rand::Rng;

fn random_octets(bench: &mut Bench, n: usize) -> Vec<u8> {
    (0..n).map(|_| bench.rng().random()).collect()
}

/// Lengths from the smallest up, most of them short.
fn random_length(bench: &mut Bench) -> usize {
    match bench.rng().random_range(0..10) {
        0..=4 => bench.rng().random_range(14..80),
        5..=8 => bench.rng().random_range(14..1460),
        _ => bench.rng().random_range(1460..9000),
    }
}

/// An FPDU that is wrong, and octets behind it that no longer matter.
fn push_random_fault(bench: &mut Bench, stream: &mut Stream) {
    let n = random_length(bench);
    let mut wire = fpdu(&random_octets(bench, n), stream.octets.len() as u64, stream.markers, stream.crc);
    if stream.crc && bench.rng().random() {
        let at = wire.len() - 1 - bench.rng().random_range(0..4);
        wire[at] ^= 1 << bench.rng().random_range(0..8);
        stream.push_fault(&wire, CRC);
    } else {
        let at = if stream.markers && stream.octets.len().is_multiple_of(512) { 4 } else { 0 };
        wire[at] = 0;
        wire[at + 1] = bench.rng().random_range(0..14);
        stream.push_fault(&wire, LENGTH);
    }
    let more = bench.rng().random_range(0..2_000);
    stream.octets.extend(random_octets(bench, more));
}

fn random_streams(bench: &mut Bench, markers: bool, crc: bool) -> Vec<Stream> {
    let count = bench.rng().random_range(1..5);
    (0..count)
        .map(|conn| {
            let seq_start = match bench.rng().random_range(0..3) {
                0 => bench.rng().random(),
                1 => 0xFFFF_FF00_u32.wrapping_add(bench.rng().random_range(0..0x100)),
                _ => bench.rng().random_range(0..8),
            };
            let mut stream = Stream::new(conn * 5, seq_start, markers, crc);
            for _ in 0..bench.rng().random_range(1..12) {
                let n = random_length(bench);
                stream.push(&random_octets(bench, n));
            }
            if bench.rng().random_range(0..4) == 0 {
                push_random_fault(bench, &mut stream);
            }
            stream
        })
        .collect()
}

fn random_cuts(name: &str, top: Top, markers: bool, crc: bool) {
    for seed in seeds(0..6, 0..200) {
        run_case(&format!("{name}-m{}-c{}", u8::from(markers), u8::from(crc)), top, seed, |bench| {
            let patterns = [Pattern::None, Pattern::Cycle, Pattern::Random];
            let idle = patterns[bench.rng().random_range(0..3)];
            let stall = patterns[bench.rng().random_range(0..3)];
            let rx = Rx::new(bench, idle, stall)?;
            let streams = random_streams(bench, markers, crc);
            for s in &streams {
                rx.set_up(bench, s)?;
            }
            let small = bench.rng().random_range(0..4) == 0;
            let mut cuts = segments(&streams, bench.rng(), |rng, _, _| {
                if small {
                    rng.random_range(1..9)
                } else {
                    rng.random_range(1..1461)
                }
            });
            let idle = bench.rng().random_range(0..=cuts.len().min(60));
            add_idle(&mut cuts, &streams, bench.rng(), idle);
            rx.check(bench, &streams, &cuts)
        });
    }
}

#[test]
fn random_streams_w64() {
    for (markers, crc) in [(false, true), (true, true), (true, false), (false, false)] {
        random_cuts("mpa-rx-w64", Top::MpaW64, markers, crc);
    }
}

#[test]
fn random_streams_w256() {
    for (markers, crc) in [(false, true), (true, true), (true, false), (false, false)] {
        random_cuts("mpa-rx-w256", Top::MpaW256, markers, crc);
    }
}

#[test]
fn random_streams_w512() {
    for (markers, crc) in [(false, true), (true, true)] {
        random_cuts("mpa-rx-w512", Top::MpaW512, markers, crc);
    }
}

/// Cycles from the transfer of an FPDU's last beat to that of its ULPDU's first, as the stage's
/// README has it.
const LATENCY: u64 = 12;

#[test]
fn latency_from_last_octet_to_first_beat() {
    both_widths("latency", |bench, rx| {
        let mut s = Stream::new(0, 3, false, true);
        s.push(&random_octets(bench, 200));
        rx.set_up(bench, &s)?;
        bench.restart_rates();
        let streams = [s];
        rx.check(bench, &streams, &cut_every(&streams, 1460))?;
        let latency = bench.sink_rate(rx.output).first_cycle - bench.source_rate(rx.input).last_cycle;
        if latency != LATENCY {
            return Err(format!("{latency} cycles, not {LATENCY}"));
        }
        Ok(())
    });
}

/// Cycles from an ack point to the first beat of the ULPDU that ended with its segment: the stage's
/// README counts both from the last octet.
const AFTER_ACK: u64 = 6;

#[test]
fn the_ack_point_comes_before_the_ulpdu() {
    both_widths("ack-latency", |bench, rx| {
        let mut s = Stream::new(0, 3, false, true);
        s.push(&random_octets(bench, 200));
        rx.set_up(bench, &s)?;
        let streams = [s];
        rx.send(bench, &streams, &cut_every(&streams, 1460));
        rx.run_until(bench, 1_000, |b| b.get("mpa_rx_done_valid") == 1)?;
        let cycles = rx.run_until(bench, 100, |b| b.get("mpa_rx_tx_valid") == 1)?;
        if cycles != AFTER_ACK {
            return Err(format!("{cycles} cycles, not {AFTER_ACK}"));
        }
        rx.finish(bench, &streams).map(drop)
    });
}

/// FPDUs that waited for the output leave without a pause; they end with full rows, which cost no
/// beat more.
#[test]
fn waiting_fpdus_leave_at_full_rate() {
    both_widths("backlog", |bench, rx| {
        let mut s = Stream::new(0, 3, false, true);
        for _ in 0..12 {
            s.push(&random_octets(bench, 62));
        }
        rx.set_up(bench, &s)?;
        bench.restart_rates();
        bench.hold_sink(rx.output, true);
        let streams = [s];
        rx.send(bench, &streams, &cut_every(&streams, 1460));
        let end = bench.cycle() + 400;
        rx.run_until(bench, 500, |b| b.cycle() >= end)?;
        bench.hold_sink(rx.output, false);
        let got = rx.finish(bench, &streams)?;
        compare(&streams[0], &got[0])?;
        match bench.sink_rate(rx.output).bubbles() {
            0 => Ok(()),
            lost => Err(format!("{lost} cycles without a beat")),
        }
    });
}

/// Cycles a segment of one octet takes, as the stage's README has it: its row is fetched behind the
/// one before.
const SHORT: u64 = 3;

#[test]
fn segments_of_one_octet() {
    both_widths("short", |bench, rx| {
        let mut s = Stream::new(0, 3, false, true);
        s.push(&random_octets(bench, 200));
        rx.set_up(bench, &s)?;
        bench.restart_rates();
        let streams = [s];
        rx.check(bench, &streams, &cut_every(&streams, 1))?;
        let rate = bench.source_rate(rx.input);
        let cycles = rate.cycles().div_ceil(rate.beats);
        if cycles != SHORT {
            return Err(format!("{cycles} cycles a segment, not {SHORT}"));
        }
        Ok(())
    });
}
