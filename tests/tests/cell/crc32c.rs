// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c on the emitted Verilog: every published vector, 10,000 random frames at each width, pace,
//! latency.
use crc::{Crc, CRC_32_ISCSI};
use ferrowarp_hdl::stream::Crc32c;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{lengths, random_frame, run_case, Bench, Frame, Pattern};
use ferrowarp_tests::digest::digests;
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Plan};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;
use std::iter::repeat_n;

const WIDTHS: [(usize, Top); 3] = [(64, Top::BenchW64), (256, Top::BenchW256), (512, Top::BenchW512)];

/// CRC of a frame that ends with its own CRC: the complement of register B798B438.
const GOOD: u32 = 0x4867_4BC7;

/// mpa-rfc5044-notes.md section 4: octets, `n*xx` repeats one; CRC as a number.
const VALUES: [(&str, u32); 6] = [
    ("32*00", 0x8A91_36AA),
    ("32*FF", 0x62A8_AB43),
    ("00010203 04050607 08090A0B 0C0D0E0F 10111213 14151617 18191A1B 1C1D1E1F", 0x46DD_794E),
    ("1F1E1D1C 1B1A1918 17161514 13121110 0F0E0D0C 0B0A0908 07060504 03020100", 0x113F_DB5C),
    ("31323334 35363738 39", 0xE306_9283),
    (
        "01C00000 00000000 00000000 00000000 14000000 00000400 00000014 00000018 28000000 00000000 02000000 \
         00000000",
        0xD996_3A56,
    ),
];

/// Section 5, what the CRC of an FPDU covers and the CRC as it is sent.
const FPDUS: [(&str, &str); 22] = [
    ("00000000 002A 4143 00000000 00000000 00000001 00000000 24*00", "52239983"),
    ("002A 4143 00000000 00000000 00000001 00000000 24*00", "B7243EC3"),
    ("002A 4143 00000000 00000000 00000002 00000000 00000014 24*00", "84925898"),
    ("002A 4143 00000000 00000000 00000002 00000000 24*00", "290FBEDE"),
    ("0010 0001 02030405 06070809 0000000C 0A0B0C0D 0E0F 0000", "105B1C88"),
    ("0010 0001 02030405 06070809 0A0B0C0D 0E0F 0000", "FB3B176E"),
    ("00000000 01F6 502*00", "1B428104"),
    ("00000000 0001 A5 00", "A4C009F0"),
    ("0001 A5 00", "E9394634"),
    ("00000000 01FA 506*00 000001FC", "1D8BAFDB"),
    ("00000000 01FA 506*00", "3E672553"),
    ("0001 A0 00", "42C06E69"),
    ("0002 A0A1", "943660D3"),
    ("0003 A0A1A2 000000", "1B9728DA"),
    ("0004 A0A1A2A3 0000", "B66B8047"),
    ("BEEF0000 002A 4143 00000000 00000000 00000001 00000000 24*00", "8C97F0A3"),
    ("002A 4143 00000000 00000000 00000002 00000000 00000017 24*00", "23CE05EA"),
    ("0010 0001 02030405 06070809 0000000F 0A0B0C0D 0E0F 0000", "3957B391"),
    ("0010 0001 02030405 06070809 0A0B0C0D 0E0F FFFF", "294C8960"),
    ("002A 4143 00000000 00000000 00000002 00000000 00000010 24*00", "F0BC8B20"),
    ("00000004 002A 4143 00000000 00000000 00000001 00000000 24*00", "67C7353C"),
    ("0016 4147 00000000 00000002 00000001 00000000 20020000", "7FE42585"),
];

/// Section 5 C: octets of one FPDU and the register after them, before the complement.
const REGISTERS: [(&str, u32); 7] = [
    ("0010 0001", 0x3551_4AB1),
    ("02030405", 0xF9AF_4E4D),
    ("06070809", 0x68FE_2691),
    ("0000 000C", 0x4069_6730),
    ("0A0B0C0D", 0xD42B_8901),
    ("0E0F 0000", 0x77E3_A4EF),
    ("105B1C88", 0xB798_B438),
];

/// Octets of a vector's text.
fn octets(text: &str) -> Vec<u8> {
    let hex = |h: &str| u8::from_str_radix(h, 16).unwrap();
    let word = |w: &str| -> Vec<u8> {
        match w.split_once('*') {
            Some((count, octet)) => repeat_n(hex(octet), count.parse().unwrap()).collect(),
            None => (0..w.len()).step_by(2).map(|i| hex(&w[i..i + 2])).collect(),
        }
    };
    text.split_whitespace().flat_map(word).collect()
}

fn oracle(data: &[u8]) -> u32 {
    Crc::<u32>::new(&CRC_32_ISCSI).checksum(data)
}

/// The item of a frame, from the crate `crc`.
fn item_of(frame: &Frame) -> u64 {
    let crc = oracle(&frame.data);
    u64::from(crc) | u64::from(crc == GOOD) << 32 | u64::from(frame.err) << 33
}

fn same(frames: &[Frame], items: &[u64]) -> Result<(), String> {
    let differ = |(f, item): &(&Frame, &u64)| item_of(f) != **item;
    match frames.iter().zip(items).find(differ) {
        Some((frame, item)) => Err(format!("item {item:#x}, not {:#x}, of {frame}", item_of(frame))),
        None => Ok(()),
    }
}

/// Sends the frames back to back and compares numbers and the good bit.
fn values(name: &str, frames: &[(Vec<u8>, u32, bool)]) {
    for (width, top) in WIDTHS {
        run_case(&format!("crc32c-{name}-w{width}"), top, 1, |bench| {
            let sent: Vec<_> = frames.iter().map(|f| Frame::good(f.0.clone())).collect();
            let got = digests(bench, "crc", &sent, Pattern::None, Pattern::None)?;
            for ((data, value, good), item) in frames.iter().zip(&got.items) {
                assert_eq!((*item as u32, item >> 32 == 1), (*value, *good), "{data:02X?}");
                assert_eq!(oracle(data), *value, "the vector is misspelt: {data:02X?}");
            }
            Ok(())
        });
    }
}

#[test]
fn published_values() {
    let _proof = proves_model_rows(&["MPA-4.4-14", "MPA-4.4-24"]);
    values("values", &VALUES.map(|(text, value)| (octets(text), value, false)));
}

#[test]
fn fpdus_of_the_notes_and_the_residue() {
    let _proof = proves_model("MPA-4.4-23");
    let last = ("0016 4147 00000000 00000002 00000001 00000000 20030000", "01766420");
    let frames = FPDUS.into_iter().chain([last]).flat_map(|(text, crc)| {
        let (covered, crc) = (octets(text), octets(crc));
        let value = u32::from_le_bytes(crc.clone().try_into().unwrap());
        let with_crc = [covered.clone(), crc].concat();
        [(covered, value, false), (with_crc, GOOD, true)]
    });
    values("fpdus", &frames.collect::<Vec<_>>());
}

#[test]
fn registers_inside_an_fpdu() {
    let mut data = vec![];
    let frames = REGISTERS.map(|(text, register)| {
        data.extend(octets(text));
        (data.clone(), !register, register == !GOOD)
    });
    values("registers", &frames);
}

/// Random frames of `width` bits: every length to four beats, now and then a long one, one in four
/// with its own CRC behind it.
fn frames(bench: &mut Bench, width: usize, count: usize) -> Vec<Frame> {
    let all = lengths(width);
    let frame = |i: usize| {
        let rng = bench.rng();
        let length = if i % 64 == 63 { rng.random_range(1..=9_018) } else { all[i % all.len()] };
        let mut frame = random_frame(rng, length);
        if rng.random_ratio(1, 4) {
            frame.data.extend(oracle(&frame.data).to_le_bytes());
        }
        frame
    };
    (0..count).map(frame).collect()
}

/// 10,000 random frames; back to back, and with every pair of idle and stall patterns.
fn random(width: usize, top: Top) {
    run_case(&format!("crc32c-random-w{width}"), top, 1, |bench| {
        let frames = frames(bench, width, 8_200);
        let got = digests(bench, "crc", &frames, Pattern::None, Pattern::None)?;
        same(&frames, &got.items)?;
        assert_eq!(got.rx.bubbles(), 0, "a beat every cycle");
        Ok(())
    });
    for idle in Pattern::ALL {
        for stall in Pattern::ALL {
            let name = format!("crc32c-idle_{}-stall_{}-w{width}", idle.name(), stall.name());
            run_case(&name, top, 2, |bench| {
                let frames = frames(bench, width, 200);
                same(&frames, &digests(bench, "crc", &frames, idle, stall)?.items)
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
fn a_frame_can_begin_in_every_cycle_and_starts_afresh() {
    let _proof = proves_model("MPA-4.4-25");
    for (width, top) in WIDTHS {
        run_case(&format!("crc32c-short-w{width}"), top, 1, |bench| {
            let frames: Vec<_> =
                (0..4 * width).map(|i| random_frame(bench.rng(), 1 + i % (width / 8))).collect();
            let twice: Vec<_> = frames.iter().flat_map(|f| [f.clone(), f.clone()]).collect();
            let got = digests(bench, "crc", &twice, Pattern::None, Pattern::None)?;
            same(&twice, &got.items)?;
            assert_eq!((got.rx.bubbles(), got.tx.bubbles()), (0, 0));
            Ok(())
        });
    }
}

#[test]
fn the_item_comes_seven_cycles_after_the_last_beat() {
    for (width, top) in WIDTHS {
        run_case(&format!("crc32c-latency-w{width}"), top, 1, |bench| {
            let frame = random_frame(bench.rng(), width / 4 + 1);
            let got = digests(bench, "crc", &[frame], Pattern::None, Pattern::None)?;
            assert_eq!(got.tx.first_cycle - got.rx.last_cycle, Crc32c::<64, 4>::LATENCY);
            Ok(())
        });
    }
}

#[test]
fn native_w64() {
    run_case("native-crc32c-w64", Top::BenchW64, 1, |bench| {
        let inputs =
            inputs!(b: Crc32c<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
            b.rx.valid, b.tx.ready)
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)]);
        let plan = Plan { constant: &["tx_empty"], ..Plan::default() };
        compare(bench, "crc", Crc32c::new(), &inputs, plan)
    });
}

#[test]
fn native_w512() {
    run_case("native-crc32c-w512", Top::BenchW512, 1, |bench| {
        let inputs =
            inputs!(b: Crc32c<512, 7> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
            b.rx.valid, b.tx.ready)
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=64)]);
        let plan = Plan { cycles: 500, warm_up: 200, constant: &["tx_empty"] };
        compare(bench, "crc", Crc32c::new(), &inputs, plan)
    });
}
