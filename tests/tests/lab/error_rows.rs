// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream in error, through driver, firmware and Verilog: what a half-served Read leaves, and
//! what still passes.
use ferrowarp::{Access, Error, Remote, Status};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, CapturedError};
use ferrowarp_abi::consts::{admin_opcode, admin_row};
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::error::ConnError;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::segments::{read_request, tagged, untagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves, proves_rows};
use std::time::Duration;

/// An STag that nobody has.
const NOBODYS: u32 = 0x00C0_FF33;
/// A buffer of the peer.
const SINK: (u32, u64) = (0x0BAD_CAFE, 0x7_FFFF_FF00);
/// How long a device is watched that must not say anything.
const SILENT: Duration = Duration::from_millis(200);

fn talk(lab: &mut Lab, port: u16) -> Talk {
    Talk::initiate(lab, port, options(), &Frame::reply().enhanced(CLIENT)).0
}

/// The region goes while its octets are being read, since the peer's window is full.
#[test]
fn a_read_that_was_answered_in_part_is_quoted_as_what_is_left_of_it() {
    let _proof = proves("RDMAP-4.8-53");
    let mut lab = Lab::new("half-read");
    for (n, window) in [(0, 1_500), (1, 3_100)] {
        let ours = talk(&mut lab, 22_000 + n);
        lab.closes = true;
        let region = lab.pd.allocate(8_192, Access::ALL).expect("a region");
        let source = (region.stag().0, region.to_base().0);
        // one that is answered before: the other one is the second of its queue
        lab.ulpdu(&read_request(1, SINK, 0, (0, 0)));
        lab.until("an answer", |lab| !lab.peer.inbox.is_empty());
        lab.room(Some(window));
        lab.ulpdu(&read_request(2, SINK, 8_192, source));
        lab.pause(SILENT);
        drop(region);
        lab.room(None);
        lab.until("a FIN", |lab| lab.peer.fin);
        let mut ulpdus = lab.ulpdus(true);
        let told = ulpdus.pop().expect("a Terminate")[18..].to_vec();
        let sent: usize = ulpdus[1..].iter().map(|ulpdu| ulpdu.len() - 14).sum();
        assert!((1_000..8_192).contains(&sent), "{sent} octets of the response");
        let rest = sent as u64;
        let left = read_request(2, (SINK.0, SINK.1 + rest), 8_192 - sent as u32, (source.0, source.1 + rest));
        assert_eq!(told, [&hex("0100e000 002e")[..], &left].concat(), "{sent} octets were sent");
        drop(ours);
    }
}

/// The peer cannot go on with the answer to our Read, and says so in the middle of it.
#[test]
fn a_terminate_may_follow_an_answer_that_has_no_end() {
    let _proof = proves("RDMAP-4.8-65");
    let mut lab = Lab::new("half-answer");
    let ours = talk(&mut lab, 22_000);
    lab.closes = true;
    let sink = ours.region.segment(0, 300).expect("a segment");
    let from = Remote { stag: STag(0x77), to: TaggedOffset(0x1000) };
    ours.qp().read(9, sink, from).post().expect("a connection");
    lab.until("a Read Request", |lab| !lab.peer.inbox.is_empty());
    let asked = lab.ulpdus(true).pop().expect("it came");
    let stag = u32::from_be_bytes(asked[18..22].try_into().expect("four octets"));
    let to = u64::from_be_bytes(asked[22..30].try_into().expect("eight octets"));
    lab.ulpdu(&tagged(TAGGED & !0x40, 0x42, stag, to, &[1; 100]));
    lab.ulpdu(&tagged(TAGGED & !0x40, 0x42, stag, to + 100, &[2; 100]));
    let rest = read_request(1, (stag, to + 200), 100, (0x77, 0x1000 + 200));
    lab.ulpdu(&untagged(0x47, 0, 2, 1, &[&hex("0101e000 002e")[..], &rest].concat()));
    lab.until("a FIN", |lab| lab.peer.fin);
    let told = ours.connection.terminated().expect("the Terminate is told");
    assert_eq!(told.error, Some(TermError::RdmapBaseBounds));
    let read = told.refused().and_then(|refused| refused.read_request).expect("what was left of the Read");
    assert_eq!((read.size.0, read.sink_offset.0), (100, to + 200));
    let failed = ours.next(&mut lab);
    assert!(failed.wr_id == 9 && failed.status != Status::Success, "{failed:?}");
    assert_eq!(lab.ulpdus(true).len(), 1, "no error of DDP is told");
    let ended = lab.app(move |_| ours.connection.disconnect(PATIENCE));
    let ended = lab.finish("the end", ended);
    assert!(matches!(ended, Err(Error::Connection(ConnError::Terminated(_)))), "{ended:?}");
}

/// Until the peer's FIN it may say what it likes.
#[test]
fn nothing_passes_on_a_stream_in_error() {
    let _proof = proves_rows(&["RDMAP-7-04", "DDP-3-12"]);
    let mut lab = Lab::new("in-error");
    let ours = talk(&mut lab, 22_000);
    for n in [1, 2] {
        ours.qp().post_recv(n, &[ours.region.segment(0, 32).expect("a segment")]).expect("room");
    }
    let (stag, to) = (ours.region.stag().0, ours.region.to_base().0);
    lab.ulpdu(&tagged(TAGGED, 0x40, NOBODYS, to, &[0xEE; 8]));
    lab.until("a Terminate and a FIN", |lab| lab.peer.fin);
    let said = lab.peer.inbox.len();
    // all of it is good
    lab.ulpdu(&tagged(TAGGED, 0x40, stag, to, &[0xEE; 64]));
    lab.ulpdu(&untagged(0x43, 0, 0, 1, &[0xEE; 16]));
    lab.ulpdu(&read_request(1, SINK, 16, (stag, to)));
    let part = ours.region.segment(0, 8).expect("a segment");
    for n in 3..6 {
        ours.qp().send(n, &[part]).post().expect("room");
    }
    let end = lab.peer.snd_nxt;
    lab.until("an ACK of it", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
    lab.pause(SILENT);
    assert_eq!(lab.peer.inbox.len(), said, "nothing more leaves");
    let later = lab.peer.log.iter().filter(|seg| !seg.data.is_empty()).count();
    assert_eq!(later, 2, "the Request of MPA and the Terminate: {:?}", lab.peer.log);
    assert_eq!(ours.region.memory().copy(0, 64).expect("octets"), [0; 64], "nothing is placed");
    let mut done: Vec<_> = (0..5).map(|_| ours.next(&mut lab)).map(|wc| (wc.wr_id, wc.status)).collect();
    done.sort_by_key(|wc| wc.0);
    assert_eq!(done, [1, 2, 3, 4, 5].map(|wr_id| (wr_id, Status::Flushed)));
    assert!(!lab.peer.rst);
}

#[test]
fn an_error_is_the_end_of_the_connection() {
    let _proof = proves_rows(&["RDMAP-7-05", "DDP-3-15"]);
    let mut lab = Lab::new("error-ends");
    for (port, says) in
        [(22_000, tagged(TAGGED, 0x40, NOBODYS, 5, &[1])), (22_001, untagged(0x43, 0, 0, 9, &[]))]
    {
        let ours = talk(&mut lab, port);
        lab.ulpdu(&says);
        lab.until("a FIN", |lab| lab.peer.fin);
        let fin = lab.peer.finish();
        lab.send(&fin);
        lab.until("the end", |_| ours.connection.ended().is_some());
        let end = lab.peer.snd_nxt;
        lab.until("an ACK of both FINs", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
        assert!(!lab.peer.rst);
        let number = ours.qp().number();
        drop(ours);
        let row = lab.row(number);
        assert_eq!((row.rcv_nxt.0, row.snd_una.0, row.snd_nxt.0, row.snd_wnd.0), (0, 0, 0, 0), "its row");
        let audit = lab.device.audit().expect("a device");
        assert_eq!((audit.queue_pairs, audit.connections, audit.firmware.rows), (0, 0, 0), "{audit:?}");
    }
}

/// Whether the hardware keeps an error of a queue pair.
fn is_marked(lab: &Lab, index: u16) -> bool {
    let head = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::CAPTURED, index };
    let answer =
        lab.backend.ask(head.octets().expect("a command").to_vec()).wait(PATIENCE).expect("an answer");
    CapturedError::parse(&answer[AdminAnswer::LEN..]).expect("a row").is_captured
}

/// Two connections; nobody hears of the error of the first.
#[test]
fn a_stream_in_error_is_marked_and_the_others_go_on() {
    let _proof = proves_rows(&["RDMAP-7-03", "DDP-3-11"]);
    let mut lab = Lab::new("marked");
    let first = talk(&mut lab, 22_000);
    let bad = lab.peer.clone();
    let second = talk(&mut lab, 22_001);
    let good = std::mem::replace(&mut lab.peer, bad);
    let marks = |lab: &Lab| [&first, &second].map(|talk| is_marked(lab, talk.qp().number()));
    assert_eq!(marks(&lab), [false, false]);
    // firmware's thread sleeps: no Terminate, no FIN
    lab.backend.freeze(true);
    lab.ulpdu(&tagged(TAGGED, 0x40, NOBODYS, 5, &[1]));
    lab.until("the mark", |lab| marks(lab)[0]);
    lab.pause(SILENT);
    assert!(!lab.peer.fin && !lab.peer.rst && lab.peer.inbox.is_empty());
    assert_eq!(marks(&lab), [true, false]);
    let bad = std::mem::replace(&mut lab.peer, good);
    second.works(&mut lab);
    let good = std::mem::replace(&mut lab.peer, bad);
    lab.closes = true;
    lab.backend.freeze(false);
    lab.until("a FIN", |lab| lab.peer.fin);
    lab.until("the end", |_| first.connection.ended().is_some());
    lab.peer = good;
    second.works(&mut lab);
    assert_eq!(second.connection.ended().map(|_| ()), None);
}
