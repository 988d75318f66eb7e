// SPDX-License-Identifier: MIT OR Apache-2.0
//! Resets of the whole device at any moment of its work, on a bus that spoils completions. Behind
//! the end of a reset no access of before comes, and the device begins anew.
use super::misdeeds;
use crate::campaign::figures::Figures;
use crate::campaign::hardware::Trial;
use crate::campaign::part::Part;
use crate::campaign::run::Run;
use crate::rnic::{configs, Rnic, CLOCK_PS};
use crate::rnic_anew::{load, set_up, step, LONGEST, TICK};
use ferrowarp_abi::consts::{admin_opcode, csr, csr_mask};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::{BusState, RcConfig};
use ferrowarp_sim::Bench;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Lives of a device in a run, each ended by a reset.
const LIVES: usize = 16;
/// Cycles of work before a reset, at most.
const WORK: u64 = 4_000;
/// Cycles for which the link is away, and for which what it dropped may still be under way.
const AWAY: u64 = 2_000;
/// A read that is not answered is silent for so many cycles: its tag rests longer.
const REST: u64 = 90 * TICK;
/// Spoilt reads of a life, at most, and among how many of its first reads they are.
const SPOILT: u64 = 12;
const AMONG: u64 = 60;

/// How a life ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Function-level reset.
    Function,
    /// The register of the restart.
    Restart,
    /// The link goes down, or the root port resets what is below it.
    Link(BusState),
}

/// One end of this list, the first one most often.
const ENDS: [End; 6] = [
    End::Function,
    End::Function,
    End::Function,
    End::Restart,
    End::Link(BusState::Down),
    End::Link(BusState::HotReset),
];

/// The part.
pub struct Resets;

impl Part for Resets {
    fn name(&self) -> &'static str {
        "F5-resets"
    }

    fn about(&self) -> &'static str {
        "resets at any cycle, of a device whose reads are spoilt"
    }

    fn cells(&self) -> usize {
        4
    }

    fn cell(&self, cell: usize) -> String {
        let bits = configs()[cell % 2].edge_bits;
        let spoils = if has_spoilt(cell) { "reads spoilt" } else { "a faultless bus" };
        format!("an edge of {bits} bits, {spoils}")
    }

    fn models(&self) -> Vec<(Top, Config)> {
        configs().map(|config| (Top::RnicW64, config)).into()
    }

    fn steps(&self, _run: &Run) -> usize {
        LIVES
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let run = trial.run;
        trial.bench((Top::RnicW64, &configs()[run.cell % 2]), |bench| {
            let mut nic = Rnic::new(bench, RcConfig::rough(CLOCK_PS));
            bench.root(nic.root).record = true;
            let mut resets = 0;
            for place in (0..LIVES).filter(|&place| run.performs(place)) {
                let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (place as u64 + 1) << 48);
                let end = ENDS[rng.random_range(0..ENDS.len())];
                life(bench, &mut nic, &mut rng, has_spoilt(run.cell), end)
                    .map_err(|why| format!("life {place}, {end:?}: {why}"))?;
                resets += 1;
            }
            let pcie_faults = bench.root(nic.root).spoilt.len() as u64;
            Ok(Figures { resets, pcie_faults, connections: resets, ..Default::default() })
        })
    }
}

/// Whether reads of a cell are spoilt.
fn has_spoilt(cell: usize) -> bool {
    cell >= 2
}

/// A life: all is set up and works; then comes the reset.
fn life(
    bench: &mut Bench,
    nic: &mut Rnic,
    rng: &mut ChaCha8Rng,
    spoils: bool,
    end: End,
) -> Result<(), String> {
    let first = nic.next_address();
    let root = nic.root;
    let (sq, base) = set_up(bench, nic).map_err(|why| format!("I5: set up: {why}"))?;
    if spoils {
        for _ in 0..rng.random_range(0..=SPOILT) {
            let misdeed = misdeeds::any(rng, REST);
            bench.root(root).misbehave(rng.random_range(0..AMONG), misdeed);
        }
    }
    load(bench, nic, sq, base)?;
    let held = [rng.random_ratio(1, 4), rng.random_ratio(1, 6)];
    let from = rng.random_range(0..WORK);
    let upto = from + rng.random_range(0..WORK);
    for cycle in 0..rng.random_range(0..WORK) {
        let holds = (from..upto).contains(&cycle);
        bench.hold_reads(root, holds && held[0]);
        bench.hold_link(root, holds && held[1]);
        step(bench);
    }
    bench.hold_reads(root, false);
    bench.hold_link(root, false);
    if rng.random_ratio(1, 3) {
        nic.command(bench, admin_opcode::NOTHING, 0, &[]).map_err(|why| format!("I5: {why}"))?;
    }
    before(bench, nic, first)?;
    ends(bench, nic, end, spoils)?;
    bench.root(root).behave();
    // what came up to the end of the reset may have been under way
    bench.root(root).requests.clear();
    for _ in 0..rng.random_range(0..WORK) {
        step(bench);
    }
    bench.received(nic.tx);
    match &bench.root(root).requests[..] {
        [] => Ok(()),
        [request, ..] => Err(format!("I4: an access to {:#x} behind the end of the reset", request.addr)),
    }
}

/// Requests of this life are to memory of this life.
fn before(bench: &mut Bench, nic: &Rnic, first: u64) -> Result<(), String> {
    let requests = std::mem::take(&mut bench.root(nic.root).requests);
    match requests.iter().find(|request| request.addr < first) {
        None => Ok(()),
        Some(request) => Err(format!("I4: an access to {:#x} of a life before", request.addr)),
    }
}

/// The reset, up to its end. On a bus that spoils nothing, a reset of the function waits for all
/// reads.
fn ends(bench: &mut Bench, nic: &Rnic, end: End, spoils: bool) -> Result<(), String> {
    match end {
        End::Function => {
            bench.set("pcie_flr", 1);
            let begun = bench.cycle();
            while bench.get("pcie_flr_done") == 0 {
                if bench.cycle() > begun + LONGEST {
                    return Err(format!("I5: no end of the reset after {LONGEST} cycles"));
                }
                step(bench);
            }
            let reads = bench.root(nic.root).outstanding();
            if reads > 0 && !spoils {
                return Err(format!("I4: {reads} reads are under way at the end of the reset"));
            }
            bench.set("pcie_flr", 0);
        }
        End::Restart => nic.set(bench, csr::RESTART, 1),
        End::Link(how) => {
            bench.root(nic.root).link = how;
            steps(bench, AWAY);
            bench.root(nic.root).link = BusState::Up;
            // registers are read only behind what the link had dropped
            steps(bench, LONGEST);
            nic.ready(bench).map_err(|why| format!("I5: {why}"))?;
            bench.root(nic.root).config.master = true;
        }
    }
    // a restart waits for reads, which time alone ends
    let begun = bench.cycle();
    let status = |bench: &mut Bench| nic.get(bench, csr::STATUS).map_err(|why| format!("I5: {why}"));
    while status(bench)? & csr_mask::STATUS_READY == 0 || bench.cycle() < begun + AWAY {
        if bench.cycle() > begun + LONGEST {
            return Err(format!("I5: the device is not ready after {LONGEST} cycles"));
        }
        steps(bench, TICK);
    }
    Ok(())
}

fn steps(bench: &mut Bench, cycles: u64) {
    (0..cycles).for_each(|_| step(bench));
    bench.set("tick_pin", 0);
}
