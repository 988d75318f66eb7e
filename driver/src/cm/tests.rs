// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware's commands and events against a device that a test plays.
use super::port::DevicePort;
use crate::backend::fake::Fake;
use crate::device::Device;
use crate::error::Error;
use crate::platform::{PlatformEvent, Stall};
use crate::shared::Shared;
use crate::url::NetUrl;
use crate::verbs::{QpOptions, QpState, QueuePair};
use ferrowarp_abi::codec::{AdminCommand, ConnRow, Doorbell, Event, QpRow, Ring, SendWqe};
use ferrowarp_abi::consts::{
    admin_opcode, admin_row, admin_status, doorbell_kind, event_kind, stall, work_opcode,
};
use ferrowarp_abi::types::{MacAddr, SeqNum};
use ferrowarp_firmware::config::Address;
use ferrowarp_firmware::port::{Answer, Change, Command, DeviceEvent, Port, QpId, Refusal, Rtr};
use std::sync::Arc;
use std::time::Duration;

const QP: QpId = QpId(0);

/// A port with a queue pair; the device with the connection manager of its own is beside it.
fn scene() -> (Arc<Fake>, DevicePort, QueuePair) {
    let fake = Fake::new();
    let shared = Arc::new(Shared::new(fake.clone()));
    let port = DevicePort::new(&shared).unwrap();
    let qp = queue_pair(&shared);
    (fake, port, qp)
}

/// A queue pair with a completion queue of its own.
fn queue_pair(shared: &Arc<Shared>) -> QueuePair {
    let pd = Device::domain_of(shared).unwrap();
    let cq = crate::verbs::CompletionQueue::new(shared, 3, None, true).unwrap();
    QueuePair::new(&pd, [&cq, &cq], [4, 2], QpOptions { sends: 2, receives: 2 }).unwrap()
}

fn row() -> ConnRow {
    let row = ConnRow {
        emss: 1460,
        mulpdu: 1440,
        snd_una: SeqNum(100),
        snd_nxt: SeqNum(100),
        ..Default::default()
    };
    ConnRow { rcv_nxt: SeqNum(500), ..row }
}

/// Gives a command and takes its answer.
fn done(port: &mut DevicePort, command: Command) -> Answer {
    port.submit(command);
    let answer = port.answer().expect("the device answers at once");
    assert_eq!(port.answer(), None);
    answer
}

/// Opcodes of the commands since the last call.
fn told(fake: &Fake) -> Vec<(AdminCommand, Vec<u8>)> {
    std::mem::take(&mut fake.state().commands)
}

#[test]
fn depths_keep_the_receives_that_were_posted() {
    let (fake, mut port, qp) = scene();
    qp.post_recv(1, &[]).unwrap();
    fake.state().doorbells.clear();
    told(&fake);
    assert_eq!(done(&mut port, Command::Depths { qp: QP, ird: 3, ord: 4 }), Answer::Done);
    let commands = told(&fake);
    let row = QpRow::parse(&commands[0].1).unwrap();
    assert_eq!((commands.len(), commands[0].0.opcode), (1, admin_opcode::QP_WRITE));
    assert_eq!((row.ird, row.ord, row.rq_log2), (3, 4, 2));
    let again = Doorbell { kind: doorbell_kind::RQ, value: 1, ..Default::default() };
    assert_eq!(fake.state().doorbells, [again]);
}

#[test]
fn a_connection_goes_in_and_out() {
    let (fake, mut port, _qp) = scene();
    told(&fake);
    let inserted = done(&mut port, Command::ConnInsert { qp: QP, row: Box::new(row()) });
    assert_eq!(inserted, Answer::Inserted { raw_index: 77 });
    assert_eq!(ConnRow::parse(&told(&fake)[0].1).unwrap(), row());
    let ack = Command::ConnAck { qp: QP, ack: SeqNum(9), window: 1, seq: SeqNum(2), ack_now: true };
    assert_eq!(done(&mut port, ack), Answer::Done);
    let (head, octets) = told(&fake).remove(0);
    assert_eq!(head, AdminCommand { opcode: admin_opcode::CONN_ACK, ..Default::default() });
    assert_eq!(octets, [0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0x80, 0, 0, 0]);
    let live = ConnRow { snd_una: SeqNum(666), snd_nxt: SeqNum(777), rcv_nxt: SeqNum(888), ..row() };
    fake.state().row = live.octets().unwrap().to_vec();
    let removed = done(&mut port, Command::ConnRemove { qp: QP });
    assert_eq!(removed, Answer::Removed { snd_una: SeqNum(666), snd_nxt: SeqNum(777), rcv_nxt: SeqNum(888) });
    let opcodes: Vec<_> = told(&fake).iter().map(|(head, _)| head.opcode).collect();
    assert_eq!(opcodes, [admin_opcode::READ_ROW, admin_opcode::CONN_REMOVE]);
    assert_eq!(done(&mut port, Command::OpenGate { qp: QP }), Answer::Refused(Refusal::Absent));
}

#[test]
fn refusals_have_the_devices_reason() {
    let (fake, mut port, _qp) = scene();
    let statuses = [
        (admin_status::BAD_OPCODE, Refusal::Unknown),
        (admin_status::BAD_INDEX, Refusal::BadIndex),
        (admin_status::BAD_ROW, Refusal::BadRow),
        (admin_status::PRESENT, Refusal::Present),
        (admin_status::FULL, Refusal::Full),
        (admin_status::ABSENT, Refusal::Absent),
    ];
    for (status, why) in statuses {
        fake.state().refused.insert(admin_opcode::CONN_RESET, status);
        assert_eq!(done(&mut port, Command::Rst { qp: QP }), Answer::Refused(why));
    }
}

#[test]
fn messages_of_the_drivers_own_are_work_requests() {
    let (fake, mut port, qp) = scene();
    qp.0.bind().unwrap();
    let sq = QpRow::parse(&fake.told(admin_opcode::QP_WRITE)[0].1).unwrap().sq_base;
    // the longest Reply, in requests of two blocks of 64 octets that hold 96 of it
    let octets: Vec<u8> = (0..532).map(|n| (n % 251) as u8).collect();
    assert_eq!(done(&mut port, Command::RawMessage { qp: QP, octets: octets.clone() }), Answer::Done);
    let mut left = vec![];
    for at in (0..6).map(|nth| sq + 128 * nth) {
        let raw = SendWqe::parse(&fake.octets(at, 64)).unwrap();
        assert_eq!((raw.opcode, raw.is_inline, raw.num_sge), (work_opcode::RAW, true, 0));
        left.extend(fake.octets(at + 32, raw.length.0 as usize));
    }
    assert_eq!(left, octets);
    assert_eq!(done(&mut port, Command::Rtr { qp: QP, kind: Rtr::Read }), Answer::Done);
    // the last part of the Reply takes two blocks, too
    let read = SendWqe::parse(&fake.octets(sq + 6 * 128, 64)).unwrap();
    assert_eq!((read.opcode, read.num_sge, read.length.0, read.is_signaled), (1, 1, 0, false));
    assert_eq!(fake.told(admin_opcode::MR_WRITE).len(), 0, "no message needs a region");
    drop(qp);
}

#[test]
fn a_terminate_leaves_without_the_header_that_hardware_makes() {
    let (fake, mut port, _qp) = scene();
    told(&fake);
    let ulpdu = [vec![0xEE; 18], vec![1, 2, 3, 4]].concat();
    assert_eq!(done(&mut port, Command::Terminate { qp: QP, ulpdu }), Answer::Done);
    let (head, slot) = told(&fake).remove(0);
    assert_eq!((head.opcode, slot.len()), (admin_opcode::CONN_CONTROL, 128));
    let wqe = SendWqe::parse(&slot).unwrap();
    assert_eq!((wqe.opcode, wqe.length.0, wqe.is_inline), (7, 4, true));
    assert_eq!(slot[32..37], [1, 2, 3, 4, 0]);
}

#[test]
fn a_fin_is_one_command_and_its_acknowledgement_one_event() {
    let (fake, mut port, _qp) = scene();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    told(&fake);
    assert_eq!(done(&mut port, Command::Fin { qp: QP }), Answer::Done);
    let [(head, slot)] = &told(&fake)[..] else { panic!("one command") };
    assert_eq!((head.opcode, head.index), (admin_opcode::CONN_CONTROL, QP.0));
    assert_eq!(SendWqe::parse(slot).unwrap().opcode, work_opcode::FIN);
    assert_eq!(port.event(), None, "the FIN is not acknowledged");
    let event = Event { kind: event_kind::FIN_ACKED, number: QP.0, phase: true, ..Default::default() };
    fake.store(ring.base, &event.octets().unwrap());
    assert_eq!(port.event(), Some(DeviceEvent::FinAcked(QP)));
    assert_eq!(port.event(), None, "once");
}

#[test]
fn progress_is_what_the_row_says() {
    let (fake, mut port, _qp) = scene();
    told(&fake);
    let live = ConnRow { snd_una: SeqNum(1000), snd_nxt: SeqNum(1500), ..row() };
    fake.state().row = live.octets().unwrap().to_vec();
    let progress = done(&mut port, Command::Progress { qp: QP });
    assert_eq!(progress, Answer::Acknowledged { snd_una: SeqNum(1000), snd_nxt: SeqNum(1500) });
    let [(head, octets)] = &told(&fake)[..] else { panic!("one command") };
    assert_eq!((head.opcode, head.row, head.index), (admin_opcode::READ_ROW, admin_row::CONN, QP.0));
    assert!(octets.is_empty());
}

#[test]
fn a_path_mtu_counts_only_for_what_is_in_flight() {
    let (fake, mut port, _qp) = scene();
    done(&mut port, Command::ConnInsert { qp: QP, row: Box::new(row()) });
    let live = ConnRow { snd_una: SeqNum(1000), snd_nxt: SeqNum(2000), gate_open: true, ..row() };
    fake.state().row = live.octets().unwrap().to_vec();
    let mtu = |quoted| {
        let change = Change::PathMtu { emss: 1000, mulpdu: 980, quoted: SeqNum(quoted) };
        Command::ConnUpdate { qp: QP, change }
    };
    told(&fake);
    for quoted in [999, 2000, 0] {
        assert_eq!(done(&mut port, mtu(quoted)), Answer::Done);
    }
    assert!(told(&fake).iter().all(|(head, _)| head.opcode == admin_opcode::READ_ROW));
    assert_eq!(done(&mut port, mtu(1000)), Answer::Done);
    let row = ConnRow::parse(&told(&fake)[1].1).unwrap();
    assert_eq!((row.emss, row.mulpdu, row.gate_open), (1000, 980, true));
    let hop = Change::NextHop(MacAddr([2; 6]));
    assert_eq!(done(&mut port, Command::ConnUpdate { qp: QP, change: hop }), Answer::Done);
    let row = ConnRow::parse(&told(&fake)[1].1).unwrap();
    assert_eq!((row.destination_mac, row.emss), (MacAddr([2; 6]), 1000));
}

#[test]
fn a_larger_path_mtu_needs_nothing_in_flight() {
    let (fake, mut port, _qp) = scene();
    let narrow = ConnRow { emss: 1000, mulpdu: 980, ..row() };
    done(&mut port, Command::ConnInsert { qp: QP, row: Box::new(narrow) });
    fake.state().row = narrow.octets().unwrap().to_vec();
    let tried = |emss, mulpdu| {
        let change = Change::PathMtu { emss, mulpdu, quoted: SeqNum(0) };
        Command::ConnUpdate { qp: QP, change }
    };
    told(&fake);
    assert_eq!(done(&mut port, tried(1460, 1440)), Answer::Done);
    let commands = told(&fake);
    assert_eq!(commands.len(), 2, "the row is read, and written: {commands:?}");
    let row = ConnRow::parse(&commands[1].1).unwrap();
    assert_eq!((row.emss, row.mulpdu), (1460, 1440));
    // the size of the row is not a larger one
    assert_eq!(done(&mut port, tried(1460, 1440)), Answer::Done);
    assert_eq!(told(&fake).len(), 1);
}

#[test]
fn events_reach_firmware_and_stop_queue_pairs() {
    let (fake, mut port, qp) = scene();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    let kinds = [
        (event_kind::FIRST_FPDU, Some(DeviceEvent::FirstFpdu(QP))),
        (event_kind::CQ_NOTIFY, None),
        (event_kind::PEER_FIN, Some(DeviceEvent::PeerFin(QP))),
        (event_kind::PEER_TERMINATE, Some(DeviceEvent::Terminate(QP, vec![0x10, 0x02, 0, 0]))),
        (event_kind::PEER_RESET, Some(DeviceEvent::PeerReset(QP))),
        (event_kind::CONNECTION_LOST, Some(DeviceEvent::Lost(QP))),
        (event_kind::OCTETS_AFTER_FIN, Some(DeviceEvent::OctetsAfterFin(QP))),
    ];
    qp.0.bind().unwrap();
    qp.0.connected();
    for (nth, (kind, want)) in kinds.into_iter().enumerate() {
        let event = Event { kind, number: 0, info: 0x1002_0000, phase: true, ..Default::default() };
        fake.store(ring.base + 16 * nth as u64, &event.octets().unwrap());
        assert_eq!(port.event(), want);
        // the fourth event stops it: what is posted then is flushed, and the hardware does not hear
        // of it
        if nth <= 3 {
            crate::QueuePair::connected(&qp.0).send(nth as u64, &[]).post().unwrap();
            let rung = fake.state().doorbells.iter().filter(|d| d.kind == doorbell_kind::SQ).count();
            assert_eq!(rung, (nth + 1).min(3), "event {kind}");
        }
    }
}

#[test]
fn events_of_the_device_itself_wait_for_the_application() {
    let fake = Fake::new();
    let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
    let device = Device::new(fake.clone(), &NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses)).unwrap();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    let told = [
        (event_kind::LINK_UP, 0, 0, PlatformEvent::LinkUp),
        (event_kind::LINK_DOWN, 0, 0, PlatformEvent::LinkDown),
        (event_kind::STALLED, 0, stall::ADMIN, PlatformEvent::Stalled(Stall::Admin)),
        (event_kind::STALLED, 5, stall::RECEIVE, PlatformEvent::Stalled(Stall::Receive(5))),
        (event_kind::STALLED, 1, stall::TRANSMIT, PlatformEvent::Stalled(Stall::Transmit(1))),
        (event_kind::STALLED, 0, stall::FRAME, PlatformEvent::Stalled(Stall::Frame)),
        (event_kind::BUS_ERROR, 0, 0, PlatformEvent::BusError),
    ];
    for (nth, (kind, number, info, want)) in told.into_iter().enumerate() {
        let event = Event { kind, number, info: info.into(), phase: true, ..Default::default() };
        fake.store(ring.base + 16 * nth as u64, &event.octets().unwrap());
        let begun = std::time::Instant::now();
        let heard = std::iter::repeat_with(|| device.next_event()).find(|heard| {
            std::thread::sleep(Duration::from_millis(1));
            heard.is_some() || begun.elapsed() > Duration::from_secs(10)
        });
        assert_eq!(heard.flatten(), Some(want), "kind {kind}, info {info}");
        assert_eq!(device.next_event(), None, "once");
    }
}

/// The device told of a queue pair before it answered that the queue pair is gone, and nobody has
/// taken the event yet.
#[test]
fn an_event_of_a_queue_pair_that_is_gone_is_not_of_the_next_one() {
    let (fake, mut port, qp) = scene();
    let shared = qp.0.number.shared.clone();
    let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
    for (nth, kind) in [event_kind::PEER_RESET, event_kind::CQ_OVERRUN].into_iter().enumerate() {
        let event = Event { kind, phase: true, ..Default::default() };
        fake.store(ring.base + 16 * nth as u64, &event.octets().unwrap());
    }
    drop(qp);
    let next = queue_pair(&shared);
    assert_eq!(port.event(), Some(DeviceEvent::PeerReset(QP)));
    assert_eq!(port.event(), None);
    assert_eq!((next.state(), next.number()), (QpState::Idle, 1));
    // the number comes again when the ring was found empty once more
    assert_eq!(port.event(), None);
    assert_eq!(queue_pair(&shared).number(), 0);
}

#[test]
fn calls_that_firmware_refuses_leave_the_queue_pair_free() {
    let fake = Fake::new();
    let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
    let net = NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses);
    let device = Device::new(fake, &net).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(8).unwrap();
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions { sends: 1, receives: 1 }).unwrap();
    for (remote, why) in
        [("10.0.0.9:0", "port 0"), ("192.0.2.1:5", "no route"), ("10.0.0.2:5", "no address of one")]
    {
        let refused = device.connect(&qp, remote.parse().unwrap(), Default::default()).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let first = device.listen(7174, 1).unwrap();
    assert!(matches!(device.listen(7174, 1), Err(Error::Call(_))));
    drop(first);
    device.listen(7174, 1).unwrap();
}

/// How long the end of a port may take: a second, and what a busy machine adds.
const MOMENT: Duration = Duration::from_millis(1800);

#[test]
fn the_end_of_a_port_does_not_wait_for_a_silent_device_which_keeps_the_rings() {
    let (fake, port, _qp) = scene();
    let mapped = fake.mapped();
    fake.state().is_silent = true;
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        drop(port);
        done.send(())
    });
    assert!(ended.recv_timeout(MOMENT).is_ok(), "the end of a port waits for longer than {MOMENT:?}");
    fake.state().is_silent = false;
    assert_eq!(fake.mapped(), mapped, "the device may reach the rings");
}
