// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs whose frames `tshark` judges together, as one capture.
use crate::tcp_judge::Segment;
use ferrowarp_sim::artefacts;
use ferrowarp_sim::link::Captured;
use ferrowarp_sim::pcap::{tshark, Established, Pcap};
use std::collections::HashMap;
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

/// Writes the runs to the capture `name` beside the artefacts and has one `tshark` read it: no
/// malformed layer, every checksum right, and as many good CRCs as there are FPDUs. A Send whose
/// receive comes late is cut, and leaves again: of FPDUs that left again `tshark` may read each
/// twice.
///
/// # Panics
/// If it finds a fault, or the capture cannot be written or read.
pub fn judged(name: &str, runs: Mutex<Vec<Run>>) {
    let path = artefacts().join(name);
    std::fs::create_dir_all(artefacts()).expect("a folder for the capture");
    let mut pcap = Pcap::create(&path).expect("a capture beside the artefacts");
    let (mut fpdus, mut twice) = (0, 0);
    for run in runs.into_inner().expect("no run panicked") {
        pcap.run(&format!("run {}", run.seed), &run.established, &run.frames).expect("a run in the capture");
        fpdus += run.fpdus;
        twice += again(&run.frames);
    }
    pcap.finish().expect("the capture is written");
    let said = tshark::read(&path).expect("tshark reads the capture");
    assert_eq!(said.faults(), Vec::<String>::new());
    assert_eq!((said.crc.bad, said.crc.unchecked), (0, 0));
    let good = said.crc.good;
    assert!((fpdus..=fpdus + twice).contains(&good), "{good} CRCs of {fpdus} FPDUs, {twice} of them again");
    assert_eq!(said.checksums.bad, 0);
}

/// Segments with octets that had left before.
fn again(frames: &[Captured]) -> u64 {
    let mut ends = HashMap::new();
    let mut count = 0;
    for segment in frames.iter().filter_map(|frame| Segment::read(&frame.data)) {
        let from = segment.seq;
        let upto = from.wrapping_add(segment.payload.len() as u32);
        let end = ends.entry(segment.ends).or_insert(from);
        count += u64::from(upto != from && (from.wrapping_sub(*end) as i32) < 0);
        if (upto.wrapping_sub(*end) as i32) > 0 {
            *end = upto;
        }
    }
    count
}
