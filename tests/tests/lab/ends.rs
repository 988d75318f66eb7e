// SPDX-License-Identifier: MIT OR Apache-2.0
//! How connections end, as the application is told: by a peer that is gone, by a fault that the
//! application hears of first, by octets that cannot be sent again.
use ferrowarp::{
    Access, CompletionQueue, ConnectOptions, Connection, Error, MemoryRegion, QueuePair, Status,
};
use ferrowarp_abi::error::TermError;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use std::time::{Duration, Instant};

/// What a connection has.
struct Ends {
    cq: CompletionQueue,
    qp: QueuePair,
    region: MemoryRegion,
    connection: Connection,
}

/// A connection to a new peer on this port.
fn connected(lab: &mut Lab, port: u16) -> Ends {
    lab.meet(port, 0xFFFF_FFF0);
    let (cq, qp) = lab.queue_pair();
    let region = lab.pd.allocate(64, Access::LOCAL).expect("a region");
    qp.post_recv(7, &[region.segment(32, 32).expect("a segment")]).expect("room");
    let (remote, ours) = (lab.peer.ours, qp.clone());
    let options = ConnectOptions::default().patience(PATIENCE);
    let app = lab.app(move |device| device.connect(&ours, remote, options));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    lab.peer.inbox.clear();
    lab.frame(&Frame::reply().enhanced(0x0004_0004));
    let connection = lab.finish("the connection", app).expect("a good Reply");
    Ends { cq, qp, region, connection }
}

/// TCP's retry limit in hardware is `Lost` to the application, and what was posted is flushed.
#[test]
fn a_peer_that_is_gone_is_a_lost_connection() {
    let mut lab = Lab::with("lost", "rto=20;retries=3");
    let Ends { cq, region, connection, .. } = connected(&mut lab, 22_000);
    lab.peer.answers = false;
    let segment = region.segment(0, 8).expect("a segment");
    connection.queue_pair().send(1, &[segment]).post().expect("a connection");
    lab.until("the end", |_| connection.ended().is_some());
    let told = connection.ended();
    assert!(matches!(told, Some(Err(Error::Connection(ConnError::Lost)))), "{told:?}");
    let sent = lab.peer.log.iter().filter(|seg| seg.data.len() == 32).count();
    assert_eq!(sent, 3, "the first one and two again: {:?}", lab.peer.log);
    let flushed = [(); 2].map(|()| cq.wait(PATIENCE).expect("a completion"));
    assert_eq!(flushed.each_ref().map(|c| (c.wr_id, c.status)), [(1, Status::Flushed), (7, Status::Flushed)]);
    let ended = connection.disconnect(PATIENCE);
    assert!(matches!(ended, Err(Error::Connection(ConnError::Lost))), "{ended:?}");
}

/// The application polls the flushed receive and disconnects at once: the hardware has a fault that
/// firmware may not have seen yet. The Terminate leaves before the FIN all the same.
#[test]
fn a_disconnect_right_after_a_fault_leaves_room_for_the_terminate() {
    let mut lab = Lab::new("fault");
    for port in 22_000..22_020 {
        let Ends { cq, qp, region, connection } = connected(&mut lab, port);
        lab.closes = true;
        let app = lab.app(move |_| {
            let end = Instant::now() + PATIENCE;
            // without a pause: it is faster than the thread that hears of events
            while cq.poll().expect("entries").is_none_or(|flushed| flushed.status != Status::Flushed) {
                assert!(Instant::now() < end, "nothing is flushed");
            }
            let ended = connection.disconnect(PATIENCE);
            drop((qp, region));
            ended
        });
        std::thread::sleep(Duration::from_millis(u64::from(port % 3)));
        let mut bad = empty_write();
        bad[18] ^= 1;
        lab.say(&bad);
        let ended = lab.finish("the end", app);
        assert!(matches!(ended, Err(Error::Connection(ConnError::Fault(_)))), "{ended:?}");
        lab.until("a FIN", |lab| lab.peer.fin);
        assert_eq!(lab.peer.inbox.len(), 28, "a Terminate came before it: {:02x?}", lab.peer.inbox);
        assert_eq!(lab.peer.inbox[20..22], [0x20, 2]);
    }
}

/// Octets of a region that no other has.
const ODD_SIZE: usize = 5 * 4_096;

/// The peer did not take the first transmission. When it is to leave again, its memory is not
/// there, or its region is not: nothing can take the place of octets that the peer may have, so the
/// connection is reset, without a Terminate.
#[test]
fn what_cannot_be_sent_again_ends_in_a_reset() {
    let mut lab = Lab::with("unsent", "rto=50");
    for (port, unmaps) in [(22_000, true), (22_001, false)] {
        let (ours, _) = Talk::initiate(&mut lab, port, options(), &Frame::reply().enhanced(CLIENT));
        ours.qp().post_recv(7, &[ours.region.segment(0, 8).expect("a segment")]).expect("room");
        let region = lab.pd.allocate(ODD_SIZE, Access::LOCAL).expect("a region");
        let part = region.segment(0, 3_000).expect("a segment");
        lab.peer.answers = false;
        ours.qp().send(1, &[part]).post().expect("a connection");
        // the Request of MPA and three segments
        let sent = |lab: &Lab| lab.peer.log.iter().filter(|seg| !seg.data.is_empty()).count();
        lab.until("a Send", |lab| sent(lab) >= 4);
        match unmaps {
            true => lab.backend.lose(ODD_SIZE),
            false => drop(region),
        }
        lab.until("a reset", |lab| lab.peer.rst);
        let data: Vec<_> = lab.peer.log.iter().filter(|seg| !seg.data.is_empty()).collect();
        assert!(data.iter().all(|seg| seg.data[2..4] != [0x41, 0x47]), "no Terminate: {data:?}");
        assert!(lab.peer.log.iter().all(|seg| !seg.fin), "no FIN: {:?}", lab.peer.log);
        lab.until("the end", |_| ours.connection.ended().is_some());
        let told = ours.connection.ended();
        assert!(
            matches!(&told, Some(Err(Error::Connection(why))) if why.number() == Some(TermError::MpaConnectionLost)),
            "{told:?}"
        );
        let mut done: Vec<_> = (0..2).map(|_| ours.next(&mut lab)).map(|wc| (wc.wr_id, wc.status)).collect();
        done.sort_by_key(|wc| wc.0);
        let why = if unmaps { Status::General } else { Status::LocalProtection };
        assert_eq!(done, [(1, why), (7, Status::Flushed)]);
    }
}
