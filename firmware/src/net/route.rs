// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses, prefixes and gateways: which next hop, which source address.
use crate::config::{Address, Config};
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The routing table of a host with one port.
#[derive(Clone, Debug)]
pub struct Routes {
    addresses: Vec<Address>,
    gateway_v4: Option<Ipv4Addr>,
    gateway_v6: Option<Ipv6Addr>,
}

impl Routes {
    /// Of a configuration.
    pub fn new(config: &Config) -> Self {
        let Config { addresses, gateway_v4, gateway_v6, .. } = config;
        Self { addresses: addresses.clone(), gateway_v4: *gateway_v4, gateway_v6: *gateway_v6 }
    }

    /// Whether an address is one of ours.
    pub fn is_ours(&self, ip: IpAddr) -> bool {
        self.addresses.iter().any(|a| a.ip == ip)
    }

    /// Who gets a packet to `remote` first; `None` without a route.
    pub fn next_hop(&self, remote: IpAddr) -> Option<IpAddr> {
        if self.on_link(remote).is_some() {
            return Some(remote);
        }
        match remote {
            IpAddr::V4(_) => self.gateway_v4.map(IpAddr::V4),
            IpAddr::V6(_) => self.gateway_v6.map(IpAddr::V6),
        }
    }

    /// Our address towards `remote`: the one of its link with the longest prefix, the first of
    /// those with equal prefixes. Beyond the link: the first of its family that is not link-local.
    pub fn source(&self, remote: IpAddr) -> Option<IpAddr> {
        let on_link = self.on_link(remote).map(|a| a.ip);
        let global =
            || self.addresses.iter().map(|a| a.ip).find(|ip| same_family(*ip, remote) && !is_link_local(*ip));
        on_link.or_else(global)
    }

    fn on_link(&self, remote: IpAddr) -> Option<&Address> {
        // of equal prefixes the first: `max_by_key` takes the last
        let covering = self.addresses.iter().rev().filter(|a| covers(a, remote));
        covering.max_by_key(|a| a.prefix)
    }
}

fn same_family(a: IpAddr, b: IpAddr) -> bool {
    a.is_ipv4() == b.is_ipv4()
}

fn is_link_local(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local())
}

/// Whether a host may have this address and be talked to.
pub fn is_unicast(ip: IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(v4) if v4.is_broadcast());
    !(ip.is_unspecified() || ip.is_multicast() || ip.is_loopback() || broadcast)
}

fn covers(address: &Address, remote: IpAddr) -> bool {
    let prefix = u32::from(address.prefix);
    match (address.ip, remote) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros() >= prefix,
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros() >= prefix,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_abi::types::MacAddr;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn next_hops_and_sources() {
        let given = [("10.0.0.1", 24), ("10.0.0.129", 25), ("fd00::1", 64)];
        let given = given.map(|(a, prefix)| Address { ip: ip(a), prefix });
        let mut config = Config::new(MacAddr([2, 0, 0, 0, 0, 1]), &given, [0; 16]);
        let routes = Routes::new(&config);
        assert_eq!(routes.next_hop(ip("10.0.0.7")), Some(ip("10.0.0.7")));
        assert_eq!(routes.source(ip("10.0.0.200")), Some(ip("10.0.0.129")), "the longer prefix");
        assert_eq!(routes.next_hop(ip("8.8.8.8")), None, "no gateway, no route");
        assert_eq!(routes.source(ip("fe80::9")), Some(ip("fe80::ff:fe00:1")));
        config.gateway_v4 = Some([10, 0, 0, 254].into());
        config.gateway_v6 = ip("fd00::fe").to_string().parse().ok();
        let routes = Routes::new(&config);
        assert_eq!(routes.next_hop(ip("8.8.8.8")), Some(ip("10.0.0.254")));
        assert_eq!(routes.source(ip("8.8.8.8")), Some(ip("10.0.0.1")));
        assert_eq!(routes.next_hop(ip("2001:db8::1")), Some(ip("fd00::fe")));
        assert_eq!(routes.source(ip("2001:db8::1")), Some(ip("fd00::1")), "not the link-local one");
    }

    #[test]
    fn of_equal_prefixes_the_first_is_the_source() {
        let given = ["10.0.0.1", "10.0.0.5", "10.0.0.3"].map(|a| Address { ip: ip(a), prefix: 24 });
        let routes = Routes::new(&Config::new(MacAddr([2, 0, 0, 0, 0, 1]), &given, [0; 16]));
        assert_eq!(routes.source(ip("10.0.0.7")), Some(ip("10.0.0.1")));
    }

    use alloc::string::ToString;
}
