// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is sent arrives once and in order.
use crate::cable::{Cable, Harm};
use crate::mirror::{tlp_record, Mirror, Record};
use crate::tlps;
use ferrowarp_abi::codec;
use ferrowarp_sim::carrier::{Came, CarrierConfig, CarrierState, HostEnd};
use ferrowarp_sim::seeds;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Times of a cable in simulated time.
pub fn config() -> CarrierConfig {
    CarrierConfig { hello_ns: 1_000_000, replay_ns: 200_000, ack_ns: 2_000, ..CarrierConfig::default() }
}

/// Both ends in an epoch.
pub fn connected(harm: Harm, seed: u64) -> (HostEnd, Mirror, Cable) {
    let (mut host, mut device, mut cable) =
        (HostEnd::new(config(), seed), Mirror::new(), Cable::new(harm, seed));
    cable.run(&mut host, &mut device, |host, _| host.state() == CarrierState::Up);
    (host, device, cable)
}

/// What came to the host.
pub fn taken(host: &mut HostEnd) -> Vec<Came> {
    std::iter::from_fn(|| host.take()).collect()
}

/// Sends random TLPs both ways; all arrive once and in order.
fn passes(harm: Harm, seed: u64, count: usize) -> (HostEnd, Cable) {
    let (mut host, mut device, mut cable) = connected(harm, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut down, mut up, mut came) = (vec![], vec![], vec![]);
    let tlp =
        |n: usize, rng: &mut ChaCha8Rng| tlps::long_write(4 * n as u32, n as u8, rng.random_range(1..=128));
    while down.len() < count || up.len() < count {
        for _ in 0..rng.random_range(1..8) {
            if host.has_room() && down.len() < count {
                let (tlp, hit) = (tlp(down.len(), &mut rng), 1 << rng.random_range(0..3));
                host.send(&tlp, hit);
                down.push(Record::Tlp(hit, tlps::stream(&tlp)));
            }
            if up.len() < count && device.got.len() + 100 > up.len() {
                let tlp = tlp(up.len(), &mut rng);
                device.push(tlp_record(&tlps::stream(&tlp)));
                up.push(Came::Tlp(tlp));
            }
        }
        cable.step(&mut host, &mut device);
        came.extend(taken(&mut host));
    }
    let until = cable.now + 1_000_000_000;
    while !(host.is_idle() && device.is_idle()) {
        assert!(cable.now < until, "seed {seed}: {:?}", host.stats());
        cable.step(&mut host, &mut device);
        came.extend(taken(&mut host));
    }
    assert_eq!(device.got.len(), count, "seed {seed}");
    assert!(device.got == down, "seed {seed}: to the device");
    assert!(came == up, "seed {seed}: to the host");
    assert_eq!((host.stats().epochs, host.stats().answered, device.hellos), (1, 1, 1), "seed {seed}");
    (host, cable)
}

#[test]
fn a_good_cable_repeats_nothing() {
    for seed in seeds(0..2, 0..20) {
        let (host, cable) = passes(Harm::default(), seed, 1_000);
        let stats = host.stats();
        assert_eq!((stats.sent_again, stats.out_of_order, stats.duplicates, stats.replays), (0, 0, 0, 0));
        assert!(stats.sent < 900, "packed: {stats:?}");
        assert!(cable.now < 10_000_000, "{} ns", cable.now);
    }
}

#[test]
fn tlps_arrive_once_and_in_order_whatever_the_cable_does() {
    for seed in seeds(0..10, 0..500) {
        let mut harmed = 0;
        for harm in [
            Harm { lost: 2, ..Harm::default() },
            Harm { lost: 33, ..Harm::default() },
            Harm { doubled: 33, ..Harm::default() },
            Harm { held: 33, ..Harm::default() },
            Harm { lost: 20, doubled: 20, held: 20 },
        ] {
            let (host, _) = passes(harm, seed, 300);
            let stats = host.stats();
            harmed += stats.sent_again + stats.out_of_order + stats.duplicates;
            assert_eq!((stats.malformed, stats.foreign, stats.gone), (0, 0, 0));
        }
        assert!(harmed > 30, "{harmed}");
    }
}

#[test]
fn sequence_numbers_wrap() {
    let (mut host, mut device, mut cable) = connected(Harm { lost: 1, ..Harm::default() }, 5);
    let (mut sent, mut came) = (0_u32, 0_u32);
    while host.stats().sent < 66_000 || host.stats().taken < 66_000 {
        if host.has_room() {
            host.send(&tlps::write(0x1000, sent), 1);
            device.push(tlp_record(&tlps::stream(&tlps::write(0x2000, sent))));
            sent += 1;
        }
        cable.step(&mut host, &mut device);
        for tlp in taken(&mut host) {
            assert_eq!(tlp, Came::Tlp(tlps::write(0x2000, came)));
            came += 1;
        }
    }
    for (n, record) in device.got.iter().enumerate() {
        assert_eq!(*record, Record::Tlp(1, tlps::stream(&tlps::write(0x1000, n as u32))));
    }
    assert!(device.got.len() >= 66_000 && host.stats().strange_acks < 10_000, "{:?}", host.stats());
}

#[test]
fn eight_requests_are_under_way_and_writes_pass_those_that_wait() {
    let (mut host, mut device, mut cable) = connected(Harm::default(), 1);
    (0..10).for_each(|tag| host.send(&tlps::read(0x100, 0, tag), 1));
    host.send(&tlps::write(0x200, 7), 2);
    cable.run(&mut host, &mut device, |_, device| device.got.len() >= 9);
    let read = |tag| Record::Tlp(1, tlps::stream(&tlps::read(0x100, 0, tag)));
    let write = Record::Tlp(2, tlps::stream(&tlps::write(0x200, 7)));
    let first: Vec<_> = std::iter::once(write).chain((0..8).map(read)).collect();
    assert_eq!(device.got, first, "a write passes requests that wait");
    device.push(tlp_record(&tlps::stream(&tlps::completion(3, 0, 9))));
    cable.run(&mut host, &mut device, |_, device| device.got.len() > 9);
    assert_eq!(device.got[9], read(8));
    // the device takes none now: its word comes with an acknowledgment, for which it is asked
    device.np_ok = false;
    device.push(tlp_record(&tlps::stream(&tlps::completion(4, 0, 9))));
    let until = cable.now + 5_000_000;
    while cable.now < until {
        cable.step(&mut host, &mut device);
    }
    assert_eq!(device.got.len(), 10);
    device.np_ok = true;
    let asked = cable.now;
    cable.run(&mut host, &mut device, |_, device| device.got.len() > 10);
    assert_eq!(device.got[10], read(9));
    assert!(cable.now - asked < 1_000_000, "{} ns", cable.now - asked);
}

#[test]
fn configuration_and_a_reset_keep_their_places() {
    let (mut host, mut device, mut cable) = connected(Harm { lost: 33, ..Harm::default() }, 3);
    host.send(&tlps::write(0x200, 1), 1);
    let config =
        codec::CarrierConfig { id: 0x0300, mps: 2, master: true, masked: true, ..Default::default() };
    host.configure(config);
    host.send(&tlps::write(0x200, 2), 1);
    host.reset();
    // a request behind the reset waits for the end of the reset
    host.send(&tlps::read(0x100, 0, 1), 1);
    cable.run(&mut host, &mut device, |_, device| device.got.len() >= 4);
    let write = |value| Record::Tlp(1, tlps::stream(&tlps::write(0x200, value)));
    assert_eq!(device.got, [write(1), Record::Config(0x0142_0300), write(2), Record::Reset]);
    device.push(vec![4, 0, 0, 0, 0, 0, 0, 0]);
    cable.run(&mut host, &mut device, |_, device| device.got.len() > 4);
    assert_eq!(taken(&mut host), [Came::ResetDone]);
    assert_eq!(device.got[4], Record::Tlp(1, tlps::stream(&tlps::read(0x100, 0, 1))));
}
