// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regions take no descriptors: 300 of them are registered by a process that may have 64, and the
//! device reaches the first and the last.
use ferrowarp::{Access, CompletionQueue, ConnectOptions, Device, MemoryRegion, QpOptions, Remote, Status};
use ferrowarp_tests::driver::pair::{Cable, PATIENCE};
use ferrowarp_tests::served::joined;
use rustix::process::{setrlimit, Resource, Rlimit};
use std::process::Command;

/// Set in a process that has few descriptors.
const HAS_FEW: &str = "FERROWARP_HAS_FEW_DESCRIPTORS";
/// Descriptors of that process.
const FEW: u64 = 64;
/// Regions of each of its two devices, and their octets.
const REGIONS: usize = 150;
const OCTETS: usize = 5000;

fn regions(device: &Device) -> (ferrowarp::ProtectionDomain, Vec<MemoryRegion>) {
    let pd = device.protection_domain().expect("a domain");
    let allocate = |nth| pd.allocate(OCTETS, Access::ALL).unwrap_or_else(|why| panic!("region {nth}: {why}"));
    let regions = (0..REGIONS).map(allocate).collect();
    (pd, regions)
}

fn done(cq: &CompletionQueue) {
    let done = cq.wait(PATIENCE).expect("a completion");
    assert_eq!(done.status, Status::Success, "{done:?}");
}

/// Writes from the first and the last region of the first device into the last and the first of the
/// second one.
fn write_between([first, second]: &[Device; 2]) {
    let ((pd, sources), (other, sinks)) = (regions(first), regions(second));
    let [source_cq, sink_cq] = [first, second].map(|device| device.completion_queue(16).expect("a queue"));
    let options = QpOptions::default();
    let source = first.queue_pair(&pd, [&source_cq, &source_cq], options).expect("a queue pair");
    let sink = second.queue_pair(&other, [&sink_cq, &sink_cq], options).expect("a queue pair");
    sink.post_recv(1, &[]).expect("room");
    let listener = second.listen(7000, 1).expect("a listener");
    let patient = || ConnectOptions::default().patience(PATIENCE);
    std::thread::scope(|scope| {
        let accepted = scope.spawn(|| {
            let request = listener.next(PATIENCE).expect("a request");
            request.accept(&sink, patient().into()).expect("a connection")
        });
        let address = "10.0.0.2:7000".parse().expect("an address");
        let connection = first.connect(&source, address, patient()).expect("a connection");
        for (wr_id, from, to) in [(1, 0, REGIONS - 1), (2, REGIONS - 1, 0)] {
            sources[from].memory().write(OCTETS - 1, &[wr_id as u8]).expect("octets of the region");
            let remote = Remote { stag: sinks[to].stag(), to: sinks[to].to_base() };
            let segment = sources[from].segment(0, OCTETS).expect("a segment");
            connection.queue_pair().write(wr_id, &[segment], remote).post().expect("room");
            done(&source_cq);
        }
        connection.queue_pair().send(3, &[]).post().expect("room");
        done(&source_cq);
        // behind both Writes
        done(&sink_cq);
        accepted.join().expect("a connection");
    });
    let last = |nth: usize| sinks[nth].memory().copy(OCTETS - 1, 1).expect("octets of the region");
    assert_eq!((last(REGIONS - 1), last(0)), (vec![1], vec![2]));
}

/// The test `name`, in a process that has few descriptors.
fn with_few(name: &str, body: impl FnOnce()) {
    if std::env::var_os(HAS_FEW).is_some() {
        let few = Rlimit { current: Some(FEW), maximum: Some(FEW) };
        setrlimit(Resource::Nofile, few).expect("a lower limit");
        return body();
    }
    let mut again = Command::new(std::env::current_exe().expect("this test"));
    let out = again.args(["--exact", name]).env(HAS_FEW, "1").output().expect("this test, again");
    let told = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
    assert!(out.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
fn regions_of_devices_in_this_process_take_none() {
    with_few("descriptors::regions_of_devices_in_this_process_take_none", || {
        let cable = Cable::new("descriptors");
        write_between(&[cable.device(1, 2), cable.device(2, 1)]);
    });
}

#[test]
fn regions_of_devices_behind_sockets_take_none() {
    with_few("descriptors::regions_of_devices_behind_sockets_take_none", || {
        let served = joined("descriptors");
        let mut own = 0;
        let devices = served.each_ref().map(|(path, _)| {
            own += 1;
            let url = format!("vfio-user:{};ip=10.0.0.{own}/24", path.display());
            Device::open(&url).expect("a device")
        });
        write_between(&devices);
        drop(devices);
        for (_, served) in served {
            assert_eq!(served.finish().expect("a server that lives").refused, 0);
        }
    });
}
