// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 6581 section 9.1: IRD and ORD, on the wire and in what the hardware is given.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::mpa::negotiate::{Depth, Mismatch, Wanted};
use ferrowarp_firmware::port::{Command, QpId};
use ferrowarp_firmware::Config;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// The last depths that the hardware was given.
fn given(bench: &Bench) -> (u16, u16) {
    let pick = |c: &Command| if let Command::Depths { ird, ord, .. } = c { Some((*ird, *ord)) } else { None };
    bench.device.ordered(pick).pop().expect("depths")
}

fn wanting(ird: u16, ord: u16) -> Initiate {
    Initiate { wanted: Wanted::new(ird, ord), ..Initiate::new(QpId(1)) }
}

/// Words with A=B=C=D=0.
fn words(ird: u16, ord: u16) -> u32 {
    u32::from(ird) << 16 | u32::from(ord)
}

/// The Reply's IRD and ORD to a Request, and what the hardware is given; the application wants
/// `wanted`.
fn respond(config: Config, asked: u32, wanted: Wanted) -> ((u16, u16), (u16, u16)) {
    let accept = Accept { wanted, ..Accept::new(QpId(1)) };
    let (bench, reply) = accepted(config, &Frame::request().enhanced(asked), accept);
    let half = |at: usize| u16::from_be_bytes([reply[at], reply[at + 1]]) & 0x3FFF;
    ((half(20), half(22)), given(&bench))
}

/// What the initiator's hardware is given after a Reply.
fn conclude(how: Initiate, answer: u32) -> (u16, u16) {
    let mut bench = replied(how, &Frame::reply().enhanced(answer));
    bench.terms();
    given(&bench)
}

#[test]
fn the_responders_depths() {
    let _proof = proves_model_rows(&["MPA2-9.1-03", "MPA2-9.1-04", "MPA2-9.1-05"]);
    for (ird, ord, wanted) in [(5, 7, (2, 9)), (9, 3, (12, 4)), (0, 0, (6, 6)), (16, 16, (1, 1))] {
        let ((told_ird, told_ord), (own_ird, own_ord)) =
            respond(config(), words(ird, ord), Wanted::new(wanted.0, wanted.1));
        assert!(
            told_ird >= ord && told_ird == own_ird,
            "an IRD of at least the ORD asked for, and the real one"
        );
        assert!(
            told_ord <= ird && told_ord == own_ord,
            "an ORD of at most the IRD offered, and the real one"
        );
        assert_eq!((told_ird, told_ord), (wanted.0.max(ord), wanted.1.min(ird)));
    }
}

#[test]
fn the_initiators_ird_bounds_the_responders_ord() {
    let _proof = proves_model_rows(&["MPA2-9.1-02", "MPA2-9.1-08"]);
    for ird in [1, 2, 5] {
        let ((_, told), (_, own)) = respond(config(), words(ird, 4), Wanted::new(4, 16));
        assert_eq!((told, own), (ird, ird));
    }
}

#[test]
fn after_success_no_side_overruns_the_other() {
    let _proof = proves_model_rows(&["MPA2-9.1-06", "RDMAP-6.1-09"]);
    for n in 0..400_u32 {
        let at = |shift: u32| ((n.wrapping_mul(0x9E37_79B9) >> shift) % 20) as u16;
        let (a, b) = (Wanted::new(at(0), at(7)), Wanted::new(at(13), at(19)));
        let (a_in, b_in) = (a.within(&config().limits), b);
        let ((ird, ord), responder) = respond(config(), words(a_in.ird, a_in.ord), b_in);
        let how = Initiate { wanted: a, ..Initiate::new(QpId(1)) };
        let initiator = conclude(how, words(ird, ord));
        assert!(initiator.1 <= responder.0, "{a:?} {b:?}: {initiator:?} {responder:?}");
        assert!(responder.1 <= initiator.0, "{a:?} {b:?}: {initiator:?} {responder:?}");
    }
}

#[test]
fn both_sides_report_what_the_peer_said() {
    let _proof = proves_model("MPA2-9.1-07");
    let mut bench = Bench::default();
    let (_, offer) = bench.requested(&Frame::request().enhanced(words(300, 0x3FFF)));
    assert_eq!(offer.depths, Some((Depth::Reads(300), Depth::NotNegotiated)));
    let mut bench = replied(wanting(8, 8), &Frame::reply().enhanced(words(1_000, 3)));
    let Event::Established { offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!(offer.depths, Some((Depth::Reads(1_000), Depth::Reads(3))));
}

#[test]
fn an_ord_of_0_is_raised_for_a_read_as_rtr() {
    let _proof = proves_model("MPA2-9.1-09");
    let asked = 0x8004_4000; // A=1, IRD 4, D=1, ORD 0
    let ((told, _), (own, _)) = respond(config(), asked, Wanted::new(0, 4));
    assert_eq!((told, own), (1, 1));
    let ((told, _), _) = respond(config(), words(4, 0), Wanted::new(0, 4));
    assert_eq!(told, 0, "not in the client-server model");
}

#[test]
fn a_strict_responder_rejects_with_the_depth_it_needs() {
    let _proof = proves_model_rows(&["MPA2-9.1-11", "MPA2-9.1-12"]);
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&Frame::request().enhanced(words(2, 4)));
    let accept = Accept { wanted: Wanted::new(4, 8), strict: true, ..Accept::new(QpId(1)) };
    let refused = bench.manager.accept(id, accept).expect_err("too few Reads");
    assert_eq!(refused, CallError::IrdTooSmall { offered: 2, needed: 8 });
    assert!(refused.to_string().contains("2/0/06"), "{refused}");
    bench.run(20);
    let reply = &bench.peer.inbox;
    assert_eq!((reply[16] & 0x30, reply.len()), (0x30, 24), "R=1 and S=1, and no FPDU after it");
    assert_eq!(reply[22..24], [0, 8]);
    assert!(bench.device.table.is_empty());
}

#[test]
fn the_initiator_applies_the_reply() {
    let _proof = proves_model_rows(&["MPA2-9.1-13", "MPA2-4.1-05"]);
    assert_eq!(conclude(wanting(8, 16), words(16, 6)), (8, 16));
    assert_eq!(conclude(wanting(4, 16), words(16, 6)), (6, 16), "at least what the responder uses");
    assert_eq!(conclude(wanting(8, 16), words(4, 6)), (8, 4), "clamped, not an error");
    assert_eq!(conclude(wanting(8, 16), words(3, 0)).1, 3);
}

#[test]
fn too_many_reads_of_the_responder_are_told_by_a_terminate() {
    let _proof = proves_model_rows(&["MPA2-9.1-15", "MPA2-9.1-16", "MPA2-8-05"]);
    let how = Initiate { peer_to_peer: true, ..wanting(8, 8) };
    let mut bench = replied(how, &Frame::reply().enhanced(0x8010_8011));
    let mismatch = Mismatch::InsufficientIrd { needed: 17, most: 16 };
    assert_eq!(bench.failure(), ConnError::Mismatch(mismatch));
    // the worked example of the notes, section 5: no RTR before it
    let terminate = hex("0016 4147 00000000 00000002 00000001 00000000 20060000 6540fb1b");
    assert_eq!(bench.peer.inbox, terminate);
    assert!(bench.peer.fin && !bench.peer.rst, "then TCP ends in order");
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(10);
    assert!(bench.is_clean() && bench.device.commands.len() == 1, "the hardware never had it");
}

#[test]
fn the_terminate_of_a_stream_with_markers_begins_with_one() {
    let how = wanting(8, 8);
    let mut frame = Frame::reply().enhanced(words(16, 17));
    frame.flags |= 0x80;
    let bench = replied(how, &frame);
    let expected = ferrowarp_tests::mpa_model::fpdu(
        &hex("4147 00000000 00000002 00000001 00000000 20060000"),
        0,
        true,
        true,
    );
    assert_eq!(bench.peer.inbox, expected);
}

#[test]
fn a_reject_brings_the_responders_depths() {
    let _proof = proves_model("MPA2-9.1-17");
    let mut frame = Frame::reply().enhanced(words(3, 8));
    frame.flags |= 0x20;
    let mut bench = replied(wanting(4, 4), &frame);
    let Event::Rejected { offer, .. } = bench.event() else { panic!("not rejected") };
    assert_eq!(offer.depths, Some((Depth::Reads(3), Depth::Reads(8))));
    let mut bench = replied(wanting(4, 4), &Frame::reply().enhanced(words(3, 4)));
    let Event::Established { offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!(offer.depths, Some((Depth::Reads(3), Depth::Reads(4))));
}

#[test]
fn a_depth_of_16383_is_no_depth() {
    let _proof = proves_model("MPA2-9.1-19");
    let mut bench = Bench::default();
    let then = Then::Initiate(wanting(0x3FFF, 1));
    let connect = Connect { remote: bench.peer.ours, address: None, local_port: None, then };
    assert_eq!(bench.manager.connect(connect).map(|_| ()), Err(CallError::Depth(0x3FFF)));
    let mut config = config();
    (config.limits.ird, config.limits.ord) = (0x3FFE, 0x3FFE);
    let mut bench = Bench::new(config);
    bench.initiate(wanting(0x3FFE, 0x3FFE));
    assert_eq!(bench.peer.inbox[20..24], [0x3F, 0xFE, 0x3F, 0xFE]);
    let mut how = wanting(1, 1);
    how.wanted.tell_ird = false;
    assert_eq!(request(how)[20..24], [0x3F, 0xFF, 0, 1]);
}

#[test]
fn an_ord_that_is_not_negotiated_leaves_the_responders_ird() {
    let _proof = proves_model("MPA2-9.1-20");
    let ((told, _), (own, _)) = respond(config(), words(4, 0x3FFF), Wanted::new(12, 4));
    assert_eq!((told, own), (0x3FFF, 12));
}

#[test]
fn an_ird_that_is_not_negotiated_leaves_the_responders_ord() {
    let _proof = proves_model("MPA2-9.1-22");
    let ((_, told), (_, own)) = respond(config(), words(0x3FFF, 4), Wanted::new(4, 5));
    assert_eq!((told, own), (0x3FFF, 5));
}

#[test]
fn a_reply_that_does_not_negotiate_leaves_the_initiators_depths() {
    let _proof = proves_model_rows(&["MPA2-9.1-21", "MPA2-9.1-23", "MPA2-9.1-25"]);
    assert_eq!(conclude(wanting(7, 9), words(0x3FFF, 3)), (7, 9));
    assert_eq!(conclude(wanting(7, 9), words(12, 0x3FFF)), (7, 9));
    assert_eq!(conclude(wanting(7, 9), words(0x3FFF, 0x3FFF)), (7, 9), "although finite numbers were asked");
}

#[test]
fn each_depth_is_opted_out_on_its_own() {
    let _proof = proves_model("MPA2-9.1-24");
    let (told, own) = respond(config(), words(0x3FFF, 4), Wanted::new(2, 6));
    assert_eq!((told, own), ((4, 0x3FFF), (4, 6)));
    // on the initiator's side 0x3FFF is never "more than we can hold"
    assert_eq!(conclude(wanting(2, 6), words(4, 0x3FFF)), (2, 4));
}

#[test]
fn an_ird_of_0_means_no_reads() {
    let ((_, told), (_, own)) = respond(config(), words(0, 4), Wanted::new(4, 16));
    assert_eq!((told, own), (0, 0), "the hardware is given an ORD of 0");
}

#[test]
fn the_hardware_has_the_depths_before_the_frame_leaves() {
    let _proof = proves_model_rows(&["MPA2-9.3-01", "MPA2-9.3-02", "MPA2-4.1-04"]);
    let mut bench = Bench::default();
    let connect = Connect {
        remote: bench.peer.ours,
        address: None,
        local_port: None,
        then: Then::Initiate(wanting(6, 3)),
    };
    bench.manager.connect(connect).expect("a connection");
    while bench.peer.inbox.is_empty() {
        bench.run(1);
    }
    assert_eq!(given(&bench), (6, 3));
    // the responder: its first command, and the Reply is the last
    let accept = Accept { wanted: Wanted::new(5, 5), ..Accept::new(QpId(1)) };
    let (bench, reply) = accepted(config(), &Frame::request().enhanced(words(4, 7)), accept);
    assert_eq!((given(&bench), &reply[20..24]), ((7, 4), &[0, 7, 0, 4][..]));
    assert!(matches!(bench.device.commands.first(), Some(Command::Depths { .. })));
    assert!(matches!(bench.device.commands.last(), Some(Command::RawMessage { .. })));
}

#[test]
fn the_limit_of_the_device_is_above_all() {
    let _proof = proves_model("RDMAP-6.1-03");
    let mut config = config();
    (config.limits.ird, config.limits.ord) = (4, 4);
    let ((told, _), (own, ord)) = respond(config.clone(), words(16, 16), Wanted::new(16, 16));
    assert_eq!((told, own, ord), (4, 4, 4));
    let mut bench = Bench::new(config);
    bench.initiate(wanting(16, 2));
    assert_eq!(
        (&bench.peer.inbox[20..24], given(&bench)),
        (&[0, 4, 0, 2][..], (4, 2)),
        "one limit a direction"
    );
}

#[test]
fn depths_are_inputs_of_the_calls() {
    let _proof = proves_model_rows(&["RDMAP-6.1-04", "RDMAP-6.1-06"]);
    let bench = replied(wanting(3, 2), &Frame::reply().enhanced(words(16, 1)));
    assert_eq!(given(&bench), (3, 2));
    let accept = Accept { wanted: Wanted::new(3, 2), ..Accept::new(QpId(1)) };
    let (mut bench, _) = accepted(config(), &Frame::request().enhanced(words(9, 1)), accept);
    assert_eq!(given(&bench), (3, 2));
    bench.say(&empty_write());
    assert_eq!(bench.terms().agreed.ird, 3);
}
