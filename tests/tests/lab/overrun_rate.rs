// SPDX-License-Identifier: MIT OR Apache-2.0
//! A completion queue overruns, and the queue pair of another one keeps its rate: verbs between two
//! devices on one clock (RFC 5040 section 8.1.1, item 10).
use ferrowarp::backend::PciBackend;
use ferrowarp::{
    Access, CompletionQueue, ConnectOptions, Connection, CqOptions, Device, Error, MemoryRegion,
    PlatformEvent, QpOptions, Status,
};
use ferrowarp_sim::rnic::{Clock, PairConfig};
use ferrowarp_tests::proves::proves;
use ferrowarp_tests::stack::{net, paced, TICK};
use std::sync::Arc;
use std::thread::scope;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
/// Time in which an event that must not come would come.
const MOMENT: Duration = Duration::from_secs(2);
/// Octets of a Send.
const SEND: usize = 512;
/// Sends to the queue pair whose queue may overrun, more than the slots of the small queue.
const FLOOD: u64 = 40;
/// Sends to the queue pair of the other queue.
const SENDS: u64 = 96;
/// Cycles between two looks, and the most that a run may take.
const LOOK: u64 = 16;
const MOST: u64 = 400_000;

/// One end of a connection.
struct End {
    cq: CompletionQueue,
    region: MemoryRegion,
    connection: Connection,
}

/// The device that receives first, then the one that sends; their ends of a connection to `port`,
/// in this order. The queue of the first end has these options.
fn joined(devices: &[Device; 2], port: u16, sends: u64, options: CqOptions<'_>) -> Result<[End; 2], Error> {
    let make = |device: &Device, options: CqOptions<'_>| -> Result<_, Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue_of(options)?;
        let queues = QpOptions::default().sends(sends as u32).receives(sends as u32);
        let qp = device.queue_pair(&pd, [&cq, &cq], queues)?;
        Ok((cq, qp, pd.allocate(SEND, Access::ALL)?))
    };
    let near = make(&devices[0], options)?;
    let far = make(&devices[1], CqOptions::default().entries(2 * sends as u32))?;
    let listener = devices[0].listen(port, 1)?;
    let options = || ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
    let [accepted, connected] = scope(|scope| {
        let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(&near.1, options().into()));
        let connected = devices[1].connect(&far.1, ([10, 0, 0, 1], port).into(), options());
        [accepted.join().expect("no panic while it accepts"), connected]
    });
    let (near, far) = ((near.0, near.2, accepted?), (far.0, far.2, connected?));
    Ok([near, far].map(|(cq, region, connection)| End { cq, region, connection }))
}

/// Cycles from the posts to the last receive of the other queue pair, and what the device told of
/// completion queues.
fn run(flooded: CqOptions<'_>) -> Result<(u64, Vec<PlatformEvent>), String> {
    let told = |why: Error| why.to_string();
    let (backends, mut clock) = PciBackend::pair(PairConfig::of(TICK)).map_err(|e| e.to_string())?;
    let devices = backends.map(Arc::new).into_iter().zip([1, 2]);
    let devices: Result<Vec<_>, _> = devices.map(|(backend, n)| Device::new(backend, &net(n))).collect();
    let devices: [Device; 2] = devices.map_err(told)?.try_into().map_err(|_| "two devices")?;
    let [full, floods] = joined(&devices, 7_001, FLOOD, flooded).map_err(told)?;
    let slots = CqOptions::default().entries(2 * SENDS as u32);
    let [other, sends] = joined(&devices, 7_002, SENDS, slots).map_err(told)?;
    for (end, most) in [(&full, FLOOD), (&other, SENDS)] {
        let segment = end.region.segment(0, SEND).map_err(told)?;
        (0..most).try_for_each(|n| end.connection.queue_pair().post_recv(n, &[segment])).map_err(told)?;
    }
    let cycles = measured(&mut clock, [&floods, &sends], &other)?;
    let events = paced(&mut clock, || {
        let mut events = vec![];
        let mut listens = |most: Duration, is_over: &dyn Fn(&[PlatformEvent]) -> bool| {
            let end = Instant::now() + most;
            while Instant::now() < end && !is_over(&events) {
                let event = devices[0].next_event();
                events.extend(event.filter(|event| matches!(event, PlatformEvent::CqOverrun(_))));
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        // a queue that counts its slots has nothing to tell
        if !flooded.is_counted {
            listens(PATIENCE, &|events| !events.is_empty() && full.connection.ended().is_some());
        }
        listens(MOMENT, &|_| false);
        let alive = [&other, &sends].map(|end| end.connection.ended().is_none());
        assert_eq!(alive, [true; 2], "the connection beside it goes on");
        assert_eq!(full.connection.ended().is_some(), !events.is_empty());
        drop((full, floods, other, sends, devices));
        events
    });
    Ok((cycles, events))
}

/// Posts all Sends of both connections and counts the cycles until `other` has received all of its
/// own, in order.
fn measured(clock: &mut Clock, senders: [&End; 2], other: &End) -> Result<u64, String> {
    let told = |why: Error| why.to_string();
    let mut held = clock.hold().map_err(|e| e.to_string())?;
    let left = TICK.get() - held.cycle() % TICK.get();
    held.run(left).map_err(|e| e.to_string())?;
    let begun = held.cycle();
    for (end, most) in senders.into_iter().zip([FLOOD, SENDS]) {
        let segment = end.region.segment(0, SEND).map_err(told)?;
        let qp = end.connection.queue_pair();
        (0..most).try_for_each(|n| qp.send(n, &[segment]).post()).map_err(told)?;
    }
    let (mut came, mut done) = (0, vec![]);
    while came < SENDS {
        let now = held.run(LOOK).map_err(|e| e.to_string())?;
        other.cq.poll_into(&mut done, SENDS as usize).map_err(told)?;
        for completion in done.drain(..) {
            assert_eq!((completion.wr_id, completion.status), (came, Status::Success));
            came += 1;
        }
        if now - begun > MOST {
            return Err(format!("{came} of {SENDS} Sends came in {MOST} cycles"));
        }
    }
    Ok(held.cycle() - begun)
}

#[test]
fn a_queue_pair_of_another_queue_keeps_its_rate_in_an_overrun() -> Result<(), String> {
    let _proof = proves("RDMAP-8.1.1-13");
    let (plain, quiet) = run(CqOptions::default().entries(2 * FLOOD as u32))?;
    let (overrun, events) = run(CqOptions::default().entries(1).is_counted(false))?;
    assert_eq!((quiet.len(), events.len()), (0, 1), "{events:?}");
    assert!(overrun * 100 <= plain * 103, "{overrun} cycles with an overrun, {plain} without");
    Ok(())
}
