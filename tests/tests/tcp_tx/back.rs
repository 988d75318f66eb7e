// SPDX-License-Identifier: MIT OR Apache-2.0
//! Room of segments whose payload could not be read, on the emitted Verilog: the first of them
//! gives its place in the stream to Terminate or FIN, and nothing behind it leaves.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Grant, Kind, Row, Stage};
use rand::Rng;

const FIN_ACK: u8 = 0x11;
/// ULPDUs of the segments, and the first that cannot be read.
const LENGTHS: [usize; 6] = [94, 300, 40, 1_000, 7, 200];
const BAD: usize = 2;

/// Connection 1 with segments that were granted, of which those before `BAD` have left.
struct Broken {
    row: Row,
    grants: Vec<Grant>,
    /// Sequence number of the first one that did not leave.
    place: u32,
    /// Octets of those that did.
    left: Vec<Vec<u8>>,
}

const fn fpdu(length: usize) -> Ask {
    Ask { qp: 1, length, kind: Kind::Fpdu, control: false, replay: None, from: 0, most: None }
}

const TERMINATE: Ask = Ask { control: true, ..fpdu(22) };
const FIN: Ask = Ask { kind: Kind::Fin, ..fpdu(0) };

impl Broken {
    fn new(bench: &mut Bench, stage: &mut Stage) -> Result<Self, String> {
        let row = Row { markers: true, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        let mut grants = vec![];
        for length in LENGTHS {
            stage.ask(bench, fpdu(length));
            grants.push(stage.grant(bench)?);
        }
        assert!(grants.iter().all(|g| g.ok && g.moved.is_none() && !g.sure));
        let mut left = vec![];
        for Grant { seq, octets, .. } in &grants[..BAD] {
            let octets: Vec<u8> = (0..*octets).map(|_| bench.rng().random()).collect();
            stage.segment(bench, 1, *seq, octets.clone(), false);
            left.push(octets);
        }
        let frames = stage.frames(bench, BAD)?;
        let expected = grants.iter().zip(&left).map(|(g, octets)| row.conn.frame(g.seq, row.rcv_nxt, octets));
        assert_eq!(frames, expected.collect::<Vec<_>>());
        Ok(Self { row, place: grants[BAD].seq, grants, left })
    }

    /// The others give their room back.
    fn give_back(&self, bench: &mut Bench, stage: &mut Stage) -> Result<(), String> {
        for grant in &self.grants[BAD..] {
            stage.give_back(bench, 1, grant.seq, false);
        }
        stage.given_back(bench)
    }

    /// Stream offset, counted from the insert, of a sequence number.
    fn offset(&self, seq: u32) -> u64 {
        seq.wrapping_sub(self.row.nxt).into()
    }
}

fn case(name: &str, body: impl Fn(&mut Bench, &mut Stage) -> Result<(), String>) {
    for seed in 1..=3 {
        run_case(&format!("tcp_tx-back-{name}"), Top::TcpTxW64, seed, |bench| {
            let mut stage = Stage::random(bench);
            body(bench, &mut stage)
        });
    }
}

#[test]
fn terminate_and_fin_stand_in_the_place_of_what_could_not_be_read() {
    case("terminate", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        broken.give_back(bench, stage)?;
        let other = Row::random(bench.rng());
        stage.insert(bench, 3, &other)?;
        // nothing new, whether the queue pair is known to be in error or not
        for dead in [0, 0b0010] {
            bench.set("tcp_tx_dead", dead);
            stage.ask(bench, fpdu(20));
            assert_eq!(stage.grant(bench)?, Grant::REFUSED);
        }
        stage.ask(bench, TERMINATE);
        let terminate = stage.grant(bench)?;
        let at = Some(broken.offset(broken.place));
        let phase = u64::from(broken.place.wrapping_sub(broken.row.start)) % 512;
        let got = (terminate.ok, terminate.seq, terminate.moved, terminate.phase, terminate.sure);
        assert_eq!(got, (true, broken.place, at, phase, true));
        let octets: Vec<u8> = (0..terminate.octets).map(|_| bench.rng().random()).collect();
        stage.segment(bench, 1, broken.place, octets.clone(), false);
        stage.ask(bench, FIN);
        let fin = stage.grant(bench)?;
        let at = broken.place.wrapping_add(terminate.octets as u32);
        assert_eq!((fin.ok, fin.seq, fin.moved, fin.sure), (true, at, None, true));
        stage.fin(bench, 1, at, false);
        let Row { conn, rcv_nxt, .. } = &broken.row;
        let last = [conn.frame(broken.place, *rcv_nxt, &octets), conn.flagged(FIN_ACK, at, *rcv_nxt, &[])];
        assert_eq!(stage.frames(bench, 2)?, last);
        // both may leave again
        stage.again(bench, 1, broken.place, octets.clone(), false);
        assert_eq!(stage.frames(bench, 1)?, last[..1]);
        assert_eq!(stage.pubs.last().map(|p| (p.1, p.2)), Some((1, at.wrapping_add(1).into())));
        // the neighbour has seen nothing of it
        stage.ask(bench, Ask { qp: 3, ..fpdu(40) });
        let Grant { ok, seq, moved, sure, .. } = stage.grant(bench)?;
        assert_eq!((ok, seq, moved, sure), (true, other.nxt, None, false));
        assert_eq!(stage.counts, [0; 4]);
        Ok(())
    });
}

#[test]
fn fin_alone_stands_there_too() {
    case("fin", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        broken.give_back(bench, stage)?;
        stage.ask(bench, FIN);
        let fin = stage.grant(bench)?;
        let at = Some(broken.offset(broken.place));
        assert_eq!((fin.ok, fin.seq, fin.moved), (true, broken.place, at));
        stage.fin(bench, 1, broken.place, false);
        let frame = broken.row.conn.flagged(FIN_ACK, broken.place, broken.row.rcv_nxt, &[]);
        assert_eq!(stage.frames(bench, 1)?, [frame]);
        Ok(())
    });
}

/// A Terminate that the window has no room for is woken by the room that comes back.
#[test]
fn room_that_comes_back_wakes_who_was_refused() {
    case("wake", |bench, stage| {
        let row = Row { markers: false, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        stage.ask(bench, fpdu(400));
        let grant = stage.grant(bench)?;
        stage.fact(bench, 1, Fact { window: Some(grant.octets as u32 + 20), ..Fact::default() });
        stage.until(bench, 200, |s, b| s.told(b))?;
        stage.ask(bench, TERMINATE);
        assert_eq!(stage.grant(bench)?, Grant::REFUSED);
        stage.steps(bench, 20);
        let woken = stage.wakes.len();
        stage.give_back(bench, 1, grant.seq, false);
        stage.until(bench, 200, |s, _| s.wakes.len() > woken)?;
        assert_eq!(stage.wakes.last().map(|w| w.1), Some(1));
        stage.ask(bench, TERMINATE);
        let terminate = stage.grant(bench)?;
        assert_eq!((terminate.ok, terminate.seq, terminate.moved), (true, row.nxt, Some(0)));
        Ok(())
    });
}

#[test]
fn what_never_left_does_not_leave_again_and_what_did_does() {
    case("again", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        broken.give_back(bench, stage)?;
        for (i, grant) in broken.grants.iter().enumerate() {
            stage.ask(bench, Ask { replay: Some(broken.offset(grant.seq)), ..fpdu(LENGTHS[i]) });
            let answer = stage.grant(bench)?;
            if i >= BAD {
                assert_eq!(answer, Grant::SKIP, "segment {i}");
                continue;
            }
            assert_eq!((answer.ok, answer.seq, answer.sure), (true, grant.seq, true));
            stage.again(bench, 1, grant.seq, broken.left[i].clone(), false);
            let frame = broken.row.conn.frame(grant.seq, broken.row.rcv_nxt, &broken.left[i]);
            assert_eq!(stage.frames(bench, 1)?, [frame]);
        }
        Ok(())
    });
}

/// What stands behind the first one may come back late: until then nothing of it leaves again
/// either.
#[test]
fn what_never_left_does_not_leave_again_while_others_come_back() {
    case("between", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        for (back, late) in broken.grants.iter().enumerate().skip(BAD) {
            stage.give_back(bench, 1, late.seq, false);
            stage.given_back(bench)?;
            for (i, grant) in broken.grants.iter().enumerate() {
                stage.ask(bench, Ask { replay: Some(broken.offset(grant.seq)), ..fpdu(LENGTHS[i]) });
                let answer = stage.grant(bench)?;
                assert_eq!((answer.ok, answer.skip), (i < BAD, i >= BAD), "segment {i}, {back} came back");
            }
        }
        Ok(())
    });
}

/// What would have left again has no room: SND.NXT and what stands before it remain as they are.
#[test]
fn one_that_cannot_leave_again_has_no_room() {
    case("lost", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        let last = broken.grants[LENGTHS.len() - 1];
        stage.give_back(bench, 1, broken.grants[0].seq, true);
        stage.given_back(bench)?;
        stage.ask(bench, TERMINATE);
        let terminate = stage.grant(bench)?;
        let at = last.seq.wrapping_add(last.octets as u32);
        assert_eq!((terminate.ok, terminate.seq, terminate.moved), (true, at, Some(broken.offset(at))));
        Ok(())
    });
}

/// MPA makes no such frame of what the send queue gives it.
#[test]
fn a_frame_with_err_silences_its_connection_but_for_a_reset() {
    case("err", |bench, stage| {
        let row = Row::random(bench.rng());
        stage.insert(bench, 1, &row)?;
        stage.segment(bench, 1, row.nxt, vec![1; 500], false);
        stage.frames(bench, 1)?;
        stage.again(bench, 1, row.nxt, vec![1; 500], true);
        stage.until(bench, 2_000, |s, _| s.counts[1] == 1)?;
        stage.steps(bench, 2);
        stage.segment(bench, 1, row.nxt.wrapping_add(500), vec![2; 60], false);
        stage.fact(bench, 1, Fact { ack_now: true, ..Fact::default() });
        assert!(stage.frames(bench, 0)?.is_empty());
        stage.reset(bench, 1);
        let at = row.nxt.wrapping_add(500);
        assert_eq!(stage.frames(bench, 1)?, [row.conn.flagged(0x14, at, row.rcv_nxt, &[])]);
        Ok(())
    });
}
