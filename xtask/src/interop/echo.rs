// SPDX-License-Identifier: MIT OR Apache-2.0
//! A peer of one guest that is not ours to doubt: smoltcp answers ARP, neighbour solicitations and
//! echo requests.
//!
//! It proves the lab before there is a device in it, and what it takes is what the lab itself adds
//! to a round trip.
use super::guest;
use anyhow::{anyhow, Result};
use ferrowarp_sim::eth::{wait, Delivery, EthAddress, EthPort};
use ferrowarp_sim::pcap::{Interface as Side, Pcap};
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a stop may go unnoticed.
const NOTICE: Duration = Duration::from_millis(20);
/// Longest frame without FCS.
const FRAME: usize = 1514;

/// A port as smoltcp wants it, with a capture; the first fault is kept for the end.
struct Wire {
    port: Box<dyn EthPort>,
    pcap: Pcap<BufWriter<File>>,
    /// What the peer sent, and what the guest sent.
    sides: [Side; 2],
    start: std::time::Instant,
    fault: Option<anyhow::Error>,
}

/// A frame that came.
struct Came(Vec<u8>);

/// A frame that will be sent.
struct Goes<'a>(&'a mut Wire);

impl Wire {
    fn now(&self) -> Instant {
        Instant::from_micros(i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX))
    }

    fn record(&mut self, side: usize, frame: &[u8]) -> Result<()> {
        let at = u64::try_from(self.start.elapsed().as_nanos())?;
        Ok(self.pcap.frame(self.sides[side], at, frame, None)?)
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let frame = self.port.receive()?;
        if let Some(frame) = &frame {
            self.record(1, frame)?;
        }
        Ok(frame)
    }

    fn send(&mut self, frame: &[u8]) -> Result<()> {
        self.record(0, frame)?;
        match self.port.send(frame)? {
            Delivery::Busy => Err(anyhow!("the guest takes no frames")),
            Delivery::Sent | Delivery::Unplugged => Ok(()),
        }
    }

    fn keep<T: Default>(&mut self, result: Result<T>) -> T {
        result.unwrap_or_else(|e| {
            self.fault.get_or_insert(e);
            T::default()
        })
    }
}

impl Device for Wire {
    type RxToken<'a> = Came;
    type TxToken<'a> = Goes<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came, Goes<'_>)> {
        let next = self.next();
        self.keep(next).map(|frame| (Came(frame), Goes(self)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Goes<'_>> {
        Some(Goes(self))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut all = DeviceCapabilities::default();
        (all.medium, all.max_transmission_unit) = (Medium::Ethernet, FRAME);
        all
    }
}

impl RxToken for Came {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Goes<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, octets: usize, f: F) -> R {
        let mut frame = vec![0; octets];
        let result = f(&mut frame);
        let sent = self.0.send(&frame);
        self.0.keep(sent);
        result
    }
}

/// Answers as the lab's number `number` until `stop`, and writes a capture.
pub fn answer(port: &EthAddress, number: u8, capture: &Path, stop: &AtomicBool) -> Result<()> {
    let mut pcap = Pcap::create(capture)?;
    let sides = [pcap.interface("peer")?, pcap.interface("guest")?];
    let mut wire = Wire { port: port.open()?, pcap, sides, start: std::time::Instant::now(), fault: None };
    let config = Config::new(HardwareAddress::Ethernet(EthernetAddress(guest::mac(number))));
    let now = wire.now();
    let mut interface = Interface::new(config, &mut wire, now);
    interface.update_ip_addrs(|addresses| {
        let ours = [IpCidr::new(guest::ipv4(number).into(), 24), IpCidr::new(guest::ipv6(number).into(), 64)];
        addresses.extend(ours);
    });
    let mut sockets = SocketSet::new(vec![]);
    while !stop.load(Ordering::Relaxed) && wire.fault.is_none() {
        let now = wire.now();
        interface.poll(now, &mut wire, &mut sockets);
        wait(&[&*wire.port], NOTICE)?;
    }
    wire.pcap.finish()?;
    wire.fault.map_or(Ok(()), Err)
}
