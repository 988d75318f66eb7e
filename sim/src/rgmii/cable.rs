// SPDX-License-Identifier: MIT OR Apache-2.0
//! The other end of a board's cable in wall time: the carrier's host and a peer share the cable.
use super::BoardTop;
use crate::eth::{Delivery, EthPort};
use crate::pcap::{CaptureError, Interface, Pcap};
use ferrowarp_abi::codec::EthernetHdr;
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;
use std::collections::VecDeque;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Octet times between two looks at the ports.
const LOOK_EVERY: usize = 32;
/// Frames that wait for a port that takes none now; a switch drops the frames behind them.
const WAITING: usize = 256;

/// What passed the pins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CableStats {
    /// Frames of the carrier to the board and from the board.
    pub carried: [u64; 2],
    /// Other frames to the board and from the board.
    pub others: [u64; 2],
    /// Frames of the board that no port took.
    pub lost: u64,
    /// Frames of the board with a wrong preamble or FCS.
    pub bad: u64,
    /// Simulated time in nanoseconds.
    pub simulated_ns: u64,
}

/// Frames at the pins, without those of the carrier.
struct Capture {
    file: Pcap<BufWriter<File>>,
    /// To the board, from the board.
    ways: [Interface; 2],
}

/// A port, and the frames of the board that wait for the port.
struct Branch {
    port: Box<dyn EthPort>,
    waiting: VecDeque<Vec<u8>>,
}

/// A board with a cable that ends at two ports.
pub struct BoardCableEnd {
    top: BoardTop,
    /// The carrier's host, the peer.
    branches: [Branch; 2],
    capture: Option<Capture>,
    stats: CableStats,
    turn: usize,
}

impl BoardCableEnd {
    /// Frames of the carrier go to `host`, and others to `peer`. The board gets all frames of both.
    pub fn new(top: BoardTop, host: Box<dyn EthPort>, peer: Box<dyn EthPort>) -> Self {
        let branch = |port| Branch { port, waiting: VecDeque::new() };
        let (capture, stats, turn) = Default::default();
        Self { top, branches: [branch(host), branch(peer)], capture, stats, turn }
    }

    /// The same with a file of the frames at the pins that are not the carrier's.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn recorded(mut self, path: &Path) -> Result<Self, CaptureError> {
        let mut file = Pcap::create(path)?;
        let ways = [file.interface("to the board")?, file.interface("from the board")?];
        self.capture = Some(Capture { file, ways });
        Ok(self)
    }

    /// Simulates until `stops` is true.
    ///
    /// # Errors
    /// A port or a file that fails, in words.
    pub fn run(mut self, stops: &AtomicBool) -> Result<CableStats, String> {
        while !stops.load(Ordering::Relaxed) {
            for _ in 0..LOOK_EVERY {
                self.top.step().map_err(|e| e.to_string())?;
            }
            self.take()?;
            if self.top.phy().is_free() {
                self.give()?;
            }
        }
        if let Some(capture) = self.capture.take() {
            capture.file.finish().map_err(|e| e.to_string())?;
        }
        let (bad, simulated_ns) = (self.top.phy().bad(), self.top.now());
        Ok(CableStats { bad, simulated_ns, ..self.stats })
    }

    /// Gives the board a frame; the ports take turns.
    fn give(&mut self) -> Result<(), String> {
        self.turn = (self.turn + 1) % self.branches.len();
        let Some(frame) = self.branches[self.turn].port.receive().map_err(|e| e.to_string())? else {
            return Ok(());
        };
        let is_carried = self.note(0, &frame)?;
        let counted = if is_carried { &mut self.stats.carried } else { &mut self.stats.others };
        counted[0] += 1;
        self.top.phy().send(&frame);
        Ok(())
    }

    /// Takes the frames of the board.
    fn take(&mut self) -> Result<(), String> {
        while let Some(frame) = self.top.phy().receive() {
            let is_carried = self.note(1, &frame)?;
            let counted = if is_carried { &mut self.stats.carried } else { &mut self.stats.others };
            counted[1] += 1;
            let branch = &mut self.branches[usize::from(!is_carried)];
            if branch.waiting.len() < WAITING {
                branch.waiting.push_back(frame);
            } else {
                self.stats.lost += 1;
            }
        }
        for Branch { port, waiting } in &mut self.branches {
            while let Some(frame) = waiting.front() {
                match port.send(frame).map_err(|e| e.to_string())? {
                    Delivery::Busy => break,
                    Delivery::Sent => {}
                    Delivery::Unplugged => self.stats.lost += 1,
                }
                waiting.pop_front();
            }
        }
        Ok(())
    }

    /// Records a frame; whether the frame is one of the carrier.
    fn note(&mut self, way: usize, frame: &[u8]) -> Result<bool, String> {
        let is_carried = EthernetHdr::parse(frame).is_ok_and(|head| head.ethertype == ETHER_TYPE);
        if let (false, Some(Capture { file, ways })) = (is_carried, &mut self.capture) {
            file.frame(ways[way], self.top.now(), frame, None).map_err(|e| e.to_string())?;
        }
        Ok(is_carried)
    }
}
