// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread of a device behind the carrier: frames, orders, timers.
use super::watch::CarrierWatch;
use crate::carrier::CarrierState;
use crate::eth::{Delivery, EthPort};
use crate::pcap::{Interface, Pcap};
use crate::rnic::desk::Desk;
use crate::rnic::frames::Frames;
use crate::rnic::idle::rest;
use crate::rnic::order::{Order, RnicStats};
use crate::rnic::threads::locked;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Frames that are taken before orders are looked at again.
const MOST_FRAMES: usize = 32;
/// Longest sleep.
const LONGEST: Duration = Duration::from_millis(250);
/// How long to wait for a port that takes no frame: nothing tells when the port does again.
const RETRY: Duration = Duration::from_millis(1);

/// Frames of both ways, in wall time.
struct Capture {
    file: Pcap<BufWriter<File>>,
    host: Interface,
    device: Interface,
}

/// What the thread begins with.
pub(super) struct Runner {
    port: Box<dyn EthPort>,
    far: Frames,
    desk: Desk,
    wake: Arc<OwnedFd>,
    start: Instant,
    /// A frame that the port did not take.
    waiting: Option<Vec<u8>>,
    capture: Option<Capture>,
    counted: RnicStats,
    stats: Arc<Mutex<RnicStats>>,
    watch: CarrierWatch,
}

impl Runner {
    pub(super) fn new(
        port: Box<dyn EthPort>,
        far: Frames,
        wake: Arc<OwnedFd>,
        (stats, watch): (Arc<Mutex<RnicStats>>, CarrierWatch),
    ) -> Self {
        let (desk, waiting, capture, counted) = Default::default();
        let start = Instant::now();
        Self { port, far, desk, wake, start, waiting, capture, counted, stats, watch }
    }

    /// The same with a file of all frames.
    pub(super) fn recorded(self, path: &Path) -> Result<Self, String> {
        let open = || {
            let mut file = Pcap::create(path)?;
            let (host, device) = (file.interface("host")?, file.interface("device")?);
            Ok(Capture { file, host, device })
        };
        let capture = open().map_err(|why: crate::pcap::CaptureError| why.to_string())?;
        Ok(Self { capture: Some(capture), ..self })
    }

    /// What is counted for the handle.
    pub(super) fn stats(&self) -> Arc<Mutex<RnicStats>> {
        self.stats.clone()
    }

    /// Until it is told to finish, or something fails. `ready` is told when the device has answered
    /// or is gone.
    pub(super) fn run(&mut self, inbox: &Receiver<Order>, ready: &Sender<()>) -> Result<(), String> {
        let mut is_told = false;
        loop {
            let now = self.now();
            let came = self.take(now)?;
            self.desk.watch(&mut self.far)?;
            if !self.desk.obey(&mut self.far, inbox)? {
                break;
            }
            self.desk.answer(&mut self.far)?;
            let is_blocked = self.give(now)?;
            self.show();
            if !is_told && self.far.bus.state() != CarrierState::Calling {
                is_told = true;
                self.tell(ready)?;
            }
            if came < MOST_FRAMES {
                self.sleep(is_blocked)?;
            }
        }
        self.show();
        match self.capture.take() {
            Some(capture) => capture.file.finish().map(drop).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    fn tell(&self, ready: &Sender<()>) -> Result<(), String> {
        if self.far.bus.state() == CarrierState::Gone {
            tracing::warn!("no device answers; hellos continue");
        }
        ready.send(()).map_err(|_| "nobody waits for the device any more".into())
    }

    /// Nanoseconds since the start.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Takes frames; how many there were.
    fn take(&mut self, now: u64) -> Result<usize, String> {
        for came in 0..MOST_FRAMES {
            let Some(frame) = self.port.receive().map_err(|e| e.to_string())? else { return Ok(came) };
            self.counted.received += 1;
            if self.port.is_spoilt() {
                continue;
            }
            if let Some(Capture { file, device, .. }) = &mut self.capture {
                file.frame(*device, now, &frame, None).map_err(|e| e.to_string())?;
            }
            self.far.bus.frame_came(now, &frame);
        }
        Ok(MOST_FRAMES)
    }

    /// Gives frames; true if the port takes none now.
    fn give(&mut self, now: u64) -> Result<bool, String> {
        while let Some(frame) = self.waiting.take().or_else(|| self.far.bus.poll(now)) {
            match self.port.send(&frame).map_err(|e| e.to_string())? {
                Delivery::Sent => self.counted.sent += 1,
                Delivery::Unplugged => self.counted.lost += 1,
                Delivery::Busy => {
                    self.waiting = Some(frame);
                    return Ok(true);
                }
            }
            if let Some(Capture { file, host, .. }) = &mut self.capture {
                file.frame(*host, now, &frame, None).map_err(|e| e.to_string())?;
            }
        }
        Ok(false)
    }

    /// Shows what was counted.
    fn show(&self) {
        let (state, stats) = (self.far.bus.state(), self.far.bus.stats());
        let RnicStats { refused, mapped, .. } = self.desk.stats();
        let (violations, link_downs) = (stats.violations, stats.gone + stats.violations);
        *locked(&self.stats) = RnicStats { refused, mapped, violations, link_downs, ..self.counted };
        self.watch.show(state, stats);
    }

    /// Sleeps until a frame, an order or a timer.
    fn sleep(&self, is_blocked: bool) -> Result<(), String> {
        let timer = self.far.bus.next_timer().min(self.desk.next_late());
        let left = Duration::from_nanos(timer.saturating_sub(self.now()));
        let most = left.min(if is_blocked { RETRY } else { LONGEST });
        rest(&[self.wake.as_fd(), self.port.poll_fd()], Some(most)).map(drop)
    }
}
