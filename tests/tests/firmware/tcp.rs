// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP open and close against RFC 9293 and RFC 5961, segment by segment. smoltcp's sockets judge in
//! `smoltcp.rs`.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::net::Ingress;
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::wire::Seg;

#[test]
fn the_syn_has_mss_and_window_scale_and_no_other_option() {
    let mut config = config();
    (config.window, config.window_scale, config.mtu) = (1 << 20, 7, 9_000);
    let mut bench = Bench::new(config.clone());
    bench.connect(Then::Stream);
    let syn = &bench.peer.log[0];
    assert_eq!((syn.mss, syn.scale, syn.other_options), (Some(8_960), Some(7), false));
    assert!(syn.syn && syn.ack.is_none());
    // a SYN-ACK agrees to the scale only if it was offered
    for offered in [None, Some(3)] {
        let mut bench = Bench::new(config.clone());
        bench.peer.scale = offered;
        bench.listen();
        bench.peer_connects();
        let syn_ack = &bench.peer.log[0];
        assert_eq!(
            (syn_ack.mss, syn_ack.scale, syn_ack.other_options),
            (Some(8_960), offered.map(|_| 7), false)
        );
    }
}

#[test]
fn scales_and_sizes_go_into_the_row() {
    let mut config = config();
    (config.window, config.window_scale) = (1 << 20, 7);
    for (mss, scale, emss, snd, rcv) in [
        (Some(1_400), Some(9), 1_400, 9, 7),
        (Some(9_000), None, 1_460, 0, 0),
        (None, Some(20), 536, 14, 7),
        (Some(0), Some(0), 536, 0, 7),
        (Some(10), Some(0), 64, 0, 7),
    ] {
        let mut bench = Bench::new(config.clone());
        (bench.peer.mss, bench.peer.scale) = (mss, scale);
        bench.initiate(Initiate::new(QpId(1)));
        bench.frame(&Frame::reply().enhanced(0x0010_0010));
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((row.emss, row.snd_scale, row.rcv_scale), (emss, snd, rcv), "{mss:?} {scale:?}");
        assert_eq!(row.snd_wnd.0, 60_000 << snd, "the window in octets");
    }
}

#[test]
fn syns_are_sent_again_with_back_off_and_given_up() {
    let mut config = config();
    config.timing.open = 100_000;
    let mut bench = Bench::new(config.clone());
    bench.peer.answers = false;
    bench.connect(Then::Stream);
    let mut times = vec![];
    for now in 0..12_000 {
        let before = bench.peer.log.len();
        bench.run(1);
        if bench.peer.log.len() > before {
            times.push(now);
        }
    }
    let gaps: Vec<_> = times.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(gaps, [400, 800, 1_600, 2_000, 2_000], "doubled, up to the longest");
    assert_eq!(bench.failure(), ConnError::Lost);
    assert!(bench.is_clean());
    let syns: Vec<_> = bench.peer.log.iter().map(|s| s.seq).collect();
    assert!(syns.iter().all(|seq| *seq == syns[0]));
}

#[test]
fn an_open_that_takes_too_long_ends() {
    let mut bench = Bench::default();
    bench.peer.answers = false;
    bench.connect(Then::Stream);
    bench.run(3_010);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Open));
    // half open by the peer: nobody heard of it, and it goes without a word to the application
    let mut bench = Bench::default();
    bench.listen();
    bench.peer.answers = false;
    bench.peer_connects();
    let first = bench.peer.log.len();
    bench.run(3_010);
    assert!(bench.peer.log.len() > first, "the SYN-ACK is sent again");
    assert!(bench.events.is_empty() && bench.is_clean());
}

#[test]
fn syns_that_cross_open_one_connection() {
    let mut bench = Bench::default();
    bench.peer.answers = false;
    let connect =
        Connect { remote: bench.peer.ours, address: None, local_port: Some(40_000), then: Then::Stream };
    bench.manager.connect(connect).expect("a connection");
    bench.settle();
    let ours = bench.peer.log[0].clone();
    let syn = bench.peer.syn(([10, 9, 0, 1], 40_000).into());
    bench.send(&syn);
    bench.settle();
    let answer = bench.peer.log[1].clone();
    assert!(answer.syn && answer.seq == ours.seq && answer.ack == Some(bench.peer.snd_nxt), "{answer:?}");
    bench.peer.rcv_nxt = ours.seq.wrapping_add(1);
    // figure 8 of RFC 9293: the peer's SYN-ACK
    let seq = bench.peer.snd_nxt.wrapping_sub(1);
    let syn_ack = Seg { syn: true, seq, ..bench.peer.seg() };
    bench.send(&syn_ack);
    bench.settle();
    assert!(matches!(bench.event(), Event::Opened { listener: None, .. }));
    bench.peer.answers = true;
    bench.say(b"it works");
    let Event::Readable { id } = bench.event() else { panic!("no octets") };
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(b"it works".to_vec()));
}

#[test]
fn strays_are_answered_with_a_reset() {
    let mut bench = Bench::default();
    bench.peer.theirs = Some(([10, 9, 0, 1], 99).into());
    let (snd, rcv) = (bench.peer.snd_nxt, bench.peer.rcv_nxt);
    let syn = Seg { syn: true, ack: None, ..bench.peer.seg() };
    let data = Seg { data: vec![1; 10], ..bench.peer.seg() };
    let late = bench.peer.reset();
    for (seg, seq, ack) in [(syn, 0, Some(snd.wrapping_add(1))), (data, rcv, None)] {
        bench.send(&seg);
        bench.settle();
        let answer = bench.peer.log.pop().expect("an answer");
        assert_eq!((answer.rst, answer.seq, answer.ack), (true, seq, ack));
    }
    bench.send(&late);
    // nor to what is not for one of our addresses, or comes from a group
    let elsewhere = Seg { to: ([10, 9, 0, 7], 99).into(), ..bench.peer.seg() };
    let group = Seg { from: ([224, 0, 0, 1], 99).into(), ..bench.peer.seg() };
    bench.send(&elsewhere);
    bench.send(&group);
    bench.settle();
    assert!(bench.peer.log.is_empty() && bench.manager.counters().0.strays == 2);
}

#[test]
fn resets_and_acknowledgements_are_judged_as_rfc_5961_has_it() {
    let mut bench = Bench::default();
    bench.connect(Then::Stream);
    bench.events.clear();
    let rcv = bench.peer.rcv_nxt;
    let exact = bench.peer.reset();
    let challenge = |bench: &mut Bench, seg: Seg| {
        bench.peer.log.clear();
        bench.send(&seg);
        bench.settle();
        let answers: Vec<_> = bench.peer.log.iter().map(|s| (s.ack, s.rst)).collect();
        assert!(bench.events.is_empty(), "{:?}", bench.events);
        answers
    };
    let nxt = bench.peer.snd_nxt;
    let in_window = Seg { seq: nxt.wrapping_add(100), ..exact.clone() };
    assert_eq!(challenge(&mut bench, in_window), [(Some(nxt), false)]);
    let outside = Seg { seq: nxt.wrapping_sub(5), ..exact.clone() };
    assert_eq!(challenge(&mut bench, outside), []);
    let syn = Seg { syn: true, rst: false, ..exact.clone() };
    assert_eq!(challenge(&mut bench, syn), [(Some(nxt), false)]);
    let ahead = Seg { rst: false, ack: Some(rcv.wrapping_add(1)), ..exact.clone() };
    assert_eq!(challenge(&mut bench, ahead), [(Some(nxt), false)]);
    bench.send(&exact);
    bench.settle();
    assert_eq!(bench.failure(), ConnError::Reset);
}

#[test]
fn time_wait_answers_and_ends() {
    let mut bench = Bench::default();
    let id = bench.connect(Then::Stream);
    bench.manager.close(id).expect("open");
    bench.settle();
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert_eq!(bench.manager.audit().time_waits, 1);
    bench.peer.log.clear();
    // the peer's FIN again: our last ACK was lost; it is acknowledged and the wait begins anew
    bench.run(900);
    bench.send(&fin);
    bench.run(200);
    assert_eq!(bench.peer.log.iter().map(|s| s.ack).collect::<Vec<_>>(), [Some(bench.peer.snd_nxt)]);
    assert_eq!(bench.manager.audit().time_waits, 1);
    bench.run(900);
    assert_eq!(bench.manager.audit().time_waits, 0);
}

#[test]
fn the_hardwares_close_leaves_time_wait_to_firmware() {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.say(&empty_write());
    bench.terms();
    bench.manager.close(ConnId(2)).expect("established");
    bench.run(3);
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(3);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert_eq!((bench.manager.audit().time_waits, bench.device.table.len()), (1, 0));
    bench.peer.log.clear();
    bench.send(&fin);
    bench.settle();
    let answer = bench.peer.log.pop().expect("an answer");
    assert_eq!((answer.seq, answer.ack, answer.rst), (bench.peer.rcv_nxt, Some(bench.peer.snd_nxt), false));
}

#[test]
fn a_backlog_is_bounded() {
    let mut bench = Bench::default();
    bench.listen();
    for port in 0..40 {
        bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], 21_000 + port).into(), 9);
        bench.peer.answers = false;
        bench.peer_connects();
    }
    assert_eq!(bench.manager.audit().connections, 8);
    assert_eq!(bench.manager.counters().0.backlog, 32);
    bench.run(3_010);
    assert!(bench.is_clean());
}

#[test]
fn a_full_transmit_ring_costs_frames_only() {
    let mut bench = Bench::default();
    bench.device.room = Some(1); // the question for the next hop
    bench.connect(Then::Stream);
    bench.run(10);
    assert!(bench.events.is_empty());
    bench.device.room = None;
    bench.run(1_000);
    assert!(matches!(bench.event(), Event::Opened { .. }));
    assert!(bench.manager.counters().0.frames_dropped > 0);
}

#[test]
fn segments_with_bad_checksums_are_not_taken() {
    let mut net = ferrowarp_firmware::net::Net::new(&config(), Default::default());
    let seg = Seg::new(([10, 9, 0, 2], 1).into(), dut(), 1, 1);
    let good = seg.frame(ferrowarp_tests::fw::peer::MAC, DUT_MAC);
    assert!(matches!(net.receive(&good, Default::default()), Ingress::Tcp { .. }));
    for octet in 14..good.len() {
        let mut bad = good.clone();
        bad[octet] ^= 0x10;
        let got = net.receive(&bad, Default::default());
        assert!(!matches!(got, Ingress::Tcp { .. }), "octet {octet}: {got:?}");
    }
}
