// SPDX-License-Identifier: MIT OR Apache-2.0
//! Path MTU of a connection of the device: a router lowers it; ten minutes later the full size is
//! tried again (RFC 1191 section 6.3).
use ferrowarp::Status;
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::DUT_MAC;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::MAC;
use ferrowarp_tests::fw::wire::Seg;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;

/// Milliseconds from a lowering until the full size is tried.
const TEN_MINUTES: u64 = 600_000;
/// The narrow path takes packets of this many octets: segments of 40 less.
const NARROW: u16 = 1_000;
/// Octets of a message of some segments.
const MESSAGE: usize = 4_000;

/// "Fragmentation needed" of a router, about a segment of the device.
fn too_big(seg: &Seg) -> Vec<u8> {
    let quoted = seg.frame(DUT_MAC, MAC);
    let mut body = vec![3, 4, 0, 0, 0, 0];
    body.extend(NARROW.to_be_bytes());
    body.extend(&quoted[14..14 + 28]);
    Icmpv4Packet::new_unchecked(&mut body).fill_checksum();
    let (source, target) = (IpAddress::v4(10, 9, 0, 77), IpAddress::v4(10, 9, 0, 1));
    let ip = IpRepr::new(source, target, IpProtocol::Icmp, body.len(), 64);
    let mut octets = vec![0; ip.header_len()];
    ip.emit(&mut octets[..], &ChecksumCapabilities::default());
    octets.extend(body);
    octets
}

fn post(ours: &Talk) {
    let segment = ours.region.segment(0, MESSAGE).expect("a segment");
    ours.qp().send(7, &[segment]).post().expect("a connection");
}

fn completes(ours: &Talk, lab: &mut Lab) {
    let done = ours.next(lab);
    assert_eq!((done.wr_id, done.status), (7, Status::Success));
}

/// Octets of the longest segment of a message.
fn longest(ours: &Talk, lab: &mut Lab) -> usize {
    lab.peer.log.clear();
    post(ours);
    completes(ours, lab);
    lab.peer.log.iter().map(|seg| seg.data.len()).max().expect("segments")
}

#[test]
fn segments_grow_again_ten_minutes_after_a_router_spoke() {
    let mut lab = Lab::new("path-mtu");
    let (ours, _) = Talk::initiate(&mut lab, 22_000, options(), &Frame::reply().enhanced(CLIENT));
    let qp = ours.qp().number();
    let full = lab.row(qp).emss;
    let narrow = NARROW - 40;
    let before = longest(&ours, &mut lab);
    assert!(before > usize::from(narrow), "{before} octets on a wide path");

    // the router drops what is too long, so nothing is acknowledged
    lab.peer.answers = false;
    lab.peer.log.clear();
    post(&ours);
    lab.until("a segment", |lab| lab.peer.log.iter().any(|seg| !seg.data.is_empty()));
    let quoted = lab.peer.log.iter().find(|seg| !seg.data.is_empty()).expect("it came").clone();
    lab.packet(&too_big(&quoted));
    lab.until("a narrow row", |lab| lab.row(qp).emss == narrow);
    lab.peer.answers = true;
    completes(&ours, &mut lab);
    let small = longest(&ours, &mut lab);
    assert!(small <= usize::from(narrow), "{small} octets on a path of {NARROW}");

    // half a minute is for what the wall's clock adds
    lab.backend.skip(TEN_MINUTES - 30_000);
    lab.sync();
    assert_eq!(lab.row(qp).emss, narrow, "not before ten minutes are over");
    lab.backend.skip(30_000);
    lab.sync();
    lab.until("a wide row", |lab| lab.row(qp).emss == full);
    assert_eq!(longest(&ours, &mut lab), before);
    ours.works(&mut lab);
}
