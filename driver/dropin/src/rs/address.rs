// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of C, and the devices that they belong to.
use crate::devices::{all, Entry};
use crate::errno::Errno;
use ferrowarp::Address;
use libc::{sockaddr, sockaddr_in, sockaddr_in6, socklen_t};
use std::ffi::c_int;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The address of a program. An IPv4 address in the form of IPv6 is an IPv4 address.
///
/// # Safety
/// `address` is null, or has `len` readable octets.
pub unsafe fn read(address: *const sockaddr, len: socklen_t) -> Result<SocketAddr, Errno> {
    if address.is_null() {
        return Err(Errno(libc::EFAULT));
    }
    let has = |octets: usize| usize::try_from(len).is_ok_and(|len| len >= octets);
    if !has(size_of::<libc::sa_family_t>()) {
        return Err(Errno::INVALID);
    }
    // SAFETY: the octets of the family were found to be there.
    let family = unsafe { address.cast::<libc::sa_family_t>().read_unaligned() };
    match c_int::from(family) {
        libc::AF_INET if has(size_of::<sockaddr_in>()) => {
            // SAFETY: the octets were found to be there.
            let v4 = unsafe { address.cast::<sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
            Ok((ip, u16::from_be(v4.sin_port)).into())
        }
        libc::AF_INET6 if has(size_of::<sockaddr_in6>()) => {
            // SAFETY: the octets were found to be there.
            let v6 = unsafe { address.cast::<sockaddr_in6>().read_unaligned() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            Ok((IpAddr::from(ip).to_canonical(), u16::from_be(v6.sin6_port)).into())
        }
        libc::AF_INET | libc::AF_INET6 => Err(Errno::INVALID),
        _ => Err(Errno(libc::EAFNOSUPPORT)),
    }
}

/// Gives an address to a program, in the form of the socket's `domain`. What does not fit is cut.
///
/// # Safety
/// Both are null, or `len` is a number that may be written, of octets that may be written at `to`.
pub unsafe fn write(address: SocketAddr, domain: c_int, to: *mut sockaddr, len: *mut socklen_t) {
    if to.is_null() || len.is_null() {
        return;
    }
    let octets: Vec<u8> = match address.ip() {
        IpAddr::V4(ip) if domain == libc::AF_INET => octets_of(sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: address.port().to_be(),
            sin_addr: libc::in_addr { s_addr: u32::from(ip).to_be() },
            sin_zero: [0; 8],
        }),
        ip => octets_of(sockaddr_in6 {
            sin6_family: libc::AF_INET6 as libc::sa_family_t,
            sin6_port: address.port().to_be(),
            sin6_flowinfo: 0,
            sin6_addr: libc::in6_addr {
                s6_addr: match ip {
                    IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                    IpAddr::V6(ip) => ip.octets(),
                },
            },
            sin6_scope_id: 0,
        }),
    };
    // SAFETY: the caller gives a number, and as many octets as it says.
    unsafe {
        let room = usize::try_from(len.read()).unwrap_or(0);
        std::ptr::copy_nonoverlapping(octets.as_ptr(), to.cast::<u8>(), room.min(octets.len()));
        len.write(octets.len() as socklen_t);
    }
}

/// The octets of an address of C, which has no padding.
fn octets_of<T: Copy>(address: T) -> Vec<u8> {
    // SAFETY: the structs of socket addresses have no padding, and each octet is initialised.
    unsafe { std::slice::from_raw_parts((&raw const address).cast::<u8>(), size_of::<T>()) }.to_vec()
}

fn is_of(entry: &Entry, ip: IpAddr) -> bool {
    entry.net().addresses.iter().any(|own| own.ip == ip)
}

/// Devices with this address; of an address of all zeros all devices.
pub fn devices_at(ip: IpAddr) -> Vec<&'static Entry> {
    all().iter().filter(|entry| ip.is_unspecified() || is_of(entry, ip)).collect()
}

/// The device that reaches a peer: the one with the longest prefix, or with a gateway. A socket may
/// be bound to the address of a device.
pub fn device_to(bound: Option<IpAddr>, remote: IpAddr) -> Result<&'static Entry, Errno> {
    let bound = bound.filter(|ip| !ip.is_unspecified());
    let may = all().iter().filter(|entry| bound.is_none_or(|ip| is_of(entry, ip)));
    let prefix = |entry: &Entry| {
        let near =
            entry.net().addresses.iter().filter(|own| is_near(own, remote)).map(|own| own.prefix).max();
        let far = entry.net().gateways.iter().any(|gateway| gateway.is_ipv4() == remote.is_ipv4());
        near.or(far.then_some(0))
    };
    // of equal ones the first is taken
    let best = may.rev().filter_map(|entry| Some((prefix(entry)?, entry))).max_by_key(|(prefix, _)| *prefix);
    best.map(|(_, entry)| entry).ok_or(Errno(libc::ENETUNREACH))
}

/// Whether a peer is on the link of an address.
fn is_near(own: &Address, peer: IpAddr) -> bool {
    let bits = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => (u128::from(u32::from(ip)) << 96, 32),
        IpAddr::V6(ip) => (u128::from(ip), 128),
    };
    let (((own_bits, width), (peer_bits, other)), prefix) = ((bits(own.ip), bits(peer)), own.prefix.into());
    width == other && (prefix == 0 || (own_bits ^ peer_bits) >> (128_u32.saturating_sub(prefix)) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_c_comes_back_in_the_form_of_its_domain() {
        for (given, domain, len) in [
            ("10.0.0.1:7", libc::AF_INET, 16),
            ("10.0.0.1:7", libc::AF_INET6, 28),
            ("[fd00::1]:7", libc::AF_INET6, 28),
        ] {
            let (given, mut room) = (given.parse().unwrap(), [0_u64; 8]);
            let mut octets: socklen_t = 64;
            let to = room.as_mut_ptr().cast::<sockaddr>();
            // SAFETY: 64 octets of the test's own.
            let (came, short) = unsafe {
                write(given, domain, to, &mut octets);
                (read(to, octets), read(to, octets - 1))
            };
            assert_eq!((came, short, octets), (Ok(given), Err(Errno::INVALID), len));
        }
        let family = libc::AF_UNIX;
        // SAFETY: two octets of the test's own.
        let local = unsafe { read((&raw const family).cast(), 2) };
        assert_eq!(local, Err(Errno(libc::EAFNOSUPPORT)));
    }

    #[test]
    fn a_peer_is_near_an_address_of_the_same_prefix() {
        let near = |own: &str, prefix, peer: &str| {
            is_near(&Address { ip: own.parse().unwrap(), prefix }, peer.parse().unwrap())
        };
        assert!(near("10.0.0.1", 24, "10.0.0.200") && near("fd00::1", 64, "fd00::ffff"));
        assert!(!near("10.0.0.1", 25, "10.0.0.200") && !near("10.0.0.1", 0, "fd00::1"));
        assert!(near("10.0.0.1", 32, "10.0.0.1") && near("10.0.0.1", 0, "192.168.0.1"));
    }
}
