// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors of completion channels and waits for completions, on a device that a test plays.
use super::tests::net;
use crate::backend::fake::Fake;
use crate::process::tests::child;
use crate::signal::sleep;
use crate::{Arm, CompletionQueue, Device, Error};
use ferrowarp_abi::codec::{Event, Ring};
use ferrowarp_abi::consts::{admin_opcode, event_kind};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const SILENT: Duration = Duration::from_millis(50);

struct Scene {
    fake: Arc<Fake>,
    device: Device,
    base: u64,
    events: AtomicU64,
}

fn scene() -> Scene {
    let fake = Fake::with_interrupts();
    let device = Device::new(fake.clone(), &net()).unwrap();
    let base = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap().base;
    Scene { fake, device, base, events: AtomicU64::new(0) }
}

impl Scene {
    /// The device's event of a queue, and its interrupt.
    fn notify(&self, cq: &CompletionQueue) {
        let (number, nth) = (cq.number(), self.events.fetch_add(1, Ordering::SeqCst));
        let event = Event { kind: event_kind::CQ_NOTIFY, number, phase: true, ..Default::default() };
        self.fake.store(self.base + 16 * nth, &event.octets().unwrap());
        self.fake.interrupt(number + 1);
    }
}

#[test]
fn several_readers_of_a_channel_have_each_event_once() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cqs = [(); 2].map(|()| scene.device.completion_queue_in(4, &channel).unwrap());
    std::thread::scope(|scope| {
        let readers = [(); 3].map(|()| scope.spawn(|| channel.wait(2 * SILENT)));
        for cq in &cqs {
            cq.arm(Arm::Next).unwrap();
            scene.notify(cq);
        }
        let got = readers.map(|reader| reader.join().unwrap());
        let mut numbers: Vec<_> = got.iter().flatten().map(CompletionQueue::number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1]);
        assert!(got.iter().any(|got| matches!(got, Err(Error::TimedOut { .. }))));
    });
}

#[test]
fn the_descriptor_of_a_channel_without_devices_is_quiet() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(4, &channel).unwrap();
    scene.fake.interrupt(1);
    let Scene { fake, device, .. } = scene;
    drop((cq, device));
    assert!(channel.try_next().unwrap().is_none());
    fake.interrupt(1);
    let begun = Instant::now();
    sleep(&[channel.as_fd()], Some(SILENT)).unwrap();
    assert!(begun.elapsed() >= SILENT, "nobody takes the count of a device that is closed");
}

#[test]
fn a_child_takes_no_event_of_its_parent() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(4, &channel).unwrap();
    cq.arm(Arm::Next).unwrap();
    scene.notify(&cq);
    assert_eq!(child(|| channel.try_next().is_err()), 0);
    assert!(channel.wait(PATIENCE).unwrap() == cq);
}

#[test]
fn a_thread_that_waits_for_a_completion_sleeps_on_its_interrupt() {
    let scene = scene();
    let cq = scene.device.completion_queue(4).unwrap();
    let begun = Instant::now();
    assert!(matches!(cq.wait(SILENT), Err(Error::TimedOut { .. })));
    assert!(begun.elapsed() < PATIENCE);
    let state = scene.fake.state();
    let arms =
        state.doorbells.iter().filter(|bell| bell.kind == ferrowarp_abi::consts::doorbell_kind::CQ_ARM);
    assert_eq!(arms.count(), 1, "the device is asked for one event");
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_task_is_woken_by_the_interrupt() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(4, &channel).unwrap();
    assert!(matches!(channel.wait_async(SILENT).await, Err(Error::TimedOut { .. })));
    cq.arm(Arm::Next).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(SILENT);
            scene.notify(&cq);
        });
    });
    assert!(channel.wait_async(PATIENCE).await.unwrap() == cq);
}
