// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our ends: which address and port a connection or a listener gets, and what is refused with which
//! words.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::mpa::negotiate::Wanted;
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::proves::proves_model_rows;
use std::net::{IpAddr, SocketAddr};

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn listen(bench: &mut Bench, address: Option<&str>, port: u16) -> Result<ListenerId, CallError> {
    bench.manager.listen(Listen { port, address: address.map(ip), backlog: 2, then: Then::Respond })
}

fn connect(
    bench: &mut Bench,
    address: Option<&str>,
    local_port: Option<u16>,
    remote: &str,
) -> Result<SocketAddr, CallError> {
    let remote = remote.parse().expect("an end");
    let connect = Connect { remote, address: address.map(ip), local_port, then: Then::Stream };
    let id = bench.manager.connect(connect)?;
    Ok(bench.manager.local(id).expect("it is held"))
}

/// Every port of a small range once, none that is in use.
#[test]
fn a_listener_of_port_0_gets_a_free_one() {
    let mut config = config();
    config.ports = (50_000, 50_004);
    let mut bench = Bench::new(config);
    listen(&mut bench, None, 50_001).expect("a free port");
    connect(&mut bench, None, Some(50_003), "10.9.0.2:9").expect("a free port");
    let mut found: Vec<_> = (0..3)
        .map(|_| {
            let id = listen(&mut bench, Some("10.9.0.1"), 0).expect("a free port");
            bench.manager.listen_port(id).expect("it listens")
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [50_000, 50_002, 50_004]);
    let full = listen(&mut bench, None, 0).expect_err("none is left");
    assert_eq!(full, CallError::NoListenPort { first: 50_000, last: 50_004 });
    assert!(full.to_string().contains("50000 to 50004"), "{full}");
    // a connection goes out from a port of nobody: the one that has a connection with another peer
    // already
    let out = connect(&mut bench, None, None, "10.9.0.3:9").expect("a port");
    assert_eq!(out, "10.9.0.1:50003".parse().expect("an end"));
}

#[test]
fn two_listeners_of_one_port_need_two_addresses() {
    let mut bench = Bench::default();
    let first = listen(&mut bench, Some("10.9.0.1"), 7_000).expect("a free port");
    listen(&mut bench, Some("fd00::1"), 7_000).expect("another address");
    for address in [Some("10.9.0.1"), Some("fd00::1"), None] {
        let refused = listen(&mut bench, address, 7_000).expect_err("it is taken");
        assert_eq!(refused, CallError::PortBusy(7_000));
        let told = refused.to_string();
        assert!(told.contains("port 7000") && told.contains("close that listener"), "{told}");
    }
    bench.manager.unlisten(first);
    listen(&mut bench, Some("10.9.0.1"), 7_000).expect("it is free again");
    assert_eq!(bench.manager.listen_port(first), None);
}

#[test]
fn a_connection_goes_out_from_where_it_is_bound() {
    let mut bench = Bench::default();
    let to = "10.9.0.2:20000";
    let local = connect(&mut bench, Some("10.9.0.1"), Some(4_791), to).expect("a free port");
    assert_eq!(local, "10.9.0.1:4791".parse().expect("an end"));
    bench.run(10);
    let syn = bench.peer.log.iter().find(|seg| seg.syn).expect("a SYN");
    assert_eq!(syn.from, local);
    let busy = connect(&mut bench, None, Some(4_791), to).expect_err("it is taken");
    assert_eq!(busy, CallError::EndBusy { local, remote: to.parse().expect("an end") });
    assert!(busy.to_string().contains("10.9.0.1:4791"), "{busy}");
    connect(&mut bench, None, Some(4_791), "10.9.0.2:10").expect("towards another end it is free");
    let free = connect(&mut bench, Some("10.9.0.1"), None, to).expect("a free port");
    assert!((49_152..=65_535).contains(&free.port()), "{free}");
    let free = connect(&mut bench, None, Some(0), to).expect("a free port");
    assert!((49_152..=65_535).contains(&free.port()), "port 0 is a free one: {free}");
    listen(&mut bench, None, 4_792).expect("a free port");
    assert_eq!(connect(&mut bench, None, Some(4_792), to), Err(CallError::PortBusy(4_792)));
}

#[test]
fn addresses_of_others_are_refused_with_those_that_there_are() {
    let mut bench = Bench::default();
    let ours = bench.manager.config().addresses.iter().map(|address| address.ip).collect();
    let not_ours = CallError::NotOurs { ip: ip("10.9.0.7"), ours };
    assert_eq!(connect(&mut bench, Some("10.9.0.7"), None, "10.9.0.2:9"), Err(not_ours.clone()));
    assert_eq!(listen(&mut bench, Some("10.9.0.7"), 0), Err(not_ours.clone()));
    let told = not_ours.to_string();
    assert!(told.contains("10.9.0.7") && told.contains("10.9.0.1") && told.contains("fd00::1"), "{told}");
    let family = connect(&mut bench, Some("fd00::1"), None, "10.9.0.2:9").expect_err("two families");
    assert_eq!(family, CallError::Family { local: ip("fd00::1"), remote: ip("10.9.0.2") });
    assert!(bench.is_clean(), "nothing of them is held");
}

/// A responder that leaves a depth out says 0x3FFF and keeps its own, whatever the initiator asks
/// for.
#[test]
fn a_responder_may_leave_depths_out() {
    let _proof = proves_model_rows(&["MPA2-9.1-19", "MPA2-9.1-24"]);
    let answer = |wanted: Wanted, strict: bool| {
        let accept = Accept { wanted, strict, ..Accept::new(QpId(1)) };
        let (mut bench, reply) = accepted(config(), &Frame::request().enhanced(0x0002_0007), accept);
        bench.say(&ferrowarp_tests::fw::mpa::empty_write());
        let agreed = bench.terms().agreed;
        let half = |at: usize| u16::from_be_bytes([reply[at], reply[at + 1]]) & 0x3FFF;
        ((half(20), half(22)), (agreed.ird, agreed.ord))
    };
    let wanted = Wanted::new(3, 5);
    assert_eq!(answer(wanted, false), ((7, 2), (7, 2)), "both negotiated");
    assert_eq!(answer(Wanted { tell_ird: false, ..wanted }, false), ((0x3FFF, 2), (3, 2)));
    // nobody compares what is left out: it is never too little
    let untold = Wanted { tell_ord: false, ..wanted };
    assert_eq!(answer(untold, false), ((7, 0x3FFF), (7, 5)));
    assert_eq!(answer(untold, true), ((7, 0x3FFF), (7, 5)));
}

#[test]
fn a_strict_initiator_ends_what_grants_too_few_reads() {
    let how = |tell_ord, strict| {
        let wanted = Wanted { tell_ord, ..Wanted::new(4, 6) };
        Initiate { wanted, strict, ..Initiate::new(QpId(1)) }
    };
    let reply = Frame::reply().enhanced(0x0005_0004);
    let mut bench = replied(how(true, true), &reply);
    let few = bench.failure();
    assert_eq!(few, ConnError::FewReads { granted: 5, needed: 6 });
    assert!(few.to_string().contains("takes 5 Reads at once, 6 are needed"), "{few}");
    assert!(bench.peer.fin && !bench.peer.rst && bench.peer.inbox.is_empty(), "a FIN and nothing else");
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(10);
    assert!(bench.is_clean(), "the hardware never had it");
    assert_eq!(replied(how(true, false), &reply).terms().agreed.ord, 5);
    assert_eq!(replied(how(true, true), &Frame::reply().enhanced(0x0006_0004)).terms().agreed.ord, 6);
    let untold = Frame::reply().enhanced(0x3FFF_0004);
    assert_eq!(replied(how(false, true), &untold).terms().agreed.ord, 6);
}

#[test]
fn a_reserved_vlan_is_no_configuration() {
    let mut config = config();
    config.vlan_tci = Some(0x6FFF);
    let refused =
        ferrowarp_firmware::Manager::new(config, Default::default()).map(drop).expect_err("it is reserved");
    assert!(
        refused.to_string().contains("VLAN 4095") && refused.to_string().contains("1 to 4094"),
        "{refused}"
    );
}
