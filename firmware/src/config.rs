// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware is told about its device and its place in the network.
use crate::mpa::negotiate::{Limits, RtrSet};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ferrowarp_abi::consts::read_limit;
use ferrowarp_abi::types::MacAddr;

/// A local address and how many of its leading bits are those of the link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Ours.
    pub ip: IpAddr,
    /// 0 to 32, or 0 to 128.
    pub prefix: u8,
}

/// Whether we ask for CRCs (RFC 5044 section 4.4). With C=0 on both sides nobody checks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CrcPolicy {
    /// C=1: the default. An application has no way to say otherwise.
    Wanted,
    /// C=0, on the explicit word of the system's administrator; a peer that wants CRCs gets them.
    AdministratorSaysNo,
}

/// How long things may take, in ticks. The defaults take a tick of 1 ms.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Microseconds of a tick: smoltcp counts in real time.
    pub tick_us: u32,
    /// First retransmission of SYN, SYN-ACK and startup frames (RFC 6298: 1 s).
    pub rto_initial: u64,
    /// Longest wait between two of them.
    pub rto_max: u64,
    /// Expiries until a connection counts as lost.
    pub retries: u32,
    /// From `connect`, or the arrival of a SYN, until TCP is open.
    pub open: u64,
    /// From an open TCP connection until the startup frame of the peer is whole.
    pub startup: u64,
    /// From a Request until the application accepts or rejects it, and from a Reply until it binds
    /// a queue pair.
    pub application: u64,
    /// From the Reply until the initiator's first good FPDU.
    pub first_fpdu: u64,
    /// From a Terminate, or a close, until both FINs are through; then the connection is reset.
    pub close: u64,
    /// TIME-WAIT, twice the maximum segment lifetime.
    pub time_wait: u64,
    /// At least so long from one answer of a connection in TIME-WAIT to the next.
    pub time_wait_answer: u64,
    /// Between two tries to resolve a next hop; three are made. Before them, the station that is
    /// known is tried twice.
    pub resolve: u64,
    /// How long a resolved next hop is believed; then it is checked if it is in use (RFC 4861
    /// section 10: 30 s).
    pub neighbour: u64,
    /// From the last lowering of a path MTU until the full one is tried (RFC 1191 section 6.3: 10
    /// minutes).
    pub path_mtu: u64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            tick_us: 1_000,
            rto_initial: 1_000,
            rto_max: 60_000,
            retries: 6,
            open: 30_000,
            startup: 10_000,
            application: 60_000,
            first_fpdu: 10_000,
            close: 5_000,
            time_wait: 60_000,
            time_wait_answer: 500,
            resolve: 1_000,
            neighbour: 30_000,
            path_mtu: 600_000,
        }
    }
}

/// All of it. [`Config::new`] has the defaults; the fields may be changed before the manager is
/// made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Our station address.
    pub mac: MacAddr,
    /// Our addresses; the link-local IPv6 address of `mac` is added by [`Config::new`].
    pub addresses: Vec<Address>,
    /// Next hop of IPv4 beyond the link.
    pub gateway_v4: Option<Ipv4Addr>,
    /// Next hop of IPv6 beyond the link.
    pub gateway_v6: Option<Ipv6Addr>,
    /// Tag control information of all our frames (priority in bits 15 to 13, VLAN in bits 11 to 0);
    /// frames of other VLANs are ignored.
    pub vlan_tci: Option<u16>,
    /// Largest IP packet in octets, 576 (1280 with IPv6) to 9000.
    pub mtu: u16,
    /// Receive window of the hardware in octets; what firmware advertises, too. Below 2^30.
    pub window: u32,
    /// Its shift, 0 to 14.
    pub window_scale: u8,
    /// Secret of the sequence numbers (RFC 6528) and of the choice of ports: 128 random bits that
    /// no peer knows.
    pub secret: [u8; 16],
    /// CRC of what we ask for.
    pub crc: CrcPolicy,
    /// Highest MPA revision, 1 or 2; with 1 the device knows nothing of RFC 6581.
    pub revision: u8,
    /// What the device can hold.
    pub limits: Limits,
    /// Times.
    pub timing: Timing,
    /// Most connections of all kinds that firmware holds at once, those in hardware included.
    pub connections: usize,
    /// Most connections in TIME-WAIT; the oldest gives way.
    pub time_waits: usize,
    /// First and last port of active opens.
    pub ports: (u16, u16),
}

/// Why a configuration is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No multicast or zero address may be a station's.
    #[error("{0:02x?} is no address of one station: give a unicast address")]
    Mac([u8; 6]),
    /// Longer than the address.
    #[error("prefix /{prefix} does not fit {ip}: give at most /32 (IPv4) or /128 (IPv6)")]
    Prefix {
        /// Address.
        ip: IpAddr,
        /// Its prefix.
        prefix: u8,
    },
    /// Loopback, multicast, or unspecified.
    #[error("{0} cannot be the address of a port: give a unicast address")]
    Address(IpAddr),
    /// Too many.
    #[error("{0} addresses were given: give at most 8, the link-local one included")]
    Addresses(usize),
    /// Outside its bounds.
    #[error("an MTU of {mtu} is outside {least}..=9000")]
    Mtu {
        /// Given.
        mtu: u16,
        /// Least one for the address families in use.
        least: u16,
    },
    /// The shift does not fit.
    #[error("a window of {window} octets does not fit 16 bits at shift {scale}, or the shift is above 14")]
    Window {
        /// Octets.
        window: u32,
        /// Shift.
        scale: u8,
    },
    /// Neither 1 nor 2.
    #[error("MPA revision {0} is unknown: give 1 or 2")]
    Revision(u8),
    /// RFC 6581 section 9.2: at least one kind.
    #[error("no kind of ready-to-receive message is enabled: RFC 6581 asks for at least one")]
    NoRtr,
    /// IEEE 802.1Q keeps this VLAN for itself.
    #[error("VLAN {0} is reserved: give 1 to 4094, or 0 for a priority alone")]
    Vlan(u16),
    /// The range is empty or begins at 0.
    #[error("the ports {0}..={1} are no range of ports: give the lower port first")]
    Ports(u16, u16),
    /// A depth above 0x3FFE cannot be negotiated.
    #[error("a Read depth limit of {0} is above 16382: give at most 16382")]
    Depth(u16),
}

impl Config {
    /// Defaults: MTU 1500, window 32 KiB unscaled, CRC asked for, Rev 2, Reads as the hardware can
    /// hold them, ready-to-receive by Write or Read, 64 connections.
    pub fn new(mac: MacAddr, addresses: &[Address], secret: [u8; 16]) -> Self {
        let mut addresses = addresses.to_vec();
        addresses.push(Address { ip: IpAddr::V6(link_local(mac)), prefix: 64 });
        Self {
            mac,
            addresses,
            gateway_v4: None,
            gateway_v6: None,
            vlan_tci: None,
            mtu: 1_500,
            window: 32 << 10,
            window_scale: 0,
            secret,
            crc: CrcPolicy::Wanted,
            revision: 2,
            limits: Limits {
                ird: read_limit::IRD.into(),
                ord: read_limit::ORD.into(),
                rtr: RtrSet { send: false, write: true, read: true },
            },
            timing: Timing::default(),
            connections: 64,
            time_waits: 256,
            ports: (49_152, 65_535),
        }
    }

    /// Whether all of it is possible.
    pub fn check(&self) -> Result<(), ConfigError> {
        let MacAddr(mac) = self.mac;
        if mac[0] & 1 == 1 || mac == [0; 6] {
            return Err(ConfigError::Mac(mac));
        }
        if self.addresses.len() > 8 {
            return Err(ConfigError::Addresses(self.addresses.len()));
        }
        for &Address { ip, prefix } in &self.addresses {
            let (bits, broadcast) = match ip {
                IpAddr::V4(v4) => (32, v4.is_broadcast()),
                IpAddr::V6(_) => (128, false),
            };
            if prefix > bits {
                return Err(ConfigError::Prefix { ip, prefix });
            }
            if ip.is_loopback() || ip.is_multicast() || ip.is_unspecified() || broadcast {
                return Err(ConfigError::Address(ip));
            }
        }
        let least = if self.addresses.iter().any(|a| a.ip.is_ipv6()) { 1_280 } else { 576 };
        if !(least..=9_000).contains(&self.mtu) {
            return Err(ConfigError::Mtu { mtu: self.mtu, least });
        }
        if self.window_scale > 14 || self.window >> self.window_scale > 0xFFFF || self.window < 2_048 {
            return Err(ConfigError::Window { window: self.window, scale: self.window_scale });
        }
        if !(1..=2).contains(&self.revision) {
            return Err(ConfigError::Revision(self.revision));
        }
        if self.limits.rtr.is_empty() {
            return Err(ConfigError::NoRtr);
        }
        if self.ports.0 == 0 || self.ports.0 > self.ports.1 {
            return Err(ConfigError::Ports(self.ports.0, self.ports.1));
        }
        if let Some(vlan) = self.vlan_tci.map(|tci| tci & 0xFFF).filter(|vlan| *vlan == 0xFFF) {
            return Err(ConfigError::Vlan(vlan));
        }
        match self.limits.ird.max(self.limits.ord) {
            depth if depth > ferrowarp_abi::consts::mpa::DEPTH_MAX => Err(ConfigError::Depth(depth)),
            _ => Ok(()),
        }
    }
}

/// fe80::/64 with the modified EUI-64 of a station address (RFC 4291 appendix A).
pub fn link_local(MacAddr([a, b, c, d, e, f]): MacAddr) -> Ipv6Addr {
    Ipv6Addr::from([0xFE, 0x80, 0, 0, 0, 0, 0, 0, a ^ 2, b, c, 0xFF, 0xFE, d, e, f])
}
