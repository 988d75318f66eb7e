// SPDX-License-Identifier: MIT OR Apache-2.0
//! How connections are made, refused and ended.
use crate::ends::{connect, connect_at, connected, disconnect, options, pattern, End, PORT};
use crate::pair::{both, until, Pair, PATIENCE};
use ferrowarp::{Error, QpState, Status, WcOpcode};
use ferrowarp_firmware::error::{CallError, ConnError};

/// As much private data as there is room for, in both directions, whoever speaks first.
pub fn private_data_travels_both_ways(pair: &Pair) {
    let listener = pair.devices[0].listen(PORT, 2).unwrap();
    for (peer_to_peer, asked, answered) in [(false, 508, 3), (true, 1, 508), (false, 0, 0)] {
        let ends = pair.devices.each_ref().map(|device| End::new(device, 64));
        let (question, answer) = (pattern(1, asked), pattern(2, answered));
        ends[0].receive(1, 0, 64);
        let accept = || {
            let request = listener.next(PATIENCE).unwrap();
            assert_eq!(request.private_data(), question);
            let options = options().private_data(answer.clone());
            request.accept(&ends[0].qp, options.into()).unwrap()
        };
        let connect = || {
            let options = options().private_data(question.clone()).peer_to_peer(peer_to_peer);
            assert_eq!(ends[1].qp.state(), QpState::Idle);
            let connection = pair.devices[1].connect(&ends[1].qp, pair.remote(PORT), options).unwrap();
            assert_eq!((connection.private_data(), connection.remote()), (&answer[..], pair.remote(PORT)));
            assert_eq!(ends[1].qp.state(), QpState::Connected);
            ends[1].send(connection.queue_pair(), 2, 0, 5);
            connection
        };
        let (theirs, ours) = both(accept, connect);
        assert_eq!(ends[0].done(1, WcOpcode::Receive).octets, 5);
        ends[1].done(2, WcOpcode::Send);
        disconnect([theirs, ours]);
        assert_eq!(ends.map(|end| end.qp.state()), [QpState::Error; 2]);
    }
}

/// The peer hears why, and the listener goes on.
pub fn a_rejection_says_why(pair: &Pair) {
    let listener = pair.devices[0].listen(PORT, 2).unwrap();
    let why = b"not today".to_vec();
    let end = End::new(&pair.devices[1], 64);
    let reject = || listener.next(PATIENCE).unwrap().reject(why.clone());
    let (rejected, refused) =
        both(reject, || pair.devices[1].connect(&end.qp, pair.remote(PORT), options()).map(drop));
    rejected.unwrap();
    assert!(
        matches!(&refused, Err(Error::Rejected { private_data, .. }) if *private_data == why),
        "{refused:?}"
    );
    drop(listener);
    let (_ends, connections) = connected(pair, 64);
    disconnect(connections);
}

/// Nothing of them reaches the peer, and the queue pair serves the next call.
pub fn calls_that_cannot_be_are_typed_errors(pair: &Pair) {
    let ends = pair.devices.each_ref().map(|device| End::new(device, 64));
    let [theirs, ours] = &pair.devices;
    let nobody = ours.connect(&ends[1].qp, pair.remote(9), options()).map(drop);
    assert!(
        matches!(&nobody, Err(Error::Connection(ConnError::Refused(at))) if *at == pair.remote(9)),
        "{nobody:?}"
    );
    let again = ours.connect(&ends[1].qp, pair.remote(9), options()).map(drop);
    assert!(matches!(again, Err(Error::Used(_))), "{again:?}");

    let end = End::new(ours, 64);
    let long = options().private_data(vec![1; 513]);
    let told = ours.connect(&end.qp, pair.remote(PORT), long).map(drop);
    assert!(matches!(told, Err(Error::Call(CallError::PrivateData { octets: 513, most: 508 }))), "{told:?}");
    let zero = ours.connect(&end.qp, pair.remote(0), options()).map(drop);
    assert!(matches!(zero, Err(Error::Call(CallError::PortZero))), "{zero:?}");
    let stranger = theirs.connect(&end.qp, pair.remote(PORT), options()).map(drop);
    assert!(matches!(stranger, Err(Error::Domain(_))), "{stranger:?}");
    let _listener = theirs.listen(PORT + 1, 1).unwrap();
    let twice = theirs.listen(PORT + 1, 1).map(drop);
    assert!(matches!(twice, Err(Error::Call(CallError::PortBusy(port))) if port == PORT + 1), "{twice:?}");
    let connections = connect(pair, [&ends[0], &end]);
    disconnect(connections);
}

/// What is posted on both sides comes back, and so does what is posted afterwards.
pub fn a_disconnect_flushes_what_is_posted(pair: &Pair) {
    let (ends, [theirs, ours]) = connected(pair, 64);
    for end in &ends {
        (1..=3).for_each(|wr_id| end.receive(wr_id, 0, 64));
    }
    let after = ours.queue_pair().clone();
    let (first, second) = both(
        || {
            until("the peer's end", || theirs.is_closed().then_some(()));
            theirs.disconnect(PATIENCE)
        },
        || ours.disconnect(PATIENCE),
    );
    first.unwrap();
    second.unwrap();
    let flushed = [1, 2, 3].map(|wr_id| (wr_id, Status::Flushed));
    assert!(ends.iter().all(|end| end.ends(3) == flushed));
    ends[1].receive(4, 0, 64);
    after.send(5, &[ends[1].region.segment(0, 8).unwrap()]).post().unwrap();
    assert_eq!(ends[1].ends(2), [(4, Status::Flushed), (5, Status::Flushed)]);
    assert_eq!(ends[1].cq.poll().unwrap(), None);
}

/// An application that forgets its connection does not leave the peer waiting.
pub fn a_dropped_connection_is_a_reset(pair: &Pair) {
    let (ends, [theirs, ours]) = connected(pair, 64);
    ends[0].receive(1, 0, 64);
    drop(ours);
    assert_eq!(ends[0].ends(1), [(1, Status::Flushed)]);
    let told = theirs.disconnect(PATIENCE);
    assert!(matches!(told, Err(Error::Connection(ConnError::Reset))), "{told:?}");
}

/// Each carries its own octets, and they end in another order.
pub fn several_connections_at_once(pair: &Pair) {
    const MANY: u16 = 5;
    const HALF: usize = 2_048;
    let octets = |n: u16, way: usize| pattern(2 * n as u8 + way as u8, 400 * (usize::from(n) + 1));
    let open = |n| {
        let ends = pair.devices.each_ref().map(|device| End::new(device, 2 * HALF));
        let connections = connect_at(pair, [&ends[0], &ends[1]], PORT + n);
        (n, ends, connections)
    };
    let all: Vec<_> = (0..MANY).map(open).collect();
    for (n, ends, connections) in &all {
        for (way, end) in ends.iter().enumerate() {
            let octets = octets(*n, way);
            end.put(0, &octets);
            let (qp, peer) = (connections[way].queue_pair(), ends[1 - way].place(HALF as u64));
            qp.write(1, &[end.region.segment(0, octets.len()).unwrap()], peer).post().unwrap();
        }
    }
    for end in all.iter().flat_map(|(_, ends, _)| ends) {
        end.done(1, WcOpcode::Write);
    }
    let (evens, odds): (Vec<_>, Vec<_>) = all.into_iter().partition(|(n, ..)| n % 2 == 0);
    for (n, ends, connections) in odds.into_iter().chain(evens) {
        disconnect(connections);
        for (way, end) in ends.iter().enumerate() {
            let due = octets(n, 1 - way);
            assert_eq!(end.copy(HALF, due.len()), due, "connection {n}");
        }
    }
}
