// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the DDP matrix about what is placed and delivered, proved by DDP receive on emitted
//! Verilog.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{tagged, untagged, Receive, Scatter};
use ferrowarp_tests::ddp_rx::{one, Rx, BASE, BUFFERS, OURS, OURS_TO, QP, STAG, TO};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// Segments of a Send of `data`, `cut` octets each.
fn sends(msn: u32, data: &[u8], cut: usize) -> Vec<Vec<u8>> {
    let count = data.len().div_ceil(cut).max(1);
    let piece = |i: usize| &data[i * cut..((i + 1) * cut).min(data.len())];
    (0..count).map(|i| untagged(3, 0, msn, (i * cut) as u32, i + 1 == count, piece(i))).collect()
}

fn random(bench: &mut Bench, length: usize) -> Vec<u8> {
    (0..length).map(|_| bench.rng().random()).collect()
}

/// Octets of the completions so far.
fn lengths(rx: &Rx) -> Vec<u32> {
    rx.completions.iter().map(|c| c.0.byte_len).collect()
}

#[test]
fn t_chooses_the_kind_of_buffer() {
    let _proof = proves_model_rows(&["DDP-4.1-02", "DDP-4.1-03"]);
    one("kind", |bench, rx| {
        rx.post_at(1, 0, 64);
        rx.good(bench, &[tagged(0, STAG, TO, true, &[1; 64])])?;
        assert_eq!((rx.octets(BASE, 64), rx.completions.len()), (vec![1; 64], 0));
        rx.good(bench, &[untagged(3, 0, 1, 0, true, &[2; 64])])?;
        assert_eq!((rx.octets(BUFFERS, 64), rx.completions.len()), (vec![2; 64], 1));
        assert_eq!(rx.memory.len(), 128);
        Ok(())
    });
}

#[test]
fn the_sender_chooses_offsets_in_a_tagged_buffer() {
    let _proof = proves_model_rows(&["DDP-1.1-01", "DDP-4.2-16", "DDP-4.2-17"]);
    one("offsets", |bench, rx| {
        rx.good(bench, &[3, 1, 4_088, 4_095].map(|to| tagged(0, STAG, TO + to, true, &[to as u8; 1])))?;
        rx.good(
            bench,
            &[tagged(0, STAG, TO + 2_000, true, &[9; 8]), tagged(0, STAG, TO + 100, true, &[8; 5])],
        )?;
        assert_eq!([1, 3, 4_088, 4_095].map(|at| rx.memory[&(BASE + at)]), [1, 3, 248, 255]);
        assert_eq!((rx.octets(BASE + 2_000, 8), rx.octets(BASE + 100, 9)), (vec![9; 8], vec![8; 5]));
        assert_eq!(rx.memory.len(), 17);
        Ok(())
    });
}

#[test]
fn an_stag_serves_any_number_of_messages() {
    let _proof = proves_model_rows(&["DDP-1.2-07", "DDP-5.1.1-02"]);
    one("again", |bench, rx| {
        let writes: Vec<_> = (0..1_000).map(|i| tagged(0, STAG, TO + i % 7, true, &[i as u8; 9])).collect();
        rx.good(bench, &writes)?;
        assert_eq!(rx.octets(BASE + 5, 9), [999_u64 as u8; 9]);
        Ok(())
    });
}

#[test]
fn a_segment_is_placed_by_its_own_header() {
    let _proof = proves_model("DDP-2.3-01");
    one("middle", |bench, rx| {
        rx.good(bench, &[tagged(0, STAG, TO + 512, false, &[7; 256])])?;
        assert_eq!(rx.octets(BASE, 4_096), [7; 256]);
        Ok(())
    });
}

#[test]
fn reserved_bits_are_not_looked_at() {
    let _proof = proves_model("DDP-4.1-11");
    one("reserved", |bench, rx| {
        for bits in 1..16_u8 {
            rx.post_at(bits.into(), 64 * u64::from(bits), 64);
            let mut pair = [
                tagged(0, STAG, TO + u64::from(bits), true, &[bits]),
                untagged(3, 0, bits.into(), 0, true, &[bits; 9]),
            ];
            pair.iter_mut().for_each(|ulpdu| ulpdu[0] |= bits << 2);
            rx.good(bench, &pair)?;
        }
        assert_eq!((rx.completions.len(), rx.octets(BASE, 16)), (15, (1..16).collect()));
        Ok(())
    });
}

#[test]
fn segments_without_payload() {
    let _proof = proves_model_rows(&["DDP-5.2-16", "DDP-7.1-22", "RDMAP-5.1-12"]);
    one("empty", |bench, rx| {
        let empty = |stag| tagged(0, stag, u64::MAX, true, &[]);
        rx.good(bench, &[empty(0), empty(u32::MAX), tagged(0, STAG, TO, true, &[1])])?;
        assert_eq!(rx.memory.len(), 1);
        let mut bad = empty(STAG);
        bad[0] = 0xC3;
        assert_eq!(rx.error(bench, &[], &[bad])?, 0x1104);
        assert_eq!(rx.error(bench, &[], &[untagged(3, 0, 1, 0, true, &[])])?, 0x1202);
        Ok(())
    });
}

#[test]
fn a_last_segment_may_be_empty() {
    let _proof = proves_model_rows(&["DDP-5.2-19", "DDP-4.1-09"]);
    one("tail", |bench, rx| {
        rx.post_at(1, 0, 100);
        rx.good(bench, &[untagged(3, 0, 1, 0, false, &[3; 100])])?;
        assert!(rx.completions.is_empty());
        rx.good(bench, &[untagged(3, 0, 1, 100, true, &[])])?;
        assert_eq!(lengths(rx), [100]);
        Ok(())
    });
}

#[test]
fn the_length_of_a_message_is_delivered() {
    let _proof = proves_model_rows(&["DDP-5.4-04", "DDP-5.4-05", "DDP-2.3-09"]);
    one("length", |bench, rx| {
        for (i, length) in [0, 1, 70_000, 2_048, 3_000].into_iter().enumerate() {
            rx.post_at(i as u32, 80_000 * i as u64, 80_000);
            let data = random(bench, length);
            let cut = if length == 3_000 { 1_000 } else { 1_482 };
            rx.good(bench, &sends(i as u32 + 1, &data, cut))?;
            assert_eq!(rx.octets(BUFFERS + 80_000 * i as u64, 80_000), data);
        }
        assert_eq!(lengths(rx), [0, 1, 70_000, 2_048, 3_000]);
        Ok(())
    });
}

#[test]
fn a_message_takes_one_receive() {
    let _proof = proves_model_rows(&["DDP-1.2-03", "DDP-1.2-06", "DDP-1.1-02"]);
    one("receives", |bench, rx| {
        let places = [0x7003, 0x21];
        places.iter().enumerate().for_each(|(i, at)| rx.post_at(i as u32, *at, 4_096));
        rx.good(bench, &[untagged(3, 0, 1, 0, true, &[1; 10]), untagged(3, 0, 2, 0, true, &[2; 20])])?;
        assert_eq!(lengths(rx), [10, 20]);
        assert_eq!(rx.octets(BUFFERS + 0x7003, 4_096), [1; 10]);
        assert_eq!(rx.octets(BUFFERS + 0x21, 4_096), [2; 20]);
        rx.send(bench, QP, 0, &untagged(3, 0, 3, 0, true, &[3; 5]));
        rx.check(bench)?;
        assert_eq!(rx.faults[0].error, 0x1202, "nothing is left posted");
        Ok(())
    });
}

#[test]
fn payload_is_what_the_header_leaves() {
    let _proof = proves_model_rows(&["DDP-3-10", "DDP-4.4-02", "DDP-5.2-05"]);
    one("payload", |bench, rx| {
        for length in (0..40).chain([255, 256, 1_441, 1_442]) {
            let (msn, at) = (rx.completions.len() as u32 + 1, 2_000 * rx.completions.len() as u64 % 80_000);
            rx.post_at(0, at, 1_500);
            let (one, two) = (random(bench, length), random(bench, length));
            rx.good(bench, &[tagged(0, STAG, TO, true, &one), untagged(3, 0, msn, 0, true, &two)])?;
            assert_eq!(rx.octets(BASE, length as u64), one);
            assert_eq!(rx.octets(BUFFERS + at, length as u64), two);
        }
        Ok(())
    });
}

#[test]
fn a_message_fills_scatters_of_any_length() {
    one("scatters", |bench, rx| {
        for (i, lengths) in
            [[1, 0, 99], [0, 0, 100], [33, 33, 34], [100, 0, 0], [0, 100, 5]].into_iter().enumerate()
        {
            let mut to = OURS_TO + 1_000 * i as u64;
            let scatters = lengths.map(|length| {
                to += 129;
                Scatter { to, length, key: OURS }
            });
            rx.post(QP, Receive { index: i as u32, scatters: scatters.to_vec() });
            let data = random(bench, 100);
            rx.good(bench, &sends(i as u32 + 1, &data, 41))?;
        }
        assert_eq!(lengths(rx), [100; 5]);
        Ok(())
    });
}
