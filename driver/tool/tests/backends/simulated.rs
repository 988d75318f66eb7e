// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of simulated devices: in this process, and behind vfio-user sockets.
use crate::pair::{Behind, Pair};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::{line, CommonConfig, CommonDevice, Rnic, Served, PATIENCE, THINK};
use ferrowarp_sim::{model, Link, Side};
use std::path::PathBuf;
use tempfile::TempDir;

/// URLs `sim:`, a cable of two sockets between them.
pub fn sim(_case: &str) -> Pair {
    let folder = TempDir::new().expect("a folder for sockets");
    let socket = |n: usize| folder.path().join(n.to_string()).display().to_string();
    let url = |n: usize| format!("sim:eth=qemu-dgram:{},{};ip=10.0.0.{}/24", socket(n), socket(1 - n), n + 1);
    let urls = [0, 1].map(url);
    Pair::open([&urls[0], &urls[1]], Box::new(folder))
}

impl Behind for TempDir {
    fn end(self: Box<Self>) {
        self.close().expect("an empty folder");
    }
}

/// Two devices behind their sockets.
struct Sockets(Vec<(PathBuf, Served)>);

/// URLs `vfio-user:`.
pub fn vfio_user(case: &str) -> Pair {
    // the hardware as its tests have it
    let config = Config { qps: 16, window_log2: 14, ..Config::profile(Profile::TenG) };
    let library = model(Top::RnicW64, &config).expect("the model of the device");
    let link = Link::in_blocks(line(&config));
    let device = |side| CommonDevice { link: link.clone(), side, pcap: None, trace: None };
    let (tick, devices) = (Tick::default(), Side::BOTH.map(device).into());
    let common = CommonConfig { library, tick, patience: PATIENCE, think: THINK, devices, switch: None };
    let mut served = vec![];
    for (n, rnic) in Rnic::together(common).expect("two devices").into_iter().enumerate() {
        let path = std::env::temp_dir().join(format!("fw-{}-{case:.40}-{n}", std::process::id()));
        let device = Served::serve(&path, &config, rnic).expect("a socket");
        served.push((path, device));
    }
    let url = |n: usize| format!("vfio-user:{};ip=10.0.0.{}/24", served[n].0.display(), n + 1);
    let urls = [0, 1].map(url);
    Pair::open([&urls[0], &urls[1]], Box::new(Sockets(served)))
}

impl Behind for Sockets {
    /// No access went to memory that was not mapped, nothing is mapped any more, no frame was lost,
    /// no socket stays.
    fn end(self: Box<Self>) {
        for (path, served) in self.0 {
            let stats = served.finish().expect("a device that did no wrong");
            assert_eq!((stats.refused, stats.mapped, stats.lost), (0, 0, 0), "{stats:?}");
            assert!(!path.exists(), "a socket stays behind");
        }
    }
}
