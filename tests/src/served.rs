//! Simulated devices behind vfio-user sockets of this process.
use crate::device::config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::{JoinedPort, Tick};
use ferrowarp_sim::rnic::{line, CommonConfig, CommonDevice, Rnic, RnicConfig, Served, PATIENCE, THINK};
use ferrowarp_sim::{model, Library, Link, Side};
use std::path::PathBuf;
use std::sync::Arc;

fn library() -> Arc<Library> {
    model(Top::RnicW64, &config()).expect("the model of the device is built")
}

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("fw-{name}-{}", std::process::id()))
}

/// A device at a socket of its own; `name` tells it from those of other tests. The test holds the other end of its wire.
///
/// # Panics
/// If there is none.
pub fn served(name: &str, port: JoinedPort) -> (PathBuf, Served) {
    let (path, config) = (path(name), config());
    let device = RnicConfig {
        library: library(),
        clock_khz: config.clock_khz,
        port: Box::new(port),
        tick: Tick::default(),
        patience: PATIENCE,
        forgives: false,
        pcap: None,
        trace: None,
    };
    let served = Served::start(&path, &config, device).expect("a socket and a device");
    (path, served)
}

/// Two of them with a wire between, in one time.
///
/// # Panics
/// If there are none.
pub fn joined(name: &str) -> [(PathBuf, Served); 2] {
    joined_at(name, Tick::default())
}

/// The same with another tick.
///
/// # Panics
/// If there are none.
pub fn joined_at(name: &str, tick: Tick) -> [(PathBuf, Served); 2] {
    let config = config();
    let link = Link::in_blocks(line(config.clock_khz));
    let device = |side| CommonDevice { link: link.clone(), side, pcap: None, trace: None };
    let devices = Side::BOTH.map(device).into();
    let common =
        CommonConfig { library: library(), tick, patience: PATIENCE, think: THINK, devices, switch: None };
    let mut rnics = Rnic::together(common).expect("two devices").into_iter();
    ["a", "b"].map(|end| {
        let (path, rnic) = (path(&format!("{name}-{end}")), rnics.next().expect("two devices"));
        let served = Served::serve(&path, &config, rnic).expect("a socket");
        (path, served)
    })
}
