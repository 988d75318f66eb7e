// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that is closed while frames come reaches no memory any more: what its rings were
//! belongs to others then.
use ferrowarp::Device;
use ferrowarp_sim::eth::{Delivery, EthPort, JoinedPort, Wire};
use ferrowarp_tests::served::served;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is opened and closed.
const TIMES: usize = 4;

/// "Who has 10.0.0.1?" of 10.0.0.2, to all stations (RFC 826).
fn question() -> Vec<u8> {
    let peer = [2, 0, 10, 0, 0, 2];
    let ethernet = [&[0xff; 6][..], &peer, &[0x08, 0x06]].concat();
    let request = [&[0, 1, 8, 0, 6, 4, 0, 1][..], &peer, &[10, 0, 0, 2], &[0; 6], &[10, 0, 0, 1]].concat();
    [ethernet, request].concat()
}

/// Asks again and again until `stop`; how many answers came.
fn flood(port: &mut JoinedPort, stop: &AtomicBool) -> usize {
    let mut answers = 0;
    while !stop.load(Ordering::Relaxed) {
        match port.send(&question()).unwrap() {
            Delivery::Sent => {}
            Delivery::Busy | Delivery::Unplugged => std::thread::sleep(Duration::from_micros(100)),
        }
        while port.receive().unwrap().is_some() {
            answers += 1;
        }
    }
    answers
}

#[test]
fn a_device_that_is_closed_among_frames_reaches_no_memory() {
    let [port, mut peer] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("close", port);
    let url = format!("vfio-user:{};ip=10.0.0.1/24", path.display());
    let stop = AtomicBool::new(false);
    let answers = std::thread::scope(|scope| {
        let peer = scope.spawn(|| flood(&mut peer, &stop));
        for _ in 0..TIMES {
            let device = Device::open(&url).unwrap();
            // rings in full use in both directions
            std::thread::sleep(Duration::from_millis(200));
            drop(device);
        }
        stop.store(true, Ordering::Relaxed);
        peer.join().unwrap()
    });
    let stats = served.finish().unwrap();
    assert!(answers > TIMES, "{answers} answers: {stats:?}");
    assert_eq!((stats.refused, stats.mapped), (0, 0), "{stats:?}");
}
