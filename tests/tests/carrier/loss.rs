// SPDX-License-Identifier: MIT OR Apache-2.0
//! A wire that loses, doubles, swaps and spoils frames: each TLP comes once and in order.
use crate::host::{dwords, of_device, Faults, Host};
use crate::wire::Record;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds};
use rand::Rng;

/// TLPs each way under these faults.
fn walk(name: &str, faults: Faults, tlps: usize) {
    for seed in seeds(0..3, 0..30) {
        run_case(name, Top::CarrierW64, seed, |bench| {
            let mut host = Host::new(bench);
            host.faults = faults;
            host.greet(bench)?;
            let (mut given, mut emitted, mut resets) = (0, 0, 0);
            while given < tlps || emitted < tlps {
                let burst = bench.rng().random_range(0..12);
                for _ in 0..burst {
                    if given < tlps {
                        let size = [3, 4, 5, 20, 67, 260][bench.rng().random_range(0..6)];
                        let bar_hit = bench.rng().random_range(0..8);
                        host.give(bar_hit, dwords(bench, size));
                        given += 1;
                    }
                }
                let burst = bench.rng().random_range(0..12);
                for _ in 0..burst.min(tlps - emitted) {
                    let tlp = of_device(bench);
                    host.emit(bench, tlp);
                    emitted += 1;
                }
                if bench.rng().random_ratio(1, 20) {
                    host.to_send.push_back(Record::Reset);
                    resets += 1;
                }
                for _ in 0..bench.rng().random_range(0..1_500) {
                    host.step(bench)?;
                }
            }
            host.settle(bench, 4_000_000)?;
            host.until(bench, 200_000, |host, _| host.resets_done == resets)?;
            assert_eq!(host.resets, resets + 1, "resets of the function");
            Ok(())
        });
    }
}

#[test]
fn tlps_come_once_and_in_order_on_a_good_wire() {
    walk("carrier-good", Faults::default(), 400);
}

#[test]
fn tlps_come_once_and_in_order_if_one_frame_in_fifty_is_lost() {
    walk("carrier-loss-50", Faults { lost: 50, ..Faults::default() }, 400);
}

#[test]
fn tlps_come_once_and_in_order_if_one_frame_in_three_is_lost() {
    walk("carrier-loss-3", Faults { lost: 3, ..Faults::default() }, 150);
}

#[test]
fn tlps_come_once_and_in_order_if_frames_are_doubled_and_swapped() {
    walk("carrier-swap", Faults { doubled: 3, swapped: 4, ..Faults::default() }, 300);
}

#[test]
fn tlps_come_once_and_in_order_with_every_fault_at_once() {
    walk("carrier-all", Faults { lost: 10, doubled: 5, swapped: 5, spoilt: 5 }, 150);
}
