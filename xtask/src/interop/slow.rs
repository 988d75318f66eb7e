// SPDX-License-Identifier: MIT OR Apache-2.0
//! A port whose frames to a guest take their time, with a capture.
use anyhow::Result;
use ferrowarp_sim::eth::{Delivery, EthError, EthPort};
use ferrowarp_sim::pcap::{Interface, Pcap};
use std::collections::VecDeque;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// How long a frame is under way. An FPDU that comes right behind the MPA Reply meets a race in siw
/// (docs/interop.md); on a longer wire it comes later.
const DELAY: Duration = Duration::from_millis(10);

/// The port.
pub struct Slow {
    port: Box<dyn EthPort>,
    pcap: Pcap<BufWriter<File>>,
    /// What the peer sent, and what the guest sent.
    sides: [Interface; 2],
    start: Instant,
    /// When a frame arrives, the frame.
    flights: VecDeque<(Instant, Vec<u8>)>,
}

impl Slow {
    /// Over a port.
    pub fn new(port: Box<dyn EthPort>, mut pcap: Pcap<BufWriter<File>>) -> Result<Self> {
        let sides = [pcap.interface("peer")?, pcap.interface("guest")?];
        Ok(Self { port, pcap, sides, start: Instant::now(), flights: VecDeque::new() })
    }

    /// A capture that cannot be written is short: the script judges without it.
    fn record(&mut self, side: usize, frame: &[u8]) {
        let at = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        drop(self.pcap.frame(self.sides[side], at, frame, None));
    }

    /// Gives the guest what has arrived, as long as it takes frames.
    fn arrive(&mut self, now: Instant) -> Result<(), EthError> {
        while let Some((due, frame)) = self.flights.front() {
            if *due > now || self.port.send(frame)? == Delivery::Busy {
                break;
            }
            self.flights.pop_front();
        }
        Ok(())
    }
}

impl EthPort for Slow {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        self.record(0, frame);
        self.flights.push_back((Instant::now() + DELAY, frame.to_vec()));
        Ok(Delivery::Sent)
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        self.arrive(Instant::now())?;
        let frame = self.port.receive()?;
        if let Some(frame) = &frame {
            self.record(1, frame);
        }
        Ok(frame)
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.port.poll_fd()
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        // the last frames are those that end connections; nobody waits for answers
        drop(self.arrive(Instant::now() + DELAY));
    }
}
