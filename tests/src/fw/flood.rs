// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device whose raw ring always has one more frame.
use super::bench::DUT_MAC;
use super::device::Device;
use super::peer::MAC;
use ferrowarp_firmware::port::*;
use ferrowarp_firmware::time::Ticks;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{IpAddress, IpProtocol, IpRepr, UdpPacket, UdpRepr};

/// Frames after which a poll is judged to have no end.
const ENDLESS: u32 = 10_000;

/// A device under a flood.
#[derive(Debug)]
pub struct Flooded {
    /// The device. Frames delivered here take their turn among those of the flood.
    pub device: Device,
    /// Frames of the flood that pass in a tick.
    pub per_tick: u32,
    /// Frames taken since this was set to 0.
    pub taken: u32,
    junk: Vec<u8>,
    passed: u32,
}

impl Flooded {
    /// With this many frames a tick.
    pub fn new(per_tick: u32) -> Self {
        Self { device: Device::default(), per_tick, taken: 0, junk: datagram(), passed: 0 }
    }
}

/// UDP to the device, with nobody behind the port.
pub fn datagram() -> Vec<u8> {
    let (source, target) = (IpAddress::v4(10, 9, 0, 66), IpAddress::v4(10, 9, 0, 1));
    let udp = UdpRepr { src_port: 9, dst_port: 9 };
    let ip = IpRepr::new(source, target, IpProtocol::Udp, udp.header_len() + 18, 64);
    let mut octets = vec![0; 14 + ip.header_len() + udp.header_len() + 18];
    octets[..6].copy_from_slice(&DUT_MAC);
    octets[6..12].copy_from_slice(&MAC);
    octets[12..14].copy_from_slice(&[8, 0]);
    let all = ChecksumCapabilities::default();
    ip.emit(&mut octets[14..], &all);
    let body = &mut octets[14 + ip.header_len()..];
    udp.emit(&mut UdpPacket::new_unchecked(body), &source, &target, 18, |data| data.fill(7), &all);
    octets
}

impl Port for Flooded {
    fn now(&self) -> Ticks {
        self.device.now()
    }

    /// # Panics
    /// If one poll takes frames without end.
    fn receive(&mut self) -> Option<RawFrame> {
        self.taken += 1;
        assert!(self.taken < ENDLESS, "poll has taken {ENDLESS} frames and does not return");
        self.passed += 1;
        if self.passed == self.per_tick {
            (self.passed, self.device.now) = (0, self.device.now + 1);
        }
        self.device.deliver(self.junk.clone());
        self.device.receive()
    }

    fn transmit(&mut self, frame: &[u8]) -> Result<(), RingFull> {
        self.device.transmit(frame)
    }

    fn submit(&mut self, command: Command) {
        self.device.submit(command);
    }

    fn answer(&mut self) -> Option<Answer> {
        self.device.answer()
    }

    fn event(&mut self) -> Option<DeviceEvent> {
        self.device.event()
    }
}
