// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust-HDL's own simulator runs the cells that cut and join frames, at 64 bits, against plain
//! Rust; `tests/tests/stream/split.rs`, `stream/join.rs` and `stream/cut.rs` have the emitted
//! Verilog.
use super::native::{random_frame, tick, Drain, Feed, Frame};
use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Idle and stall, in percent.
const PACES: [(u32, u32); 3] = [(0, 0), (40, 0), (30, 40)];

fn frames(rng: &mut ChaCha8Rng, count: usize, longest: usize) -> Vec<Frame> {
    let frame = |_| {
        let (octets, err) = (rng.random_range(1..=longest), rng.random_bool(0.2));
        random_frame(rng, octets, err)
    };
    (0..count).map(frame).collect()
}

/// Settles a block with its inputs set, looks at it, and gives it the clock edge.
macro_rules! cycle {
    ($u:ident, $i:ident, $look:block) => {
        $u.reset.next = $i < 3;
        assert!(simulate(&mut $u, 100), "does not settle");
        if $i >= 3 {
            $look
        }
        tick(&mut $u, |b, c| b.clock.next = c);
        $i += 1;
        assert!($i < 50_000, "no end");
    };
}

/// A `valid` of a channel that stays until the item is taken.
fn offer(pending: &mut bool, more: bool, idle: u32, rng: &mut ChaCha8Rng) -> bool {
    *pending |= more && rng.random_range(0..100) >= idle;
    *pending
}

fn split<const HB: usize, const NB: usize>() {
    for (idle, stall) in PACES {
        let (h, rng) = (HB / 8, &mut ChaCha8Rng::seed_from_u64(HB as u64));
        let frames = frames(rng, 100, h + 40);
        let longer = frames.iter().filter(|f| f.data.len() > h);
        let payload: Vec<_> = longer.map(|f| Frame { data: f.data[h..].to_vec(), err: f.err }).collect();
        let mut u = HeaderSplit::<64, 4, HB, NB>::new();
        u.connect_all();
        let (mut feed, mut drain) = (Feed::new(&frames, idle), Drain::new(stall));
        let (mut headers, mut i) = (vec![], 0);
        while headers.len() < frames.len() || drain.frames.len() < payload.len() {
            if i >= 3 {
                feed.drive(&mut u.rx, rng);
                drain.drive(&mut u.tx, rng);
                u.hdr.ready.next = rng.random_range(0..100) >= stall;
            }
            cycle!(u, i, {
                feed.note(&u.rx);
                drain.note(&u.tx);
                if u.hdr.valid.val() && u.hdr.ready.val() {
                    let flags = [u.hdr.short.val(), u.hdr.empty.val(), u.hdr.err.val()];
                    headers.push((u.hdr.data.val(), flags));
                }
            });
        }
        assert_eq!(drain.frames, payload);
        for (Frame { data, err }, (record, flags)) in frames.iter().zip(headers) {
            let len = data.len();
            assert_eq!(flags, [len < h, len <= h, len <= h && *err]);
            for (j, octet) in data.iter().take(h).enumerate() {
                assert_eq!(record.get_bits::<8>(8 * j).to_u8(), *octet);
            }
        }
    }
}

#[test]
fn header_split_at_every_header_length() {
    split::<112, 2>();
    split::<128, 2>();
    split::<144, 3>();
    split::<160, 3>();
    split::<320, 5>();
    split::<432, 7>();
}

fn join<const HB: usize, const NB: usize>() {
    for (idle, stall) in PACES {
        let (h, rng) = (HB / 8, &mut ChaCha8Rng::seed_from_u64(HB as u64));
        // (header, its payload if any)
        let headers: Vec<Frame> = (0..100)
            .map(|_| {
                let err = rng.random_bool(0.2);
                random_frame(rng, h, err)
            })
            .collect();
        let payloads: Vec<Option<Frame>> =
            frames(rng, 100, 40).into_iter().map(|f| rng.random_bool(0.7).then_some(f)).collect();
        let join = |(header, payload): (&Frame, &Option<Frame>)| match payload {
            Some(payload) => Frame { data: [&header.data[..], &payload.data].concat(), err: payload.err },
            None => header.clone(),
        };
        let wanted: Vec<_> = headers.iter().zip(&payloads).map(join).collect();
        let mut u = HeaderJoin::<64, 4, HB, NB>::new();
        u.connect_all();
        let payload: Vec<_> = payloads.iter().flatten().cloned().collect();
        let (mut feed, mut drain) = (Feed::new(&payload, idle), Drain::new(stall));
        let (mut taken, mut pending, mut i) = (0, false, 0);
        while drain.frames.len() < wanted.len() {
            if i >= 3 {
                feed.drive(&mut u.rx, rng);
                drain.drive(&mut u.tx, rng);
                u.hdr.valid.next = offer(&mut pending, taken < 100, idle, rng);
                if pending {
                    let mut record = Bits::<HB>::default();
                    for (j, octet) in headers[taken].data.iter().enumerate() {
                        record.set_bits::<8>(8 * j, octet.to_bits());
                    }
                    u.hdr.data.next = record;
                    u.hdr.empty.next = payloads[taken].is_none();
                    u.hdr.err.next = payloads[taken].is_none() && headers[taken].err;
                }
            }
            cycle!(u, i, {
                feed.note(&u.rx);
                drain.note(&u.tx);
                if u.hdr.valid.val() && u.hdr.ready.val() {
                    (taken, pending) = (taken + 1, false);
                }
            });
        }
        assert_eq!(drain.frames, wanted);
        if (idle, stall) == (0, 0) {
            // one beat a cycle: three cycles of reset, two of latency
            assert_eq!(i, 3 + 2 + drain.beats);
        }
    }
}

#[test]
fn header_join_at_every_header_length() {
    join::<112, 2>();
    join::<128, 2>();
    join::<144, 3>();
    join::<160, 3>();
    join::<320, 5>();
    join::<432, 7>();
}

/// `first`, `second`, `err`.
type Parts = [bool; 3];

/// Runs `$cell` (ports `rx`, `$offset`, `parts`, `tx`) on random frames and offsets and compares
/// with `$model`, which gives the frames and the item that a frame and its offset make.
macro_rules! cut {
    ($cell:ident, $offset:ident, $model:expr) => {
        for (idle, stall) in PACES {
            let rng = &mut ChaCha8Rng::seed_from_u64(5);
            let frames = frames(rng, 250, 50);
            let offsets: Vec<usize> = frames.iter().map(|f| rng.random_range(0..f.data.len() + 12)).collect();
            let model: fn(&Frame, usize) -> (Vec<Frame>, Parts) = $model;
            let (parts, items): (Vec<_>, Vec<_>) =
                frames.iter().zip(&offsets).map(|(f, o)| model(f, *o)).unzip();
            let wanted = parts.concat();
            let mut u = $cell::<64, 4>::new();
            u.connect_all();
            let (mut feed, mut drain) = (Feed::new(&frames, idle), Drain::new(stall));
            let (mut told, mut taken, mut pending, mut i) = (vec![], 0, false, 0);
            while told.len() < frames.len() || drain.frames.len() < wanted.len() {
                if i >= 3 {
                    feed.drive(&mut u.rx, rng);
                    drain.drive(&mut u.tx, rng);
                    u.parts.ready.next = rng.random_range(0..100) >= stall;
                    u.$offset.valid.next = offer(&mut pending, taken < frames.len(), idle, rng);
                    if pending {
                        u.$offset.octets.next = (offsets[taken] as u64).into();
                    }
                }
                cycle!(u, i, {
                    feed.note(&u.rx);
                    drain.note(&u.tx);
                    if u.$offset.valid.val() && u.$offset.ready.val() {
                        (taken, pending) = (taken + 1, false);
                    }
                    if u.parts.valid.val() && u.parts.ready.val() {
                        told.push([u.parts.first.val(), u.parts.second.val(), u.parts.err.val()]);
                    }
                });
            }
            assert_eq!(drain.frames, wanted);
            assert_eq!(told, items);
        }
    };
}

fn part(data: &[u8], err: bool) -> Vec<Frame> {
    (!data.is_empty()).then(|| Frame { data: data.to_vec(), err }).into_iter().collect()
}

#[test]
fn realign_drops_and_keeps_the_right_octets() {
    cut!(Realign, skip, |f, skip| {
        let left = &f.data[f.data.len().min(skip)..];
        (part(left, f.err), [skip > 0, !left.is_empty(), f.err && left.is_empty()])
    });
}

#[test]
fn frame_splitter_gives_both_parts() {
    cut!(FrameSplitter, cut, |f, cut| {
        let (first, second) = f.data.split_at(f.data.len().min(cut));
        let parts = [part(first, f.err && second.is_empty()), part(second, f.err)].concat();
        (parts, [!first.is_empty(), !second.is_empty(), false])
    });
}
