// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP segments of tests, written and read by smoltcp's `wire`.
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;
use std::net::{IpAddr, SocketAddr};

/// A station address.
pub type Mac = [u8; 6];

/// A segment with its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seg {
    /// Sender.
    pub from: SocketAddr,
    /// Receiver.
    pub to: SocketAddr,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number, if ACK is set.
    pub ack: Option<u32>,
    /// Window field.
    pub window: u16,
    /// SYN.
    pub syn: bool,
    /// FIN.
    pub fin: bool,
    /// RST.
    pub rst: bool,
    /// MSS option.
    pub mss: Option<u16>,
    /// Window scale option.
    pub scale: Option<u8>,
    /// Whether an option that is neither of the two is there.
    pub other_options: bool,
    /// Data.
    pub data: Vec<u8>,
    /// No router may cut it: DF of IPv4, any segment of IPv6. Read alone.
    pub is_whole: bool,
    /// What else a header has; not read.
    pub odd: Odd,
}

/// What a well-behaved header has not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Odd {
    /// Options behind the others, as they are.
    pub options: Vec<u8>,
    /// URG, and its pointer.
    pub urgent: Option<u16>,
    /// The four bits behind the offset.
    pub reserved: u8,
    /// The checksum is wrong.
    pub bad_sum: bool,
}

impl Seg {
    /// An ACK without data.
    pub fn new(from: SocketAddr, to: SocketAddr, seq: u32, ack: u32) -> Self {
        Self {
            from,
            to,
            seq,
            ack: Some(ack),
            window: 60_000,
            syn: false,
            fin: false,
            rst: false,
            mss: None,
            scale: None,
            other_options: false,
            data: vec![],
            is_whole: false,
            odd: Odd::default(),
        }
    }

    /// Sequence space that it takes.
    pub fn len(&self) -> u32 {
        self.data.len() as u32 + u32::from(self.syn) + u32::from(self.fin)
    }

    /// Whether it takes none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The Ethernet frame.
    pub fn frame(&self, from: Mac, to: Mac) -> Vec<u8> {
        let control = match (self.syn, self.rst, self.fin) {
            (true, ..) => TcpControl::Syn,
            (_, true, _) => TcpControl::Rst,
            (_, _, true) => TcpControl::Fin,
            _ => TcpControl::None,
        };
        let tcp = TcpRepr {
            src_port: self.from.port(),
            dst_port: self.to.port(),
            control,
            seq_number: TcpSeqNumber(self.seq as i32),
            ack_number: self.ack.map(|a| TcpSeqNumber(a as i32)),
            window_len: self.window,
            window_scale: self.scale,
            max_seg_size: self.mss,
            sack_permitted: false,
            sack_ranges: [None; 3],
            timestamp: None,
            payload: &self.data,
        };
        let (source, target) = (IpAddress::from(self.from.ip()), IpAddress::from(self.to.ip()));
        let ip = IpRepr::new(source, target, IpProtocol::Tcp, tcp.buffer_len(), 64);
        let mut octets = vec![0; 14 + ip.header_len() + tcp.buffer_len()];
        octets[..6].copy_from_slice(&to);
        octets[6..12].copy_from_slice(&from);
        octets[12..14].copy_from_slice(if self.to.is_ipv4() { &[8, 0] } else { &[0x86, 0xDD] });
        let all = ChecksumCapabilities::default();
        ip.emit(&mut octets[14..], &all);
        let body = &mut octets[14 + ip.header_len()..];
        tcp.emit(&mut TcpPacket::new_unchecked(body), &source, &target, &all);
        if self.odd == Odd::default() {
            octets
        } else {
            self.made_odd(octets, 14 + ip.header_len())
        }
    }

    /// The frame with what is odd; `at` is where its TCP header stands.
    fn made_odd(&self, mut octets: Vec<u8>, at: usize) -> Vec<u8> {
        let Odd { options, urgent, reserved, bad_sum } = &self.odd;
        let header = usize::from(TcpPacket::new_unchecked(&octets[at..]).header_len());
        let mut options = options.clone();
        options.resize(options.len().next_multiple_of(4), 0);
        let longer = options.len();
        octets.splice(at + header..at + header, options);
        match self.to.is_ipv4() {
            true => {
                let mut ip = Ipv4Packet::new_unchecked(&mut octets[14..]);
                ip.set_total_len(ip.total_len() + longer as u16);
                ip.fill_checksum();
            }
            false => {
                let mut ip = Ipv6Packet::new_unchecked(&mut octets[14..]);
                ip.set_payload_len(ip.payload_len() + longer as u16);
            }
        }
        let mut tcp = TcpPacket::new_unchecked(&mut octets[at..]);
        tcp.set_header_len((header + longer) as u8);
        tcp.set_urg(urgent.is_some());
        tcp.set_urgent_at(urgent.unwrap_or(0));
        octets[at + 12] |= reserved & 0xF;
        let mut tcp = TcpPacket::new_unchecked(&mut octets[at..]);
        tcp.fill_checksum(&self.from.ip().into(), &self.to.ip().into());
        octets[at + 16] ^= u8::from(*bad_sum);
        octets
    }

    /// Reads an untagged frame; the checksums have to be right.
    pub fn parse(frame: &[u8]) -> Option<Self> {
        let ethernet = EthernetFrame::new_checked(frame).ok()?;
        let (source, target, body, is_whole): (IpAddr, IpAddr, &[u8], bool) = match ethernet.ethertype() {
            EthernetProtocol::Ipv4 => {
                let ip = Ipv4Packet::new_checked(ethernet.payload()).ok()?;
                assert!(ip.verify_checksum(), "IPv4 checksum of {frame:02x?}");
                if ip.next_header() != IpProtocol::Tcp {
                    return None;
                }
                (ip.src_addr().into(), ip.dst_addr().into(), ip.payload(), ip.dont_frag())
            }
            EthernetProtocol::Ipv6 => {
                let ip = Ipv6Packet::new_checked(ethernet.payload()).ok()?;
                if ip.next_header() != IpProtocol::Tcp {
                    return None;
                }
                (ip.src_addr().into(), ip.dst_addr().into(), ip.payload(), true)
            }
            _ => return None,
        };
        let tcp = TcpPacket::new_checked(body).ok()?;
        assert!(tcp.verify_checksum(&source.into(), &target.into()), "TCP checksum of {frame:02x?}");
        let (mut mss, mut scale, mut other_options, mut options) = (None, None, false, tcp.options());
        while let Ok((rest, option)) = TcpOption::parse(options) {
            match option {
                TcpOption::MaxSegmentSize(n) => mss = Some(n),
                TcpOption::WindowScale(n) => scale = Some(n),
                TcpOption::NoOperation => {}
                TcpOption::EndOfList => break,
                _ => other_options = true,
            }
            options = rest;
        }
        Some(Self {
            from: (source, tcp.src_port()).into(),
            to: (target, tcp.dst_port()).into(),
            seq: tcp.seq_number().0 as u32,
            ack: tcp.ack().then(|| tcp.ack_number().0 as u32),
            window: tcp.window_len(),
            syn: tcp.syn(),
            fin: tcp.fin(),
            rst: tcp.rst(),
            mss,
            scale,
            other_options,
            data: tcp.payload().to_vec(),
            is_whole,
            odd: Odd::default(),
        })
    }
}

/// The answer to an ARP request for `ip`, or to a neighbour solicitation.
pub fn neighbour_answer(frame: &[u8], ips: &[IpAddr], mac: Mac) -> Option<Vec<u8>> {
    let ethernet = EthernetFrame::new_checked(frame).ok()?;
    match ethernet.ethertype() {
        EthernetProtocol::Arp => arp_answer(ethernet.payload(), ips, mac),
        EthernetProtocol::Ipv6 => advertisement(&ethernet, ips, mac),
        _ => None,
    }
}

fn arp_answer(octets: &[u8], ips: &[IpAddr], mac: Mac) -> Option<Vec<u8>> {
    let ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Request,
        source_hardware_addr,
        source_protocol_addr,
        target_protocol_addr,
        ..
    } = ArpRepr::parse(&ArpPacket::new_checked(octets).ok()?).ok()?
    else {
        return None;
    };
    if !ips.contains(&target_protocol_addr.into()) {
        return None;
    }
    let repr = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Reply,
        source_hardware_addr: EthernetAddress(mac),
        source_protocol_addr: target_protocol_addr,
        target_hardware_addr: source_hardware_addr,
        target_protocol_addr: source_protocol_addr,
    };
    let mut answer = vec![0; 14 + repr.buffer_len()];
    answer[..6].copy_from_slice(&source_hardware_addr.0);
    answer[6..12].copy_from_slice(&mac);
    answer[12..14].copy_from_slice(&[8, 6]);
    repr.emit(&mut ArpPacket::new_unchecked(&mut answer[14..]));
    Some(answer)
}

fn advertisement(ethernet: &EthernetFrame<&[u8]>, ips: &[IpAddr], mac: Mac) -> Option<Vec<u8>> {
    let all = ChecksumCapabilities::default();
    let ip = Ipv6Packet::new_checked(ethernet.payload()).ok()?;
    let icmp = Icmpv6Packet::new_checked(ip.payload()).ok()?;
    let asked = Icmpv6Repr::parse(&ip.src_addr(), &ip.dst_addr(), &icmp, &all).ok()?;
    let Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, .. }) = asked else { return None };
    if !ips.contains(&target_addr.into()) {
        return None;
    }
    let flags = NdiscNeighborFlags::SOLICITED | NdiscNeighborFlags::OVERRIDE;
    let lladdr = Some(EthernetAddress(mac).into());
    let say = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr, lladdr });
    let (source, target) = (target_addr, ip.src_addr());
    let ip = IpRepr::new(source.into(), target.into(), IpProtocol::Icmpv6, say.buffer_len(), 255);
    let mut answer = vec![0; 14 + ip.header_len() + say.buffer_len()];
    answer[..6].copy_from_slice(&ethernet.src_addr().0);
    answer[6..12].copy_from_slice(&mac);
    answer[12..14].copy_from_slice(&[0x86, 0xDD]);
    ip.emit(&mut answer[14..], &all);
    say.emit(&source, &target, &mut Icmpv6Packet::new_unchecked(&mut answer[54..]), &all);
    Some(answer)
}

/// The tag control information of a frame, and the frame without its tag.
pub fn untagged(mut frame: Vec<u8>) -> (Option<u16>, Vec<u8>) {
    let tag = (frame[12..14] == [0x81, 0]).then(|| u16::from_be_bytes([frame[14], frame[15]]));
    if tag.is_some() {
        frame.drain(12..16);
    }
    (tag, frame)
}
