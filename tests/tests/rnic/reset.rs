// SPDX-License-Identifier: MIT OR Apache-2.0
//! Function-level reset of the whole device while it reads and writes host memory: nothing leaves
//! it afterwards, whatever becomes of the reads that were under way, and it works anew.
use ferrowarp_abi::consts::csr;
use ferrowarp_sim::pcie::{Misdeed, RcConfig};
use ferrowarp_sim::{seeds, Bench};
use ferrowarp_tests::rnic::{run_edges, Rnic, CLOCK_PS};
use ferrowarp_tests::rnic_anew::{begins_anew, load, set_up, step, LONGEST, REST, TICK};
use rand::Rng;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps until the reset that was asked for is over.
fn until_reset(bench: &mut Bench) -> Result<(), String> {
    let begun = bench.cycle();
    while bench.get("pcie_flr_done") == 0 {
        if bench.cycle() > begun + LONGEST {
            return Err(format!("no end of the reset after {LONGEST} cycles: {}", bench.dump()));
        }
        step(bench);
    }
    bench.set("pcie_flr", 0);
    Ok(())
}

#[test]
fn a_reset_waits_for_reads_that_have_no_credits() {
    run_edges("rnic-reset-credits", 1, |bench| {
        let mut nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        let (sq, base) = set_up(bench, &mut nic)?;
        bench.root(nic.root).record = true;
        bench.hold_reads(nic.root, true);
        load(bench, &nic, sq, base)?;
        // longer than a read may take: its time has not begun
        for _ in 0..REST {
            step(bench);
        }
        bench.set("pcie_flr", 1);
        for _ in 0..REST {
            step(bench);
            assert_eq!(bench.get("pcie_flr_done"), 0, "the reset is over, a read is on its way out");
        }
        bench.hold_reads(nic.root, false);
        until_reset(bench)?;
        begins_anew(bench, &mut nic, true)
    });
}

#[test]
fn a_reset_ends_reads_that_have_no_time_out() {
    run_edges("rnic-reset-endless", 1, |bench| {
        let mut nic = Rnic::new(bench, RcConfig { endless: true, ..RcConfig::steady(CLOCK_PS) });
        let (sq, base) = set_up(bench, &mut nic)?;
        bench.root(nic.root).record = true;
        bench.root(nic.root).misbehave(2, Misdeed::Silent(REST + 10 * TICK));
        load(bench, &nic, sq, base)?;
        for _ in 0..REST {
            step(bench);
        }
        assert_eq!(bench.root(nic.root).outstanding(), 1, "no read waits");
        assert_eq!(nic.get(bench, csr::ERROR_WHAT)?, 0, "it is given up");
        bench.set("pcie_flr", 1);
        until_reset(bench)?;
        begins_anew(bench, &mut nic, false)
    });
}

#[test]
fn a_reset_under_load_ends_what_is_under_way_and_begins_nothing() {
    let busy = AtomicUsize::new(0);
    for seed in seeds(0..6, 0..40) {
        run_edges("rnic-reset-load", seed, |bench| {
            let mut nic = Rnic::new(bench, RcConfig::rough(CLOCK_PS));
            let (sq, base) = set_up(bench, &mut nic)?;
            let root = nic.root;
            let misdeed = [None, Some(Misdeed::Silent(REST)), Some(Misdeed::Late(15_000))][seed as usize % 3];
            let ahead = bench.rng().random_range(2..8);
            if let Some(misdeed) = misdeed {
                bench.root(root).misbehave(ahead, misdeed);
            }
            load(bench, &nic, sq, base)?;
            bench.root(root).record = true;
            // the moment: some reads are on their way, that one among them
            let wanted = ahead + bench.rng().random_range(1..12);
            let reads = |bench: &mut Bench| {
                bench.root(root).requests.iter().filter(|request| request.data.is_none()).count() as u64
            };
            let begun = bench.cycle();
            while reads(bench) < wanted {
                if bench.cycle() > begun + 20_000 {
                    return Err(format!("the device reads less often than {wanted} times: {}", bench.dump()));
                }
                step(bench);
            }
            busy.fetch_add(bench.root(root).outstanding(), Ordering::Relaxed);
            bench.set("pcie_flr", 1);
            until_reset(bench)?;
            begins_anew(bench, &mut nic, misdeed.is_none())
        });
    }
    assert!(busy.into_inner() > 0, "no reset met a read that was under way");
}

#[test]
fn time_begins_anew_with_a_reset_and_goes_on_over_a_restart() {
    run_edges("rnic-reset-time", 1, |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        let time = |bench: &mut Bench| -> Result<[u32; 2], String> {
            bench.set("tick_pin", 0);
            Ok([nic.get(bench, csr::TICKS_LOW)?, nic.get(bench, csr::CYCLES_LOW)?])
        };
        for _ in 0..20 * TICK {
            step(bench);
        }
        let before = time(bench)?;
        assert_eq!(before[0], 20);
        nic.set(bench, csr::RESTART, 1);
        for _ in 0..2 * TICK {
            step(bench);
        }
        nic.ready(bench)?;
        let restarted = time(bench)?;
        assert!(restarted[0] >= 20 && restarted[1] > before[1] + 2 * TICK as u32, "{before:?} {restarted:?}");
        bench.set("pcie_flr", 1);
        until_reset(bench)?;
        nic.ready(bench)?;
        let reset = time(bench)?;
        assert!(reset[0] < 4 && reset[1] < before[1], "{restarted:?} {reset:?}");
        Ok(())
    });
}
