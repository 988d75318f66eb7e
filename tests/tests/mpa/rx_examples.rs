// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of RFC 5044 (notes, section 5) through the receive stage, octet for octet.
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::mpa_rx::{judged, Stream, CRC, LENGTH, MARKER};

/// One example: what the stream has before it, its octets, and the ULPDU or the verdict that must
/// come of it.
struct Example {
    name: &'static str,
    markers: bool,
    /// Stream offset.
    offset: usize,
    wire: Vec<u8>,
    gives: Result<Vec<u8>, u64>,
}

fn example(name: &'static str, markers: bool, offset: usize, wire: &str, ulpdu: &str) -> Example {
    Example { name, markers, offset, wire: hex(wire), gives: Ok(hex(ulpdu)) }
}

fn refused(name: &'static str, markers: bool, offset: usize, wire: &str, verdict: u64) -> Example {
    Example { name, markers, offset, wire: hex(wire), gives: Err(verdict) }
}

/// In one segment, and cut into pieces of 1 and of 7 octets.
fn run(examples: &[Example]) {
    for Example { name, markers, offset, wire, gives } in examples {
        let mut s = Stream::new(6, 0xFFFF_FE00, *markers, true);
        if *offset > 0 {
            s.fill_to(*offset);
        }
        match gives {
            Ok(ulpdu) => s.push_raw(wire, ulpdu),
            Err(verdict) => s.push_fault(wire, *verdict),
        }
        for most in [1460, 7, 1] {
            judged(&format!("example-{name}"), &s, most);
        }
    }
}

/// 24 zeros, the payload of the RFC's figures.
const Z24: &str = "000000000000000000000000000000000000000000000000";
const FIG5: &str = "4143 00000000 00000000 00000001 00000000";
const FIG6: &str = "4143 00000000 00000000 00000002 00000000";
const COUNT: [&str; 2] = ["00010203040506070809", "0A0B0C0D0E0F"];
const TERMINATE: &str = "4147 00000000 00000002 00000001 00000000";

#[test]
fn good_ones_come_out() {
    let fig5 = format!("{FIG5} {Z24}");
    let fig6 = format!("{FIG6} {Z24}");
    let count = COUNT.concat();
    let fig6_at = |marker: &str, crc: &str| format!("002A {FIG6} {marker} {Z24} {crc}");
    let count_at = |marker: &str, crc: &str| format!("0010 {} {marker} {} 0000 {crc}", COUNT[0], COUNT[1]);
    let zeros = |n: usize| "00".repeat(n);
    run(&[
        example("a", true, 0, &format!("00000000 002A {fig5} 52239983"), &fig5),
        example("a-plain", false, 0, &format!("002A {fig5} B7243EC3"), &fig5),
        example("b", true, 0x1EC, &fig6_at("00000014", "84925898"), &fig6),
        example("b-plain", false, 0x1EC, &fig6_at("", "290FBEDE"), &fig6),
        example("c", true, 0x1F4, &count_at("0000000C", "105B1C88"), &count),
        example("c-plain", false, 0x1F4, &count_at("", "FB3B176E"), &count),
        example("d", true, 0, &format!("00000000 01F6 {} 1B428104", zeros(502)), &zeros(502)),
        example("e", true, 0, &format!("00000000 01FA {} 000001FC 1D8BAFDB", zeros(506)), &zeros(506)),
        example("g-reserved", true, 0, &format!("BEEF0000 002A {fig5} 8C97F0A3"), &fig5),
        example("g-low-bits", true, 0x1EC, &fig6_at("00000017", "23CE05EA"), &fig6),
        example("g-low-bits-4", true, 0x1F4, &count_at("0000000F", "3957B391"), &count),
        example("g-pad", false, 0, &format!("0010 {count} FFFF 294C8960"), &count),
        example(
            "i-crc",
            false,
            0,
            &format!("0016 {TERMINATE} 20020000 7FE42585"),
            &format!("{TERMINATE} 20020000"),
        ),
        example(
            "i-marker",
            false,
            0,
            &format!("0016 {TERMINATE} 20030000 01766420"),
            &format!("{TERMINATE} 20030000"),
        ),
    ]);
}

/// ULPDUs of 1 to 4 octets are right for MPA, but no DDP segment is so short: ULPDU_Length is
/// impossible.
#[test]
fn ones_that_are_too_short_for_ddp_are_refused() {
    run(&[
        refused("d-second", true, 512, "00000000 0001 A500 A4C009F0", LENGTH),
        refused("f-1", false, 0, "0001A000 42C06E69", LENGTH),
        refused("f-2", false, 0, "0002A0A1 943660D3", LENGTH),
        refused("f-3", false, 0, "0003A0A1A2000000 1B9728DA", LENGTH),
        refused("f-4", false, 0, "0004A0A1A2A30000 B66B8047", LENGTH),
    ]);
}

#[test]
fn wrong_ones_give_their_verdict() {
    let zeros = "00".repeat(506);
    run(&[
        refused("a-marker-left-out", true, 0, &format!("00000000 002A {FIG5} {Z24} B7243EC3"), CRC),
        refused("e-marker-left-out", true, 0, &format!("00000000 01FA {zeros} 000001FC 3E672553"), CRC),
        refused("h-figure-6", true, 0x1EC, &format!("002A {FIG6} 00000010 {Z24} F0BC8B20"), MARKER),
        refused("h-figure-5", true, 0, &format!("00000004 002A {FIG5} {Z24} 67C7353C"), MARKER),
    ]);
}
