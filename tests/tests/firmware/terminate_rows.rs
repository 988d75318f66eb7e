// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5040 section 4.8 on what a Terminate quotes, both ways through the firmware (the
//! octets that hardware keeps are played by the fake device).
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::terminate::QuotedDdp;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::port::{Captured, CapturedSegment, DeviceEvent, QpId};
use ferrowarp_firmware::terminate::Received;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// DDP header of a Terminate.
const HEAD: &str = "4147 00000000 00000002 00000001 00000000";
/// A Send with Invalidate, its DDP header.
const SEND: &str = "4144 00000777 00000000 00000001 00000000";
/// A Read Request of 256 octets, all of it.
const REQUEST: &str =
    "4141 00000000 00000001 00000005 00000000 00000007 0000000000000010 00000100 00000999 0000000000000020";

/// An established responder on queue pair 1.
fn established() -> Bench {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.say(&empty_write());
    bench.terms();
    bench
}

/// What the application hears of a Terminate with these octets behind its DDP header; the stream
/// then ends with a FIN and without a Terminate.
fn heard(body: &str) -> Received {
    let mut bench = established();
    bench.say(&first_fpdu(&hex(&[HEAD, body].concat())));
    bench.run(5);
    let Event::Terminated { received, .. } = bench.event() else { panic!("{body}: not told") };
    assert!(bench.peer.inbox.is_empty() && bench.peer.fin, "{body}: a FIN, no answer");
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.failure(), ConnError::Terminated(received), "{body}");
    received
}

/// The Terminate that the peer sees after this fault, from its control field on; it is the only
/// FPDU.
fn told(error: u16, length: u16, head: &str) -> Vec<u8> {
    let mut bench = established();
    let segment = Some(CapturedSegment { length, head: hex(head) });
    bench.device.raise(DeviceEvent::Fault(QpId(1), Captured { error, segment }));
    bench.run(5);
    let octets = &bench.peer.inbox;
    let ulpdu = usize::from(octets[0]) << 8 | usize::from(octets[1]);
    assert_eq!(octets.len(), (2 + ulpdu).next_multiple_of(4) + 4, "one FPDU");
    assert_eq!(octets[2..20], hex(HEAD));
    octets[20..2 + ulpdu].to_vec()
}

#[test]
fn a_code_of_the_lower_layer_is_passed_on() {
    let _proof = proves_model("RDMAP-4.8-39");
    let received = heard("13a50000");
    assert_eq!((received.layer, received.etype, received.code), (1, 3, 0xA5));
    assert_eq!(received.error, None);
}

#[test]
fn the_quoted_header_is_found_behind_a_length_that_does_not_count() {
    let _proof = proves_model_rows(&["RDMAP-4.8-46", "RDMAP-5.4-08"]);
    let received = heard("02074000 ffff c140 00001234 0000000000000010");
    assert_eq!(received.error, Some(TermError::RdmapCatastrophicStream));
    let refused = received.refused().expect("a header");
    assert_eq!((refused.length, refused.opcode), (None, Some(Opcode::RdmaWrite)));
    assert!(matches!(refused.ddp, QuotedDdp::Tagged(h) if (h.stag.0, h.tagged_offset.0) == (0x1234, 16)));
}

#[test]
fn what_is_announced_and_not_sent_is_absent() {
    let _proof = proves_model("RDMAP-4.8-63");
    // as siw sends it: ULPDU length 42, R set
    let received = heard(&["0109e000 0012", SEND].concat());
    assert_eq!(received.error, Some(TermError::RdmapProtectionCannotInvalidate));
    let refused = received.refused().expect("a header");
    assert_eq!((refused.length, refused.opcode), (Some(18), Some(Opcode::SendInvalidate)));
    assert_eq!(refused.read_request, None);
}

#[test]
fn an_operation_error_quotes_a_read_request_or_not() {
    let _proof = proves_model("RDMAP-4.8-61");
    for flags in ["c0", "e0"] {
        let received = heard(&["02ff", flags, "00 002e", REQUEST].concat());
        assert_eq!(received.error, Some(TermError::RdmapOperationUnspecified));
        assert_eq!(received.quoted.read_request.is_some(), flags == "e0");
    }
    assert_eq!(told(0x02FF, 46, REQUEST), hex(&["02ffe000 002e", REQUEST].concat()));
    // 27 of the 28 octets
    assert_eq!(told(0x02FF, 45, REQUEST), hex(&["02ffc000 002d", &REQUEST[..41]].concat())[..24]);
}

#[test]
fn a_local_catastrophe_quotes_nothing() {
    let _proof = proves_model("RDMAP-4.8-48");
    assert_eq!(told(0, 46, REQUEST), [0; 4]);
}

#[test]
fn an_invalidate_that_is_refused_quotes_the_send_alone() {
    let _proof = proves_model("RDMAP-4.8-60");
    let octets = told(0x0109, 100, SEND);
    assert_eq!((18 + octets.len(), octets), (42, hex(&["0109c000 0064", SEND].concat())));
}

#[test]
fn operation_errors_quote_what_is_known() {
    let _proof = proves_model("RDMAP-4.8-57");
    let write = "c140 00001234 0000000000000010";
    let bad_version = ["41c1", &REQUEST[4..]].concat();
    let kinds = [(write, 14), (SEND, 18), (REQUEST, 46)];
    for (head, octets) in kinds {
        let quoted = told(0x02FF, 64, head);
        assert_eq!(quoted[2] & 0xC0, 0xC0, "{head}");
        assert_eq!(quoted[6..], hex(head)[..octets], "{head}");
        // not even a DDP header came whole
        assert_eq!(told(0x02FF, 13, head), hex("02ff0000"), "{head}");
    }
    assert_eq!(told(0x0205, 46, &bad_version)[2], 0xC0, "what follows the DDP header is not known");
}

#[test]
fn each_class_of_errors_has_one_terminate() {
    let _proof = proves_model("RDMAP-6.2.1-01");
    for error in [0x0000, 0x0100, 0x0206, 0x1000, 0x1100, 0x1205, 0x2002, 0x2005] {
        assert_eq!(told(error, 46, REQUEST)[..2], u16::to_be_bytes(error));
    }
}

#[test]
fn a_terminate_that_is_none_ends_the_stream_without_another() {
    let mut bench = established();
    bench.device.raise(DeviceEvent::BadTerminate(QpId(1), 0x1202));
    bench.run(5);
    assert!(matches!(bench.event(), Event::Faulted { error: TermError::DdpNoBuffer, .. }));
    assert!(bench.peer.inbox.is_empty() && bench.peer.fin && !bench.peer.rst);
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.failure(), ConnError::Fault(TermError::DdpNoBuffer));
    // before the first good FPDU of a responder nothing may be answered at all
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.device.raise(DeviceEvent::BadTerminate(QpId(1), 0x1202));
    bench.run(5);
    assert_eq!(bench.failure(), ConnError::FirstFpdu(TermError::DdpNoBuffer));
    assert!(bench.peer.rst && bench.is_clean());
}

/// Every number that hardware could report, each with one of several segments.
#[test]
fn no_other_numbers_are_sent_than_those_of_the_documents() {
    let _proof = proves_model("RDMAP-4.8-03");
    // layer and type, codes: RFC 5040 figure 9, RFC 5041 section 7.2, RFC 5044 section 8, RFC 6581
    // section 8
    let listed: [(u8, &[u8]); 7] = [
        (0x00, &[0]),
        (0x01, &[0, 1, 2, 3, 4, 9, 0xFF]),
        (0x02, &[5, 6, 7, 8, 9, 0xFF]),
        (0x10, &[0]),
        (0x11, &[0, 1, 2, 3, 4]),
        (0x12, &[1, 2, 3, 4, 5, 6]),
        (0x20, &[2, 3, 5, 6, 7]),
    ];
    let heads = [SEND, REQUEST, "c140 00001234 0000000000000010", "", "ff"].map(hex);
    for error in 0..=u16::MAX {
        let head = heads[usize::from(error) % heads.len()].clone();
        let segment = Some(CapturedSegment { length: error.rotate_left(5), head });
        let Some(ulpdu) = ferrowarp_firmware::terminate::ulpdu(&Captured { error, segment }) else {
            // TCP is gone, or full operation was never reached
            assert!(matches!(error, 0x2001 | 0x2004), "{error:#x}");
            continue;
        };
        let (kind, code) = (ulpdu[18], ulpdu[19]);
        let is_listed = listed.iter().any(|(listed, codes)| *listed == kind && codes.contains(&code));
        assert!(is_listed, "{error:#x}: {:02x?}", &ulpdu[18..]);
        // a number that is listed is sent as it is
        let [wanted, with] = error.to_be_bytes();
        let known = listed.iter().any(|(listed, codes)| *listed == wanted && codes.contains(&with));
        assert!(!known || [kind, code] == [wanted, with], "{error:#x}: {:02x?}", &ulpdu[18..]);
    }
}
