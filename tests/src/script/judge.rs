// SPDX-License-Identifier: MIT OR Apache-2.0
//! A second judge of scripts: `tshark` reads what the device has sent in all of them. What the
//! peers send is odd on purpose, so it is not judged.
use ferrowarp_sim::link::Side;
use ferrowarp_sim::pcap::{tshark, Pcap};
use std::path::Path;

/// The frames of one script.
#[derive(Debug)]
pub struct Frames {
    /// Its test.
    pub name: String,
    /// In their order; side B is the device.
    pub frames: Vec<(Side, Vec<u8>)>,
}

/// Writes a capture.
pub fn write(path: &Path, scripts: &[Frames]) -> Result<(), String> {
    let text = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|why| text(&why))?;
    }
    let mut pcap = Pcap::create(path).map_err(|why| text(&why))?;
    for Frames { name, frames } in scripts {
        pcap.begin_run();
        let ends = ["peer", "device"].map(|end| pcap.interface(&format!("{name} {end}")));
        let [peer, device] = ends;
        let (peer, device) = (peer.map_err(|why| text(&why))?, device.map_err(|why| text(&why))?);
        for (n, (side, frame)) in frames.iter().enumerate() {
            let interface = if *side == Side::A { peer } else { device };
            // the order is all there is: a microsecond from one to the next
            pcap.frame(interface, n as u64 * 1_000, frame, None).map_err(|why| text(&why))?;
        }
    }
    pcap.finish().map(drop).map_err(|why| text(&why))
}

/// What `tshark` may say, with the reason.
const ALLOWED: &str = include_str!("../../conformance/tshark-allowed.tsv");

/// Whether a remark about a frame of a test is in the list.
fn is_allowed(test: &str, what: &str) -> bool {
    let lines = ALLOWED.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).any(|(name, rest)| {
        let begins = rest.split('\t').next().unwrap_or_default();
        let is_test = match name.strip_suffix('*') {
            Some(family) => test.starts_with(family),
            None => test == name,
        };
        is_test && what.starts_with(begins)
    })
}

/// What `tshark` finds wrong in frames of devices, each with its script: a malformed layer, a bad
/// checksum or CRC that is not allowed.
pub fn faults(path: &Path, scripts: &[Frames]) -> Result<Vec<String>, String> {
    write(path, scripts)?;
    let said = tshark::read(path).map_err(|why| why.to_string())?;
    let all: Vec<_> = scripts
        .iter()
        .flat_map(|script| script.frames.iter().map(move |(side, _)| (script.name.as_str(), *side)))
        .collect();
    let ours = said.complaints.iter().filter_map(|complaint| {
        let (name, side) = all.get(complaint.frame as usize - 1)?;
        let is_fault = *side == Side::B && !is_allowed(name, &complaint.what);
        is_fault.then(|| format!("{name}, {complaint}"))
    });
    Ok(ours.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_allowed_for_its_test_alone() {
        assert!(is_allowed("sim::mpa::marker_sweep", "MPA CRC check: 0x00 (Bad CRC32, should be 0x01)"));
        assert!(!is_allowed("sim::rdmap::whole", "MPA CRC check: 0x00 (Bad CRC32, should be 0x01)"));
        assert!(is_allowed("sim::rdmap::t_of_opcode", "Malformed Packet"));
        assert!(!is_allowed("sim::rdmap::t_of_opcodes", "Malformed Packet"));
    }
}
