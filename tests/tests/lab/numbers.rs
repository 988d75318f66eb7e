// SPDX-License-Identifier: MIT OR Apache-2.0
//! The number of a queue pair comes again when what the device told of its last owner was taken:
//! the driver on a simulated device, whose connection manager is held up while the application goes
//! on.
use ferrowarp::inspect::{row, Row};
use ferrowarp::{CqOptions, QpOptions, QpState};
use ferrowarp_abi::consts::qp_state;
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::segments::untagged;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use std::time::Duration;

/// Sends of the peer, more than a small completion queue has slots.
const SENDS: u32 = 40;
/// RDMAP's octet of a Send.
const SEND: u8 = 0x43;
/// Time in which an event that is taken for another queue pair's is seen.
const MOMENT: Duration = Duration::from_millis(300);

/// An overrun stops each queue pair of its queue, with an event. One of them has no connection, and
/// its owner drops it before the event is taken.
#[test]
fn an_event_of_a_queue_pair_that_is_gone_does_not_stop_the_next_one() {
    let mut lab = Lab::new("numbers");
    let small = CqOptions::default().entries(1).is_counted(false);
    let cq = lab.device.completion_queue_of(small).expect("a completion queue");
    let queues = QpOptions::default().sends(2).receives(SENDS);
    let [floods, idle] = [(); 2].map(|()| lab.device.queue_pair(&lab.pd, [&cq, &cq], queues));
    let (floods, idle) = (floods.expect("a queue pair"), idle.expect("a queue pair"));
    let listener = lab.device.listen(PORT, 1).expect("a free port");
    lab.meet(22_000, 7);
    let app = Talk::accept(&mut lab, &listener, &floods, options(), &Frame::request().enhanced(CLIENT));
    lab.reply();
    lab.say(&empty_write());
    let connection = lab.finish("the connection", app).expect("a good first FPDU");
    let slots = cq.slots();
    assert!(slots < SENDS, "{slots} slots");
    (0..SENDS).try_for_each(|n| floods.post_recv(n.into(), &[])).expect("room");

    lab.backend.hold_time(true);
    (1..=SENDS).for_each(|msn| lab.ulpdu(&untagged(SEND, 0, 0, msn, &[])));
    let number = idle.number();
    lab.until("the overrun", |lab| {
        let fields = row(lab.device.inspect(), Row::QueuePair, number).expect("a row");
        fields.iter().any(|field| field.name == "state" && field.value == u64::from(qp_state::ERROR))
    });
    assert_eq!(idle.state(), QpState::Idle, "nobody has taken the event");
    drop(idle);
    let other = lab.device.completion_queue(16).expect("a completion queue");
    let next = lab.device.queue_pair(&lab.pd, [&other, &other], queues).expect("a queue pair");
    let held = next.number();

    lab.backend.hold_time(false);
    lab.until("the overrun is told", |_| floods.state() == QpState::Error);
    lab.pause(MOMENT);
    assert_eq!(next.state(), QpState::Idle, "number {held} behind {number}");
    // the number comes again when its events were taken, and its next owner hears nothing of them
    lab.until("the number comes again", |lab| {
        let again = lab.device.queue_pair(&lab.pd, [&other, &other], queues).expect("a queue pair");
        assert_eq!(again.state(), QpState::Idle);
        again.number() == number
    });
    drop(connection);
}
