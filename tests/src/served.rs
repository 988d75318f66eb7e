// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated devices behind vfio-user sockets of this process.
use crate::device::config;
use crate::scratch::scratch;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::{JoinedPort, Tick};
use ferrowarp_sim::link::switch::{Switch, SwitchConfig, SwitchPort};
use ferrowarp_sim::rnic::{
    line, wire, CommonConfig, CommonDevice, Rnic, RnicConfig, Served, PATIENCE, THINK,
};
use ferrowarp_sim::{model, Library, Link, Side};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn library() -> Arc<Library> {
    model(Top::RnicW64, &config()).expect("the model of the device is built")
}

/// A device at a socket of its own; `name` tells it from those of other tests. The test holds the
/// other end of its wire.
///
/// # Panics
/// If there is none.
pub fn served(name: &str, port: JoinedPort) -> (PathBuf, Served) {
    let (path, config) = (scratch(name), config());
    let device = RnicConfig {
        library: library(),
        wire: wire(&config),
        port: Box::new(port),
        flaps: None,
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
    let link = Link::in_blocks(line(&config));
    let device = |side| CommonDevice { link: link.clone(), side, pcap: None, trace: None };
    let devices = Side::BOTH.map(device).into();
    let common =
        CommonConfig { library: library(), tick, patience: PATIENCE, think: THINK, devices, switch: None };
    let mut rnics = Rnic::together(common).expect("two devices").into_iter();
    ["a", "b"].map(|end| {
        let (path, rnic) = (scratch(&format!("{name}-{end}")), rnics.next().expect("two devices"));
        let served = Served::serve(&path, &config, rnic).expect("a socket");
        (path, served)
    })
}

/// A device on each port of a switch, in one time. `ports` has the keys of each port, as
/// `ferrowarp-sim --eth switch:N` has them.
///
/// # Panics
/// If there are none, or if no port has such keys.
pub fn switched(name: &str, tick: Tick, ports: &[&str]) -> (Vec<(PathBuf, Served)>, Arc<Mutex<Switch>>) {
    let config = config();
    let links: Vec<_> = ports.iter().map(|_| Link::in_blocks(line(&config))).collect();
    let ends = ports.iter().zip(&links).map(|(keys, link)| {
        (keys.parse().expect("keys of a port"), Box::new(link.clone()) as Box<dyn SwitchPort>)
    });
    let switch = Switch::new(SwitchConfig::default(), ends.collect()).expect("cables with delay");
    let switch = Arc::new(Mutex::new(switch));
    let device = |link| CommonDevice { link, side: Side::A, pcap: None, trace: None };
    let devices = links.into_iter().map(device).collect();
    let shared = Some(switch.clone());
    let common =
        CommonConfig { library: library(), tick, patience: PATIENCE, think: THINK, devices, switch: shared };
    let rnics = Rnic::together(common).expect("devices on a switch");
    let serve = |(n, rnic)| {
        let path = scratch(&format!("{name}-{n}"));
        let served = Served::serve(&path, &config, rnic).expect("a socket");
        (path, served)
    };
    (rnics.into_iter().enumerate().map(serve).collect(), switch)
}
