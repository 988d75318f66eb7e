// SPDX-License-Identifier: MIT OR Apache-2.0
//! Path MTU of connections that the hardware has: what lowers it, how often, and when it rises
//! again.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::port::{Change, Command, QpId};
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::MAC;
use ferrowarp_tests::fw::wire::Seg;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;

/// RFC 1191 section 6.3: a larger path MTU is tried ten minutes after it was lowered.
const TEN_MINUTES: u64 = 600_000;

/// "Fragmentation needed" about a segment of ours.
fn too_big(seg: &Seg, mtu: u16, seq: u32) -> Vec<u8> {
    let quoted = Seg { seq, ..seg.clone() }.frame(DUT_MAC, MAC);
    let mut body = vec![3, 4, 0, 0, 0, 0];
    body.extend(mtu.to_be_bytes());
    body.extend(&quoted[14..14 + 28]);
    Icmpv4Packet::new_unchecked(&mut body).fill_checksum();
    let (source, target) = (IpAddress::v4(10, 9, 0, 77), IpAddress::v4(10, 9, 0, 1));
    let ip = IpRepr::new(source, target, IpProtocol::Icmp, body.len(), 64);
    let mut octets = [&DUT_MAC[..], &MAC, &[8, 0]].concat();
    octets.resize(14 + ip.header_len(), 0);
    ip.emit(&mut octets[14..], &ChecksumCapabilities::default());
    octets.extend(body);
    octets
}

/// A connection in hardware, and a segment of it that may be quoted.
fn running() -> (Bench, Seg) {
    let mut config = config();
    // as a device has it
    config.timing.rto_initial = 1_000;
    let reply = Frame::reply().enhanced(0x0010_0010).octets();
    let bench = replied_octets(config, Initiate::new(QpId(1)), &reply);
    let seg = bench.peer.log.iter().find(|s| !s.data.is_empty()).expect("the Request").clone();
    (bench, seg)
}

fn changes(bench: &Bench) -> Vec<u16> {
    bench.device.ordered(|command| match command {
        Command::ConnUpdate { change: Change::PathMtu { emss, .. }, .. } => Some(*emss),
        _ => None,
    })
}

fn wait(bench: &mut Bench, ticks: u64) {
    for _ in 0..ticks / 50 {
        bench.device.now += 50;
        bench.settle();
    }
}

#[test]
fn a_flood_costs_one_command() {
    let (mut bench, seg) = running();
    for n in 0..10_000 {
        bench.device.deliver(too_big(&seg, 1_000, n));
        if n % 11 == 10 {
            bench.run(1);
        }
    }
    assert_eq!(changes(&bench).len(), 1, "for 10,000 frames of one path MTU in a second");
    // ever smaller ones, down to the least: a handful
    let (mut bench, seg) = running();
    for n in 0..900 {
        bench.device.deliver(too_big(&seg, 1_499 - n, 7));
        bench.run(1);
    }
    let changes = changes(&bench).len();
    assert!(changes <= 8, "{changes} commands for 900 ever smaller path MTUs in a second");
}

/// A spoofed one that the hardware ignores does not keep a true one out for long.
#[test]
fn a_spoofed_one_does_not_mask_a_true_one() {
    let (mut bench, seg) = running();
    bench.device.deliver(too_big(&seg, 600, 12));
    bench.settle();
    let before = changes(&bench).len();
    // routers tell again at each retransmission
    for _ in 0..10 {
        bench.device.deliver(too_big(&seg, 1_000, 4_321));
        bench.run(200);
    }
    let quoted = bench.device.ordered(|command| match command {
        Command::ConnUpdate { change: Change::PathMtu { emss, quoted, .. }, .. } => Some((*emss, quoted.0)),
        _ => None,
    });
    assert!(quoted[before..].iter().any(|(emss, seq)| *emss <= 960 && *seq == 4_321), "{quoted:?}");
}

#[test]
fn it_rises_again_after_ten_minutes() {
    let (mut bench, seg) = running();
    let row = |bench: &mut Bench| bench.device.connection(1).expect("a row").row.emss;
    let first = row(&mut bench);
    // octets in flight, so that the hardware believes the router
    bench.peer.answers = false;
    bench.device.connection(1).expect("a row").raw(&[7; 8]);
    bench.settle();
    let quoted = bench.peer.log.last().expect("octets").seq;
    bench.device.deliver(too_big(&seg, 1_000, quoted));
    bench.settle();
    assert_eq!((changes(&bench), row(&mut bench)), (vec![960], 960));
    bench.peer.answers = true;
    bench.run(300);
    wait(&mut bench, TEN_MINUTES - 400);
    assert_eq!(changes(&bench), [960], "not before");
    wait(&mut bench, 200);
    assert_eq!((changes(&bench), row(&mut bench)), (vec![960, first], first));
    // the path is still small: it is told at once, and lowered again
    bench.device.deliver(too_big(&seg, 1_000, 78));
    bench.settle();
    assert_eq!(changes(&bench), [960, first, 960]);
    wait(&mut bench, TEN_MINUTES + 100);
    assert_eq!(changes(&bench), [960, first, 960, first]);
    wait(&mut bench, 2 * TEN_MINUTES);
    assert_eq!(changes(&bench).len(), 4, "nothing to try");
}

/// So it is with the connections that firmware has itself.
#[test]
fn it_rises_again_in_raw_mode() {
    let mut bench = Bench::default();
    let id = bench.connect(Then::Stream);
    bench.peer.answers = false;
    let sizes = |bench: &mut Bench, small: bool| {
        bench.peer.log.clear();
        bench.manager.send(id, &[7; 2_000]).expect("raw mode");
        bench.settle();
        let first = bench.peer.log[0].clone();
        if small {
            bench.device.deliver(too_big(&first, 1_000, first.seq));
            bench.peer.answers = true;
            bench.run(250);
        }
        bench.peer.log.iter().map(|seg| seg.data.len()).max()
    };
    assert_eq!(sizes(&mut bench, true), Some(1_460));
    assert_eq!(sizes(&mut bench, false), Some(960));
    wait(&mut bench, TEN_MINUTES - 500);
    assert_eq!(sizes(&mut bench, false), Some(960));
    wait(&mut bench, 500);
    assert_eq!(sizes(&mut bench, false), Some(1_460));
}
