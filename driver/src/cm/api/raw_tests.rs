// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections in raw mode on a device that a test plays.
use crate::backend::fake::Fake;
use crate::cm::RawOptions;
use crate::device::Device;
use crate::error::Error;
use crate::url::NetUrl;
use ferrowarp_abi::codec::{Event, Ring};
use ferrowarp_abi::consts::{admin_opcode, event_kind};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use ferrowarp_firmware::error::CallError;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

fn device() -> (Arc<Fake>, Device) {
    let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
    let fake = Fake::new();
    let device = Device::new(fake.clone(), &NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses));
    (fake, device.unwrap())
}

#[test]
fn streams_and_listeners_of_a_device_that_fails_say_so() {
    let (fake, device) = device();
    let listener = device.listen_raw(7174, 1).unwrap();
    let begun = Instant::now();
    let failed = std::thread::scope(|scope| {
        let next = scope.spawn(|| listener.next(PATIENCE).map(drop));
        let options = RawOptions { patience: PATIENCE, ..Default::default() };
        let opens = scope.spawn(|| device.connect_raw("10.0.0.1:7174".parse().unwrap(), options).map(drop));
        while device.audit().is_ok_and(|audit| audit.connections == 0) {
            std::thread::sleep(Duration::from_millis(1));
        }
        fake.state().is_gone = true;
        let ring = Ring::parse(&fake.told(admin_opcode::EVENT_RING)[0].1).unwrap();
        let event = Event { kind: event_kind::CQ_NOTIFY, phase: true, ..Default::default() };
        fake.store(ring.base, &event.octets().unwrap());
        [next.join().unwrap(), opens.join().unwrap()]
    });
    assert!(begun.elapsed() < PATIENCE);
    for failed in failed {
        let told = failed.unwrap_err();
        assert!(matches!(&told, Error::Stopped(_)), "{told}");
    }
}

#[test]
fn an_open_that_nobody_answers_ends_in_time_and_leaves_nothing() {
    let (_fake, device) = device();
    let patience = Duration::from_millis(50);
    let options = RawOptions { patience, ..Default::default() };
    let failed = device.connect_raw("10.0.0.1:7174".parse().unwrap(), options).map(drop).unwrap_err();
    assert!(matches!(failed, Error::TimedOut { what: "the TCP connection", .. }), "{failed}");
    let held = || device.audit().map(|audit| audit.connections + audit.firmware.connections).unwrap();
    let end = Instant::now() + PATIENCE;
    while held() > 0 {
        assert!(Instant::now() < end, "{} connections are left", held());
        std::thread::sleep(Duration::from_millis(1));
    }
    let remote = "192.0.2.1:7174".parse().unwrap();
    let refused = device.connect_raw(remote, RawOptions::default()).map(drop).unwrap_err();
    assert!(matches!(refused, Error::Call(CallError::NoRoute(_))), "{refused}");
    let local = Some("10.0.0.7:0".parse().unwrap());
    let refused =
        device.connect_raw("10.0.0.1:7174".parse().unwrap(), RawOptions { local, ..Default::default() });
    let refused = refused.map(drop).unwrap_err();
    assert!(matches!(refused, Error::Call(CallError::NotOurs { .. })), "{refused}");
}
