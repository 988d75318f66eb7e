// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names for the numbers of the stages, in the order in which each stage takes them.
//!
//! `rq_of!(qps_log2: 4, qps: 16, ..)` is `Rq::<4, 16, ..>`. A name that is missing, unknown or out
//! of order does not compile.

/// Makes a macro that takes the numbers of a block or table by name.
macro_rules! named {
    ($d:tt $($call:ident = $($of:ident)::+: $($name:ident)*;)*) => {$(
        macro_rules! $call {
            ($($name: $d $name:expr),* $d(,)?) => {
                $d crate$(::$of)+::<$({ $d $name }),*>
            };
        }
        pub(crate) use $call;
    )*};
}

named! { $
    net_rx_of = tcp::net_rx: width bytes_width lanes header_beats conns_log2 conns table_log2 store_log2 raw_log2;
    mpa_rx_of = mpa::mpa_rx: width bytes_width lanes lane_width lanes_log2 conns_log2 conns buffer_log2 buffers_log2 carry;
    ddp_rx_of = ddp::ddp_rx: qps_log2 qps reads_log2 columns_log2;
    mr_of = mr::mr_table: regions_log2;
    rq_of = queue::Rq: qps_log2 qps tag_width slots_log2;
    cq_of = queue::Cq: cqs_log2 cqs;
    fault_of = queue::FaultUnit: qps_log2 qps cqs_log2 cqs sources words_log2;
    ctl_of = queue::CtlEvent: conns_log2 places_log2;
    events_of = queue::EventRing: places_log2 places sources;
    sq_of = sq::sq: qps_log2 qps words_log2 reads_log2 inflight_log2 index_width inflights_log2;
    ddp_tx_of = ddp::ddp_tx: qps_log2 qps words_log2;
    mpa_fpdu_of = mpa::mpa_fpdu: width bytes_width;
    tcp_tx_of = tcp::tcp_tx: conns_log2 conns segment_log2 raw_log2 words_log2;
    admin_of = host::Admin: qps_log2 qps cqs_log2 cqs regions_log2 words_log2;
    doorbells_of = host::Doorbells: qps_log2 cqs_log2;
    rx_route_of = tcp::rx_route: width bytes_width raw_log2;
    tx_write_of = host::pcie::tx_write: width bytes_width double_width;
    dma_read_of = host::pcie::dma_read: width bytes_width double_width dwords store_log2;
}
