//! Peers that do everything wrong: a typed error that says what, TCP closed or left open as the matrices demand, and nothing left
//! behind after 200 of them.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::mpa::frame::{FrameError, Kind};
use ferrowarp_firmware::mpa::negotiate::Mismatch;
use ferrowarp_firmware::port::{Command, QpId};
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::peer::Peer;

/// What the peer does where its startup frame is due.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Bad {
    Reset,
    Nothing,
    Garbage,
    Rejects,
    Key,
    Revision,
    TooLong,
    Markers,
    NeedsReads,
    NoRtr,
    Surplus,
    FirstFpdu,
    Closes,
    Stalls,
}

const ALL: [Bad; 14] = [
    Bad::Reset,
    Bad::Nothing,
    Bad::Garbage,
    Bad::Rejects,
    Bad::Key,
    Bad::Revision,
    Bad::TooLong,
    Bad::Markers,
    Bad::NeedsReads,
    Bad::NoRtr,
    Bad::Surplus,
    Bad::FirstFpdu,
    Bad::Closes,
    Bad::Stalls,
];

/// A startup frame with this fault, and what follows it.
fn octets(good: Frame, bad: Bad) -> Vec<u8> {
    let mut frame = good;
    match bad {
        Bad::Garbage => return (0..40_u8).map(|i| i.wrapping_mul(11)).collect(),
        Bad::Rejects => frame.flags |= 0x20,
        Bad::Key => frame.key[9] ^= 0x80,
        Bad::Revision => frame.revision = 77,
        Bad::TooLong => frame.length = Some(513),
        Bad::Markers => frame.flags |= 0x80,
        Bad::NeedsReads => frame.data[2..4].copy_from_slice(&[0x80, 0x11]),
        Bad::NoRtr => frame.data[..4].copy_from_slice(&[0xC0, 0x10, 0, 0x10]),
        Bad::Surplus => return [frame.octets(), empty_write()].concat(),
        Bad::Stalls => return frame.octets()[..19].to_vec(),
        _ => {}
    }
    frame.octets()
}

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
        _ => bench.say(&octets(Frame::reply().enhanced(0x8010_8010), bad)),
    }
    if bad == Bad::FirstFpdu {
        let mut bad = empty_write();
        bad[18] ^= 1;
        bench.say(&bad);
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
            assert!(expected(&failure, bad, Kind::Reply), "{bad:?}: {failure}");
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

fn expected(failure: &ConnError, bad: Bad, kind: Kind) -> bool {
    let frame = |pick: fn(&FrameError) -> bool| matches!(failure, ConnError::Frame(error) if pick(error));
    match bad {
        Bad::Reset => *failure == ConnError::Reset,
        Bad::Closes => *failure == ConnError::PeerClosed,
        Bad::Nothing | Bad::Stalls => {
            let stage = if kind == Kind::Request { Stage::Request } else { Stage::Reply };
            *failure == ConnError::TimedOut(stage)
        }
        Bad::Garbage | Bad::Key => frame(|e| matches!(e, FrameError::Key { .. })),
        Bad::Revision => frame(|e| *e == FrameError::Revision { found: 77, highest: 2 }),
        Bad::TooLong => frame(|e| *e == FrameError::PrivateDataLength { found: 513 }),
        Bad::Surplus => frame(|e| matches!(e, FrameError::Surplus { octets: 20, .. })),
        Bad::NeedsReads => {
            *failure == ConnError::Mismatch(Mismatch::InsufficientIrd { needed: 17, most: 16 })
        }
        Bad::NoRtr => matches!(failure, ConnError::Mismatch(Mismatch::NoCommonRtr { .. })),
        Bad::FirstFpdu => matches!(failure, ConnError::FirstFpdu(_) | ConnError::Fault(_)),
        Bad::Rejects | Bad::Markers => false,
    }
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
        _ => bench.say(&octets(Frame::request().enhanced(0x8010_8010), bad)),
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
        assert!(expected(&failure, bad, Kind::Request), "{bad:?}: {failure}");
        assert!(bench.peer.inbox.is_empty(), "{bad:?}: no Reply");
        return;
    };
    // a Request in order: R is not looked at, M makes us insert markers, depths are cut, kinds are answered with ours
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
    let mut fpdu = empty_write();
    fpdu[18] ^= u8::from(bad == Bad::FirstFpdu);
    bench.say(&fpdu);
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
        let bad = ALL[usize::from(n / 2) % ALL.len()];
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
        let third = Connect { remote: bench.peer.ours, local_port: None, then: Then::Stream };
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
