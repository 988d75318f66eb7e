// SPDX-License-Identifier: MIT OR Apache-2.0
//! Peers that do everything wrong: a typed error that says what, TCP closed or left open as the
//! matrices demand, and nothing left behind after 200 of them.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::mpa::frame::Kind;
use ferrowarp_firmware::port::{Command, QpId};
use ferrowarp_tests::fw::bad::Bad;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::Peer;

/// The device initiates, the peer is bad.
fn initiator(bench: &mut Bench, bad: Bad) {
    let qp = QpId(1);
    let id = bench.initiate(Initiate { peer_to_peer: true, ..Initiate::new(qp) });
    bench.peer.inbox.clear();
    match bad {
        Bad::Reset => {
            let seg = bench.peer.reset();
            bench.send(&seg);
        }
        Bad::Closes => {
            let seg = bench.peer.finish();
            bench.send(&seg);
        }
        Bad::Nothing => {}
        _ => bench.say(&bad.octets(Frame::reply().enhanced(0x8010_8010))),
    }
    if bad == Bad::FirstFpdu {
        bench.say(&bad.fpdu());
    }
    bench.run(2);
    let established = bench.events.iter().any(|e| matches!(e, Event::Established { .. }));
    assert_eq!(established, matches!(bad, Bad::Markers | Bad::FirstFpdu), "{bad:?}: {:?}", bench.events);
    if matches!(bad, Bad::Nothing | Bad::Stalls) {
        bench.run(config().timing.startup);
    }
    match bad {
        Bad::Rejects => {
            assert!(matches!(bench.event(), Event::Rejected { .. }));
            assert!(!bench.is_closed(), "TCP is the application's");
            bench.manager.close(id).expect("open");
            bench.settle();
            let fin = bench.peer.finish();
            bench.send(&fin);
            bench.settle();
            assert_eq!(bench.outcome(), Some(Ok(())));
        }
        Bad::Markers => {
            assert!(bench.device.connection(1).expect("a row").row.tx_markers, "no error: we insert them");
            bench.manager.abort(id).expect("open");
        }
        _ => {
            let failure = outcome_by_fin(bench);
            assert!(bad.is_told_by(&failure, Kind::Reply, 16), "{bad:?}: {failure}");
        }
    }
    let told: Vec<_> =
        bench.peer.inbox.chunks(28).filter(|f| f.len() == 28).map(|f| (f[20], f[21])).collect();
    match bad {
        Bad::NeedsReads => assert_eq!(told, [(0x20, 6)]),
        Bad::NoRtr => assert_eq!(told, [(0x20, 7)]),
        Bad::FirstFpdu | Bad::Markers => {}
        _ => assert!(bench.peer.inbox.is_empty(), "{bad:?}: {:02x?}", bench.peer.inbox),
    }
}

/// The error; a peer that is still there answers our FIN.
fn outcome_by_fin(bench: &mut Bench) -> ConnError {
    if bench.peer.fin && !bench.peer.rst {
        let fin = bench.peer.finish();
        bench.send(&fin);
    }
    bench.run(5);
    bench.failure()
}

/// The peer initiates, badly.
fn responder(bench: &mut Bench, bad: Bad) {
    bench.peer_connects();
    match bad {
        Bad::Reset => {
            let seg = bench.peer.reset();
            bench.send(&seg);
        }
        Bad::Closes => {
            let seg = bench.peer.finish();
            bench.send(&seg);
        }
        Bad::Nothing => {}
        _ => bench.say(&bad.octets(Frame::request().enhanced(0x8010_8010))),
    }
    bench.run(2);
    if matches!(bad, Bad::Nothing | Bad::Stalls) {
        bench.run(config().timing.startup);
    }
    let wanted = bench.events.iter().find_map(|e| match e {
        Event::Request { id, .. } => Some(*id),
        _ => None,
    });
    let Some(id) = wanted.filter(|_| bad != Bad::Surplus) else {
        let failure = outcome_by_fin(bench);
        assert!(bad.is_told_by(&failure, Kind::Request, 16), "{bad:?}: {failure}");
        assert!(bench.peer.inbox.is_empty(), "{bad:?}: no Reply");
        return;
    };
    // a Request in order: R is not looked at, M makes us insert markers, depths are cut, kinds are
    // answered with ours
    bench.manager.accept(id, Accept::new(QpId(2))).expect("a Request");
    bench.run(2);
    let reply = std::mem::take(&mut bench.peer.inbox);
    assert_eq!(reply.len(), 24, "{bad:?}");
    match bad {
        Bad::Markers => assert!(bench.device.connection(2).expect("a row").row.tx_markers),
        Bad::NoRtr => assert_ne!(reply[22] & 0xC0, 0, "kinds that we can"),
        Bad::NeedsReads => assert_eq!(reply[20..22], [0x80, 16], "what we can hold"),
        _ => {}
    }
    bench.say(&bad.fpdu());
    bench.run(2);
    match bad {
        Bad::FirstFpdu => {
            let failure = bench.failure();
            assert!(matches!(failure, ConnError::FirstFpdu(_)), "{failure}");
            assert!(bench.peer.rst && bench.peer.inbox.is_empty(), "no Terminate may be sent");
        }
        _ => {
            bench.terms();
            bench.manager.abort(id).expect("established");
        }
    }
}

#[test]
fn two_hundred_bad_connections_leave_nothing_behind() {
    let mut bench = Bench::default();
    bench.listen();
    let mut ports = std::collections::BTreeSet::new();
    for n in 0..210_u16 {
        let bad = Bad::ALL[usize::from(n / 2) % Bad::ALL.len()];
        bench.peer = Peer::new(([10, 9, 0, 2], 22_000 + n).into(), 0x1234_5678_u32.wrapping_mul(n.into()));
        bench.events.clear();
        match n % 2 {
            0 => initiator(&mut bench, bad),
            _ => responder(&mut bench, bad),
        }
        ports.extend(bench.peer.theirs.map(|end| end.port()));
        bench.run(5);
    }
    bench.run(10_000);
    assert!(bench.is_clean(), "{:?}", bench.manager.audit());
    let audit = bench.manager.audit();
    assert_eq!((audit.time_waits, audit.resolving, audit.listeners), (0, 0, 1));
    let removed = bench.device.ordered(|c| matches!(c, Command::ConnRemove { .. }).then_some(()));
    let inserted = bench.device.ordered(|c| matches!(c, Command::ConnInsert { .. }).then_some(()));
    assert_eq!(removed.len(), inserted.len(), "every row that went in came out");
    assert!(ports.len() > 100, "ports of active opens: {}", ports.len());
}

#[test]
fn ports_come_back() {
    let mut config = config();
    config.ports = (50_000, 50_001);
    let mut bench = Bench::new(config);
    for _ in 0..20 {
        let first = bench.connect(Then::Stream);
        let second = bench.connect(Then::Stream);
        let third = Connect { remote: bench.peer.ours, address: None, local_port: None, then: Then::Stream };
        let refused = bench.manager.connect(third).expect_err("both ports are in use");
        assert!(refused.to_string().contains("no local port"), "{refused}");
        bench.manager.abort(first).expect("open");
        bench.manager.abort(second).expect("open");
        bench.run(2);
        assert!(bench.is_clean());
    }
}

#[test]
fn errors_say_what_was_wrong_with_the_value() {
    let mut long = Frame::request();
    long.length = Some(700);
    let text = |octets: &[u8]| asked_octets(octets).failure().to_string();
    assert!(text(&long.octets()).contains("700"));
    assert!(text(&Frame { revision: 9, ..Frame::request() }.octets()).contains("revision is 9"));
    assert!(text(b"GET / HTTP/1.0\r\n").contains("47, 45, 54"), "the octets that came");
    let short = Frame { flags: 0x50, revision: 2, ..Frame::request().with(&[1, 2]) };
    assert!(text(&short.octets()).contains("PD_Length 2"));
}
