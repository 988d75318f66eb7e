// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of Linux siw, decoded by the codecs: an independent implementation wrote every octet.
//!
//! The captures and what is in them: `tests/data/README.md`.
use ferrowarp_abi::codec::*;
use ferrowarp_abi::consts::{ether_type, ip_protocol, mpa, rdmap};
use ferrowarp_abi::opcode::{Opcode, OPCODES};
use ferrowarp_abi::tcp_options::{TcpOption, TcpOptions};
use ferrowarp_abi::types::{MacAddr, Msn, STag, SeqNum};
use pcap_file::pcap::PcapReader;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;

/// What one capture holds.
#[derive(Debug, Default)]
struct Census {
    /// Frames by EtherType.
    ethertypes: BTreeMap<u16, usize>,
    /// TCP segments.
    segments: usize,
    /// Options of SYN segments, kinds in the order in which they stand, and how often.
    syn_options: BTreeMap<String, usize>,
    /// Startup frames: (is Reply, C, S, revision, A) and how often.
    startups: BTreeMap<(bool, bool, bool, u8, bool), usize>,
    /// FPDUs by opcode.
    opcodes: [usize; OPCODES.len()],
    /// FPDUs whose CRC is right.
    good_crcs: usize,
    /// FPDUs whose CRC field is zero.
    zero_crcs: usize,
}

/// One direction of one connection: addresses and ports.
type Flow = (Ipv4Addr, u16, Ipv4Addr, u16);

/// The octets of one direction, put together in order; the first sequence number is that after the
/// SYN.
#[derive(Default)]
struct Stream {
    next: SeqNum,
    octets: Vec<u8>,
}

fn internet_sum(octets: &[u8]) -> u16 {
    let words = octets.chunks(2).map(|w| u32::from(w[0]) << 8 | w.get(1).map_or(0, |&b| u32::from(b)));
    let sum: u32 = words.sum();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    !(((sum & 0xFFFF) + (sum >> 16)) as u16)
}

/// Reads a header and checks that it is written as it was read.
macro_rules! both_ways {
    ($codec:ident, $octets:expr) => {{
        let octets = $octets;
        let header = $codec::parse(octets).unwrap();
        assert_eq!(header.octets().unwrap(), octets[..$codec::LEN], "{header:?}");
        header
    }};
}

/// One IPv4 packet; TCP data goes to its stream.
fn packet(census: &mut Census, streams: &mut BTreeMap<Flow, Stream>, octets: &[u8]) {
    let ip = both_ways!(Ipv4Hdr, octets);
    assert_eq!((ip.version, ip.ihl), (4, 5));
    assert_eq!(internet_sum(&octets[..Ipv4Hdr::LEN]), 0, "header checksum of {ip:?}");
    if ip.protocol != ip_protocol::TCP {
        assert_eq!(ip.protocol, ip_protocol::ICMP);
        return;
    }
    census.segments += 1;
    let segment = &octets[Ipv4Hdr::LEN..usize::from(ip.total_length)];
    let tcp = both_ways!(TcpHdr, segment);
    let header = 4 * usize::from(tcp.data_offset);
    let options: Vec<_> = TcpOptions::new(&segment[TcpHdr::LEN..header]).map(Result::unwrap).collect();
    assert!(options.iter().any(|o| matches!(o, TcpOption::Timestamps(_))) || tcp.rst, "{options:?}");
    let flow = (ip.source, tcp.source_port, ip.destination, tcp.destination_port);
    let stream = streams.entry(flow).or_default();
    if tcp.syn {
        let names: Vec<_> = options.iter().map(|o| format!("{o:?}").replace(['(', ' '], "\n")).collect();
        let names: Vec<_> = names.iter().filter_map(|n| n.lines().next()).collect();
        *census.syn_options.entry(names.join(" ")).or_default() += 1;
        *stream = Stream { next: tcp.sequence_number.plus(1), octets: vec![] };
        return;
    }
    let data = &segment[header..];
    assert_eq!(tcp.sequence_number, stream.next, "the captures have no loss and no reordering");
    stream.next = stream.next.plus(data.len() as u32 + u32::from(tcp.fin));
    stream.octets.extend(data);
}

/// The MPA stream of one direction: startup frame, then FPDUs. Returns control octet, opcode and
/// ULPDU of each.
fn mpa_stream(census: &mut Census, mut octets: &[u8], crc: bool) -> Vec<(DdpControl, Opcode, Vec<u8>)> {
    let startup = both_ways!(MpaStartupHdr, octets);
    let reply = startup.key == mpa::KEY_REPLY;
    assert!(reply || startup.key == mpa::KEY_REQUEST);
    assert!(!startup.markers && !startup.reject && startup.enhanced);
    assert_eq!(startup.crc, crc);
    let (private, rest) = octets[MpaStartupHdr::LEN..].split_at(usize::from(startup.private_data_length));
    let depths = both_ways!(MpaDepths, private);
    let kind = (reply, startup.crc, startup.enhanced, startup.revision, depths.peer_to_peer);
    *census.startups.entry(kind).or_default() += 1;
    octets = rest;
    let crc32c = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);
    let mut segments = vec![];
    while !octets.is_empty() {
        let length = usize::from(both_ways!(FpduHdr, octets).ulpdu_length);
        let covered = (FpduHdr::LEN + length).next_multiple_of(4);
        let (fpdu, rest) = octets.split_at(covered + usize::from(mpa::CRC_OCTETS));
        octets = rest;
        let sent = u32::from_le_bytes(fpdu[covered..].try_into().unwrap());
        census.good_crcs += usize::from(sent == crc32c.checksum(&fpdu[..covered]));
        census.zero_crcs += usize::from(sent == 0);
        let ulpdu = &fpdu[FpduHdr::LEN..FpduHdr::LEN + length];
        let control = both_ways!(DdpControl, ulpdu);
        let rdmap = both_ways!(RdmapControl, &ulpdu[1..]);
        assert_eq!((control.ddp_version, rdmap.rdmap_version), (1, rdmap::VERSION));
        let opcode = Opcode::from_bits(rdmap.opcode).unwrap();
        census.opcodes[usize::from(rdmap.opcode)] += 1;
        segments.push((control, opcode, ulpdu.to_vec()));
    }
    segments
}

/// What the headers of one direction say against the table of opcodes; collects sink STags both
/// ways.
fn segments(all: &[(DdpControl, Opcode, Vec<u8>)], asked: &mut HashSet<STag>, answered: &mut HashSet<STag>) {
    let mut next = [Msn::FIRST; 3];
    for (control, opcode, ulpdu) in all {
        let info = opcode.info();
        assert_eq!(control.is_tagged, info.tagged);
        if control.is_tagged {
            let ddp = both_ways!(DdpTaggedHdr, ulpdu.as_slice());
            if *opcode == Opcode::ReadResponse {
                answered.insert(ddp.stag);
            }
            continue;
        }
        let ddp = both_ways!(DdpUntaggedHdr, ulpdu.as_slice());
        assert_eq!(Some(ddp.queue_number.to_bits()), info.queue);
        let msn = &mut next[ddp.queue_number.to_bits() as usize];
        assert_eq!((ddp.msn, ddp.message_offset.to_bits(), control.is_last), (*msn, 0, true));
        *msn = msn.plus(1);
        if *opcode == Opcode::ReadRequest {
            let body = &ulpdu[DdpUntaggedHdr::LEN..];
            assert_eq!(body.len(), info.header_max);
            asked.insert(both_ways!(ReadRequestHdr, body).sink_stag);
        }
    }
}

fn census(name: &str, crc: bool) -> Census {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    let mut reader = PcapReader::new(File::open(&path).unwrap()).unwrap();
    let (mut census, mut streams) = (Census::default(), BTreeMap::new());
    let hosts = [MacAddr([0x52, 0x54, 0, 0, 0, 1]), MacAddr([0x52, 0x54, 0, 0, 0, 2])];
    while let Some(frame) = reader.next_packet() {
        let frame = frame.unwrap().data;
        let ethernet = both_ways!(EthernetHdr, frame.as_ref());
        assert!(hosts.contains(&ethernet.source));
        *census.ethertypes.entry(ethernet.ethertype).or_default() += 1;
        let rest = &frame[EthernetHdr::LEN..];
        match ethernet.ethertype {
            ether_type::IPV4 => packet(&mut census, &mut streams, rest),
            ether_type::IPV6 => {
                let ip = both_ways!(Ipv6Hdr, rest);
                assert_eq!(ip.version, 6);
                assert!(ip.source.is_unspecified() || ip.source.is_unicast_link_local());
                assert_eq!(Ipv6Hdr::LEN + usize::from(ip.payload_length), rest.len());
            }
            other => assert_eq!(other, ether_type::ARP),
        }
    }
    for (&(a, b, c, d), stream) in &streams {
        if (a, b) < (c, d) {
            let (mut asked, mut answered) = (HashSet::new(), HashSet::new());
            let (one, two) = (&stream.octets, &streams[&(c, d, a, b)].octets);
            for octets in [one, two] {
                segments(&mpa_stream(&mut census, octets, crc), &mut asked, &mut answered);
            }
            assert_eq!(asked, answered, "sinks of Read Requests and of Read Responses");
        }
    }
    census
}

#[test]
fn siw_with_crc() {
    let c = census("siw_rping_crc.pcap", true);
    assert_eq!(c.opcodes, [23, 8, 23, 32, 0, 0, 0, 0]);
    assert_eq!((c.good_crcs, c.zero_crcs), (86, 0));
    assert_eq!(c.startups, [((false, true, true, 2, false), 2), ((true, true, true, 2, false), 2)].into());
    assert_eq!(c.syn_options, [("Mss SackPermitted Timestamps WindowScale".to_string(), 4)].into());
}

#[test]
fn siw_without_crc() {
    let c = census("siw_rping_stock.pcap", false);
    assert_eq!(c.opcodes, [23, 8, 23, 32, 0, 0, 0, 0]);
    assert_eq!((c.good_crcs, c.zero_crcs), (0, 86));
}

#[test]
fn siw_peer_to_peer() {
    let c = census("siw_rping_crc_p2p.pcap", true);
    assert_eq!((c.opcodes, c.good_crcs), ([6, 5, 5, 20, 0, 0, 0, 0], 36));
    assert!(c.startups.keys().all(|k| k.4), "A is set in Request and Reply");
    assert!(c.ethertypes[&ether_type::IPV4] >= c.segments && c.segments > 36);
}
