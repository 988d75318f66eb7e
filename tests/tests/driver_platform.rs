//! What the driver says of the platform around a device.
use ferrowarp::LinkState;
use ferrowarp_tests::driver::lab::Lab;

#[test]
fn a_simulated_device_has_a_link() {
    let lab = Lab::new("platform");
    assert_eq!(lab.device.link().unwrap(), LinkState::Up);
}
