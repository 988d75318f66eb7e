// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device's place in the network, and its time.
use crate::backend::Timers;
use crate::cm::ConnectDefaults;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What a tick of the device is (D8 of the architecture).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tick {
    /// A millisecond of wall time: for peers that are real.
    #[default]
    Wall,
    /// A millisecond of the device's own clock.
    Clock,
}

/// A device's place in the network, its timers, and whom its figures are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetUrl {
    /// Station address; by default made from the first IP address.
    pub mac: MacAddr,
    /// IP addresses with the lengths of their prefixes.
    pub addresses: Vec<Address>,
    /// Next hops beyond the link, at most one of each family.
    pub gateways: Vec<IpAddr>,
    /// Whether CRCs are asked for; `crc=off` is the administrator's word that RFC 5044 section 4.4
    /// wants.
    pub crc: bool,
    /// Tag control information of all frames (IEEE 802.1Q): the priority in bits 15 to 13, the VLAN
    /// in bits 11 to 0. `None`: frames have no tag.
    pub vlan_tci: Option<u16>,
    /// Milliseconds that the retransmission timer waits beyond the smoothed round trip, at least.
    pub rto: u16,
    /// Expiries of that timer in a row until a connection is lost.
    pub retries: u8,
    /// A probe finds a lost tail before that timer does (RFC 8985 section 7).
    pub tlp: bool,
    /// What the end of an object waits for the device, at most. Behind that time the driver keeps
    /// what the device may still use.
    pub end: Duration,
    /// Options of connections that leave them open.
    pub defaults: ConnectDefaults,
    /// Socket on which the device's figures are offered to other programs ([`crate::figures`]).
    pub figures: Option<PathBuf>,
}

impl NetUrl {
    /// Without next hops, with CRCs, without a VLAN, with the driver's timers.
    pub fn new(mac: MacAddr, addresses: Vec<Address>) -> Self {
        let (gateways, vlan_tci, defaults, figures) = Default::default();
        let Timers { rto_min: rto, retries, tlp, end, .. } = Timers::DEFAULT;
        Self { mac, addresses, gateways, crc: true, vlan_tci, rto, retries, tlp, end, defaults, figures }
    }

    /// What the hardware's registers get, and the time of an end.
    pub(crate) fn timers(&self) -> Timers {
        let &Self { rto: rto_min, retries, tlp, end, .. } = self;
        Timers { rto_min, retries, tlp, end, ..Timers::DEFAULT }
    }
}
