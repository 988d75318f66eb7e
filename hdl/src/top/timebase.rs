// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part `time` in a top: as the device has it, and as a bench drives it.
use crate::config::Config;
use crate::emit::{Net, Part};
use crate::host::Timebase;

/// Ticks of the divider between two challenge ACKs of a connection.
const ROUND: u64 = 100;

/// A tick each millisecond of the configuration's clock.
pub(super) fn time(config: &Config) -> Part {
    let cycles = config.clock_khz;
    Part::new("time", move || Timebase::new(cycles, ROUND))
}

/// Ports of a bench that gives the ticks itself, by the port `tick`; the stages under test know no
/// other reset than power-up.
pub(super) fn driven() -> Vec<Net> {
    let mut nets = vec![Net::export("time.pin", "tick"), Net::tie("time.use_pin", 1)];
    nets.extend(unreset());
    nets.extend(["time.renew", "time.fine", "time.fine_now"].map(Net::open));
    nets
}

/// No reset but that of power-up.
pub(super) fn unreset() -> [Net; 2] {
    ["time.core_reset", "time.regs_reset"].map(|port| Net::tie(port, 0))
}
