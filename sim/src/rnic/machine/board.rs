// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device on a board without PCI Express: TLPs and the device's own frames share one cable. The
//! host's end and the rest of the Ethernet stand at the other end of the cable.
use crate::bench::Bench;
use crate::carrier::{CarriedBus, CarrierConfig, CarrierStats};
use crate::eth::Wire;
use crate::link::{Link, LinkConfig, Side};
use crate::rnic::frames::Frames;
use ferrowarp_abi::codec::EthernetHdr;
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;

/// Frames to the device that are under way at a time: the next one is there when the cable is free.
const COMING: usize = 2;
/// Picoseconds of a nanosecond.
const PS: u64 = 1_000;

/// The cable of a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardCable {
    /// Stations and times of the host's end, in simulated time.
    pub carrier: CarrierConfig,
    /// Bits a second.
    pub rate_bps: u64,
    /// What the cable does to frames of both kinds, in simulated time.
    pub wire: Wire,
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
            hello_ns: 200_000,
            replay_ns: 200_000,
            ack_ns: 2_000,
            keepalive_ns: 1_000_000,
            gone_ns: 20_000_000,
            ..CarrierConfig::default()
        };
        let (rate_bps, silence_ns, timeout_ns) = (1_000_000_000, 10_000_000, 200_000);
        Self { carrier, rate_bps, wire, silence_ns, timeout_ns, seed: 1 }
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
        Link::impaired(LinkConfig { rate_bps: self.rate_bps, clock_ps, delay_ns: 0 }, &self.wire)
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
            match EthernetHdr::parse(&frame) {
                Ok(head) if head.ethertype == ETHER_TYPE => self.frames.bus.frame_came(now_ps / PS, &frame),
                _ => self.beyond.0.send(self.beyond.1, now_ps, &frame).map_err(|e| e.to_string())?,
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

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
