// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors of the driver between two simulated devices: the example with an event loop.
use ferrowarp_tests::driver::pair::Cable;

#[path = "../../../driver/examples/epoll_sixteen.rs"]
mod epoll_sixteen;

#[test]
fn sixteen_connections_live_in_one_thread() {
    let cable = Cable::new("sixteen");
    let received = epoll_sixteen::run(&cable.url(1, 2), &cable.url(2, 1), "10.0.0.1").unwrap();
    assert_eq!(received, [32, 32]);
}

#[test]
fn the_example_needs_no_crate_below_the_driver() {
    assert!(!include_str!("../../../driver/examples/epoll_sixteen.rs").contains("ferrowarp_"));
}
