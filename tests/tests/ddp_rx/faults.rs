// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the DDP matrix about what is refused, proved by DDP receive on emitted Verilog.
use ferrowarp_tests::ddp_model::{status, tagged, untagged};
use ferrowarp_tests::ddp_rx::{one, BASE, BUFFERS, OURS, OURS_TO, PD, QP, STAG, TO};
use ferrowarp_tests::mr::Region;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// A whole RDMA Write.
fn write(stag: u32, to: u64, length: usize) -> Vec<u8> {
    tagged(0, stag, to, true, &vec![0xA5; length])
}

/// A whole Send.
fn send(msn: u32, mo: u32, length: usize) -> Vec<u8> {
    untagged(3, 0, msn, mo, true, &vec![0x5A; length])
}

/// This with another control octet.
fn control(mut ulpdu: Vec<u8>, octet: u8) -> Vec<u8> {
    ulpdu[0] = octet;
    ulpdu
}

#[test]
fn an_stag_that_is_not_there() {
    let _proof = proves_model_rows(&["DDP-7.2-04", "DDP-4.2-10", "DDP-5.1.1-01"]);
    one("stag", |bench, rx| {
        rx.good(bench, &[write(STAG, TO, 8)])?;
        for stag in [0, STAG ^ 1, STAG ^ 0x100, STAG ^ 0x10_0000] {
            assert_eq!(rx.error(bench, &[], &[write(stag, TO, 8)])?, 0x1100, "{stag:#x}");
        }
        Ok(())
    });
}

#[test]
fn an_stag_of_others_or_without_the_right() {
    let _proof = proves_model_rows(&["DDP-7.1-16", "DDP-7.1-17", "DDP-7.2-06"]);
    one("rights", |bench, rx| {
        let (key, region) = (0x11, Region::writable(BASE, 64, PD + 1, 0x11));
        rx.region(bench, 20, region)?;
        rx.region(bench, 21, Region { only: Some(2), pd: PD, ..region })?;
        rx.region(bench, 22, Region { remote_write: false, remote_read: true, pd: PD, ..region })?;
        assert_eq!(rx.error(bench, &[], &[write(19 << 8, TO, 8)])?, 0x1100);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8 | key, 0, 8)])?, 0x1102);
        assert_eq!(rx.error(bench, &[], &[write(21 << 8 | key, 0, 8)])?, 0x1102);
        let fault = rx.bad(bench, &[], &[write(22 << 8 | key, 0, 8)])?;
        assert_eq!((fault.error, fault.status), (0x1100, status::ACCESS));
        Ok(())
    });
}

#[test]
fn no_field_of_the_wire_changes_the_protection_domain() {
    let _proof = proves_model_rows(&["DDP-8.2-01", "DDP-2.3-06", "DDP-8.3.1-02"]);
    one("domain", |bench, rx| {
        rx.region(bench, 20, Region::writable(0x5000, 1 << 40, PD ^ 1, 0))?;
        for _ in 0..40 {
            let (length, to) = (bench.rng().random_range(1..40), bench.rng().random_range(0..1 << 39));
            let mut ulpdu = write(20 << 8, to, length);
            ulpdu[0] ^= bench.rng().random::<u8>() & 0x7C;
            ulpdu[1] ^= bench.rng().random::<u8>() & 0x30;
            assert_eq!(rx.error(bench, &[], &[ulpdu])?, 0x1102);
        }
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn an_stag_bound_to_another_stream() {
    let _proof = proves_model_rows(&["DDP-8.2-04", "DDP-8.3.1-03"]);
    one("bound", |bench, rx| {
        rx.region(bench, 20, Region { only: Some(4), ..Region::writable(0x5000, 64, PD, 1) })?;
        rx.set_up(bench, 4, PD, 2)?;
        rx.send(bench, 4, 0, &write(20 << 8 | 1, 8, 8));
        rx.check(bench)?;
        assert_eq!(rx.octets(0x5000, 64), [0xA5; 8]);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8 | 1, 16, 8)])?, 0x1102);
        Ok(())
    });
}

#[test]
fn tagged_offsets_outside_the_region() {
    let _proof = proves_model_rows(&["DDP-7.1-18", "DDP-7.1-19", "DDP-7.2-05"]);
    one("bounds", |bench, rx| {
        assert_eq!(rx.error(bench, &[], &[write(STAG, TO - 1, 1)])?, 0x1101);
        assert_eq!(rx.error(bench, &[], &[write(STAG, TO + 4_096, 1)])?, 0x1101);
        assert_eq!(rx.error(bench, &[], &[write(STAG, TO + 4_092, 5)])?, 0x1101);
        assert!(rx.memory.is_empty());
        rx.set_up(bench, QP, PD, 9)?;
        rx.good(bench, &[write(STAG, TO + 4_092, 4)])?;
        assert_eq!(rx.octets(BASE + 4_092, 4), [0xA5; 4]);
        Ok(())
    });
}

#[test]
fn a_region_of_13_octets_at_an_odd_address() {
    let _proof = proves_model("DDP-8.1-02");
    one("odd", |bench, rx| {
        rx.region(bench, 20, Region { to_base: 1, ..Region::writable(0x4001, 13, PD, 0) })?;
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, 0, 1)])?, 0x1101);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, 14, 1)])?, 0x1101);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, 0, 14)])?, 0x1101);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, 1, 14)])?, 0x1101);
        assert!(rx.memory.is_empty());
        rx.set_up(bench, QP, PD, 9)?;
        rx.good(bench, &[write(20 << 8, 1, 13)])?;
        assert_eq!(rx.memory.keys().copied().collect::<Vec<_>>(), (0x4001..0x400E).collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn nothing_is_written_outside_a_region() {
    let _proof = proves_model("DDP-8.3.1-04");
    one("sweep", |bench, rx| {
        for _ in 0..120 {
            let (length, shift) = (bench.rng().random_range(1..300), bench.rng().random_range(0..4_700));
            rx.set_up(bench, QP, PD, 9)?;
            rx.send(bench, QP, 0, &write(STAG, TO + shift - 300, length));
            rx.check(bench)?;
        }
        assert!(rx.memory.keys().all(|a| (BASE..BASE + 4_096).contains(a)) && !rx.memory.is_empty());
        assert!((1..120).contains(&rx.faults.len()));
        Ok(())
    });
}

#[test]
fn tagged_offsets_that_wrap() {
    let _proof = proves_model_rows(&["DDP-7.2-07", "DDP-7.1-20", "DDP-7.1-21"]);
    one("wrap", |bench, rx| {
        rx.region(bench, 20, Region { to_base: u64::MAX - 63, ..Region::writable(0x5000, 64, PD, 0) })?;
        let top = 0xFFFF_FFFF_FFFF_FFF0;
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, top, 32)])?, 0x1103);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, top, 16)])?, 0x1103);
        assert_eq!(rx.error(bench, &[], &[write(20 << 8, u64::MAX, 2)])?, 0x1103);
        rx.set_up(bench, QP, PD, 9)?;
        rx.good(bench, &[write(20 << 8, top, 15)])?;
        assert_eq!(rx.octets(0x5030, 16), [0xA5; 15]);
        Ok(())
    });
}

#[test]
fn the_version_is_judged_first_and_its_code_depends_on_t() {
    let _proof = proves_model_rows(&["DDP-7.2-08", "DDP-7.2-14", "DDP-7.2-16"]);
    one("version", |bench, rx| {
        for version in [0, 2, 3] {
            let tagged = control(write(STAG, TO, 8), 0xC0 | version);
            assert_eq!(rx.error(bench, &[], &[tagged])?, 0x1104, "DV {version}");
            let untagged = control(send(1, 0, 8), 0x40 | version);
            assert_eq!(rx.error(bench, &[64], &[untagged])?, 0x1206, "DV {version}");
        }
        Ok(())
    });
}

#[test]
fn a_bad_version_amid_good_traffic_ends_it() {
    let _proof = proves_model_rows(&["DDP-4.1-13", "DDP-7.1-23"]);
    one("version-later", |bench, rx| {
        let good = [write(STAG, TO, 8), send(1, 0, 30)];
        let later = [&good[..], &[control(write(STAG, TO, 8), 0xC2)]].concat();
        assert_eq!(rx.error(bench, &[64], &later)?, 0x1104);
        assert_eq!(rx.error(bench, &[], &[control(write(0, TO, 0), 0xC2)])?, 0x1104, "zero length too");
        Ok(())
    });
}

#[test]
fn a_ulpdu_shorter_than_its_header() {
    let _proof = proves_model("DDP-4-03");
    one("short", |bench, rx| {
        for length in 14..18 {
            let mut ulpdu = send(1, 0, 0);
            ulpdu.truncate(length);
            assert_eq!(rx.error(bench, &[64], &[ulpdu])?, 0x02FF, "{length} octets");
        }
        // what MPA has found below 14 comes as its verdict
        rx.set_up(bench, QP, PD, 9)?;
        rx.send(bench, QP, 3, &[]);
        rx.check(bench)?;
        assert_eq!(rx.faults.last().map(|f| f.error), Some(0x02FF));
        Ok(())
    });
}

#[test]
fn queues_that_are_not_there() {
    let _proof = proves_model_rows(&["DDP-7.1-02", "DDP-7.2-09"]);
    one("queue", |bench, rx| {
        for queue in [3, 4, 0x100, 0x8000_0000] {
            let ulpdu = untagged(3, queue, 1, 0, true, &[1; 8]);
            assert_eq!(rx.error(bench, &[64], &[ulpdu])?, 0x1201, "QN {queue:#x}");
        }
        Ok(())
    });
}

#[test]
fn no_receive_is_posted() {
    let _proof = proves_model_rows(&["DDP-7.1-03", "DDP-7.2-10", "DDP-7.1-14"]);
    one("no-receive", |bench, rx| {
        assert_eq!(rx.error(bench, &[], &[send(1, 0, 8)])?, 0x1202);
        rx.post_at(5, 0, 64);
        rx.send(bench, QP, 0, &send(1, 0, 8));
        rx.check(bench)?;
        assert!(rx.memory.is_empty() && rx.completions.is_empty(), "receive is disabled");
        Ok(())
    });
}

#[test]
fn message_sequence_numbers_behind_and_ahead() {
    let _proof = proves_model_rows(&["DDP-7.1-06", "DDP-7.1-09", "DDP-7.2-11"]);
    one("msn", |bench, rx| {
        let six: Vec<_> = (1..=6).map(|msn| send(msn, 0, 8)).collect();
        let then = |msn| [&six[..], &[send(msn, 0, 8)]].concat();
        assert_eq!(rx.error(bench, &[64; 7], &then(6))?, 0x1203, "used");
        assert_eq!(rx.error(bench, &[64; 6], &then(7))?, 0x1202, "one past the last posted");
        assert_eq!(rx.error(bench, &[64], &[send(0, 0, 8)])?, 0x1203, "never assigned");
        assert_eq!(rx.error(bench, &[64], &[send(2, 0, 8)])?, 0x1202, "ahead");
        Ok(())
    });
}

#[test]
fn message_offsets_outside_the_receive() {
    let _proof = proves_model_rows(&["DDP-7.1-04", "DDP-7.1-10", "DDP-7.2-12"]);
    one("mo", |bench, rx| {
        for mo in [5_000, u32::MAX, 1_000] {
            assert_eq!(rx.error(bench, &[1_000], &[send(1, mo, 1)])?, 0x1204, "MO {mo}");
        }
        let head = untagged(3, 0, 1, 0, false, &[1; 999]);
        assert_eq!(rx.error(bench, &[1_000], &[head.clone(), send(1, 999, 2)])?, 0x1205);
        assert_eq!(rx.error(bench, &[1_000], &[head, send(1, 998, 1)])?, 0x1204, "a gap or an overlap");
        Ok(())
    });
}

#[test]
fn messages_longer_than_the_receive() {
    let _proof = proves_model_rows(&["DDP-7.1-05", "DDP-7.2-13", "DDP-1.2-04"]);
    one("long", |bench, rx| {
        let head = untagged(3, 0, 1, 0, false, &[1; 990]);
        assert_eq!(rx.error(bench, &[1_000, 64], &[head.clone(), send(1, 990, 11)])?, 0x1205);
        let fault = rx.bad(bench, &[100, 4_096], &[send(1, 0, 101)])?;
        assert_eq!((fault.error, fault.status, fault.index), (0x1205, status::LENGTH, Some(0)));
        assert!(rx.octets(BUFFERS + 0x1_0000, 4_096).is_empty(), "the second buffer is untouched");
        rx.set_up(bench, QP, PD, 9)?;
        rx.post_at(3, 0, 1_000);
        rx.good(bench, &[head, send(1, 990, 10)])?;
        assert_eq!(rx.completions.last().map(|c| c.0.byte_len), Some(1_000));
        Ok(())
    });
}

#[test]
fn each_untagged_check_holds_alone() {
    let _proof = proves_model("DDP-7.1-01");
    one("untagged", |bench, rx| {
        let cases = [
            (untagged(3, 3, 1, 0, true, &[1; 8]), 0x1201),
            (send(2, 0, 8), 0x1202),
            (send(1, 64, 8), 0x1204),
            (send(1, 0, 65), 0x1205),
            (send(0, 0, 8), 0x1203),
        ];
        for (ulpdu, error) in cases {
            assert_eq!(rx.error(bench, &[64], &[ulpdu])?, error);
        }
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn each_tagged_check_holds_alone() {
    let _proof = proves_model("DDP-7.1-15");
    one("tagged", |bench, rx| {
        rx.region(bench, 20, Region { remote_write: false, ..Region::writable(0, 64, PD, 0) })?;
        let cases = [
            (write(STAG ^ 1, TO, 8), 0x1100),
            (write(20 << 8, 0, 8), 0x1100),
            (write(STAG, TO - 1, 8), 0x1101),
            (write(STAG, TO + 4_090, 8), 0x1101),
            (write(STAG, u64::MAX, 8), 0x1103),
        ];
        for (ulpdu, error) in cases {
            assert_eq!(rx.error(bench, &[], &[ulpdu])?, error);
        }
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn after_a_fault_the_stream_is_silent_and_others_go_on() {
    let _proof = proves_model("DDP-7.1-27");
    one("silence", |bench, rx| {
        rx.set_up(bench, 8, PD, 3)?;
        assert_eq!(rx.error(bench, &[64; 3], &[write(0, TO, 8)])?, 0x1100);
        for i in 0..100 {
            rx.send(bench, QP, 0, &if i % 2 == 0 { write(STAG, TO, 8) } else { send(1, 0, 8) });
            rx.send(bench, 8, 0, &write(STAG, TO + 8 * i, 8));
        }
        rx.check(bench)?;
        assert_eq!((rx.faults.len(), rx.completions.len(), rx.placed.len() >= 100), (1, 0, true));
        Ok(())
    });
}

#[test]
fn receives_whose_memory_is_not_ours() {
    one("scatter", |bench, rx| {
        use ferrowarp_tests::ddp_model::{Receive, Scatter};
        let good = Scatter { to: OURS_TO, length: 10, key: OURS };
        let ends = Scatter { to: OURS_TO + (1 << 20) - 5, ..good };
        for (i, bad) in
            [Scatter { key: STAG, ..good }, Scatter { key: 0, ..good }, ends].into_iter().enumerate()
        {
            rx.set_up(bench, QP, PD, 9)?;
            rx.post(QP, Receive { index: 77, scatters: vec![good, bad, good] });
            rx.send(bench, QP, 0, &send(1, 0, 20));
            rx.check(bench)?;
            let fault = rx.faults[i];
            assert_eq!((fault.error, fault.status, fault.index), (0x1000, status::PROTECTION, Some(77)));
            assert!(rx.memory.is_empty(), "not even the first scatter is filled");
        }
        // a scatter that the message does not reach is not looked at
        rx.set_up(bench, QP, PD, 9)?;
        rx.post(QP, Receive { index: 78, scatters: vec![good, Scatter { key: 0, ..good }] });
        rx.good(bench, &[send(1, 0, 10)])
    });
}
