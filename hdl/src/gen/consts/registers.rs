// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the register map.

/// Places of the registers: octets from the start of BAR0.
pub mod csr {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// `csr_identity::MAGIC`: this is a Ferrowarp. Ferrowarp.
    pub fn magic() -> Const<Bits<12>> {
        Const::of(0x000)
    }
    /// As in configuration space. Ferrowarp.
    pub fn vendor_device() -> Const<Bits<12>> {
        Const::of(0x004)
    }
    /// Version of this map: a driver refuses another `major`. Ferrowarp.
    pub fn version() -> Const<Bits<12>> {
        Const::of(0x008)
    }
    /// State of the device. Ferrowarp.
    pub fn status() -> Const<Bits<12>> {
        Const::of(0x00C)
    }
    /// How many there are, as log2. Ferrowarp.
    pub fn queues() -> Const<Bits<12>> {
        Const::of(0x010)
    }
    /// Bits of a beat. Ferrowarp.
    pub fn width() -> Const<Bits<12>> {
        Const::of(0x014)
    }
    /// Clock in kHz. Ferrowarp.
    pub fn clock_khz() -> Const<Bits<12>> {
        Const::of(0x018)
    }
    /// What a connection can have. Ferrowarp.
    pub fn limits() -> Const<Bits<12>> {
        Const::of(0x01C)
    }
    /// Ticks since power-up: read `ticks_high`, this, and `ticks_high` again. Ferrowarp.
    pub fn ticks_low() -> Const<Bits<12>> {
        Const::of(0x020)
    }
    /// Its upper half. Ferrowarp.
    pub fn ticks_high() -> Const<Bits<12>> {
        Const::of(0x024)
    }
    /// Units of 10 us that an ACK may wait, 0 to 32767. Ferrowarp.
    pub fn ack_delay() -> Const<Bits<12>> {
        Const::of(0x028)
    }
    /// Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least;
    /// 0: neither it nor a probe expires. Ferrowarp.
    pub fn rto_min() -> Const<Bits<12>> {
        Const::of(0x02C)
    }
    /// Waits in a row after which a connection is lost, probes of a closed window among them.
    /// Ferrowarp.
    pub fn retry_limit() -> Const<Bits<12>> {
        Const::of(0x030)
    }
    /// Ticks that a read of host memory may take, 1 to 100; another number is not taken. Ferrowarp.
    pub fn read_timeout() -> Const<Bits<12>> {
        Const::of(0x034)
    }
    /// Consumer index of the raw transmit ring. Ferrowarp.
    pub fn raw_tx_consumer() -> Const<Bits<12>> {
        Const::of(0x038)
    }
    /// A write of 1 empties the device as a function-level reset does, but keeps registers and
    /// interrupts. The 4-tuple table then takes the secret anew. Ferrowarp.
    pub fn restart() -> Const<Bits<12>> {
        Const::of(0x03C)
    }
    /// Random bits for the 4-tuple table, all of them random; written before `restart`, kept over
    /// every reset. Ferrowarp.
    pub fn secret() -> Const<Bits<12>> {
        Const::of(0x040)
    }
    /// What a connection does about loss, beside its timer. Ferrowarp.
    pub fn recovery() -> Const<Bits<12>> {
        Const::of(0x06C)
    }
    /// Cycles of the clock since power-up: read as `ticks_low` is. Ferrowarp.
    pub fn cycles_low() -> Const<Bits<12>> {
        Const::of(0x070)
    }
    /// Its upper half. Ferrowarp.
    pub fn cycles_high() -> Const<Bits<12>> {
        Const::of(0x074)
    }
    /// First error at the bus edge since this was cleared; 0: none. Ferrowarp.
    pub fn error_what() -> Const<Bits<12>> {
        Const::of(0x080)
    }
    /// Dword 0 of that request's header. Ferrowarp.
    pub fn error_head() -> Const<Bits<12>> {
        Const::of(0x084)
    }
    /// Low 32 bits of that request's address. Ferrowarp.
    pub fn error_address() -> Const<Bits<12>> {
        Const::of(0x088)
    }
    /// The Ethernet link, as the MAC tells of it. Ferrowarp.
    pub fn eth_link() -> Const<Bits<12>> {
        Const::of(0x08C)
    }
    /// Frames that are received: those to an address of `rx_mac`, and these. Ferrowarp.
    pub fn rx_filter() -> Const<Bits<12>> {
        Const::of(0x090)
    }
    /// Ticks without a transfer after which a channel has stalled, 0 to 4095; 0: never. Ferrowarp.
    pub fn watchdog() -> Const<Bits<12>> {
        Const::of(0x094)
    }
    /// Channels that have stalled and not moved since. Ferrowarp.
    pub fn stalled() -> Const<Bits<12>> {
        Const::of(0x098)
    }
    /// The PCI Express link. Every reset but power-up keeps this. Ferrowarp.
    pub fn pcie_link() -> Const<Bits<12>> {
        Const::of(0x09C)
    }
    /// Octets 0 to 3 of an address that is received; octet 0 is bits 7:0. Ferrowarp.
    pub fn rx_mac_low() -> Const<Bits<12>> {
        Const::of(0x0A0)
    }
    /// The rest of the address. Ferrowarp.
    pub fn rx_mac_high() -> Const<Bits<12>> {
        Const::of(0x0B0)
    }
    /// Gives the command that stands in `admin_command`. Ferrowarp.
    pub fn admin_go() -> Const<Bits<12>> {
        Const::of(0x0C0)
    }
    /// State of the admin window. Ferrowarp.
    pub fn admin_status() -> Const<Bits<12>> {
        Const::of(0x0C4)
    }
    /// Vector that tells of a completion queue's events, one a completion queue. Ferrowarp.
    pub fn cq_vector() -> Const<Bits<12>> {
        Const::of(0x100)
    }
    /// Events since reset, one of `counter` each; stays at 2^32 - 1. Ferrowarp.
    pub fn counter() -> Const<Bits<12>> {
        Const::of(0x200)
    }
    /// Octets of the next command; refused while `admin_status.busy`. Ferrowarp.
    pub fn admin_command() -> Const<Bits<12>> {
        Const::of(0x400)
    }
    /// Octets of the answer; 0 beyond its length. Ferrowarp.
    pub fn admin_answer() -> Const<Bits<12>> {
        Const::of(0x500)
    }
    /// Ticks between two messages of a vector at least. Ferrowarp.
    pub fn moderation() -> Const<Bits<12>> {
        Const::of(0x600)
    }
    /// Events since reset: eight places for each queue pair, one of `qp_counter` each; stays at
    /// 2^32 - 1. A connection goes on where the one before it on its queue pair ended. Ferrowarp.
    pub fn qp_counter() -> Const<Bits<12>> {
        Const::of(0x800)
    }
}

/// Fields of the registers: the bits that they have.
pub mod csr_mask {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// `csr_identity::VENDOR`. Ferrowarp.
    pub fn vendor_device_vendor() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// `csr_identity::DEVICE`. Ferrowarp.
    pub fn vendor_device_device() -> Const<Bits<32>> {
        Const::of(0xFFFF0000)
    }
    /// What a driver may do without. Ferrowarp.
    pub fn version_minor() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// What it may not. Ferrowarp.
    pub fn version_major() -> Const<Bits<32>> {
        Const::of(0xFFFF0000)
    }
    /// Tables are empty and commands are taken. Ferrowarp.
    pub fn status_ready() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// A reset waits for what is under way on the bus. Ferrowarp.
    pub fn status_draining() -> Const<Bits<32>> {
        Const::of(0x00000002)
    }
    /// Queue pairs. Ferrowarp.
    pub fn queues_qps_log2() -> Const<Bits<32>> {
        Const::of(0x000000FF)
    }
    /// Completion queues. Ferrowarp.
    pub fn queues_cqs_log2() -> Const<Bits<32>> {
        Const::of(0x0000FF00)
    }
    /// Memory regions. Ferrowarp.
    pub fn queues_mrs_log2() -> Const<Bits<32>> {
        Const::of(0x00FF0000)
    }
    /// Vectors of MSI-X. Ferrowarp.
    pub fn queues_vectors_log2() -> Const<Bits<32>> {
        Const::of(0xFF000000)
    }
    /// Network side. Ferrowarp.
    pub fn width_data_bits() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// Host side. Ferrowarp.
    pub fn width_edge_bits() -> Const<Bits<32>> {
        Const::of(0xFFFF0000)
    }
    /// Largest Ethernet payload in octets. Ferrowarp.
    pub fn limits_mtu() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// log2 of the advertised window in octets. Ferrowarp.
    pub fn limits_window_log2() -> Const<Bits<32>> {
        Const::of(0x00FF0000)
    }
    /// How many of the counters there are. Ferrowarp.
    pub fn limits_counters() -> Const<Bits<32>> {
        Const::of(0xFF000000)
    }
    /// Units of 10 us. Ferrowarp.
    pub fn ack_delay_units() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// Units of 10 us. Ferrowarp.
    pub fn rto_min_units() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// Waits. Ferrowarp.
    pub fn retry_limit_waits() -> Const<Bits<32>> {
        Const::of(0x000000FF)
    }
    /// Ticks. Ferrowarp.
    pub fn read_timeout_ticks() -> Const<Bits<32>> {
        Const::of(0x0000007F)
    }
    /// Restart. Ferrowarp.
    pub fn restart_go() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// A congestion window (RFC 5681) bounds what is in flight, beside the peer's window.
    /// Ferrowarp.
    pub fn recovery_congestion() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// Three duplicate ACKs make octets leave again (RFC 5681 section 3.2). Ferrowarp.
    pub fn recovery_fast() -> Const<Bits<32>> {
        Const::of(0x00000002)
    }
    /// A probe finds a lost tail before the timer does (RFC 8985 section 7). Ferrowarp.
    pub fn recovery_probe() -> Const<Bits<32>> {
        Const::of(0x00000004)
    }
    /// The congestion window is the initial one again behind idle time (RFC 5681 section 4.1).
    /// Ferrowarp.
    pub fn recovery_restart() -> Const<Bits<32>> {
        Const::of(0x00000008)
    }
    /// One of `edge_error`. Ferrowarp.
    pub fn error_what_kind() -> Const<Bits<32>> {
        Const::of(0x000000FF)
    }
    /// Of a request: the BARs that it hit, a bit each: 0, 2, 4. Ferrowarp.
    pub fn error_what_bar() -> Const<Bits<32>> {
        Const::of(0x00000700)
    }
    /// Of a request: first, then last byte enables. Ferrowarp.
    pub fn error_what_be() -> Const<Bits<32>> {
        Const::of(0x000FF000)
    }
    /// Of a request: its length; 0 means 1024. Ferrowarp.
    pub fn error_what_dwords() -> Const<Bits<32>> {
        Const::of(0x3FF00000)
    }
    /// The link is up. Ferrowarp.
    pub fn eth_link_is_up() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// All of them. Ferrowarp.
    pub fn rx_filter_promiscuous() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// Those to all stations. Ferrowarp.
    pub fn rx_filter_broadcast() -> Const<Bits<32>> {
        Const::of(0x00000002)
    }
    /// Those to any group but all stations. Ferrowarp.
    pub fn rx_filter_multicast() -> Const<Bits<32>> {
        Const::of(0x00000004)
    }
    /// Ticks. Ferrowarp.
    pub fn watchdog_ticks() -> Const<Bits<32>> {
        Const::of(0x00000FFF)
    }
    /// A command of the admin port has no answer. Ferrowarp.
    pub fn stalled_admin() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// An FPDU that came is not placed or delivered. Ferrowarp.
    pub fn stalled_receive() -> Const<Bits<32>> {
        Const::of(0x00000002)
    }
    /// An FPDU that is to leave, or its octets, do not come to TCP. Ferrowarp.
    pub fn stalled_transmit() -> Const<Bits<32>> {
        Const::of(0x00000004)
    }
    /// The Ethernet port takes no frame. Ferrowarp.
    pub fn stalled_frame() -> Const<Bits<32>> {
        Const::of(0x00000008)
    }
    /// Times that the link went down or had a hot reset since power-up; stays at 255. Ferrowarp.
    pub fn pcie_link_resets() -> Const<Bits<32>> {
        Const::of(0x000000FF)
    }
    /// Octets 4 and 5; octet 4 is bits 7:0. Ferrowarp.
    pub fn rx_mac_high_octets() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// There is such an address. Ferrowarp.
    pub fn rx_mac_high_is_valid() -> Const<Bits<32>> {
        Const::of(0x00010000)
    }
    /// Its length, 1 to 256; refused while `admin_status.busy`. Ferrowarp.
    pub fn admin_go_octets() -> Const<Bits<32>> {
        Const::of(0x0000FFFF)
    }
    /// A command is under way. Ferrowarp.
    pub fn admin_status_busy() -> Const<Bits<32>> {
        Const::of(0x00000001)
    }
    /// `admin_answer` holds the last command's answer. Ferrowarp.
    pub fn admin_status_done() -> Const<Bits<32>> {
        Const::of(0x00000002)
    }
    /// The answer is longer than its window or was bad: only its beginning is there. Ferrowarp.
    pub fn admin_status_failed() -> Const<Bits<32>> {
        Const::of(0x00000004)
    }
    /// Length of the answer. Ferrowarp.
    pub fn admin_status_octets() -> Const<Bits<32>> {
        Const::of(0xFFFF0000)
    }
    /// Vector. Ferrowarp.
    pub fn cq_vector_vector() -> Const<Bits<32>> {
        Const::of(0x0000000F)
    }
    /// Ticks; 0: every one at once. Ferrowarp.
    pub fn moderation_ticks() -> Const<Bits<32>> {
        Const::of(0x000000FF)
    }
}

/// Values of the registers after reset.
pub mod csr_reset {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Units of 10 us that an ACK may wait, 0 to 32767. Ferrowarp.
    pub fn ack_delay() -> Const<Bits<32>> {
        Const::of(20)
    }
    /// Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least;
    /// 0: neither it nor a probe expires. Ferrowarp.
    pub fn rto_min() -> Const<Bits<32>> {
        Const::of(100)
    }
    /// Waits in a row after which a connection is lost, probes of a closed window among them.
    /// Ferrowarp.
    pub fn retry_limit() -> Const<Bits<32>> {
        Const::of(15)
    }
    /// Ticks that a read of host memory may take, 1 to 100; another number is not taken. Ferrowarp.
    pub fn read_timeout() -> Const<Bits<32>> {
        Const::of(50)
    }
    /// What a connection does about loss, beside its timer. Ferrowarp.
    pub fn recovery() -> Const<Bits<32>> {
        Const::of(15)
    }
    /// Frames that are received: those to an address of `rx_mac`, and these. Ferrowarp.
    pub fn rx_filter() -> Const<Bits<32>> {
        Const::of(1)
    }
    /// Ticks without a transfer after which a channel has stalled, 0 to 4095; 0: never. Ferrowarp.
    pub fn watchdog() -> Const<Bits<32>> {
        Const::of(500)
    }
    /// Octets 0 to 3 of an address that is received; octet 0 is bits 7:0. Ferrowarp.
    pub fn rx_mac_low() -> Const<Bits<32>> {
        Const::of(0)
    }
    /// The rest of the address. Ferrowarp.
    pub fn rx_mac_high() -> Const<Bits<32>> {
        Const::of(0)
    }
    /// Vector that tells of a completion queue's events, one a completion queue. Ferrowarp.
    pub fn cq_vector() -> Const<Bits<32>> {
        Const::of(0)
    }
    /// Ticks between two messages of a vector at least. Ferrowarp.
    pub fn moderation() -> Const<Bits<32>> {
        Const::of(0)
    }
}

/// Places of the counters behind register `counter`.
pub mod counter {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Frames with a bad FCS. Ferrowarp.
    pub fn rx_fcs() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Frames longer than the MTU allows. Ferrowarp.
    pub fn rx_too_long() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Frames that found the frame store full. Ferrowarp.
    pub fn rx_no_room() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Frames whose headers contradict each other. Ferrowarp.
    pub fn rx_malformed() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// IPv4 headers with a bad checksum. Ferrowarp.
    pub fn rx_ip_checksum() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// TCP segments with a bad checksum. Ferrowarp.
    pub fn rx_tcp_checksum() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Segments outside the window. Ferrowarp.
    pub fn rx_not_acceptable() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// Segments that acknowledge what was not sent. Ferrowarp.
    pub fn rx_bad_ack() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// Segments beyond a gap. Ferrowarp.
    pub fn rx_gap() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// ACKs that are rationed, as challenge ACKs are, and were owed. Ferrowarp.
    pub fn rx_challenge() -> Const<Bits<8>> {
        Const::of(9)
    }
    /// Segments with urgent data. Ferrowarp.
    pub fn rx_urgent() -> Const<Bits<8>> {
        Const::of(10)
    }
    /// Frames for the slow path that found its ring busy. Ferrowarp.
    pub fn rx_raw_full() -> Const<Bits<8>> {
        Const::of(11)
    }
    /// Connections that stopped for a bad CRC32c of an FPDU. Ferrowarp.
    pub fn mpa_rx_crc() -> Const<Bits<8>> {
        Const::of(12)
    }
    /// Connections that stopped for a marker that disagrees. Ferrowarp.
    pub fn mpa_rx_marker() -> Const<Bits<8>> {
        Const::of(13)
    }
    /// Connections that stopped for an impossible ULPDU_Length. Ferrowarp.
    pub fn mpa_rx_length() -> Const<Bits<8>> {
        Const::of(14)
    }
    /// Connections that stopped for an FPDU longer than the reassembly buffer. Ferrowarp.
    pub fn mpa_rx_buffer() -> Const<Bits<8>> {
        Const::of(15)
    }
    /// Connections that stopped because the stream ended inside an FPDU. Ferrowarp.
    pub fn mpa_rx_ended() -> Const<Bits<8>> {
        Const::of(16)
    }
    /// Segments of a connection that MPA does not know. Ferrowarp.
    pub fn mpa_rx_stray() -> Const<Bits<8>> {
        Const::of(17)
    }
    /// FPDUs that transmit refused. Ferrowarp.
    pub fn mpa_tx_refused() -> Const<Bits<8>> {
        Const::of(18)
    }
    /// ULPDUs shorter than they said. Ferrowarp.
    pub fn mpa_tx_short() -> Const<Bits<8>> {
        Const::of(19)
    }
    /// ULPDUs longer than they said. Ferrowarp.
    pub fn mpa_tx_long() -> Const<Bits<8>> {
        Const::of(20)
    }
    /// ULPDUs whose payload could not be read. Ferrowarp.
    pub fn mpa_tx_spoilt() -> Const<Bits<8>> {
        Const::of(21)
    }
    /// FPDUs that did not reach TCP. Ferrowarp.
    pub fn tx_feed_refused() -> Const<Bits<8>> {
        Const::of(22)
    }
    /// Reservations of segments that were impossible. Ferrowarp.
    pub fn tx_bad_reserve() -> Const<Bits<8>> {
        Const::of(23)
    }
    /// Segments that were dropped because their FPDU was bad. Ferrowarp.
    pub fn tx_spoilt() -> Const<Bits<8>> {
        Const::of(24)
    }
    /// Segments and ACKs of silent connections. Ferrowarp.
    pub fn tx_dropped() -> Const<Bits<8>> {
        Const::of(25)
    }
    /// Frames of the raw transmit ring that transmit refused. Ferrowarp.
    pub fn raw_tx_bad_frame() -> Const<Bits<8>> {
        Const::of(26)
    }
    /// Doorbells of send queues with an impossible index. Ferrowarp.
    pub fn db_sq_bad() -> Const<Bits<8>> {
        Const::of(27)
    }
    /// Doorbells of receive queues with an impossible index. Ferrowarp.
    pub fn db_rq_bad() -> Const<Bits<8>> {
        Const::of(28)
    }
    /// Doorbells of completion queues with an impossible index. Ferrowarp.
    pub fn db_cq_bad() -> Const<Bits<8>> {
        Const::of(29)
    }
    /// Completions that found no room. Ferrowarp.
    pub fn cqe_lost() -> Const<Bits<8>> {
        Const::of(30)
    }
    /// Doorbells of the event ring with an impossible index. Ferrowarp.
    pub fn db_event_bad() -> Const<Bits<8>> {
        Const::of(31)
    }
    /// Events written. Ferrowarp.
    pub fn events() -> Const<Bits<8>> {
        Const::of(32)
    }
    /// Events that had to wait for room. Ferrowarp.
    pub fn events_held() -> Const<Bits<8>> {
        Const::of(33)
    }
    /// Events merged with one that waits. Ferrowarp.
    pub fn events_merged() -> Const<Bits<8>> {
        Const::of(34)
    }
    /// Doorbells that named nothing. Ferrowarp.
    pub fn db_unknown() -> Const<Bits<8>> {
        Const::of(35)
    }
    /// Frames that found no free slot of the raw receive ring. Ferrowarp.
    pub fn raw_rx_full() -> Const<Bits<8>> {
        Const::of(36)
    }
    /// Frames that do not fit a slot of the raw receive ring. Ferrowarp.
    pub fn raw_rx_bad() -> Const<Bits<8>> {
        Const::of(37)
    }
    /// Doorbells of the raw receive ring with an impossible index. Ferrowarp.
    pub fn db_raw_rx_bad() -> Const<Bits<8>> {
        Const::of(38)
    }
    /// Descriptors of the raw transmit ring that were impossible or unreadable. Ferrowarp.
    pub fn raw_tx_bad() -> Const<Bits<8>> {
        Const::of(39)
    }
    /// Doorbells of the raw transmit ring with an impossible index. Ferrowarp.
    pub fn db_raw_tx_bad() -> Const<Bits<8>> {
        Const::of(40)
    }
    /// Queue pairs that stopped for an error. Ferrowarp.
    pub fn qp_stopped() -> Const<Bits<8>> {
        Const::of(41)
    }
    /// Errors of queue pairs that had stopped before. Ferrowarp.
    pub fn fault_late() -> Const<Bits<8>> {
        Const::of(42)
    }
    /// Errors of queue pairs that are not there. Ferrowarp.
    pub fn fault_stray() -> Const<Bits<8>> {
        Const::of(43)
    }
    /// TLPs whose header contradicts itself or their length. Ferrowarp.
    pub fn tlp_malformed() -> Const<Bits<8>> {
        Const::of(44)
    }
    /// Requests of a kind or for a place that the device does not have. Ferrowarp.
    pub fn tlp_unsupported() -> Const<Bits<8>> {
        Const::of(45)
    }
    /// Poisoned writes. Ferrowarp.
    pub fn tlp_poisoned() -> Const<Bits<8>> {
        Const::of(46)
    }
    /// Requests of a length that the place does not have. Ferrowarp.
    pub fn tlp_length() -> Const<Bits<8>> {
        Const::of(47)
    }
    /// Writes of registers that are not whole dwords. Ferrowarp.
    pub fn tlp_partial() -> Const<Bits<8>> {
        Const::of(48)
    }
    /// Reads and writes of registers that are not there. Ferrowarp.
    pub fn register_unknown() -> Const<Bits<8>> {
        Const::of(49)
    }
    /// Writes of registers that may only be read. Ferrowarp.
    pub fn register_refused() -> Const<Bits<8>> {
        Const::of(50)
    }
    /// Doorbells that were rung on another page than theirs. Ferrowarp.
    pub fn db_page() -> Const<Bits<8>> {
        Const::of(51)
    }
    /// Uses of the admin window that were not possible. Ferrowarp.
    pub fn admin_refused() -> Const<Bits<8>> {
        Const::of(52)
    }
    /// Completions that answer no read. Ferrowarp.
    pub fn cpl_unexpected() -> Const<Bits<8>> {
        Const::of(53)
    }
    /// Completions of reads that were given up before. Ferrowarp.
    pub fn cpl_late() -> Const<Bits<8>> {
        Const::of(54)
    }
    /// Reads of host memory answered with Unsupported Request. Ferrowarp.
    pub fn cpl_unsupported() -> Const<Bits<8>> {
        Const::of(55)
    }
    /// Reads of host memory answered with Completer Abort. Ferrowarp.
    pub fn cpl_aborted() -> Const<Bits<8>> {
        Const::of(56)
    }
    /// Reads of host memory answered with poisoned data. Ferrowarp.
    pub fn cpl_poisoned() -> Const<Bits<8>> {
        Const::of(57)
    }
    /// Completions that do not fit their read. Ferrowarp.
    pub fn cpl_malformed() -> Const<Bits<8>> {
        Const::of(58)
    }
    /// Reads of host memory without a whole answer in time. Ferrowarp.
    pub fn read_expired() -> Const<Bits<8>> {
        Const::of(59)
    }
    /// Requests that were dropped because the device is no bus master. Ferrowarp.
    pub fn dma_dropped() -> Const<Bits<8>> {
        Const::of(60)
    }
    /// Messages of MSI-X that were sent. Ferrowarp.
    pub fn messages() -> Const<Bits<8>> {
        Const::of(61)
    }
    /// Frames that came, before any is refused. Ferrowarp.
    pub fn rx_frames() -> Const<Bits<8>> {
        Const::of(62)
    }
    /// Frames to an address that is not received. Ferrowarp.
    pub fn rx_filtered() -> Const<Bits<8>> {
        Const::of(63)
    }
    /// Frames that left. Ferrowarp.
    pub fn tx_frames() -> Const<Bits<8>> {
        Const::of(64)
    }
    /// Segments that brought octets or FIN of a connection in order. Ferrowarp.
    pub fn tcp_in_segments() -> Const<Bits<8>> {
        Const::of(65)
    }
    /// Segments with octets or FIN that were made, those that leave again counted. Ferrowarp.
    pub fn tcp_out_segments() -> Const<Bits<8>> {
        Const::of(66)
    }
    /// Resends: timers that expired, and third duplicate ACKs. Ferrowarp.
    pub fn tcp_timeouts() -> Const<Bits<8>> {
        Const::of(67)
    }
    /// Connections that were lost because nothing was acknowledged. Ferrowarp.
    pub fn tcp_lost() -> Const<Bits<8>> {
        Const::of(68)
    }
    /// Connections that the peer ended by RST or FIN. Ferrowarp.
    pub fn tcp_in_ended() -> Const<Bits<8>> {
        Const::of(69)
    }
    /// FPDUs that came, bad ones counted. Ferrowarp.
    pub fn rdma_in_fpdus() -> Const<Bits<8>> {
        Const::of(70)
    }
    /// Messages of a peer that gave a completion. Ferrowarp.
    pub fn rdma_in_completed() -> Const<Bits<8>> {
        Const::of(71)
    }
    /// Read Requests of a peer that were taken. Ferrowarp.
    pub fn rdma_in_reads() -> Const<Bits<8>> {
        Const::of(72)
    }
    /// Work requests that gave a completion. Ferrowarp.
    pub fn rdma_out_completed() -> Const<Bits<8>> {
        Const::of(73)
    }
    /// RDMA Reads of our own whose last octet came. Ferrowarp.
    pub fn rdma_out_reads() -> Const<Bits<8>> {
        Const::of(74)
    }
    /// Completions written. Ferrowarp.
    pub fn cqes() -> Const<Bits<8>> {
        Const::of(75)
    }
    /// TCP segments to a group of stations, and segments of a connection from another VLAN.
    /// Ferrowarp.
    pub fn rx_strange() -> Const<Bits<8>> {
        Const::of(76)
    }
    /// Frames, not of ARP, ICMP or TCP, that found half of the store of the slow path used.
    /// Ferrowarp.
    pub fn rx_raw_spared() -> Const<Bits<8>> {
        Const::of(77)
    }
    /// Frames, not of ARP, ICMP or TCP, that found half of the raw receive ring used. Ferrowarp.
    pub fn raw_rx_spared() -> Const<Bits<8>> {
        Const::of(78)
    }
    /// Times that the Ethernet link went down. Ferrowarp.
    pub fn link_downs() -> Const<Bits<8>> {
        Const::of(79)
    }
    /// Errors of our requests that the PCI Express block reported to the host. Ferrowarp.
    pub fn bus_errors() -> Const<Bits<8>> {
        Const::of(80)
    }
}

/// Places of a queue pair's counters among its eight behind register `qp_counter`.
pub mod qp_counter {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Segments that left again. Ferrowarp.
    pub fn retransmitted_segments() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Octets of the stream that were read from memory and left again. Ferrowarp.
    pub fn regenerated_octets() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Duplicate ACKs that came, as RFC 5681 defines them. Ferrowarp.
    pub fn duplicate_acks() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Timers of retransmission that expired: what is not acknowledged leaves again. Ferrowarp.
    pub fn timeouts() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// FPDUs with a bad CRC32c; the first one ends a connection. Ferrowarp.
    pub fn crc_errors() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Third duplicate ACKs: what is not acknowledged leaves again. Ferrowarp.
    pub fn fast_retransmits() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Probes of a lost tail, and of a window that is closed or too small. Ferrowarp.
    pub fn probes() -> Const<Bits<8>> {
        Const::of(6)
    }
}
