// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Send waits in the MPA receive stage for its receive, delays others for a bounded time, and is
//! cut then.
use ferrowarp_sim::Bench;
use ferrowarp_tests::mpa_rx::{both_widths, ulpdu, Rx, Stream, PATIENCE, SEND, WRITE};
use rand::Rng;

/// Cycles that a segment takes behind a cut.
const BEHIND: u64 = 60;

/// Two connections; the first one's Send stands in the second FPDU of its segment.
fn pair(bench: &mut Bench, rx: &Rx, markers: bool) -> Result<[Stream; 2], String> {
    let streams =
        [(); 2].map(|()| bench.rng().random()).map(|seq| Stream::new(u64::from(seq) % 2, seq, markers, true));
    let [mut one, mut two] = streams;
    (one.conn, two.conn) = (5, 9);
    for (stream, heads) in [(&mut one, &[WRITE, SEND, WRITE][..]), (&mut two, &[WRITE])] {
        for head in heads {
            let ulpdu = ulpdu(bench, *head, 60);
            stream.push(&ulpdu);
        }
    }
    rx.set_up(bench, &one)?;
    rx.set_up(bench, &two)?;
    Ok([one, two])
}

/// Pulses of `undo` and ack points in the next cycles.
type Told = (Vec<(u64, u32)>, Vec<(u64, u32, u64)>, u64);

fn watch(bench: &mut Bench, cycles: u64) -> Told {
    let mut told = Told::default();
    for _ in 0..cycles {
        bench.step();
        if bench.get("mpa_rx_undo_valid") == 1 {
            told.0.push((bench.get("mpa_rx_undo_conn"), bench.get("mpa_rx_undo_due") as u32));
        }
        if bench.get("mpa_rx_done_valid") == 1 {
            let seq = bench.get("mpa_rx_done_seq") as u32;
            told.1.push((bench.get("mpa_rx_done_conn"), seq, bench.get("mpa_rx_done_ends")));
        }
        told.2 += bench.get("mpa_rx_stray");
    }
    told
}

#[test]
fn a_send_without_its_receive_is_cut_for_those_behind_it_and_for_nobody_else() {
    for markers in [false, true] {
        both_widths(&format!("cut-{markers}"), |bench, rx| {
            let [one, two] = pair(bench, rx, markers)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            let second = one.expected[0].1;
            rx.announce(bench, (one.conn, one.seq_start), &one.octets, true, 0);
            // nobody behind it
            assert_eq!(watch(bench, 10 * PATIENCE), Told::default());
            assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
            // somebody: cut where the Send begins, the FIN is not told
            rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
            let told = watch(bench, BEHIND);
            let points = vec![(one.conn, second, 0), (two.conn, two.end_seq(), 0)];
            assert_eq!(told, (vec![(one.conn, second)], points, 0));
            assert_eq!(bench.get("mpa_rx_hold_valid"), 0);
            // what was announced before the cut was heard of is a stray, though it begins there
            let at = second.wrapping_sub(one.seq_start) as usize;
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 0);
            assert_eq!(watch(bench, BEHIND), (vec![], vec![], 1));
            // it comes again: somebody waits, and it is cut at once
            bench.set("mpa_rx_waiting", 1);
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 1);
            let again = watch(bench, PATIENCE - 10);
            assert_eq!(again, (vec![(one.conn, second)], vec![(one.conn, second, 0)], 0));
            // nobody waits: it waits for its receive
            bench.set("mpa_rx_waiting", 0);
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 0);
            assert_eq!(watch(bench, 10 * PATIENCE), Told::default());
            bench.set("mpa_rx_there", 1 << one.conn);
            let end = one.end_seq().wrapping_add(1);
            assert_eq!(watch(bench, 2 * BEHIND), (vec![], vec![(one.conn, end, 1)], 0));
            assert_eq!(bench.waiting(rx.output), 4);
            Ok(())
        });
    }
}

/// Who waits in TCP counts when the Send has waited for twice as long; a segment of the same
/// connection, sixteen times.
#[test]
fn whoever_waits_behind_a_send_waits_for_a_bounded_time() {
    for (name, is_own, times) in [("waiting", false, 2), ("own", true, 16)] {
        both_widths(&format!("behind-{name}"), |bench, rx| {
            let [one, two] = pair(bench, rx, false)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            bench.set("mpa_rx_waiting", u64::from(!is_own));
            let (second, all) = (one.expected[0].1, one.octets.len());
            rx.announce(bench, (one.conn, one.seq_start), &one.octets[..all - 8], false, 0);
            let rest = one.seq_start.wrapping_add(all as u32 - 8);
            if is_own {
                rx.announce(bench, (one.conn, rest), &one.octets[all - 8..], true, 0);
                rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
            }
            assert_eq!(watch(bench, times * PATIENCE).0, vec![], "{name}");
            let told = watch(bench, 2 * BEHIND);
            assert_eq!(told.0, vec![(one.conn, second)], "{name}");
            assert_eq!(bench.get("mpa_rx_hold_valid"), 0);
            // the rest is a stray
            let others = u64::from(is_own);
            assert_eq!((told.1.len() as u64, told.2), (1 + others, others), "{name}");
            Ok(())
        });
    }
}

/// A store that is half full is somebody, and so is an end of a queue pair or connection: they wait
/// for the patience.
#[test]
fn a_full_store_and_an_end_wait_for_the_patience_of_a_send() {
    for port in ["mpa_rx_crowded", "mpa_rx_tok_valid"] {
        both_widths(port, |bench, rx| {
            let [one, _] = pair(bench, rx, false)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            bench.set(port, 1);
            rx.announce(bench, (one.conn, one.seq_start), &one.octets, true, 0);
            assert_eq!(watch(bench, PATIENCE), Told::default());
            let start = bench.cycle();
            let mut is_cut = false;
            while !is_cut || (port.ends_with("tok_valid") && bench.get("mpa_rx_tok_ready") == 0) {
                bench.step();
                is_cut |= bench.get("mpa_rx_undo_valid") == 1;
                let took = bench.cycle() - start;
                assert!(took < 2 * BEHIND, "{port}: not in {took} cycles");
            }
            bench.set(port, 0);
            Ok(())
        });
    }
}

/// A queue pair whose row is written has no promises.
#[test]
fn a_row_that_is_written_forgets_promises() {
    both_widths("anew", |bench, rx| {
        // the connection that stands on the port of set-ups while none is offered
        let mut stream = Stream::new(0, bench.rng().random(), false, true);
        for _ in 0..3 {
            let ulpdu = ulpdu(bench, SEND, 60);
            stream.push(&ulpdu);
        }
        rx.set_up(bench, &stream)?;
        for port in ["mpa_rx_there", "mpa_rx_two", "mpa_rx_to_come"] {
            bench.set(port, 1);
        }
        rx.announce(bench, (0, stream.seq_start), &stream.octets, false, 0);
        // two are promised: the third Send waits
        assert_eq!(watch(bench, 2 * BEHIND), Told::default());
        assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
        bench.set("mpa_rx_anew", 1);
        (0..100).for_each(|_| bench.step());
        bench.set("mpa_rx_anew", 0);
        let told = watch(bench, 4 * BEHIND);
        assert_eq!(told, (vec![], vec![(0, stream.end_seq(), 0)], 0));
        Ok(())
    });
}

/// A promise that is never kept, as of a Send that DDP dropped without a take, delays others for a
/// bounded time.
#[test]
fn a_promise_that_is_lost_holds_nobody_for_ever() {
    both_widths("promise", |bench, rx| {
        let [one, two] = pair(bench, rx, false)?;
        let mut more = Stream::new(one.conn, one.end_seq(), false, true);
        for _ in 0..2 {
            let ulpdu = ulpdu(bench, SEND, 60);
            more.push(&ulpdu);
        }
        bench.set("mpa_rx_there", 1 << one.conn);
        bench.set("mpa_rx_two", 1 << one.conn);
        bench.set("mpa_rx_to_come", 1 << one.conn);
        rx.announce(bench, (one.conn, one.seq_start), &one.octets, false, 0);
        rx.announce(bench, (more.conn, more.seq_start), &more.octets, false, 0);
        rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
        // sixteen cycles of this wait count as one
        let told = watch(bench, 32 * PATIENCE);
        assert_eq!((told.0, told.1.len()), (vec![], 1));
        let second = more.expected[0].1;
        let points = vec![(more.conn, second, 0), (two.conn, two.end_seq(), 0)];
        assert_eq!(watch(bench, 4 * PATIENCE), (vec![(more.conn, second)], points, 0));
        Ok(())
    });
}

/// A read that is not late, and Sends that wait for DDP alone, are not cut.
#[test]
fn who_waits_for_less_than_the_patience_or_for_ddp_is_not_cut() {
    both_widths("patient", |bench, rx| {
        let [one, two] = pair(bench, rx, false)?;
        bench.set("mpa_rx_to_come", 1 << one.conn);
        rx.announce(bench, (one.conn, one.seq_start), &one.octets, false, 0);
        rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
        let told = watch(bench, PATIENCE);
        assert_eq!(told, Told::default());
        bench.set("mpa_rx_there", 1 << one.conn);
        assert_eq!(watch(bench, BEHIND).1.len(), 2);
        // one is promised: the next Send waits for the second receive, and with two promised for
        // DDP
        let mut more = Stream::new(one.conn, one.end_seq(), false, true);
        for _ in 0..2 {
            let ulpdu = ulpdu(bench, SEND, 60);
            more.push(&ulpdu);
        }
        rx.announce(bench, (more.conn, more.seq_start), &more.octets, false, 0);
        rx.announce(bench, (two.conn, two.end_seq()), &[0; 1], false, 0);
        watch(bench, PATIENCE / 2);
        bench.set("mpa_rx_two", 1 << one.conn);
        assert_eq!(watch(bench, 20 * PATIENCE), Told::default());
        assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
        // DDP takes one, and its place is filled again
        bench.set("mpa_rx_took_qp", one.conn);
        bench.set("mpa_rx_took_ready", 1);
        bench.set("mpa_rx_took_valid", 1);
        bench.step();
        bench.set("mpa_rx_took_valid", 0);
        let told = watch(bench, BEHIND);
        assert_eq!((told.0, told.1.len(), told.2), (vec![], 2, 0));
        Ok(())
    });
}

/// A queue pair that takes nothing, or to which nothing comes, holds nothing.
#[test]
fn nothing_is_held_for_a_queue_pair_that_takes_nothing() {
    both_widths("nothing", |bench, rx| {
        // a bad CRC stops the connection: it is drained
        let mut bad = Stream::new(5, bench.rng().random(), false, true);
        let send = ulpdu(bench, SEND, 60);
        bad.push(&ulpdu(bench, WRITE, 60));
        bad.push(&send);
        bad.octets[10] ^= 1;
        for stops in [false, true] {
            let [one, _] = pair(bench, rx, false)?;
            let stream = if stops { &bad } else { &one };
            rx.set_up(bench, stream)?;
            bench.set("mpa_rx_to_come", if stops { u64::MAX } else { 0 });
            rx.announce(bench, (stream.conn, stream.seq_start), &stream.octets, true, 0);
            let end = stream.end_seq().wrapping_add(1);
            assert_eq!(watch(bench, BEHIND), (vec![], vec![(stream.conn, end, 1)], 0), "stops {stops}");
        }
        Ok(())
    });
}
