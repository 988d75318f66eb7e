// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device on a board without PCI Express: TLPs and the device's own frames share one cable. The
//! host's end and the rest of the Ethernet stand at the other end of the cable.
use crate::bench::Bench;
use crate::carrier::{CarriedBus, CarrierConfig, CarrierStats};
use crate::eth::Wire;
use crate::link::{Flaps, Link, LinkConfig, Side};
use crate::rnic::frames::Frames;
use ferrowarp_abi::codec::EthernetHdr;
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;

/// Frames to the device that are under way at a time: the next one is there when the cable is free.
const COMING: usize = 2;
/// Picoseconds of a nanosecond.
const PS: u64 = 1_000;

/// The cable of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardCable {
    /// Stations and times of the host's end, in simulated time.
    pub carrier: CarrierConfig,
    /// Bits a second.
    pub rate_bps: u64,
    /// What the cable does to frames of the carrier, in simulated time. Other frames pass unharmed.
    pub wire: Wire,
    /// How the cable's link goes down and comes up.
    pub flaps: Option<Flaps>,
    /// Silence of the host behind which the device is reset, in nanoseconds.
    pub silence_ns: u64,
    /// From the last acknowledgment until the device sends again, in nanoseconds.
    pub timeout_ns: u64,
    /// Seed of epochs.
    pub seed: u64,
}

impl BoardCable {
    /// A cable of 1 Gb/s with short times: a second of simulated time takes minutes.
    pub fn short(wire: Wire) -> Self {
        let carrier = CarrierConfig {
            hello_ns: 100_000,
            replay_ns: 40_000,
            ack_ns: 2_000,
            keepalive_ns: 500_000,
            gone_ns: 10_000_000,
            ..CarrierConfig::default()
        };
        let (rate_bps, silence_ns, timeout_ns) = (1_000_000_000, 5_000_000, 40_000);
        Self { carrier, rate_bps, wire, flaps: None, silence_ns, timeout_ns, seed: 1 }
    }

    /// A cable of 1 Gb/s with the times of a real board.
    pub fn long(wire: Wire) -> Self {
        let (silence_ns, timeout_ns) = (1_000_000_000, 1_000_000);
        Self { carrier: CarrierConfig::default(), silence_ns, timeout_ns, ..Self::short(wire) }
    }

    /// That of another board: no two have the same random numbers.
    pub(in super::super) fn nth(self, n: u64) -> Self {
        let (seed, wire) = (self.seed.wrapping_add(n), self.wire.with_seed(self.wire.seed().wrapping_add(n)));
        Self { seed, wire, ..self }
    }

    /// Sets the pins of the device's end.
    pub(in super::super) fn set_pins(&self, bench: &mut Bench, clock_ps: u64) {
        let cycles = |ns: u64| (ns.saturating_mul(PS) / clock_ps.max(1)).min(u32::MAX.into());
        bench.set("carrier_address", self.carrier.device.to_bits());
        bench.set("carrier_silence", cycles(self.silence_ns));
        bench.set("carrier_timeout", cycles(self.timeout_ns));
    }

    /// The link between the board, at [`Side::A`], and the host.
    pub(in super::super) fn link(&self, clock_ps: u64) -> Link {
        let config = LinkConfig { rate_bps: self.rate_bps, clock_ps, delay_ns: 0 };
        let link = Link::impaired_for(config, &self.wire, |sent| is_carried(sent.data));
        if let Some(flaps) = &self.flaps {
            link.flap(0, flaps);
        }
        link
    }
}

/// What stands at the other end of a board's cable.
pub(in super::super) struct Board {
    pub(super) frames: Frames,
    cable: Link,
    /// The Ethernet behind the host's end, and the host's end there.
    beyond: (Link, Side),
    clock_ps: u64,
    /// The last frame to the device was one of the carrier.
    is_turned: bool,
}

impl Board {
    /// At the end [`Side::B`] of the cable.
    pub(in super::super) fn new(made: &BoardCable, cable: Link, beyond: (Link, Side)) -> Self {
        let clock_ps = cable.config().clock_ps;
        let frames = Frames::new(CarriedBus::new(made.carrier, made.seed), made.carrier.gone_ns);
        Self { frames, cable, beyond, clock_ps, is_turned: false }
    }

    /// What the carrier counted.
    pub(super) fn stats(&self) -> CarrierStats {
        self.frames.bus.stats()
    }

    /// Takes and gives frames, before a cycle.
    pub(super) fn step(&mut self, cycle: u64) -> Result<(), String> {
        let now_ps = cycle * self.clock_ps;
        while let Some(frame) = self.cable.receive(Side::B, now_ps) {
            let Some(frame) = frame else { continue };
            match is_carried(&frame) {
                true => self.frames.bus.frame_came(now_ps / PS, &frame),
                false => self.beyond.0.send(self.beyond.1, now_ps, &frame).map_err(|e| e.to_string())?,
            }
        }
        while self.cable.under_way(Side::B) < COMING {
            let Some(frame) = self.next(now_ps) else { break };
            self.cable.send(Side::B, now_ps, &frame).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// The next frame to the device: both kinds take turns.
    fn next(&mut self, now_ps: u64) -> Option<Vec<u8>> {
        self.is_turned = !self.is_turned;
        let bus = &mut self.frames.bus;
        let mut carried = || bus.poll(now_ps / PS);
        // a frame with a bad FCS ends here, as in a switch
        let other = || self.beyond.0.receive(self.beyond.1, now_ps).flatten();
        match self.is_turned {
            true => carried().or_else(other),
            false => other().or_else(carried),
        }
    }
}

/// The frame is one of the carrier.
fn is_carried(frame: &[u8]) -> bool {
    EthernetHdr::parse(frame).is_ok_and(|head| head.ethertype == ETHER_TYPE)
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
