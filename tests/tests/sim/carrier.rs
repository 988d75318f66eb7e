// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp-sim --carrier` between a driver and a board, which runs in a thread of the test.
use crate::programs::{await_file, json, simulator, Folder, Running, PATIENCE};
use ferrowarp::{Access, Device, QpOptions};
use ferrowarp_abi::host::carrier::DEVICE_ADDRESS;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::BridgeConfig;
use ferrowarp_sim::rnic::wire;
use ferrowarp_sim::{model, Bench, Bridge, EthAddress, Library, StopsAtEnd};
use ferrowarp_tests::rnic_1g::config;
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

#[test]
fn a_driver_opens_a_board_behind_the_carrier() {
    let folder = Folder::new("sim-carrier");
    let [here, there, device] = ["host", "board", "device"].map(|name| folder.0.join(name));
    let ends = AtomicBool::new(false);
    let library = model(Top::CarriedW64, &config()).expect("the model of the board");
    let address = format!("qemu-dgram:{},{}", there.display(), here.display());
    std::thread::scope(|scope| {
        let board = scope.spawn(|| board(&library, &address, &ends));
        let end = StopsAtEnd(&ends);
        let carrier = format!("qemu-dgram:{},{}", here.display(), there.display());
        let url = folder.device("device");
        let args = ["--device", &url, "--carrier", &carrier, "--carrier-replay", "20000", "--json"];
        let mut sim = Running::start(&mut simulator(&args));
        await_file(&device, &mut sim);
        // twice: the second time the device was reset in between
        let used = [use_device(&device), use_device(&device)];
        sim.terminate();
        let told = json(&sim.output(PATIENCE));
        drop(end);
        board.join().expect("no panic of the board").expect("a board that runs");
        used.into_iter().for_each(|used| used.expect("a device"));
        assert_eq!(told["devices"][0]["state"], "up", "{told}");
    });
}
