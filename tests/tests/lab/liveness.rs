// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a peer may be silent, as an application's options say: `retries`, `keepalive`,
//! `user_timeout`.
use ferrowarp::{CallError, ConnError, ConnectOptions, Error};
use ferrowarp_firmware::cm::liveness::Liveness;
use ferrowarp_firmware::error::Stage;
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::talk::{options, Talk};
use ferrowarp_tests::fw::mpa::Frame;
use std::num::NonZeroU8;
use std::time::{Duration, Instant};

/// A connection to a new peer.
fn connected(lab: &mut Lab, options: ConnectOptions) -> Talk {
    Talk::initiate(lab, 22_000, options, &Frame::reply().enhanced(0x0004_0004)).0
}

/// How the connection ended.
fn end(lab: &mut Lab, talk: &Talk) -> ConnError {
    lab.until("the end", |_| talk.connection.ended().is_some());
    match talk.connection.ended() {
        Some(Err(Error::Connection(why))) => why,
        other => panic!("it ended with {other:?}"),
    }
}

/// Eight octets for the peer.
fn send(talk: &Talk) {
    let segment = talk.region.segment(0, 8).expect("a segment");
    talk.connection.queue_pair().send(1, &[segment]).post().expect("room");
}

/// Segments without octets, one place before what comes next.
fn questions(lab: &Lab) -> usize {
    let before = lab.peer.rcv_nxt.wrapping_sub(1);
    lab.peer.log.iter().filter(|seg| seg.is_empty() && seg.seq == before).count()
}

#[test]
fn a_peer_that_answers_keeps_an_idle_connection_and_one_that_does_not_loses_it() {
    let mut lab = Lab::with("keepalive", "retries=200");
    // three of them are longer than a busy machine keeps the peer from its answers
    let keepalive = Some(Duration::from_millis(400));
    let talk = connected(&mut lab, options().keepalive(keepalive).retries(NonZeroU8::new(3)));
    lab.until("two questions", |lab| questions(lab) >= 2);
    assert!(talk.connection.ended().is_none());
    lab.peer.log.clear();
    lab.peer.answers = false;
    assert_eq!(end(&mut lab, &talk), ConnError::Lost);
    // an answer may have been under way, which one more question or two did not wait for
    assert!((3..=5).contains(&questions(&lab)), "{:?}", lab.peer.log);
}

#[test]
fn octets_that_nobody_acknowledges_end_the_connection_behind_the_user_time_out() {
    let mut lab = Lab::with("user-timeout", "rto=5;retries=255");
    let time = Duration::from_millis(200);
    let talk = connected(&mut lab, options().user_timeout(time));
    // what is acknowledged in time does no harm
    let from = Instant::now();
    while from.elapsed() < 2 * time {
        send(&talk);
        lab.until("the completion", |_| talk.cq.poll().expect("entries").is_some());
    }
    assert!(talk.connection.ended().is_none());
    lab.peer.answers = false;
    let from = Instant::now();
    send(&talk);
    assert_eq!(end(&mut lab, &talk), ConnError::TimedOut(Stage::Acknowledgement));
    assert!(from.elapsed() >= time, "{:?}", from.elapsed());
    lab.until("a reset", |lab| lab.peer.rst);
}

#[test]
fn a_connection_has_the_retries_that_it_wants() {
    let mut lab = Lab::with("retries", "rto=20;retries=9");
    let talk = connected(&mut lab, options().retries(NonZeroU8::new(2)));
    lab.peer.log.clear();
    lab.peer.answers = false;
    send(&talk);
    assert_eq!(end(&mut lab, &talk), ConnError::Lost);
    let sent = lab.peer.log.iter().filter(|seg| seg.data.len() == 32).count();
    assert_eq!(sent, 2, "the first one and one again: {:?}", lab.peer.log);
}

#[test]
fn times_that_cannot_be_are_refused_with_what_can() {
    let mut lab = Lab::new("liveness");
    let ask = |lab: &mut Lab, options: ConnectOptions| {
        let (_cq, qp) = lab.queue_pair();
        let remote = lab.peer.ours;
        lab.device.connect(&qp, remote, options).expect_err("no such time")
    };
    for asked in [Duration::ZERO, Liveness::MOST_KEEPALIVE + Duration::from_secs(1)] {
        let why = ask(&mut lab, options().keepalive(asked));
        assert!(matches!(&why, Error::Call(CallError::Keepalive { .. })), "{why:?}");
        let told = why.to_string();
        assert!(told.contains(&format!("{asked:?}")) && told.contains("10737s"), "{told}");
    }
    let why = ask(&mut lab, options().user_timeout(Duration::ZERO));
    assert!(matches!(&why, Error::Call(CallError::UserTimeout)), "{why:?}");
}
