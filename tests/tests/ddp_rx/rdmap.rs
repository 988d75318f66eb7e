// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the RDMAP matrix that DDP receive proves on emitted Verilog.
use ferrowarp_tests::ddp_model::{tagged, untagged};
use ferrowarp_tests::ddp_rx::{one, BASE, BUFFERS, PD, QP, STAG, TO};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// A whole Send of opcode 3.
fn send(msn: u32, payload: &[u8]) -> Vec<u8> {
    untagged(3, 0, msn, 0, true, payload)
}

#[test]
fn rsv_bits_are_not_looked_at() {
    let _proof = proves_model("RDMAP-4.1-22");
    one("rsv", |bench, rx| {
        for (i, control) in [0x53, 0x63, 0x73].into_iter().enumerate() {
            rx.post_at(i as u32, 100 * i as u64, 100);
            let mut ulpdu = send(i as u32 + 1, &[7; 20]);
            ulpdu[1] = control;
            rx.good(bench, &[ulpdu])?;
        }
        assert_eq!(rx.completions.len(), 3);
        assert!(rx.completions.iter().all(|c| c.0.opcode == 3 && !c.0.is_solicited));
        Ok(())
    });
}

#[test]
fn an_invalidate_stag_means_nothing_in_a_plain_send() {
    let _proof = proves_model("RDMAP-4.1-24");
    one("inv-stag", |bench, rx| {
        for (i, opcode) in [3, 5].into_iter().enumerate() {
            rx.post_at(i as u32, 0, 100);
            let mut ulpdu = untagged(opcode, 0, i as u32 + 1, 0, true, &[7; 20]);
            ulpdu[2..6].copy_from_slice(&STAG.to_be_bytes());
            rx.good(bench, &[ulpdu, tagged(0, STAG, TO, true, &[1; 8])])?;
        }
        assert_eq!(rx.completions.iter().map(|c| c.0.is_solicited).collect::<Vec<_>>(), [false, true]);
        Ok(())
    });
}

#[test]
fn opcodes_that_do_not_belong_are_refused_before_placement() {
    one("opcodes", |bench, rx| {
        for opcode in 1..16 {
            assert_eq!(rx.error(bench, &[], &[tagged(opcode, STAG, TO, true, &[1; 8])])?, 0x0206, "{opcode}");
        }
        for (opcode, queue) in (0..16).flat_map(|o| [0, 1, 2].map(|q| (o, q))) {
            let error = match (opcode, queue) {
                (3 | 5, 0) => continue,
                // no STag, no header, a Terminate that tells this
                (4 | 6, 0) => 0x0109,
                (1, 1) => 0x02FF,
                (7, 2) => 0x0101,
                _ => 0x0206,
            };
            let ulpdu = untagged(opcode, queue, 1, 0, true, &[1; 8]);
            assert_eq!(rx.error(bench, &[64], &[ulpdu])?, error, "opcode {opcode} on queue {queue}");
        }
        assert!(rx.memory.is_empty());
        Ok(())
    });
}

#[test]
fn other_versions_are_refused() {
    one("rv", |bench, rx| {
        for version in [0x00, 0x80, 0xC0] {
            for mut ulpdu in [tagged(0, STAG, TO, true, &[1; 8]), send(1, &[1; 8])] {
                ulpdu[1] = ulpdu[1] & 0x3F | version;
                assert_eq!(rx.error(bench, &[64], &[ulpdu])?, 0x0205, "RV {version:#x}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_send_goes_to_the_next_receive() {
    let _proof = proves_model("RDMAP-1.2-02");
    one("send", |bench, rx| {
        rx.post_at(11, 0, 64);
        rx.post_at(12, 0x100, 64);
        rx.good(bench, &[send(1, &[3; 33])])?;
        assert_eq!((rx.octets(BUFFERS, 64), rx.completions[0].0.index), (vec![3; 33], 11));
        Ok(())
    });
}

#[test]
fn valid_writes_are_not_reported() {
    let _proof = proves_model_rows(&["RDMAP-5.1-03", "RDMAP-3.2-07", "RDMAP-4-05"]);
    one("silent-write", |bench, rx| {
        rx.post_at(1, 0, 64);
        let writes: Vec<_> = (0..100).map(|i| tagged(0, STAG, TO + 40 * i, true, &[i as u8; 40])).collect();
        rx.good(bench, &writes)?;
        rx.good(bench, &[tagged(0, STAG, TO, true, &[0xEE; 1_448])])?;
        assert!(rx.completions.is_empty() && rx.memory.len() == 4_000);
        // the receive is still there, and its message has its exact length
        rx.good(bench, &[send(1, &[9; 37])])?;
        assert_eq!(rx.completions[0].0.byte_len, 37);
        Ok(())
    });
}

#[test]
fn a_send_takes_one_receive_whatever_its_length() {
    let _proof = proves_model_rows(&["RDMAP-5.3-03", "RDMAP-5.3-04", "RDMAP-5.3-05"]);
    one("one-each", |bench, rx| {
        let lengths = [1, 1, 1, 1, 0, 1, 4_096, 100];
        for (i, length) in lengths.into_iter().enumerate() {
            rx.post_at(i as u32, 0x2000 * i as u64, 4_096);
            rx.good(bench, &[send(i as u32 + 1, &vec![i as u8; length])])?;
        }
        let got: Vec<_> =
            rx.completions.iter().map(|c| (c.0.index as usize, c.0.byte_len as usize)).collect();
        assert_eq!(got, lengths.into_iter().enumerate().collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn the_length_of_a_send_is_mo_and_payload_of_its_last_segment() {
    let _proof = proves_model("RDMAP-3.1-05");
    one("three", |bench, rx| {
        rx.post_at(1, 0, 5_000);
        let part = |mo, last, length| untagged(3, 0, 1, mo, last, &vec![mo as u8; length]);
        rx.good(bench, &[part(0, false, 1_000), part(1_000, false, 900), part(1_900, true, 123)])?;
        assert_eq!(rx.completions[0].0.byte_len, 2_023);
        Ok(())
    });
}

#[test]
fn a_send_is_delivered_when_it_is_whole() {
    let _proof = proves_model("RDMAP-5.5-23");
    one("middle", |bench, rx| {
        rx.post_at(1, 0, 300);
        let part = |mo, last| untagged(3, 0, 1, mo, last, &[1; 100]);
        rx.good(bench, &[part(0, false)])?;
        assert!(rx.completions.is_empty());
        rx.good(bench, &[part(100, false)])?;
        assert!(rx.completions.is_empty());
        rx.good(bench, &[part(200, true)])?;
        assert_eq!(rx.completions.len(), 1);
        Ok(())
    });
}

#[test]
fn a_send_says_that_the_writes_before_it_are_there() {
    let _proof = proves_model("RDMAP-1.1-04");
    one("signal", |bench, rx| {
        rx.post_at(1, 0, 64);
        let writes = [tagged(0, STAG, TO, true, &[1; 1_000]), tagged(0, STAG, TO + 1_000, true, &[2; 1_000])];
        bench.hold_sink(rx.place, true);
        for ulpdu in writes.iter().chain([&send(1, &[3; 8])]) {
            rx.send(bench, QP, 0, ulpdu);
        }
        rx.run(bench, 300)?;
        assert!(rx.completions.is_empty(), "delivered before placement");
        bench.hold_sink(rx.place, false);
        while rx.completions.is_empty() {
            rx.run(bench, 1)?;
        }
        assert_eq!((rx.octets(BASE, 2_000).len(), rx.octets(BUFFERS, 8)), (2_000, vec![3; 8]));
        rx.check(bench)
    });
}

#[test]
fn the_first_tagged_offset_need_not_be_zero_and_any_part_may_be_written() {
    let _proof = proves_model_rows(&["RDMAP-5.1-05", "RDMAP-5.1-06"]);
    one("parts", |bench, rx| {
        rx.good(bench, &[tagged(0, STAG, TO, true, &[9; 4_096])])?;
        assert_eq!(rx.octets(BASE, 4_096), [9; 4_096]);
        rx.good(bench, &[0, 2_048, 4_095].map(|at| tagged(0, STAG, TO + at, true, &[1])))?;
        let ones: Vec<_> = rx.memory.iter().filter(|(_, o)| **o == 1).map(|(a, _)| a - BASE).collect();
        assert_eq!(ones, [0, 2_048, 4_095]);
        Ok(())
    });
}

#[test]
fn boundaries_of_messages_are_kept() {
    let _proof = proves_model("RDMAP-2.4-08");
    one("boundaries", |bench, rx| {
        rx.set_up(bench, QP, PD, 4)?;
        for (i, length) in [1, 1_460, 100_000].into_iter().enumerate() {
            rx.post_at(i as u32, 0x4_0000 * i as u64, 100_000);
            let data = vec![i as u8; length];
            let count = length.div_ceil(1_442);
            let part = |k: usize| {
                let (from, to) = (1_442 * k, (1_442 * (k + 1)).min(length));
                untagged(3, 0, i as u32 + 1, from as u32, k + 1 == count, &data[from..to])
            };
            let parts: Vec<_> = (0..count).map(part).collect();
            parts.iter().for_each(|ulpdu| rx.send(bench, QP, 0, ulpdu));
        }
        rx.check(bench)?;
        let got: Vec<_> = rx.completions.iter().map(|c| c.0.byte_len).collect();
        assert_eq!(got, [1, 1_460, 100_000]);
        Ok(())
    });
}
