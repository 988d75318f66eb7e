// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest's Ethernet leaves QEMU: one of the ports that a simulated device can have at the
//! other end.
use super::bus;
use crate::simulator::Simulator;
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_sim::eth::EthAddress;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wire {
    /// A datagram on a unix socket is a frame. Needs no privilege.
    Dgram,
    /// A unix stream socket, which QEMU connects to and tries again; the peer listens.
    Stream,
    /// Two TAP devices of this machine on a bridge of their own. Needs root and /dev/net/tun.
    Tap,
    /// As `Dgram`, to a simulator that runs beside QEMU and whose RNIC is in the guest, behind
    /// vfio-user.
    Bus,
    /// As `Dgram`, with nobody there; the simulator has two RNICs in the guest that are joined with
    /// each other.
    Joined,
}

/// A wire of a guest that is there; dropping it takes it away.
#[derive(Debug)]
pub struct Plugged {
    wire: Wire,
    folder: PathBuf,
    number: u8,
    simulator: Option<Simulator>,
}

impl Plugged {
    /// Makes what must be there before QEMU begins. Sockets are in `folder`, `number` is the
    /// guest's.
    pub fn new(wire: Wire, folder: &Path, number: u8) -> Result<Self> {
        let mut plugged = Self { wire, folder: folder.into(), number, simulator: None };
        match wire {
            Wire::Dgram | Wire::Stream => {}
            Wire::Tap => plugged.bridge().context(
                "no TAP devices: the case needs root, /dev/net/tun, and `ip` of iproute2 with bridges",
            )?,
            Wire::Bus => {
                let port = plugged.address().to_string();
                plugged.simulator = Some(bus::simulator(folder, number, &[port])?);
            }
            Wire::Joined => {
                let ports = ["link:1", "link:0"].map(String::from);
                plugged.simulator = Some(bus::simulator(folder, number, &ports)?);
            }
        }
        Ok(plugged)
    }

    /// Value of QEMU's `-netdev`, whose id is `net`.
    pub fn netdev(&self) -> String {
        let [ours, theirs] = self.sockets().map(|path| path.display().to_string());
        match self.wire {
            Wire::Dgram | Wire::Bus | Wire::Joined => {
                let ends = format!("local.type=unix,local.path={theirs},remote.type=unix,remote.path={ours}");
                format!("dgram,id=net,{ends}")
            }
            Wire::Stream => {
                format!("stream,id=net,server=off,addr.type=unix,addr.path={ours},reconnect-ms=100")
            }
            // without a virtio header there are no offloads: every checksum on the wire is real
            Wire::Tap => {
                let [_, guest, _] = self.interfaces();
                format!("tap,id=net,ifname={guest},script=no,downscript=no,vnet_hdr=off")
            }
        }
    }

    /// Our end: open it and be the peer.
    pub fn address(&self) -> EthAddress {
        let [ours, theirs] = self.sockets();
        match self.wire {
            Wire::Dgram | Wire::Bus | Wire::Joined => EthAddress::QemuDgram { local: ours, remote: theirs },
            Wire::Stream => EthAddress::QemuStream { path: ours },
            Wire::Tap => {
                let [_, _, name] = self.interfaces();
                EthAddress::Tap { name }
            }
        }
    }

    /// The simulator whose RNICs are in the guest, if the wire is one's.
    pub fn simulator(&self) -> Option<&Simulator> {
        self.simulator.as_ref()
    }

    /// Runs `body` while this machine itself has the address on the bridge of the TAP devices.
    pub fn with_host<T>(&self, address: Ipv4Addr, body: impl FnOnce() -> Result<T>) -> Result<T> {
        ensure!(self.wire == Wire::Tap, "this machine has no part in a wire of kind {:?}", self.wire);
        let [bridge, ..] = self.interfaces();
        ip(&format!("addr add {address}/24 dev {bridge}"))?;
        let done = body();
        ip(&format!("addr del {address}/24 dev {bridge}"))?;
        done
    }

    /// Our socket and QEMU's.
    fn sockets(&self) -> [PathBuf; 2] {
        ["host", "guest"].map(|end| self.folder.join(format!("{end}{}", self.number)))
    }

    /// The bridge, the guest's TAP device, ours. An interface's name has 15 octets at most.
    fn interfaces(&self) -> [String; 3] {
        let own = format!("{}n{}", std::process::id(), self.number);
        ["fwb", "fwg", "fwd"].map(|kind| format!("{kind}{own}"))
    }

    fn bridge(&self) -> Result<()> {
        let [bridge, guest, device] = self.interfaces();
        ip(&format!("link add {bridge} type bridge"))?;
        for tap in [&guest, &device] {
            ip(&format!("tuntap add dev {tap} mode tap"))?;
            ip(&format!("link set {tap} master {bridge}"))?;
        }
        for interface in [&bridge, &guest, &device] {
            // this machine itself has nothing to say on the wire
            ip(&format!("link set {interface} addrgenmode none"))?;
            ip(&format!("link set {interface} up"))?;
        }
        Ok(())
    }
}

impl Drop for Plugged {
    fn drop(&mut self) {
        if self.wire == Wire::Tap {
            // one that was not made cannot be taken away
            self.interfaces().iter().for_each(|interface| drop(ip(&format!("link del {interface}"))));
        }
    }
}

/// Runs `ip` of iproute2.
fn ip(arguments: &str) -> Result<()> {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    let output = output.with_context(|| format!("cannot start `ip {arguments}`"))?;
    if !output.status.success() {
        bail!("`ip {arguments}`: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    ensure!(output.stdout.is_empty(), "`ip {arguments}` says {}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_wire_name_the_same() {
        let plugged = |wire| Plugged { wire, folder: "/tmp/lab".into(), number: 2, simulator: None };
        let dgram = plugged(Wire::Dgram);
        assert_eq!(dgram.address().to_string(), "qemu-dgram:/tmp/lab/host2,/tmp/lab/guest2");
        assert!(dgram.netdev().contains("local.path=/tmp/lab/guest2,"), "{}", dgram.netdev());
        let stream = plugged(Wire::Stream);
        assert_eq!(stream.address().to_string(), "qemu-stream:/tmp/lab/host2");
        assert!(stream.netdev().contains("addr.path=/tmp/lab/host2,"), "{}", stream.netdev());
        let [bridge, guest, device] = stream.interfaces();
        assert!([&bridge, &guest, &device].iter().all(|name| name.len() <= 15), "{bridge}");
        assert!(guest != device && guest != bridge);
    }
}
