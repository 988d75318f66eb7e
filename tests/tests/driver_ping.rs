//! `ferrowarp ping` between two simulated devices whose Ethernet is a pair of sockets, in wall time: the driver, firmware
//! and hardware of both ends, and rping's protocol.
use ferrowarp::ping::{client, serve, ClientOptions, Report, ServerOptions, PORT};
use ferrowarp::Error;
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};

/// Pings of a connection.
const PINGS: u32 = 2;

/// The pings of a connection are done, and it was closed in order.
fn pinged(result: Result<Report, Error>) {
    assert_eq!(result.unwrap().pings, PINGS);
}

/// Pings of several sizes, one FPDU and many, compared at both ends.
#[test]
fn two_devices_ping_each_other_and_every_octet_comes_back() {
    let cable = Cable::new("ping");
    let (ours, theirs) = (cable.device(2, 1), cable.device(1, 2));
    let listener = theirs.listen(PORT, 3).unwrap();
    let sizes = [27, 100, 8000];
    let served = std::thread::spawn(move || {
        let options = ServerOptions { accept: PATIENCE, patience: PATIENCE, validate: true };
        let mut texts = vec![];
        for _ in sizes {
            pinged(serve(&theirs, &listener, &options, |nth, text| texts.push((nth, text.len()))));
        }
        texts
    });
    let mut times = vec![];
    for size in sizes {
        let remote = ([10, 0, 0, 1], PORT).into();
        let peer_to_peer = size == 100;
        let options = ClientOptions { remote, count: PINGS, size, peer_to_peer, patience: PATIENCE };
        pinged(client(&ours, &options, |nth, _| times.push((nth, size))));
    }
    assert_eq!(times, sizes.iter().flat_map(|&size| (0..PINGS).map(move |n| (n, size))).collect::<Vec<_>>());
    assert_eq!(served.join().unwrap(), times, "the server saw the same texts");
}
