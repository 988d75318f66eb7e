//! Simulated devices behind vfio-user sockets of this process.
use crate::device::config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::{JoinedPort, Tick, Wire};
use ferrowarp_sim::model;
use ferrowarp_sim::rnic::{RnicConfig, Served, PATIENCE};
use std::path::PathBuf;

/// A device at a socket of its own; `name` tells it from those of other tests.
///
/// # Panics
/// If there is none.
pub fn served(name: &str, port: JoinedPort) -> (PathBuf, Served) {
    served_at(name, port, Tick::default())
}

/// The same with another tick.
///
/// # Panics
/// If there is none.
pub fn served_at(name: &str, port: JoinedPort, tick: Tick) -> (PathBuf, Served) {
    let path = std::env::temp_dir().join(format!("fw-{name}-{}", std::process::id()));
    let config = config();
    let library = model(Top::RnicW64, &config).expect("the model of the device is built");
    let (clock_khz, port) = (config.clock_khz, Box::new(port));
    let device = RnicConfig {
        library,
        clock_khz,
        port,
        tick,
        patience: PATIENCE,
        forgives: false,
        pcap: None,
        trace: None,
    };
    let served = Served::start(&path, &config, device).expect("a socket and a device");
    (path, served)
}

/// Two of them with a wire between.
///
/// # Panics
/// If there are none.
pub fn joined(name: &str) -> [(PathBuf, Served); 2] {
    let [a, b] = JoinedPort::pair(&Wire::default()).expect("a pair of sockets");
    [served(&format!("{name}-a"), a), served(&format!("{name}-b"), b)]
}
