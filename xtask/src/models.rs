//! Verilated models, built ahead of what needs them.
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;

/// Builds the model of every top that is not built yet, so that no test or bench waits for another one's
/// compiler. Bench tops do not depend on the profile, the device has the numbers of its tests.
pub fn build(step: &Step) -> Result<()> {
    for &top in Top::ALL {
        step.note(top.name());
        let tests = ferrowarp_tests::device::config();
        let config =
            if matches!(top, Top::DeviceW64 | Top::RnicW64) { tests } else { Config::profile(Profile::Tiny) };
        ferrowarp_sim::model(top, &config).with_context(|| format!("model of {}", top.name()))?;
    }
    Ok(())
}
