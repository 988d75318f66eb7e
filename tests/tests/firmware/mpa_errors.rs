// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 sections 7.1.5 and 8: error numbers, octets where none may be, loss around the
//! hand-over.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::mpa::frame::{FrameError, Kind};
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

fn plain() -> Initiate {
    Initiate { enhanced: false, ..Initiate::new(QpId(1)) }
}

/// Time passes until nothing can be left.
fn is_clean_later(bench: &mut Bench) -> bool {
    bench.run(3_000);
    bench.is_clean()
}

#[test]
fn loss_of_tcp_is_error_1_and_is_not_told_to_the_peer() {
    let _proof = proves_model_rows(&["MPA-8-20", "DDP-6.2.2-01"]);
    let established = || {
        let mut bench = replied(plain(), &Frame::reply());
        bench.terms();
        bench
    };
    let mut bench = established();
    let reset = bench.peer.reset();
    bench.send(&reset);
    bench.run(5);
    let why = bench.failure();
    assert_eq!((why.number().map(|e| e.to_bits()), why), (Some(0x2001), ConnError::Reset));
    assert!(bench.peer.inbox.is_empty() && bench.is_clean(), "no Terminate on a dead connection");
    let mut bench = established();
    bench.device.raise(ferrowarp_firmware::port::DeviceEvent::Lost(QpId(1)));
    bench.run(5);
    assert_eq!(bench.failure().number().map(|e| e.to_bits()), Some(0x2001));
    assert!(bench.is_clean());
    let mut bench = Bench::default();
    bench.initiate(plain());
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.failure().number().map(|e| e.to_bits()), Some(0x2001));
    let mut bench = replied(plain(), &Frame { revision: 9, ..Frame::reply() });
    assert_eq!(bench.failure().number().map(|e| e.to_bits()), Some(0x2004));
    assert!(bench.peer.inbox.is_empty(), "nor is error 4");
}

#[test]
fn every_error_of_section_8_has_its_number() {
    let _proof = proves_model_rows(&["MPA-8-01", "MPA-8-02", "DDP-7-01"]);
    let number = |error: &ConnError| error.number().map(|e| e.to_bits());
    let mut bench = asked_octets(b"nonsense");
    assert_eq!(number(&bench.failure()), Some(0x2004));
    for captured in [0x2002, 0x2003] {
        let mut bench = replied(plain(), &Frame::reply());
        bench.terms();
        let captured = ferrowarp_firmware::port::Captured { error: captured, segment: None };
        bench.device.raise(ferrowarp_firmware::port::DeviceEvent::Fault(QpId(1), captured.clone()));
        bench.run(5);
        assert!(matches!(bench.event(), Event::Faulted { error, .. } if error.to_bits() == captured.error));
        let fin = bench.peer.finish();
        bench.send(&fin);
        bench.run(5);
        assert_eq!(number(&bench.failure()), Some(captured.error));
    }
    let mut bench = replied(plain(), &Frame::reply());
    let reset = bench.peer.reset();
    bench.send(&reset);
    bench.run(5);
    assert_eq!(number(&bench.failure()), Some(0x2001));
}

#[test]
fn octets_behind_a_frame_are_a_fault() {
    let _proof = proves_model("MPA2-4.2-04");
    // bytes after the Request, also if they come before the application spoke
    let mut bench = Bench::default();
    bench.requested(&Frame::request());
    bench.say(&empty_write());
    let expected = FrameError::Surplus { after: Kind::Request, octets: 20 };
    assert_eq!(bench.failure(), ConnError::Frame(expected));
    assert!(bench.peer.rst && is_clean_later(&mut bench));
    // in one segment with it
    let octets = [Frame::request().octets(), empty_write()].concat();
    let mut bench = asked_octets(&octets);
    assert!(matches!(bench.failure(), ConnError::Frame(FrameError::Surplus { octets: 20, .. })));
    assert!(bench.peer.rst && is_clean_later(&mut bench));
    // and after the Reply, where only the initiator may send
    let octets = [Frame::reply().octets(), vec![0; 4]].concat();
    let mut bench = replied_octets(config(), plain(), &octets);
    let expected = FrameError::Surplus { after: Kind::Reply, octets: 4 };
    assert_eq!(bench.failure(), ConnError::Frame(expected));
}

#[test]
fn loss_around_the_hand_over_is_repaired() {
    let _proof = proves_model_rows(&["MPA-7.1.5-07", "MPA-7.1.5-02"]);
    // the Reply is lost: the hardware sends the same octets again; the Request is repeated
    // meanwhile
    let asked = Frame::request().with(b"abc");
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&asked);
    bench.peer.answers = false;
    bench.peer.log.clear();
    bench.manager.accept(id, Accept::new(QpId(1))).expect("a Request");
    bench.settle();
    let seq = bench.peer.snd_nxt.wrapping_sub(23);
    let again = Seg { seq, data: asked.octets(), ..bench.peer.seg() };
    bench.send(&again);
    bench.peer.answers = true;
    bench.run(450);
    let replies: Vec<_> =
        bench.peer.log.iter().filter(|s| !s.data.is_empty()).map(|s| (s.seq, &s.data)).collect();
    assert!(replies.len() >= 2 && replies.iter().all(|r| *r == replies[0]), "{replies:?}");
    assert_eq!(bench.peer.inbox.len(), 20);
    bench.say(&empty_write());
    bench.terms();
}

#[test]
fn the_reply_is_a_segment_of_its_own() {
    let _proof = proves_model("MPA-7.1.5-01");
    let (mut bench, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    let (id, fin) = (ConnId(2), bench.peer.fin);
    bench.say(&empty_write());
    bench.terms();
    bench.manager.close(id).expect("established");
    bench.run(5);
    // sequence numbers go on without a gap from firmware to hardware: SYN, Reply, FIN
    let ours: Vec<_> = bench.peer.log.iter().filter(|s| !s.is_empty()).map(|s| (s.seq, s.len())).collect();
    assert_eq!(ours.len(), 3, "{ours:?}");
    assert!(ours.windows(2).all(|w| w[0].0.wrapping_add(w[0].1) == w[1].0), "{ours:?}");
    assert!(!fin && bench.peer.fin && reply.len() == 20);
}
