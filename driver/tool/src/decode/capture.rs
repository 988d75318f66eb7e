// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures: Ethernet frames to streams, streams to steps.
use super::error::DecodeError;
use super::stream::{fpdus, marked_fpdus, startup, Step};
use ferrowarp_abi::codec::{EthernetHdr, Ipv4Hdr, Ipv6Hdr, TcpHdr, VlanTag};
use ferrowarp_abi::consts::{ether_type, ip_protocol};
use ferrowarp_abi::types::SeqNum;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

/// First octets of a pcapng.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// One direction of a connection: from, to.
type Flow = (SocketAddr, SocketAddr);

/// The octets of one direction, in order.
#[derive(Default)]
struct Stream {
    /// Sequence number behind them; none before the first segment.
    next: Option<SeqNum>,
    octets: Vec<u8>,
    /// Segments beyond a gap, by their distance from the octets that are missing.
    later: Vec<(SeqNum, Vec<u8>)>,
}

impl Stream {
    /// Takes the octets of a segment; `syn` begins a new stream.
    fn take(&mut self, sequence: SeqNum, syn: bool, data: &[u8]) {
        if syn {
            *self = Self { next: Some(sequence.plus(1)), ..Self::default() };
            return;
        }
        self.next.get_or_insert(sequence);
        if !data.is_empty() {
            self.later.push((sequence, data.to_vec()));
        }
        while let Some(n) = self.later.iter().position(|(at, _)| self.reaches(*at)) {
            let (at, data) = self.later.swap_remove(n);
            let known = self.next.map_or(0, |next| next.0.wrapping_sub(at.0)) as usize;
            if let Some(new) = data.get(known..) {
                self.octets.extend(new);
                self.next = self.next.map(|next| next.plus(new.len() as u32));
            }
        }
    }

    /// A segment begins at what is missing, or before it.
    fn reaches(&self, at: SeqNum) -> bool {
        self.next.is_some_and(|next| next.0.wrapping_sub(at.0) < 1 << 31)
    }
}

/// Everything in a capture's MPA streams, connection by connection.
pub(crate) fn steps(file: &Path) -> Result<Vec<Step>, DecodeError> {
    let failed = |why: String| DecodeError::File { file: file.display().to_string(), why };
    let octets = fs::read(file).map_err(|e| failed(e.to_string()))?;
    let frames = frames(&octets).map_err(failed)?;
    let mut done = vec![];
    let mut streams: BTreeMap<Flow, Stream> = BTreeMap::new();
    for frame in &frames {
        let Some((flow, tcp, data)) = segment(frame) else { continue };
        // the same addresses again: a new connection
        if tcp.syn && streams.get(&flow).is_some_and(|s| !s.octets.is_empty()) {
            done.extend(explain(&mut streams, flow));
        }
        streams.entry(flow).or_default().take(tcp.sequence_number, tcp.syn, data);
    }
    while let Some(&flow) = streams.keys().next() {
        done.extend(explain(&mut streams, flow));
    }
    Ok(done)
}

/// Frames of an Ethernet.
fn frames(octets: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let text = |e: pcap_file::PcapError| format!("no pcap or pcapng that can be read: {e}");
    let mut frames = vec![];
    if octets.starts_with(&PCAPNG) {
        let mut reader = PcapNgReader::new(octets).map_err(text)?;
        while let Some(block) = reader.next_block() {
            match block.map_err(text)? {
                Block::EnhancedPacket(packet) => frames.push(packet.data.to_vec()),
                Block::SimplePacket(packet) => frames.push(packet.data.to_vec()),
                _ => {}
            }
        }
    } else {
        let mut reader = PcapReader::new(octets).map_err(text)?;
        while let Some(packet) = reader.next_packet() {
            frames.push(packet.map_err(text)?.data.to_vec());
        }
    }
    Ok(frames)
}

/// The TCP segment of a frame: its direction, header and data. What is no TCP, or contradicts
/// itself, is none.
fn segment(frame: &[u8]) -> Option<(Flow, TcpHdr, &[u8])> {
    let ethernet = EthernetHdr::parse(frame).ok()?;
    let (mut kind, mut rest) = (ethernet.ethertype, frame.get(EthernetHdr::LEN..)?);
    if kind == ether_type::VLAN {
        kind = VlanTag::parse(rest).ok()?.ethertype;
        rest = rest.get(VlanTag::LEN..)?;
    }
    let (from, to, packet): (IpAddr, IpAddr, &[u8]) = match kind {
        ether_type::IPV4 => {
            let ip = Ipv4Hdr::parse(rest).ok().filter(|ip| ip.protocol == ip_protocol::TCP)?;
            let packet = rest.get(4 * usize::from(ip.ihl)..usize::from(ip.total_length))?;
            (ip.source.into(), ip.destination.into(), packet)
        }
        ether_type::IPV6 => {
            let ip = Ipv6Hdr::parse(rest).ok().filter(|ip| ip.next_header == ip_protocol::TCP)?;
            let packet = rest.get(Ipv6Hdr::LEN..Ipv6Hdr::LEN + usize::from(ip.payload_length))?;
            (ip.source.into(), ip.destination.into(), packet)
        }
        _ => return None,
    };
    let tcp = TcpHdr::parse(packet).ok()?;
    let data = packet.get(4 * usize::from(tcp.data_offset)..)?;
    let ports = (tcp.source_port, tcp.destination_port);
    Some(((SocketAddr::new(from, ports.0), SocketAddr::new(to, ports.1)), tcp, data))
}

/// Both directions of a connection, which are taken out. One that does not begin with MPA's startup
/// is left out.
fn explain(streams: &mut BTreeMap<Flow, Stream>, (from, to): Flow) -> Vec<Step> {
    let flows = [(from, to), (to, from)];
    let octets = flows.map(|flow| streams.remove(&flow).map(|s| s.octets).unwrap_or_default());
    let names = flows.map(|(from, to)| format!("{from} > {to}"));
    let begun = [0, 1].map(|n| startup(&names[n], &octets[n]));
    let [Some((first, ours)), Some((second, theirs))] = begun else { return vec![] };
    let mut steps = vec![];
    // each end says what it wants to receive
    for (n, startup, markers) in [(0, first, theirs.markers), (1, second, ours.markers)] {
        let begins = startup.explained.octets;
        let rest = octets[n].get(begins..).unwrap_or_default();
        steps.push(startup);
        if markers {
            steps.extend(marked_fpdus(&names[n], rest, begins));
        } else {
            steps.extend(fpdus(&names[n], rest).into_iter().map(|s| Step { at: s.at + begins, ..s }));
        }
    }
    steps
}
