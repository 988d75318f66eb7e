// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part that counts time, against a model in plain code and in Rust-HDL's own simulator.
use ferrowarp_hdl::host::Timebase;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench};
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Plan};
use rand::Rng;

/// Cycles of the bench's divider, and its ends in a round.
const CYCLES: u64 = 8;
const ROUND: u64 = 3;
/// Cycles of a unit of fine time: a hundredth of the divider's, and two at least.
const UNIT: u64 = 2;

/// Inputs of one cycle.
#[derive(Copy, Clone, Debug, Default)]
struct Drive {
    pin: bool,
    use_pin: bool,
    core_reset: bool,
    regs_reset: bool,
}

/// What the part shows between two clock edges.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
struct Shown {
    tick: bool,
    now: u32,
    ticks: u64,
    cycles: u64,
    renew: bool,
    fine: bool,
    fine_now: u32,
}

/// Cycles and ends since the divider began, and what is shown.
#[derive(Default)]
struct Model {
    count: u64,
    ends: u64,
    /// Cycles since the last unit of fine time.
    fine_count: u64,
    shown: Shown,
}

impl Model {
    fn step(&mut self, drive: Drive) {
        let Shown { tick, now, ticks, cycles, fine, fine_now, .. } = self.shown;
        let is_unit = self.fine_count == UNIT - 1;
        self.fine_count = if is_unit || drive.use_pin || drive.core_reset { 0 } else { self.fine_count + 1 };
        let step = if drive.use_pin { 100 } else { 1 };
        let divided = self.count == CYCLES - 1;
        (self.count, self.ends) = match divided {
            true => (0, (self.ends + 1) % ROUND),
            false => (self.count + 1, self.ends),
        };
        if drive.core_reset {
            (self.count, self.ends) = (0, 0);
        }
        let (ticks, cycles) = if drive.regs_reset { (0, 0) } else { (ticks + u64::from(tick), cycles + 1) };
        self.shown = Shown {
            tick: !drive.core_reset && if drive.use_pin { drive.pin } else { divided },
            now: now.wrapping_add(tick.into()),
            ticks,
            cycles,
            fine: !drive.core_reset && if drive.use_pin { drive.pin } else { is_unit },
            fine_now: (fine_now + u32::from(fine) * step) & 0xFF_FFFF,
            renew: self.count == CYCLES - 1 && self.ends == ROUND - 1,
        };
    }
}

fn shown(bench: &Bench) -> Shown {
    Shown {
        tick: bench.get("time_tick") == 1,
        now: bench.get("time_now") as u32,
        ticks: bench.get("time_ticks"),
        cycles: bench.get("time_cycles"),
        renew: bench.get("time_renew") == 1,
        fine: bench.get("time_fine") == 1,
        fine_now: bench.get("time_fine_now") as u32,
    }
}

/// One cycle on both; an error if they differ after it.
fn step(bench: &mut Bench, model: &mut Model, drive: Drive) -> Result<(), String> {
    let Drive { pin, use_pin, core_reset, regs_reset } = drive;
    for (port, value) in
        [("pin", pin), ("use_pin", use_pin), ("core_reset", core_reset), ("regs_reset", regs_reset)]
    {
        bench.set(&format!("time_{port}"), value.into());
    }
    bench.step();
    model.step(drive);
    match shown(bench) {
        shown if shown == model.shown => Ok(()),
        shown => Err(format!("after {drive:?} time shows {shown:?}, not {:?}", model.shown)),
    }
}

/// Runs a body on the part after a reset of stages and registers.
fn on_time(name: &str, seed: u64, body: impl Fn(&mut Bench, &mut Model) -> Result<(), String>) {
    run_case(name, Top::HostW64, seed, |bench| {
        let mut model = Model::default();
        for port in ["pin", "use_pin"] {
            bench.set(&format!("time_{port}"), 0);
        }
        for value in [1, 0] {
            bench.set("time_core_reset", value);
            bench.set("time_regs_reset", value);
            if value == 1 {
                bench.step();
            }
        }
        model.shown.now = bench.get("time_now") as u32;
        model.shown.fine_now = bench.get("time_fine_now") as u32;
        body(bench, &mut model)
    });
}

#[test]
fn ticks_rounds_and_cycles_are_those_of_the_model() {
    for seed in seeds(1..4, 1..20) {
        on_time("host-time-random", seed, |bench, model| {
            let mut drive = Drive::default();
            for _ in 0..5_000 {
                drive.pin = bench.rng().random_ratio(1, 4);
                drive.use_pin ^= bench.rng().random_ratio(1, 50);
                drive.core_reset = bench.rng().random_ratio(1, 100);
                drive.regs_reset = bench.rng().random_ratio(1, 100);
                step(bench, model, drive)?;
            }
            Ok(())
        });
    }
}

#[test]
fn the_age_of_what_waits_is_kept_over_every_reset() {
    on_time("host-time-resets", 1, |bench, model| {
        for drive in [
            Drive { regs_reset: true, ..Drive::default() },
            Drive { core_reset: true, ..Drive::default() },
            Drive { core_reset: true, regs_reset: true, ..Drive::default() },
        ] {
            for _ in 0..10 * CYCLES {
                step(bench, model, Drive::default())?;
            }
            let before = model.shown.now;
            for _ in 0..3 {
                step(bench, model, drive)?;
            }
            let after = shown(bench);
            assert!(after.now.wrapping_sub(before) <= 1, "{drive:?} moves `now` from {before} to {after:?}");
            assert_eq!(after.ticks == 0, drive.regs_reset, "{drive:?} leaves {after:?}");
        }
        Ok(())
    });
}

#[test]
fn both_simulators_agree() {
    run_case("native-host-time", Top::HostW64, 1, |bench| {
        let inputs = inputs!(b: Timebase => b.clock, b.reset, b.core_reset, b.regs_reset, b.pin, b.use_pin)
            // rounds come to their end between two resets
            .drawn("core_reset", |rng| vec![u8::from(rng.random_ratio(1, 64))]);
        compare(bench, "time", Timebase::new(CYCLES, ROUND), &inputs, Plan::default())
    });
}
