// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device and its queues hold, and what they say beyond that.
use crate::ends::{connect, connected, disconnect, End};
use crate::pair::Pair;
use ferrowarp::{Access, Error, QpOptions, WcOpcode};

/// As many queue pairs and completion queues as the device says, and not one more; what is dropped
/// can be had again.
pub fn limits_are_told_and_hold(pair: &Pair) {
    let device = &pair.devices[0];
    let has = device.capabilities();
    assert!(has.ird >= 1 && has.ord >= 1 && has.mtu >= 1_500 && has.window >= 16_384, "{has:?}");
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(16).unwrap();
    let options = QpOptions::default().sends(5).receives(3);
    let make = || device.queue_pair(&pd, [&cq, &cq], options);
    let mut all: Vec<_> = (0..has.queue_pairs).map(|_| make().unwrap()).collect();
    let limits = all[0].limits();
    assert_eq!((limits.sends, limits.receives), (5, 3));
    assert!(limits.send_segments >= 4 && limits.receive_segments >= 1 && limits.inline >= 64, "{limits:?}");
    let full = make().map(drop);
    let most = usize::from(has.queue_pairs);
    assert!(matches!(full, Err(Error::Exhausted { most: told, .. }) if told == most), "{full:?}");
    let number = all.pop().unwrap().number();
    assert_eq!(make().unwrap().number(), number, "the one that was given back");

    // one is there
    let cqs: Vec<_> = (1..has.completion_queues).map(|_| device.completion_queue(1).unwrap()).collect();
    assert!(matches!(device.completion_queue(1), Err(Error::Exhausted { .. })));
    assert!(cqs.iter().all(|cq| cq.slots() >= 1) && cq.slots() >= 16);
    for asked in [0, (1 << has.cq_log2) + 1, u32::MAX] {
        let told = device.completion_queue(asked).map(drop);
        assert!(matches!(told, Err(Error::Depth { asked: said, .. }) if said == asked), "{told:?}");
    }
    for (sends, receives) in [(0, 1), (1, 0), (u32::MAX, 1), (1, has.work_requests() + 1)] {
        let told = device
            .queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(sends).receives(receives))
            .map(drop);
        assert!(matches!(told, Err(Error::Depth { .. })), "{told:?}");
    }
}

/// The next request is refused, changes nothing, and is possible when there is room again.
pub fn full_queues_say_so(pair: &Pair) {
    let options = [QpOptions::default().sends(1).receives(12), QpOptions::default().sends(4).receives(1)];
    let ends: [End; 2] = std::array::from_fn(|n| End::with(&pair.devices[n], 64, options[n]));
    let connections = connect(pair, [&ends[0], &ends[1]]);
    let ([theirs, ours], qp) = (&ends, connections[1].queue_pair());
    (0..12).for_each(|wr_id| theirs.receive(wr_id, 0, 64));
    let full = theirs.qp.post_recv(99, &[theirs.region.segment(0, 64).unwrap()]);
    assert!(matches!(full, Err(Error::Full { queue: "receive", .. })), "{full:?}");
    let part = [ours.region.segment(0, 16).unwrap()];
    let mut received = 0;
    for _ in 0..3 {
        let mut batch = qp.sends();
        let mut posted = 0;
        let full = loop {
            match batch.send(posted, &part).post() {
                Ok(()) => posted += 1,
                Err(why) => break why,
            }
        };
        assert!(matches!(full, Error::Full { queue: "send", .. }), "{full:?}");
        // places of the driver's own messages serve when it has none
        assert!((4..=10).contains(&posted), "{posted} requests of 4");
        batch.ring().unwrap();
        for wr_id in 0..posted {
            ours.done(wr_id, WcOpcode::Send);
            theirs.done(received % 12, WcOpcode::Receive);
            theirs.receive(received % 12, 0, 64);
            received += 1;
        }
    }
    disconnect(connections);
}

/// Not one of them stops the queue pair.
pub fn requests_that_cannot_be_are_typed_errors(pair: &Pair) {
    let ([theirs, ours], connections) = connected(pair, 4_096);
    let qp = connections[1].queue_pair();
    let part = ours.region.segment(0, 16).unwrap();
    let limits = qp.limits();
    let many = vec![part; limits.send_segments + 1];
    let told = qp.send(1, &many).post();
    let most = limits.send_segments;
    assert!(
        matches!(told, Err(Error::Segments { queue: "send", most: said, .. }) if said == most),
        "{told:?}"
    );
    let many = vec![part; limits.receive_segments + 1];
    let told = ours.qp.post_recv(1, &many);
    assert!(matches!(told, Err(Error::Segments { queue: "receive", .. })), "{told:?}");
    let told = qp.sends().send_inline(1, &vec![0; limits.inline + 1]).post();
    assert!(told.is_err());
    for (at, octets) in [(0, 4_097), (4_096, 1), (usize::MAX, 2)] {
        let told = ours.region.segment(at, octets);
        assert!(matches!(told, Err(Error::Segment { len: 4_096, .. })), "{told:?}");
    }
    let stranger = End::new(&pair.devices[1], 64);
    let foreign = stranger.region.segment(0, 16).unwrap();
    let told = qp.send(1, &[foreign]).post();
    assert!(matches!(told, Err(Error::Domain(_))), "a segment of another domain: {told:?}");
    let told = qp.read(1, theirs.region.segment(0, 1).unwrap(), theirs.place(0)).post();
    assert!(matches!(told, Err(Error::Domain(_))), "a segment of another device: {told:?}");
    let told = pair.devices[0].queue_pair(&ours.pd, [&theirs.cq, &theirs.cq], QpOptions::default()).map(drop);
    assert!(matches!(told, Err(Error::Domain(_))), "{told:?}");
    assert!(ours.pd.allocate(0, Access::ALL).is_err() && ours.pd.allocate(usize::MAX, Access::ALL).is_err());

    theirs.receive(2, 0, 16);
    ours.send(qp, 3, 0, 16);
    ours.done(3, WcOpcode::Send);
    theirs.done(2, WcOpcode::Receive);
    disconnect(connections);
}
