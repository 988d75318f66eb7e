// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real frames of Linux siw: they are read, and what firmware says in the same place is what siw
//! said.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::CrcPolicy;
use ferrowarp_firmware::mpa::frame::{parse, Kind, Parsed};
use ferrowarp_firmware::mpa::negotiate::{RtrSet, Wanted};
use ferrowarp_firmware::port::{QpId, Rtr};
use ferrowarp_firmware::Config;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::empty_write;
use ferrowarp_tests::fw::wire::Seg;
use pcap_file::pcap::PcapReader;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

/// One connection of a capture, as far as startup goes.
#[derive(Clone, Debug, Default)]
struct Captured {
    /// The client's SYN, the whole frame.
    syn: Vec<u8>,
    request: Vec<u8>,
    reply: Vec<u8>,
    /// The client's next data.
    first: Vec<u8>,
}

fn connections(name: &str) -> Vec<Captured> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
    let mut reader = PcapReader::new(std::fs::File::open(path).expect("a capture")).expect("a pcap file");
    let mut found: BTreeMap<SocketAddr, Captured> = BTreeMap::new();
    while let Some(packet) = reader.next_packet() {
        let frame = packet.expect("a packet").data.into_owned();
        let Some(seg) = Seg::parse(&frame) else { continue };
        if seg.syn && seg.ack.is_none() {
            found.insert(seg.from, Captured { syn: frame, ..Captured::default() });
        } else if !seg.data.is_empty() {
            let from_client = found.contains_key(&seg.from);
            let client = if from_client { seg.from } else { seg.to };
            let connection = found.get_mut(&client).expect("its SYN was captured");
            let place = match from_client {
                true if connection.request.is_empty() => &mut connection.request,
                true => &mut connection.first,
                false => &mut connection.reply,
            };
            if place.is_empty() {
                *place = seg.data;
            }
        }
    }
    found.into_values().collect()
}

/// Every capture: whether CRC is on, whether it is peer-to-peer.
const ALL: [(&str, bool, bool); 3] = [
    ("siw_rping_stock.pcap", false, false),
    ("siw_rping_crc.pcap", true, false),
    ("siw_rping_crc_p2p.pcap", true, true),
];

fn words(frame: &[u8]) -> (u16, u16) {
    let half = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]) & 0x3FFF;
    (half(20), half(22))
}

/// A device as siw is: its CRC setting, only the Write as ready-to-receive message where it
/// answers.
fn like_siw(crc: bool, rtr: &str) -> Config {
    let mut config = config();
    config.crc = if crc { CrcPolicy::Wanted } else { CrcPolicy::AdministratorSaysNo };
    (config.limits.ird, config.limits.ord) = (128, 128);
    config.limits.rtr = RtrSet { send: false, write: true, read: rtr.contains('D') };
    config
}

#[test]
fn the_frames_of_siw_are_read() {
    for (name, crc, peer_to_peer) in ALL {
        let found = connections(name);
        assert!(!found.is_empty(), "{name}");
        for connection in found {
            for (kind, octets) in [(Kind::Request, &connection.request), (Kind::Reply, &connection.reply)] {
                let Ok(Parsed::Whole { frame, used }) = parse(kind, octets, 2) else {
                    panic!("{name}: {octets:02x?}")
                };
                assert_eq!((used, frame.crc, frame.markers, frame.reject), (octets.len(), crc, false, false));
                assert_eq!((frame.revision, frame.enhanced.map(|w| w.peer_to_peer)), (2, Some(peer_to_peer)));
            }
        }
    }
}

#[test]
fn our_request_is_siws_request() {
    for (name, crc, peer_to_peer) in ALL {
        for captured in connections(name) {
            let (ird, ord) = words(&captured.request);
            let how = Initiate {
                wanted: Wanted::new(ird, ord),
                peer_to_peer,
                private_data: captured.request[24..].to_vec(),
                ..Initiate::new(QpId(1))
            };
            let kinds = if captured.request[22] & 0x40 != 0 { "CD" } else { "C" };
            let mut bench = Bench::new(like_siw(crc, kinds));
            bench.initiate(how);
            assert_eq!(bench.peer.inbox, captured.request, "{name}");
            // and the captured answer fits
            bench.peer.inbox.clear();
            bench.say(&captured.reply);
            let terms = bench.terms();
            assert_eq!((terms.crc, terms.tx_markers), (crc, false), "{name}");
            assert_eq!(terms.agreed.rtr, peer_to_peer.then_some(Rtr::Write));
            let (ird, ord) = words(&captured.reply);
            assert!(terms.agreed.ord <= ird && terms.agreed.ird >= ord, "{name}: {terms:?}");
            if peer_to_peer {
                assert_eq!(
                    bench.peer.inbox[..],
                    captured.first[..20],
                    "{name}: the ready-to-receive message"
                );
                assert_eq!(bench.peer.inbox, empty_write());
            }
        }
    }
}

#[test]
fn our_reply_is_siws_reply() {
    for (name, crc, _) in ALL {
        for captured in connections(name) {
            let mut bench = Bench::new(like_siw(crc, "C"));
            // siw's own SYN, with every option that Linux offers
            let syn = Seg::parse(&captured.syn).expect("a SYN");
            assert_eq!(captured.syn[..6], DUT_MAC, "the bench has the server's address");
            let listen = Listen { port: syn.to.port(), address: None, backlog: 1, then: Then::Respond };
            bench.manager.listen(listen).expect("a port");
            bench.peer.ours = syn.from;
            bench.peer.theirs = Some(syn.to);
            bench.peer.snd_nxt = syn.seq.wrapping_add(1);
            bench.device.deliver(captured.syn.clone());
            bench.settle();
            let syn_ack = bench.peer.log[0].clone();
            assert!(!syn_ack.other_options && syn_ack.scale.is_some(), "{syn_ack:?}");
            bench.say(&captured.request);
            let Event::Request { id, offer, .. } = bench.event() else { panic!("{name}: no Request") };
            assert_eq!(offer.private_data, captured.request[24..]);
            let (ird, ord) = words(&captured.reply);
            let accept = Accept {
                wanted: Wanted::new(ird, ord),
                private_data: captured.reply[24..].to_vec(),
                ..Accept::new(QpId(1))
            };
            bench.manager.accept(id, accept).expect("a Request");
            bench.settle();
            assert_eq!(bench.peer.inbox, captured.reply, "{name}");
            bench.say(&captured.first);
            assert_eq!(bench.terms().crc, crc);
        }
    }
}
