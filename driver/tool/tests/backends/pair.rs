// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices that reach each other, and that nothing of a test stays in them.
use ferrowarp::{Audit, Device};
use std::any::Any;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// How long a step may take: simulated devices do some ten thousand cycles a second on a busy
/// machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Two devices: the first one's side listens.
pub struct Pair {
    pub devices: [Device; 2],
    /// Of the first one.
    address: Ipv4Addr,
    /// What they need, which ends behind them and judges.
    behind: Box<dyn Behind>,
}

/// What stands behind two devices.
pub trait Behind: Sync {
    /// The devices are closed.
    fn end(self: Box<Self>);
}

impl Pair {
    /// Opens both by their URLs, which have their addresses.
    pub fn open(urls: [&str; 2], behind: Box<dyn Behind>) -> Self {
        let devices = urls.map(|url| match Device::open(url) {
            Ok(device) => device,
            Err(why) => panic!("{url}: {why}"),
        });
        Self::of(devices, urls[0], behind)
    }

    /// Of devices that are open; the first one by this URL.
    pub fn of(devices: [Device; 2], first: &str, behind: Box<dyn Behind>) -> Self {
        let (_, rest) = first.split_once("ip=").expect("a URL with an address");
        let address = rest.split('/').next().and_then(|ip| ip.parse().ok()).expect("an IPv4 address");
        Self { devices, address, behind }
    }

    /// A port of the first device.
    pub fn remote(&self, port: u16) -> SocketAddr {
        (self.address, port).into()
    }

    /// What is in use of both; what TIME-WAIT remembers goes with time, and is not counted.
    fn held(&self) -> [Audit; 2] {
        self.devices.each_ref().map(|device| {
            let mut audit = device.audit().expect("a device that answers");
            audit.firmware.time_waits = 0;
            audit
        })
    }

    /// Runs a case. Nothing of it may stay.
    pub fn tried(self, case: impl FnOnce(&Self)) {
        let before = self.held();
        case(&self);
        let end = Instant::now() + PATIENCE;
        while self.held() != before {
            assert!(Instant::now() < end, "held {:?}, before {before:?}", self.held());
            std::thread::sleep(Duration::from_millis(2));
        }
        let Self { devices, behind, .. } = self;
        drop(devices);
        behind.end();
    }
}

/// Waits until `found` finds something.
pub fn until<R>(what: &str, mut found: impl FnMut() -> Option<R>) -> R {
    let begun = Instant::now();
    loop {
        match found() {
            Some(found) => return found,
            None if begun.elapsed() > PATIENCE => panic!("{what} did not come"),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Does two things at once; what both came to. A panic in one is a panic here, with its text.
pub fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    let unwound = |why: Box<dyn Any + Send>| -> A { std::panic::resume_unwind(why) };
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(unwound), other)
    })
}

/// Of devices that are not ours.
#[cfg(not(feature = "sim"))]
struct Others;

#[cfg(not(feature = "sim"))]
impl Behind for Others {
    fn end(self: Box<Self>) {}
}

/// The URL with its IPv4 address, and so its station address, in network `number`: 10.9.0.1 becomes
/// 10.9.`number`.1.
fn in_network(url: &str, number: u8) -> String {
    let (before, rest) = url.split_once("ip=").expect("a URL with an address");
    let end = rest.find('/').expect("an address with a prefix");
    let [a, b, _, d] = rest[..end].parse::<Ipv4Addr>().expect("an IPv4 address").octets();
    format!("{before}ip={}{}", Ipv4Addr::from([a, b, number, d]), &rest[end..])
}

#[test]
fn a_device_is_in_the_network_of_its_test() {
    let url = in_network("vfio:0000:01:00.0;ip=10.9.0.2/24;ird=4", 17);
    assert_eq!(url, "vfio:0000:01:00.0;ip=10.9.17.2/24;ird=4");
}

/// The devices that the environment names, in a network of their own for each case: one capture has
/// all cases, and who reads the capture tells connections apart by addresses and ports.
#[cfg(not(feature = "sim"))]
pub fn named(_case: &str) -> Pair {
    static NETWORKS: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
    let number = NETWORKS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    assert!(number < u8::MAX, "more cases than networks");
    let both = std::env::var("FERROWARP_DEVICES");
    let both = both.expect("two URLs with a blank between in FERROWARP_DEVICES");
    let (one, other) = both.split_once(' ').expect("two URLs with a blank between");
    let [one, other] = [one, other].map(|url| in_network(url, number));
    Pair::open([&one, &other], Box::new(Others))
}
