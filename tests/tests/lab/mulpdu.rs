// SPDX-License-Identifier: MIT OR Apache-2.0
//! MULPDU of a connection of the device, by the peer's MSS and markers. Firmware computes MULPDU,
//! the Verilog cuts messages by it, and plain code takes apart what comes to a scripted peer.
use ferrowarp::{Remote, Status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::mpa::fpdu::mulpdu;
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT, REGION};
use ferrowarp_tests::fpdus::taken;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::proves::{proves, proves_model};
use std::collections::BTreeMap;

/// M and C of a startup frame's flags.
const M: u8 = 0x80;
const C: u8 = 0x40;
/// A buffer of the peer, which takes everything.
const THEIRS: Remote = Remote { stag: STag(0x1234_5678), to: TaggedOffset(0x10) };
/// What the peers say in their SYN. No segment of the device is longer than 1,460 octets.
const MSS: [u16; 4] = [536, 1_448, 1_459, 1_460];
/// EMSS of the matrix rows. For the last two, firmware's number is all that there is: no link of a
/// device has them.
const ROWS: [u16; 5] = [536, 1_448, 1_460, 1_461, 8_960];

/// A connection with a peer that says `mss`, and asks for markers or not.
fn connect(lab: &mut Lab, port: u16, mss: u16, markers: bool) -> Talk {
    lab.meet(port, 0xFFFF_F000);
    lab.peer.mss = Some(mss);
    let (cq, qp) = lab.queue_pair();
    let remote = lab.peer.ours;
    let app = lab.app(move |device| device.connect(&qp, remote, options()));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    lab.peer.inbox.clear();
    let flags = if markers { M | C } else { C };
    lab.frame(&Frame { flags, ..Frame::reply() }.enhanced(CLIENT));
    let connection = lab.finish("the connection", app).expect("a good Reply");
    Talk::over(lab, cq, connection)
}

/// Writes so many octets and waits for the completion.
fn write(lab: &mut Lab, ours: &Talk, octets: usize) {
    let part = ours.region.segment(0, octets).expect("a segment");
    ours.qp().write(7, &[part], THEIRS).post().expect("a connection");
    let done = ours.next(lab);
    assert_eq!((done.wr_id, done.status), (7, Status::Success));
}

/// ULPDU_Length of all that the device has sent.
fn lengths(lab: &Lab, markers: bool) -> Vec<usize> {
    let taken = taken(&lab.peer.inbox, markers).expect("whole FPDUs");
    taken.ulpdus.iter().map(Vec::len).collect()
}

/// MULPDU that the device has for each of [`MSS`]: as the row says, and as the longest FPDU of a
/// long Write shows.
fn found(name: &str, markers: bool) -> [u16; 4] {
    let mut lab = Lab::new(name);
    let mut port = 24_000;
    MSS.map(|mss| {
        port += 1;
        let ours = connect(&mut lab, port, mss, markers);
        let row = lab.row(ours.qp().number());
        assert_eq!(row.emss, mss);
        write(&mut lab, &ours, REGION);
        let longest = lengths(&lab, markers).into_iter().max();
        assert_eq!(longest, Some(usize::from(row.mulpdu)), "MSS {mss}");
        let sizes = lab.peer.log.iter().map(|seg| seg.data.len());
        assert!(sizes.max() <= Some(usize::from(row.emss)), "MSS {mss}");
        row.mulpdu
    })
}

#[test]
fn mulpdu_with_markers_leaves_room_for_the_most_of_them() {
    let _proof = proves_model("MPA-4.5-02");
    assert_eq!(found("mulpdu-markers", true), [522, 1_430, 1_438, 1_442]);
    assert_eq!(ROWS.map(|emss| mulpdu(emss, true)), [522, 1_430, 1_442, 1_442, 8_882]);
}

#[test]
fn mulpdu_without_markers() {
    let _proof = proves_model("MPA-4.5-03");
    assert_eq!(found("mulpdu-plain", false), [530, 1_442, 1_450, 1_454]);
    assert_eq!(ROWS.map(|emss| mulpdu(emss, false)), [530, 1_442, 1_454, 1_454, 8_954]);
}

/// FPDUs share no segment, so what an FPDU leaves of its segment is never a MULPDU.
#[test]
fn mulpdu_is_that_of_a_whole_segment_behind_any_fpdu() {
    let _proof = proves("MPA-4.5-10");
    let mut lab = Lab::new("mulpdu-behind");
    let ours = connect(&mut lab, 24_100, 1_460, false);
    // 100 octets are left of a segment behind the first two: 14 of header, 6 of length and CRC
    for octets in [660, 660, 3_000] {
        let part = ours.region.segment(0, octets).expect("a segment");
        ours.qp().write(1, &[part], THEIRS).unsignaled().post().expect("a connection");
    }
    lab.peer.log.clear();
    write(&mut lab, &ours, 40);
    let lengths = lengths(&lab, false);
    assert_eq!(lengths, [674, 674, 1_454, 1_454, 3_000 - 2 * 1_440 + 14, 54]);
    // a segment that comes again counts once
    let segments = lab.peer.log.iter().filter(|seg| !seg.data.is_empty());
    let segments: BTreeMap<_, _> = segments.map(|seg| (seg.seq, seg.data.len())).collect();
    let whole = lengths.iter().map(|n| (2 + n).next_multiple_of(4) + 4);
    assert!(segments.into_values().eq(whole), "FPDUs share a segment");
}
