// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends that invalidate an STag, on emitted Verilog.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{invalidating, status, tagged, Request};
use ferrowarp_tests::ddp_rx::{one, Rx, BUFFERS, PD, QP, STAG, TO};
use ferrowarp_tests::mr::Region;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// A region of the one queue pair alone, whose peer may read, write and invalidate it.
const BOUND: u32 = 40 << 8 | 0x3C;
/// Its first octet.
const AT: u64 = 0x70_0000;

fn region() -> Region {
    let rights = Region { remote_read: true, only: Some(QP.into()), ..Region::default() };
    Region { base: AT, length: 4_096, pd: PD, key: BOUND as u8, remote_write: true, is_valid: true, ..rights }
}

/// Runs a body with that region.
fn bound(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    one(name, |bench, rx| {
        rx.region(bench, BOUND >> 8, region())?;
        body(bench, rx)
    });
}

/// The region anew, the stream anew, a receive posted.
fn again(bench: &mut Bench, rx: &mut Rx) -> Result<(), String> {
    rx.region(bench, BOUND >> 8, region())?;
    rx.set_up(bench, QP, PD, 9)?;
    rx.post_at(5, 0, 100);
    Ok(())
}

fn write(stag: u32) -> Vec<u8> {
    tagged(0, stag, 0, true, &[0xEE; 16])
}

#[test]
fn a_send_with_invalidate_tells_the_stag() {
    let _proof = proves_model_rows(&["RDMAP-A.5-01", "RDMAP-A.5-02", "RDMAP-3.1-07"]);
    bound("inv-tells", |bench, rx| {
        for (opcode, control) in [(4, 0x44), (6, 0x46)] {
            again(bench, rx)?;
            let mut ulpdu = vec![0x41, control, 0, 0, 40, 0x3C, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
            ulpdu.extend([9; 77]);
            rx.good(bench, &[ulpdu])?;
            let c = rx.completions.last().ok_or("no completion")?.0;
            assert_eq!((c.opcode, c.byte_len, c.invalidated), (opcode, 77, Some(BOUND)));
            assert_eq!((c.is_solicited, c.index), (opcode == 6, 5));
        }
        Ok(())
    });
}

#[test]
fn after_delivery_nothing_reaches_the_region() {
    let _proof = proves_model_rows(&["RDMAP-1.2-03", "RDMAP-5.3-18", "RDMAP-2.4-01"]);
    bound("inv-after", |bench, rx| {
        let send = |opcode| invalidating(opcode, BOUND, 1, 0, true, &[1; 8]);
        let read = Request { qp: QP, src_stag: BOUND, length: 8, ..Request::default() }.ulpdu(1);
        let again_inv = invalidating(4, BOUND, 2, 0, true, &[]);
        for (i, (then, error)) in
            [(write(BOUND), 0x1100), (read, 0x0100), (again_inv, 0x0109)].into_iter().enumerate()
        {
            again(bench, rx)?;
            rx.post_at(6, 0x100, 100);
            // without a pause in between
            rx.send(bench, QP, 0, &send(if i == 1 { 6 } else { 4 }));
            rx.send(bench, QP, 0, &then);
            rx.check(bench)?;
            assert_eq!((rx.completions.len(), rx.faults[i].error), (i + 1, error));
            assert!(rx.octets(AT, 4_096).is_empty());
        }
        Ok(())
    });
}

#[test]
fn what_came_before_is_still_placed() {
    let _proof = proves_model("RDMAP-5.3-20");
    bound("inv-before", |bench, rx| {
        again(bench, rx)?;
        bench.hold_sink(rx.place, true);
        rx.send(bench, QP, 0, &write(BOUND));
        rx.send(bench, QP, 0, &invalidating(4, BOUND, 1, 0, true, &[1; 8]));
        rx.run(bench, 200)?;
        assert!(rx.completions.is_empty());
        bench.hold_sink(rx.place, false);
        rx.check(bench)?;
        assert_eq!((rx.octets(AT, 4_096).len(), rx.completions.len()), (16, 1));
        Ok(())
    });
}

#[test]
fn only_the_last_segment_invalidates() {
    let _proof = proves_model_rows(&["RDMAP-4.7-01", "DDP-4.3-06"]);
    bound("inv-last", |bench, rx| {
        again(bench, rx)?;
        let part = |mo, last| invalidating(4, BOUND, 1, mo, last, &[mo as u8; 20]);
        rx.good(bench, &[part(0, false), write(BOUND), part(20, false), write(BOUND), part(40, true)])?;
        assert_eq!((rx.completions[0].0.byte_len, rx.octets(AT, 64).len()), (60, 16));
        rx.send(bench, QP, 0, &write(BOUND));
        rx.check(bench)?;
        assert_eq!(rx.faults[0].error, 0x1100);
        Ok(())
    });
}

#[test]
fn an_stag_that_is_not_valid_cannot_be_invalidated() {
    let _proof = proves_model_rows(&["RDMAP-7.2-06", "RDMAP-7.2-05"]);
    bound("inv-none", |bench, rx| {
        for opcode in [4, 6] {
            for stag in [0, 41 << 8, BOUND ^ 1, BOUND ^ 0x10_0000, u32::MAX] {
                let fault = rx.bad(bench, &[64], &[invalidating(opcode, stag, 1, 0, true, &[1; 8])])?;
                assert_eq!((fault.error, fault.status, fault.index), (0x0109, status::ACCESS, Some(0)));
            }
        }
        again(bench, rx)?;
        rx.good(bench, &[invalidating(4, BOUND, 1, 0, true, &[])])?;
        assert_eq!(rx.error(bench, &[64], &[invalidating(4, BOUND, 1, 0, true, &[])])?, 0x0109, "already");
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn an_stag_of_another_stream_keeps_its_state() {
    let _proof = proves_model_rows(&["RDMAP-7.2-07", "RDMAP-5.3-17", "RDMAP-5.3-19"]);
    bound("inv-foreign", |bench, rx| {
        rx.region(bench, 41, Region { pd: PD + 1, only: None, key: 0, ..region() })?;
        rx.region(bench, 42, Region { only: Some(8), key: 0, base: AT + 0x1000, ..region() })?;
        for (i, index) in [41_u32, 42].into_iter().enumerate() {
            assert_eq!(rx.error(bench, &[64], &[invalidating(4, index << 8, 1, 0, true, &[1; 8])])?, 0x0109);
            // whoever owns it goes on
            rx.set_up(bench, 8, PD + 1 - i as u16, 3)?;
            rx.send(bench, 8, 0, &write(index << 8));
            rx.check(bench)?;
        }
        assert_eq!(rx.octets(AT, 0x2000).len(), 32);
        Ok(())
    });
}

#[test]
fn an_stag_that_streams_share_cannot_be_invalidated() {
    let _proof = proves_model("RDMAP-8.1.1-08");
    bound("inv-shared", |bench, rx| {
        rx.set_up(bench, 8, PD, 3)?;
        let fault = rx.bad(bench, &[64], &[invalidating(4, STAG, 1, 0, true, &[1; 8])])?;
        assert_eq!((fault.error, fault.index), (0x0109, Some(0)));
        rx.send(bench, 8, 0, &tagged(0, STAG, TO, true, &[1; 8]));
        rx.check(bench)?;
        assert_eq!(rx.memory.len(), 8);
        Ok(())
    });
}

#[test]
fn what_another_pd_owns_is_out_of_reach() {
    let _proof = proves_model("RDMAP-8.1.1-02");
    bound("inv-pd", |bench, rx| {
        rx.region(bench, 41, Region { pd: PD + 1, only: None, key: 0, ..region() })?;
        let read = Request { qp: QP, src_stag: 41 << 8, length: 8, ..Request::default() }.ulpdu(1);
        assert_eq!(rx.error(bench, &[], &[write(41 << 8)])?, 0x1102);
        assert_eq!(rx.error(bench, &[], &[read])?, 0x0103);
        assert_eq!(rx.error(bench, &[64], &[invalidating(6, 41 << 8, 1, 0, true, &[1; 8])])?, 0x0109);
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn other_queue_pairs_go_on_while_an_stag_becomes_invalid() {
    bound("inv-others", |bench, rx| {
        for qp in [4, 6] {
            rx.set_up(bench, qp, PD, 2)?;
        }
        for round in 0..12_u32 {
            again(bench, rx)?;
            for i in 0..4 {
                rx.send(
                    bench,
                    4,
                    0,
                    &tagged(0, STAG, TO + u64::from(16 * round + i), true, &[round as u8; 9]),
                );
                rx.send(bench, 6, 0, &tagged(0, STAG, TO + 2_000, true, &[i as u8; 70]));
            }
            rx.send(bench, QP, 0, &invalidating(4, BOUND, 1, 0, true, &[3; 30]));
            for i in 0..4 {
                rx.send(bench, 4, 0, &tagged(0, STAG, TO + u64::from(16 * round + i), true, &[i as u8; 5]));
            }
            rx.check(bench)?;
        }
        assert_eq!((rx.completions.len(), rx.faults.len(), rx.octets(BUFFERS, 64).len()), (12, 0, 30));
        Ok(())
    });
}
