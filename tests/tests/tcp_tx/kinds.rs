// SPDX-License-Identifier: MIT OR Apache-2.0
//! What TCP transmit sends besides new FPDUs, on the emitted Verilog: raw octets, FIN, RST, and
//! segments again.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Grant, Kind, Row, Stage};
use rand::Rng;

const FIN_ACK: u8 = 0x11;
const RST_ACK: u8 = 0x14;

/// Runs a body on a stage with connection 1 of this row.
fn with_row(
    name: &str,
    row: impl Fn(Row) -> Row,
    body: impl Fn(&mut Bench, &mut Stage, &Row) -> Result<(), String>,
) {
    run_case(&format!("tcp_tx-kinds-{name}"), Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let row = row(Row::random(bench.rng()));
        stage.insert(bench, 1, &row)?;
        body(bench, &mut stage, &row)
    });
}

/// The answer to a reservation of connection 1.
fn ask(bench: &mut Bench, stage: &mut Stage, ask: Ask) -> Result<Grant, String> {
    stage.ask(bench, Ask { qp: 1, ..ask });
    stage.grant(bench)
}

/// Tells of an acknowledgment of the first `octets` octets.
fn acknowledge(bench: &mut Bench, stage: &mut Stage, row: &Row, octets: u32) -> Result<(), String> {
    stage.fact(bench, 1, Fact { ack: Some(row.una.wrapping_add(octets)), ..Fact::default() });
    stage.until(bench, 500, |s, b| s.told(b))?;
    stage.steps(bench, 10);
    Ok(())
}

const fn raw(length: usize) -> Ask {
    Ask { qp: 1, length, kind: Kind::Raw, control: false, replay: None, from: 0, most: None }
}

const fn fpdu(length: usize) -> Ask {
    Ask { qp: 1, length, kind: Kind::Fpdu, control: false, replay: None, from: 0, most: None }
}

const FIN: Ask = Ask { kind: Kind::Fin, ..fpdu(0) };

#[test]
fn raw_octets_take_their_own_length_and_do_not_wait_for_the_gate() {
    let row = |row| Row { gate: false, emss: 1000, markers: true, ..row };
    with_row("raw", row, |bench, stage, row| {
        assert_eq!(ask(bench, stage, fpdu(20))?, Grant::REFUSED, "an FPDU while the gate is closed");
        let mut at = row.nxt;
        for length in [1, 20, 999, 1000, 3] {
            let grant = ask(bench, stage, raw(length))?;
            assert_eq!((grant.ok, grant.seq, grant.octets), (true, at, length));
            let octets: Vec<u8> = (0..length).map(|_| bench.rng().random()).collect();
            stage.raw_octets(bench, 1, at, octets.clone(), false);
            assert_eq!(stage.frames(bench, 1)?, [row.conn.frame(at, row.rcv_nxt, &octets)]);
            at = at.wrapping_add(length as u32);
        }
        assert_eq!(ask(bench, stage, raw(0))?, Grant::REFUSED, "no octets");
        assert_eq!(stage.counts, [1, 0, 0, 0]);
        assert_eq!(stage.pubs.last().map(|p| p.2), Some(at.into()));
        Ok(())
    });
}

/// Only firmware writes Terminate and FIN, and it does so when something has come that calls for
/// them.
#[test]
fn a_closed_gate_holds_neither_terminate_nor_fin() {
    with_row(
        "gate",
        |row| Row { gate: false, ..row },
        |bench, stage, row| {
            assert_eq!(ask(bench, stage, fpdu(20))?, Grant::REFUSED, "an FPDU while the gate is closed");
            let terminate = ask(bench, stage, Ask { control: true, ..fpdu(30) })?;
            assert_eq!((terminate.ok, terminate.seq, terminate.moved), (true, row.nxt, None));
            let octets: Vec<u8> = (0..terminate.octets).map(|_| bench.rng().random()).collect();
            stage.segment(bench, 1, row.nxt, octets.clone(), false);
            let at = row.nxt.wrapping_add(octets.len() as u32);
            let fin = ask(bench, stage, FIN)?;
            assert_eq!((fin.ok, fin.seq, fin.octets), (true, at, 1));
            stage.fin(bench, 1, at, false);
            let expected = [
                row.conn.frame(row.nxt, row.rcv_nxt, &octets),
                row.conn.flagged(FIN_ACK, at, row.rcv_nxt, &[]),
            ];
            assert_eq!(stage.frames(bench, 2)?, expected);
            Ok(())
        },
    );
}

#[test]
fn an_open_gate_wakes_who_was_refused() {
    with_row(
        "open",
        |row| Row { gate: false, ..row },
        |bench, stage, row| {
            assert_eq!(ask(bench, stage, fpdu(20))?, Grant::REFUSED);
            stage.steps(bench, 40);
            assert!(stage.wakes.is_empty());
            // a neighbour's gate is no news for this one
            stage.open(bench, 2);
            stage.steps(bench, 40);
            assert!(stage.wakes.is_empty());
            stage.open(bench, 1);
            stage.steps(bench, 40);
            assert_eq!(stage.wakes.iter().map(|w| w.1).collect::<Vec<_>>(), [1]);
            assert_eq!(ask(bench, stage, fpdu(20))?.seq, row.nxt);
            // an insert closes it again
            stage.insert(bench, 1, row)?;
            assert_eq!(ask(bench, stage, fpdu(20))?, Grant::REFUSED);
            Ok(())
        },
    );
}

#[test]
fn a_fin_takes_one_sequence_number_and_no_octet() {
    with_row(
        "fin",
        |row| Row { wnd: 101, ..row },
        |bench, stage, row| {
            bench.set("tcp_tx_dead", 0b0010);
            assert_eq!(ask(bench, stage, fpdu(94))?, Grant::REFUSED, "a new FPDU of a queue pair in error");
            let terminate = ask(bench, stage, Ask { control: true, ..fpdu(94) })?;
            assert_eq!((terminate.ok, terminate.seq, terminate.octets), (true, row.nxt, 100));
            let octets = vec![7; 100];
            stage.segment(bench, 1, row.nxt, octets.clone(), false);
            let fin = ask(bench, stage, FIN)?;
            let at = row.nxt.wrapping_add(100);
            assert_eq!((fin.ok, fin.seq, fin.octets), (true, at, 1));
            stage.fin(bench, 1, at, false);
            let expected = [
                row.conn.frame(row.nxt, row.rcv_nxt, &octets),
                row.conn.flagged(FIN_ACK, at, row.rcv_nxt, &[]),
            ];
            assert_eq!(stage.frames(bench, 2)?, expected);
            assert_eq!(stage.pubs.last().map(|p| p.2), Some(at.wrapping_add(1).into()));
            // an ACK behind it has its number behind it
            stage.fact(bench, 1, Fact { ack_now: true, ..Fact::default() });
            assert_eq!(stage.frames(bench, 1)?, [row.conn.frame(at.wrapping_add(1), row.rcv_nxt, &[])]);
            assert_eq!(ask(bench, stage, FIN)?, Grant::REFUSED, "one sequence number more than the window");
            Ok(())
        },
    );
}

#[test]
fn a_replay_is_granted_its_old_place_until_it_is_acknowledged() {
    with_row(
        "replay",
        |row| row,
        |bench, stage, row| {
            // three segments: 100 octets of an FPDU, 50 raw ones, FIN
            assert!(ask(bench, stage, fpdu(94))?.ok);
            assert!(ask(bench, stage, raw(50))?.ok);
            let place = |n: u32| row.nxt.wrapping_add(n);
            stage.segment(bench, 1, place(0), vec![1; 100], false);
            stage.raw_octets(bench, 1, place(100), vec![2; 50], false);
            assert!(ask(bench, stage, FIN)?.ok);
            let first = Ask { replay: Some(0), ..fpdu(94) };
            let second = Ask { replay: Some(100), ..raw(50) };
            let third = Ask { replay: Some(150), ..FIN };
            // error and a closed window count for new ones only, and for what does not fit
            bench.set("tcp_tx_dead", 0b0010);
            for (again, seq, total) in [(first, 0, 100), (second, 100, 50), (third, 150, 1)] {
                let grant = ask(bench, stage, again)?;
                assert_eq!((grant.ok, grant.seq, grant.octets), (true, place(seq), total), "{again:?}");
            }
            assert_eq!(ask(bench, stage, first)?.phase, u64::from(place(0).wrapping_sub(row.start)) % 512);
            bench.set("tcp_tx_dead", 0);
            let next = ask(bench, stage, raw(1))?;
            assert_eq!((next.ok, next.seq), (true, place(151)), "a replay took room");
            // partly acknowledged is not acknowledged
            acknowledge(bench, stage, row, 99)?;
            assert_eq!(ask(bench, stage, first)?.seq, place(0));
            acknowledge(bench, stage, row, 100)?;
            assert_eq!(ask(bench, stage, first)?, Grant::SKIP);
            assert_eq!(ask(bench, stage, second)?.seq, place(100));
            acknowledge(bench, stage, row, 150)?;
            assert_eq!(ask(bench, stage, second)?, Grant::SKIP);
            // a window that has closed refuses, and wakes
            stage.wakes.clear();
            stage.fact(bench, 1, Fact { window: Some(0), ..Fact::default() });
            stage.steps(bench, 40);
            assert_eq!(ask(bench, stage, third)?, Grant::REFUSED);
            stage.fact(bench, 1, Fact { window: Some(1), ..Fact::default() });
            stage.steps(bench, 40);
            assert_eq!(stage.wakes.len(), 1);
            assert_eq!(ask(bench, stage, third)?.seq, place(150));
            acknowledge(bench, stage, row, 151)?;
            assert_eq!(ask(bench, stage, third)?, Grant::SKIP);
            assert_eq!(stage.wakes.len(), 1, "woken by an answer that is no refusal");
            Ok(())
        },
    );
}

#[test]
fn a_segment_that_leaves_again_does_not_move_snd_nxt() {
    with_row(
        "again",
        |row| row,
        |bench, stage, row| {
            let (one, two) = (vec![1; 40], vec![2; 60]);
            let second = row.nxt.wrapping_add(40);
            let end = second.wrapping_add(60);
            stage.raw_octets(bench, 1, row.nxt, one.clone(), false);
            stage.raw_octets(bench, 1, second, two, false);
            stage.fin(bench, 1, end, false);
            stage.frames(bench, 3)?;
            let told = stage.pubs.len();
            stage.raw_octets(bench, 1, row.nxt, one.clone(), true);
            stage.fin(bench, 1, end, true);
            let expected = [
                row.conn.frame(row.nxt, row.rcv_nxt, &one),
                row.conn.flagged(FIN_ACK, end, row.rcv_nxt, &[]),
            ];
            assert_eq!(stage.frames(bench, 2)?, expected);
            assert_eq!(stage.pubs.len(), told, "SND.NXT was told again");
            stage.fact(bench, 1, Fact { ack_now: true, ..Fact::default() });
            assert_eq!(stage.frames(bench, 1)?, [row.conn.frame(end.wrapping_add(1), row.rcv_nxt, &[])]);
            Ok(())
        },
    );
}

#[test]
fn a_reset_is_the_last_word_of_its_connection() {
    with_row(
        "rst",
        |row| row,
        |bench, stage, row| {
            let other = Row::random(bench.rng());
            stage.insert(bench, 3, &other)?;
            stage.segment(bench, 1, row.nxt, vec![9; 77], false);
            stage.frames(bench, 1)?;
            stage.done(bench, 1, row.rcv_nxt.wrapping_add(5));
            stage.reset(bench, 1);
            let at = row.nxt.wrapping_add(77);
            assert_eq!(
                stage.frames(bench, 1)?,
                [row.conn.flagged(RST_ACK, at, row.rcv_nxt.wrapping_add(5), &[])]
            );
            // data, FIN and ACKs of it are dropped, those of its neighbour leave
            stage.segment(bench, 1, at, vec![9; 300], false);
            stage.fin(bench, 1, at, false);
            stage.fact(bench, 1, Fact { ack_now: true, ..Fact::default() });
            stage.segment(bench, 3, other.nxt, vec![3; 30], false);
            assert_eq!(stage.frames(bench, 1)?, [other.conn.frame(other.nxt, other.rcv_nxt, &[3; 30])]);
            assert_eq!(stage.counts, [0, 0, 3, 0]);
            stage.insert(bench, 1, row)?;
            stage.fin(bench, 1, row.nxt, false);
            assert_eq!(stage.frames(bench, 1)?, [row.conn.flagged(FIN_ACK, row.nxt, row.rcv_nxt, &[])]);
            Ok(())
        },
    );
}
