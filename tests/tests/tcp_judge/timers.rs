// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge of TCP on traces written by hand: why octets leave again, and when they must.
use ferrowarp_sim::Side;
use ferrowarp_tests::tcp_judge::trace::{Trace, SMSS};
use ferrowarp_tests::tcp_judge::{Rule, INSIDE_PS};

const US: u64 = 1_000_000;
/// Microseconds that a decision may be old while the port is idle.
const INSIDE: u64 = INSIDE_PS / US;
/// RTO at least, when the first round trip of a unit is known.
const RTO: u64 = 210;

#[test]
fn octets_leave_again_behind_three_duplicates_and_not_behind_two() {
    let mut three = Trace::gap(4);
    three.train(16, 0, 4);
    three.ack(22, 4_000);
    three.is_right(10_000);

    let mut two = Trace::gap(3);
    two.train(16, 0, 3);
    two.ack(22, 3_000);
    two.breaks(Rule::Reason, Side::A, 10_000);

    // without fast resends three are no reason
    let mut slow = Trace::gap(4);
    slow.rules.fast = false;
    slow.train(16, 0, 4);
    slow.ack(22, 4_000);
    slow.breaks(Rule::Reason, Side::A, 10_000);
}

#[test]
fn octets_that_leave_again_follow_each_other_from_the_lost_one_on() {
    let mut skips = Trace::gap(4);
    skips.data(16, 0, SMSS);
    skips.data(16, 2_000, SMSS);
    skips.ack(22, 1_000);
    skips.breaks(Rule::Reason, Side::A, 100);
}

#[test]
fn the_timer_does_not_expire_early() {
    let again = |at: u64| {
        let mut trace = Trace::default();
        trace.data(0, 0, SMSS).lost();
        trace.data(at, 0, SMSS);
        trace.ack(at + 20, SMSS);
        trace
    };
    again(RTO).is_right(10_000);
    again(RTO - 30).breaks(Rule::Reason, Side::A, 10_000);
    let mut never = again(RTO);
    never.rules.rto_min = 0;
    never.breaks(Rule::Reason, Side::A, 10_000);
}

#[test]
fn an_expiry_doubles_the_wait() {
    let twice = |wait: u64| {
        let mut trace = Trace::default();
        trace.data(0, 0, SMSS).lost();
        trace.data(RTO, 0, SMSS).lost();
        trace.data(RTO + wait, 0, SMSS);
        trace.ack(RTO + wait + 20, SMSS);
        trace
    };
    twice(2 * RTO).is_right(10_000);
    twice(2 * RTO - 50).breaks(Rule::Reason, Side::A, 10_000);
    twice(2 * RTO + 100 + INSIDE).breaks(Rule::Mended, Side::A, 10_000);
}

/// A round trip of 395 us makes SRTT 5.8 to 5.9 units, and RTTVAR 9.6 to 10.2. So RTO is 39 units
/// at least, and 49 at most.
#[test]
fn a_longer_round_trip_makes_the_wait_longer() {
    let again = |wait: u64| {
        let mut trace = Trace::default();
        trace.data(0, 0, SMSS);
        // it counts until a round trip was measured
        trace.rules.first_rto_min = 100;
        trace.ack(390, SMSS);
        trace.data(1_000, SMSS, SMSS).lost();
        trace.data(1_000 + wait, SMSS, SMSS);
        trace.ack(1_010 + wait, 2 * SMSS);
        trace
    };
    again(450).is_right(10_000);
    again(380).breaks(Rule::Reason, Side::A, 10_000);
    again(520 + INSIDE).breaks(Rule::Mended, Side::A, 10_000);
}

/// A segment that left again is not measured (Karn): its ACK may be that of the first departure.
#[test]
fn what_left_again_is_not_measured() {
    let mut trace = Trace::mended(RTO);
    // measured, 230 us would make the wait longer than 300 us
    trace.data(1_000, SMSS, SMSS).lost();
    trace.data(1_000 + 2 * RTO, SMSS, SMSS);
    trace.ack(1_020 + 2 * RTO, 2 * SMSS);
    trace.is_right(10_000);
    let mut early = Trace::mended(RTO);
    early.data(1_000, SMSS, SMSS).lost();
    // and the doubling stays
    early.data(1_000 + RTO, SMSS, SMSS);
    early.ack(1_020 + RTO, 2 * SMSS);
    early.breaks(Rule::Reason, Side::A, 10_000);
}

/// Four segments: two are acknowledged, two are lost. SRTT is a unit.
fn tail(wait: u64) -> Trace {
    let mut trace = Trace::default();
    trace.rules.probe = true;
    trace.train(0, 0, 4);
    trace.frames[2..].iter_mut().for_each(|frame| frame.arrived_ps.clear());
    trace.ack(6, 2_000);
    trace.train(11 + wait, 2_000, 2);
    trace.ack(17 + wait, 4_000);
    trace
}

#[test]
fn a_lost_tail_is_probed_behind_two_round_trips() {
    tail(30).is_right(10_000);
    let mut early = tail(5);
    // behind the time in which the ACK before may have come
    early.rules.rtt = 8;
    early.breaks(Rule::Reason, Side::A, 10_000);
    let mut none = tail(30);
    none.rules.probe = false;
    none.breaks(Rule::Reason, Side::A, 10_000);
    // one segment is not probed
    let mut single = Trace::default();
    single.rules.probe = true;
    single.train(0, 0, 3);
    single.frames[2].arrived_ps.clear();
    single.ack(6, 2_000);
    single.train(50, 2_000, 1);
    single.ack(60, 3_000);
    single.breaks(Rule::Reason, Side::A, 10_000);
}

#[test]
fn what_is_lost_leaves_again_in_time() {
    let mut never = Trace::default();
    never.data(0, 0, SMSS).lost();
    never.breaks(Rule::Mended, Side::A, 10_000);
    // the last expiry of a connection sends nothing
    let mut last = Trace::default();
    last.rules.retry_limit = 1;
    last.data(0, 0, SMSS).lost();
    last.is_right(10_000);
}

/// The first segment is late, so that three duplicates come, and then the ACK of all.
#[test]
fn what_was_decided_before_all_was_acknowledged_may_leave() {
    let again = |at: u64| {
        let mut trace = Trace::gap(4);
        trace.frames[0].arrived_ps = vec![9 * US];
        trace.ack(10, 4_000);
        trace.data(at, 0, SMSS);
        trace.ack(at + 6, 4_000);
        trace
    };
    again(16).is_right(10_000);
    again(17 + INSIDE).breaks(Rule::Place, Side::A, 10_000);
}
