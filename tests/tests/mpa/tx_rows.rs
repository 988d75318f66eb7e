// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the MPA matrix that the transmit stage proves on the emitted Verilog.
use ferrowarp_firmware::mpa::fpdu::mulpdu;
use ferrowarp_sim::Bench;
use ferrowarp_tests::mpa_model::{crc32c, hex};
use ferrowarp_tests::mpa_tx::{both_widths, random_ulpdu, Order, Sender, LONGEST};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// The ULPDU of figures 5 and 6 of the RFC: an untagged Send with 24 octets of zeros.
fn figure(msn: u8) -> Vec<u8> {
    [hex("4143 00000000 00000000 000000"), vec![msn], vec![0; 28]].concat()
}

/// The octets that leave for one order.
fn octets(bench: &mut Bench, sender: &Sender, order: Order) -> Result<Vec<u8>, String> {
    let frames = sender.check(bench, &[order])?;
    Ok(frames.into_iter().flat_map(|f| f.data).collect())
}

/// The octets of ULPDUs that follow each other from the start of a stream with markers.
fn stream(bench: &mut Bench, sender: &Sender, ulpdus: Vec<Vec<u8>>) -> Result<Vec<u8>, String> {
    let mut offset = 0;
    let order = |ulpdu| {
        let order = Order::new(ulpdu, offset, true);
        offset += order.wire().len() as u64;
        order
    };
    let orders: Vec<_> = ulpdus.into_iter().map(order).collect();
    let frames = sender.check(bench, &orders)?;
    Ok(frames.into_iter().flat_map(|f| f.data).collect())
}

/// Markers of a stream from its start, with their places.
fn markers(stream: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    stream.chunks(512).enumerate().map(|(i, chunk)| (512 * i, &chunk[..4]))
}

/// FPDUPTR of a marker.
fn pointer(marker: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([marker[2], marker[3]]))
}

/// ULPDU lengths and CRC fields of a stream from its start, its markers removed by place alone.
/// Each FPDU comes with the place of its ULPDU_Length in the stream with markers.
fn unframe(stream: &[u8]) -> Vec<(usize, usize)> {
    let bare: Vec<_> = stream.iter().enumerate().filter(|(i, _)| i % 512 >= 4).collect();
    let mut rest = &bare[..];
    let mut found = vec![];
    while !rest.is_empty() {
        let length = usize::from(*rest[0].1) << 8 | usize::from(*rest[1].1);
        found.push((rest[0].0, length));
        rest = &rest[(2 + length).next_multiple_of(4) + 4..];
    }
    found
}

#[test]
fn format_without_markers() {
    let _proof = proves_model_rows(&["MPA-4.1-01", "MPA-4.1-02", "MPA-4.1-11"]);
    both_widths("format", |bench, sender| {
        let got = octets(bench, sender, Order::new((0..16).collect::<Vec<_>>(), 0, false))?;
        assert_eq!(got, hex("0010 000102030405060708090A0B0C0D0E0F 0000 FB3B176E"));
        let got = octets(bench, sender, Order::new(vec![9; 42], 0, true))?;
        assert_eq!((&got[4..6], got.len()), (&[0x00, 0x2A][..], 52));
        Ok(())
    });
}

#[test]
fn pad_is_zero_and_fills_a_word() {
    let _proof = proves_model_rows(&["MPA-4.1-05", "MPA-4.1-07"]);
    both_widths("pad", |bench, sender| {
        for length in 1..=16 {
            let got = octets(bench, sender, Order::new(vec![0xFF; length], 0, false))?;
            let pad = [2, 1, 0, 3][length % 4];
            assert_eq!(got.len(), 2 + length + pad + 4);
            assert_eq!(got[2 + length..2 + length + pad], [0, 0, 0][..pad], "length {length}");
        }
        Ok(())
    });
}

#[test]
fn ulpdu_length_counts_only_the_ulpdu() {
    let _proof = proves_model("MPA-4.1-03");
    both_widths("length", |bench, sender| {
        for (offset, markers) in [(0, false), (4, true), (508, true)] {
            let got = octets(bench, sender, Order::new(vec![1; 1_442], offset, markers))?;
            assert_eq!(got[..2], [0x05, 0xA2], "offset {offset}");
        }
        Ok(())
    });
}

#[test]
fn figure_5_leads_with_a_marker_that_its_crc_covers() {
    let _proof = proves_model_rows(&["MPA-4.4-17", "MPA-4.4-21"]);
    both_widths("figure5", |bench, sender| {
        let got = octets(bench, sender, Order::new(figure(1), 0, true))?;
        let wire =
            [hex("00000000 002A 4143 00000000 00000000 00000001 00000000"), vec![0; 24], hex("52239983")];
        assert_eq!(got, wire.concat());
        let plain = octets(bench, sender, Order::new(figure(1), 0, false))?;
        assert_eq!(plain[plain.len() - 4..], hex("B7243EC3"));
        Ok(())
    });
}

#[test]
fn figure_6_holds_a_marker_that_its_crc_covers() {
    let _proof = proves_model_rows(&["MPA-4.2-01", "MPA-4.4-15", "MPA-4.4-22"]);
    both_widths("figure6", |bench, sender| {
        let got = octets(bench, sender, Order::new(figure(2), 0x1EC, true))?;
        let head = hex("002A 4143 00000000 00000000 00000002 00000000 00000014");
        assert_eq!(got, [head, vec![0; 24], hex("84925898")].concat());
        let plain = octets(bench, sender, Order::new(figure(2), 0x1EC, false))?;
        assert_eq!(plain[plain.len() - 4..], hex("290FBEDE"));
        Ok(())
    });
}

#[test]
fn figure_4_counts_to_the_marker() {
    let _proof = proves_model("MPA-4.3-07");
    both_widths("figure4", |bench, sender| {
        let got = octets(bench, sender, Order::new((0..16).collect::<Vec<_>>(), 0x1F4, true))?;
        assert_eq!(got, hex("0010 00010203040506070809 0000000C 0A0B0C0D0E0F 0000 105B1C88"));
        Ok(())
    });
}

#[test]
fn a_stream_begins_with_a_marker_and_has_one_every_512_octets() {
    let _proof = proves_model_rows(&["MPA-4.3-03", "MPA-4.3-14", "MPA-4.2-04"]);
    both_widths("begin", |bench, sender| {
        let got = stream(bench, sender, vec![vec![7; 1_442], vec![8; 100]])?;
        assert_eq!(got[..6], hex("00000000 05A2"));
        let pointers: Vec<_> = markers(&got).map(|(at, m)| (at, pointer(m))).collect();
        assert_eq!(pointers, [(0, 0), (512, 0x1FC), (1_024, 0x3FC), (1_536, 1_536 - 1_460)]);
        Ok(())
    });
}

#[test]
fn a_mebibyte_has_a_marker_every_512_octets_and_fpdus_between() {
    let _proof = proves_model_rows(&["MPA-4.3-05", "MPA-4.2-02"]);
    both_widths("mebibyte", |bench, sender| {
        let mut ulpdus = vec![];
        while ulpdus.iter().map(Vec::len).sum::<usize>() < 1 << 20 {
            let length = bench.rng().random_range(1..=3_000);
            ulpdus.push(vec![0x5A; length]);
        }
        let lengths: Vec<_> = ulpdus.iter().map(Vec::len).collect();
        let got = stream(bench, sender, ulpdus)?;
        assert!(markers(&got).count() > 2_000 && markers(&got).all(|(_, m)| m[..2] == [0, 0]));
        let found = unframe(&got);
        assert_eq!(found.iter().map(|f| f.1).collect::<Vec<_>>(), lengths);
        for (at, marker) in markers(&got) {
            let header = at - pointer(marker);
            assert!(pointer(marker) == 0 || found.iter().any(|f| f.0 == header), "marker at {at}");
        }
        Ok(())
    });
}

#[test]
fn fpduptr_is_a_multiple_of_4() {
    let _proof = proves_model("MPA-4.2-05");
    both_widths("multiple", |bench, sender| {
        let got = stream(bench, sender, (1..=2_000).map(|n| vec![0xC3; n]).collect())?;
        assert!(markers(&got).count() > 3_900 && markers(&got).all(|(_, m)| m[3] & 3 == 0));
        Ok(())
    });
}

#[test]
fn all_markers_of_an_fpdu_point_to_its_head() {
    let _proof = proves_model("MPA-4.3-18");
    both_widths("several", |bench, sender| {
        let got = octets(bench, sender, Order::new(vec![0x11; 1_442], 508, true))?;
        let at = |stream_offset: usize| &got[stream_offset - 508..stream_offset - 504];
        assert_eq!(at(512), hex("00000004"));
        assert_eq!(at(1_024), hex("00000204"));
        assert_eq!(at(1_536), hex("00000404"));
        Ok(())
    });
}

#[test]
fn a_marker_points_to_the_fpdu_that_holds_it() {
    let _proof = proves_model("MPA-4.3-19");
    both_widths("small", |bench, sender| {
        let got = stream(bench, sender, vec![vec![0x77; 38]; 40])?;
        let heads: Vec<_> = unframe(&got).into_iter().map(|f| f.0).collect();
        for (at, marker) in markers(&got) {
            let back = pointer(marker);
            assert!(back <= 40, "marker at {at} points {back} back");
            // 0 stands between FPDUs: the head follows the marker
            let head =
                if back == 0 { at + 4 } else { heads.iter().copied().filter(|h| *h < at).max().unwrap_or(0) };
            assert!(
                heads.contains(&head) && (back == 0 || head == at - back),
                "marker at {at} points {back} back"
            );
        }
        Ok(())
    });
}

#[test]
fn a_marker_between_fpdus_is_zero_and_heads_the_next() {
    let _proof = proves_model_rows(&["MPA-4.3-20", "MPA-4.3-10"]);
    both_widths("between", |bench, sender| {
        let got = stream(bench, sender, vec![vec![3; 1_010], vec![4; 30]])?;
        assert_eq!(got[1_024..1_030], hex("00000000 001E"));
        let got = stream(bench, sender, vec![vec![0; 502], vec![0xA5]])?;
        assert_eq!(got[508..], hex("1B428104 00000000 0001A500 A4C009F0"));
        Ok(())
    });
}

#[test]
fn a_marker_before_the_crc_belongs_to_it() {
    let _proof = proves_model_rows(&["MPA-4.3-25", "MPA-4.3-29"]);
    both_widths("before-crc", |bench, sender| {
        let got = stream(bench, sender, vec![vec![0; 506]])?;
        assert_eq!((&got[512..], got.len()), (&hex("000001FC 1D8BAFDB")[..], 520));
        let got = octets(bench, sender, Order::new(vec![6; LONGEST], 256, true))?;
        assert_eq!(got[got.len() - 8..got.len() - 4], hex("0000FF00"));
        assert_eq!(got.len(), 65_288);
        Ok(())
    });
}

#[test]
fn the_crc_field_is_there_without_crc() {
    let _proof = proves_model_rows(&["MPA-4.4-13", "MPA-4.1-09", "MPA-4.4-12"]);
    both_widths("no-crc", |bench, sender| {
        let got = octets(bench, sender, Order { crc: false, ..Order::new([0xA7], 0, false) })?;
        assert_eq!(got, hex("0001A700 00000000"));
        let got = octets(bench, sender, Order { crc: false, ..Order::new(figure(1), 0, false) })?;
        assert_eq!((got.len(), &got[44..]), (48, &[0; 4][..]));
        Ok(())
    });
}

#[test]
fn the_crc_ends_every_fpdu_and_covers_no_other() {
    let _proof = proves_model_rows(&["MPA-4.4-18", "MPA-4.4-25"]);
    both_widths("crc", |bench, sender| {
        for length in [1, 14, 502, 506, 1_442, 1_454, 8_882] {
            let ulpdu = random_ulpdu(bench.rng(), length);
            let orders = [Order::new(ulpdu.clone(), 0, false), Order::new(ulpdu, 0, false)];
            let frames = sender.check(bench, &orders)?;
            let (body, field) = frames[0].data.split_at(frames[0].data.len() - 4);
            assert_eq!(field, crc32c(body).to_le_bytes());
            assert_eq!(frames[0], frames[1]);
        }
        Ok(())
    });
}

#[test]
fn worked_examples_without_markers() {
    both_widths("examples", |bench, sender| {
        let cases = [
            ("A0", "0001A000 42C06E69"),
            ("A0A1", "0002A0A1 943660D3"),
            ("A0A1A2", "0003A0A1A2000000 1B9728DA"),
            ("A0A1A2A3", "0004A0A1A2A30000 B66B8047"),
            (
                "4147000000000000000200000001 00000000 20020000",
                "0016 4147 00000000 00000002 00000001 00000000 20020000 7FE42585",
            ),
            (
                "4147000000000000000200000001 00000000 20030000",
                "0016 4147 00000000 00000002 00000001 00000000 20030000 01766420",
            ),
        ];
        for (ulpdu, wire) in cases {
            assert_eq!(octets(bench, sender, Order::new(hex(ulpdu), 0, false))?, hex(wire));
        }
        Ok(())
    });
}

/// What firmware gives a connection whose path takes less than an FPDU of 128 octets.
#[test]
fn mulpdu_is_never_below_128() {
    let _proof = proves_model_rows(&["MPA-4.5-08", "MPA-4.5-13"]);
    assert_eq!(
        [(100, false), (100, true), (136, true)].map(|(emss, markers)| mulpdu(emss, markers)),
        [128; 3]
    );
    both_widths("small-emss", |bench, sender| {
        // one FPDU in two segments of at most 100 octets
        let order = Order::new(vec![0x42; 128], 0, false);
        let frames = sender.check(bench, &[order.clone().cut(0, 100), order.clone().cut(100, 136)])?;
        let parts: Vec<_> = frames.iter().map(|f| f.data.len()).collect();
        assert_eq!(parts, [100, 36]);
        assert_eq!(frames.into_iter().flat_map(|f| f.data).collect::<Vec<_>>(), order.wire());
        Ok(())
    });
}
