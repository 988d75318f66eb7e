// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports of the device, cycle by cycle, from the waveforms (FST) that a simulated device leaves.
use crate::repo;
use anyhow::{ensure, Context, Result};
use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalHandle, FstSignalValue};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The clock, by which cycles are told apart.
const CLOCK: &str = "clock";
/// Ports that are read.
const PORTS: [&str; 17] = [
    "tx_valid",
    "tx_ready",
    "tx_last",
    "tx_bytes",
    "tx_data",
    "rx_valid",
    "rx_ready",
    "rx_last",
    "rx_bytes",
    "rx_data",
    "pcie_rx_valid",
    "pcie_rx_ready",
    "pcie_rx_is_sof",
    "pcie_rx_bar_hit",
    "pcie_rx_data",
    "pcie_tx_valid",
    "pcie_tx_ready",
];
/// Ports of a TLP that leaves, beside those.
const TLP: [&str; 2] = ["pcie_tx_last", "pcie_tx_data"];

/// A stream of octets with a frame behind the other: `tx` or `rx` of the Ethernet port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Cycle of the first beat.
    pub first: usize,
    /// Cycle of the last beat.
    pub last: usize,
    pub octets: Vec<u8>,
}

/// The beginning of a TLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tlp {
    pub cycle: usize,
    pub kind: TlpKind,
    /// Bit n: BAR n that a request of the host hits, for the BARs 0, 2 and 4 in this order.
    pub bars: u8,
}

/// What a TLP is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlpKind {
    Read,
    Write,
    Completion,
    Other,
}

impl TlpKind {
    /// From the octet of format and type.
    fn of(octet: u8) -> Self {
        match octet {
            0x00 | 0x20 => Self::Read,
            0x40 | 0x60 => Self::Write,
            0x4a | 0x0a => Self::Completion,
            _ => Self::Other,
        }
    }
}

/// What the ports had in each cycle, as they were when the clock rose. Cycles count from 0.
#[derive(Debug, Default)]
pub struct Wave {
    ports: BTreeMap<String, Vec<u128>>,
}

impl Wave {
    /// Reads the files of a device, which it wrote by turns.
    ///
    /// # Errors
    /// A file that is damaged, lacks a port, or does not begin where another one ends.
    pub fn read(files: &[PathBuf]) -> Result<Self> {
        let mut parts = vec![];
        for file in files.iter().filter(|file| file.exists()) {
            parts.push(part(file).with_context(|| format!("cannot read {}", repo::shown(file)))?);
        }
        parts.sort_by_key(|part| part.begin);
        for pair in parts.windows(2) {
            let (end, begin) = (pair[0].end, pair[1].begin);
            ensure!(end + 1 == begin, "a waveform begins at {begin}, and the one before ends at {end}");
        }
        let mut wave = Self::default();
        for (name, values) in parts.into_iter().flat_map(|part| part.ports) {
            wave.ports.entry(name).or_default().extend(values);
        }
        Ok(wave)
    }

    /// From values of ports, which have equal numbers of cycles.
    #[cfg(test)]
    pub fn of(ports: &[(&str, Vec<u128>)]) -> Self {
        Self { ports: ports.iter().map(|(name, values)| (name.to_string(), values.clone())).collect() }
    }

    /// The value of a port; 0 where it has none.
    pub fn at(&self, port: &str, cycle: usize) -> u128 {
        self.ports.get(port).and_then(|values| values.get(cycle)).copied().unwrap_or(0)
    }

    fn cycles(&self) -> usize {
        self.ports.values().map(Vec::len).min().unwrap_or(0)
    }

    fn moves(&self, stream: &str, cycle: usize) -> bool {
        ["valid", "ready"].iter().all(|port| self.at(&format!("{stream}_{port}"), cycle) == 1)
    }

    /// The whole frames of a stream of the Ethernet port.
    pub fn frames(&self, stream: &str) -> Vec<Frame> {
        let [data, bytes, last] = ["data", "bytes", "last"].map(|port| format!("{stream}_{port}"));
        let (mut frames, mut open): (_, Option<Frame>) = (vec![], None);
        for cycle in (0..self.cycles()).filter(|&cycle| self.moves(stream, cycle)) {
            let frame = open.get_or_insert(Frame { first: cycle, last: cycle, octets: vec![] });
            let octets = self.at(&data, cycle).to_le_bytes();
            let count = usize::try_from(self.at(&bytes, cycle)).unwrap_or(0).min(octets.len());
            frame.octets.extend(&octets[..count]);
            frame.last = cycle;
            if self.at(&last, cycle) == 1 {
                frames.extend(open.take());
            }
        }
        frames
    }

    /// TLPs that enter the device.
    pub fn tlps_in(&self) -> Vec<Tlp> {
        let begins = |cycle: usize| {
            let mark = self.at("pcie_rx_is_sof", cycle);
            let place = usize::try_from(mark & 0xf).unwrap_or(0);
            let octet = self.at("pcie_rx_data", cycle).to_le_bytes().get(place + 3).copied()?;
            let bars = self.at("pcie_rx_bar_hit", cycle) as u8;
            (mark & 0x10 != 0).then_some(Tlp { cycle, kind: TlpKind::of(octet), bars })
        };
        (0..self.cycles()).filter(|&cycle| self.moves("pcie_rx", cycle)).filter_map(begins).collect()
    }

    /// TLPs that leave the device.
    pub fn tlps_out(&self) -> Vec<Tlp> {
        let (mut tlps, mut is_first) = (vec![], true);
        for cycle in (0..self.cycles()).filter(|&cycle| self.moves("pcie_tx", cycle)) {
            if is_first {
                let octet = self.at("pcie_tx_data", cycle).to_le_bytes()[3];
                tlps.push(Tlp { cycle, kind: TlpKind::of(octet), bars: 0 });
            }
            is_first = self.at("pcie_tx_last", cycle) == 1;
        }
        tlps
    }
}

/// One file.
struct Part {
    begin: u64,
    end: u64,
    ports: BTreeMap<String, Vec<u128>>,
}

fn part(file: &Path) -> Result<Part> {
    let mut reader = FstReader::open(BufReader::new(File::open(file)?))?;
    let names = [&[CLOCK][..], &PORTS, &TLP].concat();
    let mut handles: BTreeMap<&str, usize> = BTreeMap::new();
    reader.read_hierarchy(|entry| {
        if let FstHierarchyEntry::Var { name, handle, .. } = entry {
            let bare = name.split(' ').next().unwrap_or_default();
            if let Some(wanted) = names.iter().find(|wanted| **wanted == bare) {
                // the first one of a name is the port of the top
                handles.entry(wanted).or_insert(handle.get_index());
            }
        }
    })?;
    let missing: Vec<_> = names.iter().filter(|name| !handles.contains_key(**name)).copied().collect();
    ensure!(missing.is_empty(), "it has no port {}", missing.join(", "));
    let mut changes: BTreeMap<u64, Vec<(usize, u128)>> = BTreeMap::new();
    let filter = FstFilter::filter_signals(
        handles.values().map(|&index| FstSignalHandle::from_index(index)).collect(),
    );
    reader.read_signals::<Infallible>(&filter, |time, handle, value| {
        let FstSignalValue::String(digits) = value else { return Ok(()) };
        for (place, _) in names.iter().enumerate().filter(|(_, name)| handles[**name] == handle.get_index()) {
            changes.entry(time).or_default().push((place, number(digits)));
        }
        Ok(())
    })?;
    let header = reader.get_header();
    let mut now = vec![0; names.len()];
    let mut ports: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for changed in changes.values() {
        let before = now.clone();
        changed.iter().for_each(|(place, value)| now[*place] = *value);
        // the clock rises: what was there until now is what the registers see
        if (before[0], now[0]) == (0, 1) {
            for (name, value) in names.iter().zip(&before).skip(1) {
                ports.entry(name.to_string()).or_default().push(*value);
            }
        }
    }
    Ok(Part { begin: header.start_time, end: header.end_time, ports })
}

/// A number of binary digits; one that is neither 0 nor 1 counts as 0.
fn number(digits: &[u8]) -> u128 {
    digits.iter().fold(0, |number, digit| (number << 1) | u128::from(*digit == b'1'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_tlps_begin_and_end_where_their_marks_say() {
        let wave = Wave::of(&[
            ("tx_valid", vec![1, 1, 0, 1, 1]),
            ("tx_ready", vec![1, 0, 1, 1, 1]),
            ("tx_last", vec![0, 1, 1, 1, 0]),
            ("tx_bytes", vec![8, 3, 3, 3, 8]),
            ("tx_data", vec![0x0807_0605_0403_0201, 9, 9, 0x0b_0a09, 1]),
        ]);
        let octets = (1..=11).collect();
        assert_eq!(wave.frames("tx"), [Frame { first: 0, last: 3, octets }], "the last one has no end");

        let wave = Wave::of(&[
            ("pcie_rx_valid", vec![1, 1, 1]),
            ("pcie_rx_ready", vec![1, 1, 1]),
            ("pcie_rx_is_sof", vec![0x10, 0, 0x18]),
            ("pcie_rx_bar_hit", vec![2, 2, 0]),
            ("pcie_rx_data", vec![0x6000_0000, 0, 0x4a << 88]),
        ]);
        let tlps: Vec<_> = wave.tlps_in().iter().map(|tlp| (tlp.cycle, tlp.kind, tlp.bars)).collect();
        assert_eq!(tlps, [(0, TlpKind::Write, 2), (2, TlpKind::Completion, 0)]);

        let wave = Wave::of(&[
            ("pcie_tx_valid", vec![1, 1, 0, 1]),
            ("pcie_tx_ready", vec![1, 1, 1, 1]),
            ("pcie_tx_last", vec![0, 1, 0, 1]),
            ("pcie_tx_data", vec![0x4000_0000, 0, 0, 0x2000_0000]),
        ]);
        let tlps: Vec<_> = wave.tlps_out().iter().map(|tlp| (tlp.cycle, tlp.kind)).collect();
        assert_eq!(tlps, [(0, TlpKind::Write), (3, TlpKind::Read)]);
    }

    #[test]
    fn a_file_that_is_no_waveform_is_named() {
        let file = std::env::temp_dir().join(format!("fw-wave-{}.fst", std::process::id()));
        std::fs::write(&file, "no waveform").unwrap();
        let why = Wave::read(std::slice::from_ref(&file)).unwrap_err().to_string();
        assert!(why.contains(&file.display().to_string()), "{why}");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(number(b"101x"), 10);
    }
}
