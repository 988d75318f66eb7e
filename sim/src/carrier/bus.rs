// SPDX-License-Identifier: MIT OR Apache-2.0
//! A root complex behind the host's end of the carrier.
use super::{Came, CarrierConfig, CarrierState, CarrierStats, HostEnd};
use crate::pcie::{BusState, RcConfig, RootComplex};
use ferrowarp_abi::codec;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Serves the TLPs of a device that is reached by frames. Time is nanoseconds.
///
/// If the device is silent for too long, or breaks a rule of PCI Express, the link is lost. The
/// root complex forgets what is under way, a new epoch resets the device, and [`CarriedBus::link`]
/// is down. If software had used the device, the link comes up again behind [`CarriedBus::forget`].
#[derive(Debug)]
pub struct CarriedBus {
    root: RootComplex,
    end: HostEnd,
    /// The root complex draws nothing from it, as nothing is random at this timing.
    rng: ChaCha8Rng,
    clock: u64,
    /// The device answers in the epoch.
    is_answered: bool,
    /// Software has given the device state since the last reset.
    is_used: bool,
    /// That state is lost, and software has not asked for a reset since.
    is_stale: bool,
    /// The root port is down by order.
    is_held: bool,
    is_lost: bool,
    /// A reset is to leave behind the accesses before it.
    resets: bool,
    reset_done: bool,
    hello_ns: u64,
    violations: u64,
}

impl CarriedBus {
    /// Calls a device from time 0 on, with an empty memory. The seed is that of epochs.
    pub fn new(config: CarrierConfig, seed: u64) -> Self {
        let mut root = RootComplex::new(RcConfig::carried(config.gone_ns));
        root.link = BusState::Down;
        let (is_answered, is_used, is_stale, is_held, is_lost, resets, reset_done) = Default::default();
        Self {
            root,
            end: HostEnd::new(config, seed),
            rng: ChaCha8Rng::seed_from_u64(seed),
            clock: 0,
            is_answered,
            is_used,
            is_stale,
            is_held,
            is_lost,
            resets,
            reset_done,
            hello_ns: config.hello_ns,
            violations: 0,
        }
    }

    /// The root complex: its memory, accesses to BARs, answers.
    pub fn root(&mut self) -> &mut RootComplex {
        &mut self.root
    }

    /// Time of the root complex: that of the last call, or some nanoseconds ahead.
    pub fn now(&self) -> u64 {
        self.clock
    }

    /// State of the link as software sees it.
    pub fn link(&self) -> BusState {
        self.root.link
    }

    /// Whether the device is there.
    pub fn state(&self) -> CarrierState {
        self.end.state()
    }

    /// What was counted.
    pub fn stats(&self) -> CarrierStats {
        CarrierStats { violations: self.violations, ..self.end.stats() }
    }

    /// Software accesses the device. On a link that is down the access is lost.
    pub fn note_access(&mut self) {
        self.is_used = true;
        self.is_stale |= self.root.link != BusState::Up;
    }

    /// Software has forgotten what it knew of the device. True if a Function Level Reset is on its
    /// way to the device.
    pub fn forget(&mut self) -> bool {
        let resets = self.root.link == BusState::Up;
        (self.is_used, self.is_stale) = (false, false);
        if resets {
            (self.resets, self.reset_done) = (true, false);
            self.drain();
        }
        self.follow();
        resets
    }

    /// Whether the reset that [`CarriedBus::forget`] began has ended since this was last asked.
    pub fn take_reset_done(&mut self) -> bool {
        std::mem::take(&mut self.reset_done)
    }

    /// Whether the link was lost since this was last asked.
    pub fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }

    /// Takes the root port down, or brings the root port up again: an order of software.
    pub fn hold(&mut self, is_held: bool) {
        if is_held && !self.is_held {
            self.end.restart(self.clock, 0);
            self.is_answered = false;
            self.lose();
            self.is_lost = false;
        }
        self.is_held = is_held;
        self.follow();
    }

    /// Sends what configuration software has written since.
    pub fn configure(&mut self) {
        self.drain();
        self.tell();
    }

    /// A fault of the device: a new epoch resets the device.
    pub fn fails(&mut self, why: &str) {
        tracing::error!(why, "the device is reset");
        self.violations += 1;
        // a device that fails at once again is not called for ever without a pause
        self.end.restart(self.clock, self.hello_ns);
        self.follow();
    }

    /// A frame came from the wire, without FCS.
    pub fn frame_came(&mut self, now: u64, octets: &[u8]) {
        self.clock = self.clock.max(now);
        self.end.frame_came(now, octets);
        self.follow();
        while let Some(came) = self.end.take() {
            match came {
                Came::ResetDone => self.reset_done = true,
                // software sees no link: nothing of the device counts
                Came::Tlp(_) if self.root.link != BusState::Up => {}
                Came::Tlp(tlp) => {
                    let taken = self.root.accept(&tlp, self.clock, &mut self.rng);
                    if let Err(why) = taken.map_err(|e| e.to_string()).and_then(|()| self.settle()) {
                        return self.fails(&why);
                    }
                }
            }
        }
    }

    /// The next frame to send, if there is one. Call this until there is none, after each call of
    /// another method and at [`CarriedBus::next_timer`].
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        self.clock = self.clock.max(now);
        if let Err(why) = self.settle() {
            self.fails(&why);
        }
        self.drain();
        let frame = self.end.poll(now);
        self.follow();
        frame
    }

    /// First time at which [`CarriedBus::poll`] has something to do although nothing came.
    pub fn next_timer(&self) -> u64 {
        self.end.next_timer()
    }

    /// Makes writes of the device visible. Each takes a nanosecond, so time runs ahead a little.
    fn settle(&mut self) -> Result<(), String> {
        self.root.settle(self.clock, &mut self.rng).map_err(|e| e.to_string())?;
        while self.root.writes_wake() <= self.clock + 1 {
            self.clock += 1;
            self.root.settle(self.clock, &mut self.rng).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Gives the end what the root complex has for the device. No request stands between a reset
    /// and its end.
    fn drain(&mut self) {
        while self.end.has_room() {
            let Some((tlp, hit)) = self.root.poll(self.clock, &mut self.rng) else { break };
            self.end.send(&tlp, hit);
        }
        if self.resets && self.root.own_waiting() == 0 {
            self.resets = false;
            self.end.reset();
        }
    }

    /// Follows the state of the end.
    fn follow(&mut self) {
        let is_answered = self.end.state() == CarrierState::Up;
        if self.is_answered && !is_answered {
            self.lose();
        }
        let is_new = is_answered && !self.is_answered;
        self.is_answered = is_answered;
        let is_up = is_answered && !self.is_stale && !self.is_held;
        self.root.link = if is_up { BusState::Up } else { BusState::Down };
        if is_new {
            self.tell();
        }
    }

    /// Tells the device what is in configuration space.
    fn tell(&mut self) {
        let RcConfig { function: id, mps, mrrs, master, msix, masked, endless, .. } = self.root.config;
        self.end.configure(codec::CarrierConfig { id, mps, mrrs, master, msix, masked, endless });
    }

    /// The device has lost its state, and configuration space begins anew.
    fn lose(&mut self) {
        self.root.reset();
        (self.root.config.master, self.root.config.msix, self.root.config.masked) = Default::default();
        (self.is_lost, self.is_stale) = (true, self.is_stale || self.is_used);
        (self.resets, self.reset_done) = (false, false);
        self.root.link = BusState::Down;
    }
}
