// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raw octets before MPA (RFC 5044 sections 1.2, 7.1, 7.1.3) between two simulated devices, through
//! the driver. The capture of one of them is taken apart by plain code, which judges where MPA
//! begins.
use ferrowarp::{ConnError, ConnectOptions, Connection, Error, QueuePair, RawOptions, RawStream};
use ferrowarp_tests::driver::pair::{Scene, PATIENCE};
use ferrowarp_tests::driver::place::Place;
use ferrowarp_tests::fw::mpa::{REPLY, REQUEST};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::net::SocketAddr;
use std::thread::scope;
use std::time::Duration;

/// Octets that each end writes before MPA, and that it reads.
#[derive(Clone, Copy)]
struct Raw {
    writes: usize,
    reads: usize,
}

/// What an end makes of a stream.
type Start<'a> = &'a (dyn Fn(RawStream, &QueuePair) -> Result<Connection, Error> + Sync);

/// The raw octets of the end that opens TCP, and of the other one.
const ACTIVE: u8 = 0x5A;
const PASSIVE: u8 = 0xA5;

fn octets(of: u8, length: usize) -> Vec<u8> {
    (0..length).map(|n| n as u8 ^ (n >> 8) as u8 ^ of).collect()
}

fn options(private_data: &[u8]) -> ConnectOptions {
    ConnectOptions::default().private_data(private_data.to_vec()).patience(PATIENCE)
}

/// The raw octets of both ends: `ours` are written first, or read first.
fn greets(stream: &RawStream, ours: u8, raw: Raw) -> Result<(), Error> {
    let mut heard = vec![0; raw.reads];
    let writes = || stream.write_all(&octets(ours, raw.writes), PATIENCE);
    if ours == ACTIVE {
        writes()?;
    }
    stream.read_exact(&mut heard, PATIENCE)?;
    assert_eq!(heard, octets(ACTIVE ^ PASSIVE ^ ours, raw.reads));
    if ours == PASSIVE {
        writes()?;
    }
    Ok(())
}

/// Greets, and sends the Request.
fn initiates(stream: RawStream, qp: &QueuePair, ours: u8, raw: Raw) -> Result<Connection, Error> {
    greets(&stream, ours, raw)?;
    let connection = stream.initiate(qp, options(b"of the initiator"))?;
    assert_eq!(connection.private_data(), b"of the responder");
    Ok(connection)
}

/// Greets, waits for the Request, and accepts.
fn responds(stream: RawStream, qp: &QueuePair, ours: u8, raw: Raw) -> Result<Connection, Error> {
    greets(&stream, ours, raw)?;
    let (local, remote) = (stream.local_addr(), stream.remote());
    let request = stream.respond(PATIENCE)?;
    assert_eq!(request.private_data(), b"of the initiator");
    assert_eq!((request.local_addr(), request.remote()), (local, remote));
    request.accept(qp, options(b"of the responder").into())
}

/// TCP in raw mode from the second device to the first one; both ends of it.
fn opened(scene: &Scene) -> [RawStream; 2] {
    let [theirs, ours] = &scene.devices;
    let listener = theirs.listen_raw(0, 1).expect("a free port");
    let remote = SocketAddr::new([10, 0, 0, 1].into(), listener.local_addr().port());
    let options = RawOptions::default().patience(PATIENCE);
    let active = ours.connect_raw(remote, options).expect("a listener");
    let passive = listener.next(PATIENCE).expect("a connection");
    assert_eq!((passive.local_addr(), passive.remote()), (remote, active.local_addr()));
    [active, passive]
}

/// Each end starts MPA in its way, then both write and send, then both close; the end that opened
/// TCP, and the other one.
fn exchanges(scene: &Scene, [active, passive]: [Start<'_>; 2]) -> [SocketAddr; 2] {
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 0xA5), Place::new(theirs, 0x5A));
    let streams = opened(scene);
    let ends = streams.each_ref().map(RawStream::local_addr);
    let [ours, theirs] = streams;
    scope(|scope| {
        let accepted = scope.spawn(|| {
            let connection = passive(theirs, &far.qp).expect("a connection");
            far.works(&connection, &near, false);
            connection
        });
        let connection = active(ours, &near.qp).expect("a connection");
        near.works(&connection, &far, false);
        let accepted = accepted.join().expect("no panic");
        near.holds(0x5A);
        far.holds(0xA5);
        let closed = scope.spawn(|| accepted.disconnect(PATIENCE));
        connection.disconnect(PATIENCE).and(closed.join().expect("no panic")).expect("both have closed");
    });
    ends
}

/// What was on the wire of both ends: raw octets, then the startup frame right behind them, then
/// full operation.
fn judged(scene: Scene, ends: [SocketAddr; 2], raw: [usize; 2], keys: [[u8; 16]; 2], markers: bool) {
    let streams = scene.streams(ends);
    for ((stream, of), (length, key)) in streams.iter().zip([ACTIVE, PASSIVE]).zip(raw.into_iter().zip(keys))
    {
        let (before, mpa) = stream.behind(length);
        assert_eq!(before, octets(of, length), "neither framed nor changed");
        assert_eq!(mpa.startup()[..16], key);
        assert_eq!(mpa.asks_markers(), markers);
        let taken = mpa.taken(markers).expect("FPDUs, and markers where they are due");
        let [header, ..] = taken.markers;
        assert_eq!(header, usize::from(markers), "the first marker is the first octet of full operation");
        // RDMAP's octets of a Write and of a Send
        assert_eq!(taken.ulpdus.iter().map(|ulpdu| ulpdu[1]).collect::<Vec<_>>(), [0x40, 0x43]);
    }
}

/// The capture has markers from full operation on, and none in the raw octets.
#[test]
fn the_request_is_right_behind_the_last_raw_octet() {
    let _proof = proves_rows(&["MPA-1.2-01", "MPA-7.1.3-01", "MPA-7.1.3-02"]);
    let scene = Scene::new("raw-101", ["markers=on"; 2]);
    let raw = Raw { writes: 101, reads: 101 };
    let ends = exchanges(
        &scene,
        [&|stream, qp| initiates(stream, qp, ACTIVE, raw), &|stream, qp| responds(stream, qp, PASSIVE, raw)],
    );
    judged(scene, ends, [101; 2], [REQUEST, REPLY], true);
}

/// Who waited for the SYN sends the Request.
#[test]
fn the_passive_opener_may_be_the_initiator() {
    let _proof = proves_rows(&["MPA-2-08", "MPA-2-09", "MPA-7.1-11"]);
    let scene = Scene::new("raw-roles", [""; 2]);
    let ends = exchanges(
        &scene,
        [&|stream, qp| responds(stream, qp, ACTIVE, Raw { writes: 4_096, reads: 7 }), &|stream, qp| {
            initiates(stream, qp, PASSIVE, Raw { writes: 7, reads: 4_096 })
        }],
    );
    judged(scene, ends, [4_096, 7], [REPLY, REQUEST], false);
}

/// Connects at once, and both ends write and send.
fn immediate(scene: &Scene) {
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 0xA5), Place::new(theirs, 0x5A));
    let listener = theirs.listen(7_000, 1).expect("a free port");
    scope(|scope| {
        let accepted = scope.spawn(|| {
            let request = listener.next(PATIENCE).expect("a request");
            let connection = request.accept(&far.qp, options(&[]).into()).expect("a connection");
            far.works(&connection, &near, false);
        });
        let remote = SocketAddr::new([10, 0, 0, 1].into(), 7_000);
        let connection = ours.connect(&near.qp, remote, options(&[])).expect("a connection");
        near.works(&connection, &far, false);
        accepted.join().expect("no panic");
    });
}

#[test]
fn startup_is_immediate_or_delayed() {
    let _proof = proves_rows(&["MPA-1.2-02", "MPA-7.1-04"]);
    let scene = Scene::new("raw-or-not", [""; 2]);
    immediate(&scene);
    let raw = Raw { writes: 50, reads: 50 };
    let ends = exchanges(
        &scene,
        [&|stream, qp| initiates(stream, qp, ACTIVE, raw), &|stream, qp| responds(stream, qp, PASSIVE, raw)],
    );
    judged(scene, ends, [50; 2], [REQUEST, REPLY], false);
}

/// An initiator or a responder that starts MPA an octet early is refused, and so is who leaves an
/// octet unread.
#[test]
fn both_ends_start_behind_the_same_octet() {
    let _proof = proves("MPA-7.1-01");
    let scene = Scene::new("raw-999", [""; 2]);
    let all = Raw { writes: 1_000, reads: 1_000 };
    let none = Raw { writes: 0, reads: 0 };
    // the active opener initiates; who finds the wrong key
    let early = [
        ([Raw { writes: 999, ..none }, Raw { reads: 1_000, ..none }], 1),
        ([all, Raw { reads: 999, ..all }], 1),
        ([Raw { reads: 999, ..all }, all], 0),
    ];
    for ([active, passive], finds) in early {
        let [ours, theirs] = opened(&scene);
        let places = scene.devices.each_ref().map(|device| Place::new(device, 0));
        let [theirs_qp, ours_qp] = places.each_ref().map(|place| &place.qp);
        let read = |stream: &RawStream, length| stream.read_exact(&mut vec![0; length], PATIENCE);
        let failed = scope(|scope| {
            let responder = scope.spawn(move || {
                read(&theirs, passive.reads)?;
                theirs.write_all(&octets(PASSIVE, passive.writes), PATIENCE)?;
                theirs.respond(PATIENCE)?.accept(theirs_qp, options(&[]).into())
            });
            ours.write_all(&octets(ACTIVE, active.writes), PATIENCE).expect("an open stream");
            let initiator = read(&ours, active.reads).and_then(|()| ours.initiate(ours_qp, options(&[])));
            [initiator, responder.join().expect("no panic")].map(|end| end.map(drop).expect_err("refused"))
        });
        let is_frame = |why: &Error| matches!(why, Error::Connection(ConnError::Frame(_)));
        let is_reset = |why: &Error| matches!(why, Error::Connection(ConnError::Reset));
        assert!(is_frame(&failed[finds]) && is_reset(&failed[1 - finds]), "{failed:?}");
        let [theirs, ours] = scene.devices.each_ref().map(|device| device.audit().expect("a device"));
        assert_eq!((theirs.firmware.connections, ours.firmware.connections), (0, 0));
    }
    let ends = exchanges(
        &scene,
        [&|stream, qp| initiates(stream, qp, ACTIVE, all), &|stream, qp| responds(stream, qp, PASSIVE, all)],
    );
    judged(scene, ends, [1_000; 2], [REQUEST, REPLY], false);
}

/// Both ends write more than windows and queues hold before either reads, and nothing is lost.
#[test]
fn who_writes_more_than_the_peer_reads_waits_for_it() {
    const LENGTH: usize = 70_001;
    let scene = Scene::new("raw-flood", [""; 2]);
    let writes = |stream: RawStream, of: u8| {
        scope(|scope| {
            let written = scope.spawn(|| stream.write_all(&octets(of, LENGTH), PATIENCE));
            std::thread::sleep(Duration::from_secs(2));
            assert!(!written.is_finished(), "nobody reads, and {LENGTH} octets are on their way");
            let (mut heard, mut part): (Vec<u8>, _) = (vec![], [0; 4_001]);
            while heard.len() < LENGTH {
                let most = part.len().min(LENGTH - heard.len());
                let read = stream.read(&mut part[..most], PATIENCE).expect("octets");
                assert!(read > 0, "an end behind {} octets", heard.len());
                heard.extend(&part[..read]);
            }
            assert!(heard == octets(ACTIVE ^ PASSIVE ^ of, LENGTH), "octets differ");
            written.join().expect("no panic").expect("room");
        });
        stream
    };
    let none = Raw { writes: 0, reads: 0 };
    let ends = exchanges(
        &scene,
        [&|stream, qp| initiates(writes(stream, ACTIVE), qp, ACTIVE, none), &|stream, qp| {
            responds(writes(stream, PASSIVE), qp, PASSIVE, none)
        }],
    );
    judged(scene, ends, [LENGTH; 2], [REQUEST, REPLY], false);
}

/// By tasks in one thread: nobody blocks it while the peer is awaited.
#[tokio::test]
async fn tasks_start_mpa_behind_raw_octets() {
    const LENGTH: usize = 20_000;
    let scene = Scene::new("raw-tasks", [""; 2]);
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 0xA5), Place::new(theirs, 0x5A));
    let listener = theirs.listen_raw(7_000, 1).expect("a free port");
    let remote = SocketAddr::new([10, 0, 0, 1].into(), 7_000);
    let open = || ours.connect_raw_async(remote, RawOptions::default().patience(PATIENCE));
    let active = async {
        let stream = open().await?;
        stream.write_all_async(&octets(ACTIVE, LENGTH), PATIENCE).await?;
        assert_eq!(stream.read_async(&mut [0; 8], PATIENCE).await?, 1);
        // its ready-to-receive message is what the peer waits for
        let options = options(&[]).peer_to_peer(true);
        stream.initiate_async(&near.qp, options).await
    };
    let passive = async {
        let stream = listener.next_async(PATIENCE).await?;
        let mut heard = vec![0; LENGTH];
        stream.read_exact_async(&mut heard, PATIENCE).await?;
        assert!(heard == octets(ACTIVE, LENGTH), "octets differ");
        stream.write_all_async(&[1], PATIENCE).await?;
        stream.respond_async(PATIENCE).await?.accept_async(&far.qp, options(&[]).into()).await
    };
    let (active, passive) = tokio::join!(active, passive);
    let [active, passive] = [active, passive].map(|end| end.expect("a connection"));
    scope(|scope| {
        scope.spawn(|| far.works(&passive, &near, false));
        near.works(&active, &far, false);
    });
    // and both ends close one that stays raw
    let closes = async { open().await?.close_async(PATIENCE).await };
    let hears = async {
        let stream = listener.next_async(PATIENCE).await?;
        assert_eq!(stream.read_async(&mut [0; 8], PATIENCE).await?, 0);
        stream.close_async(PATIENCE).await
    };
    let (closes, hears) = tokio::join!(closes, hears);
    closes.and(hears).expect("both have closed");
}
