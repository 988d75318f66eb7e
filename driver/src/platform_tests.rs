// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of the device's own, from the event ring to the application, on a device that a test
//! plays.
use super::*;
use crate::backend::fake::Fake;
use crate::device::Device;
use crate::url::NetUrl;
use ferrowarp_abi::codec::Ring;
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::sync::Arc;

const PATIENCE: Duration = Duration::from_secs(30);

/// A device with the place of its event ring, and the entries that it has written.
struct Scene {
    fake: Arc<Fake>,
    device: Device,
    ring: Ring,
    written: u64,
}

impl Scene {
    fn new() -> Self {
        let fake = Fake::new();
        let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
        let net = NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses);
        let device = Device::new(fake.clone(), &net).unwrap();
        let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
        Self { fake, device, ring, written: 0 }
    }

    /// The device writes an event.
    fn tell(&mut self, kind: u8) {
        let phase = (self.written >> self.ring.log2).is_multiple_of(2);
        let at = self.ring.base + self.written % (1 << self.ring.log2) * Event::LEN as u64;
        let event = Event { kind, phase, ..Default::default() };
        self.fake.store(at, &event.octets().unwrap());
        self.written += 1;
    }
}

#[test]
fn a_link_that_changes_is_told_once_to_who_polls_and_to_who_waits() {
    let mut scene = Scene::new();
    let told = scene.device.wait_event(Duration::from_millis(5));
    assert!(matches!(told, Err(Error::TimedOut { what: EVENT, .. })), "{told:?}");
    let other = scene.device.clone();
    let waits = std::thread::spawn(move || other.wait_event(PATIENCE));
    scene.tell(event_kind::LINK_UP);
    assert_eq!(waits.join().unwrap().unwrap(), PlatformEvent::LinkUp);
    // one that is none of the device's own tells nothing
    for kind in [event_kind::LINK_DOWN, event_kind::CQ_NOTIFY, event_kind::LINK_UP] {
        scene.tell(kind);
    }
    assert_eq!(scene.device.wait_event(PATIENCE).unwrap(), PlatformEvent::LinkDown);
    assert_eq!(scene.device.wait_event(PATIENCE).unwrap(), PlatformEvent::LinkUp);
    assert_eq!(scene.device.next_event(), None);
}

#[test]
fn an_application_that_takes_nothing_finds_the_newest_events_and_the_last_state() {
    let mut scene = Scene::new();
    let each = [event_kind::LINK_UP, event_kind::LINK_DOWN];
    // no more than the ring holds at once
    for n in 0..3 * MOST {
        scene.tell(each[n % 2]);
        std::thread::sleep(Duration::from_millis(1));
    }
    scene.tell(event_kind::LINK_UP);
    let end = Instant::now() + PATIENCE;
    let newest = || scene.device.platform().state().events.back().copied();
    while newest() != Some(PlatformEvent::LinkUp) {
        assert!(Instant::now() < end, "the last event is not there");
        std::thread::sleep(Duration::from_millis(1));
    }
    let events: Vec<_> = std::iter::from_fn(|| scene.device.next_event()).collect();
    assert_eq!((events.len(), events.last()), (MOST, Some(&PlatformEvent::LinkUp)));
    assert!(events.windows(2).all(|pair| pair[0] != pair[1]), "{events:?}");
}

#[test]
fn the_last_state_of_the_link_stays_behind_any_number_of_stalls() {
    let events = PlatformEvents::default();
    events.tell(PlatformEvent::LinkDown);
    let most = MOST as u16;
    (0..2 * most).for_each(|qp| events.tell(PlatformEvent::Stalled(Stall::Receive(qp))));
    assert_eq!(events.take(), Some(PlatformEvent::LinkDown));
    assert_eq!(events.take(), Some(PlatformEvent::Stalled(Stall::Receive(most + 1))));
}

#[test]
fn a_wait_without_an_end_is_no_panic() {
    let mut scene = Scene::new();
    scene.tell(event_kind::LINK_UP);
    assert_eq!(scene.device.wait_event(Duration::MAX).unwrap(), PlatformEvent::LinkUp);
}

#[test]
fn who_waits_for_an_event_hears_that_the_device_has_stopped() {
    let mut scene = Scene::new();
    scene.tell(event_kind::LINK_DOWN);
    assert_eq!(scene.device.wait_event(PATIENCE).unwrap(), PlatformEvent::LinkDown);
    let other = scene.device.clone();
    let waits = std::thread::spawn(move || other.wait_event(PATIENCE));
    scene.fake.state().is_gone = true;
    // the connection manager hears of the end when it asks for something
    scene.tell(event_kind::QP_FATAL);
    let told = waits.join().unwrap();
    assert!(matches!(told, Err(Error::Stopped(_))), "{told:?}");
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_task_waits_for_a_link_that_changes() {
    let mut scene = Scene::new();
    let other = scene.device.clone();
    let waits = tokio::spawn(async move { other.wait_event_async(PATIENCE).await });
    scene.tell(event_kind::LINK_DOWN);
    assert_eq!(waits.await.unwrap().unwrap(), PlatformEvent::LinkDown);
}

#[test]
fn who_is_given_a_number_hears_nothing_of_the_last_owner() {
    let scene = Scene::new();
    let events = scene.device.platform();
    let owned = |number| {
        let [receive, transmit] = [Stall::Receive(number), Stall::Transmit(number)];
        [PlatformEvent::CqOverrun(number), PlatformEvent::Stalled(receive), PlatformEvent::Stalled(transmit)]
    };
    [owned(0), owned(1)].concat().into_iter().for_each(|event| events.tell(event));
    events.forget_cq(0);
    events.forget_qp(0);
    assert_eq!(std::iter::from_fn(|| events.take()).collect::<Vec<_>>(), owned(1));

    // the queue that is made has one of these numbers
    (0..8).for_each(|number| events.tell(PlatformEvent::CqOverrun(number)));
    let queue = scene.device.completion_queue(8).unwrap();
    let left: Vec<_> = std::iter::from_fn(|| events.take()).collect();
    assert_eq!((left.len(), left.contains(&PlatformEvent::CqOverrun(queue.number()))), (7, false));
}

#[test]
fn an_event_loop_hears_of_events_by_a_descriptor_until_the_device_stops() {
    let is_readable = |fd: &dyn std::os::fd::AsFd| {
        let begun = std::time::Instant::now();
        let most = Duration::from_millis(30);
        crate::signal::sleep(&[fd.as_fd()], Some(most)).unwrap();
        begun.elapsed() < most
    };
    let events = PlatformEvents::default();
    events.tell(PlatformEvent::LinkUp);
    let signal = events.signal().unwrap();
    let next = || events.try_next(&signal, || Error::Closed);
    events.tell(PlatformEvent::QpFatal(3));
    for want in [PlatformEvent::LinkUp, PlatformEvent::QpFatal(3)] {
        assert!(is_readable(&*signal) && is_readable(&*signal), "level-triggered");
        assert_eq!(next().unwrap(), Some(want));
    }
    assert_eq!(next().unwrap(), None);
    assert!(!is_readable(&*signal));
    events.tell(PlatformEvent::BusError);
    events.end();
    assert_eq!(next().unwrap(), Some(PlatformEvent::BusError));
    for _ in 0..2 {
        assert!(is_readable(&*signal) && matches!(next(), Err(Error::Closed)));
    }
}
