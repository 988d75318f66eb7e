// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receives of every number of scatters, and every bit of addresses, tagged offsets and queue
//! numbers.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{tagged, untagged, Receive, Scatter};
use ferrowarp_tests::ddp_rx::{one, quiet, Rx, OURS, OURS_TO, PD, QP};
use ferrowarp_tests::mr::Region;
use rand::Rng;

fn random(bench: &mut Bench, length: u32) -> Vec<u8> {
    (0..length).map(|_| bench.rng().random()).collect()
}

/// A receive of these scatters, 16 KiB of the region of receives.
fn receive(index: u32, lengths: &[u32]) -> Receive {
    let at = |i: usize| OURS_TO + 0x4000 * u64::from(index % 60) + 0x1000 * i as u64;
    let scatter = |(i, &length)| Scatter { to: at(i), length, key: OURS };
    Receive { index, scatters: lengths.iter().enumerate().map(scatter).collect() }
}

/// Receives of 0 to 3 scatters, some of which have no octets.
fn receives(bench: &mut Bench) -> Vec<Vec<u32>> {
    let mut length = || [0, 1, 7, 8, 100, 700][bench.rng().random_range(0..6)];
    (0..48).map(|i| (0..i % 4).map(|_| length()).collect()).collect()
}

#[test]
fn a_message_fills_the_scatters_that_its_receive_has() {
    one("wide-fit", |bench, rx| {
        let receives = receives(bench);
        for (i, lengths) in (0..).zip(&receives) {
            rx.post(QP, receive(i, lengths));
            let data = random(bench, lengths.iter().sum());
            rx.send(bench, QP, 0, &untagged(3, 0, i + 1, 0, true, &data));
        }
        rx.check(bench)?;
        assert!(rx.faults.is_empty(), "{:x?}", rx.faults);
        assert_eq!(rx.completions.len(), receives.len());
        Ok(())
    });
}

#[test]
fn a_message_has_no_more_room_than_the_scatters_that_its_receive_has() {
    one("wide-over", |bench, rx| {
        for (i, lengths) in (0..).zip(receives(bench)) {
            rx.set_up(bench, QP, PD, 9)?;
            rx.post(QP, receive(i, &lengths));
            let most: u32 = lengths.iter().sum();
            let faults = rx.faults.len();
            // the octet beyond comes with the rest, or alone
            let data = random(bench, most + 1);
            let cut = if bench.rng().random() { 0 } else { most as usize };
            if cut > 0 {
                rx.send(bench, QP, 0, &untagged(3, 0, 1, 0, false, &data[..cut]));
            }
            rx.send(bench, QP, 0, &untagged(3, 0, 1, cut as u32, true, &data[cut..]));
            rx.check(bench)?;
            assert_eq!(rx.faults.len(), faults + 1, "{lengths:?}");
            let error = if cut == most as usize { 0x1204 } else { 0x1205 };
            assert_eq!(rx.faults[faults].error, error, "{lengths:?}");
        }
        assert!(rx.completions.is_empty());
        Ok(())
    });
}

/// One queue pair whose peer writes and whose receives are filled at `base`, from `to` on.
fn place(bench: &mut Bench, rx: &mut Rx, msn: u32, base: u64, to: u64) -> Result<(), String> {
    let index = 1 + msn % 255;
    let region = Region {
        to_base: to,
        local_write: true,
        // the row of a region that only one queue pair may use
        only: Some(QP.into()),
        ..Region::writable(base, 4_096, PD, msn as u8)
    };
    rx.region(bench, index, region)?;
    let key = index << 8 | u32::from(region.key);
    let at: [u64; 3] = std::array::from_fn(|_| bench.rng().random_range(0..1_300) + to);
    rx.post(QP, Receive { index: msn, scatters: at.map(|to| Scatter { to, length: 11, key }).to_vec() });
    let data = random(bench, 66);
    rx.send(bench, QP, 0, &tagged(0, key, to + 4_063, true, &data[..33]));
    rx.send(bench, QP, 0, &untagged(3, 0, msn, 0, true, &data[33..]));
    rx.check(bench)?;
    assert!(rx.faults.is_empty(), "{:x?}", rx.faults);
    Ok(())
}

#[test]
fn every_bit_of_an_address_and_of_a_tagged_offset_counts() {
    quiet("wide-bits", |bench, rx| {
        rx.set_up(bench, QP, PD, 9)?;
        for bit in 0..64 {
            let low = |bench: &mut Bench| bench.rng().random_range(0..4_096);
            let (base, to) = ((1 << bit) + low(bench), low(bench));
            place(bench, rx, 2 * bit + 1, base, to)?;
            let (base, to) = (low(bench), (1 << bit) + low(bench));
            place(bench, rx, 2 * bit + 2, base, to)?;
        }
        for msn in 129..170 {
            let (base, to) = (bench.rng().random::<u64>() >> 1, bench.rng().random::<u64>() >> 1);
            place(bench, rx, msn, base, to)?;
        }
        Ok(())
    });
}

#[test]
fn every_bit_of_a_queue_number_counts() {
    one("wide-queues", |bench, rx| {
        for bit in 2..32 {
            for low in 0..4 {
                let (opcode, queue) = ([3, 1, 7, 3][low as usize], 1 << bit | low);
                let ulpdu = untagged(opcode, queue, 1, 0, true, &[1; 28]);
                assert_eq!(rx.error(bench, &[64], &[ulpdu])?, 0x1201, "QN {queue:#x}");
            }
        }
        Ok(())
    });
}
