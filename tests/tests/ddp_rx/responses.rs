// SPDX-License-Identifier: MIT OR Apache-2.0
//! Read Responses on emitted Verilog: matched with the oldest Read of ours, placed, done in order.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{status, tagged, untagged, Read};
use ferrowarp_tests::ddp_rx::{one, Rx, BUFFERS, OURS, OURS_TO, PD, QP, STAG, TO};
use ferrowarp_tests::mr::Region;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// A Read into `BUFFERS + at`, which it names by tagged offset.
fn read(at: u64, length: u32) -> Read {
    Read { stag: OURS, to: OURS_TO + at, length, got: 0 }
}

/// A segment of a response.
fn segment(stag: u32, to: u64, last: bool, payload: &[u8]) -> Vec<u8> {
    tagged(2, stag, to, last, payload)
}

/// The response to a Read of these octets, cut.
fn response(read: &Read, data: &[u8], cut: usize) -> Vec<Vec<u8>> {
    let count = data.len().div_ceil(cut).max(1);
    let piece = |i: usize| &data[i * cut..((i + 1) * cut).min(data.len())];
    (0..count).map(|i| segment(read.stag, read.to + (i * cut) as u64, i + 1 == count, piece(i))).collect()
}

/// One Read of `length` octets, then these segments, the last of which must fail: its error.
fn refused(bench: &mut Bench, rx: &mut Rx, length: u32, ulpdus: &[Vec<u8>]) -> Result<u16, String> {
    rx.set_up(bench, QP, PD, 9)?;
    rx.read(bench, QP, read(0, length));
    rx.reads_noted(bench)?;
    let (done, placed, faults) = (rx.done.len(), rx.placed.len(), rx.faults.len());
    ulpdus.iter().for_each(|ulpdu| rx.send(bench, QP, 0, ulpdu));
    rx.check(bench)?;
    assert_eq!((rx.done.len(), rx.faults.len()), (done, faults + 1));
    assert!(rx.placed.len() < placed + ulpdus.len(), "the bad segment was placed");
    Ok(rx.faults[faults].error)
}

#[test]
fn a_response_is_placed_and_done() {
    let _proof = proves_model_rows(&["RDMAP-A.3-01", "RDMAP-A.3-03", "RDMAP-A.3-04"]);
    one("resp", |bench, rx| {
        rx.read(bench, QP, read(0x31, 3));
        rx.reads_noted(bench)?;
        // by hand: STag and offset of the Request, three octets
        let mut first = vec![0x81, 0x42, 0, 0, 6, 0x2B, 0, 0, 0, 0x3B, 0xFF, 0xFF, 0xF1, 0x54];
        first.push(0xAA);
        let mut last = vec![0xC1, 0x42, 0, 0, 6, 0x2B, 0, 0, 0, 0x3B, 0xFF, 0xFF, 0xF1, 0x55];
        last.extend([0xBB, 0xCC]);
        rx.good(bench, &[first])?;
        assert!(rx.done.is_empty());
        rx.good(bench, &[last])?;
        assert_eq!((rx.octets(BUFFERS, 0x100), rx.done.as_slice()), (vec![0xAA, 0xBB, 0xCC], &[(QP, 2)][..]));
        assert!(rx.completions.is_empty(), "the send queue completes it");
        Ok(())
    });
}

#[test]
fn responses_come_in_the_order_of_the_reads() {
    let _proof = proves_model_rows(&["RDMAP-5.5-14", "RDMAP-5.2.2-05", "RDMAP-5.5-29"]);
    one("resp-order", |bench, rx| {
        for round in 0..3 {
            let lengths: Vec<usize> = (0..16).map(|_| bench.rng().random_range(0..3_000)).collect();
            let reads: Vec<_> =
                lengths.iter().enumerate().map(|(i, n)| read(0x1000 * i as u64 + round, *n as u32)).collect();
            reads.iter().for_each(|r| rx.read(bench, QP, *r));
            rx.reads_noted(bench)?;
            let before = rx.done.len();
            for (i, r) in reads.iter().enumerate() {
                let data: Vec<u8> = (0..lengths[i]).map(|_| bench.rng().random()).collect();
                let cut = bench.rng().random_range(1..1_446);
                rx.good(bench, &response(r, &data, cut.max(lengths[i] / 20)))?;
                assert_eq!(rx.done.len(), before + i + 1);
                assert_eq!(rx.octets(BUFFERS + (r.to - OURS_TO), data.len() as u64), data);
            }
        }
        Ok(())
    });
}

#[test]
fn a_read_is_done_when_its_last_segment_is_there() {
    let _proof = proves_model("RDMAP-5.5-26");
    one("resp-last", |bench, rx| {
        rx.read(bench, QP, read(0, 200));
        rx.reads_noted(bench)?;
        rx.good(bench, &[segment(OURS, OURS_TO, false, &[1; 200])])?;
        assert_eq!((rx.done.len(), rx.memory.len()), (0, 200));
        rx.good(bench, &[segment(OURS, OURS_TO + 200, true, &[])])?;
        assert_eq!(rx.done.len(), 1);
        Ok(())
    });
}

#[test]
fn a_read_is_done_behind_its_octets() {
    let _proof = proves_model("RDMAP-5.5-15");
    one("resp-behind", |bench, rx| {
        rx.read(bench, QP, read(0, 700));
        rx.reads_noted(bench)?;
        bench.hold_sink(rx.place, true);
        rx.send(bench, QP, 0, &segment(OURS, OURS_TO, true, &[1; 700]));
        rx.run(bench, 300)?;
        assert!(rx.done.is_empty());
        bench.hold_sink(rx.place, false);
        rx.check(bench)?;
        assert_eq!(rx.done, [(QP, 1)]);
        Ok(())
    });
}

#[test]
fn a_read_of_nothing() {
    one("resp-empty", |bench, rx| {
        rx.read(bench, QP, read(0, 0));
        rx.read(bench, QP, read(0, 0));
        rx.reads_noted(bench)?;
        rx.good(bench, &[segment(OURS, OURS_TO, true, &[]), segment(0, u64::MAX, true, &[])])?;
        assert_eq!((rx.done.len(), rx.memory.len()), (2, 0));
        Ok(())
    });
}

#[test]
fn a_response_that_nobody_asked_for() {
    let _proof = proves_model("RDMAP-5.2-01");
    one("resp-none", |bench, rx| {
        assert_eq!(rx.error(bench, &[], &[segment(OURS, OURS_TO, true, &[1; 8])])?, 0x0206);
        assert_eq!(rx.error(bench, &[], &[segment(OURS, OURS_TO, true, &[])])?, 0x0206);
        let one = segment(OURS, OURS_TO, true, &[1; 8]);
        assert_eq!(refused(bench, rx, 8, &[segment(OURS, OURS_TO, false, &[1; 8]), one.clone()])?, 0x1101);
        rx.set_up(bench, QP, PD, 9)?;
        rx.read(bench, QP, read(0, 8));
        rx.reads_noted(bench)?;
        rx.good(bench, std::slice::from_ref(&one))?;
        rx.send(bench, QP, 0, &one);
        rx.check(bench)?;
        assert_eq!(rx.faults.last().map(|f| f.error), Some(0x0206), "a second response");
        // a Read of another queue pair helps nobody
        rx.set_up(bench, 7, PD, 9)?;
        rx.set_up(bench, QP, PD, 9)?;
        rx.read(bench, 7, read(0, 8));
        rx.reads_noted(bench)?;
        rx.send(bench, QP, 0, &one);
        rx.send(bench, 7, 0, &one);
        rx.check(bench)?;
        assert_eq!((rx.faults.last().map(|f| f.qp), rx.done.last().map(|d| d.0)), (Some(QP), Some(7)));
        Ok(())
    });
}

#[test]
fn a_response_other_than_the_one_that_was_asked_for() {
    let _proof = proves_model("RDMAP-5.2.2-09");
    one("resp-other", |bench, rx| {
        let other =
            Region { local_write: true, to_base: OURS_TO, ..Region::writable(BUFFERS, 1 << 20, PD, 1) };
        rx.region(bench, 30, other)?;
        let cases = [
            ("another STag", 0x1100, vec![segment(30 << 8 | 1, OURS_TO, true, &[1; 64])]),
            (
                "another STag at its end",
                0x1100,
                vec![
                    segment(OURS, OURS_TO, false, &[1; 8]),
                    segment(30 << 8 | 1, OURS_TO + 8, true, &[1; 56]),
                ],
            ),
            ("behind", 0x1101, vec![segment(OURS, OURS_TO + 1, true, &[1; 64])]),
            ("short", 0x1101, vec![segment(OURS, OURS_TO, true, &[1; 63])]),
            ("long", 0x1101, vec![segment(OURS, OURS_TO, true, &[1; 65])]),
            ("long before its end", 0x1101, vec![segment(OURS, OURS_TO, false, &[1; 65])]),
            ("empty", 0x1101, vec![segment(OURS, OURS_TO, true, &[])]),
            (
                "again",
                0x1101,
                vec![segment(OURS, OURS_TO, false, &[1; 8]), segment(OURS, OURS_TO, true, &[1; 56])],
            ),
            (
                "a gap",
                0x1101,
                vec![segment(OURS, OURS_TO, false, &[1; 8]), segment(OURS, OURS_TO + 9, true, &[1; 56])],
            ),
        ];
        for (what, error, ulpdus) in cases {
            assert_eq!(refused(bench, rx, 64, &ulpdus)?, error, "{what}");
        }
        // the other STag is as good as that of the Read, for a Read that names it
        rx.set_up(bench, QP, PD, 9)?;
        rx.read(bench, QP, Read { stag: 30 << 8 | 1, ..read(0, 64) });
        rx.reads_noted(bench)?;
        rx.good(bench, &[segment(30 << 8 | 1, OURS_TO, true, &[1; 64])])
    });
}

#[test]
fn a_response_into_memory_that_is_not_ours() {
    let _proof = proves_model_rows(&["RDMAP-5.2.2-06", "RDMAP-4.4-12"]);
    one("resp-region", |bench, rx| {
        // the same STag as that of the Read, so that the region alone refuses
        let mut says = |bench: &mut Bench, read: Read| {
            rx.set_up(bench, QP, PD, 9)?;
            rx.read(bench, QP, read);
            rx.reads_noted(bench)?;
            rx.send(bench, QP, 0, &segment(read.stag, read.to, true, &vec![7; read.length as usize]));
            rx.check(bench)?;
            let fault = *rx.faults.last().ok_or("no fault")?;
            assert_eq!((fault.status, fault.index), (status::ACCESS, None));
            Ok::<_, String>(fault.error)
        };
        assert_eq!(says(bench, Read { stag: OURS ^ 1, ..read(0, 8) })?, 0x1100, "key");
        let theirs = Read { stag: STAG, to: TO, length: 8, got: 0 };
        assert_eq!(says(bench, theirs)?, 0x1100, "not ours to write");
        assert_eq!(says(bench, read((1 << 20) - 7, 8))?, 0x1101, "end");
        let top = Read { to: 0xFFFF_FFFF_FFFF_FFF8, ..read(0, 8) };
        assert_eq!(says(bench, top)?, 0x1103, "wrap");
        Ok(())
    });
}

#[test]
fn a_key_of_the_read_serves_again() {
    let _proof = proves_model("RDMAP-1.2-07");
    one("resp-again", |bench, rx| {
        for i in 0..20 {
            rx.read(bench, QP, read(i, 8));
            rx.reads_noted(bench)?;
            rx.good(bench, &[segment(OURS, OURS_TO + i, true, &[i as u8; 8])])?;
        }
        assert_eq!(rx.done.len(), 20);
        Ok(())
    });
}

#[test]
fn writes_and_sends_between_the_segments_of_a_response() {
    one("resp-mixed", |bench, rx| {
        rx.post_at(1, 0x8000, 64);
        rx.read(bench, QP, read(0, 24));
        rx.reads_noted(bench)?;
        rx.good(
            bench,
            &[
                segment(OURS, OURS_TO, false, &[1; 8]),
                tagged(0, STAG, TO, true, &[2; 40]),
                segment(OURS, OURS_TO + 8, false, &[1; 8]),
                untagged(3, 0, 1, 0, true, &[3; 8]),
                segment(OURS, OURS_TO + 16, true, &[1; 8]),
            ],
        )?;
        assert_eq!((rx.done.len(), rx.completions.len(), rx.octets(BUFFERS, 64)), (1, 1, vec![1; 24]));
        Ok(())
    });
}

#[test]
fn a_seventeenth_read_is_answered_by_an_error_of_its_queue_pair_alone() {
    one("resp-17", |bench, rx| {
        rx.set_up(bench, 3, PD, 9)?;
        (0..16).for_each(|i| rx.read(bench, QP, read(8 * i, 8)));
        rx.read(bench, QP, read(8 * 16, 8));
        rx.model.pairs.entry(QP).or_default().reads.pop_back();
        rx.read(bench, 3, read(0x8000, 8));
        rx.reads_noted(bench)?;
        let answers: Vec<_> = (0..17).map(|i| segment(OURS, OURS_TO + 8 * i, true, &[i as u8; 8])).collect();
        answers.iter().for_each(|ulpdu| rx.send(bench, QP, 0, ulpdu));
        rx.send(bench, 3, 0, &segment(OURS, OURS_TO + 0x8000, true, &[1; 8]));
        rx.check(bench)?;
        assert_eq!((rx.done.len(), rx.faults[0].error), (17, 0x0206));
        Ok(())
    });
}
