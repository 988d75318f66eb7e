// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever octets come, nothing panics, and what is read is what was written.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::mpa::frame::{parse, Kind, Parsed, Startup};
use ferrowarp_firmware::net::{ask, frame, icmp, Net};
use ferrowarp_firmware::port::{Captured, CapturedSegment};
use ferrowarp_firmware::terminate;
use ferrowarp_tests::fw::bench::{config, dut, Bench, DUT_MAC};
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::MAC;
use ferrowarp_tests::fw::wire::Seg;
use proptest::collection::vec;
use proptest::prelude::*;

/// Octets that look like a frame for us.
fn ethernet() -> impl Strategy<Value = Vec<u8>> {
    let ethertype =
        prop_oneof![Just([8, 0]), Just([8, 6]), Just([0x86, 0xDD]), Just([0x81, 0]), any::<[u8; 2]>()];
    let first = prop_oneof![Just(0x45), Just(0x60), any::<u8>()];
    (ethertype, first, vec(any::<u8>(), 0..120))
        .prop_map(|(ethertype, first, rest)| [&DUT_MAC[..], &MAC, &ethertype, &[first], &rest].concat())
}

proptest! {
    #[test]
    fn startup_frames(octets in vec(any::<u8>(), 0..700), head in 0..20_usize, highest in 1..=2_u8) {
        for kind in [Kind::Request, Kind::Reply] {
            let whole = [&kind.key()[..head.min(16)], &octets].concat();
            // one octet more never turns a fault into a frame
            let mut failed = false;
            for cut in 0..whole.len().min(60) {
                let result = parse(kind, &whole[..cut], highest);
                prop_assert!(!failed || result.is_err());
                failed = result.is_err();
            }
            if let Ok(Parsed::Whole { used, .. }) = parse(kind, &whole, highest) {
                prop_assert!(used <= whole.len() && (20..=532).contains(&used));
            }
        }
    }

    #[test]
    fn startup_frames_are_read_as_written(
        markers: bool, crc: bool, reject: bool, revision in 1..=2_u8,
        words in proptest::option::of((any::<(bool, bool, bool, bool)>(), 0..0x4000_u16, 0..0x4000_u16)),
        private_data in vec(any::<u8>(), 0..=508),
    ) {
        let enhanced = words.filter(|_| revision == 2).map(|((a, b, c, d), ird, ord)| {
            ferrowarp_abi::codec::MpaDepths { peer_to_peer: a, rtr_send: b, ird, rtr_write: c, rtr_read: d, ord }
        });
        for kind in [Kind::Request, Kind::Reply] {
            let reject = reject && kind == Kind::Reply;
            let startup = Startup { markers, crc, reject, revision, enhanced, private_data: private_data.clone() };
            let octets = startup.octets(kind);
            let expected = Parsed::Whole { frame: startup, used: octets.len() };
            prop_assert_eq!(parse(kind, &octets, 2), Ok(expected));
        }
    }

    #[test]
    fn frames(octets in prop_oneof![ethernet(), vec(any::<u8>(), 0..80)]) {
        let mut net = Net::new(&config(), Default::default());
        let _ = (frame::parse(&octets), icmp::notice(&octets), ask::learn(&octets, net.routes()));
        net.receive(&octets, Default::default());
        let mut tagged = config();
        tagged.vlan_tci = Some(3);
        Net::new(&tagged, Default::default()).receive(&octets, Default::default());
    }

    #[test]
    fn segments_are_read_as_written(
        seq: u32, ack: u32, window: u16, flags in 0..4_u8, data in vec(any::<u8>(), 0..100), mss: u16, scale: u8,
    ) {
        let (syn, fin, rst) = (flags == 1, flags == 2, flags == 3);
        let options = (syn.then_some(mss), syn.then_some(scale));
        let to: std::net::SocketAddr = dut();
        let seg = Seg { window, syn, fin, rst, mss: options.0, scale: options.1, data, ..Seg::new(([10, 9, 0, 2], 7).into(), to, seq, ack) };
        let frame::Received::Tcp { tuple, segment, .. } = frame::parse(&seg.frame(MAC, DUT_MAC)) else {
            return Err(TestCaseError::fail("not read"));
        };
        prop_assert_eq!((tuple.local, segment.seq.0, segment.ack.map(|a| a.0)), (to, seq, Some(ack)));
        prop_assert_eq!((segment.syn, segment.fin, segment.rst, segment.window), (syn, fin, rst, window));
        prop_assert_eq!((segment.mss, segment.scale, &segment.payload), (options.0, options.1, &seg.data));
    }

    #[test]
    fn terminates(octets in vec(any::<u8>(), 0..80), error: u16, length: u16, head in vec(any::<u8>(), 0..60)) {
        if let Ok(received) = terminate::parse(&octets) {
            prop_assert!(!received.to_string().is_empty());
        }
        let captured = Captured { error, segment: Some(CapturedSegment { length, head }) };
        if let Some(ulpdu) = terminate::ulpdu(&captured) {
            prop_assert!([22, 38, 42, 70].contains(&ulpdu.len()));
            let back = terminate::parse(&ulpdu[18..]).expect("a whole one");
            prop_assert_eq!(back.error, Some(terminate::error_of(captured.error)));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_connection_takes_any_segments(
        initiates: bool,
        segs in vec((0..40_u32, 0..40_u32, any::<u16>(), 0..8_u8, vec(any::<u8>(), 0..40), 0..400_u64), 0..25),
    ) {
        let mut bench = Bench::default();
        if initiates {
            bench.initiate(Initiate::new(ferrowarp_firmware::port::QpId(1)));
            bench.frame(&Frame::reply().enhanced(0x0010_0010));
        } else {
            bench.listen();
            bench.peer_connects();
        }
        for (seq, ack, window, flags, data, wait) in segs {
            let seg = bench.peer.seg();
            let seg = Seg {
                seq: seg.seq.wrapping_add(seq).wrapping_sub(20),
                ack: seg.ack.map(|a| a.wrapping_add(ack).wrapping_sub(20)),
                window,
                syn: flags & 1 != 0,
                fin: flags & 2 != 0,
                rst: flags == 4,
                data,
                ..seg
            };
            bench.send(&seg);
            bench.run(wait % 5);
        }
        let ids: Vec<_> = bench.events.drain(..).map(|e| e.id()).collect();
        for id in ids {
            let _ = bench.manager.abort(id);
        }
        bench.run(4_000);
        prop_assert!(bench.is_clean(), "{:?}", bench.manager.audit());
    }
}
