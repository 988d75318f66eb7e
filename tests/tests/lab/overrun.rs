// SPDX-License-Identifier: MIT OR Apache-2.0
//! A completion queue that overruns ends its own queue pairs and nobody else's (RFC 5040 section
//! 8.1.1, item 10).
use ferrowarp::{
    Access, CompletionQueue, ConnError, ConnectOptions, Connection, CqOptions, Device, Error, MemoryRegion,
    PlatformEvent, QpOptions, QueuePair, Status, TermError,
};
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};
use ferrowarp_tests::proves::proves;
use std::net::SocketAddr;
use std::thread::scope;

/// Octets of a Send.
const SEND: usize = 512;
/// Receives of the queue pair whose queue overruns: more than its slots.
const MANY: u64 = 40;
/// Time in which an event is to come, or none.
const MOMENT: std::time::Duration = std::time::Duration::from_secs(2);
/// Sends to the other queue pair.
const OTHERS: u64 = 64;
/// Receives of these that are posted at a time.
const WINDOW: u64 = 8;

/// One end of a connection.
struct End {
    cq: CompletionQueue,
    region: MemoryRegion,
    connection: Connection,
}

impl End {
    fn receive(&self, wr_id: u64) -> Result<(), Error> {
        self.connection.queue_pair().post_recv(wr_id, &[self.region.segment(0, SEND)?])
    }

    fn send(&self, wr_id: u64) -> Result<(), Error> {
        let segment = self.region.segment(0, SEND)?;
        self.connection.queue_pair().send(wr_id, &[segment]).post()
    }
}

/// Two ends of a connection to `port`, the listener's first; its queue has these options.
fn joined(devices: &[Device; 2], port: u16, options: CqOptions<'_>) -> Result<[End; 2], Error> {
    let make = |device: &Device, options: CqOptions<'_>| -> Result<_, Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue_of(options)?;
        let queues = QpOptions::default().sends(MANY as u32).receives(MANY as u32);
        let qp = device.queue_pair(&pd, [&cq, &cq], queues)?;
        let region = pd.allocate(SEND, Access::ALL)?;
        Ok((cq, qp, region))
    };
    let near = make(&devices[0], options)?;
    let far = make(&devices[1], CqOptions::default().entries(MANY as u32))?;
    let listener = devices[0].listen(port, 1)?;
    let options = || ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
    let to = SocketAddr::from(([10, 0, 0, 1], port));
    let [accepted, connected] = scope(|scope| {
        let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(&near.1, options().into()));
        let connected = devices[1].connect(&far.1, to, options());
        [accepted.join().expect("no panic while it accepts"), connected]
    });
    let end = |(cq, _, region): (_, QueuePair, _), connection| End { cq, region, connection };
    Ok([end(near, accepted?), end(far, connected?)])
}

/// Waits for `end` to end, with what its connection tells.
fn ended(end: &End) -> Result<(), Error> {
    let start = std::time::Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(told) = end.connection.ended() {
            return told;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("the connection goes on");
}

#[test]
fn an_overrun_ends_the_queue_pairs_of_its_queue_alone() -> Result<(), Error> {
    let _proof = proves("RDMAP-8.1.1-12");
    let cable = Cable::new("overrun");
    let devices = [cable.device(1, 2), cable.device(2, 1)];
    let small = CqOptions::default().entries(1).is_counted(false);
    let [full, floods] = joined(&devices, 7_001, small)?;
    let [other, sends] = joined(&devices, 7_002, CqOptions::default().entries(MANY as u32))?;
    let slots = u64::from(full.cq.slots());
    assert!(slots < MANY, "{slots} slots");

    (0..MANY).try_for_each(|n| full.receive(n))?;
    (0..WINDOW).try_for_each(|n| other.receive(n))?;
    (0..MANY).try_for_each(|n| floods.send(n))?;
    for n in 0..OTHERS {
        sends.send(n)?;
        let [sent, came] = [&sends, &other].map(|end| end.cq.wait(PATIENCE));
        let told = [sent?, came?].map(|done| (done.wr_id, done.status));
        assert_eq!(told, [(n, Status::Success); 2]);
        other.receive(n + WINDOW)?;
    }

    // the application is told which queue it was, once
    let overrun = |device: &Device| loop {
        match device.wait_event(MOMENT) {
            Ok(PlatformEvent::CqOverrun(cq)) => return Some(cq),
            Ok(_) => {}
            Err(_) => return None,
        }
    };
    assert_eq!(overrun(&devices[0]), Some(full.cq.number()));
    assert_eq!([&devices[0], &devices[1]].map(overrun), [None; 2]);

    // nobody polled the queue: its queue pair has ended, and both applications hear of that
    let told = ended(&full).unwrap_err();
    let local = ConnError::Fault(TermError::RdmapLocalCatastrophic);
    assert!(matches!(&told, Error::Connection(why) if *why == local), "{told}");
    let told = ended(&floods).unwrap_err();
    assert!(matches!(told, Error::Connection(ConnError::Terminated(_))), "{told}");
    let status = |n: u64| if n < slots { Status::Success } else { Status::Flushed };
    for n in 0..MANY {
        let done = full.cq.wait(PATIENCE)?;
        assert_eq!((done.wr_id, done.status), (n, status(n)), "of {slots} slots");
    }
    assert!(other.connection.ended().is_none() && sends.connection.ended().is_none());
    Ok(())
}

#[test]
fn a_queue_larger_than_the_device_has_is_refused_and_a_queue_pair_reserves_entries() -> Result<(), Error> {
    let _proof = proves("RDMAP-8.1.2-08");
    let cable = Cable::new("quota");
    let device = cable.device(1, 2);
    let told = device.completion_queue(1 << 20).map(|cq| cq.slots()).unwrap_err().to_string();
    assert!(told.contains(&(1 << 20).to_string()), "{told}");
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(1)?;
    let queues = QpOptions::default().sends(1).receives(cq.slots());
    let pairs = [(); 3].map(|()| device.queue_pair(&pd, [&cq, &cq], queues));
    let pairs = pairs.into_iter().collect::<Result<Vec<_>, _>>()?;
    // a slot is kept for the fault of each
    let left = u64::from(cq.slots()) - 3;
    (0..left).try_for_each(|n| pairs[n as usize % 3].post_recv(n, &[]))?;
    for pair in &pairs {
        let told = pair.post_recv(left, &[]).unwrap_err();
        assert!(matches!(told, Error::NoSlot { .. }), "{told}");
    }
    Ok(())
}
