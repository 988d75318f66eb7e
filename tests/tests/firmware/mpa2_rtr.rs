// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 6581 sections 4, 5, 8, 9.2 and 9.3: the connection model and the ready-to-receive
//! message.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::mpa::negotiate::{Mismatch, RtrSet, Wanted};
use ferrowarp_firmware::port::{Command, QpId, Refusal, Rtr};
use ferrowarp_firmware::Config;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// These kinds.
fn kinds(text: &str) -> RtrSet {
    RtrSet { send: text.contains('B'), write: text.contains('C'), read: text.contains('D') }
}

/// A device that can do these.
fn device(text: &str) -> Config {
    let mut config = config();
    config.limits.rtr = kinds(text);
    config
}

/// A peer-to-peer initiator that offers these.
fn offering(text: &str) -> Initiate {
    Initiate { peer_to_peer: true, rtr: kinds(text), ..Initiate::new(QpId(1)) }
}

/// Words with IRD and ORD 16 and these letters of A, B, C, D.
fn words(text: &str) -> u32 {
    let bit = |c, mask| if text.contains(c) { mask } else { 0 };
    0x0010_0010 | bit('A', 0x8000_0000) | bit('B', 0x4000_0000) | bit('C', 0x8000) | bit('D', 0x4000)
}

/// Letters of the words at octet 20.
fn letters(frame: &[u8]) -> String {
    let bits =
        [('A', frame[20] & 0x80), ('B', frame[20] & 0x40), ('C', frame[22] & 0x80), ('D', frame[22] & 0x40)];
    bits.iter().filter(|(_, set)| *set != 0).map(|(c, _)| *c).collect()
}

/// A bench that offered `ours` and got a Reply with the letters `theirs`.
fn answered(ours: &str, theirs: &str) -> Bench {
    let reply = Frame::reply().enhanced(words(theirs)).octets();
    replied_octets(device("BCD"), offering(ours), &reply)
}

/// Kinds of all RTR commands.
fn sent(bench: &Bench) -> Vec<Rtr> {
    bench.device.ordered(|c| if let Command::Rtr { kind, .. } = c { Some(*kind) } else { None })
}

/// The first FPDU for each kind: the worked examples of the notes, section 5.
fn octets(kind: Rtr) -> Vec<u8> {
    hex(match kind {
        Rtr::Send => "0012 4143 00000000 00000000 00000001 00000000 587be8c4",
        Rtr::Write => "000e c140 00000001 0000000000000000 ebd34c5f",
        Rtr::Read => {
            "002e 4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 \
             0000000000000000 27dbd7e7"
        }
    })
}

#[test]
fn each_kind_is_the_first_fpdu() {
    for (letter, kind) in [("AB", Rtr::Send), ("AC", Rtr::Write), ("AD", Rtr::Read)] {
        let mut bench = answered("BCD", letter);
        bench.run(300);
        assert_eq!((sent(&bench), &bench.peer.inbox), (vec![kind], &octets(kind)));
    }
}

#[test]
fn presence_and_kind_follow_the_flags() {
    let _proof = proves_model_rows(&["MPA2-1.1-02", "MPA2-9.2-02"]);
    for ours in ["B", "C", "D", "BC", "BD", "CD", "BCD"] {
        for theirs in ["AB", "AC", "AD", "ABC", "ABD", "ACD", "ABCD"] {
            let mut bench = answered(ours, theirs);
            let common: String = ours.chars().filter(|c| theirs.contains(*c)).collect();
            let expected = match () {
                () if common.contains('C') => vec![Rtr::Write],
                () if common.contains('D') => vec![Rtr::Read],
                () if common.contains('B') => vec![Rtr::Send],
                () => vec![],
            };
            assert_eq!(sent(&bench), expected, "{ours} and {theirs}");
            if expected.is_empty() {
                let mismatch = Mismatch::NoCommonRtr { theirs: kinds(theirs), ours: kinds(ours) };
                assert_eq!(bench.failure(), ConnError::Mismatch(mismatch));
            } else {
                bench.terms();
            }
        }
    }
    // client-server: none, whatever the flags
    for theirs in ["", "B", "C", "D", "BCD"] {
        let reply = Frame::reply().enhanced(words(theirs));
        let mut bench = replied(Initiate::new(QpId(1)), &reply);
        bench.terms();
        assert!(sent(&bench).is_empty() && bench.peer.inbox.is_empty());
    }
}

#[test]
fn of_several_kinds_exactly_one_is_sent() {
    let _proof = proves_model("MPA2-9.2-10");
    for (ours, theirs) in [("BCD", "ABCD"), ("BD", "ABCD"), ("B", "ABCD")] {
        let mut bench = answered(ours, theirs);
        bench.run(500);
        let [kind] = sent(&bench)[..] else { panic!("{:?}", sent(&bench)) };
        assert_eq!(bench.peer.inbox, octets(kind), "once, and an option that we did not offer is ignored");
        bench.terms();
    }
}

#[test]
fn the_request_offers_what_the_device_and_the_application_can() {
    let _proof = proves_model_rows(&["MPA2-9.2-04", "MPA2-9.2-18"]);
    for (device_can, asks, expected) in
        [("CD", "BCD", "ACD"), ("BCD", "BCD", "ABCD"), ("C", "BCD", "AC"), ("BCD", "D", "AD")]
    {
        let mut bench = Bench::new(device(device_can));
        bench.initiate(offering(asks));
        assert_eq!(letters(&bench.peer.inbox), expected);
    }
    assert_eq!(letters(&request(Initiate::new(QpId(1)))), "", "A=0: none of the others");
    let (_, reply) = accepted(config(), &Frame::request().enhanced(words("BCD")), Accept::new(QpId(1)));
    assert_eq!(letters(&reply), "");
}

#[test]
fn the_reply_has_the_model_of_the_request() {
    let _proof = proves_model_rows(&["MPA2-9.2-01", "MPA2-9.2-06", "MPA2-9.2-17"]);
    for (asked, expected) in [("AC", "AC"), ("", "")] {
        let (_, reply) = accepted(config(), &Frame::request().enhanced(words(asked)), Accept::new(QpId(1)));
        assert_eq!(letters(&reply), expected);
    }
    assert_eq!(letters(&request(offering("C"))), "AC");
}

#[test]
fn the_reply_sets_the_common_kinds_and_never_none() {
    let _proof = proves_model_rows(&["MPA2-9.2-07", "MPA2-9.2-09", "MPA2-9.2-11"]);
    let reply = |can: &str, asked: &str| {
        let request = Frame::request().enhanced(words(asked));
        letters(&accepted(device(can), &request, Accept::new(QpId(1))).1)
    };
    for (can, asked, expected) in
        [("BCD", "ABCD", "ABCD"), ("BC", "ABD", "AB"), ("CD", "ABCD", "ACD"), ("C", "ABCD", "AC")]
    {
        assert_eq!(reply(can, asked), expected, "each kind that both have");
    }
    assert_eq!(reply("CD", "AB"), "ACD", "none in common: ours");
    for can in ["B", "C", "D", "BC", "BD", "CD", "BCD"] {
        for asked in ["A", "AB", "AC", "AD", "ABC", "ABD", "ACD", "ABCD"] {
            let got = reply(can, asked);
            assert!(got.len() >= 2 && got[1..].chars().all(|c| can.contains(c)), "{can} {asked}: {got}");
        }
    }
}

#[test]
fn each_kind_offered_alone_is_accepted_by_a_device_that_has_it() {
    let _proof = proves_model_rows(&["MPA2-9.2-05", "MPA2-9.2-26"]);
    let reply = |can: &str, asked: &str| {
        let request = Frame::request().enhanced(words(asked));
        letters(&accepted(device(can), &request, Accept::new(QpId(1))).1)
    };
    assert_eq!([reply("BCD", "AB"), reply("BCD", "AC"), reply("BCD", "AD")], ["AB", "AC", "AD"]);
    assert_eq!([reply("CD", "AC"), reply("CD", "AD")], ["AC", "AD"]);
    // a Send eats a receive of the application: without its word there is none while there is
    // another kind
    let request = Frame::request().enhanced(words("ABCD"));
    for (takes, expected) in [("CD", "ACD"), ("C", "AC"), ("BC", "ABC"), ("B", "AB")] {
        let accept = Accept { rtr: kinds(takes), ..Accept::new(QpId(1)) };
        assert_eq!(letters(&accepted(device("BCD"), &request, accept).1), expected, "takes {takes}");
    }
}

#[test]
fn a_reply_may_list_less_than_the_peer_can() {
    let _proof = proves_model("MPA2-9.2-08");
    let mut bench = answered("BCD", "AD");
    assert_eq!(bench.terms().agreed.rtr, Some(Rtr::Read));
}

#[test]
fn no_kind_in_common_is_told_by_a_terminate() {
    let _proof = proves_model_rows(&["MPA2-9.2-13", "MPA2-9.2-14", "MPA2-8-06"]);
    let mut bench = replied(offering("BCD"), &Frame::reply().enhanced(words("AB")));
    assert_eq!(bench.peer.inbox, hex("0016 4147 00000000 00000002 00000001 00000000 20070000 1bd2babe"));
    assert!(bench.peer.fin && sent(&bench).is_empty());
    let mismatch = Mismatch::NoCommonRtr { theirs: kinds("B"), ours: kinds("CD") };
    assert_eq!(bench.failure(), ConnError::Mismatch(mismatch));
}

#[test]
fn another_model_in_the_reply_is_told_by_the_same() {
    let _proof = proves_model_rows(&["MPA2-9.2-20", "MPA2-8-02"]);
    for (how, theirs) in [(offering("CD"), ""), (Initiate::new(QpId(1)), "AC")] {
        let asked = how.peer_to_peer;
        let mut bench = replied(how, &Frame::reply().enhanced(words(theirs)));
        let mismatch = Mismatch::Model { asked, answered: !asked };
        assert_eq!(bench.failure(), ConnError::Mismatch(mismatch));
        assert_eq!(bench.peer.inbox[20..24], [0x20, 0x07, 0, 0], "layer 2, type 0, code 7");
        assert_eq!(bench.peer.inbox.len(), 28, "one Terminate");
        assert!(bench.peer.fin);
    }
}

#[test]
fn flags_without_a_are_ignored() {
    let _proof = proves_model("MPA2-9.2-19");
    let (mut bench, reply) =
        accepted(config(), &Frame::request().enhanced(words("BCD")), Accept::new(QpId(1)));
    assert_eq!(letters(&reply), "");
    bench.say(&empty_write());
    bench.terms();
    let mut bench = replied(Initiate::new(QpId(1)), &Frame::reply().enhanced(words("BCD")));
    bench.terms();
    assert!(sent(&bench).is_empty());
}

#[test]
fn a_read_needs_a_slot_on_the_other_side() {
    let _proof = proves_model("MPA2-9.2-21");
    let how = Initiate { wanted: Wanted::new(16, 0), ..offering("D") };
    let mut bench =
        replied_octets(device("BCD"), how.clone(), &Frame::reply().enhanced(0x8001_4010).octets());
    let agreed = bench.terms().agreed;
    assert_eq!((agreed.rtr, agreed.ord), (Some(Rtr::Read), 1));
    let mut bench = replied_octets(device("BCD"), how, &Frame::reply().enhanced(0x8000_4010).octets());
    assert!(matches!(bench.failure(), ConnError::Mismatch(Mismatch::NoCommonRtr { .. })));
    assert_eq!(bench.peer.inbox[20..22], [0x20, 0x07]);
    assert!(sent(&bench).is_empty());
}

#[test]
fn depths_are_set_before_the_message_leaves() {
    let _proof = proves_model("MPA2-9.3-03");
    let bench = answered("C", "AC");
    let place = |pick: fn(&Command) -> bool| bench.device.commands.iter().rposition(pick).expect("a command");
    let depths = place(|c| matches!(c, Command::Depths { .. }));
    assert!(depths < place(|c| matches!(c, Command::Rtr { .. })));
}

#[test]
fn nothing_leaves_before_the_message() {
    let _proof = proves_model("MPA2-5-06");
    // the hardware's gate is closed until the message has its place in the stream; the application
    // hears later
    for lost in [false, true] {
        let mut bench = Bench::default();
        bench.initiate(offering("C"));
        bench.peer.inbox.clear();
        bench.peer.answers = !lost;
        bench.frame(&Frame::reply().enhanced(words("AC")));
        let row = bench.device.connection(1).expect("a row").row;
        assert!(!row.gate_open);
        let order: Vec<_> = bench.device.commands.iter().skip(3).collect();
        assert!(matches!(order[..], [Command::Rtr { .. }, Command::OpenGate { .. }]), "{order:?}");
        bench.terms();
        bench.peer.answers = true;
        bench.run(500);
        assert_eq!(bench.peer.inbox, octets(Rtr::Write), "also when it is sent again");
    }
}

#[test]
fn client_server_sends_no_extra_message() {
    let _proof = proves_model_rows(&["MPA2-5-04", "MPA2-5-01"]);
    let mut bench = replied(Initiate::new(QpId(1)), &Frame::reply().enhanced(words("")));
    bench.run(300);
    assert!(bench.peer.inbox.is_empty() && bench.device.connection(1).expect("a row").gate);
    bench.terms();
    // and with A=1 both work, too: one Request, one Reply, the message
    let mut bench = answered("C", "AC");
    bench.run(300);
    assert_eq!(bench.peer.inbox, octets(Rtr::Write));
    bench.terms();
}

#[test]
fn the_option_is_one_of_each_connection() {
    let _proof = proves_model("MPA2-5-03");
    let mut bench = Bench::default();
    let mut models = vec![];
    for (qp, peer_to_peer) in [(1, true), (2, false)] {
        bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], 20_000 + qp).into(), 5);
        bench.initiate(Initiate { peer_to_peer, ..Initiate::new(QpId(qp)) });
        models.push(bench.peer.inbox[20] & 0x80);
    }
    assert_eq!(models, [0x80, 0]);
}

#[test]
fn the_responders_gate_waits_for_the_first_fpdu() {
    let _proof = proves_model("MPA2-3-08");
    for (asked, last) in [("AC", empty_write()), ("", octets(Rtr::Send))] {
        let (mut bench, _) =
            accepted(config(), &Frame::request().enhanced(words(asked)), Accept::new(QpId(1)));
        bench.run(1_000);
        assert!(!bench.device.connection(1).expect("a row").gate, "closed");
        assert!(bench.events.is_empty() && bench.peer.inbox.is_empty(), "acknowledgements only");
        bench.say(&last);
        assert!(bench.device.connection(1).expect("a row").gate);
        bench.terms();
    }
}

#[test]
fn a_write_that_makes_no_completion_opens_the_gate() {
    let mut bench = accepted(config(), &Frame::request().enhanced(words("AC")), Accept::new(QpId(1))).0;
    bench.say(&empty_write());
    bench.terms();
    // client-server: an ordinary first FPDU, here a Send with payload
    let mut bench = accepted(config(), &Frame::request().enhanced(words("")), Accept::new(QpId(1))).0;
    bench.say(&first_fpdu(&hex("4143 00000000 00000000 00000001 00000000 00112233")));
    bench.terms();
}

#[test]
fn another_first_message_than_agreed_establishes_too() {
    let mut bench = accepted(config(), &Frame::request().enhanced(words("AC")), Accept::new(QpId(1))).0;
    bench.say(&octets(Rtr::Send));
    bench.terms();
}

#[test]
fn the_wait_for_the_message_is_bounded() {
    let _proof = proves_model("MPA2-9.3-06");
    let mut bench = accepted(config(), &Frame::request().enhanced(words("AC")), Accept::new(QpId(1))).0;
    bench.run(config().timing.first_fpdu + 10);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::FirstFpdu));
    assert!(bench.peer.rst && bench.is_clean(), "{:?}", bench.manager.audit());
}

#[test]
fn a_local_fault_is_told_before_the_reset() {
    let _proof = proves_model_rows(&["MPA2-9.3-04", "MPA2-8-04"]);
    let mut bench = Bench::default();
    bench.device.refuse = Some(Refusal::Full);
    bench.initiate(offering("C"));
    bench.peer.inbox.clear();
    bench.frame(&Frame::reply().enhanced(words("AC")));
    bench.run(5);
    assert_eq!(bench.failure(), ConnError::Hardware(Refusal::Full));
    assert_eq!(bench.peer.inbox, hex("0016 4147 00000000 00000002 00000001 00000000 20050000 1680d5f1"));
    assert!(bench.peer.rst && !bench.peer.fin);
    assert!(bench.is_clean(), "{:?}", bench.manager.audit());
    // the responder may send no FPDU: a reset only
    let mut bench = Bench::default();
    bench.device.refuse = Some(Refusal::Full);
    let (id, _) = bench.requested(&Frame::request().enhanced(words("AC")));
    assert!(bench.accept(id).is_empty());
    assert!(bench.peer.rst && bench.is_clean());
}

#[test]
fn a_plain_error_keeps_its_number_on_an_enhanced_connection() {
    let _proof = proves_model("MPA2-11-02");
    let mut bench = replied(offering("C"), &Frame { key: *b"MPA ID Rxp Frame", ..Frame::reply() });
    assert_eq!(bench.failure().number().map(|e| e.to_bits()), Some(0x2004));
    let numbers = [(Refusal::Full.into(), 0x2005), (ConnError::Lost, 0x2001)];
    for (error, number) in numbers {
        assert_eq!(error.number().map(|e| e.to_bits()), Some(number), "{error}");
    }
    let six = ConnError::Mismatch(Mismatch::InsufficientIrd { needed: 2, most: 1 });
    let seven = ConnError::Mismatch(Mismatch::Model { asked: true, answered: false });
    assert_eq!([six, seven].map(|e| e.number().map(|n| n.to_bits())), [Some(0x2006), Some(0x2007)]);
}

#[test]
fn startup_octets_and_fpdus_never_share_a_segment() {
    let _proof = proves_model_rows(&["MPA2-4.2-03", "MPA2-3-09"]);
    let mut bench = Bench::default();
    let id = bench.connect(Then::Stream);
    bench.peer.answers = false;
    bench.manager.initiate(id, offering("C")).expect("raw mode");
    bench.settle();
    // the Reply acknowledges nothing of the Request: hand-over waits
    bench.frame(&Frame::reply().enhanced(words("AC")));
    assert!(bench.device.table.is_empty(), "{:?}", bench.device.commands);
    bench.peer.answers = true;
    bench.run(500);
    assert_eq!(bench.peer.inbox.len(), 24 + empty_write().len());
    let requests = bench.peer.log.iter().filter(|s| s.data.starts_with(b"MPA"));
    assert!(
        requests.clone().count() >= 2 && requests.clone().all(|s| s.data.len() == 24),
        "sent again, alone"
    );
}
