//! The MAC of a simulated device whose wire is an Ethernet port: simulated time inside, wall time outside.
use super::{Delivery, EthError, EthPort, WallTick};
use crate::bench::Bench;
use crate::link::{Link, LinkConfig, LinkFault, Side, MIN_FRAME};
use crate::pcap::{CaptureError, Interface, Pcap};
use std::collections::VecDeque;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// Clock cycles between two looks at the port: a look costs about as much as a cycle of a whole device.
const LOOK_EVERY: u64 = 16;
/// Frames kept for a peer that takes none; further ones are lost, as in a switch.
const MOST_WAITING: usize = 256;
/// How long a rest is while the peer takes no frame: nothing tells when it does again.
const RETRY: Duration = Duration::from_millis(1);

/// A device's side of a bridge.
#[derive(Debug, Clone)]
pub struct BridgeConfig {
    /// Rate of the device's Ethernet, its clock; the delay adds to that of the real wire.
    pub link: LinkConfig,
    /// Prefix of the stream out of the device.
    pub tx: String,
    /// Prefix of the stream into it.
    pub rx: String,
    /// Input that is high for a cycle at each tick, and the input that says that this pin counts.
    pub tick: Option<[String; 2]>,
    /// Wall time of a tick.
    pub period: Duration,
}

impl BridgeConfig {
    /// The ports of the whole device, and its tick of a millisecond.
    pub fn device(link: LinkConfig) -> Self {
        let [tx, rx, pin, counts] = ["tx", "rx", "tick_pin", "tick_use_pin"].map(str::to_string);
        Self { link, tx, rx, tick: Some([pin, counts]), period: Duration::from_millis(1) }
    }
}

/// Why a bridge stopped.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The port.
    #[error(transparent)]
    Port(#[from] EthError),
    /// The device broke the rules of its Ethernet port, or did not take what came at the link's rate.
    #[error("the device: {0}")]
    Device(#[from] LinkFault),
    /// The capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The hardware broke a contract, or stands still with work pending.
    #[error("{0}")]
    Bench(String),
}

/// What passed a bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BridgeStats {
    /// Frames from the device to the port.
    pub sent: u64,
    /// Frames from the port to the device.
    pub received: u64,
    /// Frames of the device that were lost as no peer was there.
    pub unplugged: u64,
    /// Frames of the device that were lost as the peer took none for long.
    pub dropped: u64,
    /// Frames of the device with a bad FCS: a peer never sees one.
    pub bad: u64,
}

/// Frames of both directions, in wall time.
struct Capture {
    file: Pcap<BufWriter<File>>,
    /// What the device sent, and what the peer sent.
    ends: [Interface; 2],
}

/// Plays the MAC of a device: takes its frames to the port and gives it the port's, without FCS and padded to 60 octets,
/// at the rate of its link; drives its tick from wall time. Side A of its link is the device.
pub struct Bridge {
    port: Box<dyn EthPort>,
    link: Link,
    config: BridgeConfig,
    tick: WallTick,
    pin: bool,
    start: Instant,
    /// Frames of the device that the port has not taken.
    waiting: VecDeque<Vec<u8>>,
    capture: Option<Capture>,
    stats: BridgeStats,
}

impl Bridge {
    /// Puts a port on the streams of a device. Ends the case like every method of [`Bench`] if there are no such streams.
    pub fn attach(bench: &mut Bench, port: Box<dyn EthPort>, config: BridgeConfig) -> Self {
        let link = Link::new(config.link);
        bench.ethernet(&link, Side::A, &config.tx, &config.rx);
        if let Some([_, counts]) = &config.tick {
            bench.set(counts, 1);
        }
        let (tick, start) = (WallTick::new(config.period), Instant::now());
        let (waiting, stats) = Default::default();
        Self { port, link, config, tick, pin: false, start, waiting, capture: None, stats }
    }

    /// Writes every frame from now on to a pcapng file, with wall time since the bridge was made. [`Bridge::finish`]
    /// ends the file.
    pub fn capture(&mut self, path: &Path) -> Result<(), BridgeError> {
        let mut file = Pcap::create(path)?;
        let ends = [file.interface("device")?, file.interface("peer")?];
        self.capture = Some(Capture { file, ends });
        Ok(())
    }

    /// One clock cycle of the device, with the tick pin and, now and then, a look at the port.
    pub fn step(&mut self, bench: &mut Bench) -> Result<(), BridgeError> {
        let cycle = bench.cycle();
        let looks = cycle.is_multiple_of(LOOK_EVERY);
        if looks {
            self.look(cycle)?;
        }
        if let Some([pin, _]) = &self.config.tick {
            let high = looks && self.tick.pin(cycle, Instant::now());
            if high != self.pin {
                bench.set(pin, u64::from(high));
                self.pin = high;
            }
        }
        bench.try_step().map_err(BridgeError::Bench)
    }

    /// Takes frames both ways.
    fn look(&mut self, cycle: u64) -> Result<(), BridgeError> {
        let now = cycle * self.config.link.clock_ps;
        while let Some(frame) = self.link.receive(Side::B, now) {
            match frame {
                Some(frame) => {
                    self.record(0, &frame)?;
                    self.waiting.push_back(frame);
                }
                None => self.stats.bad += 1,
            }
        }
        self.flush()?;
        while let Some(mut frame) = self.port.receive()? {
            frame.resize(frame.len().max(MIN_FRAME as usize), 0);
            self.record(1, &frame)?;
            self.link.send(Side::B, now, &frame)?;
            self.stats.received += 1;
        }
        Ok(())
    }

    /// Gives the port what it takes.
    fn flush(&mut self) -> Result<(), BridgeError> {
        while let Some(frame) = self.waiting.front() {
            match self.port.send(frame)? {
                Delivery::Sent => self.stats.sent += 1,
                Delivery::Unplugged => self.stats.unplugged += 1,
                Delivery::Busy if self.waiting.len() > MOST_WAITING => self.stats.dropped += 1,
                Delivery::Busy => break,
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Nothing is on its way between port and device: the bridge itself gives no reason to go on stepping.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && Side::BOTH.iter().all(|&from| !self.link.under_way(from))
    }

    /// Sleeps until a frame is there, `wake` is readable, the next tick is due, or `most` has passed. A caller rests only
    /// when the device and its software have nothing to do: no time passes for the device meanwhile.
    pub fn rest(&mut self, most: Duration, wake: Option<BorrowedFd<'_>>) -> Result<(), BridgeError> {
        let left = self.config.tick.as_ref().map(|_| self.tick.left(Instant::now()));
        self.pause(most.min(left.unwrap_or(most)), wake)
    }

    /// As [`Bridge::rest`] for a device that has no timer running: ticks do not end it, and are not made up for.
    pub fn sleep(&mut self, most: Duration, wake: Option<BorrowedFd<'_>>) -> Result<(), BridgeError> {
        self.pause(most, wake)?;
        self.tick.forgive(Instant::now());
        Ok(())
    }

    fn pause(&mut self, most: Duration, wake: Option<BorrowedFd<'_>>) -> Result<(), BridgeError> {
        let most = if self.waiting.is_empty() { most } else { most.min(RETRY) };
        let fds: Vec<_> = [self.port.poll_fd()].into_iter().chain(wake).collect();
        Ok(super::wait_for(&fds, most)?)
    }

    /// What passed so far.
    pub fn stats(&self) -> BridgeStats {
        self.stats
    }

    fn record(&mut self, end: usize, frame: &[u8]) -> Result<(), BridgeError> {
        let Some(capture) = &mut self.capture else { return Ok(()) };
        let at = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        capture.file.frame(capture.ends[end], at, frame, None)?;
        Ok(())
    }

    /// Ends the capture and closes the port. The error is what the link found wrong with the device, or the capture.
    pub fn finish(mut self) -> Result<BridgeStats, BridgeError> {
        if let Some(capture) = self.capture.take() {
            capture.file.finish()?;
        }
        match self.link.take_faults().into_iter().next() {
            Some(fault) => Err(fault.into()),
            None => Ok(self.stats),
        }
    }
}
