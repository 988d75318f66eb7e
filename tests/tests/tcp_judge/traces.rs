// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge of TCP on traces written by hand: each rule passes a good trace and bites on a bad
//! one.
use ferrowarp_sim::link::Captured;
use ferrowarp_sim::{LinkConfig, Side};
use ferrowarp_tests::tcp_judge::trace::{Trace, RULES, SMSS, WINDOW};
use ferrowarp_tests::tcp_judge::{flag, frames, Changes, Rule, Segment, ANSWER_PS, INSIDE_PS};
use ferrowarp_tests::tcp_wire;
use std::net::{IpAddr, SocketAddr};

const US: u64 = 1_000_000;
/// Microseconds that a decision of a sender may be old, and in which ACKs must leave.
const INSIDE: u64 = INSIDE_PS / US;
const ANSWER: u64 = ANSWER_PS / US;
const STORED: u64 = RULES.stored_ps / US;
const DELAY: u64 = RULES.ack_delay_ps / US;
/// RTO at least, when the first round trip of a unit is known.
const RTO: u64 = 210;

#[test]
fn an_exchange_is_right() {
    Trace::exchange().is_right(10_000);
}

#[test]
fn octets_that_leave_a_hole_or_were_acknowledged_are_out_of_place() {
    let mut hole = Trace::exchange();
    hole.data(20, 3_000, SMSS);
    hole.ack(26, 2_000);
    hole.breaks(Rule::Place, Side::A, 100);

    let mut old = Trace::exchange();
    old.train(13 + INSIDE, 0, 1);
    old.ack(20 + INSIDE, 2_000);
    old.breaks(Rule::Place, Side::A, 10_000);

    // a probe of the window stands one place before SND.NXT, and no other ACK does
    let empty = |seq| {
        let mut trace = Trace::exchange();
        trace.segment(30, Side::A, flag::ACK, [seq, 0], &[]);
        trace
    };
    empty(1_999).is_right(10_000);
    empty(1_998).breaks(Rule::Place, Side::A, 10_000);
}

#[test]
fn octets_that_leave_again_are_those_that_left_first() {
    Trace::mended(RTO).is_right(10_000);
    let mut other = Trace::mended(RTO);
    *other.frames[1].data.last_mut().expect("it has octets") ^= 1;
    other.breaks(Rule::Octets, Side::A, 10_000);
}

#[test]
fn the_offered_window_is_not_passed() {
    let offered = |octets: u32| {
        let mut trace = Trace { windows: [WINDOW, 3_000], ..Trace::default() };
        trace.train(0, 0, 3);
        trace.ack(6, 2_000);
        trace.ack(7, 3_000);
        trace.train(13, 3_000, 2);
        trace.data(13, 5_000, octets);
        trace.ack(19, 5_000 + octets);
        trace
    };
    offered(1_000).is_right(10_000);
    offered(1_001).breaks(Rule::Offered, Side::A, 10_000);
}

#[test]
fn the_first_flight_is_no_longer_than_the_initial_window() {
    let flight = |segments| {
        let mut trace = Trace::default();
        trace.train(0, 0, segments);
        trace.ack(6, segments * SMSS);
        trace
    };
    flight(10).is_right(10_000);
    flight(11).breaks(Rule::Congestion, Side::A, 10_000);
}

/// The first of ten segments is lost, and two duplicates have come of the nine behind.
#[test]
fn two_duplicates_lend_two_segments() {
    let lent = |segments| {
        let mut trace = Trace::default();
        trace.train(0, 0, 10);
        trace.frames[0].arrived_ps.clear();
        // the other seven have not arrived yet
        trace.frames[3..].iter_mut().for_each(|frame| frame.arrived_ps.clear());
        trace.ack(6, 0);
        trace.ack(6, 0);
        trace.train(13, 10_000, segments);
        trace
    };
    lent(2).is_right(16);
    lent(3).breaks(Rule::Congestion, Side::A, 16);
}

#[test]
fn slow_start_adds_two_segments_an_ack_at_most() {
    let grown = |octets| {
        let mut trace = Trace::default();
        trace.train(0, 0, 10);
        // cwnd is 12,000 behind this ACK, and 14,000 behind the next one
        trace.ack(6, 10_000);
        trace.train(12, 10_000, 12);
        trace.ack(18, 22_000);
        trace.train(24, 22_000, 14);
        if octets > 0 {
            trace.data(24, 36_000, octets);
        }
        trace.ack(30, 36_000 + octets);
        trace
    };
    grown(0).is_right(10_000);
    grown(1).breaks(Rule::Congestion, Side::A, 10_000);
}

/// A window of fourteen segments is one of ten again behind the wait of the timer, and not before.
#[test]
fn idle_time_ends_a_large_window() {
    let rested = |pause, segments| {
        let mut trace = Trace::default();
        trace.train(0, 0, 10);
        trace.ack(6, 10_000);
        trace.train(12, 10_000, 12);
        trace.ack(18, 22_000);
        trace.train(18 + pause, 22_000, segments);
        trace.ack(18 + pause + 6, 22_000 + segments * SMSS);
        trace
    };
    rested(100, 14).is_right(10_000);
    rested(RTO + 100, 10).is_right(10_000);
    rested(RTO + 100, 11).breaks(Rule::Congestion, Side::A, 10_000);
}

/// A window that does not hold its sender back does not grow.
#[test]
fn a_window_that_is_not_used_stays() {
    let grown = |segments| {
        let mut trace = Trace::default();
        for n in 0..10 {
            let at = 50 * u64::from(n);
            trace.train(at, 4_000 * n, 4);
            trace.ack(at + 6, 4_000 * (n + 1));
        }
        trace.train(1_000, 40_000, segments);
        trace.ack(1_006, 40_000 + segments * SMSS);
        trace
    };
    grown(10).is_right(10_000);
    grown(11).breaks(Rule::Congestion, Side::A, 10_000);
}

/// Ten segments, of which the first is lost. All leave again, so many at once.
#[test]
fn a_loss_halves_the_window() {
    let halved = |segments| {
        let mut trace = Trace::gap(10);
        trace.train(12 + INSIDE, 0, segments);
        trace.ack(18 + INSIDE, segments * SMSS);
        trace
    };
    // cwnd is 5,000 then, and two segments more are those that the wire does not tell
    halved(7).is_right(100);
    halved(8).breaks(Rule::Congestion, Side::A, 100);
    // a port that has been busy all the time sends what was decided before the loss
    let mut busy = halved(8);
    busy.frames.iter_mut().for_each(|frame| frame.busy_ps = 0);
    busy.is_right(100);
}

/// Ten segments are lost, and the first one leaves again. So many octets more leave a while behind
/// it.
#[test]
fn an_expiry_makes_the_window_one_segment() {
    let expired = |octets| {
        let mut trace = Trace::default();
        trace.train(0, 0, 10);
        trace.frames.iter_mut().for_each(|frame| frame.arrived_ps.clear());
        let at = RTO + 10;
        trace.train(at, 0, 1);
        trace.ack(at + 10, 1_000);
        // cwnd is 2,000 behind the ACK
        trace.data(at + 16 + INSIDE, 1_000, SMSS);
        trace.data(at + 16 + INSIDE, 2_000, SMSS);
        if octets > 0 {
            trace.data(at + 16 + INSIDE, 3_000, octets);
        }
        trace.ack(at + 22 + INSIDE, 3_000 + octets);
        trace
    };
    expired(0).is_right(RTO + 100);
    expired(1).breaks(Rule::Congestion, Side::A, RTO + 100);
}

#[test]
fn what_did_not_arrive_is_not_acknowledged() {
    let mut lost = Trace::gap(4);
    lost.ack(14, 1_000);
    lost.breaks(Rule::Acknowledged, Side::B, 100);
    let mut back = Trace::exchange();
    back.ack(30, 1_000);
    // the right edge goes back with the number
    back.breaks_all(&[(Rule::Acknowledged, Side::B), (Rule::Edge, Side::B)], 10_000);
}

/// A receiver may keep what lies beyond a gap, and acknowledge it when the gap is filled.
#[test]
fn what_arrived_beyond_a_gap_may_be_acknowledged() {
    let mut kept = Trace::gap(4);
    kept.train(16, 0, 1);
    kept.ack(22, 4_000);
    kept.is_right(10_000);
}

#[test]
fn a_segment_beyond_a_gap_is_answered_at_once() {
    let answered = |at: u64| {
        let mut trace = Trace::exchange();
        trace.data(20, 2_000, SMSS).lost();
        trace.data(20, 3_000, SMSS);
        trace.ack(at, 2_000);
        trace
    };
    answered(25 + ANSWER).is_right(100);
    answered(26 + ANSWER).breaks(Rule::AtOnce, Side::B, 100);
    // so is an old one
    let mut old = Trace::mended(RTO);
    old.frames[1].arrived_ps.push((RTO + 40) * US);
    old.breaks(Rule::AtOnce, Side::B, 10_000);
}

#[test]
fn a_second_segment_is_acknowledged_soon_and_a_single_one_behind_the_delay() {
    let acked = |segments: u32, at: u64| {
        let mut trace = Trace::default();
        trace.rules.rto_min = 0;
        trace.train(0, 0, segments);
        trace.ack(at, segments * SMSS);
        trace
    };
    acked(2, 5 + STORED).is_right(2_000);
    acked(2, 6 + STORED).breaks(Rule::Delayed, Side::B, 2_000);
    acked(1, 5 + STORED + DELAY).is_right(2_000);
    acked(1, 6 + STORED + DELAY).breaks(Rule::Delayed, Side::B, 2_000);
}

#[test]
fn the_right_edge_of_a_window_does_not_go_back() {
    let offers = |window| {
        let mut trace = Trace::exchange();
        trace.windows[1] = window;
        trace.ack(30, 2_000);
        trace.windows[1] = WINDOW;
        trace
    };
    offers(WINDOW).is_right(10_000);
    offers(WINDOW - 1).breaks(Rule::Edge, Side::B, 10_000);
}

#[test]
fn a_fin_in_order_is_acknowledged() {
    let finished = |ack| {
        let mut trace = Trace::exchange();
        trace.rules.rto_min = 0;
        trace.segment(20, Side::A, flag::ACK | flag::FIN, [2_000, 0], &[]);
        trace.ack(26, ack);
        trace
    };
    finished(2_001).is_right(10_000);
    finished(2_000).breaks(Rule::Finished, Side::B, 10_000);
}

#[test]
fn nothing_is_judged_behind_a_reset() {
    let mut reset = Trace::exchange();
    reset.segment(30, Side::B, flag::ACK | flag::RST, [0, 2_000], &[]);
    reset.data(40, 7_000, SMSS);
    reset.is_right(10_000);
}

/// One captured frame of a link, with what the link says of it.
fn captured(note: Option<&str>) -> Captured {
    let note = note.map(String::from);
    Captured { from: Side::A, began_ps: 0, at_ps: 100, data: vec![7; 1_514], note }
}

#[test]
fn notes_of_a_capture_tell_when_frames_arrive() {
    let link = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };
    let arrives = |note| {
        let frames = frames(vec![captured(note)], &link, &Changes::default());
        frames.map(|frames| frames[0].arrived_ps.clone())
    };
    // preamble, octets and FCS behind the delay
    let whole = 500_000 + 800 * (8 + 1_514 + 4);
    assert_eq!(arrives(None), Ok(vec![whole]));
    assert_eq!(arrives(Some("dropped on the link")), Ok(vec![]));
    assert_eq!(arrives(Some("bit 7 inverted on the link: bad FCS")), Ok(vec![]));
    assert_eq!(arrives(Some("held back 1300 ns by the link")), Ok(vec![whole + 1_300_000]));
    assert_eq!(arrives(Some("delivered twice by the link")), Ok(vec![whole, whole + 800 * 1_538]));
    let told = |note| arrives(Some(note)).map_err(|e| e.to_string());
    assert!(told("octets changed on the link: FCS good").is_err_and(|e| e.contains("Changes::over")));
    assert!(told("it rains").is_err_and(|e| e.contains("it rains")));
}

/// Of a tagged IPv6 segment every field is read, and padding is not payload.
#[test]
fn a_segment_is_read_from_its_frame() {
    let mut local_ip = [0; 16];
    local_ip[0] = 0xFD;
    let conn = tcp_wire::Conn {
        destination_mac: [2; 6],
        source_mac: [4; 6],
        vlan: Some(5),
        ipv6: true,
        timestamps: true,
        local_ip,
        remote_ip: [0xFE; 16],
        local_port: 1,
        remote_port: 2,
        ttl: 3,
        traffic_class: 0,
        flow_label: 0,
        window: 9,
    };
    let mut frame = conn.flagged(flag::ACK | flag::FIN, 0x0102_0304, 0x0506_0708, &[1, 2, 3]);
    frame.extend([0; 9]);
    let segment = Segment::read(&frame).expect("a segment");
    let ends = [(local_ip, 1), ([0xFE; 16], 2)].map(|(ip, port)| SocketAddr::new(IpAddr::from(ip), port));
    let read = Segment {
        ends,
        seq: 0x0102_0304,
        ack: 0x0506_0708,
        flags: flag::ACK | flag::FIN,
        window: 9,
        payload: &[1, 2, 3],
    };
    assert_eq!((segment, segment.length()), (read, 4));
    assert_eq!(Segment::read(&frame[..60]), None);
}
