// SPDX-License-Identifier: MIT OR Apache-2.0
//! A switch in simulated time: it joins the links of any number of devices, and ports outside.
//!
//! The switch has no thread and no clock. Devices run in blocks of time; at the end of a block all
//! of them stand, and one call of [`Switch::exchange`] takes the frames that arrived in it and
//! gives the frames that leave. Frames are handled in the order of (time, port), so that the length
//! of a block changes nothing.
//!
//! The lookahead rule: a frame that [`Switch::exchange`] gives begins to arrive at `until_ps` or
//! later, where its device stands. The rule holds if no block is longer than the least delay of a
//! cable. A frame of the block arrived after the block began, leaves no earlier, and takes the
//! delay of the cable; so its first octet arrives after the block's end.

mod config;
mod ecn;
mod egress;
mod error;
mod harm;
mod outside;
mod port;
mod stats;
mod table;
mod tag;

pub use config::{NoPort, PortConfig, SwitchConfig, Vlan};
pub use error::SwitchError;
pub use outside::OutsidePort;
pub use port::{PortFrame, SwitchPort};
pub use stats::{PortStats, PortWatch};

use egress::Egress;
use harm::Harm;
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use table::Table;
use tag::Inside;

/// Octets of an Ethernet header without tags.
const HEADER: usize = 14;

/// A port and what belongs to it.
struct Port {
    end: Box<dyn SwitchPort>,
    config: PortConfig,
    delay_ps: u64,
    egress: Egress,
    /// From the far end, and to it.
    harm: [Harm; 2],
    stats: PortStats,
}

/// A learning store-and-forward switch of IEEE 802.1Q.
pub struct Switch {
    ports: Vec<Port>,
    table: Table,
    /// Frames on their way in, by time, port and order.
    coming: BTreeMap<(u64, usize, u64), Vec<u8>>,
    /// Frames that came so far.
    came: u64,
    /// Where the devices stood at the last exchange.
    reached_ps: u64,
    lookahead_ps: u64,
    shown: PortWatch,
}

impl Switch {
    /// A switch that knows no address. The number of a port is its place in `ports`. The error is
    /// that of a cable without delay.
    pub fn new(
        config: SwitchConfig,
        ports: Vec<(PortConfig, Box<dyn SwitchPort>)>,
    ) -> Result<Self, SwitchError> {
        let port = |(port, (config, end)): (usize, (PortConfig, Box<dyn SwitchPort>))| {
            let line = end.line();
            let delay_ps = line.delay_ns * 1_000;
            if delay_ps == 0 {
                return Err(SwitchError::NoDelay { port });
            }
            let harm = [true, false].map(|is_in| Harm::new(&config.wire, is_in));
            let egress = Egress::new(line, config.queue, config.ecn);
            Ok(Port { end, config, delay_ps, egress, harm, stats: PortStats::default() })
        };
        let ports: Vec<_> = ports.into_iter().enumerate().map(port).collect::<Result<_, _>>()?;
        let lookahead_ps = ports.iter().map(|port| port.delay_ps).min().unwrap_or(u64::MAX);
        let table = Table::new(config.aging_ps, config.addresses);
        let (coming, came, reached_ps) = Default::default();
        let shown = PortWatch::new(ports.len());
        Ok(Self { ports, table, coming, came, reached_ps, lookahead_ps, shown })
    }

    /// Longest block in picoseconds: the least delay of a cable.
    pub fn lookahead_ps(&self) -> u64 {
        self.lookahead_ps
    }

    /// Takes the frames that arrived by `until_ps`, where all devices stand, and gives those that
    /// leave. `until_ps` is in picoseconds of simulated time and does not go back.
    pub fn exchange(&mut self, until_ps: u64) -> Result<(), SwitchError> {
        if until_ps < self.reached_ps {
            return Err(SwitchError::Backwards { until_ps, reached_ps: self.reached_ps });
        }
        self.reached_ps = until_ps;
        let mut moved = false;
        for (n, port) in self.ports.iter_mut().enumerate() {
            let failed = |why| SwitchError::Port { port: n, why };
            while let Some(frame) = port.end.take(until_ps).map_err(failed)? {
                moved = true;
                for PortFrame { at_ps, data, .. } in port.receive(frame) {
                    self.coming.insert((at_ps, n, self.came), data);
                    self.came += 1;
                }
            }
        }
        while let Some(first) = self.coming.first_entry().filter(|first| first.key().0 <= until_ps) {
            let ((at_ps, n, _), data) = first.remove_entry();
            self.forward(n, at_ps, data)?;
            moved = true;
        }
        if moved {
            self.shown.show(self.stats());
        }
        Ok(())
    }

    /// A frame has come whole at port `n`.
    fn forward(&mut self, n: usize, at_ps: u64, data: Vec<u8>) -> Result<(), SwitchError> {
        let Port { config, stats, .. } = &mut self.ports[n];
        stats.frames_in += 1;
        stats.octets_in += data.len() as u64;
        let Some(frame) = Inside::new(data, &config.vlan) else {
            stats.wrong_vid += 1;
            return Ok(());
        };
        let [to, from] = frame.addresses();
        // a group sends nothing
        if !is_group(from) {
            self.table.learn(frame.vid(), from, n, at_ps);
        }
        let known = if is_group(to) { None } else { self.table.port(frame.vid(), to, at_ps) };
        match known {
            _ if is_reserved(to) => self.ports[n].stats.filtered += 1,
            Some(port) if port == n => self.ports[n].stats.filtered += 1,
            Some(port) => self.leave(port, at_ps, &frame)?,
            None => {
                self.ports[n].stats.flooded += 1;
                let all = 0..self.ports.len();
                all.filter(|&port| port != n).try_for_each(|port| self.leave(port, at_ps, &frame))?;
            }
        }
        Ok(())
    }

    /// A frame leaves at port `n`, if that is in its VLAN and has room.
    fn leave(&mut self, n: usize, at_ps: u64, frame: &Inside) -> Result<(), SwitchError> {
        let (until_ps, least_ps) = (self.reached_ps, self.lookahead_ps);
        let port = &mut self.ports[n];
        if !port.config.vlan.has(frame.vid()) {
            return Ok(());
        }
        for frame in port.send(at_ps, frame) {
            if frame.at_ps < until_ps {
                return Err(SwitchError::Late { port: n, at_ps: frame.at_ps, until_ps, least_ps });
            }
            port.end.give(frame).map_err(|why| SwitchError::Port { port: n, why })?;
        }
        Ok(())
    }

    /// The earliest time at which a frame inside the switch moves on, in picoseconds; none if there
    /// is no frame. Frames under way on a [`Link`](crate::Link) are not among them.
    pub fn due_ps(&self) -> Option<u64> {
        let coming = self.coming.keys().map(|&(at_ps, ..)| at_ps).next();
        coming.into_iter().chain(self.ports.iter().filter_map(|port| port.end.due_ps())).min()
    }

    /// What becomes readable when a frame of wall time has come.
    pub fn poll_fds(&self) -> Vec<BorrowedFd<'_>> {
        self.ports.iter().filter_map(|port| port.end.poll_fd()).collect()
    }

    /// What each port has counted, in their order.
    pub fn stats(&self) -> Vec<PortStats> {
        let stats = |port: &Port| PortStats { untaken: port.end.untaken(), ..port.stats };
        self.ports.iter().map(stats).collect()
    }

    /// The same for who looks on while the switch is at work.
    pub fn watch(&self) -> PortWatch {
        self.shown.clone()
    }
}

impl Port {
    /// What the cable lets through of a frame of the far end, with a good FCS.
    fn receive(&mut self, frame: PortFrame) -> impl Iterator<Item = PortFrame> {
        let [came, again] = self.harm[0].pass(frame, &mut self.stats);
        let good = |frame: &PortFrame| !frame.is_bad && frame.data.len() >= HEADER;
        let bad = [&came, &again].into_iter().flatten().filter(|frame| !good(frame)).count();
        self.stats.bad += bad as u64;
        [came, again].into_iter().flatten().filter(good)
    }

    /// A frame goes into the queue; what arrives at the far end of it.
    fn send(&mut self, now_ps: u64, frame: &Inside) -> impl Iterator<Item = PortFrame> {
        let mut data = frame.leaves(&self.config.vlan);
        let octets = data.len() as u64;
        let slot = self.egress.admit(now_ps, octets);
        let Some(slot) = slot else {
            self.stats.dropped += 1;
            return [None, None].into_iter().flatten();
        };
        self.stats.deepest = self.egress.deepest();
        self.stats.marked += u64::from(slot.marks && ecn::mark(&mut data));
        self.stats.frames_out += 1;
        self.stats.octets_out += octets;
        let frame = PortFrame { at_ps: slot.start_ps + self.delay_ps, data, is_bad: false };
        self.harm[1].pass(frame, &mut self.stats).into_iter().flatten()
    }
}

fn is_group(address: [u8; 6]) -> bool {
    address[0] & 1 != 0
}

/// Addresses that no bridge forwards (IEEE 802.1Q, table 8-1): spanning tree, PAUSE, LLDP and the
/// like.
fn is_reserved(address: [u8; 6]) -> bool {
    matches!(address, [0x01, 0x80, 0xC2, 0, 0, 0..=0x0F])
}
