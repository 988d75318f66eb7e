// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages that nobody asks anything hold still, so that an idle device changes no register outside
//! of `time`.
use ferrowarp_abi::consts::csr;
use ferrowarp_abi::host::counters::COUNTERS;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::ddp_rx::quiet;
use ferrowarp_tests::mr::Table;
use ferrowarp_tests::pcie_bar::{run_widths, Host};
use ferrowarp_tests::rnic::{run_edges, Rnic, CLOCK_PS};

/// Cycles between two questions: even and odd ones, each longer than a round of the counters.
const PAUSES: [u64; 6] = [100, 101, 107, 150, 301, 302];

/// The ports named `ports` keep their values while nothing is offered.
fn hold_still(bench: &mut Bench, ports: &[&str]) -> Result<(), String> {
    let values = |bench: &Bench| ports.iter().map(|port| bench.get(port)).collect::<Vec<_>>();
    let first = values(bench);
    for cycle in 1..=100 {
        bench.step();
        let now = values(bench);
        if now != first {
            return Err(format!(
                "{ports:?} were {first:?} and are {now:?} after {cycle} cycles without an offer"
            ));
        }
    }
    Ok(())
}

/// The cycles that `ask` takes, the same after each pause.
fn as_long_after_each_pause(
    bench: &mut Bench,
    mut ask: impl FnMut(&mut Bench) -> Result<u32, String>,
) -> Result<(), String> {
    let mut took = vec![];
    for pause in PAUSES {
        (0..pause).for_each(|_| bench.step());
        let begun = bench.cycle();
        ask(bench)?;
        took.push(bench.cycle() - begun);
    }
    match took.iter().all(|cycles| *cycles == took[0]) {
        true => Ok(()),
        false => Err(format!("an answer takes {took:?} cycles after pauses of {PAUSES:?}")),
    }
}

#[test]
fn the_turn_of_writer_and_revoker_stands() {
    run_case("idle-mr", Top::DdpRxW64, 1, |bench| {
        Table::new(bench, Pattern::None, Pattern::None)?;
        hold_still(bench, &["mr_mrw_ready", "mr_revoke_ready"])
    });
}

#[test]
fn the_turn_of_rows_and_streams_stands() {
    quiet("idle", |bench, _| hold_still(bench, &["ddp_qpw_ready", "ddp_ins_ready"]));
}

#[test]
fn the_round_of_the_counters_stands() {
    run_widths("idle-counters", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        for counter in [0, 5, COUNTERS.len() - 1] {
            let register = u64::from(csr::COUNTER) + 4 * counter as u64;
            as_long_after_each_pause(bench, |b| host.get(b, register))?;
        }
        Ok(())
    });
}

#[test]
fn the_counters_of_the_whole_device_stand() {
    run_edges("idle-rnic", 1, |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        (0..1_000).for_each(|_| bench.step());
        as_long_after_each_pause(bench, |b| nic.get(b, csr::COUNTER))
    });
}
