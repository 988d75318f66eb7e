//! Station addresses of next hops: asked for by ARP (RFC 826) or neighbour solicitation (RFC 4861), each on its own.
//!
//! Only what was asked for is entered, so that no stranger fills the table; an entry lasts `lifetime`, three questions
//! without an answer are a failure.
use crate::time::{is_due, Ticks};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ferrowarp_abi::consts::ether_type;
use ferrowarp_abi::types::MacAddr;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv6Packet,
    Icmpv6Repr, IpProtocol, Ipv6Packet, Ipv6Repr, NdiscRepr,
};

/// Questions until a next hop counts as unreachable.
const QUESTIONS: u32 = 3;
/// Packets that wait for one next hop.
const HELD: usize = 8;

#[derive(Clone, Debug)]
enum Entry {
    Asking { asked: u32, next: Ticks, held: Vec<Vec<u8>> },
    Known { mac: MacAddr, until: Ticks },
}

/// What is known of a next hop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its station address.
    Known(MacAddr),
    /// It is being asked for.
    Wait,
}

/// The table.
#[derive(Clone, Debug)]
pub struct Neighbours {
    entries: BTreeMap<IpAddr, Entry>,
    interval: u64,
    lifetime: u64,
    failed: Vec<IpAddr>,
    moved: Vec<(IpAddr, MacAddr)>,
}

impl Neighbours {
    /// Empty; `interval` between questions and `lifetime` of answers in ticks.
    pub fn new(interval: u64, lifetime: u64) -> Self {
        Self { entries: BTreeMap::new(), interval, lifetime, failed: Vec::new(), moved: Vec::new() }
    }

    /// The station of `hop`; if it is not known, it will be asked for.
    pub fn lookup(&mut self, hop: IpAddr, now: Ticks) -> Lookup {
        let asking = || Entry::Asking { asked: 0, next: now, held: Vec::new() };
        match self.entries.entry(hop).or_insert_with(asking) {
            Entry::Known { mac, .. } => Lookup::Known(*mac),
            Entry::Asking { .. } => Lookup::Wait,
        }
    }

    /// Keeps a packet until `hop` is known; `false` if too many wait.
    pub fn hold(&mut self, hop: IpAddr, packet: Vec<u8>) -> bool {
        match self.entries.get_mut(&hop) {
            Some(Entry::Asking { held, .. }) if held.len() < HELD => {
                held.push(packet);
                true
            }
            _ => false,
        }
    }

    /// Asks no more for a hop that is not known; what waits for it is dropped.
    pub fn drop_question(&mut self, hop: IpAddr) {
        if matches!(self.entries.get(&hop), Some(Entry::Asking { .. })) {
            self.entries.remove(&hop);
        }
    }

    /// Somebody says who `ip` is. Returns the packets that waited for it.
    pub fn learned(&mut self, ip: IpAddr, station: MacAddr, now: Ticks) -> Vec<Vec<u8>> {
        let Some(entry) = self.entries.get_mut(&ip) else { return Vec::new() };
        let known = Entry::Known { mac: station, until: now.after(self.lifetime) };
        match core::mem::replace(entry, known) {
            Entry::Asking { held, .. } => held,
            Entry::Known { mac, .. } => {
                if mac != station {
                    self.moved.push((ip, station));
                }
                Vec::new()
            }
        }
    }

    /// Next hops to be asked for now.
    pub fn questions(&mut self, now: Ticks) -> Vec<IpAddr> {
        let mut due = Vec::new();
        for (&ip, entry) in &mut self.entries {
            if let Entry::Asking { asked, next, .. } = entry {
                if *next <= now && *asked < QUESTIONS {
                    (*asked, *next) = (*asked + 1, now.after(self.interval));
                    due.push(ip);
                }
            }
        }
        due
    }

    /// Forgets answers that are too old and questions that nobody answers.
    pub fn expire(&mut self, now: Ticks) {
        let failed = &mut self.failed;
        self.entries.retain(|&ip, entry| match entry {
            Entry::Known { until, .. } => *until > now,
            Entry::Asking { asked, next, .. } => {
                let given_up = *asked >= QUESTIONS && is_due(Some(*next), now);
                if given_up {
                    failed.push(ip);
                }
                !given_up
            }
        });
    }

    /// Next hops that did not answer, once each.
    pub fn failed(&mut self) -> Vec<IpAddr> {
        core::mem::take(&mut self.failed)
    }

    /// Next hops with a new station address, once each.
    pub fn moved(&mut self) -> Vec<(IpAddr, MacAddr)> {
        core::mem::take(&mut self.moved)
    }

    /// When [`Neighbours::expire`] has something to do.
    pub fn due(&self) -> Option<Ticks> {
        let due = |entry: &Entry| match entry {
            Entry::Asking { next, .. } => *next,
            Entry::Known { until, .. } => *until,
        };
        self.entries.values().map(due).min()
    }

    /// How many are being asked for.
    pub fn pending(&self) -> usize {
        self.entries.values().filter(|e| matches!(e, Entry::Asking { .. })).count()
    }
}

/// What an untagged frame says about a station: any ARP packet, a solicitation, or an advertisement.
pub fn learn(octets: &[u8]) -> Option<(IpAddr, MacAddr)> {
    let frame = EthernetFrame::new_checked(octets).ok()?;
    let (ip, mac) = match frame.ethertype() {
        EthernetProtocol::Arp => learn_arp(frame.payload())?,
        EthernetProtocol::Ipv6 => learn_ndisc(frame.payload())?,
        _ => return None,
    };
    // a group is no station
    (mac.0[0] & 1 == 0).then_some((ip, mac))
}

fn learn_arp(octets: &[u8]) -> Option<(IpAddr, MacAddr)> {
    let packet = ArpPacket::new_checked(octets).ok()?;
    let ArpRepr::EthernetIpv4 { source_hardware_addr, source_protocol_addr, .. } =
        ArpRepr::parse(&packet).ok()?
    else {
        return None;
    };
    Some((source_protocol_addr.into(), MacAddr(source_hardware_addr.0)))
}

fn learn_ndisc(octets: &[u8]) -> Option<(IpAddr, MacAddr)> {
    let packet = Ipv6Packet::new_checked(octets).ok()?;
    // hop limit 255: no router passed it on (RFC 4861 section 7.1)
    if packet.next_header() != IpProtocol::Icmpv6 || packet.hop_limit() != 255 {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let icmp = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    let said = match Icmpv6Repr::parse(&from, &to, &icmp, &ChecksumCapabilities::default()).ok()? {
        Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { target_addr, lladdr, .. }) => (target_addr, lladdr),
        Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { lladdr, .. }) => (from, lladdr),
        _ => return None,
    };
    let station = said.1?;
    let mac = <[u8; 6]>::try_from(station.as_bytes()).ok()?;
    Some((said.0.into(), MacAddr(mac)))
}

/// Destination, and EtherType with body, of the question for `target`.
pub fn question(mac: MacAddr, source: IpAddr, target: IpAddr) -> (MacAddr, Vec<u8>) {
    match (source, target) {
        (IpAddr::V4(source), IpAddr::V4(target)) => (MacAddr([0xFF; 6]), arp_request(mac, source, target)),
        (IpAddr::V6(source), IpAddr::V6(target)) => solicitation(mac, source, target),
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

fn solicitation(mac: MacAddr, source: Ipv6Addr, target: Ipv6Addr) -> (MacAddr, Vec<u8>) {
    let [.., a, b, c] = target.octets();
    let group = Ipv6Addr::from([0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, a, b, c]);
    let lladdr = Some(EthernetAddress(mac.0).into());
    let icmp = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr: target, lladdr });
    let payload_len = icmp.buffer_len();
    let ip = Ipv6Repr {
        src_addr: source,
        dst_addr: group,
        next_header: IpProtocol::Icmpv6,
        payload_len,
        hop_limit: 255,
    };
    let mut octets = vec![0; 2 + ip.buffer_len() + payload_len];
    octets[..2].copy_from_slice(&ether_type::IPV6.to_be_bytes());
    let mut packet = Ipv6Packet::new_unchecked(&mut octets[2..]);
    ip.emit(&mut packet);
    let mut body = Icmpv6Packet::new_unchecked(packet.payload_mut());
    icmp.emit(&source, &group, &mut body, &ChecksumCapabilities::default());
    (MacAddr([0x33, 0x33, 0xFF, a, b, c]), octets)
}
