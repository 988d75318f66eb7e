// SPDX-License-Identifier: MIT OR Apache-2.0
//! What frames say about stations, and our questions for them: ARP (RFC 826) and neighbour
//! discovery (RFC 4861).
use super::route::Routes;
use alloc::vec;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ferrowarp_abi::consts::ether_type;
use ferrowarp_abi::types::MacAddr;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv6Packet,
    Icmpv6Repr, IpProtocol, Ipv6Packet, Ipv6Repr, NdiscNeighborFlags, NdiscRepr, RawHardwareAddress,
};

/// What somebody says about the station of an address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The address.
    pub ip: IpAddr,
    /// Its station; an advertisement may leave out the one that was asked.
    pub station: Option<MacAddr>,
    /// It is sent as the answer to a question of ours.
    pub answers: bool,
    /// The owner's word, not a proxy's: Override. ARP has no such flag, and an answer counts as the
    /// owner's.
    pub overrides: bool,
}

/// What an untagged frame says about a station: any ARP packet, a solicitation, or an
/// advertisement.
pub fn learn(octets: &[u8], routes: &Routes) -> Option<Heard> {
    let frame = EthernetFrame::new_checked(octets).ok()?;
    let heard = match frame.ethertype() {
        EthernetProtocol::Arp => learn_arp(frame.payload(), routes)?,
        EthernetProtocol::Ipv6 => learn_ndisc(frame.payload(), routes)?,
        _ => return None,
    };
    // a group is no station
    heard.station.is_none_or(|MacAddr(mac)| mac[0] & 1 == 0).then_some(heard)
}

fn learn_arp(octets: &[u8], routes: &Routes) -> Option<Heard> {
    let packet = ArpPacket::new_checked(octets).ok()?;
    let ArpRepr::EthernetIpv4 {
        operation,
        source_hardware_addr,
        source_protocol_addr,
        target_protocol_addr,
        ..
    } = ArpRepr::parse(&packet).ok()?
    else {
        return None;
    };
    let answers = operation == ArpOperation::Reply && routes.is_ours(target_protocol_addr.into());
    let station = Some(MacAddr(source_hardware_addr.0));
    Some(Heard { ip: source_protocol_addr.into(), station, answers, overrides: answers })
}

fn learn_ndisc(octets: &[u8], routes: &Routes) -> Option<Heard> {
    let packet = Ipv6Packet::new_checked(octets).ok()?;
    // hop limit 255: no router passed it on (RFC 4861 section 7.1)
    if packet.next_header() != IpProtocol::Icmpv6 || packet.hop_limit() != 255 {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let icmp = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    let station = |lladdr: Option<RawHardwareAddress>| {
        let octets = lladdr.map(|lladdr| <[u8; 6]>::try_from(lladdr.as_bytes()));
        octets.transpose().ok().map(|octets| octets.map(MacAddr))
    };
    match Icmpv6Repr::parse(&from, &to, &icmp, &ChecksumCapabilities::default()).ok()? {
        Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr, lladdr }) => Some(Heard {
            ip: target_addr.into(),
            station: station(lladdr)?,
            answers: flags.contains(NdiscNeighborFlags::SOLICITED) && routes.is_ours(to.into()),
            overrides: flags.contains(NdiscNeighborFlags::OVERRIDE),
        }),
        Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { lladdr: Some(lladdr), .. }) => {
            let station = station(Some(lladdr))?;
            Some(Heard { ip: from.into(), station, answers: false, overrides: false })
        }
        _ => None,
    }
}

/// Destination, and EtherType with body, of the question for `target`; to one station or, without
/// one, to everybody.
pub fn question(
    mac: MacAddr,
    source: IpAddr,
    target: IpAddr,
    station: Option<MacAddr>,
) -> (MacAddr, Vec<u8>) {
    match (source, target) {
        (IpAddr::V4(source), IpAddr::V4(target)) => {
            (station.unwrap_or(MacAddr([0xFF; 6])), arp_request(mac, source, target))
        }
        (IpAddr::V6(source), IpAddr::V6(target)) => solicitation(mac, source, target, station),
        _ => (MacAddr([0xFF; 6]), Vec::new()),
    }
}

fn arp_request(mac: MacAddr, source: Ipv4Addr, target: Ipv4Addr) -> Vec<u8> {
    let repr = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Request,
        source_hardware_addr: EthernetAddress(mac.0),
        source_protocol_addr: source,
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: target,
    };
    let mut octets = vec![0; 2 + repr.buffer_len()];
    octets[..2].copy_from_slice(&ether_type::ARP.to_be_bytes());
    repr.emit(&mut ArpPacket::new_unchecked(&mut octets[2..]));
    octets
}

fn solicitation(
    mac: MacAddr,
    source: Ipv6Addr,
    target: Ipv6Addr,
    station: Option<MacAddr>,
) -> (MacAddr, Vec<u8>) {
    let [.., a, b, c] = target.octets();
    let group = Ipv6Addr::from([0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, a, b, c]);
    let to = if station.is_some() { target } else { group };
    let lladdr = Some(EthernetAddress(mac.0).into());
    let icmp = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr: target, lladdr });
    let payload_len = icmp.buffer_len();
    let ip = Ipv6Repr {
        src_addr: source,
        dst_addr: to,
        next_header: IpProtocol::Icmpv6,
        payload_len,
        hop_limit: 255,
    };
    let mut octets = vec![0; 2 + ip.buffer_len() + payload_len];
    octets[..2].copy_from_slice(&ether_type::IPV6.to_be_bytes());
    let mut packet = Ipv6Packet::new_unchecked(&mut octets[2..]);
    ip.emit(&mut packet);
    let mut body = Icmpv6Packet::new_unchecked(packet.payload_mut());
    icmp.emit(&source, &to, &mut body, &ChecksumCapabilities::default());
    (station.unwrap_or(MacAddr([0x33, 0x33, 0xFF, a, b, c])), octets)
}
