// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-over of a connection to the hardware, whatever the peer does while the hardware takes its
//! time.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::port::{Command, QpId, Rtr};
use ferrowarp_tests::fw::bench::{Bench, PORT};
use ferrowarp_tests::fw::device::Delays;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::wire::Seg;

/// Names of the commands in their order.
fn names(bench: &Bench) -> Vec<String> {
    let name = |c: &Command| format!("{c:?}").split([' ', '{']).next().unwrap_or_default().to_string();
    bench.device.commands.iter().map(name).collect()
}

#[test]
fn the_responder_inserts_before_its_reply_and_waits_for_an_fpdu() {
    let mut bench = Bench::default();
    let (id, offer) = bench.requested(&Frame::request().enhanced(0x8010_C010).with(b"hello"));
    assert_eq!(offer.private_data, b"hello");
    let reply = bench.accept(id);
    assert_eq!(names(&bench), ["Depths", "ConnInsert", "RawMessage"]);
    assert_eq!(&reply[..16], b"MPA ID Rep Frame");
    let row = bench.device.connection(1).expect("a row").row;
    assert!(!row.gate_open && row.rx_crc && row.tx_crc && !row.tx_markers);
    assert_eq!(row.tx_seq_start.since(row.snd_nxt), reply.len() as u32, "after the Reply");
    assert_eq!(row.rx_seq_start.0, bench.peer.snd_nxt);
    assert!(bench.events.is_empty(), "{:?}", bench.events);
    bench.say(&empty_write());
    assert!(matches!(bench.event(), Event::Established { qp: QpId(1), .. }));
    assert_eq!(bench.manager.audit().rows, 1);
}

#[test]
fn the_initiator_inserts_after_the_reply_and_sends_its_rtr_first() {
    let mut bench = Bench::default();
    let how = Initiate { peer_to_peer: true, ..Initiate::new(QpId(1)) };
    bench.initiate(how);
    let request = std::mem::take(&mut bench.peer.inbox);
    assert_eq!(request[16..], [0x50, 2, 0, 4, 0x80, 0x10, 0xC0, 0x10]);
    assert_eq!(names(&bench), ["Depths"], "the initial depths, before the Request");
    bench.frame(&Frame::reply().enhanced(0x8010_8008));
    assert_eq!(names(&bench), ["Depths", "Depths", "ConnInsert", "Rtr", "OpenGate"]);
    let Event::Established { terms, .. } = bench.event() else { panic!("not established") };
    assert_eq!((terms.agreed.ird, terms.agreed.ord, terms.agreed.rtr), (16, 16, Some(Rtr::Write)));
    assert_eq!(bench.peer.inbox, empty_write());
    assert!(!bench.device.connection(1).expect("a row").row.gate_open);
}

/// What the peer does during the hand-over.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Act {
    Repeat,
    Reset,
    Fin,
    Window,
    Nothing,
}

const ACTS: [Act; 5] = [Act::Repeat, Act::Reset, Act::Fin, Act::Window, Act::Nothing];

/// Does it at the frame `at` of 51, with frames of others between; then lets time pass.
fn disturb(bench: &mut Bench, act: Act, at: u32, last: &[u8]) {
    let elsewhere = Seg::new(bench.peer.ours, ([10, 9, 0, 77], PORT).into(), 1, 1);
    for n in 0..=50 {
        if n == at {
            let seg = match act {
                Act::Repeat => {
                    let seq = bench.peer.snd_nxt.wrapping_sub(last.len() as u32);
                    Seg { data: last.to_vec(), seq, ..bench.peer.seg() }
                }
                Act::Reset => bench.peer.reset(),
                Act::Fin => bench.peer.finish(),
                Act::Window => Seg { window: 777, ..bench.peer.seg() },
                Act::Nothing => elsewhere.clone(),
            };
            bench.send(&seg);
        } else {
            bench.send(&elsewhere);
        }
        bench.settle();
    }
    bench.run(20);
}

fn is_established(bench: &Bench) -> bool {
    bench.events.iter().any(|e| matches!(e, Event::Established { .. }))
}

/// The window that the hardware ended with.
fn window(bench: &Bench) -> Option<u32> {
    bench.device.ordered(|c| if let Command::ConnAck { window, .. } = c { Some(*window) } else { None }).pop()
}

#[test]
fn every_point_of_the_initiators_hand_over_has_a_defined_outcome() {
    for (act, delay) in ACTS.into_iter().flat_map(|act| (0..=50).step_by(5).map(move |d| (act, d))) {
        for visible in [0, delay / 2, delay] {
            for at in [0, delay / 2, delay, 50] {
                let mut bench = Bench::default();
                bench.device.delays = Delays { visible, answer: delay - visible };
                bench.initiate(Initiate::new(QpId(1)));
                let reply = Frame::reply().enhanced(0x0010_0010).octets();
                bench.say(&reply);
                let case = format!("{act:?} at {at}, visible after {visible}, answered after {delay}");
                disturb(&mut bench, act, at, &reply);
                match act {
                    Act::Reset => {
                        assert_eq!(bench.outcome(), Some(Err(ConnError::Reset)), "{case}");
                        assert!(bench.is_clean(), "{case}: {:?}", bench.manager.audit());
                    }
                    Act::Fin => {
                        let told = |e: &Event| matches!(e, Event::PeerClosed { .. });
                        let failed =
                            |e: &Event| matches!(e, Event::Ended { outcome: Err(ConnError::PeerClosed), .. });
                        assert!(
                            bench.events.iter().any(|e| told(e) || failed(e)),
                            "{case}: {:?}",
                            bench.events
                        );
                        let fin_acked = bench.peer.log.iter().any(|s| s.ack == Some(bench.peer.snd_nxt));
                        assert!(fin_acked, "{case}: the FIN is acknowledged");
                    }
                    Act::Window => {
                        assert!(is_established(&bench), "{case}: {:?}", bench.events);
                        // before the row is visible firmware passes it on, afterwards hardware sees
                        // it itself
                        assert!(
                            at + 1 >= visible || window(&bench) == Some(777),
                            "{case}: {:?}",
                            window(&bench)
                        );
                    }
                    Act::Repeat | Act::Nothing => {
                        assert!(is_established(&bench), "{case}: {:?}", bench.events);
                        let acked = bench.peer.log.iter().any(|s| s.ack == Some(bench.peer.snd_nxt));
                        assert!(acked, "{case}: the Reply is acknowledged");
                        assert!(!bench.peer.rst && !bench.peer.fin, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_point_of_the_responders_hand_over_has_a_defined_outcome() {
    for (act, delay) in ACTS.into_iter().flat_map(|act| (0..=50).step_by(5).map(move |d| (act, d))) {
        for (visible, at) in [(0, 0), (0, delay), (delay / 2, delay / 2), (delay, delay / 3), (delay, 50)] {
            let mut bench = Bench::default();
            bench.device.delays = Delays { visible, answer: delay - visible };
            let request = Frame::request().enhanced(0x0010_0010);
            let (id, _) = bench.requested(&request);
            bench.manager.accept(id, Accept::new(QpId(1))).expect("an acceptable Request");
            bench.settle();
            let case = format!("{act:?} at {at}, visible after {visible}, answered after {delay}");
            disturb(&mut bench, act, at, &request.octets());
            match act {
                Act::Reset => {
                    assert_eq!(bench.outcome(), Some(Err(ConnError::Reset)), "{case}");
                    assert!(bench.is_clean(), "{case}: {:?}", bench.manager.audit());
                }
                Act::Fin => {
                    // the peer gave up before full operation: the stream ends, in order
                    bench.run(20);
                    assert_eq!(bench.outcome(), Some(Err(ConnError::PeerClosed)), "{case}");
                    assert!(bench.is_clean(), "{case}: {:?}", bench.manager.audit());
                    assert!(bench.peer.fin, "{case}: our FIN");
                }
                Act::Window | Act::Repeat | Act::Nothing => {
                    assert_eq!(bench.peer.inbox.len(), 24, "{case}: the Reply, once");
                    bench.say(&empty_write());
                    assert!(is_established(&bench), "{case}: {:?}", bench.events);
                    assert!(!bench.peer.rst && !bench.peer.fin, "{case}");
                }
            }
        }
    }
}

#[test]
fn an_answer_that_never_comes_leaves_a_defined_state() {
    let mut bench = Bench::default();
    bench.device.delays = Delays { visible: 1_000, answer: 0 };
    bench.initiate(Initiate::new(QpId(1)));
    bench.frame(&Frame::reply().enhanced(0x0010_0010));
    bench.run(2_000);
    assert_eq!(bench.outcome(), None, "the queue pair is not free before the hardware says so");
    let other = Seg::new(bench.peer.ours, ([10, 9, 0, 77], PORT).into(), 1, 1);
    for _ in 0..1_001 {
        bench.send(&other);
    }
    bench.run(10);
    let expected = ConnError::TimedOut(ferrowarp_firmware::error::Stage::Hardware);
    assert_eq!(bench.outcome(), Some(Err(expected)));
    assert!(bench.is_clean(), "{:?}", bench.manager.audit());
}

#[test]
fn the_reply_waits_for_the_ring_up_to_the_index() {
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&Frame::request());
    bench.device.delays = Delays { visible: 2, answer: 1 };
    bench.manager.accept(id, Accept::new(QpId(1))).expect("an acceptable Request");
    while bench.manager.poll(&mut bench.device) {}
    // the reset comes before the row is visible; answer and frames are there together when firmware
    // looks again
    let reset = bench.peer.reset();
    let other = Seg::new(bench.peer.ours, ([10, 9, 0, 77], PORT).into(), 1, 1);
    for seg in [&reset, &other, &other] {
        bench.send(seg);
    }
    assert!(bench.device.is_busy(), "the answer is there, not taken");
    bench.settle();
    assert_eq!(names(&bench), ["Depths", "ConnInsert", "ConnRemove"], "no Reply to who is gone");
    assert_eq!(bench.outcome(), Some(Err(ConnError::Reset)));
    assert!(bench.is_clean());
}
