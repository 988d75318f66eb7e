// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wires of a configuration.
use crate::link::LinkConfig;
use ferrowarp_hdl::config::Config;

/// Nanoseconds that a frame is under way on a link, if nobody says otherwise: 100 m of fibre.
pub const DELAY_NS: u64 = 500;

/// The wire of a device with the world outside: rate and clock of the configuration, no delay.
pub fn wire(config: &Config) -> LinkConfig {
    let (rate_bps, clock_ps) = (config.wire_mbps * 1_000_000, 1_000_000_000 / config.clock_khz.max(1));
    LinkConfig { rate_bps, clock_ps, delay_ns: 0 }
}

/// A link between devices: the same with [`DELAY_NS`].
pub fn line(config: &Config) -> LinkConfig {
    LinkConfig { delay_ns: DELAY_NS, ..wire(config) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::config::Profile;

    #[test]
    fn rate_and_clock_are_those_of_the_configuration() {
        let board = Config { clock_khz: 31_250, ..Config::profile(Profile::Tiny) };
        assert_eq!(wire(&board), LinkConfig { rate_bps: 1_000_000_000, clock_ps: 32_000, delay_ns: 0 });
        let ten = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: DELAY_NS };
        assert_eq!(line(&Config::profile(Profile::TenG)), ten);
    }
}
