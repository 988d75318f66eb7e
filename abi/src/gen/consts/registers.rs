// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the register map.

/// Places of the registers: octets from the start of BAR0.
pub mod csr {
    /// `csr_identity::MAGIC`: this is a Ferrowarp. Ferrowarp.
    pub const MAGIC: u16 = 0x000;
    /// As in configuration space. Ferrowarp.
    pub const VENDOR_DEVICE: u16 = 0x004;
    /// Version of this map: a driver refuses another `major`. Ferrowarp.
    pub const VERSION: u16 = 0x008;
    /// State of the device. Ferrowarp.
    pub const STATUS: u16 = 0x00C;
    /// How many there are, as log2. Ferrowarp.
    pub const QUEUES: u16 = 0x010;
    /// Bits of a beat. Ferrowarp.
    pub const WIDTH: u16 = 0x014;
    /// Clock in kHz. Ferrowarp.
    pub const CLOCK_KHZ: u16 = 0x018;
    /// What a connection can have. Ferrowarp.
    pub const LIMITS: u16 = 0x01C;
    /// Ticks since power-up: read `ticks_high`, this, and `ticks_high` again. Ferrowarp.
    pub const TICKS_LOW: u16 = 0x020;
    /// Its upper half. Ferrowarp.
    pub const TICKS_HIGH: u16 = 0x024;
    /// Units of 10 us that an ACK may wait, 0 to 32767. Ferrowarp.
    pub const ACK_DELAY: u16 = 0x028;
    /// Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least;
    /// 0: neither it nor a probe expires. Ferrowarp.
    pub const RTO_MIN: u16 = 0x02C;
    /// Waits in a row after which a connection is lost, probes of a closed window among them.
    /// Ferrowarp.
    pub const RETRY_LIMIT: u16 = 0x030;
    /// Ticks that a read of host memory may take, 1 to 100; another number is not taken. Ferrowarp.
    pub const READ_TIMEOUT: u16 = 0x034;
    /// Consumer index of the raw transmit ring. Ferrowarp.
    pub const RAW_TX_CONSUMER: u16 = 0x038;
    /// A write of 1 empties the device as a function-level reset does, but keeps registers and
    /// interrupts. The 4-tuple table then takes the secret anew. Ferrowarp.
    pub const RESTART: u16 = 0x03C;
    /// Random bits for the 4-tuple table, all of them random; written before `restart`, kept over
    /// every reset. Ferrowarp.
    pub const SECRET: u16 = 0x040;
    /// What a connection does about loss, beside its timer. Ferrowarp.
    pub const RECOVERY: u16 = 0x06C;
    /// Cycles of the clock since power-up: read as `ticks_low` is. Ferrowarp.
    pub const CYCLES_LOW: u16 = 0x070;
    /// Its upper half. Ferrowarp.
    pub const CYCLES_HIGH: u16 = 0x074;
    /// First error at the bus edge since this was cleared; 0: none. Ferrowarp.
    pub const ERROR_WHAT: u16 = 0x080;
    /// Dword 0 of that request's header. Ferrowarp.
    pub const ERROR_HEAD: u16 = 0x084;
    /// Low 32 bits of that request's address. Ferrowarp.
    pub const ERROR_ADDRESS: u16 = 0x088;
    /// The Ethernet link, as the MAC tells of it. Ferrowarp.
    pub const ETH_LINK: u16 = 0x08C;
    /// Frames that are received: those to an address of `rx_mac`, and these. Ferrowarp.
    pub const RX_FILTER: u16 = 0x090;
    /// Ticks without a transfer after which a channel has stalled, 0 to 4095; 0: never. Ferrowarp.
    pub const WATCHDOG: u16 = 0x094;
    /// Channels that have stalled and not moved since. Ferrowarp.
    pub const STALLED: u16 = 0x098;
    /// The PCI Express link. Every reset but power-up keeps this. Ferrowarp.
    pub const PCIE_LINK: u16 = 0x09C;
    /// Octets 0 to 3 of an address that is received; octet 0 is bits 7:0. Ferrowarp.
    pub const RX_MAC_LOW: u16 = 0x0A0;
    /// The rest of the address. Ferrowarp.
    pub const RX_MAC_HIGH: u16 = 0x0B0;
    /// Gives the command that stands in `admin_command`. Ferrowarp.
    pub const ADMIN_GO: u16 = 0x0C0;
    /// State of the admin window. Ferrowarp.
    pub const ADMIN_STATUS: u16 = 0x0C4;
    /// Vector that tells of a completion queue's events, one a completion queue. Ferrowarp.
    pub const CQ_VECTOR: u16 = 0x100;
    /// Events since reset, one of `counter` each; stays at 2^32 - 1. Ferrowarp.
    pub const COUNTER: u16 = 0x200;
    /// Octets of the next command; refused while `admin_status.busy`. Ferrowarp.
    pub const ADMIN_COMMAND: u16 = 0x400;
    /// Octets of the answer; 0 beyond its length. Ferrowarp.
    pub const ADMIN_ANSWER: u16 = 0x500;
    /// Ticks between two messages of a vector at least. Ferrowarp.
    pub const MODERATION: u16 = 0x600;
    /// Events since reset: eight places for each queue pair, one of `qp_counter` each; stays at
    /// 2^32 - 1. A connection goes on where the one before it on its queue pair ended. Ferrowarp.
    pub const QP_COUNTER: u16 = 0x800;
}

/// Fields of the registers: the bits that they have.
pub mod csr_mask {
    /// `csr_identity::VENDOR`. Ferrowarp.
    pub const VENDOR_DEVICE_VENDOR: u32 = 0x0000FFFF;
    /// `csr_identity::DEVICE`. Ferrowarp.
    pub const VENDOR_DEVICE_DEVICE: u32 = 0xFFFF0000;
    /// What a driver may do without. Ferrowarp.
    pub const VERSION_MINOR: u32 = 0x0000FFFF;
    /// What it may not. Ferrowarp.
    pub const VERSION_MAJOR: u32 = 0xFFFF0000;
    /// Tables are empty and commands are taken. Ferrowarp.
    pub const STATUS_READY: u32 = 0x00000001;
    /// A reset waits for what is under way on the bus. Ferrowarp.
    pub const STATUS_DRAINING: u32 = 0x00000002;
    /// Queue pairs. Ferrowarp.
    pub const QUEUES_QPS_LOG2: u32 = 0x000000FF;
    /// Completion queues. Ferrowarp.
    pub const QUEUES_CQS_LOG2: u32 = 0x0000FF00;
    /// Memory regions. Ferrowarp.
    pub const QUEUES_MRS_LOG2: u32 = 0x00FF0000;
    /// Vectors of MSI-X. Ferrowarp.
    pub const QUEUES_VECTORS_LOG2: u32 = 0xFF000000;
    /// Network side. Ferrowarp.
    pub const WIDTH_DATA_BITS: u32 = 0x0000FFFF;
    /// Host side. Ferrowarp.
    pub const WIDTH_EDGE_BITS: u32 = 0xFFFF0000;
    /// Largest Ethernet payload in octets. Ferrowarp.
    pub const LIMITS_MTU: u32 = 0x0000FFFF;
    /// log2 of the advertised window in octets. Ferrowarp.
    pub const LIMITS_WINDOW_LOG2: u32 = 0x00FF0000;
    /// How many of the counters there are. Ferrowarp.
    pub const LIMITS_COUNTERS: u32 = 0xFF000000;
    /// Units of 10 us. Ferrowarp.
    pub const ACK_DELAY_UNITS: u32 = 0x0000FFFF;
    /// Units of 10 us. Ferrowarp.
    pub const RTO_MIN_UNITS: u32 = 0x0000FFFF;
    /// Waits. Ferrowarp.
    pub const RETRY_LIMIT_WAITS: u32 = 0x000000FF;
    /// Ticks. Ferrowarp.
    pub const READ_TIMEOUT_TICKS: u32 = 0x0000007F;
    /// Restart. Ferrowarp.
    pub const RESTART_GO: u32 = 0x00000001;
    /// A congestion window (RFC 5681) bounds what is in flight, beside the peer's window.
    /// Ferrowarp.
    pub const RECOVERY_CONGESTION: u32 = 0x00000001;
    /// Three duplicate ACKs make octets leave again (RFC 5681 section 3.2). Ferrowarp.
    pub const RECOVERY_FAST: u32 = 0x00000002;
    /// A probe finds a lost tail before the timer does (RFC 8985 section 7). Ferrowarp.
    pub const RECOVERY_PROBE: u32 = 0x00000004;
    /// The congestion window is the initial one again behind idle time (RFC 5681 section 4.1).
    /// Ferrowarp.
    pub const RECOVERY_RESTART: u32 = 0x00000008;
    /// One of `edge_error`. Ferrowarp.
    pub const ERROR_WHAT_KIND: u32 = 0x000000FF;
    /// Of a request: the BARs that it hit, a bit each: 0, 2, 4. Ferrowarp.
    pub const ERROR_WHAT_BAR: u32 = 0x00000700;
    /// Of a request: first, then last byte enables. Ferrowarp.
    pub const ERROR_WHAT_BE: u32 = 0x000FF000;
    /// Of a request: its length; 0 means 1024. Ferrowarp.
    pub const ERROR_WHAT_DWORDS: u32 = 0x3FF00000;
    /// The link is up. Ferrowarp.
    pub const ETH_LINK_IS_UP: u32 = 0x00000001;
    /// All of them. Ferrowarp.
    pub const RX_FILTER_PROMISCUOUS: u32 = 0x00000001;
    /// Those to all stations. Ferrowarp.
    pub const RX_FILTER_BROADCAST: u32 = 0x00000002;
    /// Those to any group but all stations. Ferrowarp.
    pub const RX_FILTER_MULTICAST: u32 = 0x00000004;
    /// Ticks. Ferrowarp.
    pub const WATCHDOG_TICKS: u32 = 0x00000FFF;
    /// A command of the admin port has no answer. Ferrowarp.
    pub const STALLED_ADMIN: u32 = 0x00000001;
    /// An FPDU that came is not placed or delivered. Ferrowarp.
    pub const STALLED_RECEIVE: u32 = 0x00000002;
    /// An FPDU that is to leave, or its octets, do not come to TCP. Ferrowarp.
    pub const STALLED_TRANSMIT: u32 = 0x00000004;
    /// The Ethernet port takes no frame. Ferrowarp.
    pub const STALLED_FRAME: u32 = 0x00000008;
    /// Times that the link went down or had a hot reset since power-up; stays at 255. Ferrowarp.
    pub const PCIE_LINK_RESETS: u32 = 0x000000FF;
    /// Octets 4 and 5; octet 4 is bits 7:0. Ferrowarp.
    pub const RX_MAC_HIGH_OCTETS: u32 = 0x0000FFFF;
    /// There is such an address. Ferrowarp.
    pub const RX_MAC_HIGH_IS_VALID: u32 = 0x00010000;
    /// Its length, 1 to 256; refused while `admin_status.busy`. Ferrowarp.
    pub const ADMIN_GO_OCTETS: u32 = 0x0000FFFF;
    /// A command is under way. Ferrowarp.
    pub const ADMIN_STATUS_BUSY: u32 = 0x00000001;
    /// `admin_answer` holds the last command's answer. Ferrowarp.
    pub const ADMIN_STATUS_DONE: u32 = 0x00000002;
    /// The answer is longer than its window or was bad: only its beginning is there. Ferrowarp.
    pub const ADMIN_STATUS_FAILED: u32 = 0x00000004;
    /// Length of the answer. Ferrowarp.
    pub const ADMIN_STATUS_OCTETS: u32 = 0xFFFF0000;
    /// Vector. Ferrowarp.
    pub const CQ_VECTOR_VECTOR: u32 = 0x0000000F;
    /// Ticks; 0: every one at once. Ferrowarp.
    pub const MODERATION_TICKS: u32 = 0x000000FF;
}

/// Values of the registers after reset.
pub mod csr_reset {
    /// Units of 10 us that an ACK may wait, 0 to 32767. Ferrowarp.
    pub const ACK_DELAY: u32 = 20;
    /// Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least;
    /// 0: neither it nor a probe expires. Ferrowarp.
    pub const RTO_MIN: u32 = 100;
    /// Waits in a row after which a connection is lost, probes of a closed window among them.
    /// Ferrowarp.
    pub const RETRY_LIMIT: u32 = 15;
    /// Ticks that a read of host memory may take, 1 to 100; another number is not taken. Ferrowarp.
    pub const READ_TIMEOUT: u32 = 50;
    /// What a connection does about loss, beside its timer. Ferrowarp.
    pub const RECOVERY: u32 = 15;
    /// Frames that are received: those to an address of `rx_mac`, and these. Ferrowarp.
    pub const RX_FILTER: u32 = 1;
    /// Ticks without a transfer after which a channel has stalled, 0 to 4095; 0: never. Ferrowarp.
    pub const WATCHDOG: u32 = 500;
    /// Octets 0 to 3 of an address that is received; octet 0 is bits 7:0. Ferrowarp.
    pub const RX_MAC_LOW: u32 = 0;
    /// The rest of the address. Ferrowarp.
    pub const RX_MAC_HIGH: u32 = 0;
    /// Vector that tells of a completion queue's events, one a completion queue. Ferrowarp.
    pub const CQ_VECTOR: u32 = 0;
    /// Ticks between two messages of a vector at least. Ferrowarp.
    pub const MODERATION: u32 = 0;
}

/// Places of the counters behind register `counter`.
pub mod counter {
    /// Frames with a bad FCS. Ferrowarp.
    pub const RX_FCS: u8 = 0;
    /// Frames longer than the MTU allows. Ferrowarp.
    pub const RX_TOO_LONG: u8 = 1;
    /// Frames that found the frame store full. Ferrowarp.
    pub const RX_NO_ROOM: u8 = 2;
    /// Frames whose headers contradict each other. Ferrowarp.
    pub const RX_MALFORMED: u8 = 3;
    /// IPv4 headers with a bad checksum. Ferrowarp.
    pub const RX_IP_CHECKSUM: u8 = 4;
    /// TCP segments with a bad checksum. Ferrowarp.
    pub const RX_TCP_CHECKSUM: u8 = 5;
    /// Segments outside the window. Ferrowarp.
    pub const RX_NOT_ACCEPTABLE: u8 = 6;
    /// Segments that acknowledge what was not sent. Ferrowarp.
    pub const RX_BAD_ACK: u8 = 7;
    /// Segments beyond a gap. Ferrowarp.
    pub const RX_GAP: u8 = 8;
    /// ACKs that are rationed, as challenge ACKs are, and were owed. Ferrowarp.
    pub const RX_CHALLENGE: u8 = 9;
    /// Segments with urgent data. Ferrowarp.
    pub const RX_URGENT: u8 = 10;
    /// Frames for the slow path that found its ring busy. Ferrowarp.
    pub const RX_RAW_FULL: u8 = 11;
    /// Connections that stopped for a bad CRC32c of an FPDU. Ferrowarp.
    pub const MPA_RX_CRC: u8 = 12;
    /// Connections that stopped for a marker that disagrees. Ferrowarp.
    pub const MPA_RX_MARKER: u8 = 13;
    /// Connections that stopped for an impossible ULPDU_Length. Ferrowarp.
    pub const MPA_RX_LENGTH: u8 = 14;
    /// Connections that stopped for an FPDU longer than the reassembly buffer. Ferrowarp.
    pub const MPA_RX_BUFFER: u8 = 15;
    /// Connections that stopped because the stream ended inside an FPDU. Ferrowarp.
    pub const MPA_RX_ENDED: u8 = 16;
    /// Segments of a connection that MPA does not know. Ferrowarp.
    pub const MPA_RX_STRAY: u8 = 17;
    /// FPDUs that transmit refused. Ferrowarp.
    pub const MPA_TX_REFUSED: u8 = 18;
    /// ULPDUs shorter than they said. Ferrowarp.
    pub const MPA_TX_SHORT: u8 = 19;
    /// ULPDUs longer than they said. Ferrowarp.
    pub const MPA_TX_LONG: u8 = 20;
    /// ULPDUs whose payload could not be read. Ferrowarp.
    pub const MPA_TX_SPOILT: u8 = 21;
    /// FPDUs that did not reach TCP. Ferrowarp.
    pub const TX_FEED_REFUSED: u8 = 22;
    /// Reservations of segments that were impossible. Ferrowarp.
    pub const TX_BAD_RESERVE: u8 = 23;
    /// Segments that were dropped because their FPDU was bad. Ferrowarp.
    pub const TX_SPOILT: u8 = 24;
    /// Segments and ACKs of silent connections. Ferrowarp.
    pub const TX_DROPPED: u8 = 25;
    /// Frames of the raw transmit ring that transmit refused. Ferrowarp.
    pub const RAW_TX_BAD_FRAME: u8 = 26;
    /// Doorbells of send queues with an impossible index. Ferrowarp.
    pub const DB_SQ_BAD: u8 = 27;
    /// Doorbells of receive queues with an impossible index. Ferrowarp.
    pub const DB_RQ_BAD: u8 = 28;
    /// Doorbells of completion queues with an impossible index. Ferrowarp.
    pub const DB_CQ_BAD: u8 = 29;
    /// Completions that found no room. Ferrowarp.
    pub const CQE_LOST: u8 = 30;
    /// Doorbells of the event ring with an impossible index. Ferrowarp.
    pub const DB_EVENT_BAD: u8 = 31;
    /// Events written. Ferrowarp.
    pub const EVENTS: u8 = 32;
    /// Events that had to wait for room. Ferrowarp.
    pub const EVENTS_HELD: u8 = 33;
    /// Events merged with one that waits. Ferrowarp.
    pub const EVENTS_MERGED: u8 = 34;
    /// Doorbells that named nothing. Ferrowarp.
    pub const DB_UNKNOWN: u8 = 35;
    /// Frames that found no free slot of the raw receive ring. Ferrowarp.
    pub const RAW_RX_FULL: u8 = 36;
    /// Frames that do not fit a slot of the raw receive ring. Ferrowarp.
    pub const RAW_RX_BAD: u8 = 37;
    /// Doorbells of the raw receive ring with an impossible index. Ferrowarp.
    pub const DB_RAW_RX_BAD: u8 = 38;
    /// Descriptors of the raw transmit ring that were impossible or unreadable. Ferrowarp.
    pub const RAW_TX_BAD: u8 = 39;
    /// Doorbells of the raw transmit ring with an impossible index. Ferrowarp.
    pub const DB_RAW_TX_BAD: u8 = 40;
    /// Queue pairs that stopped for an error. Ferrowarp.
    pub const QP_STOPPED: u8 = 41;
    /// Errors of queue pairs that had stopped before. Ferrowarp.
    pub const FAULT_LATE: u8 = 42;
    /// Errors of queue pairs that are not there. Ferrowarp.
    pub const FAULT_STRAY: u8 = 43;
    /// TLPs whose header contradicts itself or their length. Ferrowarp.
    pub const TLP_MALFORMED: u8 = 44;
    /// Requests of a kind or for a place that the device does not have. Ferrowarp.
    pub const TLP_UNSUPPORTED: u8 = 45;
    /// Poisoned writes. Ferrowarp.
    pub const TLP_POISONED: u8 = 46;
    /// Requests of a length that the place does not have. Ferrowarp.
    pub const TLP_LENGTH: u8 = 47;
    /// Writes of registers that are not whole dwords. Ferrowarp.
    pub const TLP_PARTIAL: u8 = 48;
    /// Reads and writes of registers that are not there. Ferrowarp.
    pub const REGISTER_UNKNOWN: u8 = 49;
    /// Writes of registers that may only be read. Ferrowarp.
    pub const REGISTER_REFUSED: u8 = 50;
    /// Doorbells that were rung on another page than theirs. Ferrowarp.
    pub const DB_PAGE: u8 = 51;
    /// Uses of the admin window that were not possible. Ferrowarp.
    pub const ADMIN_REFUSED: u8 = 52;
    /// Completions that answer no read. Ferrowarp.
    pub const CPL_UNEXPECTED: u8 = 53;
    /// Completions of reads that were given up before. Ferrowarp.
    pub const CPL_LATE: u8 = 54;
    /// Reads of host memory answered with Unsupported Request. Ferrowarp.
    pub const CPL_UNSUPPORTED: u8 = 55;
    /// Reads of host memory answered with Completer Abort. Ferrowarp.
    pub const CPL_ABORTED: u8 = 56;
    /// Reads of host memory answered with poisoned data. Ferrowarp.
    pub const CPL_POISONED: u8 = 57;
    /// Completions that do not fit their read. Ferrowarp.
    pub const CPL_MALFORMED: u8 = 58;
    /// Reads of host memory without a whole answer in time. Ferrowarp.
    pub const READ_EXPIRED: u8 = 59;
    /// Requests that were dropped because the device is no bus master. Ferrowarp.
    pub const DMA_DROPPED: u8 = 60;
    /// Messages of MSI-X that were sent. Ferrowarp.
    pub const MESSAGES: u8 = 61;
    /// Frames that came, before any is refused. Ferrowarp.
    pub const RX_FRAMES: u8 = 62;
    /// Frames to an address that is not received. Ferrowarp.
    pub const RX_FILTERED: u8 = 63;
    /// Frames that left. Ferrowarp.
    pub const TX_FRAMES: u8 = 64;
    /// Segments that brought octets or FIN of a connection in order. Ferrowarp.
    pub const TCP_IN_SEGMENTS: u8 = 65;
    /// Segments with octets or FIN that were made, those that leave again counted. Ferrowarp.
    pub const TCP_OUT_SEGMENTS: u8 = 66;
    /// Resends: timers that expired, and third duplicate ACKs. Ferrowarp.
    pub const TCP_TIMEOUTS: u8 = 67;
    /// Connections that were lost because nothing was acknowledged. Ferrowarp.
    pub const TCP_LOST: u8 = 68;
    /// Connections that the peer ended by RST or FIN. Ferrowarp.
    pub const TCP_IN_ENDED: u8 = 69;
    /// FPDUs that came, bad ones counted. Ferrowarp.
    pub const RDMA_IN_FPDUS: u8 = 70;
    /// Messages of a peer that gave a completion. Ferrowarp.
    pub const RDMA_IN_COMPLETED: u8 = 71;
    /// Read Requests of a peer that were taken. Ferrowarp.
    pub const RDMA_IN_READS: u8 = 72;
    /// Work requests that gave a completion. Ferrowarp.
    pub const RDMA_OUT_COMPLETED: u8 = 73;
    /// RDMA Reads of our own whose last octet came. Ferrowarp.
    pub const RDMA_OUT_READS: u8 = 74;
    /// Completions written. Ferrowarp.
    pub const CQES: u8 = 75;
    /// TCP segments to a group of stations, and segments of a connection from another VLAN.
    /// Ferrowarp.
    pub const RX_STRANGE: u8 = 76;
    /// Frames, not of ARP, ICMP or TCP, that found half of the store of the slow path used.
    /// Ferrowarp.
    pub const RX_RAW_SPARED: u8 = 77;
    /// Frames, not of ARP, ICMP or TCP, that found half of the raw receive ring used. Ferrowarp.
    pub const RAW_RX_SPARED: u8 = 78;
    /// Times that the Ethernet link went down. Ferrowarp.
    pub const LINK_DOWNS: u8 = 79;
    /// Errors of our requests that the PCI Express block reported to the host. Ferrowarp.
    pub const BUS_ERRORS: u8 = 80;
}

/// Places of a queue pair's counters among its eight behind register `qp_counter`.
pub mod qp_counter {
    /// Segments that left again. Ferrowarp.
    pub const RETRANSMITTED_SEGMENTS: u8 = 0;
    /// Octets of the stream that were read from memory and left again. Ferrowarp.
    pub const REGENERATED_OCTETS: u8 = 1;
    /// Duplicate ACKs that came, as RFC 5681 defines them. Ferrowarp.
    pub const DUPLICATE_ACKS: u8 = 2;
    /// Timers of retransmission that expired: what is not acknowledged leaves again. Ferrowarp.
    pub const TIMEOUTS: u8 = 3;
    /// FPDUs with a bad CRC32c; the first one ends a connection. Ferrowarp.
    pub const CRC_ERRORS: u8 = 4;
    /// Third duplicate ACKs: what is not acknowledged leaves again. Ferrowarp.
    pub const FAST_RETRANSMITS: u8 = 5;
    /// Probes of a lost tail, and of a window that is closed or too small. Ferrowarp.
    pub const PROBES: u8 = 6;
}
