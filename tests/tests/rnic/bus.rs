// SPDX-License-Identifier: MIT OR Apache-2.0
//! The PCI Express link of the whole device goes down, or has a hot reset, while the device reads
//! and writes host memory; and the host refuses what the device writes.
use ferrowarp_abi::codec::Event;
use ferrowarp_abi::consts::{csr, csr_reset, event_kind};
use ferrowarp_abi::host::counters;
use ferrowarp_sim::pcie::{BusState, Misdeed, RcConfig};
use ferrowarp_sim::{seeds, Bench, Frame};
use ferrowarp_tests::rnic::{run_edges, Rnic, CLOCK_PS};
use ferrowarp_tests::rnic_anew::{begins_anew, load, set_up, step, REST, TICK};
use ferrowarp_tests::rnic_posts;
use rand::Rng;

/// Cycles for which the link is away: longer than what is under way in the device takes to its end.
const AWAY: u64 = 2_000;
/// What a device may take to be ready behind that: the time-outs of reads, and the scrub of its
/// tables.
const LONGEST: u64 = 40_000;
/// Cycles in which an event reaches memory.
const LONG: u64 = 2_000;

fn steps(bench: &mut Bench, cycles: u64) {
    (0..cycles).for_each(|_| step(bench));
    bench.set("tick_pin", 0);
}

/// The link is away for so many cycles; then software finds the device ready, and makes it bus
/// master.
fn loses_link(bench: &mut Bench, nic: &Rnic, how: BusState, cycles: u64) -> Result<(), String> {
    let root = nic.root;
    bench.root(root).link = how;
    steps(bench, cycles);
    bench.root(root).link = BusState::Up;
    // registers are read only behind what the link had dropped
    steps(bench, LONGEST);
    nic.ready(bench)?;
    bench.root(root).config.master = true;
    Ok(())
}

/// How often the device says that it lost its link.
fn resets(bench: &mut Bench, nic: &Rnic) -> Result<u32, String> {
    nic.get(bench, csr::PCIE_LINK)
}

#[test]
fn a_lost_link_ends_what_is_under_way_and_the_device_begins_anew() {
    for seed in seeds(0..8, 0..60) {
        let how = [BusState::Down, BusState::HotReset][seed as usize % 2];
        run_edges(&format!("rnic-bus-{how:?}"), seed, |bench| {
            let mut nic = Rnic::new(bench, RcConfig::rough(CLOCK_PS));
            let (sq, base) = set_up(bench, &mut nic)?;
            let root = nic.root;
            if seed % 3 == 0 {
                bench.root(root).misbehave(2, Misdeed::Silent(REST));
            }
            nic.set(bench, csr::WATCHDOG, 77);
            load(bench, &nic, sq, base)?;
            bench.root(root).record = true;
            // behind the read without an answer
            let wanted = bench.rng().random_range(4..12);
            let reads =
                |bench: &mut Bench| bench.root(root).requests.iter().filter(|r| r.data.is_none()).count();
            let begun = bench.cycle();
            while reads(bench) < wanted {
                if bench.cycle() > begun + 20_000 {
                    return Err(format!("the device is not busy: {}", bench.dump()));
                }
                step(bench);
            }
            loses_link(bench, &nic, how, AWAY)?;
            assert_eq!(resets(bench, &nic)?, 1);
            assert_eq!(nic.get(bench, csr::WATCHDOG)?, csr_reset::WATCHDOG, "a register is kept");
            begins_anew(bench, &mut nic, false)
        });
    }
}

#[test]
fn the_count_of_lost_links_outlives_every_other_reset() {
    run_edges("rnic-bus-count", 1, |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        assert_eq!(resets(bench, &nic)?, 0, "the first link counts");
        for (nth, how) in [BusState::Down, BusState::HotReset, BusState::Down].into_iter().enumerate() {
            loses_link(bench, &nic, how, AWAY)?;
            assert_eq!(resets(bench, &nic)?, nth as u32 + 1);
        }
        nic.set(bench, csr::RESTART, 1);
        steps(bench, 10 * TICK);
        nic.ready(bench)?;
        bench.set("pcie_flr", 1);
        bench.run_until(LONGEST, |b| b.get("pcie_flr_done") == 1)?;
        bench.set("pcie_flr", 0);
        nic.ready(bench)?;
        assert_eq!(resets(bench, &nic)?, 3);
        // a link that stays away holds the device in reset
        bench.root(nic.root).link = BusState::Down;
        steps(bench, 4 * LONGEST);
        bench.root(nic.root).link = BusState::Up;
        steps(bench, LONGEST);
        nic.ready(bench)?;
        assert_eq!(resets(bench, &nic)?, 4);
        Ok(())
    });
}

#[test]
fn a_write_that_the_host_refuses_is_counted_and_told() {
    run_edges("rnic-bus-error", 1, |bench| {
        let set = rnic_posts::set_up(bench, RcConfig::steady(CLOCK_PS))?;
        let place = counters::index("bus_errors").ok_or("no such counter")?;
        let errors = |bench: &mut Bench| set.nic.get(bench, csr::COUNTER + 4 * place as u16);
        assert_eq!(errors(bench)?, 0);
        // a raw receive ring where the host has no memory
        let ring = ferrowarp_abi::codec::Ring { base: 0x7000_0000, log2: 4, is_valid: true };
        let ring = ring.octets().map_err(|e| e.to_string())?;
        set.nic.command(bench, ferrowarp_abi::consts::admin_opcode::RAW_RX_RING, 0, &ring)?;
        let mut frame = vec![7; 200];
        frame[..6].fill(0xff);
        frame[12..14].copy_from_slice(&[0x88, 0xb5]);
        bench.send(set.nic.rx, Frame::good(frame));
        steps(bench, LONG);
        let refused = bench.root(set.nic.root).host.take_refused();
        assert!(!refused.is_empty(), "the host took it");
        let event = Event::parse(&set.nic.memory(bench, set.events, 16)?).map_err(|e| e.to_string())?;
        assert_eq!((event.kind, event.number, event.info, event.phase), (event_kind::BUS_ERROR, 0, 0, true));
        assert!(errors(bench)? >= 1);
        // the device works on
        set.nic.command(bench, ferrowarp_abi::consts::admin_opcode::NOTHING, 0, &[])
    });
}

/// Cycles from the order of a restart until the device has been let go: 256 without a movement, 16
/// in reset, and the way of the order.
const RESTARTS: std::ops::Range<u64> = 240..300;

#[test]
fn a_link_that_is_lost_in_any_cycle_of_a_restart_wipes_the_registers() {
    run_edges("rnic-bus-restart", 1, |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        for cycles in RESTARTS.step_by(4) {
            nic.set(bench, csr::WATCHDOG, 77);
            nic.set(bench, csr::RESTART, 1);
            steps(bench, cycles);
            bench.root(nic.root).link = BusState::Down;
            steps(bench, 40);
            bench.root(nic.root).link = BusState::Up;
            steps(bench, AWAY);
            nic.ready(bench)?;
            let kept = nic.get(bench, csr::WATCHDOG)?;
            assert_eq!(kept, csr_reset::WATCHDOG, "{cycles} cycles behind the order");
        }
        Ok(())
    });
}
