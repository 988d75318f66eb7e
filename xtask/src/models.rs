// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilated models, built ahead of what needs them.
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::{rnic, rnic_1g};

/// Builds the model of every top that is not built yet, so that no test or bench waits for another
/// one's compiler. Bench tops do not depend on the profile, the device has the numbers of its
/// tests. Behind its bus edge the device has one model for each width of the edge, one of profile
/// `10g` as it stands, and one of a board. Behind the carrier it is the device of a board.
pub fn build(step: &Step) -> Result<()> {
    for &top in Top::ALL {
        step.note(top.name());
        for config in configs(top) {
            ferrowarp_sim::model(top, &config).with_context(|| format!("model of {}", top.name()))?;
        }
    }
    Ok(())
}

/// The configurations of a top that tests and benches simulate.
pub fn configs(top: Top) -> Vec<Config> {
    match top {
        Top::RnicW64 => [&rnic::configs()[..], &[rnic::ten(), rnic_1g::config()]].concat(),
        Top::CarriedW64 => vec![rnic_1g::config()],
        Top::DeviceW64 => vec![ferrowarp_tests::device::config()],
        _ => vec![Config::profile(Profile::Tiny)],
    }
}
