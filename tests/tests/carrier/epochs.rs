// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hello, binding to a station, and what ends an epoch.
use crate::host::{dwords, of_device, Host};
use crate::wire::{frame, Head, DATA, HELLO};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Frame};
use rand::Rng;

const STALE: u64 = 4;
const FOREIGN: u64 = 5;
const HELLOS: u64 = 9;
const UNBOUND: u64 = 10;

fn hello(epoch: u16) -> Vec<u8> {
    frame(Head { kind: HELLO, epoch, ..Head::default() }, &[])
}

fn from_another(mut octets: Vec<u8>) -> Vec<u8> {
    octets[11] ^= 1;
    octets
}

fn idle(host: &mut Host, bench: &mut Bench, cycles: u64) -> Result<(), String> {
    for _ in 0..cycles {
        host.step(bench)?;
    }
    Ok(())
}

#[test]
fn a_hello_is_answered_behind_a_reset_of_the_function() {
    run_case("carrier-hello", Top::CarrierW64, 1, |bench| {
        let mut host = Host::new(bench);
        host.reset_cycles = 2_000;
        host.until(bench, 100, |_, bench| bench.get("pcie_flr") == 1)?;
        assert_eq!((bench.get("is_bound"), bench.get("is_open")), (1, 0));
        host.until(bench, 2_010, |host, _| host.resets == 1)?;
        assert!(!host.is_ready, "answered before the reset had ended");
        host.until(bench, 40, |host, _| host.is_ready)?;
        assert_eq!((bench.get("is_open"), host.resets), (1, 1));
        Ok(())
    });
}

#[test]
fn a_late_hello_of_the_epoch_before_changes_nothing() {
    run_case("carrier-hello-late", Top::CarrierW64, 2, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        let before = host.epoch;
        host.begin(bench);
        host.greet(bench)?;
        let (resets, stale) = (host.resets, host.count(bench, STALE)?);
        bench.send(host.rx, Frame::good(hello(before)));
        idle(&mut host, bench, 2_000)?;
        assert_eq!((host.resets, host.count(bench, STALE)?), (resets, stale + 1));
        host.give(1, dwords(bench, 6));
        host.settle(bench, 1_000)
    });
}

#[test]
fn a_hello_of_the_epoch_that_runs_is_answered_again_without_a_reset() {
    run_case("carrier-hello-again", Top::CarrierW64, 2, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        host.give(1, dwords(bench, 5));
        host.settle(bench, 1_000)?;
        host.is_ready = false;
        host.until(bench, 5_000, |host, _| host.is_ready)?;
        host.give(1, dwords(bench, 6));
        host.settle(bench, 1_000)?;
        assert_eq!((host.resets, host.count(bench, HELLOS)?), (1, 2));
        Ok(())
    });
}

#[test]
fn a_hello_during_the_reset_brings_another_reset() {
    run_case("carrier-hello-twice", Top::CarrierW64, 3, |bench| {
        let mut host = Host::new(bench);
        host.until(bench, 100, |_, bench| bench.get("pcie_flr") == 1)?;
        idle(&mut host, bench, 50)?;
        host.begin(bench);
        host.greet(bench)?;
        assert_eq!((host.resets, host.stale), (2, 0));
        Ok(())
    });
}

#[test]
fn another_epoch_empties_both_ways() {
    for seed in 0..12 {
        run_case("carrier-epoch", Top::CarrierW64, seed, |bench| {
            let mut host = Host::new(bench);
            for _ in 0..4 {
                host.greet(bench)?;
                // what is left of the epoch before would come out now
                assert!(bench.sent_all(host.pcie_tx), "TLPs wait at a device that takes none");
                host.inward.clear();
                host.outward.clear();
                for i in 0..60 {
                    host.give(i % 8, dwords(bench, 3 + usize::from(i)));
                }
                for _ in 0..10 {
                    let tlp = of_device(bench);
                    host.emit(bench, tlp);
                }
                let cycles = bench.rng().random_range(1..2_000);
                idle(&mut host, bench, cycles)?;
                host.begin(bench);
                // the device takes and drops TLPs as long as that
                host.reset_cycles = bench.rng().random_range(1_500..2_000);
            }
            host.greet(bench)?;
            host.inward.clear();
            host.outward.clear();
            host.give(2, dwords(bench, 9));
            let mut read = dwords(bench, 3);
            read[3] = 0;
            host.emit(bench, read);
            host.settle(bench, 5_000)?;
            assert_eq!(host.resets, 5);
            Ok(())
        });
    }
}

#[test]
fn frames_of_another_station_or_epoch_are_dropped_and_counted() {
    run_case("carrier-foreign", Top::CarrierW64, 4, |bench| {
        let mut host = Host::new(bench);
        let record = crate::wire::Record::Tlp { bar_hit: 1, octets: vec![7; 16] }.octets();
        let data = |epoch| frame(Head { kind: DATA, epoch, records: 1, ..Head::default() }, &record);
        let epoch = host.epoch;
        host.is_mute = true;
        bench.send(host.rx, Frame::good(data(epoch)));
        idle(&mut host, bench, 100)?;
        assert_eq!(host.count(bench, STALE)?, 1, "data of an unbound host");
        host.is_mute = false;
        host.greet(bench)?;
        let mut to_another = data(epoch);
        to_another[5] ^= 1;
        for octets in [from_another(hello(epoch)), from_another(data(epoch)), to_another] {
            bench.send(host.rx, Frame::good(octets));
        }
        bench.send(host.rx, Frame::good(data(epoch.wrapping_add(1))));
        idle(&mut host, bench, 200)?;
        assert_eq!((host.count(bench, FOREIGN)?, host.count(bench, STALE)?), (3, 2));
        assert_eq!((host.resets, bench.get("is_open")), (1, 1));
        host.give(1, dwords(bench, 4));
        host.settle(bench, 1_000)
    });
}

#[test]
fn a_silent_host_is_unbound_and_another_one_may_come() {
    run_case("carrier-silence", Top::CarrierW64, 5, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        bench.set("silence", 3_000);
        host.is_mute = true;
        idle(&mut host, bench, 2_000)?;
        host.ask(bench);
        idle(&mut host, bench, 2_000)?;
        assert_eq!(bench.get("is_bound"), 1, "a host that asks is not silent");
        host.until(bench, 1_500, |_, bench| bench.get("is_bound") == 0)?;
        host.until(bench, 1_000, |host, _| host.resets == 2)?;
        let tlp = of_device(bench);
        bench.send(host.pcie_tx, Frame::good(tlp));
        host.until(bench, 1_000, |host, bench| bench.sent_all(host.pcie_tx))?;
        assert_eq!(host.count(bench, UNBOUND)?, 1);
        bench.send(host.rx, Frame::good(from_another(hello(5))));
        host.until(bench, 1_000, |_, bench| bench.get("is_bound") == 1)?;
        // the answer goes to the other station: plain octets here
        host.until(bench, 1_000, |host, _| host.resets == 3)?;
        Ok(())
    });
}

#[test]
fn a_link_that_goes_down_unbinds_and_a_hello_binds_again() {
    run_case("carrier-link", Top::CarrierW64, 6, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        bench.set("link_up", 0);
        host.is_mute = true;
        idle(&mut host, bench, 10)?;
        assert_eq!((bench.get("is_bound"), bench.get("is_open")), (0, 0));
        bench.set("link_up", 1);
        idle(&mut host, bench, 50)?;
        host.is_mute = false;
        host.begin(bench);
        host.greet(bench)?;
        host.give(4, dwords(bench, 11));
        let tlp = of_device(bench);
        host.emit(bench, tlp);
        host.settle(bench, 2_000)
    });
}
