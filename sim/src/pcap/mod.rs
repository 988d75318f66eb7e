// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures: pcapng files of what went over a link, and what `tshark` says about them.
//!
//! [`Pcap`] writes one file of one or several runs, with an interface for each port of each run.
//! [`tshark`] has another's decoder judge it, and [`listing`] sum its frames up. [`Established`]
//! makes the frames that `tshark` must see first when a connection was there before the capture
//! began.

mod established;
pub mod listing;
mod pdml;
pub mod tshark;
mod verdict;

pub use established::{Endpoint, Established};

use crate::link::Captured;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::{DataLink, PcapError};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Timestamps count 10^-9 seconds: the option `if_tsresol`.
const NANOSECONDS: u8 = 9;
/// Between two runs of a file, and between the frames of [`Established`]: a microsecond, to tell
/// them apart.
const APART_NS: u64 = 1_000;

/// Why a capture was not written.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be created.
    #[error("capture {0} cannot be created: {1}; make its folder first")]
    Create(PathBuf, #[source] io::Error),
    /// A block cannot be written.
    #[error("the capture cannot be written: {0}")]
    Write(#[from] PcapError),
    /// Two connections of the file have the same addresses and ports, so that tshark would mix
    /// them.
    #[error("{0}:{1} and {2}:{3} are in this capture already; give each run ports of its own")]
    Reused(IpAddr, u16, IpAddr, u16),
    /// What was written does not reach the file.
    #[error("the capture cannot be finished: {0}")]
    Finish(#[from] io::Error),
}

/// An interface of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface(u32);

/// A pcapng file of Ethernet frames without FCS, in simulated time.
pub struct Pcap<W: Write> {
    writer: PcapNgWriter<W>,
    interfaces: u32,
    /// Where simulated time 0 of the present run lies in the file.
    base_ns: u64,
    /// The latest time in the file.
    last_ns: u64,
    /// Addresses and ports of the connections that were there before.
    known: HashSet<[(IpAddr, u16); 2]>,
}

impl Pcap<BufWriter<File>> {
    /// A new file; one that is there is replaced.
    pub fn create(path: &Path) -> Result<Self, CaptureError> {
        let file = File::create(path).map_err(|e| CaptureError::Create(path.into(), e))?;
        Self::new(BufWriter::new(file))
    }
}

impl<W: Write> Pcap<W> {
    /// A capture that goes to a writer.
    pub fn new(writer: W) -> Result<Self, CaptureError> {
        Ok(Self {
            writer: PcapNgWriter::new(writer)?,
            interfaces: 0,
            base_ns: 0,
            last_ns: 0,
            known: HashSet::new(),
        })
    }

    /// A run whose simulated time begins at 0 follows: its frames lie behind those of the runs
    /// before.
    pub fn begin_run(&mut self) {
        self.base_ns = if self.interfaces == 0 { 0 } else { self.last_ns + APART_NS };
    }

    /// Adds an interface, for example `run 3, A`.
    pub fn interface(&mut self, name: &str) -> Result<Interface, CaptureError> {
        self.writer.write_pcapng_block(InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfName(name.into()),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        })?;
        self.interfaces += 1;
        Ok(Interface(self.interfaces - 1))
    }

    /// Writes a frame that left at `at_ns` of the run's simulated time.
    pub fn frame(
        &mut self,
        interface: Interface,
        at_ns: u64,
        data: &[u8],
        comment: Option<&str>,
    ) -> Result<(), CaptureError> {
        let ns = self.base_ns + at_ns;
        self.last_ns = self.last_ns.max(ns);
        self.writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: interface.0,
            timestamp: Duration::from_nanos(ns),
            original_len: data.len() as u32,
            data: data.into(),
            options: comment.map(|c| EnhancedPacketOption::Comment(c.into())).into_iter().collect(),
        })?;
        Ok(())
    }

    /// Writes a run: the connections that were there before it, then what the link captured. Each
    /// end is an interface, `<name> A` and `<name> B`, that holds what this end sent.
    pub fn run(
        &mut self,
        name: &str,
        established: &[Established],
        captured: &[Captured],
    ) -> Result<(), CaptureError> {
        self.begin_run();
        let ends = [self.interface(&format!("{name} A"))?, self.interface(&format!("{name} B"))?];
        for connection in established {
            let [a, b] = connection.tuple();
            if self.known.contains(&[b, a]) || !self.known.insert([a, b]) {
                return Err(CaptureError::Reused(a.0, a.1, b.0, b.1));
            }
            for (from, frame) in connection.frames() {
                let comment = "made up: the connection was established before the capture began";
                self.frame(ends[from as usize], 0, &frame, Some(comment))?;
                self.base_ns += APART_NS;
            }
        }
        for frame in captured {
            self.frame(ends[frame.from as usize], frame.at_ps / 1000, &frame.data, frame.note.as_deref())?;
        }
        Ok(())
    }

    /// Ends the file: everything is written.
    pub fn finish(self) -> Result<W, CaptureError> {
        let mut writer = self.writer.into_inner();
        writer.flush()?;
        Ok(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Side;
    use pcap_file::pcapng::{Block, PcapNgReader};

    #[test]
    fn runs_follow_each_other_with_named_interfaces_and_nanoseconds() {
        let mut pcap = Pcap::new(vec![]).unwrap();
        for run in 0..2_u8 {
            let frame = |from, at_ps, note: Option<&str>| Captured {
                began_ps: at_ps,
                from,
                at_ps,
                data: vec![run; 60],
                note: note.map(Into::into),
            };
            let frames = [frame(Side::A, 5_500_000, None), frame(Side::B, 7_000_999, Some("dropped"))];
            pcap.run(&format!("run {run}"), &[], &frames).unwrap();
        }
        let file = pcap.finish().unwrap();
        let mut reader = PcapNgReader::new(&file[..]).unwrap();
        let (mut names, mut packets) = (vec![], vec![]);
        while let Some(block) = reader.next_block() {
            match block.unwrap().into_owned() {
                Block::InterfaceDescription(i) => {
                    assert!(i.options.contains(&InterfaceDescriptionOption::IfTsResol(9)));
                    names.extend(i.options.into_iter().filter_map(|o| match o {
                        InterfaceDescriptionOption::IfName(n) => Some(n.into_owned()),
                        _ => None,
                    }));
                }
                Block::EnhancedPacket(p) => {
                    packets.push((p.interface_id, p.timestamp.as_nanos(), p.data[0], p.options))
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(names, ["run 0 A", "run 0 B", "run 1 A", "run 1 B"]);
        let dropped = vec![EnhancedPacketOption::Comment("dropped".into())];
        let want = [
            (0, 5_500, 0, vec![]),
            (1, 7_000, 0, dropped.clone()),
            (2, 8_000 + 5_500, 1, vec![]),
            (3, 8_000 + 7_000, 1, dropped),
        ];
        assert_eq!(packets, want);
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named() {
        let text = Pcap::create(Path::new("/nowhere/x.pcapng")).err().unwrap().to_string();
        assert!(text.starts_with("capture /nowhere/x.pcapng cannot be created"), "{text}");
    }
}
