//! The network receive stage behind a FIN: what may come there, and what is told of what may not (RFC 5041 section 6.2.1).
use ferrowarp_sim::Bench;
use ferrowarp_tests::net_rx::{plain, Rx};
use ferrowarp_tests::net_rx_frames::{Segment, Tuple, ACK, FIN};
use ferrowarp_tests::net_rx_model::{bad, Conn, Fact, Model};

const QP: u8 = 1;
/// RCV.NXT, octets before the FIN, and the place behind it.
const START: u32 = 1_000;
const OCTETS: u32 = 50;
const BEHIND: u32 = START + OCTETS + 1;
/// Events: FIN, and octets behind it.
const FINS: (u8, u8) = (QP, 2);
const LATE: (u8, u8) = (QP, 3);

fn piece(conn: &Conn, seq: u32, octets: u32, flags: u8) -> Segment {
    Segment { data: vec![7; octets as usize], flags: ACK | flags, ..Segment::new(&conn.tuple, seq, 9) }
}

/// Events, facts, octets of texts, and how many segments were not acceptable.
type Came = (Vec<(u8, u8)>, Vec<Fact>, Vec<usize>, u64);

/// What comes of segments.
fn comes(bench: &mut Bench, rx: &mut Rx, segments: &[Segment]) -> Result<Came, String> {
    let mut model = Model::default();
    for segment in segments {
        rx.send(bench, &mut model, segment.frame(), false);
    }
    rx.settle(bench, &Default::default())?;
    let got = rx.outcome(bench)?;
    let facts = got.facts.iter().map(|fact| fact.0).collect();
    Ok((
        got.events,
        facts,
        got.texts.iter().map(|text| text.octets.len()).collect(),
        got.counts[bad::OUTSIDE],
    ))
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
            assert_eq!(comes(bench, rx, &[piece(&conn, BEHIND, 0, 0)])?, (vec![], vec![], vec![], 0));
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
