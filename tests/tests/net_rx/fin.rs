// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network receive stage behind a FIN: what may come there, and what is told of what may not
//! (RFC 5041 section 6.2.1).
use ferrowarp_sim::Bench;
use ferrowarp_tests::net_rx::{plain, Rx};
use ferrowarp_tests::net_rx_frames::{Segment, Tuple, ACK, FIN};
use ferrowarp_tests::net_rx_model::{bad, Conn, Fact, Model};

const QP: u8 = 1;
/// RCV.NXT, octets before the FIN, and the place behind it.
const START: u32 = 1_000;
const OCTETS: u32 = 50;
const BEHIND: u32 = START + OCTETS + 1;
/// The end of the stream, as it is announced, and the event of octets behind it.
const FINS: (u8, u8) = (QP, 2);
const LATE: (u8, u8) = (QP, 3);

fn piece(conn: &Conn, seq: u32, octets: u32, flags: u8) -> Segment {
    Segment { data: vec![7; octets as usize], flags: ACK | flags, ..Segment::new(&conn.tuple, seq, 9) }
}

/// Ends and events, facts, octets of texts, and how many segments were not acceptable.
type Came = (Vec<(u8, u8)>, Vec<Fact>, Vec<usize>, u64);

/// What comes of segments.
fn comes(bench: &mut Bench, rx: &mut Rx, segments: &[Segment]) -> Result<Came, String> {
    let mut model = Model::default();
    for segment in segments {
        rx.send(bench, &mut model, segment.frame(), false);
    }
    rx.settle(bench, &Default::default())?;
    let got = rx.outcome(bench)?;
    let ends = got.texts.iter().filter(|text| text.end).map(|text| (text.qp, FINS.1));
    let events = ends.chain(got.events).collect();
    let facts = got.facts.iter().map(|fact| fact.0).collect();
    Ok((events, facts, got.texts.iter().map(|text| text.octets.len()).collect(), got.counts[bad::OUTSIDE]))
}

#[test]
fn octets_behind_a_fin_are_told_once() {
    plain("late", |bench, rx| {
        // the window of the segments, so that none of them has news
        let fresh = Conn::new(Tuple::random(bench.rng(), false), START, 9);
        let conn = Conn { window: 16_384, most: 16_384, ..fresh };
        let owed = Fact { qp: QP, ack_now: true, ..Fact::default() };
        for _ in 0..2 {
            assert_eq!(rx.insert(bench, QP.into(), &conn)?, 0);
            let closes = piece(&conn, START, OCTETS, FIN);
            let got = comes(bench, rx, std::slice::from_ref(&closes))?;
            assert_eq!(got, (vec![FINS], vec![], vec![OCTETS as usize], 0));
            // the same again, in one and in two, and an ACK
            let again = [closes, piece(&conn, START, 20, 0), piece(&conn, BEHIND - 1, 0, FIN)];
            assert_eq!(comes(bench, rx, &again)?, (vec![], vec![owed; 3], vec![], 3));
            // a pure ACK with nothing in flight may answer a probe: its window is told
            let answers = Fact { qp: QP, window: Some(16_384), ..Fact::default() };
            assert_eq!(comes(bench, rx, &[piece(&conn, BEHIND, 0, 0)])?, (vec![], vec![answers], vec![], 0));
            // another FIN; octets beyond a gap, which may be anything
            assert_eq!(comes(bench, rx, &[piece(&conn, BEHIND, 0, FIN)])?, (vec![], vec![], vec![], 1));
            let gap = [piece(&conn, BEHIND + 5, 10, 0)];
            assert_eq!(comes(bench, rx, &gap)?, (vec![], vec![owed], vec![], 0));
            // octets that follow; those across the FIN count too
            let late =
                [piece(&conn, BEHIND - 5, 15, 0), piece(&conn, BEHIND, 10, 0), piece(&conn, BEHIND, 1, FIN)];
            assert_eq!(comes(bench, rx, &late)?, (vec![LATE], vec![], vec![], 3));
            assert_eq!(rx.remove(bench, QP.into())?, 0);
        }
        Ok(())
    });
}

/// What MPA has cut is due again: RCV.NXT is there, the FIN was not taken, and an ACK is owed at
/// once.
#[test]
fn a_cut_takes_back_octets_and_fin() {
    plain("cut", |bench, rx| {
        let fresh = Conn::new(Tuple::random(bench.rng(), false), START, 9);
        let conn = Conn { window: 16_384, most: 16_384, ..fresh };
        let owed = Fact { qp: QP, ack_now: true, ..Fact::default() };
        assert_eq!(rx.insert(bench, QP.into(), &conn)?, 0);
        for side in 0..4 {
            let closes = [piece(&conn, START, OCTETS, 0), piece(&conn, START + OCTETS, OCTETS, FIN)];
            let got = comes(bench, rx, &closes)?;
            assert_eq!((got.0, got.2, got.3), (vec![FINS], vec![OCTETS as usize; 2], 0), "cut {side}");
            assert_eq!(rx.sides[usize::from(QP)], side % 2);
            // behind ten octets
            rx.undo(bench, QP.into(), START + 10);
            assert_eq!(comes(bench, rx, &[])?, (vec![], vec![owed], vec![], 0));
            // what follows is a gap now
            let gap = [piece(&conn, START + OCTETS, OCTETS, 0)];
            assert_eq!(comes(bench, rx, &gap)?, (vec![], vec![owed], vec![], 0));
            // the rest of the octets comes, then all is undone
            let rest = [piece(&conn, START, OCTETS, 0)];
            assert_eq!(comes(bench, rx, &rest)?, (vec![], vec![], vec![OCTETS as usize - 10], 0));
            assert_eq!(rx.sides[usize::from(QP)], (side + 1) % 2);
            rx.undo(bench, QP.into(), START);
            assert_eq!(comes(bench, rx, &[])?, (vec![], vec![owed], vec![], 0));
            rx.undo(bench, QP.into(), START);
            assert_eq!(comes(bench, rx, &[])?, (vec![], vec![owed], vec![], 0));
        }
        // of a connection that is gone nothing is undone, nor of the next one of its number
        rx.undo(bench, QP.into(), START);
        assert_eq!(rx.remove(bench, QP.into())?, 0);
        rx.outcome(bench)?;
        rx.undo(bench, QP.into(), START + 10);
        assert_eq!(rx.insert(bench, QP.into(), &conn)?, 0);
        assert_eq!(comes(bench, rx, &[])?, (vec![], vec![], vec![], 0));
        let first = [piece(&conn, START, OCTETS, 0)];
        assert_eq!(comes(bench, rx, &first)?, (vec![], vec![], vec![OCTETS as usize], 0));
        assert_eq!(rx.sides[usize::from(QP)], 0);
        Ok(())
    });
}
