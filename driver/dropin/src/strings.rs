// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of numbers, and rates: functions that need no device.
use crate::gen::*;
use std::ffi::{c_char, c_int, CStr};

/// Rates in multiples of 2.5 Gbit/s, where they are such multiples, and in Mbit/s.
const RATES: [(ibv_rate, c_int, c_int); 22] = [
    (IBV_RATE_2_5_GBPS, 1, 2_500),
    (IBV_RATE_5_GBPS, 2, 5_000),
    (IBV_RATE_10_GBPS, 4, 10_000),
    (IBV_RATE_20_GBPS, 8, 20_000),
    (IBV_RATE_30_GBPS, 12, 30_000),
    (IBV_RATE_40_GBPS, 16, 40_000),
    (IBV_RATE_60_GBPS, 24, 60_000),
    (IBV_RATE_80_GBPS, 32, 80_000),
    (IBV_RATE_120_GBPS, 48, 120_000),
    (IBV_RATE_28_GBPS, 11, 28_125),
    (IBV_RATE_50_GBPS, 20, 53_125),
    (IBV_RATE_400_GBPS, 160, 425_000),
    (IBV_RATE_600_GBPS, 240, 637_500),
    (IBV_RATE_800_GBPS, 320, 850_000),
    (IBV_RATE_1200_GBPS, 480, 1_275_000),
    (IBV_RATE_14_GBPS, -1, 14_062),
    (IBV_RATE_56_GBPS, -1, 56_250),
    (IBV_RATE_112_GBPS, -1, 112_500),
    (IBV_RATE_168_GBPS, -1, 168_750),
    (IBV_RATE_25_GBPS, -1, 25_781),
    (IBV_RATE_100_GBPS, -1, 103_125),
    (IBV_RATE_200_GBPS, -1, 206_250),
];

/// The text of the `n`th place of a table; a last text for what is beyond it.
fn text(n: i64, from: i64, table: &[&'static CStr], unknown: &'static CStr) -> *const c_char {
    let at = n.checked_sub(from).and_then(|n| usize::try_from(n).ok());
    at.and_then(|n| table.get(n)).unwrap_or(&unknown).as_ptr()
}

/// Name of a kind of device.
#[no_mangle]
pub extern "C" fn ibv_node_type_str(node_type: ibv_node_type) -> *const c_char {
    const NAMES: [&CStr; 6] = [
        c"InfiniBand channel adapter",
        c"InfiniBand switch",
        c"InfiniBand router",
        c"iWARP NIC",
        c"usNIC",
        c"usNIC UDP",
    ];
    text(node_type.into(), IBV_NODE_CA.into(), &NAMES, c"unknown")
}

/// Name of a port's state.
#[no_mangle]
pub extern "C" fn ibv_port_state_str(state: ibv_port_state) -> *const c_char {
    const NAMES: [&CStr; 6] =
        [c"no state change (NOP)", c"down", c"init", c"armed", c"active", c"active defer"];
    text(state.into(), 0, &NAMES, c"unknown")
}

/// Name of an asynchronous event.
#[no_mangle]
pub extern "C" fn ibv_event_type_str(event: ibv_event_type) -> *const c_char {
    const NAMES: [&CStr; 20] = [
        c"CQ error",
        c"local work queue catastrophic error",
        c"invalid request local work queue error",
        c"local access violation work queue error",
        c"communication established",
        c"send queue drained",
        c"path migrated",
        c"path migration request error",
        c"local catastrophic error",
        c"port active",
        c"port error",
        c"LID change",
        c"P_Key change",
        c"SM change",
        c"SRQ catastrophic error",
        c"SRQ limit reached",
        c"last WQE reached",
        c"client reregistration",
        c"GID table change",
        c"WQ fatal",
    ];
    text(event.into(), 0, &NAMES, c"unknown")
}

/// Name of a completion's status.
#[no_mangle]
pub extern "C" fn ibv_wc_status_str(status: ibv_wc_status) -> *const c_char {
    const NAMES: [&CStr; 24] = [
        c"success",
        c"local length error",
        c"local QP operation error",
        c"local EE context operation error",
        c"local protection error",
        c"Work Request Flushed Error",
        c"memory management operation error",
        c"bad response error",
        c"local access error",
        c"remote invalid request error",
        c"remote access error",
        c"remote operation error",
        c"transport retry counter exceeded",
        c"RNR retry counter exceeded",
        c"local RDD violation error",
        c"remote invalid RD request",
        c"aborted error",
        c"invalid EE context number",
        c"invalid EE context state",
        c"fatal error",
        c"response timeout error",
        c"general error",
        c"TM error",
        c"TM software rendezvous",
    ];
    text(status.into(), 0, &NAMES, c"unknown")
}

/// A rate in multiples of 2.5 Gbit/s, or -1.
#[no_mangle]
pub extern "C" fn ibv_rate_to_mult(rate: ibv_rate) -> c_int {
    RATES.iter().find(|row| row.0 == rate).map_or(-1, |row| row.1)
}

/// The rate of a multiple of 2.5 Gbit/s.
#[no_mangle]
pub extern "C" fn mult_to_ibv_rate(mult: c_int) -> ibv_rate {
    RATES.iter().find(|row| row.1 == mult && mult > 0).map_or(IBV_RATE_MAX, |row| row.0)
}

/// A rate in Mbit/s, or -1.
#[no_mangle]
pub extern "C" fn ibv_rate_to_mbps(rate: ibv_rate) -> c_int {
    RATES.iter().find(|row| row.0 == rate).map_or(-1, |row| row.2)
}

/// The rate of so many Mbit/s.
#[no_mangle]
pub extern "C" fn mbps_to_ibv_rate(mbps: c_int) -> ibv_rate {
    RATES.iter().find(|row| row.2 == mbps).map_or(IBV_RATE_MAX, |row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_the_names_are_unknown() {
        // SAFETY: the functions give texts that end and stay.
        let text = |text| unsafe { CStr::from_ptr(text) }.to_str().unwrap();
        assert_eq!(text(ibv_node_type_str(IBV_NODE_RNIC)), "iWARP NIC");
        assert_eq!(text(ibv_node_type_str(-7)), "unknown");
        assert_eq!(text(ibv_wc_status_str(IBV_WC_WR_FLUSH_ERR)), "Work Request Flushed Error");
        assert_eq!(text(ibv_wc_status_str(u32::MAX)), "unknown");
        assert_eq!(text(ibv_event_type_str(IBV_EVENT_PORT_ACTIVE)), "port active");
        assert_eq!(text(ibv_port_state_str(IBV_PORT_ACTIVE)), "active");
    }

    #[test]
    fn rates_come_back() {
        for (rate, mult, mbps) in RATES {
            assert_eq!(mbps_to_ibv_rate(ibv_rate_to_mbps(rate)), rate);
            assert_eq!((ibv_rate_to_mult(rate), ibv_rate_to_mbps(rate)), (mult, mbps));
        }
        assert_eq!(mult_to_ibv_rate(-1), IBV_RATE_MAX);
    }
}
