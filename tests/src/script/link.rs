// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wire of a device: scripted peers, and the frames between them and the device.
use super::device::Wire;
use crate::fw::bench::{DUT_MAC, PORT};
use crate::fw::peer::{Peer, MAC};
use crate::fw::wire::{neighbour_answer, Seg};
use ferrowarp_sim::eth::{wait, Delivery, DgramPort};
use ferrowarp_sim::EthPort;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

/// Where the device is.
pub const DUT: [u8; 4] = [10, 9, 0, 1];
/// Where the peers are.
pub const PEER: [u8; 4] = [10, 9, 0, 2];
/// Port of the first connection's peer.
pub const FIRST: u16 = 22_000;
/// Initial sequence number of a peer: it wraps within the first 4,096 octets.
const ISS: u32 = 0xFFFF_F000;

/// The wire.
pub struct Link {
    port: Box<dyn EthPort>,
    peers: Vec<Peer>,
    chosen: usize,
    /// All frames, for a judge: to the device or from it.
    pub frames: Vec<Vec<u8>>,
}

impl Link {
    /// Between two sockets.
    pub fn new(ours: &Path, theirs: &Path) -> Result<Self, String> {
        let port = DgramPort::bind(ours, theirs).map_err(|why| why.to_string())?;
        Ok(Self::over(Box::new(port)))
    }

    /// Over any port.
    pub fn over(port: Box<dyn EthPort>) -> Self {
        let mut link = Self { port, peers: vec![], chosen: 0, frames: vec![] };
        link.choose(0);
        link
    }

    fn send(&mut self, frame: &[u8]) -> Result<(), String> {
        self.frames.push(frame.to_vec());
        loop {
            match self.port.send(frame).map_err(|why| why.to_string())? {
                Delivery::Busy => std::thread::sleep(Duration::from_micros(200)),
                _ => return Ok(()),
            }
        }
    }

    fn take(&mut self, frame: &[u8]) -> Result<(), String> {
        if let Some(answer) = neighbour_answer(frame, &[PEER.into()], MAC) {
            return self.send(&answer);
        }
        let Some(seg) = Seg::parse(frame) else { return Ok(()) };
        let Some(peer) = self.peers.iter_mut().find(|peer| peer.ours == seg.to) else { return Ok(()) };
        let mut answers = peer.absorb(&seg);
        if peer.closes && peer.fin {
            peer.closes = false;
            answers.push(peer.finish());
        }
        answers.iter().try_for_each(|answer| self.send(&answer.frame(MAC, DUT_MAC)))
    }
}

impl Wire for Link {
    fn choose(&mut self, number: usize) {
        while self.peers.len() <= number {
            let port = FIRST + self.peers.len() as u16;
            self.peers.push(Peer::new((PEER, port).into(), ISS));
        }
        self.chosen = number;
    }

    fn peer(&mut self) -> &mut Peer {
        &mut self.peers[self.chosen]
    }

    fn open(&mut self) -> Result<(), String> {
        let syn = self.peer().syn(SocketAddr::from((DUT, PORT)));
        self.put(&syn)
    }

    fn put(&mut self, seg: &Seg) -> Result<(), String> {
        self.send(&seg.frame(MAC, DUT_MAC))
    }

    fn packet(&mut self, packet: &[u8]) -> Result<(), String> {
        self.send(&[&DUT_MAC[..], &MAC, &[8, 0], packet].concat())
    }

    fn pump(&mut self, most: Duration) -> Result<(), String> {
        wait(&[&*self.port], most).map_err(|why| why.to_string())?;
        while let Some(frame) = self.port.receive().map_err(|why| why.to_string())? {
            self.frames.push(frame.clone());
            self.take(&frame)?;
        }
        Ok(())
    }
}
