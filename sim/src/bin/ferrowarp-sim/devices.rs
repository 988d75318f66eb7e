// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes the devices: those that share a wire share one time.
use super::error::Error;
use super::flaps::FlapsOf;
use super::ports::Ports;
use super::switch::Plan;
use super::Cli;
use ferrowarp_hdl::config::Config;
use ferrowarp_sim::link::switch::Switch;
use ferrowarp_sim::rnic::{line, wire, CommonConfig, CommonDevice, Rnic, RnicConfig, TraceFiles};
use ferrowarp_sim::{Library, Link, Side};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A switch that devices and status share.
pub(super) type Shared = Arc<Mutex<Switch>>;

/// What all devices are made of.
pub(super) struct Maker<'a> {
    pub(super) cli: &'a Cli,
    pub(super) config: &'a Config,
    pub(super) library: Arc<Library>,
    pub(super) flaps: &'a FlapsOf,
    /// Folder of waveforms.
    pub(super) waves: Option<&'a Path>,
}

impl Maker<'_> {
    /// The devices, in the order of the command, and the switch if there is one.
    pub(super) fn make(
        &self,
        ports: &Ports,
        plan: Option<&Plan>,
    ) -> Result<(Vec<Rnic>, Option<Shared>), Error> {
        let mut rnics = BTreeMap::new();
        for (n, address) in ports.alone() {
            rnics.insert(n, self.alone(n, address.open()?)?);
        }
        for (pair, wire) in ports.wires() {
            let link = self.flapping(Link::impaired(line(self.config), wire), pair[0]);
            let ends = pair.into_iter().zip(Side::BOTH).map(|(n, side)| (n, link.clone(), side));
            rnics.extend(self.together(ends.collect(), None)?);
        }
        let line = line(self.config);
        let links: BTreeMap<_, _> =
            ports.switched().into_iter().map(|n| (n, self.flapping(Link::in_blocks(line), n))).collect();
        // a device without a link is none of the plan
        let link = |n| links.get(&n).cloned().unwrap_or_else(|| Link::in_blocks(line));
        let switch = plan.map(|plan| plan.open(line, link)).transpose()?;
        let switch = switch.map(|switch| Arc::new(Mutex::new(switch)));
        if switch.is_some() {
            let ends = links.into_iter().map(|(n, link)| (n, link, Side::A));
            rnics.extend(self.together(ends.collect(), switch.clone())?);
        }
        Ok((rnics.into_values().collect(), switch))
    }

    /// The link of device `n`, with its flaps.
    fn flapping(&self, link: Link, n: usize) -> Link {
        if let Some(flaps) = self.flaps.of(n) {
            link.flap(0, &flaps);
        }
        link
    }

    /// A device with the world outside.
    fn alone(&self, n: usize, port: Box<dyn ferrowarp_sim::eth::EthPort>) -> Result<Rnic, Error> {
        Ok(Rnic::start(RnicConfig {
            library: self.library.clone(),
            wire: wire(self.config),
            port,
            flaps: self.flaps.of(n),
            tick: self.cli.tick,
            patience: self.patience(),
            forgives: false,
            pcap: self.cli.pcap.get(n).cloned(),
            trace: self.trace(n),
        })?)
    }

    /// Devices with their numbers and their ends of links.
    fn together(
        &self,
        ends: Vec<(usize, Link, Side)>,
        switch: Option<Arc<Mutex<Switch>>>,
    ) -> Result<impl Iterator<Item = (usize, Rnic)>, Error> {
        let numbers: Vec<_> = ends.iter().map(|(n, ..)| *n).collect();
        let device = |(n, link, side): (usize, Link, Side)| CommonDevice {
            link,
            side,
            pcap: self.cli.pcap.get(n).cloned(),
            trace: self.trace(n),
        };
        let (library, tick, patience) = (self.library.clone(), self.cli.tick, self.patience());
        let devices = ends.into_iter().map(device).collect();
        // no patience is for who wants time to go on at once
        let think = Duration::from_millis(self.cli.think).min(patience);
        let rnics = Rnic::together(CommonConfig { library, tick, patience, think, devices, switch })?;
        Ok(numbers.into_iter().zip(rnics))
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(self.cli.patience)
    }

    fn trace(&self, n: usize) -> Option<TraceFiles> {
        let stem = self.waves.map(|folder| folder.join(format!("device-{n}")))?;
        Some(TraceFiles { stem, keep: self.cli.trace.is_some(), cycles: self.cli.trace_cycles })
    }
}
