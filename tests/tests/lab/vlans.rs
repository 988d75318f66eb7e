// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device of a VLAN (`vlan=`): all its frames have the tag, and what comes without the tag, or
//! with another, is nobody's.
use ferrowarp::{Access, ConnectOptions, Device, Error};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::segments::{tagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::Frame;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a device may take for a segment that it does not take.
const SILENT: Duration = Duration::from_millis(200);
/// VLAN 5 with priority 3.
const TCI: u16 = 0x6005;
const URL: &str = "vlan=5:3";

#[test]
fn all_frames_of_a_connection_have_the_tag() {
    let mut lab = Lab::with("vlan-tags", URL);
    lab.vlan = Some(5);
    let listener = lab.device.listen(PORT, 1).expect("a free port");
    let (first, _) = Talk::initiate(&mut lab, 22_000, options(), &Frame::reply().enhanced(CLIENT));
    first.works(&mut lab);
    lab.closes = true;
    drop(first);
    let request = Frame::request().enhanced(CLIENT);
    let (second, _) = Talk::respond(&mut lab, 22_001, &listener, options(), &request);
    second.works(&mut lab);
    lab.closes = true;
    let app = lab.app(move |_| second.connection.disconnect(Duration::from_secs(30)));
    lab.finish("the end", app).expect("both have closed");
    // ARP, handshakes, startup frames, FPDUs, ACKs, a reset, FINs
    assert_eq!(lab.tags, BTreeSet::from([Some(TCI)]));
}

#[test]
fn a_segment_without_the_tag_is_not_placed() {
    let mut lab = Lab::with("vlan-place", URL);
    lab.vlan = Some(5);
    let (ours, _) = Talk::initiate(&mut lab, 22_000, options(), &Frame::reply().enhanced(CLIENT));
    let region = lab.pd.allocate(64, Access::ALL).expect("a region");
    let write = tagged(TAGGED, 0x40, region.stag().0, region.to_base().0, &[7; 64]);
    let segment = lab.peer.data(&ferrowarp_tests::fw::mpa::first_fpdu(&write));
    let copy = || region.memory().copy(0, 64).expect("octets");
    // the ACK of the startup frame may leave behind the call that connects
    lab.pause(SILENT);
    for other in [None, Some(6), Some(0)] {
        lab.vlan = other;
        lab.peer.log.clear();
        lab.send(&segment);
        lab.pause(SILENT);
        assert_eq!((copy(), lab.peer.log.len()), (vec![0; 64], 0), "tagged {other:?}");
    }
    // priority and drop eligibility may differ
    lab.vlan = Some(0xF005);
    lab.send(&segment);
    lab.until("the octets", |_| copy() == [7; 64]);
    ours.works(&mut lab);
}

/// Two devices meet in one VLAN, and do not meet across two.
#[test]
fn devices_meet_in_their_vlan() {
    let cable = ferrowarp_tests::driver::pair::Cable::new("vlans-meet");
    let open =
        |own, peer, vlan: &str| Device::open(&format!("{};{vlan}", cable.url(own, peer))).expect("a device");
    let met = |ours: &Device, patience| {
        let pd = ours.protection_domain().expect("a domain");
        let cq = ours.completion_queue(4).expect("a queue");
        let qp = ours.queue_pair(&pd, [&cq, &cq], Default::default()).expect("a queue pair");
        // nobody listens: a reset is an answer of the peer
        let options = ConnectOptions::default().patience(patience);
        ours.connect(&qp, "10.0.0.1:9".parse().expect("an end"), options)
            .map(drop)
            .expect_err("no program listens")
    };
    let ours = open(2, 1, "vlan=5");
    let theirs = open(1, 2, "vlan=5:7");
    let answer = met(&ours, Duration::from_secs(60));
    assert!(matches!(answer, Error::Connection(ferrowarp::ConnError::Refused(_))), "{answer}");
    drop(theirs);
    for other in ["vlan=6", ""] {
        let theirs = open(1, 2, other);
        let answer = met(&ours, Duration::from_secs(2));
        assert!(matches!(answer, Error::TimedOut { .. }), "{other}: {answer}");
        drop(theirs);
    }
}
