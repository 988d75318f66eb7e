// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection is set up anew in each cycle of what its neighbours do: neither of them loses
//! anything.
use ferrowarp_sim::Bench;
use ferrowarp_tests::mpa_model::fpdu;
use ferrowarp_tests::mpa_rx::{both_widths, compare, cut_every, Rx, Segment, Stream, CRC};
use rand::Rng;

/// Cycles between the neighbour's traffic and the set-up: more than any step of a short FPDU takes.
const OFFSETS: u64 = 32;
/// The connection that is set up again, and its neighbour.
const AGAIN: u64 = 1;
const NEIGHBOUR: u64 = 2;
/// FPDUs of 20 octets, the shortest ones, in a segment of 1,460.
const SHORTEST: usize = 73;

/// A stream whose first FPDU has a wrong CRC.
fn bad(bench: &mut Bench, conn: u64, fpdus: usize) -> Stream {
    let mut stream = Stream::new(conn, bench.rng().random(), false, true);
    let mut wire = fpdu(&[0x41; 14], 0, false, true);
    let last = wire.len() - 1;
    wire[last] ^= 1;
    stream.push_fault(&wire, CRC);
    (1..fpdus).for_each(|_| stream.octets.extend(&wire));
    stream
}

/// Lets the stage run for `cycles`.
fn wait(bench: &mut Bench, rx: &Rx, cycles: u64) -> Result<(), String> {
    let end = bench.cycle() + cycles;
    rx.run_until(bench, cycles + 1, |b| b.cycle() >= end).map(drop)
}

/// The stopped connections are bits of one register: a verdict on one must not undo the set-up of
/// another.
#[test]
fn beside_bad_crcs_a_connection_runs_again_whenever_it_is_set_up() {
    both_widths("set-up-beside-bad", |bench, rx| {
        let mut dead = vec![];
        for offset in 0..OFFSETS {
            let stopped = [bad(bench, AGAIN, 1)];
            rx.set_up(bench, &stopped[0])?;
            rx.check(bench, &stopped, &cut_every(&stopped, 1_460))?;
            let mut again = Stream::new(AGAIN, bench.rng().random(), false, true);
            again.push(&[offset as u8; 100]);
            let streams = [bad(bench, NEIGHBOUR, 3 * SHORTEST), again];
            rx.set_up(bench, &streams[0])?;
            rx.send(bench, &streams, &cut_every(&streams[..1], 1_460));
            wait(bench, rx, 100 + offset)?;
            rx.set_up(bench, &streams[1])?;
            rx.send(bench, &streams, &[Segment::new(1, 0, &streams[1].octets)]);
            let got = rx.finish(bench, &streams)?;
            compare(&streams[0], &got[0])?;
            dead.extend(compare(&streams[1], &got[1]).err().map(|_| offset));
        }
        match dead.is_empty() {
            true => Ok(()),
            false => Err(format!("{} of {OFFSETS} set-ups gave a dead connection: {dead:?}", dead.len())),
        }
    });
}

/// The framer keeps the row of the connection that it frames: the set-up of the one before takes
/// nothing from it.
#[test]
fn behind_the_last_segment_of_a_connection_its_set_up_disturbs_no_other() {
    both_widths("set-up-behind-last", |bench, rx| {
        for offset in 0..OFFSETS {
            let mut streams =
                [AGAIN, NEIGHBOUR].map(|conn| Stream::new(conn, bench.rng().random(), false, true));
            streams.iter_mut().for_each(|s| s.push(&[7; 50]));
            streams[1].push(&[8; 60]);
            streams[1].push(&[9; 60]);
            for stream in &streams {
                rx.set_up(bench, stream)?;
            }
            let segments = cut_each(&streams);
            let (first, rest) = segments.split_at(1);
            rx.send(bench, &streams, first);
            wait(bench, rx, 200)?;
            rx.send(bench, &streams, rest);
            wait(bench, rx, offset)?;
            let mut again = Stream::new(AGAIN, bench.rng().random(), false, true);
            rx.set_up(bench, &again)?;
            let got = rx.finish(bench, &streams).map_err(|why| format!("offset {offset}: {why}"))?;
            for (stream, got) in streams.iter().zip(&got) {
                compare(stream, got).map_err(|why| format!("offset {offset}: {why}"))?;
            }
            again.push(&[3; 30]);
            rx.check(bench, std::slice::from_ref(&again), &[Segment::new(0, 0, &again.octets)])?;
        }
        Ok(())
    });
}

/// A segment for each FPDU, stream after stream.
fn cut_each(streams: &[Stream]) -> Vec<Segment> {
    let mut segments = vec![];
    for (n, stream) in streams.iter().enumerate() {
        let mut from = 0;
        for (_, end) in &stream.expected {
            let to = end.wrapping_sub(stream.seq_start) as usize;
            segments.push(Segment::new(n, from, &stream.octets[from..to]));
            from = to;
        }
    }
    segments
}
