// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network receive stage where random traffic does not go: answers, limits, sinks that stand
//! still.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench};
use ferrowarp_tests::net_rx::{plain, Rx, PERIOD};
use ferrowarp_tests::net_rx_frames::{ethernet, ip_packet, Segment, Tuple, RST, SYN};
use ferrowarp_tests::net_rx_model::{bad, Conn, Fact, Model, Told, LONGEST};
use rand::Rng;

/// A connection inserted as `qp`, RCV.NXT 1000.
fn connect(bench: &mut Bench, rx: &mut Rx, qp: u64) -> Result<Conn, String> {
    let conn = Conn::new(Tuple::random(bench.rng(), false), 1_000, 9);
    assert_eq!(rx.insert(bench, qp, &conn)?, 0);
    Ok(conn)
}

/// The octet of a stream at sequence number `seq`.
fn octet(seq: u32) -> u8 {
    (seq ^ (seq >> 8)) as u8
}

/// `length` octets of the stream from `seq` on, in a segment.
fn piece(conn: &Conn, seq: u32, length: u32) -> Segment {
    let data = (seq..seq + length).map(octet).collect();
    Segment { data, ..Segment::new(&conn.tuple, seq, 9) }
}

#[test]
fn insertions_and_removals_are_answered() {
    plain("answers", |bench, rx| {
        let mut model = Model::default();
        let conn = connect(bench, rx, 1)?;
        let other = Conn { tuple: Tuple::random(bench.rng(), true), ..conn.clone() };
        assert_eq!(rx.insert(bench, 2, &conn)?, 1, "the 4-tuple is another connection's");
        assert_eq!(rx.insert(bench, 1, &other)?, 1, "the connection has a 4-tuple");
        assert_eq!(rx.remove(bench, 3)?, 3, "never inserted");
        // none of that changed anything
        model.conns[1] = Some(conn.clone());
        rx.send(bench, &mut model, piece(&conn, 1_000, 50).frame(), false);
        rx.send(bench, &mut model, Segment::new(&other.tuple, 1_000, 9).frame(), false);
        rx.check(bench, &mut model)?;
        assert_eq!(rx.remove(bench, 1)?, 0);
        assert_eq!(rx.remove(bench, 1)?, 3, "removed already");
        model.conns[1] = None;
        rx.send(bench, &mut model, piece(&conn, 1_050, 50).frame(), false);
        rx.check(bench, &mut model)?;
        // a removed connection must not take its successor's 4-tuple with it
        assert_eq!(rx.insert(bench, 2, &conn)?, 0);
        assert_eq!(rx.remove(bench, 1)?, 3);
        model.conns[2] = Some(conn.clone());
        rx.send(bench, &mut model, piece(&conn, 1_000, 50).frame(), false);
        rx.check(bench, &mut model)
    });
}

#[test]
fn what_firmware_saw_is_judged_in_turn() {
    plain("told", |bench, rx| {
        let mut model = Model::default();
        let fresh = Conn { snd_nxt: 5_009, ..Conn::new(Tuple::random(bench.rng(), false), 1_000, 9) };
        assert_eq!(rx.insert(bench, 1, &fresh)?, 0);
        model.conns[1] = Some(fresh.clone());
        // seq, ack, window, ack_now; the connection begins with SND.WL1 1000 and SND.WL2 9
        let cases = [
            (1_000, 109, 5_000, false),
            (1_000, 60, 777, false),
            (900, 209, 888, false),
            (900, 209, 888, true),
            (5_000, 209, 6_000, true),
            (6_000, 5_010, 1, false),
            (6_000, 5_009, 6_000, false),
        ];
        for (seq, ack, window, ack_now) in cases {
            rx.tell(bench, &mut model, Told { qp: 1, seq, ack, window, ack_now })?;
            rx.tell(bench, &mut model, Told { qp: 2, seq, ack, window, ack_now })?;
            rx.check(bench, &mut model).map_err(|why| format!("{seq} {ack} {window}: {why}"))?;
        }
        // and a segment is judged by what was told
        for ack in [5_008, 5_009] {
            rx.send(bench, &mut model, Segment::new(&fresh.tuple, 1_000, ack).frame(), false);
            rx.check(bench, &mut model)?;
        }
        Ok(())
    });
    for seed in seeds(0..4, 0..40) {
        run_case("net_rx-told-random", Top::NetRxW64, seed, |bench| {
            let mut rx = Rx::random(bench)?;
            let mut model = Model::default();
            let conn = Conn { snd_nxt: 50_000, ..Conn::new(Tuple::random(bench.rng(), true), 1_000, 9) };
            assert_eq!(rx.insert(bench, 3, &conn)?, 0);
            model.conns[3] = Some(conn.clone());
            for _ in 0..100 {
                let (seq, ack) = (bench.rng().random_range(900..1_100), bench.rng().random_range(0..51_000));
                if bench.rng().random() {
                    let told =
                        Told { qp: 3, seq, ack, window: bench.rng().random(), ack_now: bench.rng().random() };
                    rx.tell(bench, &mut model, told)?;
                } else {
                    rx.send(bench, &mut model, Segment::new(&conn.tuple, seq, ack).frame(), false);
                }
                // which of the two comes first is known only if one is done
                rx.check(bench, &mut model)?;
            }
            Ok(())
        });
    }
}

#[test]
fn a_segment_meets_the_connection_it_was_looked_up_for() {
    /// Octets of a segment. Its frame has 84, what the shortest one takes on the wire with its gap
    /// and preamble: of shorter ones without a gap a removal lets so many wait that the guard drops
    /// some.
    const TEXT: u32 = 30;
    plain("replaced", |bench, rx| {
        // removal and insertion run while segments of the old connection are under way
        for turn in 0..20_u64 {
            let old = connect(bench, rx, 0)?;
            let new = Conn { rcv_nxt: 5_000, ..Conn::new(Tuple::random(bench.rng(), false), 5_000, 9) };
            let mut model = Model::default();
            for i in 0..40 {
                rx.send(bench, &mut model, piece(&old, 1_000 + TEXT * i, TEXT).frame(), false);
            }
            for _ in 0..turn * 17 {
                rx.step(bench);
            }
            assert_eq!(rx.remove(bench, 0)?, 0);
            assert_eq!(rx.insert(bench, 0, &new)?, 0);
            rx.settle(bench, &model.expected)?;
            let got = rx.outcome(bench)?;
            let taken = got.texts.len();
            assert_eq!(taken + got.raw.len(), 40, "each is octets of the old one or a raw frame");
            let seqs: Vec<u32> = got.texts.iter().map(|t| t.seq).collect();
            assert_eq!(seqs, (0..taken as u32).map(|i| 1_000 + TEXT * i).collect::<Vec<_>>());
            assert!(got.raw.iter().all(|r| r.1 == 5));
            assert_eq!(rx.remove(bench, 0)?, 0);
        }
        Ok(())
    });
}

#[test]
fn the_longest_frame_and_one_octet_more() {
    plain("longest", |bench, rx| {
        let mut model = Model::default();
        let conn = connect(bench, rx, 3)?;
        model.conns[3] = Some(conn.clone());
        let longest = ethernet(None, 0x0806, &[5; LONGEST - 14], 0);
        rx.send(bench, &mut model, [longest.clone(), vec![0]].concat(), false);
        rx.send(bench, &mut model, piece(&conn, 1_000, 60).frame(), false);
        rx.send(bench, &mut model, [longest.clone(), vec![0; 30_000]].concat(), true);
        rx.send(bench, &mut model, piece(&conn, 1_060, 60).frame(), false);
        rx.check(bench, &mut model)?;
        // this one fits the store, but not that of raw frames
        rx.send(bench, &mut model, longest, false);
        rx.send(bench, &mut model, piece(&conn, 1_120, 60).frame(), false);
        model.expected.raw.clear();
        model.expected.counts[bad::RAW] = 1;
        rx.check(bench, &mut model)
    });
}

#[test]
fn challenges_are_rationed() {
    plain("challenges", |bench, rx| {
        let mut model = Model::default();
        let conns = [connect(bench, rx, 0)?, connect(bench, rx, 1)?];
        let challenge = |qp| Fact { qp, ack_now: true, ..Fact::default() };
        let mut burst = |bench: &mut Bench, rx: &mut Rx| {
            for conn in &conns {
                for (flags, ahead) in [(SYN, 0), (RST, 5), (SYN, 77), (RST | SYN, 9)] {
                    let s = Segment { flags, ..Segment::new(&conn.tuple, 1_000 + ahead, 9) };
                    rx.send(bench, &mut model, s.frame(), false);
                }
            }
            rx.settle(bench, &Default::default())?;
            let got = rx.outcome(bench)?;
            let facts: Vec<_> = got.facts.iter().map(|f| f.0).collect();
            Ok::<_, String>((facts, got.counts[bad::CHALLENGE], got.events))
        };
        for _ in 0..3 {
            // from the beginning of a period on
            while bench.cycle() % PERIOD != 200 {
                rx.step(bench);
            }
            assert_eq!(burst(bench, rx)?, (vec![challenge(0), challenge(1)], 2, vec![]));
            assert_eq!(burst(bench, rx)?, (vec![], 0, vec![]), "in the same period");
        }
        Ok(())
    });
}

#[test]
fn raw_frames_that_nobody_takes_stop_nothing() {
    plain("raw_held", |bench, rx| {
        let mut model = Model::default();
        let conn = connect(bench, rx, 0)?;
        model.conns[0] = Some(conn.clone());
        bench.hold_sink(rx.raw, true);
        bench.hold_channel_sink(rx.notes, true);
        bench.restart_rates();
        for i in 0..40 {
            rx.send(bench, &mut model, ethernet(None, 0x0806, &[i as u8; 1_000], 0), false);
            rx.send(bench, &mut model, piece(&conn, 1_000 + 1_000 * i, 1_000).frame(), false);
        }
        let raw = std::mem::take(&mut model.expected.raw);
        rx.settle(bench, &model.expected)?;
        let rate = bench.source_rate(rx.input);
        assert_eq!(rate.beats, rate.cycles(), "the port stands still");
        assert_eq!(bench.waiting(rx.output), 40);
        bench.hold_sink(rx.raw, false);
        bench.hold_channel_sink(rx.notes, false);
        for _ in 0..3_000 {
            rx.step(bench);
        }
        // what found room is the beginning, whole; the others are counted
        let got = rx.outcome(bench)?;
        assert_eq!(got.texts, model.expected.texts);
        let kept = got.raw.len();
        assert!(kept >= 7 && got.raw[..] == raw[..kept], "{kept} raw frames");
        assert_eq!(got.counts[bad::RAW] as usize, 40 - kept);
        // and all is as before
        model.expected = Default::default();
        rx.send(bench, &mut model, ethernet(None, 0x0806, &[7; 1_000], 0), false);
        rx.check(bench, &mut model)
    });
}

#[test]
fn rubbish_leaves_room_for_arp_and_icmp() {
    plain("rubbish", |bench, rx| {
        let tuple = Tuple::random(bench.rng(), false);
        let six = Tuple::random(bench.rng(), true);
        let rubbish = |kind: usize| match kind % 4 {
            0 => ethernet(None, 0x0800, &ip_packet(&tuple, &[], 17, &[1; 20]), 0),
            1 => ethernet(Some(7), 0x1234, &[2; 50], 0),
            2 => ethernet(None, 0x86DD, &ip_packet(&six, &[], 44, &[3; 1_400]), 0),
            _ => ethernet(None, 0x86DD, &ip_packet(&six, &[], 17, &[4; 1_480]), 0),
        };
        let wanted = [
            ethernet(None, 0x0806, &[5; 28], 0),
            ethernet(Some(7), 0x0806, &[6; 28], 0),
            ethernet(None, 0x0800, &ip_packet(&tuple, &[], 1, &[7; 40]), 0),
            ethernet(None, 0x86DD, &ip_packet(&six, &[], 58, &[8; 32]), 0),
            Segment { flags: SYN, ..Segment::new(&tuple, 1, 0) }.frame(),
        ];
        bench.hold_sink(rx.raw, true);
        bench.hold_channel_sink(rx.notes, true);
        let mut model = Model::default();
        (0..300).for_each(|kind| rx.send(bench, &mut model, rubbish(kind), false));
        let sent = std::mem::take(&mut model.expected.raw);
        wanted.iter().for_each(|frame| rx.send(bench, &mut model, frame.clone(), false));
        let last = std::mem::take(&mut model.expected.raw);
        rx.settle(bench, &model.expected)?;
        bench.hold_sink(rx.raw, false);
        bench.hold_channel_sink(rx.notes, false);
        (0..3_000).for_each(|_| rx.step(bench));
        let got = rx.outcome(bench)?;
        let kept = got.raw.len() - last.len();
        assert!((5..200).contains(&kept), "{kept} frames of rubbish");
        assert_eq!((&got.raw[..kept], &got.raw[kept..]), (&sent[..kept], &last[..]));
        assert_eq!((got.counts[bad::SPARED] as usize, got.counts[bad::RAW]), (300 - kept, 0));
        Ok(())
    });
}

/// While octets of one connection are not taken, its own frames are nobody; another connection's
/// are, and frames of none.
#[test]
fn who_waits_behind_octets_is_told() {
    for kind in ["raw", "other", "acknowledgement", "full"] {
        plain(&format!("behind_{kind}"), |bench, rx| {
            let (one, two) = (connect(bench, rx, 0)?, connect(bench, rx, 1)?);
            let mut model = Model::default();
            model.conns[0] = Some(one.clone());
            model.conns[1] = Some(two.clone());
            let shown = |bench: &mut Bench, rx: &mut Rx| {
                (0..2_000).for_each(|_| rx.step(bench));
                (bench.get("net_rx_waiting"), bench.get("net_rx_crowded"))
            };
            bench.hold_sink(rx.output, true);
            (0..3).for_each(|i| {
                rx.send(bench, &mut model, piece(&one, 1_000 + 1_000 * i, 1_000).frame(), false)
            });
            assert_eq!(shown(bench, rx), (0, 0), "{kind}: nobody waits");
            match kind {
                "raw" => rx.send(bench, &mut model, ethernet(None, 0x0806, &[1; 100], 0), false),
                "other" => rx.send(bench, &mut model, piece(&two, 1_000, 100).frame(), false),
                "acknowledgement" => rx.send(bench, &mut model, piece(&two, 1_000, 0).frame(), false),
                _ => (3..14).for_each(|i| {
                    rx.send(bench, &mut model, piece(&one, 1_000 + 1_000 * i, 1_000).frame(), false)
                }),
            }
            let wanted = match kind {
                "raw" | "other" => (1, 0),
                "acknowledgement" => (0, 0),
                _ => (0, 1),
            };
            assert_eq!(shown(bench, rx), wanted, "{kind}");
            bench.hold_sink(rx.output, false);
            assert_eq!(shown(bench, rx), (0, 0), "{kind}: all is taken");
            rx.check(bench, &mut model)
        });
    }
}

/// Holds some sinks while a stream comes in, then lets go: what came out is the stream without a
/// hole.
fn held(name: &str, hold: impl Fn(&mut Bench, &Rx, bool)) {
    plain(name, |bench, rx| {
        let conn = connect(bench, rx, 0)?;
        hold(bench, rx, true);
        let mut model = Model::default();
        for i in 0..100 {
            rx.send(bench, &mut model, piece(&conn, 1_000 + 1_000 * i, 1_000).frame(), false);
        }
        rx.settle(bench, &Default::default())?;
        let rate = bench.source_rate(rx.input);
        assert_eq!(rate.beats, rate.cycles(), "the port must take everything");
        hold(bench, rx, false);
        for _ in 0..5_000 {
            rx.step(bench);
        }
        let got = rx.outcome(bench)?;
        let taken = got.texts.len() as u64;
        let lost = got.counts[bad::ROOM] + got.counts[bad::GAP];
        assert!(taken >= 7 && lost > 0, "{taken} segments taken, {lost} lost");
        assert_eq!(taken + lost, 100, "{:?}", got.counts);
        let mut nxt = 1_000;
        for text in &got.texts {
            let there: Vec<u8> = (nxt..nxt + text.octets.len() as u32).map(octet).collect();
            assert!(text.seq == nxt && text.octets == there, "octets at {nxt} differ");
            nxt += text.octets.len() as u32;
        }
        // the peer sends again what it got no ACK for
        let mut model = Model::default();
        model.conns[0] = Some(Conn { rcv_nxt: nxt, wl1: nxt - 1_000, window: 0x4000, ..conn });
        for i in 0..3 {
            let conn = model.conns[0].clone().ok_or("it is there")?;
            rx.send(bench, &mut model, piece(&conn, nxt + 500 * i, 500).frame(), false);
        }
        rx.check(bench, &mut model)
    });
}

#[test]
fn octets_that_nobody_takes_are_sent_again() {
    held("tx_held", |bench, rx, on| bench.hold_sink(rx.output, on));
}

#[test]
fn announcements_and_facts_that_nobody_takes() {
    held("seg_held", |bench, rx, on| {
        bench.hold_channel_sink(rx.seg, on);
        bench.hold_channel_sink(rx.facts, on);
    });
}
