// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wire between two guests: carries frames from one to the other and writes them down.
use anyhow::{anyhow, Context, Result};
use ferrowarp_sim::eth::{wait, Delivery, EthAddress, EthPort};
use ferrowarp_sim::pcap::Pcap;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a frame is under way. An FPDU that comes right behind the MPA Reply meets a race in siw
/// (docs/interop.md); on a longer wire it comes later.
const DELAY: Duration = Duration::from_millis(10);
/// How long a stop may go unnoticed.
const NOTICE: Duration = Duration::from_millis(20);
/// Between two attempts to give a frame to a guest that has no room for it.
const RETRY: Duration = Duration::from_micros(500);
/// Attempts before a frame is lost, as a switch loses one.
const ATTEMPTS: usize = 2_000;

/// A wire that is plugged in; it is pulled by [`Relay::stop`] or by dropping it.
#[derive(Debug)]
pub struct Relay {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Relay {
    /// Joins two ports; every frame goes to the capture, whose interfaces are what each end sent.
    pub fn start(ends: [&EthAddress; 2], capture: &Path) -> Result<Self> {
        let ports = [ends[0].open()?, ends[1].open()?];
        let mut pcap = Pcap::create(capture)?;
        let interfaces = [pcap.interface("first")?, pcap.interface("second")?];
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let (mut ports, start) = (ports, Instant::now());
            // when a frame arrives, from which end it comes, the frame
            let mut flights = VecDeque::<(Instant, usize, Vec<u8>)>::new();
            while !seen.load(Ordering::Relaxed) {
                let due = flights.front().map(|(due, ..)| due.saturating_duration_since(Instant::now()));
                wait(&[&*ports[0], &*ports[1]], due.unwrap_or(NOTICE).min(NOTICE))?;
                for from in 0..2 {
                    while let Some(frame) = ports[from].receive()? {
                        let at = u64::try_from(start.elapsed().as_nanos())?;
                        pcap.frame(interfaces[from], at, &frame, None)?;
                        flights.push_back((Instant::now() + DELAY, from, frame));
                    }
                }
                while let Some((_, from, frame)) = flights.pop_front_if(|(due, ..)| *due <= Instant::now()) {
                    give(&mut *ports[1 - from], &frame)?;
                }
            }
            pcap.finish().map(drop).context("the capture is not whole")
        });
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Pulls the wire; the capture is whole then.
    pub fn stop(mut self) -> Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        ended.unwrap_or(Ok(Ok(()))).map_err(|_| anyhow!("the wire's thread panicked"))?
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Gives a frame to a peer that may be slow.
fn give(port: &mut dyn EthPort, frame: &[u8]) -> Result<()> {
    for _ in 0..ATTEMPTS {
        if port.send(frame)? != Delivery::Busy {
            break;
        }
        std::thread::sleep(RETRY);
    }
    Ok(())
}
