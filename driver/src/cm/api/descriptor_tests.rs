// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors of connections and listeners, on a device that a test plays.
use super::tests::{arrival, manager, queue_pair};
use super::{Connection, ConnectionEvent, Listener};
use crate::cm::hears::Step;
use crate::cm::{ConnectOptions, Startup};
use crate::error::Error;
use crate::signal::sleep;
use crate::verbs::QpState;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

const SILENT: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_secs(30);

fn is_readable(fd: &impl AsFd) -> bool {
    let begun = Instant::now();
    sleep(&[fd.as_fd()], Some(SILENT)).unwrap();
    begun.elapsed() < SILENT
}

#[test]
fn a_connection_is_made_by_an_event_loop() {
    let (_fake, shared, cm) = manager();
    let qp = queue_pair(&shared);
    let remote = "10.0.0.1:7174".parse().unwrap();
    let mut connecting = Connection::connect(&cm, &qp, remote, ConnectOptions::default()).unwrap();
    assert_eq!(connecting.remote(), remote);
    assert!(connecting.poll().unwrap().is_none() && !is_readable(&connecting));
    let tell = |step: fn() -> Step| {
        let told = cm.call(move |pump| pump.connections.values().for_each(|hears| hears.hear(step())));
        told.unwrap();
    };
    tell(|| Step::Established(Default::default()));
    assert!(is_readable(&connecting) && is_readable(&connecting), "level-triggered");
    let connection = connecting.poll().unwrap().expect("it is made");
    assert!(matches!(connecting.poll(), Err(Error::Closed)));
    assert!(!is_readable(&connection) && connection.next_event().is_none());
    tell(|| Step::PeerFinished);
    tell(|| Step::Ended(Ok(())));
    assert!(is_readable(&connection));
    assert!(matches!(connection.next_event(), Some(ConnectionEvent::PeerFinished)));
    assert!(is_readable(&connection), "there is one more");
    assert!(matches!(connection.next_event(), Some(ConnectionEvent::Closed(Ok(())))));
    assert!(connection.next_event().is_none() && !is_readable(&connection));
}

#[test]
fn a_connection_that_fails_tells_why_once() {
    let (_fake, shared, cm) = manager();
    let qp = queue_pair(&shared);
    let remote = "10.0.0.1:7174".parse().unwrap();
    let mut connecting = Connection::connect(&cm, &qp, remote, ConnectOptions::default()).unwrap();
    let told = cm.call(|pump| {
        let rejected = || Step::Ended(Err(Error::Rejected { private_data: vec![5], ird: None, ord: None }));
        pump.connections.values().for_each(|hears| hears.hear(rejected()));
    });
    told.unwrap();
    assert!(is_readable(&connecting));
    assert!(matches!(connecting.poll(), Err(Error::Rejected { private_data, .. }) if private_data == [5]));
    assert!(matches!(connecting.poll(), Err(Error::Closed)));
}

#[test]
fn a_connection_that_is_given_up_leaves_nothing() {
    let (_fake, shared, cm) = manager();
    let qp = queue_pair(&shared);
    let remote = "10.0.0.1:7174".parse().unwrap();
    let connecting = Connection::connect(&cm, &qp, remote, ConnectOptions::default()).unwrap();
    assert_eq!(cm.audit().unwrap().2.connections, 1);
    connecting.cancel();
    let begun = Instant::now();
    while qp.state() != QpState::Error {
        assert!(begun.elapsed() < PATIENCE, "{:?}", qp.state());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(cm.audit().unwrap().2.connections, 0);
}

#[test]
fn a_listener_tells_of_requests_by_its_descriptor() {
    let (fake, _shared, cm) = manager();
    let listener = Listener::new(&cm, None, 7174, 4, Startup::Immediate).unwrap();
    assert!(listener.try_next().unwrap().is_none() && !is_readable(&listener));
    let id = listener.id;
    let given = cm.call(move |pump| {
        let both = [arrival(pump), arrival(pump)];
        both.into_iter().all(|arrival| pump.listeners[&id].give(arrival))
    });
    assert!(given.unwrap());
    for _ in 0..2 {
        assert!(is_readable(&listener));
        assert_eq!(listener.try_next().unwrap().expect("a request").private_data(), [7]);
    }
    assert!(listener.try_next().unwrap().is_none() && !is_readable(&listener));
    drop(listener);
    assert_eq!(cm.audit().unwrap().2.connections, 0);
    fake.state().is_gone = true;
}
