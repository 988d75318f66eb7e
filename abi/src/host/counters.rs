// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counters of BAR0: what each counts. Their place in this table is their place behind register
//! `counter`.

/// One counter.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// `snake_case`.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

const fn c(name: &'static str, doc: &'static str) -> Counter {
    Counter { name, doc }
}

/// Every counter.
pub const COUNTERS: &[Counter] = &[
    c("rx_fcs", "Frames with a bad FCS."),
    c("rx_too_long", "Frames longer than the MTU allows."),
    c("rx_no_room", "Frames that found the frame store full."),
    c("rx_malformed", "Frames whose headers contradict each other."),
    c("rx_ip_checksum", "IPv4 headers with a bad checksum."),
    c("rx_tcp_checksum", "TCP segments with a bad checksum."),
    c("rx_not_acceptable", "Segments outside the window."),
    c("rx_bad_ack", "Segments that acknowledge what was not sent."),
    c("rx_gap", "Segments beyond a gap."),
    c("rx_challenge", "ACKs that are rationed, as challenge ACKs are, and were owed."),
    c("rx_urgent", "Segments with urgent data."),
    c("rx_raw_full", "Frames for the slow path that found its ring busy."),
    c("mpa_rx_crc", "Connections that stopped for a bad CRC32c of an FPDU."),
    c("mpa_rx_marker", "Connections that stopped for a marker that disagrees."),
    c("mpa_rx_length", "Connections that stopped for an impossible ULPDU_Length."),
    c("mpa_rx_buffer", "Connections that stopped for an FPDU longer than the reassembly buffer."),
    c("mpa_rx_ended", "Connections that stopped because the stream ended inside an FPDU."),
    c("mpa_rx_stray", "Segments of a connection that MPA does not know."),
    c("mpa_tx_refused", "FPDUs that transmit refused."),
    c("mpa_tx_short", "ULPDUs shorter than they said."),
    c("mpa_tx_long", "ULPDUs longer than they said."),
    c("mpa_tx_spoilt", "ULPDUs whose payload could not be read."),
    c("tx_feed_refused", "FPDUs that did not reach TCP."),
    c("tx_bad_reserve", "Reservations of segments that were impossible."),
    c("tx_spoilt", "Segments that were dropped because their FPDU was bad."),
    c("tx_dropped", "Segments and ACKs of silent connections."),
    c("raw_tx_bad_frame", "Frames of the raw transmit ring that transmit refused."),
    c("db_sq_bad", "Doorbells of send queues with an impossible index."),
    c("db_rq_bad", "Doorbells of receive queues with an impossible index."),
    c("db_cq_bad", "Doorbells of completion queues with an impossible index."),
    c("cqe_lost", "Completions that found no room."),
    c("db_event_bad", "Doorbells of the event ring with an impossible index."),
    c("events", "Events written."),
    c("events_held", "Events that had to wait for room."),
    c("events_merged", "Events merged with one that waits."),
    c("db_unknown", "Doorbells that named nothing."),
    c("raw_rx_full", "Frames that found no free slot of the raw receive ring."),
    c("raw_rx_bad", "Frames that do not fit a slot of the raw receive ring."),
    c("db_raw_rx_bad", "Doorbells of the raw receive ring with an impossible index."),
    c("raw_tx_bad", "Descriptors of the raw transmit ring that were impossible or unreadable."),
    c("db_raw_tx_bad", "Doorbells of the raw transmit ring with an impossible index."),
    c("qp_stopped", "Queue pairs that stopped for an error."),
    c("fault_late", "Errors of queue pairs that had stopped before."),
    c("fault_stray", "Errors of queue pairs that are not there."),
    c("tlp_malformed", "TLPs whose header contradicts itself or their length."),
    c("tlp_unsupported", "Requests of a kind or for a place that the device does not have."),
    c("tlp_poisoned", "Poisoned writes."),
    c("tlp_length", "Requests of a length that the place does not have."),
    c("tlp_partial", "Writes of registers that are not whole dwords."),
    c("register_unknown", "Reads and writes of registers that are not there."),
    c("register_refused", "Writes of registers that may only be read."),
    c("db_page", "Doorbells that were rung on another page than theirs."),
    c("admin_refused", "Uses of the admin window that were not possible."),
    c("cpl_unexpected", "Completions that answer no read."),
    c("cpl_late", "Completions of reads that were given up before."),
    c("cpl_unsupported", "Reads of host memory answered with Unsupported Request."),
    c("cpl_aborted", "Reads of host memory answered with Completer Abort."),
    c("cpl_poisoned", "Reads of host memory answered with poisoned data."),
    c("cpl_malformed", "Completions that do not fit their read."),
    c("read_expired", "Reads of host memory without a whole answer in time."),
    c("dma_dropped", "Requests that were dropped because the device is no bus master."),
    c("messages", "Messages of MSI-X that were sent."),
    c("rx_frames", "Frames that came, before any is refused."),
    c("rx_filtered", "Frames to an address that is not received."),
    c("tx_frames", "Frames that left."),
    c("tcp_in_segments", "Segments that brought octets or FIN of a connection in order."),
    c("tcp_out_segments", "Segments with octets or FIN that were made, those that leave again counted."),
    c("tcp_timeouts", "Resends: timers that expired, and third duplicate ACKs."),
    c("tcp_lost", "Connections that were lost because nothing was acknowledged."),
    c("tcp_in_ended", "Connections that the peer ended by RST or FIN."),
    c("rdma_in_fpdus", "FPDUs that came, bad ones counted."),
    c("rdma_in_completed", "Messages of a peer that gave a completion."),
    c("rdma_in_reads", "Read Requests of a peer that were taken."),
    c("rdma_out_completed", "Work requests that gave a completion."),
    c("rdma_out_reads", "RDMA Reads of our own whose last octet came."),
    c("cqes", "Completions written."),
    c("rx_strange", "TCP segments to a group of stations, and segments of a connection from another VLAN."),
    c(
        "rx_raw_spared",
        "Frames, not of ARP, ICMP or TCP, that found half of the store of the slow path used.",
    ),
    c("raw_rx_spared", "Frames, not of ARP, ICMP or TCP, that found half of the raw receive ring used."),
    c("link_downs", "Times that the Ethernet link went down."),
    c("bus_errors", "Errors of our requests that the PCI Express block reported to the host."),
];

/// Counters that each queue pair has. Their place in this table is their place among the eight of
/// the queue pair behind register `qp_counter`.
pub const QP_COUNTERS: &[Counter] = &[
    c("retransmitted_segments", "Segments that left again."),
    c("regenerated_octets", "Octets of the stream that were read from memory and left again."),
    c("duplicate_acks", "Duplicate ACKs that came, as RFC 5681 defines them."),
    c("timeouts", "Timers of retransmission that expired: what is not acknowledged leaves again."),
    c("crc_errors", "FPDUs with a bad CRC32c; the first one ends a connection."),
    c("fast_retransmits", "Third duplicate ACKs: what is not acknowledged leaves again."),
    c("probes", "Probes of a lost tail, and of a window that is closed or too small."),
];

/// Places that a queue pair has behind register `qp_counter`.
pub const QP_PLACES: usize = 8;

/// The place of the counter of this name.
pub fn index(name: &str) -> Option<usize> {
    COUNTERS.iter().position(|c| c.name == name)
}
