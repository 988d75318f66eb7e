// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two simulated devices whose Ethernet is a pair of sockets, in wall time.
use crate::fpdus::Stream;
use crate::fw::wire::{untagged, Seg};
use crate::scratch::scratch;
use ferrowarp::Device;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Two models on a busy machine take some ten thousand cycles a second.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A folder for the sockets, gone at the end.
pub struct Cable(PathBuf);

impl Cable {
    /// `name` tells it from those of other tests.
    ///
    /// # Panics
    /// If there is no room for it.
    pub fn new(name: &str) -> Self {
        let path = scratch(name);
        std::fs::create_dir_all(&path).expect("a folder for sockets");
        Self(path)
    }

    /// The device of address 10.0.0.`own`, whose cable leads to that of 10.0.0.`peer`.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn device(&self, own: u8, peer: u8) -> Device {
        Device::open(&self.url(own, peer)).expect("a simulated device")
    }

    /// Its URL.
    pub fn url(&self, own: u8, peer: u8) -> String {
        let socket = |n: u8| self.0.join(format!("{n}.sock")).display().to_string();
        let (local, remote) = (socket(own), socket(peer));
        format!("sim:eth=qemu-dgram:{local},{remote};ip=10.0.0.{own}/24")
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        // what stays behind in the folder for temporary files harms nobody
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Two devices whose second one is captured.
pub struct Scene {
    _cable: Cable,
    /// The first one has the address 10.0.0.1.
    pub devices: [Device; 2],
    capture: PathBuf,
}

impl Scene {
    /// With these parts in the URLs.
    ///
    /// # Panics
    /// If a device cannot be opened.
    pub fn new(name: &str, parts: [&str; 2]) -> Self {
        let cable = Cable::new(name);
        let capture = scratch(name).with_extension("pcapng");
        let urls = [cable.url(1, 2), format!("{};pcap={}", cable.url(2, 1), capture.display())];
        let open = |(url, part): (String, &str)| Device::open(&format!("{url};{part}")).expect("a device");
        let mut urls = urls.into_iter().zip(parts).map(open);
        let devices = [(); 2].map(|()| urls.next().expect("two"));
        Self { _cable: cable, devices, capture }
    }

    /// Closes both; what was sent from each of these ends.
    ///
    /// # Panics
    /// If the capture is not whole.
    pub fn streams<const N: usize>(self, ends: [SocketAddr; N]) -> [Stream; N] {
        drop(self.devices);
        let segments = segments(&self.capture);
        std::fs::remove_file(&self.capture).expect("a capture");
        ends.map(|end| Stream::of(&segments, end))
    }
}

/// TCP segments of a capture, whatever their VLAN.
fn segments(path: &Path) -> Vec<Seg> {
    let mut reader = PcapNgReader::new(File::open(path).expect("a capture")).expect("a pcapng file");
    let mut found = vec![];
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.expect("a block") {
            let (_, frame) = untagged(packet.data.into_owned());
            found.extend(Seg::parse(&frame));
        }
    }
    found
}
