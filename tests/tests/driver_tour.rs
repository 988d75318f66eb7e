//! The tour: every operation once between two simulated devices, and what it says to a peer that is none of its own.
use ferrowarp::tour::{guide, visit, TourError, PORT};
use ferrowarp::{ConnectOptions, Error, QpOptions};
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};
use std::thread::scope;

/// Octets of the region: several windows of 16 KiB, and no multiple of anything.
const OCTETS: usize = 50_001;

#[test]
fn every_operation_is_shown_and_the_last_one_refused() {
    let cable = Cable::new("tour");
    let (ours, theirs) = (cable.device(2, 1), cable.device(1, 2));
    let listener = theirs.listen(PORT, 1).unwrap();
    let before = [&ours, &theirs].map(|device| device.audit().unwrap());
    let (visited, guided) = scope(|scope| {
        let guided = scope.spawn(|| guide(&theirs, &listener, PATIENCE));
        let visited = visit(&ours, format!("10.0.0.1:{PORT}").parse().unwrap(), OCTETS, PATIENCE);
        (visited, guided.join().unwrap())
    });
    assert_eq!(guided.unwrap(), OCTETS);
    let seen = visited.unwrap();
    let octets: Vec<_> = seen.shown.iter().map(|shown| shown.octets).collect();
    assert_eq!(octets, [0, 8_000, OCTETS, OCTETS, 5, 0]);
    assert!(seen.compared >= 2 * OCTETS, "{seen:?}");
    assert!(seen.terminate.starts_with("1/1/00: ") && seen.terminate.contains("our RDMA Write"), "{seen:?}");
    // the device's own clock has run in every operation
    assert!(seen.shown.iter().all(|shown| shown.device_ns.is_some_and(|ns| ns > 0.0)), "{seen:?}");
    let mut after = [&ours, &theirs].map(|device| device.audit().unwrap());
    // a closed connection's ports rest for a while
    after.iter_mut().for_each(|audit| audit.firmware.time_waits = 0);
    assert_eq!(before, after, "queue pairs, regions or connections stay behind");
}

#[test]
fn a_stranger_is_rejected_with_what_it_said() {
    let cable = Cable::new("tour-stranger");
    let (ours, theirs) = (cable.device(2, 1), cable.device(1, 2));
    let listener = theirs.listen(PORT, 1).unwrap();
    scope(|scope| {
        let guided = scope.spawn(|| guide(&theirs, &listener, PATIENCE));
        let pd = ours.protection_domain().unwrap();
        let cq = ours.completion_queue(4).unwrap();
        let qp = ours.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
        let options =
            ConnectOptions { private_data: b"rping".to_vec(), patience: PATIENCE, ..Default::default() };
        let refused = ours.connect(&qp, format!("10.0.0.1:{PORT}").parse().unwrap(), options);
        assert!(matches!(refused, Err(Error::Rejected(_))), "{refused:?}");
        let told = guided.join().unwrap();
        assert!(matches!(&told, Err(Error::Tour(TourError::Stranger(said))) if said == b"rping"), "{told:?}");
    });
}
