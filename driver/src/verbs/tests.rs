// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posting, completing and flushing on a device that a test plays.
use super::*;
use crate::backend::fake::Fake;
use crate::device::Device;
use crate::error::Error;
use crate::url::NetUrl;
use ferrowarp_abi::codec::{Cqe, Doorbell, Event, QpRow, Ring, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, event_kind, qp_state, wc_status};
use ferrowarp_abi::types::{ByteCount, MacAddr, STag, TaggedOffset};
use ferrowarp_firmware::config::Address;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Scene {
    pub(super) fake: Arc<Fake>,
    pub(super) device: Device,
    pub(super) pd: ProtectionDomain,
    pub(super) cq: CompletionQueue,
    pub(super) qp: QueuePair,
    pub(super) region: MemoryRegion,
}

pub(crate) fn net() -> NetUrl {
    let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
    NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses)
}

/// A queue pair of two sends and two receives whose completions come in one queue.
pub(crate) fn scene() -> Scene {
    let fake = Fake::new();
    let device = Device::new(fake.clone(), &net()).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(16).unwrap();
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions { sends: 2, receives: 2 }).unwrap();
    let region = pd.allocate(100, Access::ALL).unwrap();
    Scene { fake, device, pd, cq, qp, region }
}

impl Scene {
    pub(super) fn connect(&self) {
        self.qp.0.bind().unwrap();
        self.qp.0.row(1, 1);
        self.qp.0.connected();
    }

    pub(super) fn send(&self, wr_id: u64, unsignaled: bool) -> Result<(), Error> {
        let segment = self.region.segment(0, 10).unwrap();
        let (qp, segments) = (QueuePair::connected(&self.qp.0), [segment]);
        let send = qp.send(wr_id, &segments);
        if unsignaled { send.unsignaled() } else { send }.post()
    }

    pub(super) fn receive(&self, wr_id: u64) -> Result<(), Error> {
        self.qp.post_recv(wr_id, &[self.region.segment(50, 50).unwrap()])
    }

    /// An entry of the hardware for the request with this index.
    pub(super) fn done(&self, index: u32, is_recv: bool, status: u8) {
        let byte_len = ByteCount(33);
        let cqe = Cqe { index, byte_len, qp: self.qp.number(), status, ..Default::default() };
        self.fake.complete(0, Cqe { is_recv, has_wr: true, opcode: 3, ..cqe });
    }

    /// All completions: request, status, kind.
    pub(super) fn polled(&self) -> Vec<(u64, Status, WcOpcode)> {
        let next = || self.cq.poll().unwrap().map(|c| (c.wr_id, c.status, c.opcode));
        std::iter::from_fn(next).collect()
    }

    pub(super) fn rung(&self, kind: u8) -> Vec<u32> {
        let state = self.fake.state();
        state.doorbells.iter().filter(|d| d.kind == kind).map(|d: &Doorbell| d.value).collect()
    }
}

#[test]
fn work_completes_in_order_and_slots_come_back() {
    let scene = scene();
    scene.connect();
    for turn in 0..5 {
        scene.send(100 + 2 * turn, true).unwrap();
        scene.send(101 + 2 * turn, false).unwrap();
        scene.done(2 * turn as u32 + 1, false, wc_status::SUCCESS);
        assert_eq!(scene.polled(), [(101 + 2 * turn, Status::Success, WcOpcode::Send)]);
    }
    assert_eq!(scene.rung(doorbell_kind::SQ), (1..=10).collect::<Vec<_>>());
    scene.receive(7).unwrap();
    scene.done(0, true, wc_status::SUCCESS);
    let got = scene.cq.poll().unwrap().unwrap();
    assert_eq!((got.wr_id, got.octets, got.opcode, got.qp), (7, 33, WcOpcode::Receive, 0));
}

#[test]
fn a_queue_that_is_full_says_so_and_takes_nothing() {
    let scene = scene();
    scene.connect();
    (0..8).for_each(|n| scene.send(n, false).unwrap());
    let full = scene.send(9, false).unwrap_err();
    assert!(full.to_string().contains("the send queue holds 8 work requests"), "{full}");
    scene.receive(1).unwrap();
    scene.receive(2).unwrap();
    assert!(matches!(scene.receive(3), Err(Error::Full { queue: "receive", most: 2 })));
    assert_eq!(scene.rung(doorbell_kind::SQ).len() + scene.rung(doorbell_kind::RQ).len(), 10);
}

#[test]
fn a_full_queue_names_what_it_holds_and_not_its_slots() {
    let scene = scene();
    let none = |sends| QueuePair::logs(QpOptions { sends, receives: 1 }, 16).unwrap_err();
    for asked in [0, 11, u32::MAX - 1, u32::MAX] {
        assert!(matches!(none(asked), Error::Depth { asked: a, most: 10 } if a == asked), "{asked}");
    }
    // two blocks for each request, of 2^15 that a device has at most
    let logs = |sends, receives| QueuePair::logs(QpOptions { sends, receives }, 1 << 14);
    assert_eq!((logs(16_378, 16_384).unwrap(), logs(1, 1).unwrap()), ([15, 15], [4, 1]));
    for (sends, receives, most) in [(16_379, 1, 16_378), (1, 16_385, 16_384)] {
        assert!(matches!(logs(sends, receives), Err(Error::Depth { most: told, .. }) if told == most));
    }
    let options = QpOptions { sends: 3, receives: 3 };
    let qp = scene.device.queue_pair(&scene.pd, [&scene.cq; 2], options).unwrap();
    qp.0.bind().unwrap();
    qp.0.connected();
    let sends = QueuePair::connected(&qp.0);
    (0..9).for_each(|n| sends.send(n, &[]).post().unwrap());
    let full = sends.send(9, &[]).post().unwrap_err().to_string();
    assert!(full.contains("the send queue holds 9 work requests"), "{full}");
    (0..3).for_each(|n| qp.post_recv(n, &[]).unwrap());
    let full = qp.post_recv(3, &[]).unwrap_err().to_string();
    assert!(full.contains("the receive queue holds 3 work requests"), "{full}");
}

#[test]
fn an_error_flushes_what_is_outstanding_and_what_comes_later() {
    let scene = scene();
    scene.connect();
    (0..3).for_each(|n| scene.send(10 + n, n == 1).unwrap());
    scene.receive(20).unwrap();
    scene.done(0, false, wc_status::LOC_PROT_ERR);
    let (send, receive) = (WcOpcode::Send, WcOpcode::Receive);
    // the entry of an error overtakes those of what was done before
    assert_eq!(scene.polled(), [(10, Status::LocalProtection, send)]);
    scene.done(1, false, wc_status::SUCCESS);
    assert_eq!(scene.polled(), [(11, Status::Success, send)]);
    scene.qp.0.fail();
    let want = [(12, Status::Flushed, send), (20, Status::Flushed, receive)];
    assert_eq!(scene.polled(), want);
    let before = scene.fake.state().doorbells.len();
    scene.send(13, true).unwrap();
    scene.receive(21).unwrap();
    assert_eq!(scene.polled(), [(13, Status::Flushed, send), (21, Status::Flushed, receive)]);
    assert_eq!(scene.fake.state().doorbells.len(), before, "the hardware hears nothing more");
    // one that the hardware had finished and that was flushed already is not told again
    scene.done(2, false, wc_status::SUCCESS);
    assert_eq!(scene.polled(), []);
}

#[test]
fn what_the_hardware_finished_comes_before_what_is_flushed() {
    let scene = scene();
    scene.connect();
    scene.send(10, false).unwrap();
    scene.send(11, false).unwrap();
    scene.done(0, false, wc_status::SUCCESS);
    scene.qp.0.fail();
    let send = WcOpcode::Send;
    assert_eq!(scene.polled(), [(10, Status::Success, send), (11, Status::Flushed, send)]);
}

#[test]
fn a_fault_without_a_request_flushes_and_is_no_completion_itself() {
    let scene = scene();
    scene.connect();
    scene.receive(20).unwrap();
    let status = wc_status::FATAL_ERR;
    scene.fake.complete(0, Cqe { qp: 0, status, is_recv: true, error: 0x2002, ..Default::default() });
    assert_eq!(scene.polled(), []);
    scene.qp.0.fail();
    assert_eq!(scene.polled(), [(20, Status::Flushed, WcOpcode::Receive)]);
}

#[test]
fn entries_that_cannot_be_are_errors_and_the_queue_goes_on() {
    let scene = scene();
    scene.connect();
    scene.receive(20).unwrap();
    let cqe = Cqe { has_wr: true, is_recv: true, ..Default::default() };
    scene.fake.complete(0, Cqe { qp: 1, ..cqe });
    scene.fake.complete(0, Cqe { index: 5, ..cqe });
    scene.fake.complete(0, Cqe { has_wr: false, ..cqe });
    scene.fake.complete(0, Cqe { status: 11, ..cqe });
    scene.done(0, true, wc_status::SUCCESS);
    let told =
        ["no queue pair 1", "request 5 is not outstanding", "names no request", "status 11 is unknown"];
    for why in told {
        let error = scene.cq.poll().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(scene.polled(), [(20, Status::Success, WcOpcode::Receive)]);
}

/// How long a channel is watched that stays silent.
const SILENT: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn an_armed_queue_is_told_once() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(16, &channel).unwrap();
    assert!(matches!(scene.cq.arm(Arm::Next), Err(Error::NoChannel(0))));
    for (nth, kind) in [Arm::Next, Arm::Solicited].into_iter().enumerate() {
        cq.arm(kind).unwrap();
        let rung = scene.fake.state().doorbells.pop().unwrap();
        let solicited_only = kind == Arm::Solicited;
        assert_eq!(rung, Doorbell { kind: doorbell_kind::CQ_ARM, solicited_only, number: 1, value: 0 });
        assert!(matches!(channel.wait(SILENT), Err(Error::TimedOut { .. })));
        let ring = Ring::parse(&scene.fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
        let event = Event { kind: event_kind::CQ_NOTIFY, number: 1, phase: true, ..Default::default() };
        scene.fake.store(ring.base + 32 * nth as u64, &event.octets().unwrap());
        assert!(channel.wait(PATIENCE).unwrap() == cq);
        // an event that nobody armed for
        scene.fake.store(ring.base + 32 * nth as u64 + 16, &event.octets().unwrap());
        assert!(matches!(channel.wait(SILENT), Err(Error::TimedOut { .. })));
    }
}

#[test]
fn what_is_flushed_wakes_who_waits() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(16, &channel).unwrap();
    let qp = scene.device.queue_pair(&scene.pd, [&cq, &cq], QpOptions { sends: 2, receives: 2 }).unwrap();
    qp.0.bind().unwrap();
    qp.0.connected();
    qp.post_recv(1, &[]).unwrap();
    cq.arm(Arm::Solicited).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| channel.wait(PATIENCE).unwrap());
        qp.0.fail();
        assert!(waits.join().unwrap() == cq);
    });
    // there is something already
    cq.arm(Arm::Next).unwrap();
    assert!(channel.wait(Duration::ZERO).unwrap() == cq);
    assert_eq!(cq.poll().unwrap().unwrap().status, Status::Flushed);
    cq.arm(Arm::Next).unwrap();
    assert!(matches!(channel.wait(SILENT), Err(Error::TimedOut { .. })));
    // what is posted in error completes at once
    qp.post_recv(2, &[]).unwrap();
    assert!(channel.wait(Duration::ZERO).unwrap() == cq);
    // a queue that is gone has nothing to say
    cq.arm(Arm::Next).unwrap();
    drop((cq, qp));
    assert!(matches!(channel.wait(SILENT), Err(Error::TimedOut { .. })));
}

#[test]
fn sends_need_a_connection_and_receives_do_not() {
    let scene = scene();
    assert!(matches!(scene.send(1, false), Err(Error::NotConnected(0))));
    scene.receive(1).unwrap();
    scene.qp.0.bind().unwrap();
    assert!(matches!(scene.qp.0.bind(), Err(Error::Used(0))));
    assert!(matches!(scene.send(1, false), Err(Error::NotConnected(0))));
    // the driver's own messages come first, and complete for nobody
    scene.qp.0.post_raw(b"reply").unwrap();
    scene.qp.0.connected();
    scene.send(2, false).unwrap();
    let sq = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[0].1).unwrap().sq_base;
    let raw = SendWqe::parse(&scene.fake.octets(sq, 32)).unwrap();
    assert_eq!((raw.opcode, raw.length.0, raw.is_signaled), (16, 5, false));
    scene.done(1, false, wc_status::SUCCESS);
    assert_eq!(scene.polled(), [(2, Status::Success, WcOpcode::Send)]);
}

#[test]
fn reads_and_writes_name_the_peers_buffer() {
    let scene = scene();
    scene.connect();
    let remote = Remote { stag: STag(0x1234), to: TaggedOffset(0x5678) };
    let qp = QueuePair::connected(&scene.qp.0);
    qp.write(1, &[scene.region.segment(1, 2).unwrap()], remote).post().unwrap();
    qp.read(2, scene.region.segment(3, 4).unwrap(), remote).post().unwrap();
    let sq = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[0].1).unwrap().sq_base;
    for (slot, opcode, length) in [(0, 0, 2), (1, 1, 4)] {
        let head = SendWqe::parse(&scene.fake.octets(sq + 64 * slot, 32)).unwrap();
        assert_eq!((head.opcode, head.length.0), (opcode, length));
        assert_eq!((head.remote_stag, head.remote_to), (remote.stag, remote.to));
    }
    scene.done(0, false, wc_status::SUCCESS);
    scene.done(1, false, wc_status::SUCCESS);
    let got: Vec<_> = std::iter::from_fn(|| scene.cq.poll().unwrap()).map(|c| (c.opcode, c.octets)).collect();
    assert_eq!(got, [(WcOpcode::Write, 0), (WcOpcode::Read, 33)]);
}

#[test]
fn a_connection_without_reads_takes_none() {
    let scene = scene();
    scene.connect();
    scene.qp.0.row(1, 0);
    let qp = QueuePair::connected(&scene.qp.0);
    let (sink, remote) =
        (scene.region.segment(0, 4).unwrap(), Remote { stag: STag(0x1234), to: TaggedOffset(0) });
    let refused = [qp.read(1, sink, remote).post(), qp.sends().read(1, sink, remote).post()];
    for refused in refused {
        let told = refused.unwrap_err();
        assert!(matches!(told, Error::NoReads(0)) && told.to_string().contains("an ORD of 0"), "{told}");
    }
    assert!(scene.rung(doorbell_kind::SQ).is_empty());
    qp.write(1, &[sink], remote).post().unwrap();
}

#[test]
fn what_the_device_has_no_more_of_is_told_and_comes_back() {
    let scene = scene();
    let second = || scene.device.queue_pair(&scene.pd, [&scene.cq, &scene.cq], QpOptions::default());
    let other = second().unwrap_err().to_string();
    assert!(other.contains("a queue of 128 work requests") && other.contains("ask for 1 to 10"), "{other}");
    let small = QpOptions { sends: 1, receives: 1 };
    let make = || scene.device.queue_pair(&scene.pd, [&scene.cq, &scene.cq], small);
    let one = make().unwrap();
    let none = make().unwrap_err();
    assert!(none.to_string().contains("all 2 queue pairs of the device are in use"), "{none}");
    drop(one);
    let reset = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE).pop().unwrap().1).unwrap();
    assert_eq!(reset.state, qp_state::RESET);
    make().unwrap();
    assert!(matches!(scene.device.completion_queue(17), Err(Error::Depth { asked: 17, most: 16 })));
    assert!(matches!(scene.device.completion_queue(0), Err(Error::Depth { asked: 0, most: 16 })));
}
