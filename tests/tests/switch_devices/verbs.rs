// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four devices on one switch, each behind its socket with the driver in front: verbs between any
//! two of them.
use ferrowarp::backend::PciBackend;
use ferrowarp::Device;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::Served;
use ferrowarp_tests::driver::ect::Ect;
use ferrowarp_tests::driver::mesh::Mesh;
use ferrowarp_tests::served::switched;
use ferrowarp_tests::stack::net;
use std::path::PathBuf;
use std::sync::Arc;

/// The port that marks, and the port that loses one frame in a hundred each way.
const MARKS: usize = 0;
const LOSES: usize = 1;
const PORTS: [&str; 4] = ["ecn=6000", "loss=0.01,seed=7", "", ""];
/// Times that each device writes and sends to each other one.
const ROUNDS: usize = 2;

/// An octet that does not come to its place over a port that loses or marks is seen, and so is a
/// port that does neither, or one that does what another port has to do.
#[test]
fn four_drivers_write_and_send_to_each_other_over_a_switch_that_loses_and_marks() {
    let (served, switch) = switched("switch-verbs", Tick::default(), &PORTS);
    let open = |(n, (path, _)): (u8, &(PathBuf, Served))| {
        let backend = Ect(PciBackend::vfio_user(path).expect("a device at its socket"));
        Device::new(Arc::new(backend), &net(n)).expect("a device")
    };
    let devices: Vec<_> = (1..).zip(&served).map(open).collect();
    let mut mesh = Mesh::connect(&devices).unwrap();
    for to in (0..ROUNDS).flat_map(|_| 0..PORTS.len()) {
        mesh.all_to(to).unwrap();
    }
    mesh.close().unwrap();
    drop(devices);
    let devices: Vec<_> = served.into_iter().map(|(_, served)| served.finish().unwrap()).collect();
    let ports = switch.lock().unwrap().stats();
    let told = format!("{ports:?}");
    for (n, (port, device)) in ports.iter().zip(&devices).enumerate() {
        assert_eq!(
            [port.marked > 0, port.lost > 0],
            [MARKS, LOSES].map(|port| port == n),
            "port {n}: {told}"
        );
        assert_eq!((port.dropped, port.bad, device.refused, device.lost), (0, 0, 0, 0), "port {n}: {told}");
        assert!(port.frames_in > 100 && port.frames_out > 100, "port {n}: {told}");
    }
}
