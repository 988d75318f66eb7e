// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listeners and requests on a device that a test plays.
use super::listen::{Listener, Request};
use super::OfferedDepths;
use crate::backend::fake::Fake;
use crate::cm::arrival::Arrival;
use crate::cm::pump::Pump;
use crate::cm::{AcceptOptions, Cm, Startup};
use crate::device::Device;
use crate::error::Error;
use crate::shared::Shared;
use crate::url::NetUrl;
use crate::verbs::{CompletionQueue, QpOptions, QueuePair};
use ferrowarp_abi::codec::{Event, Ring};
use ferrowarp_abi::consts::{admin_opcode, event_kind};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::cm::api::{Connect, Offer, Then};
use ferrowarp_firmware::config::Address;
use ferrowarp_firmware::mpa::negotiate::{Depth, RtrSet};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// A device and its connection manager.
pub(super) fn manager() -> (Arc<Fake>, Arc<Shared>, Arc<Cm>) {
    let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
    let net = NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses);
    let fake = Fake::new();
    let shared = Arc::new(Shared::new(fake.clone()));
    let cm = Arc::new(Cm::start(&shared, &net).unwrap());
    (fake, shared, cm)
}

pub(super) fn queue_pair(shared: &Arc<Shared>) -> QueuePair {
    let pd = Device::domain_of(shared).unwrap();
    let cq = CompletionQueue::new(shared, 3, None, true).unwrap();
    QueuePair::new(&pd, [&cq, &cq], [2, 2], QpOptions { sends: 2, receives: 2 }).unwrap()
}

fn offer(depths: Option<(Depth, Depth)>) -> Offer {
    let rtr = RtrSet { send: false, write: false, read: false };
    Offer { revision: 2, depths, peer_to_peer: false, rtr, markers: false, crc: true, private_data: vec![7] }
}

/// A connection that firmware knows, as if it had come.
pub(super) fn arrival(pump: &mut Pump) -> Arrival {
    let remote = "10.0.0.1:7174".parse().unwrap();
    let connect = Connect { remote, address: None, local_port: None, then: Then::Respond };
    let depths = Some((Depth::Reads(3), Depth::NotNegotiated));
    let id = pump.manager.connect(connect).unwrap();
    Arrival {
        id,
        local: pump.manager.local(id).unwrap(),
        remote,
        offer: Some(offer(depths)),
        greeting: vec![],
    }
}

fn connections(cm: &Cm) -> usize {
    cm.audit().unwrap().2.connections
}

#[test]
fn a_queue_pair_of_another_device_is_refused_and_the_request_ends() {
    let (_, _, cm) = manager();
    let (_, other, _) = manager();
    let qp = queue_pair(&other);
    let request = Request::new(&cm, cm.call(arrival).unwrap());
    assert_eq!((request.private_data(), connections(&cm)), (&[7][..], 1));
    assert_eq!(request.offered(), OfferedDepths { ird: Some(3), ord: None });
    let refused = request.accept(&qp, AcceptOptions::default()).map(drop).unwrap_err();
    assert!(matches!(refused, Error::Domain("the queue pair")), "{refused}");
    assert_eq!(connections(&cm), 0);
    qp.0.bind().expect("it is as free as before");
}

#[test]
fn a_request_without_depths_offers_none() {
    assert_eq!(OfferedDepths::of(&offer(None)), OfferedDepths { ird: None, ord: None });
}

#[test]
fn a_listener_of_a_device_that_fails_says_so() {
    let (fake, _shared, cm) = manager();
    let listener = Listener::new(&cm, None, 7174, 1, Startup::Immediate).unwrap();
    let begun = Instant::now();
    let failed = std::thread::scope(|scope| {
        let waits = scope.spawn(|| listener.next(PATIENCE).map(drop));
        fake.state().is_gone = true;
        let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
        let event = Event { kind: event_kind::CQ_NOTIFY, phase: true, ..Default::default() };
        fake.store(ring.base, &event.octets().unwrap());
        waits.join().unwrap()
    });
    assert!(begun.elapsed() < PATIENCE);
    for failed in [failed, listener.next(PATIENCE).map(drop)] {
        let told = failed.unwrap_err();
        assert!(matches!(&told, Error::Stopped(why) if why.contains("the test ended it")), "{told}");
    }
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_task_hears_of_a_device_that_fails() {
    let (fake, _shared, cm) = manager();
    let listener = Listener::new(&cm, None, 7174, 1, Startup::Immediate).unwrap();
    let fails = async {
        tokio::task::yield_now().await;
        fake.state().is_gone = true;
        let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
        let event = Event { kind: event_kind::CQ_NOTIFY, phase: true, ..Default::default() };
        fake.store(ring.base, &event.octets().unwrap());
    };
    let (failed, ()) = tokio::join!(listener.next_async(PATIENCE), fails);
    let told = failed.map(drop).unwrap_err();
    assert!(matches!(told, Error::Stopped(_)), "{told}");
}

#[test]
fn a_request_that_comes_while_its_listener_goes_is_ended() {
    let (_, _, cm) = manager();
    let listener = Listener::new(&cm, None, 7174, 1, Startup::Immediate).unwrap();
    let id = listener.id;
    let (began, begun) = channel();
    std::thread::scope(|scope| {
        let cm = &cm;
        scope.spawn(move || {
            let given = cm.call(move |pump| {
                began.send(()).unwrap();
                // long enough for the other thread to drop the listener and wait for its turn
                std::thread::sleep(Duration::from_millis(100));
                let arrival = arrival(pump);
                pump.listeners[&id].give(arrival)
            });
            assert!(given.unwrap());
        });
        begun.recv().unwrap();
        drop(listener);
    });
    assert_eq!(connections(&cm), 0);
}
