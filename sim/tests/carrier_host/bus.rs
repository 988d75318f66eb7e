// SPDX-License-Identifier: MIT OR Apache-2.0
//! A root complex behind the carrier.
use crate::cable::{Cable, Harm};
use crate::mirror::{tlp_record, Mirror, Record};
use crate::order::config;
use crate::tlps;
use ferrowarp_sim::carrier::CarriedBus;
use ferrowarp_sim::pcie::{BusState, Status};
use ferrowarp_sim::seeds;

/// A bus with 64 KiB of memory at 0x10000, a device that may send requests.
fn connected(harm: Harm, seed: u64) -> (CarriedBus, Mirror, Cable) {
    let (mut bus, mut device, mut cable) =
        (CarriedBus::new(config(), seed), Mirror::new(), Cable::new(harm, seed));
    bus.root().host.map(0x1_0000, 0x1_0000, true).unwrap();
    assert_eq!(bus.link(), BusState::Down);
    cable.run(&mut bus, &mut device, |bus, _| bus.link() == BusState::Up);
    assert!(!bus.take_lost());
    cable.run(&mut bus, &mut device, |_, device| !device.got.is_empty());
    // the function's id, payloads of 256 octets, reads of 512, and no leave to send requests
    assert_eq!(device.got, [Record::Config(0x0011_0300)]);
    bus.root().config.master = true;
    bus.configure();
    cable.run(&mut bus, &mut device, |_, device| device.got.len() > 1);
    assert_eq!(device.got[1], Record::Config(0x0051_0300));
    device.got.clear();
    (bus, device, cable)
}

fn sends(device: &mut Mirror, tlp: &[u8]) {
    device.push(tlp_record(&tlps::stream(tlp)));
}

#[test]
fn writes_and_reads_of_the_device_reach_memory() {
    for seed in seeds(0..5, 0..100) {
        let (mut bus, mut device, mut cable) = connected(Harm { lost: 20, doubled: 10, held: 10 }, seed);
        for n in 0..64_u8 {
            sends(&mut device, &tlps::long_write(0x1_0000 + 256 * u32::from(n), n + 1, 64));
        }
        // the read pushes the writes before it
        sends(&mut device, &tlps::read(0x1_3F00, 0x0300, 5));
        cable.run(&mut bus, &mut device, |_, device| !device.got.is_empty());
        let completion = [0x4A, 0, 0, 1, 0, 0, 0, 4, 0x03, 0, 5, 0, 64, 64, 64, 64];
        assert_eq!(device.got, [Record::Tlp(0, tlps::stream(&completion))]);
        for n in 0..64_u8 {
            let came = bus.root().host.read(0x1_0000 + 256 * u64::from(n), 256).unwrap();
            assert_eq!(came, [n + 1; 256]);
        }
        assert!(bus.root().host.take_refused().is_empty());
    }
}

#[test]
fn a_read_of_a_register_is_answered() {
    let (mut bus, mut device, mut cable) = connected(Harm { lost: 33, ..Harm::default() }, 2);
    bus.note_access();
    let tag = bus.root().bar_read(0, 0x10, 4);
    cable.run(&mut bus, &mut device, |_, device| !device.got.is_empty());
    assert_eq!(device.got, [Record::Tlp(1, tlps::stream(&tlps::read(0xF000_0010, 0, tag)))]);
    sends(&mut device, &tlps::completion(tag, 0x10, 0xABCD));
    let until = cable.now + 100_000_000;
    let answers = loop {
        assert!(cable.now < until);
        cable.step(&mut bus, &mut device);
        let answers = bus.root().take_answers();
        if !answers.is_empty() {
            break answers;
        }
    };
    assert_eq!((answers[0].tag, answers[0].status), (tag, Status::Successful));
    assert_eq!(answers[0].data, 0xABCD_u32.to_le_bytes());
}

#[test]
fn a_tlp_that_breaks_a_rule_resets_the_device_and_software_is_told() {
    let (mut bus, mut device, mut cable) = connected(Harm::default(), 3);
    bus.note_access();
    bus.root().bar_read(0, 0x10, 4);
    cable.run(&mut bus, &mut device, |_, device| !device.got.is_empty());
    // a completion of nothing; what follows does not count any more
    sends(&mut device, &tlps::completion(77, 0, 0));
    sends(&mut device, &tlps::long_write(0x1_0000, 9, 64));
    cable.run(&mut bus, &mut device, |bus, _| bus.stats().violations == 1);
    assert!(bus.take_lost() && bus.link() == BusState::Down);
    cable.run(&mut bus, &mut device, |_, device| device.hellos == 2);
    let until = cable.now + 1_000_000_000;
    while cable.now < until {
        cable.step(&mut bus, &mut device);
    }
    // the device answers, and software has not noticed
    assert_eq!((bus.link(), bus.stats().answered, bus.stats().violations), (BusState::Down, 2, 1));
    assert_eq!(device.got, [Record::Config(0x0011_0300)]);
    assert_eq!(bus.root().host.read(0x1_0000, 4).unwrap(), [0; 4]);
    assert!(!bus.forget(), "the device is reset already");
    assert_eq!(bus.link(), BusState::Up);
    assert!(bus.forget(), "now it has a link, and is reset by a record");
    cable.run(&mut bus, &mut device, |_, device| device.got.last() == Some(&Record::Reset));
    device.push(vec![4, 0, 0, 0, 0, 0, 0, 0]);
    cable.run(&mut bus, &mut device, |bus, _| bus.take_reset_done());
}

#[test]
fn a_reset_stands_behind_all_accesses_before_it() {
    let (mut bus, mut device, mut cable) = connected(Harm { lost: 10, ..Harm::default() }, 6);
    // more than the end takes at once
    (0..1_500_u32).for_each(|n| bus.root().bar_write(1, 0, &n.to_le_bytes()));
    assert!(bus.forget());
    cable.run(&mut bus, &mut device, |_, device| device.got.contains(&Record::Reset));
    let writes = device.got.iter().take_while(|record| matches!(record, Record::Tlp(2, _))).count();
    assert_eq!((writes, device.got.len(), &device.got[1_500]), (1_500, 1_501, &Record::Reset));
    device.push(vec![4, 0, 0, 0, 0, 0, 0, 0]);
    cable.run(&mut bus, &mut device, |bus, _| bus.take_reset_done());
}

#[test]
fn a_device_that_nobody_uses_comes_back_without_a_word() {
    let (mut bus, mut device, mut cable) = connected(Harm::default(), 4);
    device.is_mute = true;
    cable.run(&mut bus, &mut device, |bus, _| bus.link() == BusState::Down);
    assert!(bus.take_lost());
    device.is_mute = false;
    cable.run(&mut bus, &mut device, |bus, _| bus.link() == BusState::Up);
    // an access that was lost is noticed as well
    device.is_mute = true;
    cable.run(&mut bus, &mut device, |bus, _| bus.link() == BusState::Down);
    bus.note_access();
    device.is_mute = false;
    cable.run(&mut bus, &mut device, |bus, _| bus.stats().answered == 3);
    assert_eq!(bus.link(), BusState::Down);
    bus.forget();
    assert_eq!(bus.link(), BusState::Up);
}

#[test]
fn a_link_that_is_held_down_comes_up_when_it_is_let_go() {
    let (mut bus, mut device, mut cable) = connected(Harm::default(), 5);
    bus.hold(true);
    assert_eq!((bus.link(), bus.take_lost()), (BusState::Down, false));
    cable.run(&mut bus, &mut device, |bus, _| bus.stats().answered == 2);
    assert_eq!((bus.link(), device.hellos), (BusState::Down, 2));
    bus.hold(false);
    assert_eq!(bus.link(), BusState::Up);
}
