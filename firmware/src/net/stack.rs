// SPDX-License-Identifier: MIT OR Apache-2.0
//! smoltcp's interface as the one who answers: ARP requests, neighbour solicitations, echo requests
//! of both families.
use crate::config::Config;
use crate::time::Ticks;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use smoltcp::iface::{self, Interface, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};

/// The frames of one call, in and out.
struct Frames {
    incoming: VecDeque<Vec<u8>>,
    outgoing: Vec<Vec<u8>>,
    mtu: usize,
}

struct Incoming(Vec<u8>);
struct Outgoing<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Incoming {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Outgoing<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut octets = vec![0; length];
        let result = f(&mut octets);
        self.0.push(octets);
        result
    }
}

impl Device for Frames {
    type RxToken<'a> = Incoming;
    type TxToken<'a> = Outgoing<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Incoming, Outgoing<'_>)> {
        Some((Incoming(self.incoming.pop_front()?), Outgoing(&mut self.outgoing)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Outgoing<'_>> {
        Some(Outgoing(&mut self.outgoing))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        // with the Ethernet header, as smoltcp counts
        capabilities.max_transmission_unit = self.mtu + 14;
        capabilities
    }
}

/// The answering host.
pub struct Stack {
    interface: Interface,
    frames: Frames,
    sockets: SocketSet<'static>,
    tick_us: u32,
}

impl Stack {
    /// With the addresses of a configuration.
    pub fn new(config: &Config, now: Ticks) -> Self {
        let mut frames =
            Frames { incoming: VecDeque::new(), outgoing: Vec::new(), mtu: usize::from(config.mtu) };
        let station = HardwareAddress::Ethernet(EthernetAddress(config.mac.0));
        let tick_us = config.timing.tick_us;
        let mut interface = Interface::new(iface::Config::new(station), &mut frames, instant(now, tick_us));
        interface.update_ip_addrs(|addresses| {
            for address in &config.addresses {
                // `Config::check` bounds their number by the room here
                let _ = addresses.push(IpCidr::new(address.ip.into(), address.prefix));
            }
        });
        if let Some(gateway) = config.gateway_v4 {
            // the table has room for two routes at least
            let _ = interface.routes_mut().add_default_ipv4_route(gateway);
        }
        if let Some(gateway) = config.gateway_v6 {
            let _ = interface.routes_mut().add_default_ipv6_route(gateway);
        }
        Self { interface, frames, sockets: SocketSet::new(vec![]), tick_us }
    }

    /// Gives it an untagged frame; returns its answers.
    pub fn receive(&mut self, frame: Vec<u8>, now: Ticks) -> Vec<Vec<u8>> {
        self.frames.incoming.push_back(frame);
        self.interface.poll(instant(now, self.tick_us), &mut self.frames, &mut self.sockets);
        core::mem::take(&mut self.frames.outgoing)
    }
}

fn instant(now: Ticks, tick_us: u32) -> Instant {
    Instant::from_micros(now.0.saturating_mul(u64::from(tick_us)).min(i64::MAX as u64) as i64)
}
