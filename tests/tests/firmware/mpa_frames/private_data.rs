// SPDX-License-Identifier: MIT OR Apache-2.0
//! Private data and what follows a frame.
use super::*;

#[test]
fn pd_length_is_the_length_of_private_data() {
    let _proof = proves_model_rows(&["MPA-7.1.1-27", "MPA-7.1.1-28"]);
    let octets = request(Initiate { private_data: patterned(300), ..plain() });
    assert_eq!((&octets[18..20], octets.len()), (&[1, 0x2C][..], 320));
    let octets = request(plain());
    assert_eq!((&octets[18..20], octets.len()), (&[0, 0][..], 20));
    let mut bench = Bench::default();
    assert!(bench.requested(&Frame::request()).1.private_data.is_empty());
}

#[test]
fn a_length_that_does_not_match_closes() {
    let _proof = proves_model_rows(&["MPA-7.1.1-29", "MPA-7.1.2-33"]);
    let frame = |length, octets| Frame { length: Some(length), ..Frame::request().with(&patterned(octets)) };
    let mut bench = asked_octets(&frame(10, 14).octets());
    let expected = FrameError::Surplus { after: Kind::Request, octets: 4 };
    assert_eq!(refused(&mut bench), ConnError::Frame(expected));
    let mut bench = asked_octets(&frame(10, 6).octets());
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    assert_eq!(refused(&mut bench), ConnError::Frame(FrameError::CutShort { have: 26, need: 30 }));
}

#[test]
fn private_data_above_512_octets_closes_at_once() {
    let _proof = proves_model_rows(&["MPA-7.1.1-30", "MPA-7.1.2-30"]);
    for length in 0..=u16::MAX {
        let frame = Frame { length: Some(length), ..Frame::request() };
        let too_long = FrameError::PrivateDataLength { found: length };
        match parse(Kind::Request, &frame.octets(), 2) {
            Err(why) => assert!(length > 512 && why == too_long, "{why}"),
            Ok(_) => assert!(length <= 512),
        }
    }
    for length in [0, 1, 2, 255, 256, 511, 512, 513, 514, 768, 0x1000, 0x8000, 0xFFFF_u16] {
        let frame = Frame { length: Some(length), ..Frame::request() };
        let mut bench = asked_octets(&frame.octets());
        if length > 512 {
            let expected = FrameError::PrivateDataLength { found: length };
            assert_eq!(refused(&mut bench), ConnError::Frame(expected), "without the data");
            continue;
        }
        bench.say(&patterned(length.into()));
        let Event::Request { offer, .. } = bench.event() else { panic!("PD_Length {length}") };
        assert_eq!(offer.private_data, patterned(length.into()));
    }
}

#[test]
fn private_data_is_passed_whole_and_opaque() {
    let _proof = proves_model_rows(&["MPA-7.1.1-31", "MPA-7.1.1-32", "MPA-7.1.2-32"]);
    for data in [patterned(512), Frame::request().octets(), empty_write()] {
        let mut bench = Bench::default();
        let (_, offer) = bench.requested(&Frame::request().with(&data));
        assert_eq!(offer.private_data, data);
    }
    // more than PD_Length never gets into it
    let frame = Frame { length: Some(512), ..Frame::request().with(&patterned(600)) };
    let mut bench = asked_octets(&frame.octets());
    let expected = FrameError::Surplus { after: Kind::Request, octets: 88 };
    assert_eq!(refused(&mut bench), ConnError::Frame(expected));
}

#[test]
fn private_data_of_513_octets_is_refused_by_the_calls() {
    let _proof = proves_model("MPA-7.1.1-33");
    let too_long = Err(CallError::PrivateData { octets: 513, most: 512 });
    let mut bench = Bench::default();
    let then = Then::Initiate(Initiate { private_data: patterned(513), ..plain() });
    let call =
        bench.manager.connect(Connect { remote: bench.peer.ours, address: None, local_port: None, then });
    assert_eq!(call.map(|_| ()), too_long);
    bench.run(5);
    assert!(bench.peer.log.is_empty() && bench.others.is_empty(), "nothing is sent");
    let (id, _) = bench.requested(&Frame::request());
    let accept = Accept { private_data: patterned(513), ..Accept::new(QpId(1)) };
    assert_eq!(bench.manager.accept(id, accept), too_long);
    assert_eq!(bench.manager.reject(id, patterned(513), None), too_long);
    bench.run(5);
    assert!(bench.peer.inbox.is_empty() && !bench.is_closed());
    bench.manager.accept(id, Accept { private_data: patterned(512), ..Accept::new(QpId(1)) }).expect("512");
}

#[test]
fn seq_start_follows_the_frame_whatever_its_length() {
    let _proof = proves_model("MPA-7.1.1-34");
    for length in 0..8 {
        let how = Initiate { private_data: patterned(length), ..plain() };
        let mut bench = replied(how, &Frame::reply().with(&patterned(7 - length)));
        let row = bench.device.connection(1).expect("a row").row;
        let syn = bench.peer.log.iter().find(|s| s.syn).expect("a SYN");
        assert_eq!(row.tx_seq_start.0, syn.seq.wrapping_add(1 + 20 + length as u32));
        assert_eq!(row.rx_seq_start.0, bench.peer.snd_nxt);
        let request = Frame::request().with(&patterned(length));
        let accept = Accept { private_data: patterned(7 - length), ..Accept::new(QpId(1)) };
        let (mut bench, reply) = accepted(config(), &request, accept);
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((reply.len(), row.rx_seq_start.0), (27 - length, bench.peer.snd_nxt));
        assert_eq!(row.tx_seq_start.0, bench.peer.rcv_nxt, "the octet after the Reply");
    }
}

#[test]
fn a_frame_may_come_in_any_pieces() {
    let _proof = proves_model("MPA-7.1.1-35");
    let whole = Frame::request().with(&patterned(30)).octets();
    let mut bench = Bench::default();
    bench.listen();
    bench.peer_connects();
    let start = bench.peer.snd_nxt;
    let at = |bench: &Bench, i: usize| {
        let seq = start.wrapping_add(i as u32);
        Seg { seq, data: vec![whole[i]], ..bench.peer.seg() }
    };
    // each octet: the next one first, then itself, then itself again
    for i in 0..whole.len() {
        for j in [(i + 1).min(whole.len() - 1), i, i] {
            let seg = at(&bench, j);
            bench.send(&seg);
            bench.settle();
        }
    }
    let Event::Request { offer, .. } = bench.event() else { panic!("no Request") };
    assert_eq!(offer.private_data, patterned(30));
    assert_eq!(bench.events, []);
}

#[test]
fn startup_frames_are_plain_octets() {
    let _proof = proves_model("MPA-7.1-07");
    let how = Initiate { markers: true, private_data: patterned(512), ..plain() };
    let octets = request(how);
    assert_eq!(octets.len(), 532, "no marker at 512, no CRC at the end");
    assert_eq!(octets[20..], patterned(512));
}

#[test]
fn depths_are_the_applications_in_plain_mode() {
    let _proof = proves_model_rows(&["MPA2-1-03", "MPA2-6-07", "RDMAP-6.1-08"]);
    let how = Initiate { private_data: patterned(8), wanted: Wanted::new(5, 3), ..plain() };
    assert_eq!(request(how.clone())[16..20], [0x40, 1, 0, 8]);
    let mut bench = replied(how, &Frame::reply().with(&patterned(9)));
    let Event::Established { terms, offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!((terms.agreed.ird, terms.agreed.ord), (5, 3));
    assert_eq!((offer.depths, offer.private_data), (None, patterned(9)), "nothing is stripped");
}
