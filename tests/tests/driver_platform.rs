//! What the driver says of the platform around a device.
use ferrowarp::{Device, LinkState};
use ferrowarp_tests::driver::pair::Cable;

#[test]
fn a_simulated_device_has_a_link() {
    let cable = Cable::new("platform");
    let device = Device::open(&cable.url(1, 2)).unwrap();
    assert_eq!(device.link().unwrap(), LinkState::Up);
}
