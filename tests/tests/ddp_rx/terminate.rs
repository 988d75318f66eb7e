// SPDX-License-Identifier: MIT OR Apache-2.0
//! The peer's Terminate and the first FPDU of a stream, on emitted Verilog.
use ferrowarp_tests::ddp_model::{status, tagged, terminate, untagged, Event, Read, Request};
use ferrowarp_tests::ddp_rx::{one, quiet, OURS, OURS_TO, PD, QP, STAG, TO};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// The four octets of a control field.
fn control(word: u32) -> Vec<u8> {
    word.to_be_bytes().to_vec()
}

#[test]
fn a_terminate_tells_layer_type_and_code() {
    let _proof = proves_model_rows(&["RDMAP-A.6-01", "RDMAP-A.6-06", "RDMAP-4.8-02"]);
    one("term-codes", |bench, rx| {
        let cases = [
            ([0x01, 0x00, 0xE0, 0x00], 0x0100, status::REFUSED),
            ([0x01, 0x09, 0xC0, 0x00], 0x0109, status::REFUSED),
            ([0x11, 0x01, 0xC0, 0x00], 0x1101, status::REFUSED),
            ([0x00, 0x00, 0x00, 0x00], 0x0000, status::ENDED),
            ([0x02, 0x07, 0x00, 0x00], 0x0207, status::ENDED),
            ([0x02, 0x09, 0xC0, 0x00], 0x0209, status::ENDED),
            ([0x12, 0x02, 0xC0, 0x00], 0x1202, status::ENDED),
            ([0x10, 0x00, 0x00, 0x00], 0x1000, status::ENDED),
            ([0x13, 0x55, 0x00, 0x00], 0x1355, status::ENDED),
            ([0x20, 0x02, 0x00, 0x00], 0x2002, status::ENDED),
            ([0x21, 0x02, 0x00, 0x00], 0x2102, status::ENDED),
            ([0xF1, 0x33, 0x00, 0x00], 0xF133, status::ENDED),
        ];
        for (octets, error, status) in cases {
            let mut ulpdu = vec![0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0];
            ulpdu.extend(octets);
            let fault = rx.bad(bench, &[], &[ulpdu])?;
            assert_eq!((fault.error, fault.status, fault.index), (error, status, None));
            let info = u32::from_be_bytes(octets);
            assert_eq!(rx.events.last(), Some(&Event { kind: 9, qp: QP, error, info }));
        }
        Ok(())
    });
}

#[test]
fn reserved_bits_and_lengths_of_a_terminate_are_not_looked_at() {
    let _proof = proves_model_rows(&["RDMAP-4.8-43", "RDMAP-4.8-62", "RDMAP-4.8-64"]);
    one("term-reserved", |bench, rx| {
        for (word, info) in
            [(0x0100_FFFF, 0x0100_E000), (0x1102_C123, 0x1102_C000), (0x2002_1FFF, 0x2002_0000)]
        {
            assert_eq!(rx.error(bench, &[], &[terminate(&control(word))])?, (info >> 16) as u16);
            assert_eq!(rx.events.last().map(|e| e.info), Some(info));
        }
        // segment lengths, quoted octets, zeros behind: the same Terminate
        for (length, rest) in [(42, 18), (24, 18), (0xFFFF, 18), (0, 46), (1014, 14)] {
            let mut header = control(0x1100_C000);
            header.extend([(length >> 8) as u8, length as u8]);
            header.extend((0..rest).map(|_| bench.rng().random::<u8>()));
            let fault = rx.bad(bench, &[], &[terminate(&header)])?;
            assert_eq!((fault.error, rx.events.last().map(|e| e.info)), (0x1100, Some(0x1100_C000)));
        }
        Ok(())
    });
}

#[test]
fn a_terminate_finds_room_whatever_is_exhausted() {
    let _proof = proves_model_rows(&["RDMAP-5.4-06", "RDMAP-5.4-05", "RDMAP-5.4-07"]);
    one("term-room", |bench, rx| {
        rx.ird = 2;
        for octets in [4, 20, 24, 52] {
            let mut header = control(0x0207_0000);
            header.resize(octets, 0);
            let read = |msn| Request { qp: QP, ..Request::default() }.ulpdu(msn);
            // no receive is posted, all Reads are under way
            assert_eq!(rx.error(bench, &[], &[read(1), read(2), terminate(&header)])?, 0x0207);
        }
        assert_eq!(rx.events.iter().filter(|e| e.kind == 9).count(), 4);
        // and it takes no receive
        rx.ird = 8;
        assert_eq!(rx.error(bench, &[64], &[terminate(&control(0x0207_0000))])?, 0x0207);
        assert!(rx.completions.is_empty());
        Ok(())
    });
}

#[test]
fn a_terminate_after_an_unfinished_response() {
    let _proof = proves_model("RDMAP-4.8-65");
    one("term-half", |bench, rx| {
        rx.read(bench, QP, Read { stag: OURS, to: OURS_TO, length: 64, got: 0 });
        rx.reads_noted(bench)?;
        rx.good(
            bench,
            &[tagged(2, OURS, OURS_TO, false, &[1; 8]), tagged(2, OURS, OURS_TO + 8, false, &[1; 8])],
        )?;
        rx.send(bench, QP, 0, &terminate(&control(0x0100_E000)));
        rx.check(bench)?;
        assert_eq!((rx.faults.len(), rx.faults[0].error, rx.done.len()), (1, 0x0100, 0));
        Ok(())
    });
}

#[test]
fn behind_a_terminate_nothing_is_received() {
    one("term-last", |bench, rx| {
        rx.post_at(1, 0, 64);
        rx.set_up(bench, 8, PD, 3)?;
        rx.send(bench, QP, 0, &terminate(&control(0x0100_E000)));
        for i in 0..20 {
            rx.send(bench, QP, 0, &tagged(0, STAG, TO, true, &[1; 8]));
            rx.send(bench, QP, 0, &untagged(3, 0, 1, 0, true, &[1; 8]));
            rx.send(bench, QP, 0, &terminate(&control(0x0100_E000)));
            rx.send(bench, 8, 0, &tagged(0, STAG, TO + 8 * i, true, &[2; 8]));
        }
        rx.check(bench)?;
        assert_eq!((rx.faults.len(), rx.completions.len(), rx.memory.len()), (1, 0, 160));
        Ok(())
    });
}

#[test]
fn what_is_wrong_with_a_terminate_is_told_as_such() {
    let _proof = proves_model_rows(&["RDMAP-7.1-08", "RDMAP-5.4-09"]);
    one("term-bad", |bench, rx| {
        let good = control(0x0100_E000);
        let long: Vec<_> = good.iter().copied().chain([0; 49]).collect();
        let mut version = terminate(&good);
        version[1] = 0x87;
        let cases = [
            ("three octets", 0x02FF, untagged(7, 2, 1, 0, true, &good[..3])),
            ("none", 0x02FF, untagged(7, 2, 1, 0, true, &[])),
            ("not the last", 0x02FF, untagged(7, 2, 1, 0, false, &good)),
            ("53 octets", 0x1205, untagged(7, 2, 1, 0, true, &long)),
            ("MSN", 0x1202, untagged(7, 2, 2, 0, true, &good)),
            ("MSN", 0x1203, untagged(7, 2, 0, 0, true, &good)),
            ("MO", 0x1204, untagged(7, 2, 1, 4, true, &good)),
            ("MO", 0x1204, untagged(7, 2, 1, 52, true, &good)),
            ("RV", 0x0205, version),
        ];
        for (what, error, ulpdu) in cases {
            let events = rx.events.len();
            let fault = rx.bad(bench, &[], &[ulpdu])?;
            // this status keeps the link manager from answering
            assert_eq!((fault.error, fault.status), (error, status::ENDED), "{what}");
            assert_eq!(rx.events.len(), events + 1, "{what}: the first FPDU alone");
        }
        Ok(())
    });
}

#[test]
fn other_opcodes_on_queue_2() {
    let _proof = proves_model("RDMAP-7.2-03");
    one("term-opcode", |bench, rx| {
        for opcode in (0..16).filter(|o| *o != 7) {
            let fault = rx.bad(bench, &[64], &[untagged(opcode, 2, 1, 0, true, &[1; 8])])?;
            assert_eq!((fault.error, fault.status), (0x0206, status::FATAL), "opcode {opcode}");
        }
        for queue in [0, 1] {
            let fault = rx.bad(bench, &[64], &[untagged(7, queue, 1, 0, true, &[1; 8])])?;
            assert_eq!((fault.error, fault.status), (0x0206, status::FATAL), "queue {queue}");
        }
        for opcode in 8..16 {
            assert_eq!(rx.error(bench, &[64], &[untagged(opcode, 0, 1, 0, true, &[1; 8])])?, 0x0206);
            assert_eq!(rx.error(bench, &[64], &[tagged(opcode, STAG, TO, true, &[1; 8])])?, 0x0206);
        }
        Ok(())
    });
}

#[test]
fn an_invalidate_field_means_nothing_to_requests_and_terminates() {
    let _proof = proves_model("RDMAP-4.1-26");
    one("term-field", |bench, rx| {
        rx.post_at(1, 0, 64);
        rx.post_at(2, 0x100, 64);
        let with_field = |mut ulpdu: Vec<u8>| {
            ulpdu[2..6].copy_from_slice(&STAG.to_be_bytes());
            ulpdu
        };
        rx.good(
            bench,
            &[
                with_field(untagged(3, 0, 1, 0, true, &[1; 8])),
                with_field(untagged(5, 0, 2, 0, true, &[1; 8])),
                with_field(Request { qp: QP, ..Request::default() }.ulpdu(1)),
                tagged(0, STAG, TO, true, &[1; 8]),
            ],
        )?;
        rx.send(bench, QP, 0, &with_field(terminate(&control(0x0100_E000))));
        rx.check(bench)?;
        assert_eq!((rx.completions.len(), rx.requests.len(), rx.faults[0].error), (2, 1, 0x0100));
        Ok(())
    });
}

#[test]
fn the_first_good_fpdu_of_a_stream_is_told_once() {
    quiet("first", |bench, rx| {
        for round in 0..3 {
            for qp in [0, 7, 15] {
                rx.set_up(bench, qp, PD, 1)?;
            }
            // a bad verdict first: no first FPDU for that queue pair, nor behind it
            rx.send(bench, 7, 1, &[]);
            for _ in 0..5 {
                for qp in [0, 7, 15] {
                    // a Write of nothing is an FPDU too
                    rx.send(bench, qp, 0, &tagged(0, 0, 0, true, &[]));
                }
            }
            rx.check(bench)?;
            assert_eq!(rx.first.len(), 2 * (round + 1));
        }
        // a segment that DDP refuses has come all the same
        rx.set_up(bench, 7, PD, 1)?;
        rx.send(bench, 7, 0, &tagged(9, 0, 0, true, &[]));
        rx.check(bench)?;
        assert_eq!((rx.first.last(), rx.faults.last().map(|f| f.error)), (Some(&7), Some(0x0206)));
        Ok(())
    });
}

#[test]
fn a_queue_pair_that_is_not_ready_has_no_first_fpdu() {
    quiet("first-not", |bench, rx| {
        rx.set_up(bench, 2, PD, 1)?;
        rx.write_row(bench, 2, 2, PD, 1)?;
        rx.model.pairs.remove(&2);
        rx.send(bench, 2, 0, &tagged(0, 0, 0, true, &[]));
        rx.check(bench)?;
        assert!(rx.first.is_empty() && rx.events.is_empty());
        Ok(())
    });
}

#[test]
fn the_quotes_of_many_queue_pairs_stay_as_they_were() {
    quiet("term-quotes", |bench, rx| {
        for qp in 0..16 {
            rx.set_up(bench, qp, PD, 9)?;
        }
        // nobody takes a quote for a while: what comes behind it may not take its place
        for held in [true, false] {
            bench.hold_channel_sink(rx.cited.words, held);
            for qp in 8 * u8::from(held)..8 * u8::from(held) + 8 {
                let octets: Vec<u8> = (0..60).map(|_| bench.rng().random()).collect();
                // no region is there, no receive is posted, the opcode is not on that queue; all
                // lengths of quotes
                let ulpdu = match qp % 4 {
                    0 => terminate(&[control(0x0207_0000), octets[..qp.into()].to_vec()].concat()),
                    1 => tagged(0, 0x7700 | u32::from(qp), 1 << 20 | u64::from(qp), true, &octets),
                    2 => untagged(3, 0, 1, 0, true, &octets[..usize::from(qp % 7)]),
                    _ => untagged(1, 1, 7, 0, true, &octets[..28]),
                };
                rx.send(bench, qp, 0, &ulpdu);
                // of a queue pair that has stopped
                rx.send(bench, qp, 0, &ulpdu);
            }
            rx.run(bench, 400)?;
            bench.hold_channel_sink(rx.cited.words, false);
            rx.check(bench)?;
        }
        assert_eq!(rx.quotes.len(), 16);
        Ok(())
    });
}
