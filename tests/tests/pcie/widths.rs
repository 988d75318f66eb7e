// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells between an edge of 128 bits and the 64 bits of the device: frames that are widened,
//! answers that are narrowed.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    expect_frames, lengths, random_frame, seeds, stream_matrix, Bench, Frame, Item, Pattern,
};
use rand::seq::SliceRandom;
use rand::Rng;

const TOP: Top = Top::PcieBarW128;
/// Octets of a beat of the edge and of the device.
const WIDE: usize = 16;
const HALF: usize = 8;

/// Every length from one octet to four beats of the edge, in any order.
fn frames(bench: &mut Bench) -> Vec<Frame> {
    let mut all = lengths(8 * WIDE);
    all.shuffle(bench.rng());
    all.into_iter().map(|n| random_frame(bench.rng(), n)).collect()
}

#[test]
fn widened_frames_are_the_same() {
    stream_matrix("pcie-widen", TOP, &seeds(0..1, 0..8), |bench, idle, stall| {
        let (source, sink) = (bench.source("widen_rx", idle), bench.sink("widen_tx", stall));
        let frames = frames(bench);
        expect_frames(bench, source, sink, &frames, &frames)?;
        if (idle, stall) == (Pattern::None, Pattern::None) {
            assert_eq!(bench.source_rate(source).bubbles(), 0);
        }
        Ok(())
    });
}

/// The beats of an answer, as items of its port.
fn beats(frame: &Frame, width: usize, tag: u64, is_final: u64) -> Vec<Item> {
    let count = frame.data.len().div_ceil(width);
    let beat = |(n, octets): (usize, &[u8])| {
        let last = n + 1 == count;
        let item = Item::new().with_bytes("data", octets).with("bytes", octets.len() as u64);
        let item = item.with("last", last.into()).with("err", (last && frame.err).into());
        item.with("tag", tag).with("final", is_final)
    };
    frame.data.chunks(width).enumerate().map(beat).collect()
}

#[test]
fn narrowed_answers_keep_octets_tag_and_end() {
    stream_matrix("pcie-narrow", TOP, &seeds(0..1, 0..8), |bench, idle, stall| {
        let (source, sink) =
            (bench.channel_source("narrow_rx", idle), bench.channel_sink("narrow_tx", stall));
        let mut wanted = vec![];
        for frame in frames(bench) {
            let (tag, is_final) = (bench.rng().random_range(0..32), bench.rng().random_range(0..2));
            beats(&frame, WIDE, tag, is_final).into_iter().for_each(|beat| bench.put(source, beat));
            wanted.extend(beats(&frame, HALF, tag, is_final));
        }
        bench.expect_items(sink, wanted.len() as u64);
        bench.run_until(100_000, |b| b.waiting_items(sink) == wanted.len())?;
        if (idle, stall) == (Pattern::None, Pattern::None) {
            assert_eq!(bench.channel_sink_rate(sink).bubbles(), 0);
        }
        for (n, (got, wanted)) in bench.taken(sink).iter().zip(&wanted).enumerate() {
            let octets = wanted.u64("bytes").unwrap_or_default() as usize;
            let data = |item: &Item| item.bytes("data").map(|data| data[..octets].to_vec());
            assert_eq!(data(got), data(wanted), "beat {n}");
            for field in ["bytes", "last", "err", "tag", "final"] {
                assert_eq!(got.u64(field), wanted.u64(field), "`{field}` of beat {n}");
            }
        }
        Ok(())
    });
}
