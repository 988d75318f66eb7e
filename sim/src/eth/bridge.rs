// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MAC of a simulated device whose wire is an Ethernet port: simulated time inside, wall time
//! outside.
use super::{Delivery, EthError, EthPort, Tick, WallTick};
use crate::bench::{Bench, TickPin};
use crate::link::{Link, LinkConfig, LinkFault, Side, MIN_FRAME};
use crate::pcap::{CaptureError, Interface, Pcap};
use std::collections::VecDeque;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// Clock cycles between two looks at the port: a look costs about as much as a cycle of a whole
/// device.
const LOOK_EVERY: u64 = 16;
/// Frames kept for a peer that takes none; further ones are lost, as in a switch.
const MOST_WAITING: usize = 256;
/// Frames to the device that are under way at a time: whoever sends faster than its link fills the
/// port, and not our memory. More than a device at the link's rate takes between two looks.
const COMING: usize = 16;
/// Cycles that a device takes to look at its timers after a tick, at most.
const WALK: u64 = 48;
/// A device is at work if a transfer was seen so few cycles ago. Then ticks of a rest that are
/// still to be given are not given any more: in as many cycles the timeout of a read would be over,
/// and the time for which its tag must not be used again, before its answer comes, which another
/// read would take for its own.
const MOVES: u64 = 16;
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
    pub pins: [String; 2],
    /// What a tick is.
    pub tick: Tick,
}

impl BridgeConfig {
    /// The ports of the whole device, and its tick of a millisecond.
    pub fn device(link: LinkConfig) -> Self {
        let [tx, rx, pin, counts] = ["tx", "rx", "tick_pin", "tick_use_pin"].map(str::to_string);
        Self { link, tx, rx, pins: [pin, counts], tick: Tick::default() }
    }
}

/// Why a bridge stopped.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The port.
    #[error(transparent)]
    Port(#[from] EthError),
    /// The device broke the rules of its Ethernet port, or did not take what came at the link's
    /// rate.
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
    /// Frames of the device that were lost as no peer was there, or as the link was down.
    pub unplugged: u64,
    /// Frames of the device that were lost as the peer took none for long.
    pub dropped: u64,
    /// Frames of the device with a bad FCS: a peer never sees one.
    pub bad: u64,
    /// Frames of the device that the wire to another device lost, as it was told to.
    pub wire_lost: u64,
}

/// Frames of both directions, in wall time.
struct Capture {
    file: Pcap<BufWriter<File>>,
    /// What the device sent, and what the peer sent.
    ends: [Interface; 2],
}

/// Plays the MAC of a device: takes its frames to the port and gives it the port's, without FCS and
/// padded to 60 octets, at the rate of its link; drives its tick from wall time. Or the link's
/// other end is another device: then it only drives the tick.
pub struct Bridge {
    /// None if the other end is another device.
    port: Option<Box<dyn EthPort>>,
    link: Link,
    /// The device's end of the link.
    side: Side,
    config: BridgeConfig,
    /// None if ticks are cycles.
    wall: Option<WallTick>,
    /// None if ticks are wall time.
    ticks: Option<TickPin>,
    pin: bool,
    /// Cycle of the last step, and of the last tick that a rest had held up.
    cycle: u64,
    ticked: u64,
    start: Instant,
    /// Frames of the device that the port has not taken.
    waiting: VecDeque<Vec<u8>>,
    capture: Option<Capture>,
    stats: BridgeStats,
}

impl Bridge {
    /// Puts a port on the streams of a device. Ends the case like every method of [`Bench`] if
    /// there are no such streams.
    pub fn attach(bench: &mut Bench, port: Box<dyn EthPort>, config: BridgeConfig) -> Self {
        let link = Link::new(config.link);
        Self { port: Some(port), ..Self::join(bench, &link, Side::A, config) }
    }

    /// Puts one end of a link on the streams of a device; another device is to be put on the other
    /// end. As [`Bridge::attach`] otherwise.
    pub fn join(bench: &mut Bench, link: &Link, side: Side, config: BridgeConfig) -> Self {
        bench.ethernet(link, side, &config.tx, &config.rx);
        bench.set(&config.pins[1], 1);
        let wall = match config.tick {
            Tick::Wall(period) => Some(WallTick::new(period)),
            Tick::Cycles(_) => None,
        };
        let ticks = match config.tick {
            Tick::Wall(_) => None,
            Tick::Cycles(each) => Some(bench.tick_pin(&config.pins[0], each.get())),
        };
        let (start, cycle) = (Instant::now(), bench.cycle());
        let (port, capture, link) = (None, None, link.clone());
        let (waiting, stats, pin, ticked) = Default::default();
        Self { port, link, side, config, wall, ticks, pin, cycle, ticked, start, waiting, capture, stats }
    }

    /// Writes every frame from now on to a pcapng file, with wall time since the bridge was made.
    /// [`Bridge::finish`] ends the file.
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
        if looks && self.port.is_some() {
            self.look(cycle)?;
        }
        if let Some(wall) = self.wall.as_mut().filter(|wall| wall.is_hurried() && bench.still_for() < MOVES) {
            wall.forgive(Instant::now());
        }
        let hurried = self.wall.as_ref().is_some_and(WallTick::is_hurried);
        let high = match (self.config.tick, &mut self.wall) {
            (Tick::Cycles(each), _) => cycle.is_multiple_of(each.get()),
            (_, Some(wall)) => (looks || hurried) && wall.pin(cycle, Instant::now()),
            (_, None) => false,
        };
        if high != self.pin {
            bench.set(&self.config.pins[0], u64::from(high));
            self.pin = high;
        }
        // later ones do not count: a model slower than its ticks would never rest
        if high && hurried {
            self.ticked = cycle;
        }
        self.cycle = cycle;
        bench.try_step().map_err(BridgeError::Bench)
    }

    /// Takes frames both ways.
    fn look(&mut self, cycle: u64) -> Result<(), BridgeError> {
        let now = cycle * self.config.link.clock_ps;
        while let Some(frame) = self.link.receive(Side::B, now) {
            match frame {
                Some(frame) => {
                    self.record(0, &frame, None)?;
                    self.waiting.push_back(frame);
                }
                None => self.stats.bad += 1,
            }
        }
        self.flush()?;
        while self.link.under_way(Side::B) < COMING {
            let Some(mut frame) = self.port.as_mut().map_or(Ok(None), |port| port.receive())? else { break };
            frame.resize(frame.len().max(MIN_FRAME as usize), 0);
            match self.port.as_ref().is_some_and(|port| port.is_spoilt()) {
                true => {
                    self.record(1, &frame, Some("bad FCS"))?;
                    self.link.send_bad(Side::B, now, &frame)?;
                }
                false => {
                    self.record(1, &frame, None)?;
                    self.link.send(Side::B, now, &frame)?;
                }
            }
            self.stats.received += 1;
        }
        Ok(())
    }

    /// Gives the port what it takes.
    fn flush(&mut self) -> Result<(), BridgeError> {
        let Some(port) = &mut self.port else { return Ok(()) };
        while let Some(frame) = self.waiting.front() {
            match port.send(frame)? {
                Delivery::Sent => self.stats.sent += 1,
                Delivery::Unplugged => self.stats.unplugged += 1,
                Delivery::Busy if self.waiting.len() > MOST_WAITING => self.stats.dropped += 1,
                Delivery::Busy => break,
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Nothing is on its way between port and device, and the device has had time to look at its
    /// timers after a rest: the bridge itself gives no reason to go on stepping.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
            && Side::BOTH.iter().all(|&from| self.link.under_way(from) == 0)
            && self.wall.as_ref().is_none_or(|wall| !wall.is_hurried())
            && self.cycle >= self.ticked + WALK
    }

    /// The wire of the device.
    pub(crate) fn link(&self) -> &Link {
        &self.link
    }

    /// The pin of ticks that are cycles.
    pub(crate) fn ticks(&self) -> Option<TickPin> {
        self.ticks
    }

    /// Nothing of this end is on its way to the port, and the tick pin is low: inputs of the device
    /// stand until a frame comes.
    pub(crate) fn stands(&self) -> bool {
        let gives = self.port.is_some() && (!self.waiting.is_empty() || self.link.under_way(self.side) > 0);
        !gives && !self.pin
    }

    /// Waits until a frame may be there, `wake` is readable, or `most` has passed; whether there
    /// may be a frame.
    pub(crate) fn wait(&self, most: Duration, wake: BorrowedFd<'_>) -> Result<bool, BridgeError> {
        let Some(port) = &self.port else {
            super::wait_for(&[wake], most)?;
            return Ok(false);
        };
        let fds = [wake, port.poll_fd()];
        Ok(super::wait_for(&fds, most)? & 2 != 0)
    }

    /// Wall time until the next tick is due.
    pub fn until_tick(&self) -> Duration {
        self.wall.as_ref().map_or(Duration::ZERO, |wall| wall.left(Instant::now()))
    }

    /// Sleeps until a frame is there, `wake` is readable, or `most` has passed; ticks that fall due
    /// meanwhile are given at once afterwards, but not those of a longer time, in which this thread
    /// was not let on. A caller rests only when the device and its software have nothing to do: no
    /// simulated time passes.
    pub fn rest(&mut self, most: Duration, wake: Option<BorrowedFd<'_>>) -> Result<(), BridgeError> {
        let most = if self.waiting.is_empty() { most } else { most.min(RETRY) };
        let fds: Vec<_> = self.port.iter().map(|port| port.poll_fd()).chain(wake).collect();
        let longest = Instant::now() + most;
        let waited = super::wait_for(&fds, most);
        self.has_rested(longest);
        waited.map(drop).map_err(Into::into)
    }

    /// The device has rested with others that share its time, at most until then: ticks up to now
    /// are made up for.
    pub(crate) fn has_rested(&mut self, longest: Instant) {
        if let Some(wall) = &mut self.wall {
            wall.hurry(longest.min(Instant::now()));
        }
    }

    /// As [`Bridge::rest`] for a device that has no timer running: its ticks are not made up for.
    pub fn sleep(&mut self, most: Duration, wake: Option<BorrowedFd<'_>>) -> Result<(), BridgeError> {
        self.rest(most, wake)?;
        if let Some(wall) = &mut self.wall {
            wall.forgive(Instant::now());
        }
        Ok(())
    }

    /// What passed so far.
    pub fn stats(&self) -> BridgeStats {
        if self.port.is_some() {
            let down = self.link.stats(self.side).down;
            return BridgeStats { unplugged: self.stats.unplugged + down, ..self.stats };
        }
        let [own, other] = [self.side, self.side.other()].map(|side| self.link.stats(side));
        BridgeStats {
            sent: own.frames,
            // a frame that was cut counts as lost before it counts as sent
            received: (other.frames + other.duplicated).saturating_sub(other.dropped + other.down),
            bad: own.sent_bad,
            wire_lost: own.dropped,
            unplugged: own.unplugged + own.down,
            ..self.stats
        }
    }

    fn record(&mut self, end: usize, frame: &[u8], comment: Option<&str>) -> Result<(), BridgeError> {
        let Some(capture) = &mut self.capture else { return Ok(()) };
        let at = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        capture.file.frame(capture.ends[end], at, frame, comment)?;
        Ok(())
    }

    /// Ends the capture and closes the port. The error is what the link found wrong with the
    /// device, or the capture.
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
