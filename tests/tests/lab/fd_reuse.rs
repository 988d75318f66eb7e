// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs to error on demand, drained, reset and connected again, between two simulated
//! devices.
use ferrowarp::{
    AcceptOptions, Access, CompletionQueue, ConnectOptions, Connection, ConnectionEvent, Device,
    MemoryRegion, QpOptions, QueuePair, Status, WcOpcode,
};
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};
use std::time::{Duration, Instant};

/// What an end keeps from one connection to the next.
struct End {
    cq: CompletionQueue,
    region: MemoryRegion,
}

impl End {
    fn new(device: &Device) -> (Self, QueuePair) {
        let (pd, cq) = (device.protection_domain().unwrap(), device.completion_queue(16).unwrap());
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
        let region = pd.allocate(64, Access::LOCAL).unwrap();
        (Self { cq, region }, qp)
    }

    fn receive(&self, qp: &QueuePair, wr_id: u64) {
        qp.post_recv(wr_id, &[self.region.segment(0, 32).unwrap()]).unwrap();
    }

    /// What is polled until nothing is left of a queue pair in error.
    fn drained(&self, qp: &QueuePair) -> Vec<(u64, Status)> {
        let (begun, mut all) = (Instant::now(), vec![]);
        while !qp.is_drained() {
            assert!(begun.elapsed() < PATIENCE, "{:?} is not drained behind {all:?}", qp.state());
            all.extend(self.cq.poll().unwrap().map(|done| (done.wr_id, done.status)));
            std::thread::sleep(Duration::from_millis(1));
        }
        all
    }
}

/// Whether the connection has ended in order.
fn closed(connection: &Connection) -> bool {
    let begun = Instant::now();
    loop {
        match connection.next_event() {
            Some(ConnectionEvent::Closed(how)) => return how.is_ok(),
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(begun.elapsed() < PATIENCE, "the connection does not end");
    }
}

#[test]
fn a_queue_pair_that_was_put_in_error_is_drained_reset_and_connected_again() {
    let cable = Cable::new("reuse");
    let (theirs, ours) = (cable.device(1, 2), cable.device(2, 1));
    let listener = theirs.listen(7003, 2).unwrap();
    let remote = "10.0.0.1:7003".parse().unwrap();
    let ((server, mut theirs_qp), (client, mut ours_qp)) = (End::new(&theirs), End::new(&ours));
    for round in 0..2 {
        (1..=2).for_each(|n| server.receive(&theirs_qp, 10 * round + n));
        client.receive(&ours_qp, 10 * round + 5);
        let options = ConnectOptions::default().peer_to_peer(true);
        let connecting = ours.start_connect(&ours_qp, remote, options).unwrap();
        let request = listener.next(PATIENCE).unwrap();
        let accepting = request.start_accept(&theirs_qp, AcceptOptions::default()).unwrap();
        let [server_end, client_end] = [accepting, connecting].map(|end| end.wait(PATIENCE).unwrap());
        let message = [client.region.segment(32, 8).unwrap()];
        client_end.queue_pair().send(10 * round, &message).post().unwrap();
        let came = server.cq.wait(PATIENCE).unwrap();
        assert_eq!((came.wr_id, came.status), (10 * round + 1, Status::Success), "round {round}");
        assert_eq!(client.cq.wait(PATIENCE).unwrap().opcode, WcOpcode::Send);
        ours_qp.to_error().unwrap();
        assert_eq!(client.drained(&ours_qp), [(10 * round + 5, Status::Flushed)]);
        assert!(!closed(&server_end), "the peer was reset");
        closed(&client_end);
        assert_eq!(server.drained(&theirs_qp), [(10 * round + 2, Status::Flushed)]);
        drop((server_end, client_end));
        (theirs_qp, ours_qp) = (theirs_qp.reset().unwrap(), ours_qp.reset().unwrap());
    }
}
