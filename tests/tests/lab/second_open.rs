// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device has one owner: who opens it again is told so and harms nobody, and may come when the
//! first one has gone.
use ferrowarp::backend::BackendError;
use ferrowarp::{Access, Device, Error};
use ferrowarp_sim::eth::{JoinedPort, Wire};
use ferrowarp_tests::built::built;
use ferrowarp_tests::driver::pair::Cable;
use ferrowarp_tests::proves::proves_rows;
use ferrowarp_tests::served::served;
use std::process::Command;

#[test]
fn a_vfio_user_socket_serves_one_client_at_a_time() {
    let _proof = proves_rows(&["RDMAP-8.1.2-06", "DDP-8.3.2-04"]);
    let [port, _cable] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("second", port);
    let url = format!("vfio-user:{};ip=10.0.0.1/24", path.display());
    for _ in 0..2 {
        let first = Device::open(&url).unwrap();
        for _ in 0..3 {
            let told = Device::open(&url).unwrap_err();
            assert!(matches!(told, Error::Backend(BackendError::Busy(_))), "{told}");
            let text = told.to_string();
            assert!(text.contains(&path.display().to_string()) && text.contains("close that one"), "{text}");
        }
        // nor does another process get anything of the device
        let told = Command::new(built("ferrowarp")).args(["info", &url]).output().unwrap();
        let text = [told.stdout, told.stderr].concat();
        assert!(!told.status.success());
        assert!(String::from_utf8_lossy(&text).contains("close that one"), "{text:?}");
        // the first one goes on
        let region = first.protection_domain().unwrap().allocate(4096, Access::ALL).unwrap();
        drop((region, first));
    }
    assert_eq!(served.finish().unwrap().refused, 0);
}

#[test]
fn a_simulated_devices_wire_is_taken_once() {
    let cable = Cable::new("second");
    let first = cable.device(1, 2);
    let told = Device::open(&cable.url(1, 2)).unwrap_err();
    assert!(matches!(told, Error::Backend(BackendError::Open(_))), "{told}");
    assert!(told.to_string().contains("1.sock") && told.to_string().contains("in use"), "{told}");
    drop(first);
    drop(cable.device(1, 2));
}
