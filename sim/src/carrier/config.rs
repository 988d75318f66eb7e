// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stations and times of the host's end.
use ferrowarp_abi::host::carrier::DEVICE_ADDRESS;
use ferrowarp_abi::types::MacAddr;

/// MAC address of a host whose port has none: locally administered.
pub const HOST_ADDRESS: MacAddr = MacAddr([0x02, 0x46, 0x57, 0, 0, 2]);

/// Stations and times. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarrierConfig {
    /// MAC address of this end.
    pub host: MacAddr,
    /// MAC address of the device.
    pub device: MacAddr,
    /// From one hello to the next one.
    pub hello_ns: u64,
    /// From the last acknowledgment until frames without one are sent again. The time doubles with
    /// each repetition in vain, up to four times this.
    pub replay_ns: u64,
    /// How long an acknowledgment waits for a data frame that takes it along.
    pub ack_ns: u64,
    /// Silence of either end after which the device is asked for an answer.
    pub keepalive_ns: u64,
    /// Silence of the device after which the device is gone.
    pub gone_ns: u64,
}

impl Default for CarrierConfig {
    /// The default addresses; times for a cable and a host that is busy now and then.
    fn default() -> Self {
        Self {
            host: HOST_ADDRESS,
            device: MacAddr(DEVICE_ADDRESS),
            hello_ns: 50_000_000,
            replay_ns: 2_000_000,
            ack_ns: 0,
            keepalive_ns: 100_000_000,
            gone_ns: 3_000_000_000,
        }
    }
}
