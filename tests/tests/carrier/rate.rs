// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both ends of the carrier, Verilog and host: how near payload comes to the rate of the cable, and
//! numbers that wrap.
use ferrowarp_sim::rnic::BoardCable;
use ferrowarp_sim::Side;
use ferrowarp_tests::carrier::{reads, reads_of, writes, Figures};
use ferrowarp_tests::rnic_1g::{through, Ways};

/// Both directions on a cable with these faults.
fn measure(faults: &str, octets: usize) -> [Figures; 2] {
    let cable = BoardCable::long(faults.parse().expect("what a cable does"));
    [writes(&cable, octets), reads(&cable, octets)].map(|figures| figures.expect("both ends"))
}

#[test]
fn payload_reaches_its_share_of_a_good_cable_and_no_frame_leaves_again() {
    for figures in measure("", 256 << 10) {
        assert!((0.86..0.885).contains(&figures.ratio), "{figures:?}");
        assert_eq!((figures.stats.sent_again, figures.stats.duplicates), (0, 0), "{figures:?}");
    }
}

#[test]
fn payload_reaches_half_of_a_cable_that_loses_one_frame_in_fifty() {
    for figures in measure("loss=0.02,seed=1", 1 << 20) {
        assert!((0.5..0.86).contains(&figures.ratio), "{figures:?}");
    }
}

/// Each read is a frame of the device, and each completion is a frame of the host.
#[test]
fn numbers_of_frames_wrap_both_ways() {
    let cable = BoardCable::short("loss=0.002,seed=1".parse().expect("what a cable does"));
    let Figures { stats, .. } = reads_of(&cable, 70_000 * 8, (8, 24)).expect("both ends");
    assert!(stats.sent.min(stats.taken) > 1 << 16 && stats.sent_again > 0, "{stats:?}");
}

/// Payload of RDMA Writes is more of the wire than payload of TLPs: the window holds the peer back.
#[test]
fn a_board_drops_no_frame_of_writes_that_come_at_the_rate_of_the_wire() {
    let board = BoardCable::long("".parse().expect("a good cable"));
    let mut boards = [None; 2];
    boards[Side::B as usize] = Some(board);
    let figures = through(4, Ways::One, boards).expect("a device and a board");
    assert_eq!(figures.losses, [], "{figures:?}");
    assert!(figures.frames.iter().all(|[left, came]| left == came), "{figures:?}");
    assert!(figures.goodput_ratios[0] > 0.8, "{figures:?}");
}
