// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both ends and a cable in simulated time that loses, repeats and swaps frames by a seed.
use crate::mirror::Mirror;
use ferrowarp_sim::carrier::{CarriedBus, HostEnd};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Debug;

/// Nanoseconds of the longest frame at 1 Gb/s, and how long a frame may be held back.
const FLIGHT: u64 = 12_000;
const HELD: u64 = 60_000;

/// Shares of all frames, in percent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Harm {
    pub lost: u32,
    pub doubled: u32,
    pub held: u32,
}

/// The host: its end alone, or a root complex behind the end.
pub trait Host: Debug {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>>;
    fn next_timer(&self) -> u64;
    fn frame_came(&mut self, now: u64, octets: &[u8]);
}

macro_rules! host {
    ($name:ident) => {
        impl Host for $name {
            fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
                $name::poll(self, now)
            }

            fn next_timer(&self) -> u64 {
                $name::next_timer(self)
            }

            fn frame_came(&mut self, now: u64, octets: &[u8]) {
                $name::frame_came(self, now, octets);
            }
        }
    };
}

host!(HostEnd);
host!(CarriedBus);

/// Frames under way: when a frame arrives, where, and its octets.
pub struct Cable {
    pub now: u64,
    harm: Harm,
    rng: ChaCha8Rng,
    flights: Vec<(u64, bool, Vec<u8>)>,
    free: [u64; 2],
}

impl Cable {
    pub fn new(harm: Harm, seed: u64) -> Self {
        Self { now: 0, harm, rng: ChaCha8Rng::seed_from_u64(seed), flights: vec![], free: [0; 2] }
    }

    /// Sends a frame, to the host or to the device.
    pub fn send(&mut self, to_host: bool, octets: Vec<u8>) {
        let Harm { lost, doubled, held } = self.harm;
        let leaves = self.free[usize::from(to_host)].max(self.now) + 8 * (octets.len() as u64 + 24);
        self.free[usize::from(to_host)] = leaves;
        if self.rng.random_range(0..100) < lost {
            return;
        }
        let copies = if self.rng.random_range(0..100) < doubled { 2 } else { 1 };
        for _ in 0..copies {
            let more = if self.rng.random_range(0..100) < held { self.rng.random_range(0..HELD) } else { 0 };
            self.flights.push((leaves + FLIGHT + more, to_host, octets.clone()));
        }
    }

    /// Takes what has arrived.
    fn arrived(&mut self) -> Vec<(u64, bool, Vec<u8>)> {
        let now = self.now;
        let mut arrived: Vec<_> = self.flights.extract_if(.., |flight| flight.0 <= now).collect();
        arrived.sort_by_key(|flight| flight.0);
        arrived
    }

    /// Goes on to the next event of the cable or of an end.
    pub fn step<H: Host>(&mut self, host: &mut H, device: &mut Mirror) {
        while let Some(frame) = host.poll(self.now) {
            self.send(false, frame);
        }
        while let Some(frame) = device.poll(self.now) {
            self.send(true, frame);
        }
        let arrives = self.flights.iter().map(|flight| flight.0).min().unwrap_or(u64::MAX);
        let next = arrives.min(host.next_timer()).min(device.next_timer());
        self.now = next.max(self.now + 1);
        for (_, to_host, octets) in self.arrived() {
            match to_host {
                true => host.frame_came(self.now, &octets),
                false => device.frame_came(self.now, &octets),
            }
        }
    }

    /// Steps until `done`, at most to the end of a simulated minute.
    pub fn run<H: Host>(
        &mut self,
        host: &mut H,
        device: &mut Mirror,
        done: impl Fn(&mut H, &mut Mirror) -> bool,
    ) {
        let until = self.now + 60_000_000_000;
        while !done(host, device) {
            assert!(self.now < until, "not done: {host:?}\n{device:?}");
            self.step(host, device);
        }
    }
}
