// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hellos, epochs, a device that comes and goes.
use crate::cable::{Cable, Harm};
use crate::mirror::{tlp_record, Mirror, Record};
use crate::order::{config, connected, taken};
use crate::tlps;
use ferrowarp_abi::codec;
use ferrowarp_sim::carrier::{Came, CarrierState, HostEnd};
use ferrowarp_sim::seeds;

#[test]
fn a_hello_is_repeated_until_it_is_answered() {
    for seed in seeds(0..5, 0..100) {
        let (host, device, _) = connected(Harm { lost: 75, ..Harm::default() }, seed);
        assert_eq!((device.epoch, device.hellos), (Some(host.epoch()), 1));
        assert_eq!(host.stats().epochs, 1);
    }
}

#[test]
fn a_new_epoch_takes_nothing_of_the_old_one() {
    let mut stale = 0;
    for seed in seeds(0..20, 0..500) {
        let harm = Harm { lost: 10, doubled: 30, held: 50 };
        let (mut host, mut device, mut cable) = connected(harm, seed);
        for epoch in 1..5_u32 {
            (0..40).for_each(|n| host.send(&tlps::write(0x200, epoch << 16 | n), 1));
            (0..40)
                .for_each(|n| device.push(tlp_record(&tlps::stream(&tlps::write(0x200, epoch << 16 | n)))));
            // in the middle of both transfers
            (0..seed % 20).for_each(|_| cable.step(&mut host, &mut device));
            for (n, came) in taken(&mut host).into_iter().enumerate() {
                assert_eq!(came, Came::Tlp(tlps::write(0x200, epoch << 16 | n as u32)));
            }
            for (n, record) in device.got.iter().enumerate() {
                let tlp = tlps::write(0x200, epoch << 16 | n as u32);
                assert_eq!(*record, Record::Tlp(1, tlps::stream(&tlp)), "seed {seed}");
            }
            host.restart(cable.now, 0);
            assert_eq!(host.take(), None);
            // a late hello of the old epoch may take the device back: the host notices by silence
            cable.run(&mut host, &mut device, |host, device| {
                host.state() == CarrierState::Up && device.epoch == Some(host.epoch())
            });
        }
        assert!(host.stats().epochs >= 5);
        stale += host.stats().stale;
    }
    assert!(stale > 0, "no frame of an old epoch came");
}

#[test]
fn a_silent_device_is_gone_and_comes_back_in_a_new_epoch() {
    let (mut host, mut device, mut cable) = connected(Harm::default(), 1);
    let first = host.epoch();
    // at rest the device is asked now and then
    let until = cable.now + 10_000_000_000;
    while cable.now < until {
        cable.step(&mut host, &mut device);
    }
    assert_eq!((host.state(), host.stats().epochs), (CarrierState::Up, 1));
    let begun = cable.now;
    device.is_mute = true;
    host.send(&tlps::write(0x200, 1), 1);
    cable.run(&mut host, &mut device, |host, _| host.state() == CarrierState::Gone);
    let took = cable.now - begun;
    // its last frame may be under way still
    let most = config().gone_ns + config().hello_ns;
    assert!((config().gone_ns - 200_000_000..most).contains(&took), "{took} ns");
    assert_ne!(host.epoch(), first);
    // what is sent now is lost, and nothing piles up
    host.send(&tlps::write(0x200, 2), 1);
    host.configure(codec::CarrierConfig::default());
    host.reset();
    assert!(host.is_idle() && !host.has_room());
    let until = cable.now + 10_000_000_000;
    while cable.now < until {
        cable.step(&mut host, &mut device);
    }
    assert_eq!((host.state(), host.stats().gone), (CarrierState::Gone, 1));
    device.is_mute = false;
    cable.run(&mut host, &mut device, |host, _| host.state() == CarrierState::Up);
    assert_eq!((device.epoch, device.hellos), (Some(host.epoch()), 2));
    host.send(&tlps::write(0x200, 3), 1);
    cable.run(&mut host, &mut device, |_, device| !device.got.is_empty());
    assert_eq!(device.got, [Record::Tlp(1, tlps::stream(&tlps::write(0x200, 3)))]);
}

#[test]
fn a_device_that_never_answers_is_gone_and_is_called_on() {
    let (mut host, mut device) = (HostEnd::new(config(), 1), Mirror::new());
    let mut cable = Cable::new(Harm { lost: 100, ..Harm::default() }, 1);
    assert_eq!(host.state(), CarrierState::Calling);
    cable.run(&mut host, &mut device, |host, _| host.state() == CarrierState::Gone);
    assert!((config().gone_ns..=config().gone_ns + config().hello_ns).contains(&cable.now));
    let hellos = host.stats().hellos;
    cable.run(&mut host, &mut device, |host, _| host.stats().hellos > hellos + 10);
}

#[test]
fn epochs_differ_by_seed_and_from_the_one_before() {
    let epochs: std::collections::BTreeSet<_> =
        (0..50).map(|seed| HostEnd::new(config(), seed).epoch()).collect();
    assert!(epochs.len() > 45);
    let mut host = HostEnd::new(config(), 1);
    for _ in 0..200_000 {
        let before = host.epoch();
        host.restart(0, 0);
        assert_ne!(host.epoch(), before);
    }
}
