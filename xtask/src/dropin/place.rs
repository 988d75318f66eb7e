// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated devices, and programs on them.
use super::Program;
use crate::simulator::{Device, Simulator};
use anyhow::Result;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;

/// Addresses of the server's device and the client's.
pub const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];

/// Devices that a link or a switch joins.
pub struct Place<'a> {
    simulator: Simulator,
    library: &'a Path,
    /// The devices, as FERROWARP_DEVICES has them.
    pub urls: Vec<String>,
    /// The first device, and a folder of the run, as programs take them.
    names: [(&'static str, String); 2],
}

impl<'a> Place<'a> {
    /// A device for each address: the names are fw0, fw1 and so on. The library is a folder.
    pub fn new(library: &'a Path, folder: &Path, addresses: &[Ipv4Addr]) -> Result<Self> {
        let device = |n: usize| Device {
            socket: folder.join(n.to_string()),
            eth: if addresses.len() == 2 { format!("link:{}", 1 - n) } else { format!("switch:{n}") },
            capture: folder.join(format!("{n}.pcapng")),
        };
        let devices: Vec<_> = (0..addresses.len()).map(device).collect();
        let url = |(n, ip)| format!("fw{n}=vfio-user:{};ip={ip}/24", folder.join(format!("{n}")).display());
        let urls = addresses.iter().enumerate().map(url).collect();
        let simulator = Simulator::start(devices, &[], &folder.join("log"))?;
        let names = [("PEER", addresses[0].to_string()), ("FOLDER", folder.display().to_string())];
        Ok(Self { simulator, library, urls, names })
    }

    /// Words in which `PEER` is the address of the first device, `FOLDER` the folder.
    pub fn words(&self, words: &str) -> String {
        self.names.iter().fold(words.to_string(), |words, (name, is)| words.replace(name, is))
    }

    /// Starts a program on a device; its words are as [`Place::words`] has them.
    pub fn start(&self, device: usize, words: &str) -> Result<Program> {
        Program::start(&self.words(words), self.library, &self.urls[device])
    }

    /// Ends the devices, which have had no fault.
    pub fn finish(self) -> Result<()> {
        self.simulator.finish().map(drop)
    }
}

/// Addresses of two devices, of which the first is the machine's own: a program reaches the server
/// under this address by TCP and by a device. `None`: the machine has no address but its loopback.
pub fn beside_tcp() -> Option<[Ipv4Addr; 2]> {
    // the route to anywhere tells the address; no packet leaves
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9)).ok()?;
    let Ok(SocketAddr::V4(own)) = socket.local_addr() else { return None };
    let [a, b, c, last] = own.ip().octets();
    Some([*own.ip(), Ipv4Addr::new(a, b, c, if last == 1 { 2 } else { 1 })])
}
