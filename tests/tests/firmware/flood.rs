// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that come faster than firmware takes them.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::Manager;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::flood::Flooded;
use ferrowarp_tests::fw::peer::{Peer, MAC};
use ferrowarp_tests::fw::wire::{neighbour_answer, Seg};
use std::net::IpAddr;

/// Frames that one poll may take.
const TURN: u32 = 64;
/// Frames of the flood in a tick of 1 ms.
const PER_TICK: u32 = 200;

fn stream(manager: &mut Manager, ip: [u8; 4]) -> ConnId {
    let connect = Connect { remote: (ip, 9).into(), address: None, local_port: None, then: Then::Stream };
    manager.connect(connect).expect("a connection")
}

/// The ring has a frame at every look: a poll ends all the same, and timers fire at their tick.
#[test]
fn a_flood_holds_up_neither_poll_nor_timers() {
    let mut manager = Manager::new(config(), Default::default()).expect("a possible configuration");
    let mut port = Flooded::new(PER_TICK);
    let id = stream(&mut manager, [10, 9, 0, 200]);
    let (mut questions, mut ended) = (vec![], None);
    while port.device.now < 400 {
        port.taken = 0;
        let more = manager.poll(&mut port);
        assert!(port.taken <= TURN, "{} frames in one poll", port.taken);
        assert!(more, "the caller has to come back at once");
        let asks = |f: &Vec<u8>| f[12..14] == [8, 6] && f[38..42] == [10, 9, 0, 200];
        questions.extend(port.device.sent.drain(..).filter(asks).map(|_| port.device.now));
        while let Some(event) = manager.next_event() {
            let unreachable = ConnError::Unreachable(IpAddr::from([10, 9, 0, 200]));
            assert_eq!(event, Event::Ended { id, listener: None, outcome: Err(unreachable) });
            ended = Some(port.device.now);
        }
    }
    assert_eq!(questions.len(), 3);
    let fired = questions.iter().chain(&ended);
    for (fired, due) in fired.zip([0, 100, 200, 300]) {
        assert!(fired.abs_diff(due) <= 1, "due at {due}, fired at {fired}");
    }
    assert!(ended.is_some(), "the open has no end");
}

#[test]
fn a_connection_opens_beside_a_flood() {
    let mut manager = Manager::new(config(), Default::default()).expect("a possible configuration");
    let mut port = Flooded::new(PER_TICK);
    let mut peer = Peer::new(([10, 9, 0, 2], 9).into(), 5);
    stream(&mut manager, [10, 9, 0, 2]);
    while port.device.now < 1_000 {
        port.taken = 0;
        assert!(manager.poll(&mut port), "the caller has to come back at once");
        if let Some(event) = manager.next_event() {
            assert!(matches!(event, Event::Opened { .. }), "{event:?}");
            return;
        }
        let sent: Vec<_> = port.device.sent.drain(..).collect();
        for frame in sent {
            let answer = neighbour_answer(&frame, &[peer.ours.ip()], MAC);
            answer.into_iter().for_each(|answer| port.device.deliver(answer));
            let seg = Seg::parse(&frame).filter(|seg| seg.to == peer.ours);
            for answer in seg.map(|seg| peer.absorb(&seg)).into_iter().flatten() {
                port.device.deliver(answer.frame(MAC, DUT_MAC));
            }
        }
    }
    panic!("it did not open within 1 s");
}
