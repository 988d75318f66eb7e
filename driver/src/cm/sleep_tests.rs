// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the connection manager's thread wakes.
use crate::backend::fake::Fake;
use crate::platform::PlatformEvent;
use crate::verbs::tests::net;
use crate::Device;
use ferrowarp_abi::codec::{Event, Ring};
use ferrowarp_abi::consts::{admin_opcode, event_kind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the thread is watched.
const SECOND: Duration = Duration::from_secs(1);

/// Wake-ups of a device's thread in a second.
fn wakes(device: &Device) -> u64 {
    let now = || device.shared().wakes.load(Ordering::Relaxed);
    let before = now();
    std::thread::sleep(SECOND);
    now() - before
}

/// The thread has done what it was called for.
fn settle(device: &Device) {
    device.audit().unwrap();
    std::thread::sleep(Duration::from_millis(50));
}

#[test]
fn an_idle_driver_does_not_wake() {
    let fake = Fake::with_interrupts();
    let device = Device::new(fake, &net()).unwrap();
    settle(&device);
    assert_eq!(wakes(&device), 0, "of a device without objects");
    let channel = device.completion_channel();
    let cq = device.completion_queue_in(4, &channel).unwrap();
    let pd = device.protection_domain().unwrap();
    let _qp = device.queue_pair(&pd, [&cq, &cq], Default::default());
    let _listener = device.listen(7000, 4).unwrap();
    settle(&device);
    assert_eq!(wakes(&device), 0, "of a device that listens");
}

#[test]
fn an_interrupt_wakes_the_connection_manager_at_once() {
    let fake = Fake::with_interrupts();
    let device = Device::new(fake.clone(), &net()).unwrap();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    settle(&device);
    let event = Event { kind: event_kind::LINK_DOWN, phase: true, ..Default::default() };
    fake.store(ring.base, &event.octets().unwrap());
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(device.next_event(), None, "nothing has told of the event");
    fake.interrupt();
    assert_eq!(device.wait_event(SECOND).unwrap(), PlatformEvent::LinkDown);
}

#[test]
fn a_device_without_interrupts_is_looked_at_in_turn() {
    let device = Device::new(Fake::new(), &net()).unwrap();
    let often = wakes(&device);
    assert!((20..3_000).contains(&often), "{often} looks in a second");
}

/// The number of a queue pair rests until the thread has looked at the event ring twice, and the
/// thread sleeps.
#[test]
fn who_waits_for_a_number_wakes_the_connection_manager() {
    let device = Device::new(Fake::with_interrupts(), &net()).unwrap();
    settle(&device);
    let begun = Instant::now();
    for _ in 0..6 {
        drop(device.completion_queue(4).unwrap());
    }
    assert!(begun.elapsed() < SECOND, "{:?}", begun.elapsed());
}
