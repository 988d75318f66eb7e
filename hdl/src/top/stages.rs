// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of the device, and their numbers.
use crate::config::Config;
use crate::emit::{EmitError, Part};
use crate::host::{ConnTap, PostedFifo, RawRx, RawTx, ReadPort, Written};
use crate::mpa::mpa_tx;
use crate::params::{
    admin_of, cq_of, ctl_of, ddp_rx_of, ddp_tx_of, doorbells_of, events_of, fault_of, mpa_rx_of, mr_of,
    net_rx_of, rq_of, sq_of, tcp_tx_of,
};

/// log2 of the beats that hold an FPDU until its checksum is known.
const SEGMENT: usize = 8;

/// Microseconds for which a Send that waits for the read of its receive may delay other
/// connections.
const PATIENCE_US: u64 = 3;

/// log2 of memory regions: as many for each queue pair as the 16 of `tiny` have.
pub(super) fn regions(config: &Config) -> usize {
    config.qps.ilog2() as usize + 4
}

/// Why no device is built from these numbers.
pub(super) fn unsupported(config: &Config) -> Option<String> {
    let Config { data_bits, edge_bits, qps, cqs, mtu, .. } = *config;
    let is_built = data_bits == 64
        && matches!((qps, cqs), (16, 16 | 32) | (64, 64))
        && mtu <= 1500
        && matches!(edge_bits, 64 | 128);
    (!is_built).then(|| {
        format!(
            "the device has 16 queue pairs with 16 or 32 completion queues, or 64 with 64, an MTU of up to 1500, whose frames \
             its stores hold, 64 bits and an edge of 64 or 128; asked for qps={qps}, cqs={cqs}, mtu={mtu}, \
             data_bits={data_bits}, edge_bits={edge_bits}"
        )
    })
}

/// The stages for `2^$c` queue pairs and `2^$q` completion queues. What grows with queue pairs
/// keeps for each what it is for 16: 64 messages in flight, 16 Reads each way, 16 regions, 2 KiB of
/// receive buffer, which is an FPDU of the MTU, and eight slots of the 4-tuple table: random
/// connections that fill all 64 queue pairs find both of their buckets full once in 25,000 times,
/// and `conn_insert` says so. What waits for the wire or the bus does not grow: the frame store has
/// 32 KiB.
macro_rules! stages {
    ($c:literal, $q:literal, $config:expr) => {{
        let window_log2 = $config.window_log2 as usize;
        let congestion = $config.congestion_control();
        let patience = ($config.clock_khz * PATIENCE_US / 1_000) as usize;
        vec![
            Part::table(
                "net_rx",
                net_rx_of!(
                    width: 64, bytes_width: 4, lanes: 2, header_beats: 5, conns_log2: $c,
                    conns: 1 << $c, table_log2: $c + 3, store_log2: 12, raw_log2: 9,
                )(1 << window_log2),
            ),
            Part::table(
                "mpa_rx",
                mpa_rx_of!(
                    width: 64, bytes_width: 4, lanes: 2, lane_width: 2, lanes_log2: 1,
                    conns_log2: $c, conns: 1 << $c, buffer_log2: 8, buffers_log2: $c + 8, carry: 96,
                )(1480, patience),
            ),
            Part::table(
                "ddp",
                ddp_rx_of!(
                    qps_log2: $c, qps: 1 << $c, reads_log2: $c + 4, columns_log2: $c + 2,
                )(),
            ),
            Part::table("mr", mr_of!(regions_log2: $c + 4)()),
            Part::new(
                "rq",
                <rq_of!(
                    qps_log2: $c, qps: 1 << $c, tag_width: $c + 1, slots_log2: $c + 4,
                )>::new,
            ),
            Part::new("cq", <cq_of!(cqs_log2: $q, cqs: 1 << $q)>::new),
            Part::new(
                "fault",
                <fault_of!(
                    qps_log2: $c, qps: 1 << $c, cqs_log2: $q, cqs: 1 << $q, sources: 4,
                    words_log2: $c + 4,
                )>::new,
            ),
            Part::new("ctl", <ctl_of!(conns_log2: $c, places_log2: $c + 1)>::new),
            Part::new(
                "events",
                <events_of!(
                    places_log2: $c + 1, places: 2 << $c, sources: 5,
                )>::new,
            ),
            Part::table(
                "sq",
                sq_of!(
                    qps_log2: $c, qps: 1 << $c, words_log2: $c + 4, reads_log2: $c + 6,
                    inflight_log2: 6, index_width: 7, inflights_log2: $c + 6,
                )(),
            ),
            Part::table("ddp_tx", ddp_tx_of!(qps_log2: $c, qps: 1 << $c, words_log2: $c + 4)()),
            Part::table("mpa_tx", mpa_tx()),
            Part::table(
                "tcp_tx",
                tcp_tx_of!(
                    conns_log2: $c, conns: 1 << $c, segment_log2: SEGMENT, raw_log2: 8,
                    words_log2: $c + 4,
                )(window_log2, congestion),
            ),
            Part::new("admin", || {
                <admin_of!(
                    qps_log2: $c, qps: 1 << $c, cqs_log2: $q, cqs: 1 << $q, regions_log2: $c + 4,
                    words_log2: $c + 5,
                )>::new(8 << SEGMENT)
            }),
            Part::new("net_rx_row", ConnTap::net_rx),
            Part::new("tcp_tx_row", ConnTap::tcp_tx),
            Part::new("doorbells", <doorbells_of!(qps_log2: $c, cqs_log2: $q)>::new),
            Part::new("read", ReadPort::default),
            Part::new("posted", PostedFifo::default),
            Part::new("written", Written::default),
            Part::new("raw_rx", RawRx::new),
            Part::new("raw_tx", RawTx::new),
        ]
    }};
}

/// The stages of a device. Numbers of queues that [`unsupported`] names, and frames beyond an MTU
/// of 1,500, are refused.
pub(super) fn parts(top: &str, config: &Config) -> Result<Vec<Part>, EmitError> {
    if let Some(why) = unsupported(config) {
        return Err(EmitError::Elaboration { top: top.into(), why });
    }
    Ok(match (config.qps, config.cqs) {
        (16, 16) => stages!(4, 4, config),
        (16, _) => stages!(4, 5, config),
        _ => stages!(6, 6, config),
    })
}
