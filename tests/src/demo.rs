//! What `cargo xtask demo` shows: two whole devices on a link, an RDMA Write one way and Sends the other way.
use crate::device::{clock_ps, config, library, link, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND};
use ferrowarp_sim::pcap::tshark::{self, Summary};
use ferrowarp_sim::pcap::Pcap;
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair};
use std::cell::RefCell;
use std::path::Path;

/// Octets of the Write.
const WRITE: usize = 64 << 10;
/// How many Sends there are, and the octets of the first one; each has that many more than the one before.
const SENDS: usize = 10;
const STEP: usize = 700;
/// Queue pair number at both ends.
const QP: u16 = 3;

/// A stage of the run: what happened in how much simulated time.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What happened.
    pub what: String,
    /// Octets of payload; 0 if there was none.
    pub octets: usize,
    /// Simulated time in picoseconds.
    pub ps: u64,
}

impl Stage {
    /// Payload bits a nanosecond, which is Gb/s.
    pub fn goodput(&self) -> f64 {
        self.octets as f64 * 8_000.0 / self.ps.max(1) as f64
    }
}

/// A run that went well.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What happened, in order.
    pub stages: Vec<Stage>,
    /// Octets of both hosts' regions that were compared, and all equal.
    pub compared: usize,
    /// FPDUs that the messages made.
    pub fpdus: u64,
}

/// What tshark says of the capture, and what is wrong with that.
pub struct Judged {
    /// Its own words, counted.
    pub summary: Summary,
    /// Empty if it found every FPDU with a good CRC, every checksum good and nothing malformed.
    pub faults: Vec<String>,
}

/// Runs the devices and writes a capture of both ports to `path`. The model is built first if there is none.
///
/// # Panics
/// As [`run_pair_on`]: with what failed, the waveform and a line that repeats it.
pub fn run(path: &Path) -> Result<Shown, String> {
    let library = library().map_err(|e| e.to_string())?;
    let c = config();
    let wire = Wire::plain(0, c.mtu as u16, c.window_log2 as u32);
    let seen = RefCell::new(None);
    run_pair_on("demo", &library, link(), 1, |pair| {
        pair.link.capture();
        let shown = exchange(pair, wire)?;
        seen.replace(Some((shown, pair.link.take_captured())));
        Ok(())
    });
    let (shown, frames) = seen.into_inner().ok_or("the run left nothing to show")?;
    let mut pcap = Pcap::create(path).map_err(|e| e.to_string())?;
    pcap.run("demo", &[wire.established()], &frames).map_err(|e| e.to_string())?;
    pcap.finish().map_err(|e| e.to_string())?;
    Ok(shown)
}

/// Loads the rows, then the Write from A to B, then the Sends from B to A, then compares both memories.
fn exchange(pair: &mut Pair, wire: Wire) -> Result<Shown, String> {
    let sizes: Vec<_> = (1..=SENDS).map(|nth| nth * STEP).collect();
    let sent = sizes.iter().sum();
    let plan = Plan {
        wires: vec![wire],
        numbers: vec![QP],
        timing: MemoryTiming::steady(clock_ps()),
        longest: 0,
        budget: WRITE + sent,
    };
    let now = |pair: &Pair| pair.a.cycle() * clock_ps();
    let mut stages = vec![];
    let mut start = now(pair);
    let mut stage = |pair: &Pair, what: String, octets| {
        stages.push(Stage { what, octets, ps: now(pair) - start });
        start = now(pair);
    };

    let mut traffic = Traffic::new(pair, plan)?;
    stage(pair, "rows loaded through the admin ports".into(), 0);
    let message = Message::plain(RDMA_WRITE, traffic.hosts[1].inverse(WRITE));
    traffic.post(pair, 0, 0, message);
    traffic.until_placed(pair, 1, 100_000)?;
    stage(pair, format!("RDMA Write of {} KiB, A to B, doorbell to last octet", WRITE >> 10), WRITE);
    traffic.until_settled(pair, 10_000)?;
    for octets in sizes {
        let message = Message::plain(SEND, traffic.hosts[0].inverse(octets));
        traffic.post(pair, 1, 0, message);
    }
    traffic.until_settled(pair, 100_000)?;
    stage(pair, format!("{SENDS} Sends, B to A, doorbells to last completion"), sent);
    traffic.compare(pair)?;
    let compared = traffic.hosts.iter().map(|host| host.expected.len()).sum();
    Ok(Shown { stages, compared, fpdus: traffic.fpdus() })
}

/// Has tshark read the capture of a run that made `fpdus` FPDUs.
pub fn judge(path: &Path, fpdus: u64) -> Result<Judged, String> {
    let summary = tshark::read(path).map_err(|e| e.to_string())?;
    let mut faults = summary.faults();
    if summary.crc.good != fpdus || summary.crc.bad != 0 {
        let (good, bad) = (summary.crc.good, summary.crc.bad);
        faults.push(format!("{good} CRCs are good and {bad} bad, of {fpdus} FPDUs"));
    }
    if summary.checksums.bad != 0 {
        faults.push(format!("{} checksums are bad", summary.checksums.bad));
    }
    Ok(Judged { summary, faults })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_demo_succeeds_and_tshark_agrees() {
        let path = ferrowarp_sim::artefacts().join("demo-test.pcapng");
        let shown = super::run(&path).expect("both devices");
        assert_eq!(shown.stages.len(), 3);
        let judged = super::judge(&path, shown.fpdus).expect("tshark reads it");
        assert_eq!(judged.faults, Vec::<String>::new());
        let other = super::judge(&path, shown.fpdus + 1).expect("tshark reads it");
        assert_eq!(other.faults.len(), 1, "an FPDU that tshark does not find is a fault");
    }
}
