// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver says of the platform around a device.
use ferrowarp::backend::BackendError;
use ferrowarp::{Device, LinkState};
use ferrowarp::{Error, QpOptions};
use ferrowarp_sim::eth::{JoinedPort, Wire};
use ferrowarp_sim::pcie::BusState;
use ferrowarp_tests::driver::pair::Cable;
use ferrowarp_tests::served::served;
use std::time::{Duration, Instant};

#[test]
fn a_simulated_device_has_a_link() {
    let cable = Cable::new("platform");
    let device = Device::open(&cable.url(1, 2)).unwrap();
    assert_eq!(device.link().unwrap(), LinkState::Up);
}

/// How long a call may take: a second, and what a busy machine adds. Without the rule a command
/// waits for a minute.
const MOMENT: Duration = Duration::from_secs(20);

#[test]
fn a_device_whose_pcie_link_is_down_is_gone_and_comes_back() {
    let [port, _far] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("bus-down", port);
    let url = format!("vfio-user:{};ip=10.0.0.2/24", path.display());
    let device = Device::open(&url).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(8).unwrap();
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(1).receives(1)).unwrap();
    served.link(BusState::Down).unwrap();
    let begun = Instant::now();
    let told = device.link().unwrap_err();
    assert!(matches!(told, Error::Backend(BackendError::Gone { .. })), "{told}");
    let told = device.protection_domain().and_then(|pd| pd.allocate(8, ferrowarp::Access::ALL)).map(drop);
    assert!(matches!(told, Err(Error::Backend(BackendError::Gone { .. }))), "{told:?}");
    drop((qp, cq, pd, device));
    assert!(begun.elapsed() < MOMENT, "after {:?}", begun.elapsed());
    served.link(BusState::Up).unwrap();
    // a hot reset while the device is open: it is there, and has forgotten everything
    let device = Device::open(&url).unwrap();
    served.link(BusState::HotReset).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    served.link(BusState::Up).unwrap();
    let begun = Instant::now();
    let told = device.completion_queue(8).map(drop).unwrap_err();
    assert!(
        matches!(told, Error::Backend(BackendError::LinkReset { .. } | BackendError::Gone { .. })),
        "{told}"
    );
    drop(device);
    assert!(begun.elapsed() < MOMENT, "after {:?}", begun.elapsed());
    let device = Device::open(&url).unwrap();
    assert_eq!(device.link().unwrap(), LinkState::Up);
    drop(device);
    served.finish().unwrap();
}
