// SPDX-License-Identifier: MIT OR Apache-2.0
//! Next hops that move, and strangers who say that they did.
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::port::{Change, Command, QpId};
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::Peer;
use ferrowarp_tests::fw::wire::{neighbour_answer, Mac};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;
use std::net::{IpAddr, Ipv6Addr};

const GATEWAY: [u8; 4] = [10, 9, 0, 254];
const GATEWAY_V6: &str = "fd00::fe";
const OLD: Mac = [2, 0, 0, 0, 0, 1];
const NEW: Mac = [2, 0, 0, 0, 0, 2];

/// Two queue pairs' rows behind a gateway, which one station is.
struct Link {
    bench: Bench,
    gateway: IpAddr,
    station: Mac,
    /// Questions that the device sent, and whether each went to everybody.
    asked: Vec<bool>,
}

impl Link {
    fn new(is_v6: bool) -> Self {
        let mut config = config();
        // as a device has it
        (config.timing.resolve, config.timing.startup) = (1_000, 10_000);
        config.gateway_v4 = Some(GATEWAY.into());
        config.gateway_v6 = GATEWAY_V6.parse().ok();
        let gateway = if is_v6 { GATEWAY_V6.parse().expect("an address") } else { GATEWAY.into() };
        let mut link = Self { bench: Bench::new(config), gateway, station: OLD, asked: vec![] };
        for qp in [1, 2] {
            let remote: IpAddr =
                if is_v6 { "2001:db8::7".parse().expect("an address") } else { [192, 0, 2, 7].into() };
            link.bench.peer = Peer::new((remote, 9 + qp).into(), 1);
            link.bench.connect(Then::Initiate(Initiate::new(QpId(qp))));
            link.turn();
            link.bench.frame(&Frame::reply().enhanced(0x0010_0010));
            link.turn();
            link.bench.terms();
        }
        link.asked.clear();
        link
    }

    /// Everything that happens in a tick. The gateway hears only what is sent to its station or to
    /// everybody.
    fn turn(&mut self) {
        self.bench.settle();
        while let Some(frame) = self.bench.others.pop() {
            let answer = neighbour_answer(&frame, &[self.gateway], self.station);
            let to_all = frame[0] & 1 == 1;
            let Some(answer) = answer else { continue };
            self.asked.push(to_all);
            if to_all || frame[..6] == self.station {
                self.bench.device.deliver(answer);
                self.bench.settle();
            }
        }
    }

    fn run(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.bench.device.now += 1;
            self.turn();
        }
    }

    /// A quiet time, in larger steps.
    fn wait(&mut self, ticks: u64) {
        for _ in 0..ticks / 50 {
            self.bench.device.now += 50;
            self.turn();
        }
    }

    /// A station says of its own accord that it is the gateway.
    fn announce(&mut self, station: Mac) {
        let frame = match self.gateway {
            IpAddr::V4(_) => arp(ArpOperation::Reply, station, [10, 9, 0, 1]),
            IpAddr::V6(v6) => {
                let flags = NdiscNeighborFlags::OVERRIDE;
                advertisement(v6, flags, Some(station), station)
            }
        };
        self.bench.device.deliver(frame);
        self.turn();
    }

    /// Changes of the next hop that the hardware was told.
    fn moves(&self) -> Vec<(u16, Mac)> {
        self.bench.device.ordered(|command| match command {
            Command::ConnUpdate { qp, change: Change::NextHop(MacAddr(mac)) } => Some((qp.0, *mac)),
            _ => None,
        })
    }
}

fn arp(operation: ArpOperation, station: Mac, target: [u8; 4]) -> Vec<u8> {
    let repr = ArpRepr::EthernetIpv4 {
        operation,
        source_hardware_addr: EthernetAddress(station),
        source_protocol_addr: GATEWAY.into(),
        target_hardware_addr: EthernetAddress(DUT_MAC),
        target_protocol_addr: target.into(),
    };
    let mut octets = [&DUT_MAC[..], &station, &[8, 6]].concat();
    octets.resize(14 + repr.buffer_len(), 0);
    repr.emit(&mut ArpPacket::new_unchecked(&mut octets[14..]));
    octets
}

fn advertisement(of: Ipv6Addr, flags: NdiscNeighborFlags, station: Option<Mac>, source: Mac) -> Vec<u8> {
    let all = ChecksumCapabilities::default();
    let us: Ipv6Addr = "fd00::1".parse().expect("an address");
    let lladdr = station.map(|station| EthernetAddress(station).into());
    let say = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr: of, lladdr });
    let ip = IpRepr::new(of.into(), us.into(), IpProtocol::Icmpv6, say.buffer_len(), 255);
    let mut octets = [&DUT_MAC[..], &source, &[0x86, 0xDD]].concat();
    octets.resize(14 + ip.header_len() + say.buffer_len(), 0);
    ip.emit(&mut octets[14..], &all);
    say.emit(&of, &us, &mut Icmpv6Packet::new_unchecked(&mut octets[54..]), &all);
    octets
}

#[test]
fn one_frame_of_a_stranger_moves_nothing() {
    for is_v6 in [false, true] {
        let mut link = Link::new(is_v6);
        link.announce(NEW);
        link.run(5_000);
        assert_eq!(link.moves(), [], "moved by one frame, IPv6: {is_v6}");
        assert_eq!(link.asked, [false], "the station that is known is asked, and answers");
    }
}

/// Two stations claim to be the gateway, 10,000 times in a second.
#[test]
fn alternating_stations_cost_few_commands_and_frames() {
    for is_v6 in [false, true] {
        let mut link = Link::new(is_v6);
        for n in 0..10_000 {
            link.announce(if n % 2 == 0 { NEW } else { OLD });
            if n % 10 == 9 {
                link.run(1);
            }
        }
        let (moves, asked) = (link.moves().len(), link.asked.len());
        assert!(moves == 0 && asked <= 3, "{moves} commands, {asked} questions");
    }
}

/// The old station is dead, and two strangers quarrel: at most one change for each failure of a
/// station to answer.
#[test]
fn a_quarrel_about_a_dead_station_is_slow() {
    let mut link = Link::new(false);
    link.station = [2, 0, 0, 0, 0, 9];
    for n in 0..50_000 {
        link.announce(if n % 2 == 0 { NEW } else { [2, 0, 0, 0, 0, 3] });
        if n % 10 == 9 {
            link.run(1);
        }
    }
    let moves = link.moves().len();
    assert!(moves <= 2 * 3, "{moves} commands for two rows in 5 s");
}

/// The gateway fails over to another station, which says so once.
#[test]
fn an_announced_move_is_followed_at_any_age() {
    for is_v6 in [false, true] {
        for age in [50, 61_000, 600_000] {
            let mut link = Link::new(is_v6);
            link.wait(age);
            assert_eq!(link.moves(), []);
            link.station = NEW;
            link.announce(NEW);
            link.run(3_000);
            assert_eq!(link.moves(), [(1, NEW), (2, NEW)], "after {age} ticks, IPv6: {is_v6}");
            // and back
            link.station = OLD;
            link.announce(OLD);
            link.run(3_000);
            assert_eq!(link.moves()[2..], [(1, OLD), (2, OLD)], "after {age} ticks, IPv6: {is_v6}");
        }
    }
}

/// Nobody announces it: the station of a next hop in use is asked now and then.
#[test]
fn a_silent_move_is_found() {
    let mut link = Link::new(false);
    link.wait(600_000);
    link.station = NEW;
    link.wait(33_000);
    assert_eq!(link.moves(), [(1, NEW), (2, NEW)]);
    assert!(link.asked.len() <= 25, "{} questions in ten minutes", link.asked.len());
}

/// A solicited advertisement may leave the station out; it still says that the old one is there.
#[test]
fn an_advertisement_without_a_station_confirms() {
    let mut link = Link::new(true);
    link.wait(1_000);
    let silent = std::mem::replace(&mut link.station, [2, 0, 0, 0, 0, 9]);
    link.announce(NEW);
    assert_eq!(link.asked, [false]);
    let IpAddr::V6(of) = link.gateway else { unreachable!("an IPv6 gateway") };
    link.bench.device.deliver(advertisement(of, NdiscNeighborFlags::SOLICITED, None, silent));
    link.run(3_500);
    assert_eq!((link.moves(), link.asked.len()), (vec![], 1));
}

/// Nobody answers any more: the hardware keeps the last station, TCP judges, and the device does
/// not ask for ever.
#[test]
fn a_gateway_that_is_gone_is_asked_slowly() {
    let mut link = Link::new(false);
    link.gateway = [10, 9, 0, 253].into();
    link.bench.others.clear();
    let mut questions = 0;
    for _ in 0..60_000 {
        link.bench.device.now += 1;
        link.bench.settle();
        questions += link.bench.others.drain(..).filter(|f| f[12..14] == [8, 6]).count();
    }
    assert_eq!(link.moves(), []);
    assert!((5..=10).contains(&questions), "{questions} questions in a minute");
}
