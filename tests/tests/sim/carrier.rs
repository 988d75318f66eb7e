// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp-sim --carrier` between a driver and a board, which runs in a thread of the test.
use crate::programs::{await_file, has_taps, ip, json, simulator, Folder, Running, PATIENCE};
use ferrowarp::{Access, Device, QpOptions};
use ferrowarp_abi::host::carrier::DEVICE_ADDRESS;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::BridgeConfig;
use ferrowarp_sim::rnic::wire;
use ferrowarp_sim::skip::skip;
use ferrowarp_sim::{model, Bench, Bridge, EthAddress, Library, StopsAtEnd};
use ferrowarp_tests::rnic_1g::config;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Runs a board at an Ethernet port until it is to end.
fn board(library: &Arc<Library>, address: &str, ends: &AtomicBool) -> Result<(), String> {
    let mut bench = Bench::live(library, 1)?;
    let port = address.parse::<EthAddress>().and_then(|address| address.open()).map_err(|e| e.to_string())?;
    let mut bridge = Bridge::attach(&mut bench, port, BridgeConfig::device(wire(&config())));
    let pins = [
        ("eth_link_up", 1),
        ("carrier_address", MacAddr(DEVICE_ADDRESS).to_bits()),
        ("carrier_silence", u64::from(u32::MAX)),
        ("carrier_timeout", 31_250),
    ];
    pins.into_iter().for_each(|(pin, value)| bench.set(pin, value));
    while !ends.load(Ordering::Relaxed) {
        bridge.step(&mut bench).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// What the driver does with a device.
fn use_device(path: &Path) -> Result<(), ferrowarp::Error> {
    let device = Device::open(&format!("vfio-user:{};ip=10.0.0.1/24", path.display()))?;
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(8)?;
    let _qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let _region = pd.allocate(4_096, Access::ALL)?;
    device.audit().map(drop)
}

/// A board at one port, the simulator at `carrier`: what it tells in the end. `use_it` gets the
/// device's path.
fn behind(folder: &Folder, port: &str, carrier: &str, use_it: impl FnOnce(&Path)) -> Value {
    let ends = AtomicBool::new(false);
    let library = model(Top::CarriedW64, &config()).expect("the model of the board");
    std::thread::scope(|scope| {
        let board = scope.spawn(|| board(&library, port, &ends));
        let end = StopsAtEnd(&ends);
        let (url, path) = (folder.device("device"), folder.0.join("device"));
        let args = ["--device", &url, "--carrier", carrier, "--carrier-replay", "20000", "--json"];
        let mut sim = Running::start(&mut simulator(&args));
        await_file(&path, &mut sim);
        use_it(&path);
        sim.terminate();
        let told = json(&sim.output(PATIENCE));
        drop(end);
        board.join().expect("no panic of the board").expect("a board that runs");
        told
    })
}

#[test]
fn a_driver_opens_a_board_behind_the_carrier() {
    let folder = Folder::new("sim-carrier");
    let [here, there] = ["host", "board"].map(|name| folder.0.join(name).display().to_string());
    let (port, carrier) = (format!("qemu-dgram:{there},{here}"), format!("qemu-dgram:{here},{there}"));
    let told = behind(&folder, &port, &carrier, |device| {
        // the second time the device was reset in between
        (0..2).for_each(|_| use_device(device).expect("a device"));
    });
    assert_eq!(told["devices"][0]["state"], "up", "{told}");
}

/// An interface of this machine's kernel; it goes with this value.
struct Interface(String);

impl Drop for Interface {
    fn drop(&mut self) {
        ip(&["link", "del", &self.0]);
    }
}

#[test]
fn a_board_is_reached_through_an_interface_of_the_kernel_also_behind_a_break() {
    if !has_taps() {
        return skip("a TAP device needs root and /dev/net/tun");
    }
    let folder = Folder::new("sim-packet");
    let interface = Interface(format!("fwp{}", std::process::id()));
    let name = &interface.0;
    ip(&["tuntap", "add", "dev", name, "mode", "tap"]);
    ip(&["link", "set", name, "up"]);
    let told = behind(&folder, &format!("tap:{name}"), &format!("packet:{name}"), |device| {
        use_device(device).expect("a device");
        // shorter than the silence behind which a device is gone
        ip(&["link", "set", name, "down"]);
        ip(&["link", "set", name, "up"]);
        use_device(device).expect("a device behind the break");
    });
    assert_eq!(told["devices"][0]["state"], "up", "{told}");
}
