// SPDX-License-Identifier: MIT OR Apache-2.0
//! SYNs of hosts that do not exist: listeners stay open, our own opens too, and strangers get few
//! frames.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::Config;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::peer::{Peer, MAC};
use ferrowarp_tests::fw::wire::Seg;

/// A SYN of a host that does not exist, the `n`th, from an address of its own.
fn spoofed(net: u8, n: u32) -> Vec<u8> {
    let [_, a, b, c] = (n + 70_000).to_be_bytes();
    let from = ([net, a, b, c], 1_024 + n as u16 % 1_000).into();
    let syn = Seg { syn: true, ack: None, mss: Some(1_460), ..Seg::new(from, dut(), n, 0) };
    syn.frame(MAC, DUT_MAC)
}

/// Hosts beyond the link are reached by a gateway, whose station is known.
fn with_gateway(config: Config) -> Bench {
    let mut bench = Bench::new(Config { gateway_v4: Some([10, 9, 0, 2].into()), ..config });
    bench.connect(Then::Stream);
    bench.events.clear();
    bench
}

fn segments(bench: &Bench) -> impl Iterator<Item = Seg> + '_ {
    bench.others.iter().filter_map(|frame| Seg::parse(frame))
}

/// Time passes under 1,000 spoofed SYNs a second.
fn flood(bench: &mut Bench, net: u8, from: &mut u32, ticks: u64) {
    for _ in 0..ticks {
        *from += 1;
        bench.device.deliver(spoofed(net, *from));
        bench.run(1);
    }
}

/// Twenty clients, one after the other, whose segments take `each_way` ticks; none has time for a
/// second SYN. The MSS, and how many open.
fn clients(bench: &mut Bench, syns: &mut u32, each_way: u64, mss: u16) -> usize {
    let mut opened = 0;
    for client in 0..20 {
        bench.peer = Peer::new(([10, 9, 0, 2], 30_000 + client).into(), 77);
        (bench.peer.answers, bench.peer.mss, bench.peer.scale) = (false, Some(mss), Some(3));
        let syn = bench.peer.syn(dut());
        bench.send(&syn);
        flood(bench, 198, syns, 2 * each_way);
        bench.peer.answers = true;
        let answer = bench.peer.log.iter().find(|seg| seg.syn).cloned();
        for ack in answer.map(|seg| bench.peer.absorb(&seg)).into_iter().flatten() {
            bench.send(&ack);
        }
        flood(bench, 198, syns, 1);
        for event in std::mem::take(&mut bench.events) {
            let Event::Opened { id, .. } = event else { continue };
            opened += 1;
            bench.peer.log.clear();
            bench.manager.send(id, &[7; 3_000]).expect("an open connection");
            bench.settle();
            let longest = bench.peer.log.iter().map(|seg| seg.data.len()).max();
            assert_eq!(longest, Some(usize::from(mss)), "of the MSS that it said");
            assert_eq!(bench.peer.inbox.len(), 3_000);
            bench.manager.abort(id).expect("an open connection");
            bench.settle();
        }
    }
    opened
}

#[test]
fn a_listener_opens_beside_a_flood_of_syns() {
    let mut bench = with_gateway(config());
    bench.listen_then(Then::Stream);
    let mut syns = 0;
    flood(&mut bench, 198, &mut syns, 300);
    let opened = clients(&mut bench, &mut syns, 2, 1_460);
    let resets = segments(&bench).filter(|seg| seg.rst).count();
    assert_eq!((opened, resets), (20, 0), "clients that opened, resets to strangers");
    assert!(bench.manager.audit().connections <= 9, "{:?}", bench.manager.audit());
    // our own opens are not held up either
    bench.events.clear();
    bench.peer = Peer::new(([10, 9, 0, 3], 9).into(), 5);
    bench.connect(Then::Stream);
    flood(&mut bench, 198, &mut syns, 5);
    assert!(matches!(bench.event(), Event::Opened { .. }));
}

/// Each is given up long before its ACK comes, which opens it all the same.
#[test]
fn far_clients_open_beside_a_flood_of_syns() {
    let mut bench = with_gateway(config());
    bench.listen_then(Then::Stream);
    let mut syns = 0;
    flood(&mut bench, 198, &mut syns, 300);
    for mss in [1_460, 536] {
        assert_eq!(clients(&mut bench, &mut syns, 40, mss), 20, "clients that opened");
    }
    // an ACK that nobody was asked for opens nothing
    bench.events.clear();
    let guess = Seg::new(([10, 9, 0, 2], 40_000).into(), dut(), 78, 0x1234_5678);
    bench.peer = Peer::new(guess.from, 78);
    bench.send(&guess);
    flood(&mut bench, 198, &mut syns, 5);
    assert!(bench.events.is_empty() && bench.peer.rst);
    assert!(bench.manager.audit().connections <= 9, "{:?}", bench.manager.audit());
}

/// What strangers open leaves room for the connections that the application opens.
#[test]
fn listeners_leave_room_for_our_own_opens() {
    let mut config = config();
    config.connections = 16;
    let mut bench = with_gateway(config);
    let listen = Listen { port: PORT, address: None, backlog: 1_000, then: Then::Respond };
    bench.manager.listen(listen).expect("a free port");
    flood(&mut bench, 198, &mut 0, 100);
    for port in 0..4 {
        let connect = Connect {
            remote: ([10, 9, 0, 3], 9 + port).into(),
            address: None,
            local_port: None,
            then: Then::Stream,
        };
        let made = bench.manager.connect(connect);
        assert!(made.is_ok(), "{made:?} at {:?}", bench.manager.audit());
        flood(&mut bench, 198, &mut 1_000, 1);
    }
    assert!(bench.manager.audit().connections <= 16);
}

/// Neighbours that do not exist are not asked for once their SYN is given up.
#[test]
fn a_flood_of_neighbours_is_forgotten() {
    let mut config = config();
    config.addresses[0].prefix = 8;
    let mut bench = Bench::new(config);
    bench.listen();
    flood(&mut bench, 10, &mut 0, 200);
    let audit = bench.manager.audit();
    assert!(audit.resolving <= 8 && audit.connections <= 8, "{audit:?}");
}

/// Nobody answers the SYN-ACK: it is sent a few times, and nothing tells the stranger of the end.
#[test]
fn a_half_open_connection_costs_few_frames() {
    let mut config = config();
    config.timing.open = 30_000;
    let mut bench = with_gateway(config);
    bench.listen();
    bench.device.deliver(spoofed(198, 1));
    bench.run(31_000);
    let syn_acks = segments(&bench).filter(|seg| seg.syn).count();
    let resets = segments(&bench).filter(|seg| seg.rst).count();
    assert!((1..=4).contains(&syn_acks) && resets == 0, "{syn_acks} SYN-ACKs, {resets} resets");
}
