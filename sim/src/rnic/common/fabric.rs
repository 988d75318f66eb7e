// SPDX-License-Identifier: MIT OR Apache-2.0
//! What lies between the devices of a common time.
use super::super::machine::LOOK_EVERY;
use super::super::order::RnicError;
use super::super::recording::Recorder;
use super::super::threads::locked;
use super::capture::Capture;
use crate::link::switch::Switch;
use crate::link::{Link, LinkConfig, Side};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// Longest block: orders wait for its end.
const MOST_BLOCK: u64 = 256;

/// The links, the switch that joins them if there is one, and who writes down what passes.
pub(in super::super) struct Fabric {
    clock_ps: u64,
    block: u64,
    switch: Option<Arc<Mutex<Switch>>>,
    /// Links to the switch.
    links: Vec<Link>,
    captures: Vec<Capture>,
    recorder: Option<Recorder>,
}

impl Fabric {
    /// Of links none of which has a shorter delay than `least`.
    pub(in super::super) fn new(
        least: &LinkConfig,
        recorder: Option<Recorder>,
        switch: Option<Arc<Mutex<Switch>>>,
    ) -> Result<Self, RnicError> {
        let (links, captures) = Default::default();
        Ok(Self { clock_ps: least.clock_ps, block: block(least)?, switch, links, captures, recorder })
    }

    /// A device stands at an end of a link.
    pub(super) fn add(&mut self, link: &Link, side: Side, pcap: Option<&Path>) -> Result<(), RnicError> {
        if self.switch.is_some() {
            self.links.push(link.clone());
        }
        if let Some(path) = pcap {
            let place = self.captures.iter().position(|capture| capture.link().is(link));
            let place = place.unwrap_or(self.captures.len());
            if place == self.captures.len() {
                self.captures.push(Capture::new(link.clone()));
            }
            let added = self.captures[place].add(side, path);
            added.map_err(|why| RnicError::Stopped(why.to_string()))?;
        }
        Ok(())
    }

    /// Cycles of a block.
    pub(super) fn block(&self) -> u64 {
        self.block
    }

    pub(super) fn switch(&self) -> Option<MutexGuard<'_, Switch>> {
        self.switch.as_deref().map(locked)
    }

    /// All devices stand before this cycle: frames pass the switch, and what was sent is written
    /// down.
    pub(super) fn exchange(&mut self, cycle: u64) -> Result<(), String> {
        let until_ps = cycle * self.clock_ps;
        if let Some(mut switch) = self.switch() {
            switch.exchange(until_ps).map_err(|why| why.to_string())?;
        }
        if let Some(recorder) = &self.recorder {
            recorder.reached(cycle);
        }
        self.captures
            .iter_mut()
            .try_for_each(|capture| capture.write(until_ps))
            .map_err(|why| why.to_string())
    }

    /// Cycle before which all must stand again, as a frame is to pass the switch; none if there is
    /// no frame.
    pub(super) fn due(&self) -> Option<u64> {
        let switch = self.switch()?;
        if self.links.iter().any(|link| link.under_way(Side::A) > 0) {
            return Some(0);
        }
        switch.due_ps().map(|ps| ps / self.clock_ps)
    }

    /// Ends captures.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        self.captures.drain(..).try_for_each(Capture::finish).map_err(|why| why.to_string())
    }
}

/// Cycles of a block; the error is that of a delay in which a device does not look at its orders.
fn block(link: &LinkConfig) -> Result<u64, RnicError> {
    let cycles = (link.delay_ns * 1_000 / link.clock_ps.max(1)).min(MOST_BLOCK);
    match cycles - cycles % LOOK_EVERY {
        0 => {
            let least_ns = (LOOK_EVERY * link.clock_ps).div_ceil(1_000);
            Err(RnicError::Delay { delay_ns: link.delay_ns, least_ns })
        }
        cycles => Ok(cycles),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rnic::{line, DELAY_NS};
    use ferrowarp_hdl::config::{Config, Profile};

    #[test]
    fn a_block_is_as_long_as_the_delay_and_no_longer_than_orders_may_wait() {
        let of = |delay_ns| block(&LinkConfig { delay_ns, ..line(&Config::profile(Profile::TenG)) });
        // 78 cycles, in steps of four
        assert_eq!(of(DELAY_NS).ok(), Some(76));
        assert_eq!(of(1_000_000).ok(), Some(MOST_BLOCK));
        assert_eq!(of(103).ok(), Some(16));
        let told = of(25).map_err(|why| why.to_string()).unwrap_err();
        assert!(told.contains("25 ns") && told.contains("26 ns"), "{told}");
    }
}
