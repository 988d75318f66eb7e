// SPDX-License-Identifier: MIT OR Apache-2.0
//! Below TCP: who answers, who is asked, where packets go. smoltcp's own stack is the judge of ARP
//! and ND in `smoltcp.rs`.
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::{link_local, Config, ConfigError};
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::port::{Change, Command, QpId};
use ferrowarp_firmware::Manager;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::device::untagged;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::{Peer, MAC};
use ferrowarp_tests::fw::wire::Seg;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddrV6};

/// A frame around an IP packet's header and body.
fn ip_frame(source: IpAddr, target: IpAddr, protocol: IpProtocol, hops: u8, body: &[u8]) -> Vec<u8> {
    let ip = IpRepr::new(source.into(), target.into(), protocol, body.len(), hops);
    let mut octets = vec![0; 14 + ip.header_len()];
    octets[..6].copy_from_slice(&DUT_MAC);
    octets[6..12].copy_from_slice(&MAC);
    octets[12..14].copy_from_slice(if target.is_ipv4() { &[8, 0] } else { &[0x86, 0xDD] });
    ip.emit(&mut octets[14..], &ChecksumCapabilities::default());
    octets.extend(body);
    octets
}

fn v4(text: &str) -> Ipv4Addr {
    text.parse().expect("an address")
}

fn v6(text: &str) -> Ipv6Addr {
    text.parse().expect("an address")
}

fn arp(operation: ArpOperation, source: &str, target: &str) -> Vec<u8> {
    let repr = ArpRepr::EthernetIpv4 {
        operation,
        source_hardware_addr: EthernetAddress(MAC),
        source_protocol_addr: v4(source),
        target_hardware_addr: EthernetAddress(DUT_MAC),
        target_protocol_addr: v4(target),
    };
    let mut octets = [&DUT_MAC[..], &MAC, &[8, 6]].concat();
    octets.resize(14 + repr.buffer_len(), 0);
    repr.emit(&mut ArpPacket::new_unchecked(&mut octets[14..]));
    octets
}

/// The ICMP body of an echo of the IPv4 address.
fn echo_v4(octets: &[u8]) -> Vec<u8> {
    let echo = Icmpv4Repr::EchoRequest { ident: 7, seq_no: 9, data: octets };
    let mut body = vec![0; echo.buffer_len()];
    echo.emit(&mut Icmpv4Packet::new_unchecked(&mut body), &ChecksumCapabilities::default());
    body
}

#[test]
fn arp_requests_are_answered() {
    let mut bench = Bench::default();
    bench.device.deliver(arp(ArpOperation::Request, "10.9.0.2", "10.9.0.1"));
    bench.device.deliver(arp(ArpOperation::Request, "10.9.0.2", "10.9.0.66"));
    bench.settle();
    let [answer] = &bench.others[..] else { panic!("{:02x?}", bench.others) };
    assert_eq!(answer[..14], [&MAC[..], &DUT_MAC, &[8, 6]].concat());
    assert_eq!(answer[20..38], [&[0, 2], &DUT_MAC[..], &[10, 9, 0, 1], &MAC].concat());
}

#[test]
fn echo_is_answered_in_both_families() {
    let mut bench = Bench::default();
    bench.device.deliver(arp(ArpOperation::Request, "10.9.0.2", "10.9.0.1"));
    let payload: Vec<u8> = (0..200).collect();
    let (us, them) = (v4("10.9.0.1").into(), v4("10.9.0.2").into());
    bench.device.deliver(ip_frame(them, us, IpProtocol::Icmp, 64, &echo_v4(&payload)));
    bench.settle();
    let answer = bench.others.pop().expect("an echo reply");
    let ip = Ipv4Packet::new_checked(&answer[14..]).expect("IPv4");
    assert!(ip.verify_checksum() && answer[..6] == MAC);
    let icmp = Icmpv4Packet::new_checked(ip.payload()).expect("ICMP");
    assert!(icmp.verify_checksum());
    let reply = Icmpv4Repr::parse(&icmp, &ChecksumCapabilities::default()).expect("a known message");
    assert_eq!(reply, Icmpv4Repr::EchoReply { ident: 7, seq_no: 9, data: &payload });
    // IPv6: the station comes from the neighbour solicitation that a peer sends first
    let (us, them) = (v6("fd00::1"), v6("fd00::2"));
    let caps = ChecksumCapabilities::default();
    let ask = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit {
        target_addr: us,
        lladdr: Some(EthernetAddress(MAC).into()),
    });
    let mut body = vec![0; ask.buffer_len()];
    ask.emit(&them, &us, &mut Icmpv6Packet::new_unchecked(&mut body), &caps);
    bench.device.deliver(ip_frame(them.into(), us.into(), IpProtocol::Icmpv6, 255, &body));
    bench.settle();
    let advert = bench.others.pop().expect("an advertisement");
    let ip = Ipv6Packet::new_checked(&advert[14..]).expect("IPv6");
    let icmp = Icmpv6Packet::new_checked(ip.payload()).expect("ICMPv6");
    let said = Icmpv6Repr::parse(&ip.src_addr(), &ip.dst_addr(), &icmp, &caps).expect("a known message");
    let Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { target_addr, lladdr, .. }) = said else {
        panic!("{said:?}")
    };
    assert_eq!((target_addr, lladdr), (us, Some(EthernetAddress(DUT_MAC).into())));
    let ask = Icmpv6Repr::EchoRequest { ident: 1, seq_no: 2, data: &payload };
    let mut body = vec![0; ask.buffer_len()];
    ask.emit(&them, &us, &mut Icmpv6Packet::new_unchecked(&mut body), &caps);
    bench.device.deliver(ip_frame(them.into(), us.into(), IpProtocol::Icmpv6, 64, &body));
    bench.settle();
    let answer = bench.others.pop().expect("an echo reply");
    let ip = Ipv6Packet::new_checked(&answer[14..]).expect("IPv6");
    let icmp = Icmpv6Packet::new_checked(ip.payload()).expect("ICMPv6");
    let reply = Icmpv6Repr::parse(&ip.src_addr(), &ip.dst_addr(), &icmp, &caps).expect("a known message");
    assert_eq!(reply, Icmpv6Repr::EchoReply { ident: 1, seq_no: 2, data: &payload });
}

#[test]
fn the_link_local_address_is_answered_for() {
    let mac = MacAddr(DUT_MAC);
    assert_eq!(link_local(mac), v6("fe80::5054:ff:fe00:1"));
    let mut bench = Bench::new(config());
    bench.peer = Peer::new((v6("fe80::5054:ff:fe00:99"), PEER_PORT).into(), 1);
    // an application may name the link; there is only one
    let remote = SocketAddrV6::new(v6("fe80::5054:ff:fe00:99"), PEER_PORT, 0, 3).into();
    bench
        .manager
        .connect(Connect { remote, address: None, local_port: None, then: Then::Stream })
        .expect("a route");
    bench.settle();
    assert_eq!(bench.peer.log[0].from.ip(), IpAddr::from(link_local(mac)), "the source of the same scope");
    assert!(matches!(bench.event(), Event::Opened { .. }));
}

#[test]
fn a_dead_next_hop_is_asked_three_times() {
    let mut bench = Bench::default();
    let connect = |bench: &mut Bench, ip: [u8; 4]| {
        let connect = Connect { remote: (ip, 9).into(), address: None, local_port: None, then: Then::Stream };
        bench.manager.connect(connect).expect("a connection")
    };
    let dead = connect(&mut bench, [10, 9, 0, 200]);
    bench.settle();
    // it does not hold up the others
    bench.connect(Then::Stream);
    assert!(matches!(bench.event(), Event::Opened { .. }));
    bench.run(310);
    let questions =
        bench.others.iter().filter(|f| f[12..14] == [8, 6] && f[38..42] == [10, 9, 0, 200]).count();
    assert_eq!(questions, 3);
    let unreachable = ConnError::Unreachable(v4("10.9.0.200").into());
    assert_eq!(bench.event(), Event::Ended { id: dead, listener: None, outcome: Err(unreachable) });
    assert_eq!(bench.manager.audit().resolving, 0);
}

/// The first question is lost: the SYN waits, and its timer runs from when it leaves.
#[test]
fn one_syn_leaves_when_the_next_hop_is_known() {
    let mut config = config();
    config.timing.resolve = 2 * config.timing.rto_initial + 50;
    let (rto, resolve) = (config.timing.rto_initial, config.timing.resolve);
    let mut bench = Bench::new(config);
    let connect =
        Connect { remote: ([10, 9, 0, 77], 9).into(), address: None, local_port: None, then: Then::Stream };
    bench.manager.connect(connect).expect("a connection");
    let syns =
        |bench: &Bench| bench.others.iter().filter_map(|f| Seg::parse(f)).filter(|seg| seg.syn).count();
    bench.run(resolve);
    let questions = bench.others.iter().filter(|f| f[12..14] == [8, 6]).count();
    assert_eq!((questions, syns(&bench)), (2, 0));
    bench.device.deliver(arp(ArpOperation::Reply, "10.9.0.77", "10.9.0.1"));
    bench.settle();
    assert_eq!(syns(&bench), 1, "not one for each expiry");
    bench.run(rto - 1);
    assert_eq!(syns(&bench), 1);
    bench.run(1);
    assert_eq!(syns(&bench), 2);
}

#[test]
fn a_gateway_is_the_next_hop_beyond_the_link() {
    let mut config = config();
    config.gateway_v4 = Some(v4("10.9.0.254"));
    let mut bench = Bench::new(config);
    bench.peer = Peer::new(([192, 0, 2, 7], 9).into(), 1);
    let connect = Connect {
        remote: bench.peer.ours,
        address: None,
        local_port: None,
        then: Then::Initiate(Initiate::new(QpId(1))),
    };
    bench.manager.connect(connect).expect("a route");
    bench.settle();
    assert_eq!(bench.others[0][38..42], [10, 9, 0, 254], "asked for");
    bench.device.deliver(arp(ArpOperation::Reply, "10.9.0.254", "10.9.0.1"));
    bench.settle();
    bench.frame(&Frame::reply().enhanced(0x0010_0010));
    bench.terms();
    assert_eq!(bench.device.connection(1).expect("a row").row.destination_mac, MacAddr(MAC));
    // a gateway that moves: its old station is silent when asked, the new one answers, and the
    // hardware is told
    let mut moved = arp(ArpOperation::Reply, "10.9.0.254", "10.9.0.1");
    moved[22..28].copy_from_slice(&[2, 0, 0, 0, 0, 9]);
    bench.device.deliver(moved.clone());
    bench.run(290);
    bench.device.deliver(moved);
    bench.run(1);
    let change = Change::NextHop(MacAddr([2, 0, 0, 0, 0, 9]));
    assert!(bench.device.commands.contains(&Command::ConnUpdate { qp: QpId(1), change }));
}

#[test]
fn what_has_no_route_is_refused() {
    let mut bench = Bench::default();
    let mut connect = |text: &str| {
        let connect = Connect {
            remote: text.parse().expect("an end"),
            address: None,
            local_port: None,
            then: Then::Stream,
        };
        bench.manager.connect(connect).expect_err("refused")
    };
    assert_eq!(connect("192.0.2.7:9"), CallError::NoRoute(v4("192.0.2.7").into()));
    assert_eq!(connect("224.0.0.1:9"), CallError::BadAddress(v4("224.0.0.1").into()));
    assert_eq!(connect("10.9.0.1:9"), CallError::BadAddress(v4("10.9.0.1").into()), "our own");
    assert_eq!(connect("10.9.0.2:0"), CallError::PortZero);
}

#[test]
fn vlan_tags_are_put_on_and_others_ignored() {
    let mut config = config();
    config.vlan_tci = Some(0x6005);
    let mut bench = Bench::new(config);
    bench.listen();
    let tag =
        |frame: Vec<u8>, tci: u16| [&frame[..12], &[0x81, 0], &tci.to_be_bytes(), &frame[12..]].concat();
    let syn = bench.peer.syn(dut()).frame(MAC, DUT_MAC);
    bench.device.deliver(syn.clone());
    bench.device.deliver(tag(syn.clone(), 6));
    while bench.manager.poll(&mut bench.device) {}
    assert!(bench.device.sent.is_empty(), "untagged, or of VLAN 6");
    assert_eq!(bench.manager.counters().1.foreign, 2);
    bench.device.deliver(tag(syn, 5));
    while bench.manager.poll(&mut bench.device) {}
    let question = bench.device.sent.pop_front().expect("a question");
    assert_eq!(question[12..18], [0x81, 0, 0x60, 5, 8, 6]);
    bench.device.deliver(tag(arp(ArpOperation::Reply, "10.9.0.2", "10.9.0.1"), 5));
    while bench.manager.poll(&mut bench.device) {}
    let syn_ack = bench.device.sent.pop_front().expect("a SYN-ACK");
    assert!(Seg::parse(&untagged(&syn_ack)).is_some_and(|s| s.syn) && syn_ack[14..16] == [0x60, 5]);
}

#[test]
fn a_priority_tag_is_no_vlan() {
    let mut bench = Bench::default();
    bench.listen();
    let syn = bench.peer.syn(dut()).frame(MAC, DUT_MAC);
    let tagged = [&syn[..12], &[0x81, 0, 0xE0, 0], &syn[12..]].concat();
    bench.device.deliver(tagged);
    bench.settle();
    assert!(bench.peer.open, "VLAN 0 is ours");
}

/// "Fragmentation needed" about a segment of ours.
fn too_big(seg: &Seg, mtu: u16, seq: u32) -> Vec<u8> {
    let quoted = Seg { seq, ..seg.clone() }.frame(DUT_MAC, MAC);
    let mut body = vec![3, 4, 0, 0, 0, 0];
    body.extend(mtu.to_be_bytes());
    body.extend(&quoted[14..14 + 28]);
    let mut packet = Icmpv4Packet::new_unchecked(&mut body);
    packet.fill_checksum();
    ip_frame(v4("10.9.0.77").into(), v4("10.9.0.1").into(), IpProtocol::Icmp, 64, &body)
}

#[test]
fn a_smaller_path_lowers_the_emss_if_it_quotes_what_is_in_flight() {
    let mut bench = Bench::default();
    let id = bench.connect(Then::Stream);
    bench.peer.answers = false;
    bench.manager.send(id, &[7; 2_000]).expect("raw mode");
    bench.settle();
    let first = bench.peer.log.iter().find(|s| s.data.len() == 1_460).expect("a full segment").clone();
    // not in flight: ignored
    bench.device.deliver(too_big(&first, 600, first.seq.wrapping_sub(9_000)));
    bench.device.deliver(too_big(&first, 800, first.seq));
    bench.peer.log.clear();
    bench.run(250);
    assert_eq!(bench.peer.log[0].data.len(), 760, "sent again in segments of the new size");
    // in hardware: it judges the numbers
    let mut bench = replied(Initiate::new(QpId(1)), &Frame::reply().enhanced(0x0010_0010));
    let seg = bench.peer.log.iter().find(|s| !s.data.is_empty()).expect("the Request").clone();
    bench.device.deliver(too_big(&seg, 1_000, 77));
    bench.device.deliver(too_big(&seg, 0, 78));
    bench.device.deliver(too_big(&seg, 9_000, 79));
    bench.run(1);
    let changes = bench.device.ordered(|c| match c {
        Command::ConnUpdate { change: Change::PathMtu { emss, mulpdu, quoted }, .. } => {
            Some((*emss, *mulpdu, quoted.0))
        }
        _ => None,
    });
    assert_eq!(changes, [(960, 954, 77), (536, 530, 78)], "a larger one changes nothing");
}

#[test]
fn impossible_configurations_are_refused() {
    let with = |change: fn(&mut Config)| {
        let mut config = config();
        change(&mut config);
        Manager::new(config, Default::default()).expect_err("refused")
    };
    assert_eq!(with(|c| c.mac = MacAddr([1, 0, 0, 0, 0, 0])), ConfigError::Mac([1, 0, 0, 0, 0, 0]));
    assert_eq!(with(|c| c.mtu = 1_000), ConfigError::Mtu { mtu: 1_000, least: 1_280 });
    assert_eq!(with(|c| c.window = 1 << 20), ConfigError::Window { window: 1 << 20, scale: 0 });
    assert_eq!(with(|c| c.window_scale = 15), ConfigError::Window { window: 32 << 10, scale: 15 });
    assert_eq!(with(|c| c.revision = 3), ConfigError::Revision(3));
    assert_eq!(with(|c| c.limits.rtr = Default::default()), ConfigError::NoRtr);
    assert_eq!(with(|c| c.limits.ird = 0x3FFF), ConfigError::Depth(0x3FFF));
    assert_eq!(with(|c| c.ports = (9, 8)), ConfigError::Ports(9, 8));
    let address = with(|c| c.addresses[0].prefix = 33);
    assert!(matches!(address, ConfigError::Prefix { prefix: 33, .. }), "{address}");
}
