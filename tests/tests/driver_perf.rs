//! `ferrowarp perf` between two simulated devices whose Ethernet is a pair of sockets: every operation in both modes,
//! of one FPDU and of many, with what was carried compared at the end.
use ferrowarp::tool::perf::{measure, serve, Mode, Operation, Plan, PORT};
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};

#[test]
fn every_operation_is_measured_and_carries_every_octet() {
    let cable = Cable::new("perf");
    let (ours, theirs) = (cable.device(2, 1), cable.device(1, 2));
    let mut plans = vec![];
    for operation in [Operation::Write, Operation::Read, Operation::Send] {
        for (mode, octets, messages) in [(Mode::Bandwidth, 3000, 7), (Mode::Latency, 1, 2)] {
            plans.push(Plan { operation, mode, octets, messages, depth: 3 });
        }
    }
    let listener = theirs.listen(PORT, 3).unwrap();
    let count = plans.len();
    let served = std::thread::spawn(move || -> Vec<Plan> {
        (0..count).map(|_| serve(&theirs, &listener, PATIENCE).unwrap()).collect()
    });
    for plan in &plans {
        let report = measure(&ours, ([10, 0, 0, 1], PORT).into(), plan, PATIENCE).unwrap();
        assert_eq!(
            (report.operation, report.messages, report.octets),
            (plan.operation, plan.messages, plan.octets)
        );
        assert!(report.seconds > 0.0 && report.mbit_per_s > 0.0);
        assert_eq!(report.times_us.is_some(), plan.mode == Mode::Latency);
    }
    assert_eq!(served.join().unwrap(), plans);
    // an empty measurement is refused before anything is opened
    let nothing = Plan { messages: 0, ..plans[0] };
    let why = measure(&ours, ([10, 0, 0, 1], PORT).into(), &nothing, PATIENCE).unwrap_err();
    assert!(why.to_string().contains("nothing to measure"), "{why}");
}
