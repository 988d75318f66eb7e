// SPDX-License-Identifier: MIT OR Apache-2.0
//! The other zero of a TCP checksum: 0xffff, where the sum is 0x0000. To a receiver they are the
//! same, but tshark calls it a bad one.
//!
//! A kernel without offloads writes it so (`skb_checksum_help` of Linux), one segment in 65,536.
//! The device must write 0x0000.
use super::guest;
use anyhow::{ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::Summary;
use std::path::Path;
use std::process::Command;

/// How tshark's remark of it begins.
const REMARK: &str = "TCP Checksum 0xffff instead of 0x0000";
/// What the summary says of such a frame.
const COMPLAINT: &str = "bad checksum of tcp";

/// Takes what is said of such segments of a guest out of the summary of a capture.
pub fn forgive(summary: &mut Summary, capture: &Path) -> Result<()> {
    if summary.experts.iter().any(|expert| expert.message.starts_with(REMARK)) {
        let frames = of_guests(capture)?;
        take_out(summary, &frames);
    }
    Ok(())
}

/// Numbers of the guests' frames that have it.
fn of_guests(capture: &Path) -> Result<Vec<u64>> {
    let [a, b, c, d, e, _] = guest::mac(0);
    let source = format!("eth.src[0:5] == {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}");
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(capture);
    command.args([
        "-T",
        "fields",
        "-e",
        "frame.number",
        "-Y",
        &format!("tcp.checksum == 0xffff && {source}"),
    ]);
    let output = command.output().context("tshark cannot be started")?;
    ensure!(output.status.success(), "tshark: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout)?;
    said.lines().map(|line| line.parse().with_context(|| format!("no frame number: {line}"))).collect()
}

/// Takes these frames out of the complaints, and as many out of the count of the remark.
fn take_out(summary: &mut Summary, frames: &[u64]) {
    let before = summary.complaints.len();
    summary.complaints.retain(|c| c.what != COMPLAINT || !frames.contains(&c.frame));
    let forgiven = (before - summary.complaints.len()) as u64;
    for expert in summary.experts.iter_mut().filter(|expert| expert.message.starts_with(REMARK)) {
        expert.count = expert.count.saturating_sub(forgiven);
    }
    summary.experts.retain(|expert| expert.count > 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_sim::pcap::{tshark, Pcap};

    /// Sum of 16-bit words in one's complement.
    fn sum(octets: &[u8]) -> u16 {
        let words = octets.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1]));
        let all: u32 = words.sum();
        ((all & 0xffff) + (all >> 16)) as u16
    }

    /// A segment without octets whose TCP checksum, which ought to be 0, is 0xffff: its window
    /// makes up for the rest.
    fn segment(source: [u8; 6]) -> Vec<u8> {
        let mut ip = [0x45, 0, 0, 40, 0, 1, 0, 0, 64, 6, 0, 0, 10, 66, 0, 1, 10, 66, 0, 9];
        let checksum = !sum(&ip);
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        let mut tcp = [0, 80, 0x1c, 0x20, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0, 0, 0, 0, 0, 0];
        let pseudo = [&ip[12..], &[0, 6, 0, 20], &tcp].concat();
        let window = !sum(&pseudo);
        tcp[14..16].copy_from_slice(&window.to_be_bytes());
        tcp[16..18].copy_from_slice(&[0xff; 2]);
        [&[2, 0, 0, 0, 0, 9][..], &source, &[8, 0], &ip, &tcp].concat()
    }

    /// Complaints and remarks that are left of a capture of one such segment.
    fn left(source: [u8; 6]) -> [usize; 2] {
        let path = std::env::temp_dir().join(format!("fw-zero-{}-{:02x}", std::process::id(), source[0]));
        let mut file = Pcap::create(&path).unwrap();
        let wire = file.interface("device").unwrap();
        file.frame(wire, 0, &segment(source), None).unwrap();
        file.finish().unwrap();
        let mut summary = tshark::read(&path).unwrap();
        assert_eq!(summary.complaints.len(), 1, "{summary:?}");
        forgive(&mut summary, &path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let remarks = summary.experts.iter().filter(|expert| expert.message.starts_with(REMARK));
        [summary.complaints.len(), remarks.count()]
    }

    #[test]
    fn a_guest_may_write_the_other_zero_and_nobody_else() {
        assert_eq!(left(guest::mac(1)), [0, 0]);
        assert_eq!(left([2, 0, 10, 66, 0, 9]), [1, 1]);
    }
}
