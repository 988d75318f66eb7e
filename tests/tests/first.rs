//! Two devices on a link: RDMA Writes and Sends from work request to memory, judged by `tshark` on the wire.
use ferrowarp_sim::pcap::{tshark, Pcap};
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming};
use ferrowarp_tests::device::{clock_ps, config, library, link, random_wire, Plan, Traffic};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

/// A run's connections, the FPDUs of its messages, what was on the wire.
type Run = (u64, Vec<ferrowarp_sim::pcap::Established>, u64, Vec<ferrowarp_sim::link::Captured>);

#[test]
fn mixed_messages_arrive_whole_once_and_in_order() {
    let library = library().expect("the device's model");
    let runs: Mutex<Vec<Run>> = Mutex::new(vec![]);
    for seed in seeds(0..60, 0..1_000) {
        run_pair_on("mixed_messages", &library, link(), seed, |pair| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let long = seed % 6 == 0;
            let connections = if long { 1 } else { rng.random_range(1..=2) };
            let mut numbers: Vec<u16> = (0..16).collect();
            rand::seq::SliceRandom::shuffle(&mut numbers[..], &mut rng);
            let window = config().window_log2 as u32;
            let wire = |nth| random_wire(&mut rng, seed as u16, nth, config().mtu as u16, window);
            let wires: Vec<_> = (0..connections).map(wire).collect();
            let rough = rng.random_bool(0.7);
            let timing =
                if rough { MemoryTiming::rough(clock_ps()) } else { MemoryTiming::steady(clock_ps()) };
            let plan = Plan {
                wires: wires.clone(),
                numbers: numbers[..usize::from(connections)].to_vec(),
                timing,
                longest: if long { 102_400 } else { 6_000 },
                budget: if long { 60_000 } else { 15_000 },
            };
            pair.link.capture();
            let mut traffic = Traffic::new(pair, plan)?;
            traffic.run(pair, &mut rng)?;
            let established = wires.iter().map(|w| w.established()).collect();
            let run = (seed, established, traffic.fpdus(), pair.link.take_captured());
            runs.lock().map_err(|e| e.to_string())?.push(run);
            Ok(())
        });
    }
    let path = ferrowarp_sim::artefacts().join("first.pcapng");
    let mut pcap = Pcap::create(&path).expect("a capture beside the artefacts");
    let mut fpdus = 0;
    for (seed, established, count, frames) in runs.into_inner().expect("no run panicked") {
        pcap.run(&format!("run {seed}"), &established, &frames).expect("a run in the capture");
        fpdus += count;
    }
    pcap.finish().expect("the capture is written");
    let said = tshark::read(&path).expect("tshark reads the capture");
    assert_eq!(said.faults(), Vec::<String>::new());
    assert_eq!((said.crc.good, said.crc.bad, said.crc.unchecked), (fpdus, 0, 0), "CRCs of {fpdus} FPDUs");
    assert_eq!(said.checksums.bad, 0);
}
