// SPDX-License-Identifier: MIT OR Apache-2.0
//! Peers that do everything wrong, through driver, firmware and Verilog: a typed error that says
//! what, TCP closed or left open as the matrices demand, and nothing left behind after 200 of them.
//!
//! A process of its own: the test counts the threads of its process.
use ferrowarp::{Access, ConnectOptions, Connected, Connection, Error, Listener, QueuePair};
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::mpa::frame::Kind;
use ferrowarp_sim::seeds;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::fw::bad::Bad;
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::mpa_model::fpdu;

/// Reads of a peer that the simulated device holds.
const READS: u16 = 8;
/// Flag A, every kind of ready-to-receive message, depths of 4.
const WORDS: u32 = 0xC004_C004;
/// Firmware's time for a startup frame in milliseconds.
const STARTUP: u64 = 10_000;
/// Octets of a Terminate without headers, and of the zero-length Write, as FPDUs.
const TERMINATE: usize = 28;
const WRITE: usize = 20;

fn options() -> ConnectOptions {
    ConnectOptions::default().peer_to_peer(true).ird(4).ord(4).patience(PATIENCE)
}

/// The peer does it where its frame is due.
fn misbehave(lab: &mut Lab, bad: Bad, good: Frame) {
    match bad {
        Bad::Reset => {
            let seg = lab.peer.reset();
            lab.send(&seg);
        }
        Bad::Closes => {
            let seg = lab.peer.finish();
            lab.send(&seg);
        }
        Bad::Nothing => {}
        _ => lab.say(&bad.octets(good.enhanced(WORDS))),
    }
    if matches!(bad, Bad::Nothing | Bad::Stalls) {
        lab.sync();
        lab.backend.skip(STARTUP);
    }
}

/// TCP ended as it had to: by a reset, or in order.
fn ended(lab: &mut Lab, bad: Bad, by_reset: bool) {
    match by_reset {
        true => lab.until("a reset", |lab| lab.peer.rst),
        false => lab.until("a FIN", |lab| lab.peer.fin),
    }
    assert!(by_reset || !lab.peer.rst, "{bad:?}: a reset after the FIN: {:?}", lab.peer.log);
}

/// Layer, type and code of the Terminate at `at` of what the peer got.
fn terminate(lab: &Lab, at: usize) -> [u8; 2] {
    let octets = &lab.peer.inbox[at..];
    assert_eq!(octets.len(), TERMINATE, "{octets:02x?}");
    assert_eq!(octets[2..4], [0x41, 0x47], "a Terminate is the last untagged message");
    [octets[20], octets[21]]
}

/// Markers are in what we send: a message of the application shows it.
fn inserts_markers(lab: &mut Lab, qp: &QueuePair<Connected>, before: usize) {
    let row = lab.row(qp.number());
    assert!(row.tx_markers, "no error: we insert them");
    // what lives shows in a row: `settles` would see one that stayed
    assert!(row.rcv_nxt.0 == lab.peer.snd_nxt && row.snd_nxt.0 != 0, "{row:?}");
    let region = lab.pd.allocate(64, Access::LOCAL).expect("a region");
    let segment = region.segment(0, 5).expect("a segment");
    qp.send(1, &[segment]).post().expect("a connection");
    // length, untagged header, five octets, pad, CRC, and the marker if it is the first FPDU
    let octets = if before == 0 { 36 } else { 32 };
    lab.until("a Send", |lab| lab.peer.inbox.len() >= before + octets);
    let send = &lab.peer.inbox[before..];
    let ulpdu = if before == 0 { &send[6..29] } else { &send[2..25] };
    assert_eq!(send, fpdu(ulpdu, before as u64, true, true), "an FPDU of a stream with markers");
}

/// The device initiates, the peer is bad.
fn initiator(lab: &mut Lab, bad: Bad) {
    lab.closes = bad != Bad::Closes;
    let (_cq, qp) = lab.queue_pair();
    let (remote, ours) = (lab.peer.ours, qp.clone());
    let app = lab.app(move |device| device.connect(&ours, remote, options()));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    assert_eq!(lab.peer.inbox[..20], *b"MPA ID Req Frame\x50\x02\x00\x04", "{bad:?}");
    lab.peer.inbox.clear();
    misbehave(lab, bad, Frame::reply());
    let connected = lab.finish("what became of the connection", app);
    match (bad, connected) {
        (Bad::Markers, Ok(connection)) => {
            lab.until("the ready-to-receive message", |lab| lab.peer.inbox.len() >= WRITE + 4);
            assert_eq!(lab.peer.inbox, fpdu(&lab.peer.inbox[6..20], 0, true, true));
            inserts_markers(lab, connection.queue_pair(), WRITE + 4);
            drop(connection);
            ended(lab, bad, true);
        }
        (Bad::FirstFpdu, Ok(connection)) => first_fpdu(lab, bad, connection),
        (Bad::Rejects, Err(Error::Rejected { private_data, .. })) => {
            assert!(private_data.is_empty());
            ended(lab, bad, false);
        }
        (_, Err(Error::Connection(why))) => {
            assert!(bad.is_told_by(&why, Kind::Reply, READS), "{bad:?}: {why}");
            match bad {
                Bad::Reset => {}
                Bad::Closes | Bad::NeedsReads | Bad::NoRtr => ended(lab, bad, false),
                _ => ended(lab, bad, true),
            }
            match bad {
                Bad::NeedsReads => assert_eq!(terminate(lab, 0), [0x20, 6]),
                Bad::NoRtr => assert_eq!(terminate(lab, 0), [0x20, 7]),
                _ => assert!(lab.peer.inbox.is_empty(), "{bad:?}: {:02x?}", lab.peer.inbox),
            }
        }
        (_, other) => panic!("{bad:?}: {other:?}"),
    }
}

/// The peer's first FPDU is bad: one Terminate, then the end in order, though the application
/// disconnects meanwhile.
fn first_fpdu(lab: &mut Lab, bad: Bad, connection: Connection) {
    lab.say(&bad.fpdu());
    lab.until("the end of what can be received", |_| connection.is_closed());
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    let Err(Error::Connection(why)) = lab.finish("the end of the connection", app) else {
        panic!("{bad:?}: no error")
    };
    assert!(bad.is_told_by(&why, Kind::Reply, READS), "{bad:?}: {why}");
    ended(lab, bad, false);
    assert_eq!(terminate(lab, WRITE), [0x20, 2], "2/0/02: bad CRC");
}

/// The peer initiates, badly.
fn responder(lab: &mut Lab, bad: Bad, listener: &Listener) {
    lab.closes = bad != Bad::Closes;
    lab.opens(PORT);
    misbehave(lab, bad, Frame::request());
    let good = matches!(bad, Bad::Rejects | Bad::Markers | Bad::NeedsReads | Bad::NoRtr | Bad::FirstFpdu);
    if !good {
        let mut told = vec![];
        lab.until("a request that comes to nothing", |_| {
            told = listener.failures().expect("a device");
            !told.is_empty()
        });
        let [Error::Connection(why)] = &told[..] else { panic!("{bad:?}: {told:?}") };
        assert!(bad.is_told_by(why, Kind::Request, READS), "{bad:?}: {why}");
        if bad != Bad::Reset {
            ended(lab, bad, bad != Bad::Closes);
        }
        assert!(lab.peer.inbox.is_empty(), "{bad:?}: no Reply");
        return;
    }
    // a Request in order: R is not looked at, M makes us insert markers, depths are cut, kinds are
    // answered with ours
    let request = listener.next(PATIENCE).expect("a request");
    let (_cq, qp) = lab.queue_pair();
    let ours = qp.clone();
    let app = lab.app(move |_| request.accept(&ours, options().into()));
    lab.until("the Reply", |lab| lab.peer.inbox.len() >= 24);
    let reply = std::mem::take(&mut lab.peer.inbox);
    assert_eq!(reply[..20], *b"MPA ID Rep Frame\x50\x02\x00\x04", "{bad:?}");
    match bad {
        Bad::NoRtr => assert_ne!(reply[22] & 0xC0, 0, "kinds that we can"),
        Bad::NeedsReads => assert_eq!(reply[20..22], [0x80, READS as u8], "what we can hold"),
        _ => {}
    }
    lab.say(&bad.fpdu());
    let accepted = lab.finish("what became of the connection", app);
    match (bad, accepted) {
        (Bad::FirstFpdu, Err(Error::Connection(why))) => {
            assert!(matches!(why, ConnError::FirstFpdu(_)), "{why}");
            ended(lab, bad, true);
            assert!(lab.peer.inbox.is_empty(), "no Terminate may be sent: {:02x?}", lab.peer.inbox);
        }
        (Bad::Markers, Ok(connection)) => {
            inserts_markers(lab, connection.queue_pair(), 0);
            drop(connection);
            ended(lab, bad, true);
        }
        (_, Ok(connection)) if bad != Bad::FirstFpdu => {
            drop(connection);
            ended(lab, bad, true);
        }
        (_, other) => panic!("{bad:?}: {other:?}"),
    }
}

/// A request that ends before the application accepts it says why, and so does a SYN that is
/// refused.
fn others(lab: &mut Lab, listener: &Listener) {
    lab.meet(21_999, 7);
    lab.opens(PORT);
    lab.frame(&Frame::request().enhanced(WORDS));
    let request = listener.next(PATIENCE).expect("a request");
    lab.say(&empty_write());
    lab.until("a reset", |lab| lab.peer.rst);
    let (_cq, qp) = lab.queue_pair();
    let why = request.accept(&qp, options().into()).expect_err("it ended");
    let Error::Connection(why) = why else { panic!("{why}") };
    assert!(Bad::Surplus.is_told_by(&why, Kind::Request, READS), "{why}");

    lab.meet(21_998, 7);
    lab.peer.answers = false;
    let remote = lab.peer.ours;
    let app = lab.app(move |device| device.connect(&qp, remote, options()));
    lab.until("the SYN", |lab| lab.peer.log.iter().any(|seg| seg.syn));
    let syn = lab.peer.log[0].clone();
    (lab.peer.theirs, lab.peer.rcv_nxt) = (Some(syn.from), syn.seq.wrapping_add(1));
    let reset = lab.peer.reset();
    lab.send(&reset);
    let refused = lab.finish("what became of the connection", app);
    assert!(matches!(refused, Err(Error::Connection(ConnError::Refused(_)))), "{refused:?}");
}

/// All peers one after the other, each on both sides.
#[test]
fn bad_connections_say_what_was_wrong_and_leave_nothing_behind() {
    let mut lab = Lab::new("bad-input");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let before = lab.held();
    others(&mut lab, &listener);
    lab.settles(&before);
    for n in seeds(0..224, 0..2_240) {
        let n = n as u16;
        let bad = Bad::ALL[usize::from(n / 2) % Bad::ALL.len()];
        lab.meet(22_000 + n, 0x1234_5678_u32.wrapping_mul(n.into()));
        match n % 2 {
            0 => initiator(&mut lab, bad),
            _ => responder(&mut lab, bad, &listener),
        }
        lab.settles(&before);
    }
}
