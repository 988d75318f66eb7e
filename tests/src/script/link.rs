// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wire of a device: scripted peers, and the frames between them and the device.
use super::device::Wire;
use crate::fw::bench::{DUT_MAC, PORT};
use crate::fw::peer::{Peer, MAC};
use crate::fw::wire::{neighbour_answer, Mac, Seg};
use ferrowarp_sim::eth::{wait, Delivery, DgramPort};
use ferrowarp_sim::link::Side;
use ferrowarp_sim::EthPort;
use std::net::SocketAddrV4;
use std::path::Path;
use std::time::Duration;

/// Where the device is.
pub const DUT: [u8; 4] = [10, 9, 0, 1];
/// Where the peers are.
pub const PEER: [u8; 4] = [10, 9, 0, 2];
/// Port of the first connection's peer.
pub const FIRST: u16 = 22_000;
/// How long a step waits for what it must see.
const PATIENCE: Duration = Duration::from_secs(30);
/// Initial sequence number of a peer: it wraps within the first 4,096 octets.
const ISS: u32 = 0xFFFF_F000;

/// Who is at both ends of a wire.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Where the device listens.
    pub device: SocketAddrV4,
    /// The device's station address.
    pub device_mac: Mac,
    /// Where the first peer is; the others have the ports behind.
    pub peer: SocketAddrV4,
    /// The peers' station address.
    pub peer_mac: Mac,
    /// How long a step waits for what it must see.
    pub patience: Duration,
}

impl Default for Ends {
    fn default() -> Self {
        Self {
            device: SocketAddrV4::new(DUT.into(), PORT),
            device_mac: DUT_MAC,
            peer: SocketAddrV4::new(PEER.into(), FIRST),
            peer_mac: MAC,
            patience: PATIENCE,
        }
    }
}

/// The wire.
pub struct Link {
    port: Box<dyn EthPort>,
    ends: Ends,
    peers: Vec<Peer>,
    chosen: usize,
    has_habits: bool,
    /// All frames in their order, and who has sent each.
    pub frames: Vec<(Side, Vec<u8>)>,
}

impl Link {
    /// Between two sockets.
    pub fn new(ours: &Path, theirs: &Path, ends: Ends) -> Result<Self, String> {
        let port = DgramPort::bind(ours, theirs).map_err(|why| why.to_string())?;
        Ok(Self::over(Box::new(port), ends))
    }

    /// Over any port.
    pub fn over(port: Box<dyn EthPort>, ends: Ends) -> Self {
        let mut link = Self { port, ends, peers: vec![], chosen: 0, has_habits: false, frames: vec![] };
        link.choose(0);
        link
    }

    /// The device is Linux siw.
    #[must_use]
    pub fn of_siw(self) -> Self {
        Self { has_habits: true, ..self }
    }

    /// Resets the connections that peers have.
    pub fn reset(&mut self) -> Result<(), String> {
        let open = self.peers.iter().filter(|peer| peer.theirs.is_some() && !peer.rst);
        let resets: Vec<_> = open.map(Peer::reset).collect();
        resets.iter().try_for_each(|reset| self.put(reset))
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), String> {
        self.frames.push((Side::A, frame.to_vec()));
        loop {
            match self.port.send(frame).map_err(|why| why.to_string())? {
                Delivery::Busy => std::thread::sleep(Duration::from_micros(200)),
                _ => return Ok(()),
            }
        }
    }

    fn take(&mut self, frame: &[u8]) -> Result<(), String> {
        if let Some(answer) = neighbour_answer(frame, &[(*self.ends.peer.ip()).into()], self.ends.peer_mac) {
            return self.send(&answer);
        }
        let Some(seg) = Seg::parse(frame) else { return Ok(()) };
        let Some(peer) = self.peers.iter_mut().find(|peer| peer.ours == seg.to) else { return Ok(()) };
        let mut answers = peer.absorb(&seg);
        if peer.closes && peer.fin {
            peer.closes = false;
            answers.push(peer.finish());
        }
        answers.iter().try_for_each(|answer| self.put(answer))
    }
}

impl Wire for Link {
    fn choose(&mut self, number: usize) {
        while self.peers.len() <= number {
            let port = self.ends.peer.port() + self.peers.len() as u16;
            // before the device has said anything its end is where it listens
            let theirs = Some(self.ends.device.into());
            self.peers.push(Peer { theirs, ..Peer::new((*self.ends.peer.ip(), port).into(), ISS) });
        }
        self.chosen = number;
    }

    fn peer(&mut self) -> &mut Peer {
        &mut self.peers[self.chosen]
    }

    fn open(&mut self) -> Result<(), String> {
        let device = self.ends.device.into();
        let syn = self.peer().syn(device);
        self.put(&syn)
    }

    fn put(&mut self, seg: &Seg) -> Result<(), String> {
        self.send(&seg.frame(self.ends.peer_mac, self.ends.device_mac))
    }

    fn packet(&mut self, packet: &[u8]) -> Result<(), String> {
        self.send(&[&self.ends.device_mac[..], &self.ends.peer_mac, &[8, 0], packet].concat())
    }

    fn patience(&self) -> Duration {
        self.ends.patience
    }

    fn has_habits(&self) -> bool {
        self.has_habits
    }

    fn pump(&mut self, most: Duration) -> Result<(), String> {
        wait(&[&*self.port], most).map_err(|why| why.to_string())?;
        while let Some(frame) = self.port.receive().map_err(|why| why.to_string())? {
            self.frames.push((Side::B, frame.clone()));
            self.take(&frame)?;
        }
        Ok(())
    }
}
