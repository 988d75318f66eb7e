// SPDX-License-Identifier: MIT OR Apache-2.0
//! Internet checksum on the emitted Verilog, against plain code and against segments that Linux
//! sent.
use ferrowarp_hdl::stream::Checksum;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{lengths, random_frame, run_case, Bench, Frame, Pattern};
use ferrowarp_tests::digest::digests;
use rand::Rng;

const WIDTHS: [(usize, Top); 3] = [(64, Top::BenchW64), (256, Top::BenchW256), (512, Top::BenchW512)];

/// IPv4 header and TCP segment, both checksums in place, from Linux siw to Linux siw
/// (siw_rping_crc.pcap): a pure ACK and a Send of 46 octets of ULPDU.
const CAPTURED: [(&str, &str); 3] = [
    (
        "4500003414404000400612700a0900020a090001",
        "b9b81c0606b51d0029607ee1801003ec689b00000101080afa9ebec09d96fd75",
    ),
    (
        "45000068e3444000400643370a0900010a090002",
        "1c06b9b829607ef906b51d40801803fae99500000101080a9d96fd86fa9ebece002e4141000000000000000100000001000000\
         00e83630000000561d71f6780000001f40a13e57000000562548ee375039bdbce7",
    ),
    (
        "45000068e3624000400643190a0900010a090002",
        "1c06b9b82960bf7106b55d508018040a291300000101080a9d96fdadfa9ebef5002e4141000000000000000100000003000000\
         00e83630000000561d71f6780000001f40a13e57000000562548ee375067ebce53",
    ),
];

fn octets(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Ones' complement sum as RFC 1071 defines it, on top of `start`.
fn sum(start: u16, data: &[u8]) -> u16 {
    let word = |w: &[u8]| u64::from(w[0]) << 8 | w.get(1).map_or(0, |low| u64::from(*low));
    let mut sum = u64::from(start) + data.chunks(2).map(word).sum::<u64>();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

/// The item of a frame.
fn item_of(start: u16, frame: &Frame) -> u64 {
    let sum = sum(start, &frame.data);
    u64::from(!sum) | u64::from(sum == 0xFFFF) << 16 | u64::from(frame.err) << 17
}

fn same(start: u16, frames: &[Frame], items: &[u64]) -> Result<(), String> {
    let differ = |(f, item): &(&Frame, &u64)| item_of(start, f) != **item;
    match frames.iter().zip(items).find(differ) {
        Some((frame, item)) => {
            Err(format!("item {item:#x}, not {:#x}, of {frame} on {start:#x}", item_of(start, frame)))
        }
        None => Ok(()),
    }
}

/// Every length to four beats; one in eight all ones (each word stays at zero's other form), one in
/// four with its own checksum in front, one jumbo frame.
fn frames(bench: &mut Bench, width: usize, start: u16) -> Vec<Frame> {
    let rng = bench.rng();
    let lengths = lengths(width).into_iter().chain([9_017, 9_018]);
    let make = |n| {
        let mut frame = random_frame(rng, n);
        match rng.random_range(0..8) {
            0 => frame.data.fill(0xFF),
            1 | 2 if n >= 2 => {
                frame.data[..2].fill(0);
                let field = !sum(start, &frame.data);
                frame.data[..2].copy_from_slice(&field.to_be_bytes());
            }
            3 => frame.data.fill(0),
            _ => {}
        }
        frame
    };
    lengths.map(make).collect()
}

fn random(width: usize, top: Top) {
    for start in [0, 1, 0x1234, 0xFF00, 0xFFFF] {
        run_case(&format!("checksum-random-w{width}-start{start:x}"), top, u64::from(start), |bench| {
            bench.set("sum_start_sum", u64::from(start));
            let frames = frames(bench, width, start);
            let got = digests(bench, "sum", &frames, Pattern::None, Pattern::None)?;
            assert_eq!(got.rx.bubbles(), 0, "a beat every cycle");
            same(start, &frames, &got.items)
        });
    }
    for idle in Pattern::ALL {
        for stall in Pattern::ALL {
            let name = format!("checksum-idle_{}-stall_{}-w{width}", idle.name(), stall.name());
            run_case(&name, top, 2, |bench| {
                let start = bench.rng().random();
                bench.set("sum_start_sum", u64::from(start));
                let frames = frames(bench, width, start);
                same(start, &frames, &digests(bench, "sum", &frames, idle, stall)?.items)
            });
        }
    }
}

#[test]
fn random_frames_w64() {
    random(64, Top::BenchW64);
}

#[test]
fn random_frames_w256() {
    random(256, Top::BenchW256);
}

#[test]
fn random_frames_w512() {
    random(512, Top::BenchW512);
}

#[test]
fn a_running_sum_with_carries_in_every_beat() {
    run_case("checksum-long", Top::BenchW64, 1, |bench| {
        bench.set("sum_start_sum", 0xFFFF);
        // beyond 131,072 octets of ones the sum of all words leaves 32 bits
        let frames = [Frame::good(vec![0xFF; 300_001])];
        same(0xFFFF, &frames, &digests(bench, "sum", &frames, Pattern::None, Pattern::None)?.items)
    });
}

#[test]
fn captured_headers_and_segments_are_good() {
    for (width, top) in WIDTHS {
        for (header, segment) in CAPTURED {
            let (header, segment) = (octets(header), octets(segment));
            let pseudo = [&header[12..20], &[0, 6], &(segment.len() as u16).to_be_bytes()].concat();
            for (name, start, data) in [("ip", 0, header), ("tcp", sum(0, &pseudo), segment)] {
                run_case(&format!("checksum-{name}-w{width}"), top, 1, |bench| {
                    bench.set("sum_start_sum", u64::from(start));
                    let mut spoiled = data.clone();
                    spoiled[5] ^= 0x20;
                    let frames = [Frame::good(data.clone()), Frame::good(spoiled)];
                    let got = digests(bench, "sum", &frames, Pattern::None, Pattern::None)?;
                    assert_eq!(got.items[0], 1 << 16, "good, and nothing to add");
                    assert_eq!(got.items[1] >> 16, 0, "not good");
                    Ok(())
                });
            }
        }
    }
}

#[test]
fn the_start_sum_of_a_frame_is_taken_with_its_last_beat() {
    run_case("checksum-start-sum", Top::BenchW64, 1, |bench| {
        let source = bench.source("sum_rx", Pattern::None);
        let sink = bench.channel_sink("sum_tx", Pattern::None);
        let frames: Vec<_> = (0..40).map(|_| random_frame(bench.rng(), 24)).collect();
        frames.iter().for_each(|f| bench.send(source, f.clone()));
        let mut starts = vec![];
        while bench.waiting_items(sink) < frames.len() {
            let start: u16 = bench.rng().random();
            bench.set("sum_start_sum", u64::from(start));
            let before = bench.source_rate(source).beats;
            bench.step();
            let after = bench.source_rate(source).beats;
            if after > before && after.is_multiple_of(3) {
                starts.push(start);
            }
        }
        for ((frame, start), item) in frames.iter().zip(starts).zip(bench.taken(sink)) {
            assert_eq!(item.u64("item"), Some(item_of(start, frame)));
        }
        Ok(())
    });
}

#[test]
fn the_item_comes_six_cycles_after_the_last_beat() {
    for (width, top) in WIDTHS {
        run_case(&format!("checksum-latency-w{width}"), top, 1, |bench| {
            let frame = random_frame(bench.rng(), width / 4 + 1);
            let got = digests(bench, "sum", &[frame], Pattern::None, Pattern::None)?;
            assert_eq!(got.tx.first_cycle - got.rx.last_cycle, Checksum::<64, 4>::LATENCY);
            Ok(())
        });
    }
}
