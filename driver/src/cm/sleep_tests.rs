// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the connection manager's thread wakes.
use crate::backend::fake::Fake;
use crate::platform::PlatformEvent;
use crate::signal::sleep;
use crate::verbs::tests::net;
use crate::{Arm, Device};
use ferrowarp_abi::codec::{Event, Ring};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, event_kind};
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
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
    let channel = device.completion_channel().unwrap();
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
    fake.interrupt(0);
    assert_eq!(device.wait_event(SECOND).unwrap(), PlatformEvent::LinkDown);
}

#[test]
fn the_ring_of_the_slow_path_is_armed_before_the_thread_sleeps_and_again_behind_its_event() {
    let fake = Fake::with_interrupts();
    let device = Device::new(fake.clone(), &net()).unwrap();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    let arms = || {
        let state = fake.state();
        let arms = state.doorbells.iter().filter(|bell| bell.kind == doorbell_kind::RAW_RX_ARM);
        arms.map(|bell| (bell.number, bell.value)).collect::<Vec<_>>()
    };
    settle(&device);
    settle(&device);
    assert_eq!(arms(), [(0, 0)], "armed once");
    let event = Event { kind: event_kind::RAW_RX, phase: true, ..Default::default() };
    fake.store(ring.base, &event.octets().unwrap());
    fake.interrupt(0);
    settle(&device);
    assert_eq!(arms(), [(0, 0); 2], "armed again");
    assert_eq!(device.next_event(), None, "the event is the driver's own");
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

/// The thread is held for the whole test: the event comes from the interrupt to whoever waits.
#[test]
fn a_completions_event_reaches_its_descriptor_without_the_connection_manager() {
    let fake = Fake::with_interrupts();
    let device = Device::new(fake.clone(), &net()).unwrap();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    let completions = device.completion_channel().unwrap();
    let cqs = [(); 2].map(|()| device.completion_queue_in(4, &completions).unwrap());
    assert_eq!(fake.state().vectors, [(0, 1), (1, 2)].into(), "each queue has a vector of its own");
    let (release, held) = channel::<()>();
    let busy = device.cm().begin(move |_| held.recv().unwrap()).unwrap();
    cqs.iter().for_each(|cq| cq.arm(Arm::Next).unwrap());
    let is_readable = || {
        let begun = Instant::now();
        sleep(&[completions.as_fd()], Some(Duration::from_millis(30))).unwrap();
        begun.elapsed() < Duration::from_millis(30)
    };
    assert!(!is_readable());
    for (nth, number) in [(0, 1), (1, 0)] {
        let event = Event { kind: event_kind::CQ_NOTIFY, number, phase: true, ..Default::default() };
        fake.store(ring.base + 16 * nth, &event.octets().unwrap());
        fake.interrupt(number + 1);
        assert!(is_readable() && is_readable(), "level-triggered");
        assert!(completions.try_next().unwrap().unwrap() == cqs[usize::from(number)]);
        assert!(completions.try_next().unwrap().is_none() && !is_readable());
    }
    // an event of the device behind one of a queue waits for the connection manager
    let events = [(event_kind::CQ_NOTIFY, 0), (event_kind::LINK_UP, 0)];
    cqs[0].arm(Arm::Next).unwrap();
    for (nth, (kind, number)) in (2..).zip(events) {
        let event = Event { kind, number, phase: true, ..Default::default() };
        fake.store(ring.base + 16 * nth, &event.octets().unwrap());
    }
    fake.interrupt(1);
    assert!(completions.wait(SECOND).unwrap() == cqs[0]);
    assert_eq!(device.next_event(), None);
    release.send(()).unwrap();
    busy.recv().unwrap();
    assert_eq!(device.wait_event(SECOND).unwrap(), PlatformEvent::LinkUp);
}
