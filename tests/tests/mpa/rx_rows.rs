// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the RFC 5044 matrix that the receive stage proves, with the vectors of the notes
//! (sections 4 and 5).
use ferrowarp_tests::mpa_model::{crc32c, fpdu};
use ferrowarp_tests::mpa_rx::{both_widths, cut_every, judged, Segment, Stream, CRC, MARKER};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|d| (d[0] * 16 + d[1]) as u8).collect()
}

/// The ULPDU of the RFC's figures 5 and 6: a DDP untagged header with MSN `msn` and 24 zeros.
fn figure(msn: u8) -> Vec<u8> {
    [hex("41430000 00000000 00000000 00"), vec![msn], hex("00000000"), vec![0; 24]].concat()
}

/// `octets` with the CRC field replaced.
fn with_crc(mut octets: Vec<u8>, crc: &str) -> Vec<u8> {
    let at = octets.len() - 4;
    octets[at..].copy_from_slice(&hex(crc));
    octets
}

fn counting(n: u8) -> Vec<u8> {
    (0..n).collect()
}

#[test]
fn figure_5_with_its_leading_marker() {
    let _proof = proves_model("MPA-4.4-17");
    let wire = [hex("00000000 002A"), figure(1), hex("52239983")].concat();
    let mut s = Stream::new(3, 77, true, true);
    s.push_raw(&wire, &figure(1));
    judged("figure-5", &s, 1460);
    let mut s = Stream::new(3, 77, true, true);
    s.push_fault(&with_crc(wire, "B7243EC3"), CRC);
    judged("figure-5-without-marker", &s, 1460);
}

#[test]
fn figure_6_with_its_marker_inside() {
    let _proof = proves_model_rows(&["MPA-4.3-02", "MPA-4.4-15"]);
    let body = figure(2);
    let wire =
        [hex("002A"), body[..18].to_vec(), hex("00000014"), body[18..].to_vec(), hex("84925898")].concat();
    let mut s = Stream::new(1, 9, true, true);
    s.fill_to(0x1EC);
    let mut bad = s.clone();
    s.push_raw(&wire, &body);
    judged("figure-6", &s, 1460);
    bad.push_fault(&with_crc(wire, "290FBEDE"), CRC);
    judged("figure-6-without-marker", &bad, 1460);
}

#[test]
fn pad_is_ignored_but_for_the_crc() {
    let _proof = proves_model("MPA-4.1-06");
    let wire = [hex("0010"), counting(16), hex("FFFF"), hex("294C8960")].concat();
    let mut s = Stream::new(0, 0, false, true);
    s.push_raw(&wire, &counting(16));
    judged("pad", &s, 1460);
    let mut s = Stream::new(0, 0, false, true);
    s.push_fault(&with_crc(wire, "FB3B176E"), CRC);
    judged("pad-crc", &s, 1460);
}

#[test]
fn a_crc_that_is_off_is_not_looked_at() {
    let _proof = proves_model_rows(&["MPA-4.1-10", "MPA-4.4-11"]);
    let mut s = Stream::new(0, 5, false, false);
    s.push_raw(&with_crc(fpdu(&counting(40), 0, false, true), "DEADBEEF"), &counting(40));
    s.push(&counting(50));
    judged("crc-off", &s, 1460);
}

#[test]
fn reserved_of_a_marker_is_ignored_but_for_the_crc() {
    let _proof = proves_model("MPA-4.2-03");
    let mut s = Stream::new(0, 5, true, true);
    s.push_raw(&[hex("BEEF0000 002A"), figure(1), hex("8C97F0A3")].concat(), &figure(1));
    s.push(&figure(2));
    judged("reserved", &s, 1460);
}

#[test]
fn low_bits_of_fpduptr_count_as_zero() {
    let _proof = proves_model_rows(&["MPA-4.2-06", "MPA-4.3-13"]);
    let wire = hex("0010 0001 02030405 06070809 0000000F 0A0B0C0D 0E0F 0000 3957B391");
    let mut s = Stream::new(0, 5, true, true);
    s.fill_to(0x1F4);
    s.push_raw(&wire, &counting(16));
    judged("low-bits", &s, 1460);
    let body = figure(2);
    let wire =
        [hex("002A"), body[..18].to_vec(), hex("00000017"), body[18..].to_vec(), hex("23CE05EA")].concat();
    let mut s = Stream::new(0, 5, true, true);
    s.fill_to(0x1EC);
    s.push_raw(&wire, &body);
    judged("low-bits-figure-6", &s, 1460);
    let mut lead = [hex("00000003 0010"), counting(16), hex("0000")].concat();
    lead.extend(crc32c(&lead).to_le_bytes());
    let mut s = Stream::new(0, 5, true, true);
    s.push_raw(&lead, &counting(16));
    judged("low-bits-leading", &s, 1460);
}

#[test]
fn a_pointer_that_disagrees_is_told_from_a_bad_crc() {
    let body = figure(2);
    let wire =
        [hex("002A"), body[..18].to_vec(), hex("00000010"), body[18..].to_vec(), hex("F0BC8B20")].concat();
    let mut s = Stream::new(0, 5, true, true);
    s.fill_to(0x1EC);
    s.push_fault(&wire, MARKER);
    judged("pointer-figure-6", &s, 1460);
    let mut s = Stream::new(0, 5, true, true);
    s.push_fault(&[hex("00000004 002A"), figure(1), hex("67C7353C")].concat(), MARKER);
    judged("pointer-figure-5", &s, 1460);
}

#[test]
fn sequence_numbers_wrap_between_header_and_marker() {
    let _proof = proves_model("MPA-4.3-09");
    let mut s = Stream::new(0, 0xFFFF_FF00, true, true);
    s.fill_to(0xF0);
    s.push(&[0x5A; 600]);
    assert_eq!(s.octets[512..516], hex("00000110"));
    judged("wrap", &s, 1460);
}

/// The row's vector has a ULPDU of one octet, which no DDP segment has: the stage refuses it as
/// impossible, so the same layout is taken with 14 octets, its CRC from the crate.
#[test]
fn a_marker_between_fpdus_belongs_to_the_second() {
    let _proof = proves_model("MPA-4.3-11");
    let mut s = Stream::new(0, 1, true, true);
    s.push(&[0; 498]); // leading marker, 2, 498, CRC 4, in all 508
    s.push(&[0xA5; 14]); // 508..512 is the first word of this FPDU, the marker stands inside
    judged("inside", &s, 1460);
    let mut s = Stream::new(0, 1, true, true);
    s.push(&[0; 502]);
    assert_eq!(s.octets.len(), 512);
    let mut bad = s.clone();
    s.push(&[0xA5; 14]);
    assert_eq!(s.octets[512..518], hex("00000000 000E"));
    judged("between", &s, 1460);
    let alone = crc32c(&s.octets[516..532]).to_le_bytes();
    let mut wire = s.octets[512..532].to_vec();
    wire.extend(alone);
    bad.push_fault(&wire, CRC);
    judged("between-omitted", &bad, 1460);
}

#[test]
fn a_marker_behind_the_pad_belongs_to_its_fpdu() {
    let _proof = proves_model("MPA-4.4-16");
    let wire = [hex("00000000 01FA"), vec![0; 506], hex("000001FC 1D8BAFDB")].concat();
    let mut s = Stream::new(0, 1, true, true);
    s.push_raw(&wire, &[0; 506]);
    s.push(&counting(20));
    judged("behind-pad", &s, 1460);
    let mut s = Stream::new(0, 1, true, true);
    s.push_fault(&with_crc(wire, "3E672553"), CRC);
    judged("behind-pad-omitted", &s, 1460);
}

#[test]
fn every_place_of_a_marker() {
    let _proof = proves_model("MPA-4.4-19");
    for to in (24..512).step_by(4) {
        let mut s = Stream::new(0, 1, true, true);
        s.push(&vec![7; to - 10]); // none behind the leading one
        s.push(&[9; 44]); // leading, embedded or before the CRC, as `to` has it
        s.push(&[11; 44]);
        judged("places", &s, 1460);
    }
}

#[test]
fn boundaries_are_kept() {
    let _proof = proves_model("MPA-4.3-22");
    let mut s = Stream::new(0, 1, false, true);
    s.push(&counting(100));
    s.push(&counting(33));
    let two = s.octets.len();
    s.push(&counting(200));
    both_widths("boundaries", |bench, rx| {
        rx.set_up(bench, &s)?;
        let streams = [s.clone()];
        let mut cut = 0;
        let segments = ferrowarp_tests::mpa_rx::segments(&streams, bench.rng(), |_, _, _| {
            cut += 1;
            if cut == 1 {
                two
            } else {
                70
            }
        });
        assert_eq!(segments.len(), 4);
        rx.check(bench, &streams, &segments)
    });
}

#[test]
fn only_the_ulpdu_leaves() {
    let _proof = proves_model("MPA-4.3-23");
    let ulpdu =
        [hex("C140 00001234 0000000000004000"), (0..1400).map(|i| (i % 251) as u8).collect()].concat();
    let mut s = Stream::new(0, 1, true, true);
    s.push(&ulpdu);
    assert_eq!(s.octets.len(), 4 + 2 + 1414 + 4 + 2 * 4); // three markers, the leading one among them
    judged("only-ulpdu", &s, 1460);
}

#[test]
fn a_flipped_bit_lets_nothing_out() {
    let _proof = proves_model_rows(&["MPA-4.4-20", "MPA-6-01", "MPA-4.4-01"]);
    both_widths("flipped", |bench, rx| {
        for conn in 0..40 {
            let mut s = Stream::new(conn, bench.rng().random(), conn % 2 == 0, true);
            s.push(&counting(60));
            let mut wire = fpdu(&counting(90), s.octets.len() as u64, s.markers, true);
            let at = bench.rng().random_range(2..wire.len()); // not in the length: that moves the end
            wire[at] ^= 1 << bench.rng().random_range(0..8);
            s.push_fault(&wire, CRC);
            s.octets.extend(fpdu(&counting(30), s.octets.len() as u64, s.markers, true));
            rx.set_up(bench, &s)?;
            let streams = [s];
            rx.check(bench, &streams, &cut_every(&streams, 100))?;
        }
        Ok(())
    });
}

#[test]
fn a_corrupt_crc_field_at_any_time() {
    let _proof = proves_model_rows(&["MPA-6-03", "MPA-4.4-10"]);
    for octet in 1..=4 {
        let mut s = Stream::new(0, 1, false, true);
        for _ in 0..50 {
            s.push(&counting(70));
        }
        let mut wire = fpdu(&counting(70), s.octets.len() as u64, false, true);
        let at = wire.len() - octet;
        wire[at] ^= 0x10;
        s.push_fault(&wire, CRC);
        judged("crc-field", &s, 1460);
    }
}

#[test]
fn a_thousand_fpdus_in_order() {
    let _proof = proves_model("MPA-6-05");
    both_widths("thousand", |bench, rx| {
        let mut s = Stream::new(0, bench.rng().random(), false, true);
        for _ in 0..1000 {
            let n = bench.rng().random_range(14..300);
            let ulpdu: Vec<u8> = (0..n).map(|_| bench.rng().random()).collect();
            s.push(&ulpdu);
        }
        rx.set_up(bench, &s)?;
        let streams = [s];
        rx.check(bench, &streams, &cut_every(&streams, 1460))
    });
}

#[test]
fn nothing_leaves_before_the_last_octet() {
    let _proof = proves_model("MPA-6-08");
    both_widths("last-octet", |bench, rx| {
        let mut s = Stream::new(0, 3, true, true);
        s.push(&counting(200));
        let streams = [s.clone()];
        let segments = cut_every(&streams, s.octets.len() - 1);
        rx.set_up(bench, &s)?;
        rx.send(bench, &streams, &segments[..1]);
        let end = bench.cycle() + 3_000;
        rx.run_until(bench, 4_000, |b| b.cycle() >= end)?;
        if bench.waiting(rx.output) + bench.waiting_items(rx.fpdu) > 0 {
            return Err("something left before the FPDU was whole".into());
        }
        rx.check(bench, &streams, &segments[1..])
    });
}

/// The later segment begins inside an FPDU and has no marker: where an FPDU begins in it cannot be
/// known.
#[test]
fn nothing_of_an_unaligned_segment_leaves_before_its_predecessor() {
    let _proof = proves_model("MPA-6-02");
    for markers in [false, true] {
        both_widths("unaligned", |bench, rx| {
            let mut s = Stream::new(7, bench.rng().random(), markers, true);
            for n in [40, 50, 60, 70, 30] {
                s.push(&counting(n));
            }
            let whole = Segment::new(0, 0, &s.octets);
            let (first, later) = (Segment::new(0, 0, &s.octets[..90]), Segment::new(0, 90, &s.octets[90..]));
            // no marker behind the leading one, and octet 90 is inside an FPDU
            assert!(s.octets.len() < 512 && !s.expected.iter().any(|e| e.1 == s.seq_start.wrapping_add(90)));
            let early = Segment { stray: true, ..later.clone() };
            rx.set_up(bench, &s)?;
            let part = |expected: &[(Vec<u8>, u32)]| {
                let mut part = s.clone();
                part.expected = expected.to_vec();
                [part]
            };
            rx.check(bench, &part(&[]), &[early.clone(), early])?;
            rx.check(bench, &part(&s.expected[..1]), &[first])?;
            rx.check(bench, &part(&s.expected[1..]), &[later])?;
            rx.check(bench, &part(&[]), &[Segment { stray: true, ..whole }])
        });
    }
}
