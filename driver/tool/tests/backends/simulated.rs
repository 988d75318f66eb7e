// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of simulated devices: in this process, and behind vfio-user sockets.
use crate::pair::{Behind, Pair};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::{line, CommonConfig, CommonDevice, Rnic, RnicStats, Served, PATIENCE, THINK};
use ferrowarp_sim::{model, Link, Side};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// What the end of an object waits for the device. A millisecond of a simulated board takes a
/// second or more of wall time, and a lost frame costs some of them.
const END: Duration = Duration::from_secs(20);

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
pub struct Sockets(Vec<(PathBuf, Served)>);

impl Sockets {
    /// Serves devices.
    pub fn start(case: &str, config: &Config, devices: Vec<Rnic>) -> Self {
        let mut served = vec![];
        for (n, rnic) in devices.into_iter().enumerate() {
            let path = std::env::temp_dir().join(format!("fw-{}-{case:.40}-{n}", std::process::id()));
            let device = Served::serve(&path, config, rnic).expect("a socket");
            served.push((path, device));
        }
        Self(served)
    }

    /// Where the devices are.
    pub fn urls(&self) -> [String; 2] {
        let end = END.as_millis();
        [0, 1].map(|n: usize| format!("vfio-user:{};end={end};ip=10.0.0.{}/24", self.0[n].0.display(), n + 1))
    }

    /// A device.
    pub fn served(&self, n: usize) -> &Served {
        &self.0[n].1
    }

    /// Ends the devices, which did no wrong.
    pub fn finish(self) -> Vec<RnicStats> {
        let end = |(path, served): (PathBuf, Served)| {
            let stats = served.finish().expect("a device that did no wrong");
            assert!(!path.exists(), "a socket stays behind");
            stats
        };
        self.0.into_iter().map(end).collect()
    }

    /// Opens the devices.
    pub fn open(self) -> Pair {
        let urls = self.urls();
        Pair::open([&urls[0], &urls[1]], Box::new(self))
    }
}

/// URLs `vfio-user:`.
pub fn vfio_user(case: &str) -> Pair {
    // the hardware as its tests have it
    let config = Config { qps: 16, cqs: 32, window_log2: 14, ..Config::profile(Profile::TenG) };
    let library = model(Top::RnicW64, &config).expect("the model of the device");
    let link = Link::in_blocks(line(&config));
    let device = |side| CommonDevice { link: link.clone(), side, pcap: None, trace: None };
    let (tick, devices) = (Tick::default(), Side::BOTH.map(device).into());
    let common = CommonConfig { library, tick, patience: PATIENCE, think: THINK, devices, switch: None };
    Sockets::start(case, &config, Rnic::together(common).expect("two devices")).open()
}

impl Behind for Sockets {
    /// No access went to memory that was not mapped, nothing is mapped any more, no frame was lost,
    /// no rule was broken, no link was lost, no socket stays.
    fn end(self: Box<Self>) {
        for stats in self.finish() {
            let RnicStats { refused, mapped, lost, violations, link_downs, .. } = stats;
            assert_eq!([refused, mapped, lost, violations, link_downs], [0; 5], "{stats:?}");
        }
    }
}
