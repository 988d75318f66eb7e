// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that no device sends.
use crate::cable::Harm;
use crate::mirror::{frame, tlp_record, DEVICE, HOST};
use crate::order::{connected, taken};
use crate::tlps;
use ferrowarp_sim::carrier::{Came, CarrierState, HostEnd};
use ferrowarp_sim::seeds;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Flags of a device that takes requests.
const FLAGS: u8 = 6;

/// A host in an epoch, and a data frame of the device with one write.
fn host() -> (HostEnd, Vec<u8>) {
    let (host, ..) = connected(Harm::default(), 1);
    let record = tlp_record(&tlps::stream(&tlps::write(0x200, 1)));
    let good = frame(FLAGS, 2, [host.epoch(), 0, 0, 1], &record);
    (host, good)
}

#[test]
fn a_frame_with_any_field_wrong_is_counted_and_nothing_of_it_counts() {
    let (_, good) = host();
    let with = |at: usize, octets: &[u8]| {
        let mut frame = good.clone();
        frame[at..at + octets.len()].copy_from_slice(octets);
        frame
    };
    let long = |octets: usize| [&good[..], &vec![0; octets - 60]].concat();
    let malformed = [
        ("version 0", with(14, &[FLAGS])),
        ("version 2", with(14, &[0x20 | FLAGS])),
        ("ask", with(14, &[0x10 | FLAGS | 8])),
        ("not ready", with(14, &[0x10])),
        ("kind 0", with(15, &[0])),
        ("kind 4", with(15, &[4])),
        ("data without records", with(22, &[0, 0])),
        ("an ack with records", with(15, &[3])),
        ("a hello with records", with(15, &[1])),
        ("an ack with a number", frame(FLAGS, 3, [u16::from_be_bytes([good[16], good[17]]), 1, 0, 0], &[])),
        ("more records than there are", with(22, &[0, 3])),
        ("all records", with(22, &[0xFF, 0xFF])),
        ("record kind 0", with(24, &[0])),
        ("a config record", with(24, &[2])),
        ("a reset record", with(24, &[3])),
        ("a reset_done with dwords", with(24, &[4])),
        ("record kind 5", with(24, &[5])),
        ("a BAR", with(25, &[1])),
        ("a value", with(28, &[0, 0, 0, 1])),
        ("no dwords", with(26, &[0, 0])),
        ("two dwords", with(26, &[0, 2])),
        ("more dwords than there are", with(26, &[0, 8])),
        ("more dwords than a frame holds", with(26, &[0xFF, 0xFF])),
        ("octets behind its records", long(64)),
        ("too long", long(1_515)),
        ("cut", good[..59].to_vec()),
        ("cut in its head", good[..20].to_vec()),
    ];
    for (what, octets) in &malformed {
        let (mut host, good) = host();
        host.frame_came(1_000, octets);
        assert_eq!((host.stats().malformed, host.take()), (1, None), "{what}");
        host.frame_came(1_000, &good);
        assert_eq!(taken(&mut host), [Came::Tlp(tlps::write(0x200, 1))], "behind {what}");
    }
    let (mut host, _) = host();
    for frame in [with(0, &[2; 6]), with(0, &[0xFF; 6]), with(0, &DEVICE), with(6, &HOST), with(6, &[2; 6])] {
        host.frame_came(1_000, &frame);
    }
    host.frame_came(1_000, &with(16, &host.epoch().wrapping_add(1).to_be_bytes()));
    // none of the carrier
    host.frame_came(1_000, &with(12, &[8, 0]));
    host.frame_came(1_000, &good[..13]);
    host.frame_came(1_000, &[]);
    let stats = host.stats();
    assert_eq!((stats.foreign, stats.stale, stats.malformed, stats.taken), (5, 1, 0, 0));
}

#[test]
fn acknowledgments_of_what_was_not_sent_are_counted_and_ignored() {
    let (mut host, _) = host();
    (0..3).for_each(|n| {
        host.send(&tlps::write(0x200, n), 1);
        host.poll(1_000).unwrap();
    });
    for number in [4, 5, 0x8000, 0xFFFF] {
        // with a report of a gap as well
        host.frame_came(1_000, &frame(FLAGS | 1, 3, [host.epoch(), 0, number, 0], &[]));
    }
    assert_eq!((host.stats().strange_acks, host.stats().naks), (4, 0));
    host.frame_came(1_000, &frame(FLAGS, 3, [host.epoch(), 0, 2, 0], &[]));
    host.frame_came(1_000, &frame(FLAGS, 3, [host.epoch(), 0, 1, 0], &[]));
    assert_eq!((host.stats().strange_acks, host.is_idle()), (5, false));
    // the one that is left is sent again on a report, with its number
    host.frame_came(1_000, &frame(FLAGS | 1, 3, [host.epoch(), 0, 2, 0], &[]));
    let again = host.poll(1_000).unwrap();
    assert_eq!((&again[18..20], host.poll(1_000)), (&[0, 2][..], None));
    host.frame_came(1_000, &frame(FLAGS, 3, [host.epoch(), 0, 3, 0], &[]));
    assert!(host.is_idle());
}

#[test]
fn random_octets_do_no_harm() {
    for seed in seeds(0..4, 0..200) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut host, good) = host();
        for now in 0..5_000 {
            let mut octets = match rng.random_range(0..3) {
                0 => (0..rng.random_range(0..1_600)).map(|_| rng.random()).collect(),
                _ => good.clone(),
            };
            for _ in 0..rng.random_range(0..4) {
                let at = rng.random_range(0..octets.len().max(1));
                octets.get_mut(at).into_iter().for_each(|octet| *octet = rng.random());
            }
            octets.truncate(rng.random_range(octets.len() / 2..=octets.len()));
            host.frame_came(now, &octets);
            host.take();
            while let Some(frame) = host.poll(now) {
                assert!((60..=1_514).contains(&frame.len()));
            }
        }
        assert_eq!(host.state(), CarrierState::Up);
    }
}
