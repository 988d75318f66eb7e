//! Two simulated devices behind vfio-user sockets, a driver at each: registers, doorbells and memory travel as they would
//! to a card, by TLPs on the far side of the socket.
use ferrowarp::ping::{client, serve, ClientOptions, ServerOptions, PORT};
use ferrowarp::Device;
use ferrowarp_tests::served::joined;
use std::path::Path;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn pings_cross_two_devices_behind_their_sockets() {
    let [(path_a, device_a), (path_b, device_b)] = joined("vu");
    let open = |path: &Path, ip: &str| Device::open(&format!("vfio-user:{};ip={ip}/24", path.display()));
    let server = open(&path_a, "10.0.0.1").unwrap();
    let listener = server.listen(PORT, 1).unwrap();
    let serving = std::thread::spawn(move || {
        let options = ServerOptions { accept: PATIENCE, patience: PATIENCE, validate: true };
        serve(&server, &listener, &options, |_, _| {})
    });
    let device = open(&path_b, "10.0.0.2").unwrap();
    let remote = format!("10.0.0.1:{PORT}").parse().unwrap();
    let options = ClientOptions { remote, count: 3, size: 5_000, peer_to_peer: false, patience: PATIENCE };
    let report = client(&device, &options, |_, _| {}).unwrap();
    assert_eq!((report.pings, report.octets), (3, 5_000));
    assert_eq!(serving.join().unwrap().unwrap().pings, 3);
    drop(device);
    for served in [device_a, device_b] {
        let stats = served.finish().unwrap();
        assert!(stats.sent > 30 && stats.lost == 0 && stats.refused == 0, "{stats:?}");
    }
    assert!(!path_a.exists() && !path_b.exists(), "a socket stays behind");
}
