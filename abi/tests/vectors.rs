// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of the specification notes (`mpa-rfc5044-notes.md`, `ddp-mpa2-notes.md`,
//! `rdmap-rfc5040-notes.md`), bit for bit; the `crc` crate judges every CRC.
use ferrowarp_abi::codec::*;
use ferrowarp_abi::consts::{crc32c, mpa, rdmap};
use ferrowarp_abi::error::{QuoteDdp, TermError, ERRORS};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::terminate::{self, Quote, QuotedDdp, Terminate};
use ferrowarp_abi::types::*;
use proptest::prelude::*;

/// Octets of a hexadecimal text; blanks do not count.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect()
}

fn crc(octets: &[u8]) -> [u8; 4] {
    crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(octets).to_le_bytes()
}

/// The FPDU of an ULPDU, without markers: length, ULPDU, pad, CRC.
fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let mut out = FpduHdr { ulpdu_length: ulpdu.len() as u16 }.octets().unwrap().to_vec();
    out.extend(ulpdu);
    out.resize(out.len().next_multiple_of(4), 0);
    out.extend(crc(&out));
    out
}

fn control(opcode: Opcode) -> u8 {
    let octet = RdmapControl { rdmap_version: rdmap::VERSION, opcode: opcode.to_bits() };
    octet.octets().unwrap()[0]
}

fn tagged(opcode: Opcode, is_last: bool, stag: u32, offset: u64) -> DdpTaggedHdr {
    let (stag, tagged_offset) = (STag(stag), TaggedOffset(offset));
    DdpTaggedHdr { is_last, rsvd_ulp: control(opcode), stag, tagged_offset, ..Default::default() }
}

fn untagged(opcode: Opcode, is_last: bool, offset: u32) -> DdpUntaggedHdr {
    DdpUntaggedHdr {
        is_last,
        rsvd_ulp: control(opcode),
        queue_number: QueueNumber(opcode.info().queue.unwrap()),
        msn: Msn::FIRST,
        message_offset: MessageOffset(offset),
        ..Default::default()
    }
}

/// The FPDU of a Terminate.
fn terminate_fpdu(error: TermError, quote: Option<&Quote>) -> Vec<u8> {
    let mut ulpdu = untagged(Opcode::Terminate, true, 0).octets().unwrap().to_vec();
    let mut header = [0; terminate::MAX_LEN];
    let len = terminate::emit(error, quote, &mut header).unwrap();
    ulpdu.extend(&header[..len]);
    fpdu(&ulpdu)
}

#[test]
fn startup_frames() {
    let depths = |a, c, d, ird, ord| MpaDepths {
        peer_to_peer: a,
        rtr_send: false,
        rtr_write: c,
        rtr_read: d,
        ird,
        ord,
    };
    let examples = [
        (
            "4d504120494420526571204672616d65 50 02 0004 8010 c010",
            false,
            depths(true, true, true, 16, 16),
            "",
        ),
        (
            "4d504120494420526570204672616d65 50 02 0004 8010 8008",
            false,
            depths(true, true, false, 16, 8),
            "",
        ),
        (
            "4d504120494420526570204672616d65 70 02 0004 8010 8020",
            true,
            depths(true, true, false, 16, 32),
            "",
        ),
        (
            "4d504120494420526571204672616d65 50 02 0009 0004 0002 48454c4c4f",
            false,
            depths(false, false, false, 4, 2),
            "HELLO",
        ),
    ];
    for (text, reject, depths, private) in examples {
        let frame = hex(text);
        let key = if text.contains("7120") { mpa::KEY_REQUEST } else { mpa::KEY_REPLY };
        let startup = MpaStartupHdr {
            key,
            crc: true,
            reject,
            enhanced: true,
            revision: mpa::REVISION_ENHANCED,
            private_data_length: (MpaDepths::LEN + private.len()) as u16,
            ..Default::default()
        };
        assert_eq!(MpaStartupHdr::parse(&frame), Ok(startup));
        assert_eq!(MpaDepths::parse(&frame[MpaStartupHdr::LEN..]), Ok(depths));
        let mut out = startup.octets().unwrap().to_vec();
        out.extend(depths.octets().unwrap());
        out.extend(private.as_bytes());
        assert_eq!(out, frame);
    }
}

#[test]
fn enhanced_words() {
    let word = MpaDepths {
        peer_to_peer: true,
        rtr_send: true,
        ird: 0x123,
        rtr_write: true,
        rtr_read: false,
        ord: 0x3001,
    };
    assert_eq!(word.octets().unwrap().to_vec(), hex("c123b001"));
    let none = mpa::DEPTH_NOT_NEGOTIATED;
    let word = MpaDepths { ird: none, ord: none, ..Default::default() };
    assert_eq!(word.octets().unwrap().to_vec(), hex("3fff3fff"));
}

#[test]
fn segmented_messages() {
    let head = |h: &[u8], payload: u16| {
        let length = FpduHdr { ulpdu_length: h.len() as u16 + payload };
        [&length.octets().unwrap()[..], h].concat()
    };
    let send = |last, payload, at| head(&untagged(Opcode::Send, last, at).octets().unwrap(), payload);
    assert_eq!(send(false, 1482, 0), hex("05dc 01 43 00000000 00000000 00000001 00000000"));
    assert_eq!(send(true, 566, 1482), hex("0248 41 43 00000000 00000000 00000001 000005ca"));
    let write =
        |last, payload, at| head(&tagged(Opcode::RdmaWrite, last, 0x1234, at).octets().unwrap(), payload);
    assert_eq!(write(false, 1486, 16384), hex("05dc 81 40 00001234 0000000000004000"));
    assert_eq!(write(true, 562, 16384 + 1486), hex("0240 c1 40 00001234 00000000000045ce"));
}

#[test]
fn ready_to_receive_indications() {
    let write = tagged(Opcode::RdmaWrite, true, 1, 0).octets().unwrap();
    assert_eq!(fpdu(&write), hex("000e c140 00000001 0000000000000000 ebd34c5f"));
    let marker = Marker::default().octets().unwrap();
    let marked = [&marker[..], &fpdu(&write)[..16]].concat();
    assert_eq!(crc(&marked).to_vec(), hex("3f1ff9a1"));
    let send = untagged(Opcode::Send, true, 0).octets().unwrap();
    assert_eq!(fpdu(&send), hex("0012 4143 00000000 00000000 00000001 00000000 587be8c4"));
    let request = ReadRequestHdr { sink_stag: STag(1), source_stag: STag(1), ..Default::default() };
    let read =
        [&untagged(Opcode::ReadRequest, true, 0).octets().unwrap()[..], &request.octets().unwrap()].concat();
    let expected = "002e 4141 00000000 00000001 00000001 00000000 \
                    00000001 0000000000000000 00000000 00000001 0000000000000000 27dbd7e7";
    assert_eq!(fpdu(&read), hex(expected));
    let response = tagged(Opcode::ReadResponse, true, 1, 0).octets().unwrap();
    assert_eq!(fpdu(&response), hex("000e c142 00000001 0000000000000000 21a3e83e"));
}

/// RDMAP-0-02: every field of a Read Request in the order of its digits.
#[test]
fn a_read_request_is_in_network_order() {
    let request = ReadRequestHdr {
        sink_stag: STag(0x0102_0304),
        sink_offset: TaggedOffset(0x1112_1314_1516_1718),
        size: ByteCount(0x2122_2324),
        source_stag: STag(0x3132_3334),
        source_offset: TaggedOffset(0x4142_4344_4546_4748),
    };
    let expected = "01020304 1112131415161718 21222324 31323334 4142434445464748";
    assert_eq!(request.octets().unwrap().to_vec(), hex(expected));
}

#[test]
fn terminates_without_a_quote() {
    let examples = [
        (TermError::MpaCrc, "20020000", "7fe42585"),
        (TermError::MpaMarker, "20030000", "01766420"),
        (TermError::MpaLocalCatastrophic, "20050000", "1680d5f1"),
        (TermError::MpaInsufficientIrd, "20060000", "6540fb1b"),
        (TermError::MpaNoRtrOption, "20070000", "1bd2babe"),
    ];
    for (error, word, crc) in examples {
        let expected = format!("0016 4147 00000000 00000002 00000001 00000000 {word} {crc}");
        assert_eq!(terminate_fpdu(error, None), hex(&expected), "{error:?}");
    }
}

#[test]
fn a_terminate_for_a_wrapped_offset_quotes_the_header() {
    let header = tagged(Opcode::RdmaWrite, true, 0x1234, 0xFFFF_FFFF_FFFF_FFF0);
    let ddp = QuotedDdp::Tagged(header);
    let quote = Quote { segment_length: 0x2E, ddp, read_request: None };
    let expected = "0026 4147 00000000 00000002 00000001 00000000 \
                    1103c000 002e c140 00001234 fffffffffffffff0 3378184d";
    assert_eq!(terminate_fpdu(TermError::DdpToWrap, Some(&quote)), hex(expected));
}

/// ULPDU lengths of `rdmap-rfc5040-notes.md` section 1 and the quoting that the table of errors
/// asks for.
#[test]
fn every_terminate_quotes_what_its_error_asks_for_and_is_read_back() {
    let request = ReadRequestHdr { size: ByteCount(77), ..Default::default() };
    let read = Quote {
        segment_length: 46,
        ddp: QuotedDdp::Untagged(untagged(Opcode::ReadRequest, true, 0)),
        read_request: Some(request),
    };
    let write = Quote {
        segment_length: 100,
        ddp: QuotedDdp::Tagged(tagged(Opcode::RdmaWrite, false, 5, 6)),
        read_request: None,
    };
    for info in ERRORS {
        for (quote, len) in [(&read, 42), (&write, 38)] {
            let len = match info.ddp {
                QuoteDdp::Never => 22,
                _ if info.read_request && quote.read_request.is_some() => 70,
                _ => len,
            };
            let whole = terminate_fpdu(info.error, Some(quote));
            assert_eq!(FpduHdr::parse(&whole).unwrap().ulpdu_length, len, "{info:?}");
            let body = &whole[FpduHdr::LEN + DdpUntaggedHdr::LEN..FpduHdr::LEN + usize::from(len)];
            let back = Terminate::parse(body).unwrap();
            assert_eq!(back.error(), Some(info.error));
            let quoted = info.ddp != QuoteDdp::Never;
            assert_eq!(back.ddp, quoted.then_some(quote.ddp));
            assert_eq!(back.segment_length, quoted.then_some(quote.segment_length));
            assert_eq!(back.read_request, quote.read_request.filter(|_| len == 70));
            let flags = (back.control.has_length, back.control.has_ddp, back.control.has_rdmap);
            assert_eq!(flags, (quoted, quoted, len == 70));
        }
    }
    let mut short = [0; 21];
    let why = terminate::emit(TermError::DdpToWrap, Some(&write), &mut short[..19]);
    assert_eq!(why, Err(EmitError::NoRoom { need: 20, have: 19 }));
}

/// Flags that announce what is not there, as siw sends them (RDMAP-4.8-63).
#[test]
fn a_terminate_that_announces_too_much_is_read_as_far_as_it_goes() {
    let seen = Terminate::parse(&hex("0109 e000 002e c144 00000007 00000000 00000010")).unwrap();
    assert!(seen.control.has_rdmap && seen.read_request.is_none());
    assert_eq!(seen.error(), Some(TermError::RdmapProtectionCannotInvalidate));
    assert!(matches!(seen.ddp, Some(QuotedDdp::Tagged(h)) if h.stag == STag(7)));
    let seen = Terminate::parse(&hex("0109 e000 00")).unwrap();
    assert_eq!((seen.segment_length, seen.ddp), (None, None));
    assert_eq!(Terminate::parse(&[1, 2, 3]).unwrap_err().have, 3);
}

proptest! {
    #[test]
    fn any_octets_are_a_terminate_or_too_short(octets in proptest::collection::vec(any::<u8>(), 0..60)) {
        prop_assert_eq!(Terminate::parse(&octets).is_ok(), octets.len() >= TerminateControl::LEN);
    }
}

/// Examples A, B, C, F and L = 0 of `mpa-rfc5044-notes.md` section 5, with their markers from the
/// codec.
#[test]
fn fpdus_with_and_without_markers() {
    let ulpdu = |msn| {
        let header = DdpUntaggedHdr { msn: Msn(msn), ..untagged(Opcode::Send, true, 0) };
        [&header.octets().unwrap()[..], &[0; 24]].concat()
    };
    let marker = |fpdu_pointer| Marker { fpdu_pointer, ..Default::default() }.octets().unwrap();
    let covered = |ulpdu: &[u8]| {
        let whole = fpdu(ulpdu);
        whole[..whole.len() - 4].to_vec()
    };
    let (first, second) = (covered(&ulpdu(1)), covered(&ulpdu(2)));
    assert_eq!(crc(&[&marker(0)[..], &first].concat()).to_vec(), hex("52239983"));
    assert_eq!(crc(&first).to_vec(), hex("b7243ec3"));
    assert_eq!(crc(&[&second[..20], &marker(0x14), &second[20..]].concat()).to_vec(), hex("84925898"));
    assert_eq!(crc(&second).to_vec(), hex("290fbede"));
    let sixteen = covered(&(0..16).collect::<Vec<u8>>());
    assert_eq!(crc(&[&sixteen[..12], &marker(12), &sixteen[12..]].concat()).to_vec(), hex("105b1c88"));
    assert_eq!(crc(&sixteen).to_vec(), hex("fb3b176e"));
    assert_eq!(fpdu(&hex("a0")), hex("0001a000 42c06e69"));
    assert_eq!(fpdu(&hex("a0a1")), hex("0002a0a1 943660d3"));
    assert_eq!(fpdu(&hex("a0a1a2")), hex("0003a0a1a2000000 1b9728da"));
    assert_eq!(fpdu(&hex("a0a1a2a3")), hex("0004a0a1a2a30000 b66b8047"));
    assert_eq!(fpdu(&[]), hex("00000000 c74b6748"));
}

/// Examples G and H: reserved bits of a marker are covered by the CRC, so the codec keeps them.
#[test]
fn a_marker_keeps_its_reserved_bits() {
    let octets = hex("beef0017");
    let marker = Marker::parse(&octets).unwrap();
    assert_eq!((marker.reserved, marker.fpdu_pointer & mpa::FPDU_POINTER_MASK), (0xBEEF, 0x14));
    assert_eq!(marker.octets().unwrap().to_vec(), octets);
}

#[test]
fn the_parameters_of_crc32c_are_those_of_the_catalogue() {
    let catalogue = crc::CRC_32_ISCSI;
    assert_eq!(crc32c::POLYNOMIAL, catalogue.poly);
    assert_eq!(crc32c::POLYNOMIAL_REFLECTED, catalogue.poly.reverse_bits());
    let (init, xor_out) = (catalogue.init, catalogue.xorout);
    assert_eq!((crc32c::INIT, crc32c::XOR_OUT, crc32c::RESIDUE), (init, xor_out, catalogue.residue));
    let mut whole = b"123456789".to_vec();
    whole.extend(crc(&whole));
    let value = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(&whole);
    assert_eq!(value ^ crc32c::XOR_OUT, crc32c::RESIDUE);
}

/// The masks of TCP's flags are the bits of the header's members.
#[test]
fn tcp_flags_are_masks_of_octet_13() {
    use ferrowarp_abi::consts::tcp_flag::*;
    let masks = [CWR, ECE, URG, ACK, PSH, RST, SYN, FIN];
    for (i, mask) in masks.into_iter().enumerate() {
        let mut octets = [0; TcpHdr::LEN];
        octets[13] = mask;
        let tcp = TcpHdr::parse(&octets).unwrap();
        let flags = [tcp.cwr, tcp.ece, tcp.urg, tcp.ack, tcp.psh, tcp.rst, tcp.syn, tcp.fin];
        assert!((0..8).all(|k| flags[k] == (k == i)), "{mask:#x} gives {flags:?}");
    }
}
