// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput of MPA receive: segments of whole FPDUs, a stream cut without regard to them,
//! smallest FPDUs.
use super::key::{Bar, Bench, Key, Record};
use crate::mpa_model::mulpdu;
use crate::mpa_rx::{cut_at_fpdus, cut_every, Rx, Segment, Stream};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench as Sim, Pattern};
use rand::Rng;
use std::cell::Cell;

/// FPDUs of MULPDU length in one measurement.
const FPDUS: usize = 60;
/// Segments full of smallest FPDUs in one measurement, and how many each holds (1,460 octets of
/// 20).
const FULL: usize = 20;
/// As above.
const PACKED: usize = 73;

fn key(width: usize, emss: usize, markers: bool) -> String {
    let kind = if markers { "markers" } else { "plain" };
    format!("mpa_rx.w{width}.emss{emss}.{kind}.beats_per_cycle")
}

fn settings() -> impl Iterator<Item = (Top, usize, usize, bool)> {
    [(Top::MpaW64, 64), (Top::MpaW256, 256)].into_iter().flat_map(|(top, width)| {
        [1_460, 8_960].into_iter().flat_map(move |e| [false, true].map(|markers| (top, width, e, markers)))
    })
}

const STRADDLE: &str = "mpa_rx.w64.emss1460.straddle.beats_per_cycle";
const BUBBLES: &str = "mpa_rx.w64.smallest.bubbles";
const ENDS: &str = "mpa_rx.w512.fpdu_ends_per_cycle";

/// Input beats a cycle, cycles lost to each smallest FPDU, FPDUs a cycle.
pub fn bench() -> Bench {
    let rate = |(_, w, e, markers)| Key { name: key(w, e, markers), bar: Bar::AtLeast(0.97) };
    let mut keys: Vec<_> = settings().map(rate).collect();
    keys.push(Key { name: STRADDLE.into(), bar: Bar::AtLeast(0.90) });
    keys.push(Key { name: BUBBLES.into(), bar: Bar::AtMost(1.0) });
    keys.push(Key { name: ENDS.into(), bar: Bar::AtLeast(0.5) });
    Bench { name: "mpa_rx", keys, run }
}

/// A stream of `count` FPDUs of `length` octets each.
fn stream(sim: &mut Sim, count: usize, length: usize, markers: bool) -> Stream {
    let mut s = Stream::new(1, sim.rng().random(), markers, true);
    for _ in 0..count {
        let ulpdu: Vec<u8> = (0..length).map(|_| sim.rng().random()).collect();
        s.push(&ulpdu);
    }
    s
}

/// Runs one stream through the stage and reads a figure.
fn measure(
    name: &str,
    top: Top,
    make: impl Fn(&mut Sim) -> (Stream, Vec<Segment>),
    read: impl Fn(&Sim, &Rx) -> f64,
) -> f64 {
    let figure = Cell::new(f64::NAN);
    run_case(name, top, 1, |sim| {
        let rx = Rx::new(sim, Pattern::None, Pattern::None)?;
        let (s, segments) = make(sim);
        rx.set_up(sim, &s)?;
        sim.restart_rates();
        rx.check(sim, &[s], &segments)?;
        figure.set(read(sim, &rx));
        Ok(())
    });
    figure.get()
}

fn run(record: &mut Record) -> Result<(), String> {
    let beats = |sim: &Sim, rx: &Rx| sim.source_rate(rx.input).beats_per_cycle();
    for (top, width, emss, markers) in settings() {
        let aligned = |sim: &mut Sim| {
            let s = stream(sim, FPDUS, mulpdu(emss, markers), markers);
            let segments = cut_at_fpdus(&s, 1);
            (s, segments)
        };
        let name = key(width, emss, markers);
        let figure = measure(&name, top, aligned, beats);
        record.put(name, figure);
    }
    let straddle = |sim: &mut Sim| {
        let s = stream(sim, FPDUS, 1_400, true);
        let segments = cut_every(std::slice::from_ref(&s), 1_460);
        (s, segments)
    };
    record.put(STRADDLE, measure(STRADDLE, Top::MpaW64, straddle, beats));
    let packed = |sim: &mut Sim| {
        let s = stream(sim, FULL * PACKED, 14, false);
        let segments = cut_at_fpdus(&s, PACKED);
        (s, segments)
    };
    let lost = |sim: &Sim, rx: &Rx| sim.source_rate(rx.input).bubbles() as f64 / (FULL * PACKED) as f64;
    record.put(BUBBLES, measure(BUBBLES, Top::MpaW64, packed, lost));
    let ends = |sim: &Sim, rx: &Rx| sim.channel_sink_rate(rx.fpdu).beats_per_cycle();
    record.put(ENDS, measure(ENDS, Top::MpaW512, packed, ends));
    Ok(())
}
