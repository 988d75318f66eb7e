// SPDX-License-Identifier: MIT OR Apache-2.0
//! Half-closed connections between two devices on a switch (RFC 5041 section 6.2.1).
use ferrowarp::backend::PciBackend;
use ferrowarp::{
    Access, CompletionQueue, ConnectOptions, Connection, Device, Error, MemoryRegion, ProtectionDomain,
    QpOptions, QpState, QueuePair, Status, WcOpcode,
};
use ferrowarp_sim::eth::Tick;
use ferrowarp_tests::driver::pair::PATIENCE;
use ferrowarp_tests::proves::{proves, proves_rows};
use ferrowarp_tests::served::switched;
use ferrowarp_tests::stack::net;
use std::sync::Arc;

/// Octets of a message.
const OCTETS: usize = 1_000;
/// Sends before the end of a direction, and sends of the peer behind that end.
const BEFORE: u64 = 4;
const BEHIND: u64 = 10;
/// Sends that fill a queue.
const MANY: u64 = 64;
const PORT: u16 = 7_000;

/// An end: what it sends, and what it receives.
struct End {
    cq: CompletionQueue,
    region: MemoryRegion,
    connection: Connection,
    _pd: ProtectionDomain,
}

impl End {
    /// Posts a Send whose octets are `fill`; its place is free for the next one when it has
    /// completed.
    fn send(&self, wr_id: u64, fill: u8) -> Result<(), Error> {
        let at = wr_id as usize * OCTETS;
        self.region.memory().write(at, &[fill; OCTETS])?;
        let part = self.region.segment(at, OCTETS)?;
        self.connection.queue_pair().send(wr_id, &[part]).post()
    }

    fn receive(&self, wr_id: u64) {
        let part = self.region.segment((MANY + wr_id) as usize * OCTETS, OCTETS).expect("a segment");
        self.connection.queue_pair().post_recv(wr_id, &[part]).expect("room");
    }

    /// The next completions of a kind, in the order of their posts, each of which ends so; others
    /// are an error.
    fn done(&self, opcode: WcOpcode, wr_ids: std::ops::Range<u64>, status: Status) {
        for wr_id in wr_ids {
            let done = self.cq.wait(PATIENCE).expect("a completion");
            assert_eq!((done.wr_id, done.opcode, done.status), (wr_id, opcode, status));
        }
    }

    /// What a receive brought.
    fn holds(&self, wr_id: u64, fill: u8) {
        let at = (MANY + wr_id) as usize * OCTETS;
        assert!(self.region.memory().copy(at, OCTETS).expect("octets").iter().all(|octet| *octet == fill));
    }
}

/// A connection of two devices, the first of which asks; the port of the second one is like this.
/// Both devices end in order.
fn connected(name: &str, port: &str, body: impl FnOnce([End; 2])) {
    let (served, switch) = switched(name, Tick::default(), &["", port]);
    let devices: Vec<_> = (1..)
        .zip(&served)
        .map(|(n, (path, _))| {
            let backend = PciBackend::vfio_user(path).expect("a device at its socket");
            Device::new(Arc::new(backend), &net(n)).expect("a device")
        })
        .collect();
    let place = |device: &Device| {
        let pd = device.protection_domain().expect("a domain");
        let cq = device.completion_queue(256).expect("a queue");
        let options = QpOptions::default().sends(MANY as u32).receives(MANY as u32 + 1);
        let qp = device.queue_pair(&pd, [&cq, &cq], options).expect("a queue pair");
        let region = pd.allocate((2 * MANY as usize + 1) * OCTETS, Access::ALL).expect("a region");
        (pd, cq, region, qp)
    };
    let [near, far] = [place(&devices[0]), place(&devices[1])];
    let options = || ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
    let listener = devices[1].listen(PORT, 1).expect("a free port");
    let remote = (net(2).addresses[0].ip, PORT).into();
    let qps: [&QueuePair; 2] = [&near.3, &far.3];
    let connections = std::thread::scope(|scope| {
        let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(qps[1], options().into()));
        let ours = devices[0].connect(qps[0], remote, options());
        [ours, accepted.join().expect("no panic")].map(|made| made.expect("a connection"))
    });
    let [ours, theirs] = connections;
    let end = |(pd, cq, region, _), connection| End { cq, region, connection, _pd: pd };
    body([end(near, ours), end(far, theirs)]);
    drop((listener, devices));
    for (_, served) in served {
        served.finish().expect("it ends in order");
    }
    let lost: u64 = switch.lock().expect("no panic").stats().iter().map(|port| port.lost).sum();
    assert_eq!(lost > 0, !port.is_empty(), "{lost} frames were lost");
}

/// The first end finishes sending behind its messages. The second one hears of that, sends, and
/// closes.
fn half_closed([first, second]: [End; 2]) {
    (0..BEFORE + 1).for_each(|wr_id| second.receive(wr_id));
    (0..BEHIND + 1).for_each(|wr_id| first.receive(wr_id));
    (0..BEFORE).for_each(|wr_id| first.send(wr_id, 0xA0 + wr_id as u8).expect("room"));
    first.connection.finish_sending().expect("a connection");
    let refused = first.send(BEFORE, 0).expect_err("its end is told");
    assert!(matches!(refused, Error::Finished(_)), "{refused}");
    assert_eq!(first.connection.queue_pair().state(), QpState::Finished);

    second.connection.wait_finished(PATIENCE).expect("the first end has finished");
    second.done(WcOpcode::Receive, 0..BEFORE, Status::Success);
    second.done(WcOpcode::Receive, BEFORE..BEFORE + 1, Status::Flushed);
    (0..BEFORE).for_each(|wr_id| second.holds(wr_id, 0xA0 + wr_id as u8));
    assert!(second.connection.peer_finished() && second.connection.ended().is_none());
    assert_eq!(second.connection.queue_pair().state(), QpState::Connected);
    (0..BEHIND).for_each(|wr_id| second.send(wr_id, 0xB0 + wr_id as u8).expect("room"));
    second.done(WcOpcode::Send, 0..BEHIND, Status::Success);

    let mut done: Vec<_> = (0..BEFORE + BEHIND)
        .map(|_| first.cq.wait(PATIENCE).expect("a completion"))
        .map(|done| (done.opcode as u8, done.wr_id, done.status))
        .collect();
    done.sort_by_key(|done| (done.0, done.1));
    let of = |opcode: WcOpcode, count| (0..count).map(move |wr_id| (opcode as u8, wr_id, Status::Success));
    let due: Vec<_> = of(WcOpcode::Send, BEFORE).chain(of(WcOpcode::Receive, BEHIND)).collect();
    assert_eq!(done, due);
    (0..BEHIND).for_each(|wr_id| first.holds(wr_id, 0xB0 + wr_id as u8));
    assert!(!first.connection.peer_finished() && first.connection.ended().is_none());

    // the end of the other direction is the end of both: nobody has to ask for it here
    let End { connection, .. } = second;
    connection.disconnect(PATIENCE).expect("both have finished");
    first.connection.wait_finished(PATIENCE).expect("both have finished");
    first.done(WcOpcode::Receive, BEHIND..BEHIND + 1, Status::Flushed);
    first.connection.disconnect(PATIENCE).expect("both have finished");
}

#[test]
fn an_end_that_has_finished_sending_receives_until_its_peer_has() {
    let _proof = proves("DDP-6.2.1-08");
    connected("half-close", "", half_closed);
}

#[test]
fn half_closes_over_a_wire_that_loses() {
    connected("half-close-loss", "loss=0.05,seed=11", half_closed);
}

/// Nothing is polled before the close.
#[test]
fn a_close_comes_behind_all_that_was_posted() {
    let _proof = proves_rows(&["DDP-6.2.1-02", "DDP-6.2.1-03"]);
    connected("half-close-posted", "", |[first, second]| {
        (0..MANY + 1).for_each(|wr_id| second.receive(wr_id));
        (0..MANY).for_each(|wr_id| first.send(wr_id, wr_id as u8).expect("room"));
        let qp = first.connection.queue_pair().clone();
        let part = first.region.segment(0, OCTETS).expect("a segment");
        let End { connection, cq, .. } = first;
        std::thread::scope(|scope| {
            let closed = scope.spawn(|| connection.disconnect(PATIENCE));
            while qp.state() == QpState::Connected {
                std::thread::yield_now();
            }
            let refused = qp.send(MANY, &[part]).post().expect_err("it closes");
            assert!(matches!(refused, Error::Finished(_)), "{refused}");
            second.connection.wait_finished(PATIENCE).expect("the first end closes");
            second.done(WcOpcode::Receive, 0..MANY, Status::Success);
            second.done(WcOpcode::Receive, MANY..MANY + 1, Status::Flushed);
            (0..MANY).for_each(|wr_id| second.holds(wr_id, wr_id as u8));
            let End { connection, .. } = second;
            connection.disconnect(PATIENCE).expect("both have closed");
            closed.join().expect("no panic").expect("both have closed");
        });
        let done: Vec<_> = (0..MANY).map(|_| cq.wait(PATIENCE).expect("a completion")).collect();
        assert!(done.iter().all(|done| done.status == Status::Success), "{done:?}");
        assert!(cq.poll().expect("entries").is_none());
    });
}
