// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tool `ferrowarp` does between two devices: rping's protocol, measurements, the tour.
use crate::ends::{options, End};
use crate::pair::{both, Pair, PATIENCE};
use ferrowarp::Error;
use ferrowarp_tool::perf::{self, measure, rping, Mode, Operation, Plan};
use ferrowarp_tool::ping::{self, client, serve, ClientOptions, ServerOptions};
use ferrowarp_tool::tour::{self, guide, visit, TourError};
use ferrowarp_tool::ToolError;
use std::time::Duration;

/// Pings of several sizes, one FPDU and many, compared at both ends; one of them in peer-to-peer
/// mode.
pub fn pings_come_back(pair: &Pair) {
    const PINGS: u32 = 2;
    let sizes = [27, 100, 8_000];
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(ping::PORT, 3).unwrap();
    let server = || {
        let options = ServerOptions { accept: PATIENCE, patience: PATIENCE, validate: true };
        let mut texts = vec![];
        for _ in sizes {
            let report = serve(theirs, &listener, &options, |nth, text| texts.push((nth, text.len())));
            assert_eq!(report.unwrap().pings, PINGS);
        }
        texts
    };
    let pings = || {
        let mut times = vec![];
        for size in sizes {
            let remote = pair.remote(ping::PORT);
            let peer_to_peer = size == 100;
            let options =
                ClientOptions { remote, count: PINGS, size, peer_to_peer, startup: None, patience: PATIENCE };
            let report = client(ours, &options, |nth, _| times.push((nth, size))).unwrap();
            assert_eq!((report.pings, report.octets), (PINGS, size));
        }
        times
    };
    let (texts, times) = both(server, pings);
    assert_eq!(times, sizes.iter().flat_map(|&size| (0..PINGS).map(move |n| (n, size))).collect::<Vec<_>>());
    assert_eq!(texts, times, "the server saw the same texts");
}

/// In both modes, of one FPDU and of many, with what was carried compared at the end.
pub fn every_operation_is_measured(pair: &Pair) {
    let mut plans = vec![];
    for operation in [Operation::Write, Operation::Read, Operation::Send] {
        for (mode, octets, messages) in [(Mode::Bandwidth, 3000, 7), (Mode::Latency, 1, 2)] {
            plans.push(Plan { operation, mode, octets, messages, depth: 3 });
        }
    }
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(perf::PORT, 3).unwrap();
    let remote = pair.remote(perf::PORT);
    let server = || plans.iter().map(|_| perf::serve(theirs, &listener, PATIENCE).unwrap()).collect();
    let measures = || {
        for plan in &plans {
            let report = measure(ours, remote, plan, PATIENCE).unwrap();
            assert_eq!(
                (report.operation, report.messages, report.octets),
                (plan.operation, plan.messages, plan.octets)
            );
            assert!(report.seconds > 0.0 && report.mbit_per_s > 0.0);
            assert_eq!(report.times_us.is_some(), plan.mode == Mode::Latency);
            let tcp = report.connection.expect("a connection");
            // the least wait of the timer is a millisecond; a busy machine's device may have waited
            // too long, which leaves a segment
            assert!(tcp.rto >= Duration::from_millis(1) && tcp.cwnd >= 536, "{tcp:?}");
            assert!(tcp.srtt.is_none_or(|srtt| srtt < tcp.rto), "{tcp:?}");
        }
    };
    let (served, ()): (Vec<_>, _) = both(server, measures);
    assert_eq!(served, plans);
    // an empty measurement is refused before anything is opened
    let nothing = Plan { messages: 0, ..plans[0] };
    let why = measure(ours, remote, &nothing, PATIENCE).unwrap_err();
    assert!(why.to_string().contains("cannot be measured"), "{why}");
}

/// Every operation once, on a region of several windows of 16 KiB, and no multiple of anything.
pub fn a_tour_ends_in_a_refusal(pair: &Pair) {
    const OCTETS: usize = 50_001;
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(tour::PORT, 1).unwrap();
    let (guided, visited) = both(
        || guide(theirs, &listener, PATIENCE),
        || visit(ours, pair.remote(tour::PORT), OCTETS, PATIENCE),
    );
    assert_eq!(guided.unwrap(), OCTETS);
    let seen = visited.unwrap();
    let octets: Vec<_> = seen.shown.iter().map(|shown| shown.octets).collect();
    assert_eq!(octets, [0, 8_000, OCTETS, OCTETS, 5, 0]);
    assert!(seen.compared >= 2 * OCTETS, "{seen:?}");
    assert!(seen.terminate.starts_with("1/1/00: ") && seen.terminate.contains("our RDMA Write"), "{seen:?}");
    // the device's own clock has run in every operation
    assert!(seen.shown.iter().all(|shown| shown.device_ns.is_some_and(|ns| ns > 0.0)), "{seen:?}");
}

/// With what it said.
pub fn a_stranger_is_turned_away(pair: &Pair) {
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(tour::PORT, 1).unwrap();
    let end = End::new(ours, 64);
    let stranger = || {
        let options = options().private_data(b"rping".to_vec());
        ours.connect(&end.qp, pair.remote(tour::PORT), options).map(drop)
    };
    let (guided, refused) = both(|| guide(theirs, &listener, PATIENCE), stranger);
    assert!(matches!(refused, Err(Error::Rejected { .. })), "{refused:?}");
    assert!(
        matches!(&guided, Err(ToolError::Tour(TourError::Stranger(said))) if said == b"rping"),
        "{guided:?}"
    );
}

/// rping's client asks for two pings, which become many Reads, then many Writes.
pub fn rping_is_measured(pair: &Pair) {
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(ping::PORT, 1).unwrap();
    for (operation, mode) in [(Operation::Read, Mode::Bandwidth), (Operation::Write, Mode::Latency)] {
        let plan = Plan { operation, mode, octets: 1, messages: 5, depth: 3 };
        let pings = || {
            let remote = pair.remote(ping::PORT);
            let options = ClientOptions {
                remote,
                count: 2,
                size: 3_000,
                peer_to_peer: false,
                startup: None,
                patience: PATIENCE,
            };
            client(ours, &options, |_, _| {}).unwrap()
        };
        let (reports, pinged) = both(|| rping::serve(theirs, &listener, &plan, PATIENCE).unwrap(), pings);
        assert_eq!((pinged.pings, reports.len()), (2, 2));
        for report in reports {
            assert_eq!((report.operation, report.mode, report.octets), (operation, mode, 3_000));
            assert_eq!((report.messages, report.times_us.is_some()), (5, mode == Mode::Latency));
        }
    }
}

/// In both roles: what is refused ends the connection, and rping's side hears of it.
pub fn a_tour_with_rping(pair: &Pair) {
    const OCTETS: usize = 5_000;
    let [theirs, ours] = &pair.devices;
    let port = ping::PORT;
    let listener = theirs.listen(port, 1).unwrap();
    let options = ServerOptions { accept: PATIENCE, patience: PATIENCE, validate: true };
    let (served, visited) = both(
        || serve(theirs, &listener, &options, |_, _| {}),
        || tour::rping::visit(ours, pair.remote(port), OCTETS, PATIENCE),
    );
    let seen = visited.unwrap();
    assert_eq!((seen.shown.len(), seen.compared), (4, OCTETS));
    assert!(
        seen.terminate.starts_with("ours: 0/1/00: ") && seen.terminate.contains("STag that is not valid"),
        "{seen:?}"
    );
    assert!(served.is_err(), "{served:?}");

    let options = ClientOptions {
        remote: pair.remote(port),
        count: 3,
        size: OCTETS,
        peer_to_peer: false,
        startup: None,
        patience: PATIENCE,
    };
    let (guided, pinged) =
        both(|| tour::rping::guide(theirs, &listener, PATIENCE), || client(ours, &options, |_, _| {}));
    let seen = guided.unwrap();
    assert_eq!((seen.shown.len(), seen.compared), (5, OCTETS));
    assert!(
        seen.terminate.starts_with("siw's: 0/1/00") && seen.terminate.contains("Read Request"),
        "{seen:?}"
    );
    assert!(pinged.is_err(), "{pinged:?}");
}
