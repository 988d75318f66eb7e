//! Runs whose frames `tshark` judges together, as one capture.
use ferrowarp_sim::artefacts;
use ferrowarp_sim::link::Captured;
use ferrowarp_sim::pcap::{tshark, Established, Pcap};
use std::sync::Mutex;

/// What a run leaves for the capture.
pub struct Run {
    /// Its seed, the capture's name for it.
    pub seed: u64,
    /// Its connections.
    pub established: Vec<Established>,
    /// FPDUs that its messages make.
    pub fpdus: u64,
    /// All frames, in their order.
    pub frames: Vec<Captured>,
}

/// Writes the runs to the capture `name` beside the artefacts and has one `tshark` read it: no malformed layer, every
/// checksum right, and as many good CRCs as there are FPDUs.
///
/// # Panics
/// If it finds a fault, or the capture cannot be written or read.
pub fn judged(name: &str, runs: Mutex<Vec<Run>>) {
    let path = artefacts().join(name);
    std::fs::create_dir_all(artefacts()).expect("a folder for the capture");
    let mut pcap = Pcap::create(&path).expect("a capture beside the artefacts");
    let mut fpdus = 0;
    for run in runs.into_inner().expect("no run panicked") {
        pcap.run(&format!("run {}", run.seed), &run.established, &run.frames).expect("a run in the capture");
        fpdus += run.fpdus;
    }
    pcap.finish().expect("the capture is written");
    let said = tshark::read(&path).expect("tshark reads the capture");
    assert_eq!(said.faults(), Vec::<String>::new());
    assert_eq!((said.crc.good, said.crc.bad, said.crc.unchecked), (fpdus, 0, 0), "CRCs of {fpdus} FPDUs");
    assert_eq!(said.checksums.bad, 0);
}
