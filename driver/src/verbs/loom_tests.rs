// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posts, the failing of their queue pair and the flush in every order that the language allows, by
//! `loom`: each request has one completion, be it the hardware's or a flushed one.
use super::cells::{cell, Cells};
use super::cq::armed::Armed;
use super::outstanding::{Outstanding, Posted};
use super::phase::{Disturbed, Phase};
use super::types::WcOpcode;
use super::types::{Arm, QpState};
use loom::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicU64, AtomicU8, Ordering};
use loom::sync::Arc;
use loom::thread;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Requests that are posted.
const REQUESTS: u32 = 2;

/// The words of `loom`.
#[derive(Debug, Default)]
struct Explored;

cell!(AtomicU8: u8, AtomicU32: u32, AtomicU64: u64, AtomicBool: bool);

impl Cells for Explored {
    type Byte = AtomicU8;
    type Word = AtomicU32;
    type Long = AtomicU64;
    type Bit = AtomicBool;

    fn fence() {
        fence(Ordering::SeqCst);
    }
}

/// What the threads share.
struct Scene {
    phase: Phase<Explored>,
    out: Outstanding<Explored>,
    disturbed: Disturbed<Explored>,
    /// Requests of which the device was told, and completions that it wrote.
    rung: AtomicU32,
    done: AtomicU32,
}

/// How a queue pair fails, how who posts finds out, and how the completion queue hears.
#[derive(Clone, Copy)]
struct Ways {
    fail: fn(&Phase<Explored>),
    is_over: fn(&Phase<Explored>) -> bool,
    tell: fn(&Disturbed<Explored>),
}

const RIGHT: Ways = Ways { fail: Phase::fail, is_over: Phase::is_over, tell: Disturbed::tell };

impl Scene {
    fn new() -> Self {
        let phase = Phase::<Explored>::default();
        assert!(
            phase.step(QpState::Idle, QpState::Connecting)
                && phase.step(QpState::Connecting, QpState::Connected)
        );
        let (out, disturbed) = (Outstanding::new(REQUESTS), Disturbed::default());
        Self { phase, out, disturbed, rung: AtomicU32::new(0), done: AtomicU32::new(0) }
    }

    /// Who posts: one request after the other, as the holder of the queue does.
    fn post(&self, ways: Ways) {
        for wr_id in (10..).take(REQUESTS as usize) {
            let index = self.out.room().unwrap();
            let (opcode, is_signaled) = (WcOpcode::Send, true);
            self.out.push(index, index, Posted { wr_id, opcode, is_signaled, is_own: false, has_slot: true });
            match (ways.is_over)(&self.phase) {
                true => (ways.tell)(&self.disturbed),
                false => self.rung.store(index + 1, Ordering::Release),
            }
        }
    }

    /// The device completes what it was told of, then has a fault, of which the connection manager
    /// hears.
    fn end(&self, ways: Ways) {
        let told = self.rung.load(Ordering::Acquire);
        self.done.store(told, Ordering::Release);
        (ways.fail)(&self.phase);
        if self.out.has_some() {
            (ways.tell)(&self.disturbed);
        }
    }

    /// What the device finished, `taken` of which were polled before.
    fn polled(&self, taken: &mut u32, sink: &mut Vec<u64>) {
        let done = self.done.load(Ordering::Acquire);
        for index in *taken..done {
            sink.push(self.out.complete(index).expect("a completion of a request that is not outstanding").0);
        }
        *taken = (*taken).max(done);
    }

    /// Who polls: the ring first, and once more before what is left is flushed.
    fn poll(&self, taken: &mut u32, sink: &mut Vec<u64>) {
        self.polled(taken, sink);
        if self.disturbed.is_told() && self.disturbed.take() {
            let has_failed = self.phase.get() == QpState::Error;
            self.polled(taken, sink);
            if has_failed {
                sink.extend(self.out.flush().into_iter().map(|(wr_id, _)| wr_id));
            }
        }
    }
}

/// Posts, fails and polls at once; afterwards one more poll has what is left.
fn explore(ways: Ways) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let scene = Arc::new(Scene::new());
        let (posts, ends) = (scene.clone(), scene.clone());
        let threads = [thread::spawn(move || posts.post(ways)), thread::spawn(move || ends.end(ways))];
        let (mut taken, mut got) = (0, vec![]);
        scene.poll(&mut taken, &mut got);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        scene.poll(&mut taken, &mut got);
        assert_eq!(
            got,
            (10..).take(REQUESTS as usize).collect::<Vec<_>>(),
            "completions of the requests in their order"
        );
        assert_eq!(scene.out.room(), Some(REQUESTS));
    });
}

#[test]
fn each_request_has_one_completion_whenever_its_queue_pair_fails() {
    explore(RIGHT);
}

/// Without its fence either side may miss the other. Where both tell the completion queue by a
/// store, the poll may see the work of one.
#[test]
fn an_order_that_loses_a_request_is_found() {
    let unfenced = |phase: &Phase<Explored>| phase.0.store(QpState::Error as u8, Ordering::Release);
    let unasked = |phase: &Phase<Explored>| phase.get() == QpState::Error;
    let stored = |disturbed: &Disturbed<Explored>| disturbed.0.store(true, Ordering::Release);
    let wrong = [
        Ways { fail: unfenced, ..RIGHT },
        Ways { is_over: unasked, ..RIGHT },
        Ways { tell: stored, ..RIGHT },
    ];
    for ways in wrong {
        catch_unwind(AssertUnwindSafe(|| explore(ways))).unwrap_err();
    }
}

/// How an event of the device is taken: whether the channel is to be told.
type Takes = fn(&Armed<Explored>) -> bool;

/// An event waits. It is taken while the next arm comes, of which the device makes an event at
/// once.
fn armed_beside_an_event(takes: Takes) {
    loom::model(move || {
        let (armed, second) = (Arc::new(Armed::<Explored>::default()), Arc::new(AtomicBool::new(false)));
        let arms = |armed: &Armed<Explored>| {
            armed.ask();
            armed.arm(Arm::Next).is_some()
        };
        assert!(arms(&armed));
        let (theirs, told) = (armed.clone(), second.clone());
        let application = thread::spawn(move || told.store(arms(&theirs), Ordering::SeqCst));
        assert!(takes(&armed), "the first event");
        application.join().unwrap();
        if second.load(Ordering::SeqCst) {
            assert!(takes(&armed), "the event of the second arm");
        }
    });
}

#[test]
fn each_event_of_the_device_tells_the_channel() {
    armed_beside_an_event(Armed::event);
}

#[test]
fn an_event_that_is_taken_in_two_steps_is_found() {
    let in_two_steps = |armed: &Armed<Explored>| {
        armed.0.store(armed.0.load(Ordering::SeqCst) & 0x80, Ordering::SeqCst);
        armed.flushes()
    };
    catch_unwind(AssertUnwindSafe(|| armed_beside_an_event(in_two_steps))).unwrap_err();
}
