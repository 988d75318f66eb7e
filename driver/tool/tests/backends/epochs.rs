// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards whose epoch ends in mid-transfer: the device was reset, programs get an error, and what
//! is opened afresh works.
use crate::carried::{boards, cable, turn};
use crate::ends::{options, pattern, place, PORT};
use crate::pair::{both, until, Pair, PATIENCE};
use crate::simulated::Sockets;
use crate::transfers::writes_land_where_they_belong;
use ferrowarp::{
    Access, CompletionQueue, Device, Error, MemoryRegion, ProtectionDomain, QpOptions, QueuePair,
};
use ferrowarp_sim::carrier::CarrierConfig;
use ferrowarp_sim::pcie::BusState;
use ferrowarp_sim::rnic::BoardCable;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// Writes of a transfer, and the octets of each.
const WRITES: usize = 24;
const OCTETS: usize = 4_096;
/// Wall time between two looks at devices that are silent.
const LOOK: Duration = Duration::from_millis(100);

/// What a transfer says whose devices are there, but not the octets.
const LOST: &str = "the octets are not in memory";

/// What a program has of a device.
type End = (ProtectionDomain, CompletionQueue, QueuePair, MemoryRegion);

fn end(device: &Device) -> Result<End, Error> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(64)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(WRITES as u32).receives(1))?;
    let region = pd.allocate(WRITES * OCTETS, Access::ALL)?;
    Ok((pd, cq, qp, region))
}

/// Writes of the second device to the first one; `midway` is called when the first Write is done.
fn transfer([theirs, ours]: &[Device; 2], midway: impl FnOnce()) -> Result<(), String> {
    let told = |e: Error| e.to_string();
    let patience = Duration::from_secs(20);
    let ((_pd, cq, qp, source), (_theirs, _, their_qp, sink)) =
        (end(ours).map_err(told)?, end(theirs).map_err(told)?);
    source.memory().write(0, &pattern(7, WRITES * OCTETS)).map_err(|e| e.to_string())?;
    let listener = theirs.listen(PORT, 1).map_err(told)?;
    let remote: SocketAddr = (Ipv4Addr::new(10, 0, 0, 1), PORT).into();
    let options = || options().patience(patience);
    let (accepted, connection) = both(
        || listener.next(patience)?.accept(&their_qp, options().into()),
        || ours.connect(&qp, remote, options().peer_to_peer(true)),
    );
    let (connection, _accepted) = (connection.map_err(told)?, accepted.map_err(told)?);
    for at in (0..WRITES).map(|n| n * OCTETS) {
        let part = [source.segment(at, OCTETS).map_err(told)?];
        connection.queue_pair().write(1, &part, place(&sink, at as u64)).post().map_err(told)?;
    }
    let (mut midway, mut done, end) = (Some(midway), 0, Instant::now() + PATIENCE / 4);
    while done < WRITES {
        if Instant::now() > end {
            return Err(format!("{LOST}: {done} of {WRITES} Writes are done"));
        }
        match cq.wait(LOOK) {
            Ok(wc) if wc.status == ferrowarp::Status::Success => done += 1,
            Ok(wc) => return Err(format!("{wc:?}")),
            Err(Error::TimedOut { .. }) => {
                // a device that is gone says so when it is asked
                [theirs, ours].map(Device::link).into_iter().try_for_each(|a| a.map(drop)).map_err(told)?;
            }
            Err(why) => return Err(why.to_string()),
        }
        if done == 1 {
            midway.take().into_iter().for_each(|midway| midway());
        }
    }
    // a Write is done when the peer's TCP has the octets; they are on their way to memory then
    let end = Instant::now() + patience;
    let copy = |region: &MemoryRegion| region.memory().copy(0, WRITES * OCTETS).map_err(|e| e.to_string());
    while copy(&source)? != copy(&sink)? {
        if Instant::now() > end {
            return Err(LOST.into());
        }
        [theirs, ours].map(Device::link).into_iter().try_for_each(|a| a.map(drop)).map_err(told)?;
    }
    Ok(())
}

/// Opens both devices, as soon as they are there.
fn opened(sockets: &Sockets) -> [Device; 2] {
    let urls = sockets.urls();
    urls.each_ref().map(|url| until("the device", || Device::open(url).ok()))
}

#[test]
fn a_change_of_epoch_in_mid_transfer_is_an_error_and_no_hang() {
    let _turn = turn();
    for n in 0..2 {
        let sockets = boards(&format!("epoch-{n}"), cable("loss=0.02,seed=1"));
        let devices = opened(&sockets);
        transfer(&devices, || {}).expect("a transfer");
        let begun = Instant::now();
        let told = transfer(&devices, || {
            sockets.served(n).link(BusState::HotReset).expect("a device");
            sockets.served(n).link(BusState::Up).expect("a device");
        });
        assert!(told.as_ref().is_err_and(|why| !why.contains(LOST)), "the device was reset: {told:?}");
        drop(devices);
        assert!(begun.elapsed() < PATIENCE / 2, "after {:?}", begun.elapsed());
        let devices = opened(&sockets);
        Pair::of(devices, &sockets.urls()[0], Box::new(sockets)).tried(writes_land_where_they_belong);
    }
}

/// The device ends the epoch when its link goes down, and the host when the device is silent.
#[test]
fn a_cable_that_is_unplugged_now_and_then_is_an_error_and_no_hang() {
    let _turn = turn();
    let good = cable("");
    let carrier = CarrierConfig { keepalive_ns: 100_000, gone_ns: 1_500_000, ..good.carrier };
    let flaps = Some("every=16000,down=50-3000,seed=1".parse().expect("flaps"));
    let sockets = boards("flaps", BoardCable { carrier, flaps, silence_ns: 1_000_000, ..good });
    let mut passed = vec![];
    for _ in 0..3 {
        let devices = opened(&sockets);
        let begun = Instant::now();
        let mut count = 0;
        let told = loop {
            match transfer(&devices, || {}) {
                Ok(()) if begun.elapsed() > PATIENCE => panic!("{count} transfers, and no failure"),
                Ok(()) => count += 1,
                Err(why) => break why,
            }
        };
        passed.push(count);
        assert!(!told.contains(LOST) && begun.elapsed() < PATIENCE, "{passed:?}: {told}");
    }
    // transfers between two failures
    assert!(passed[1..].iter().any(|&passed| passed > 0), "{passed:?}");
    sockets.finish();
}
