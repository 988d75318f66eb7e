//! A segment whose payload could not be read, on the emitted Verilog: its place in the stream goes to Terminate or FIN, and
//! what was granted behind it never leaves.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Grant, Kind, Row, Stage};
use rand::Rng;

const FIN_ACK: u8 = 0x11;
/// ULPDUs of the segments, and the first that cannot be read.
const LENGTHS: [usize; 6] = [94, 300, 40, 1_000, 7, 200];
const BAD: usize = 2;

/// Connection 1 with segments that were granted and not delivered.
struct Broken {
    row: Row,
    grants: Vec<Grant>,
    /// Sequence number of the hole, and after all segments.
    hole: u32,
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
        assert!(grants.iter().all(|g| g.ok && g.moved.is_none()));
        Ok(Self { row, hole: grants[BAD].seq, grants })
    }

    /// Delivers segments; `BAD` and the last one end with `err`. The frames that must leave.
    fn deliver(&self, bench: &mut Bench, stage: &mut Stage, which: std::ops::Range<usize>) -> Vec<Vec<u8>> {
        let mut expected = vec![];
        for i in which {
            let Grant { seq, octets: total, .. } = self.grants[i];
            let octets: Vec<u8> = (0..total).map(|_| bench.rng().random()).collect();
            stage.segment(bench, 1, seq, octets.clone(), i == BAD || i + 1 == LENGTHS.len());
            if i < BAD {
                expected.push(self.row.conn.frame(seq, self.row.rcv_nxt, &octets));
            }
        }
        expected
    }

    /// Stream offset, counted from the insert, of a sequence number.
    fn offset(&self, seq: u32) -> u64 {
        seq.wrapping_sub(self.row.nxt).into()
    }
}

fn case(name: &str, body: impl Fn(&mut Bench, &mut Stage) -> Result<(), String>) {
    for seed in 1..=3 {
        run_case(&format!("tcp_tx-hole-{name}"), Top::TcpTxW64, seed, |bench| {
            let mut stage = Stage::random(bench);
            body(bench, &mut stage)
        });
    }
}

#[test]
fn terminate_and_fin_stand_in_the_place_of_what_could_not_be_read() {
    case("terminate", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        let other = Row::random(bench.rng());
        stage.insert(bench, 3, &other)?;
        let expected = broken.deliver(bench, stage, 0..LENGTHS.len());
        stage.segment(bench, 3, other.nxt, vec![3; 77], false);
        let frames = stage.frames(bench, expected.len() + 1)?;
        assert_eq!(frames[..BAD], expected);
        assert_eq!(frames[BAD], other.conn.frame(other.nxt, other.rcv_nxt, &[3; 77]), "of the neighbour");
        // one that failed, two dropped behind it; the last one failed behind the hole, which is no news
        assert_eq!(stage.counts, [0, 1, 2, 0]);

        bench.set("tcp_tx_dead", 0b0010);
        stage.ask(bench, fpdu(20));
        assert_eq!(stage.grant(bench)?, Grant::REFUSED);
        stage.ask(bench, TERMINATE);
        let terminate = stage.grant(bench)?;
        let at = Some(broken.offset(broken.hole));
        let phase = u64::from(broken.hole.wrapping_sub(broken.row.start)) % 512;
        let got = (terminate.ok, terminate.seq, terminate.moved, terminate.phase);
        assert_eq!(got, (true, broken.hole, at, phase));
        let octets: Vec<u8> = (0..terminate.octets).map(|_| bench.rng().random()).collect();
        stage.segment(bench, 1, broken.hole, octets.clone(), false);
        let fin = stage.end(bench, FIN)?;
        let at = broken.hole.wrapping_add(terminate.octets as u32);
        assert_eq!((fin.ok, fin.seq, fin.moved), (true, at, None));
        stage.fin(bench, 1, at, false);
        let Row { conn, rcv_nxt, .. } = &broken.row;
        let last = [conn.frame(broken.hole, *rcv_nxt, &octets), conn.flagged(FIN_ACK, at, *rcv_nxt, &[])];
        assert_eq!(stage.frames(bench, 2)?, last);
        // both may leave again
        stage.again(bench, 1, broken.hole, octets.clone(), false);
        assert_eq!(stage.frames(bench, 1)?, last[..1]);
        assert_eq!(stage.pubs.last().map(|p| (p.1, p.2)), Some((1, at.wrapping_add(1).into())));
        Ok(())
    });
}

/// An end is refused until all segments that were granted before have come, or one of them has left a hole; each that comes wakes its
/// connection. A second end waits for the first one.
fn an_end_waits(name: &str, end: Ask) {
    case(name, |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        let other = Row::random(bench.rng());
        stage.insert(bench, 3, &other)?;
        let mut expected = vec![];
        for i in 0..=BAD {
            stage.ask(bench, end);
            assert_eq!(stage.grant(bench)?, Grant::REFUSED, "before segment {i} of {}", LENGTHS.len());
            stage.ask(bench, Ask { qp: 3, ..fpdu(40) });
            assert!(stage.grant(bench)?.ok, "the neighbour, before segment {i}");
            stage.steps(bench, 20);
            let woken = stage.wakes.len();
            expected.extend(broken.deliver(bench, stage, i..i + 1));
            stage.until(bench, 2_000, |s, _| s.wakes.len() > woken)?;
            assert_eq!(stage.wakes.last().map(|w| w.1), Some(1));
        }
        stage.ask(bench, end);
        let given = stage.grant(bench)?;
        let at = Some(broken.offset(broken.hole));
        assert_eq!((given.ok, given.seq, given.moved), (true, broken.hole, at));
        stage.ask(bench, FIN);
        assert_eq!(stage.grant(bench)?, Grant::REFUSED, "before the first end has come");
        expected.extend(broken.deliver(bench, stage, BAD + 1..LENGTHS.len()));
        let Row { conn, rcv_nxt, .. } = &broken.row;
        if end.kind == Kind::Fin {
            stage.fin(bench, 1, broken.hole, false);
            expected.push(conn.flagged(FIN_ACK, broken.hole, *rcv_nxt, &[]));
        } else {
            let octets = vec![5; given.octets];
            stage.segment(bench, 1, broken.hole, octets.clone(), false);
            expected.push(conn.frame(broken.hole, *rcv_nxt, &octets));
        }
        assert_eq!(stage.frames(bench, expected.len())?, expected);
        Ok(())
    });
}

#[test]
fn fin_waits_for_what_is_under_way_and_holds_nobody_else() {
    an_end_waits("fin-waits", FIN);
}

#[test]
fn terminate_waits_for_what_is_under_way_and_holds_nobody_else() {
    an_end_waits("terminate-waits", TERMINATE);
}

/// The last segment comes in any cycle around the refusal: the end is granted, or woken.
#[test]
fn the_last_segment_may_come_while_the_end_is_refused() {
    run_case("tcp_tx-hole-race", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let row = Row { markers: false, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        let mut refusals = 0;
        for (ahead, end) in (0..40).flat_map(|ahead| [(ahead, TERMINATE), (ahead, FIN)]) {
            stage.insert(bench, 1, &row)?;
            stage.ask(bench, fpdu(40));
            let grant = stage.grant(bench)?;
            let woken = stage.wakes.len();
            stage.segment(bench, 1, grant.seq, vec![7; grant.octets], false);
            stage.steps(bench, ahead);
            stage.ask(bench, end);
            if !stage.grant(bench)?.ok {
                refusals += 1;
                stage.until(bench, 200, |s, _| s.wakes.len() > woken)?;
                stage.ask(bench, end);
                assert!(stage.grant(bench)?.ok, "{ahead} cycles behind the segment, after the wake-up");
            }
            stage.frames(bench, 1)?;
        }
        assert!((10..70).contains(&refusals), "{refusals} of 80 were refused");
        Ok(())
    });
}

#[test]
fn what_never_left_does_not_leave_again_and_what_did_does() {
    case("again", |bench, stage| {
        let broken = Broken::new(bench, stage)?;
        let expected = broken.deliver(bench, stage, 0..BAD + 1);
        // granted before anybody knows of the hole, and delivered behind it
        let (before, behind) = (broken.grants[0], broken.grants[BAD + 1]);
        stage.again(bench, 1, behind.seq, vec![8; behind.octets], false);
        stage.again(bench, 1, before.seq, vec![9; before.octets], false);
        let frames = stage.frames(bench, expected.len() + 1)?;
        assert_eq!(frames[..BAD], expected);
        let again = broken.row.conn.frame(before.seq, broken.row.rcv_nxt, &vec![9; before.octets]);
        assert_eq!(frames[BAD], again);
        for (i, grant) in broken.grants.iter().enumerate() {
            stage.ask(bench, Ask { replay: Some(broken.offset(grant.seq)), ..fpdu(LENGTHS[i]) });
            let answer = stage.grant(bench)?;
            match i < BAD {
                true => assert_eq!((answer.ok, answer.seq), (true, grant.seq)),
                false => assert_eq!(answer, Grant::SKIP, "segment {i}"),
            }
        }
        Ok(())
    });
}

#[test]
fn one_that_cannot_leave_again_silences_its_connection_but_for_a_reset() {
    case("lost", |bench, stage| {
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
