// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of C, and which device serves them: networks of the devices' URLs, without opening a
//! device.
use crate::devices::{all, Entry};
use crate::errno::Errno;
use crate::gen::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

const INET: sa_family_t = libc::AF_INET as sa_family_t;
const INET6: sa_family_t = libc::AF_INET6 as sa_family_t;

/// The address of a program. EINVAL: there is none. EAFNOSUPPORT: the address is of another family
/// than IP.
///
/// # Safety
/// Null, or an address with as many octets as its family has.
pub unsafe fn read(address: *const sockaddr) -> Result<SocketAddr, Errno> {
    if address.is_null() {
        return Err(Errno::INVALID);
    }
    // SAFETY: the caller's promise; the place may have any alignment.
    match unsafe { (&raw const (*address).sa_family).read_unaligned() } {
        INET => {
            // SAFETY: as above.
            let v4 = unsafe { address.cast::<sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from_bits(u32::from_be(v4.sin_addr.s_addr));
            Ok((ip, u16::from_be(v4.sin_port)).into())
        }
        INET6 => {
            // SAFETY: as above.
            let v6 = unsafe { address.cast::<sockaddr_in6>().read_unaligned() };
            // SAFETY: all fields of the union have the same octets.
            let ip = Ipv6Addr::from(unsafe { v6.sin6_addr.__in6_u.__u6_addr8 });
            Ok(SocketAddrV6::new(ip, u16::from_be(v6.sin6_port), 0, v6.sin6_scope_id).into())
        }
        _ => Err(Errno(libc::EAFNOSUPPORT)),
    }
}

/// An address as C has it, with zeros behind.
pub fn stored(address: SocketAddr) -> sockaddr_storage {
    let mut stored = sockaddr_storage::default();
    let place = &raw mut stored;
    match address {
        SocketAddr::V4(v4) => {
            let sin_addr = in_addr { s_addr: v4.ip().to_bits().to_be() };
            let sin =
                sockaddr_in { sin_family: INET, sin_port: v4.port().to_be(), sin_addr, ..Default::default() };
            // SAFETY: the storage has room and alignment for each address.
            unsafe { place.cast::<sockaddr_in>().write(sin) };
        }
        SocketAddr::V6(v6) => {
            let mut sin6 = sockaddr_in6 {
                sin6_family: INET6,
                sin6_port: v6.port().to_be(),
                sin6_scope_id: v6.scope_id(),
                ..Default::default()
            };
            sin6.sin6_addr.__in6_u.__u6_addr8 = v6.ip().octets();
            // SAFETY: as above.
            unsafe { place.cast::<sockaddr_in6>().write(sin6) };
        }
    }
    stored
}

/// Octets of an address of its family.
pub fn length(address: SocketAddr) -> usize {
    match address {
        SocketAddr::V4(_) => size_of::<sockaddr_in>(),
        SocketAddr::V6(_) => size_of::<sockaddr_in6>(),
    }
}

/// Whether an address means all devices: an address of the host's loopback names none, and Linux
/// takes it for the unspecified address, too.
pub fn is_any(ip: IpAddr) -> bool {
    ip.is_unspecified() || ip.is_loopback()
}

/// The device that has an address.
pub fn owner(ip: IpAddr) -> Option<&'static Entry> {
    all().iter().find(|entry| entry.net().addresses.iter().any(|address| address.ip == ip))
}

/// The device and its address towards a destination. A device whose network has the destination
/// goes before a device with a gateway.
pub fn route(to: IpAddr) -> Option<(&'static Entry, IpAddr)> {
    let direct = all().iter().find_map(|entry| {
        let found = entry.net().addresses.iter().find(|own| is_in(to, own.ip, own.prefix));
        found.map(|own| (entry, own.ip))
    });
    direct.or_else(|| all().iter().find_map(|entry| beyond(entry, to).map(|own| (entry, own))))
}

/// The address of a device towards a destination; `None`: the device has no way to it.
pub fn source(entry: &Entry, to: IpAddr) -> Option<IpAddr> {
    let found = entry.net().addresses.iter().find(|own| is_in(to, own.ip, own.prefix));
    found.map(|own| own.ip).or_else(|| beyond(entry, to))
}

/// The address of a device with a gateway of the destination's family.
fn beyond(entry: &Entry, to: IpAddr) -> Option<IpAddr> {
    let is_family = |ip: &IpAddr| ip.is_ipv4() == to.is_ipv4();
    let has_gateway = entry.net().gateways.iter().any(is_family);
    let mut own = entry.net().addresses.iter().map(|address| address.ip);
    own.find(|ip| has_gateway && is_family(ip))
}

/// The mask of a network.
pub fn mask(of: IpAddr, prefix: u8) -> IpAddr {
    let zeros = |bits: u32| bits.saturating_sub(prefix.into());
    match of {
        IpAddr::V4(_) => Ipv4Addr::from_bits(u32::MAX.checked_shl(zeros(32)).unwrap_or(0)).into(),
        IpAddr::V6(_) => Ipv6Addr::from_bits(u128::MAX.checked_shl(zeros(128)).unwrap_or(0)).into(),
    }
}

/// Whether an address is in the network of `own`.
fn is_in(ip: IpAddr, own: IpAddr, prefix: u8) -> bool {
    let same = |a: u128, b: u128, bits: u32| {
        let rest = bits.saturating_sub(prefix.into());
        (a ^ b).checked_shr(rest).unwrap_or(0) == 0
    };
    match (ip, own) {
        (IpAddr::V4(ip), IpAddr::V4(own)) => same(ip.to_bits().into(), own.to_bits().into(), 32),
        (IpAddr::V6(ip), IpAddr::V6(own)) => same(ip.to_bits(), own.to_bits(), 128),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_families_come_back() {
        for text in ["10.0.0.1:7174", "[fe80::1]:80"] {
            let (address, wanted) = (stored(text.parse().unwrap()), text.parse().unwrap());
            // SAFETY: the storage has a whole address.
            assert_eq!(unsafe { read((&raw const address).cast()) }, Ok(wanted));
        }
        // SAFETY: null is refused.
        assert_eq!(unsafe { read(std::ptr::null()) }, Err(Errno::INVALID));
        let other = sockaddr { sa_family: 1, ..Default::default() };
        // SAFETY: a whole address of no family of ours.
        assert_eq!(unsafe { read(&other) }, Err(Errno(libc::EAFNOSUPPORT)));
    }

    #[test]
    fn an_address_of_the_loopback_means_all_devices() {
        let is_any = |ip: &str| is_any(ip.parse().unwrap());
        assert!(is_any("0.0.0.0") && is_any("::") && is_any("127.0.0.1") && is_any("::1"));
        assert!(!is_any("10.0.0.1") && !is_any("fd00::1"));
    }

    #[test]
    fn a_network_has_the_addresses_of_its_prefix() {
        let is_in = |ip: &str, own: &str, prefix| is_in(ip.parse().unwrap(), own.parse().unwrap(), prefix);
        assert!(is_in("10.0.0.9", "10.0.0.1", 24) && !is_in("10.0.1.9", "10.0.0.1", 24));
        assert!(is_in("1.2.3.4", "10.0.0.1", 0) && !is_in("fd00::1", "10.0.0.1", 0));
        assert!(is_in("fd00::2", "fd00::1", 64) && !is_in("fd00::2", "fd00::1", 128));
    }
}
