// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control and status registers: BAR0, and what lies in the other BARs.
//!
//! A register is a dword in the order of the host's processor (little endian): bit 0 of a field's
//! `lsb` is bit 0 of the octet at the register's own address. The admin windows hold octets: octet
//! `n` of a frame is at base + `n`.
use crate::table::is_reserved_word;

/// What software may do with a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Read; a write is dropped and counted.
    ReadOnly,
    /// Read and written.
    ReadWrite,
    /// Written; reads 0.
    WriteOnly,
    /// Read; a write of any value clears it.
    WriteClears,
}

impl Reach {
    /// For tables.
    pub const fn name(self) -> &'static str {
        match self {
            Reach::ReadOnly => "read",
            Reach::ReadWrite => "read, write",
            Reach::WriteOnly => "write",
            Reach::WriteClears => "read, write clears",
        }
    }
}

/// Some bits of a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// `snake_case`.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Bits.
    pub width: usize,
    /// One sentence.
    pub doc: &'static str,
}

impl Part {
    /// Its bits in the register.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lsb
    }
}

/// What there is one of a register for, or several.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Each {
    /// The device.
    Device,
    /// Each queue pair that the device has.
    QueuePair,
    /// Each completion queue that the device has.
    CompletionQueue,
}

/// A register, or several of one kind in a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// `snake_case`.
    pub name: &'static str,
    /// Octets from the start of BAR0.
    pub offset: usize,
    /// How many there are, 4 octets each; of what is there for each queue, in a device with
    /// [`MOST_QUEUES`] of them.
    pub count: usize,
    /// What they are there for.
    pub each: Each,
    /// What software may do.
    pub reach: Reach,
    /// Value after reset.
    pub reset: u32,
    /// Its fields; none: one number of 32 bits.
    pub parts: &'static [Part],
    /// One sentence.
    pub doc: &'static str,
}

/// Octets of BAR0.
pub const BAR0_OCTETS: usize = 4096;
/// Queue pairs, and completion queues, that BAR0 has registers for. A device of fewer has the first
/// of each row, and nothing where the others would be.
pub const MOST_QUEUES: usize = 64;

const fn part(name: &'static str, lsb: usize, width: usize, doc: &'static str) -> Part {
    assert!(width >= 1 && lsb + width <= 32, "a field lies outside its register");
    assert!(!is_reserved_word(name), "the name is a word of Rust, Verilog or Rust-HDL");
    Part { name, lsb, width, doc }
}

const fn reg(name: &'static str, offset: usize, reach: Reach, doc: &'static str) -> Register {
    assert!(!is_reserved_word(name), "the name is a word of Rust, Verilog or Rust-HDL");
    Register { name, offset, count: 1, each: Each::Device, reach, reset: 0, parts: &[], doc }
}

impl Register {
    const fn times(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    const fn each(mut self, each: Each, times: usize) -> Self {
        self.each = each;
        self.count = times * MOST_QUEUES;
        self
    }

    const fn reset(mut self, reset: u32) -> Self {
        self.reset = reset;
        self
    }

    const fn parts(mut self, parts: &'static [Part]) -> Self {
        let mut at = 0;
        let mut i = 0;
        while i < parts.len() {
            assert!(parts[i].lsb >= at, "a field overlaps the one before it");
            at = parts[i].lsb + parts[i].width;
            i += 1;
        }
        self.parts = parts;
        self
    }

    /// How many of them a device has that has so many queue pairs and completion queues.
    pub const fn there(&self, queue_pairs: usize, completion_queues: usize) -> usize {
        match self.each {
            Each::Device => self.count,
            Each::QueuePair => self.count / MOST_QUEUES * queue_pairs,
            Each::CompletionQueue => self.count / MOST_QUEUES * completion_queues,
        }
    }

    /// First octet behind it.
    pub const fn end(&self) -> usize {
        self.offset + 4 * self.count
    }
}

use Reach::{ReadOnly, ReadWrite, WriteClears, WriteOnly};

/// Every register of BAR0, ascending; the gaps are reserved: they read 0, writes are dropped, both
/// are counted.
pub const REGISTERS: &[Register] = &[
    reg("magic", 0x000, ReadOnly, "`csr_identity::MAGIC`: this is a Ferrowarp."),
    reg("vendor_device", 0x004, ReadOnly, "As in configuration space.").parts(&[
        part("vendor", 0, 16, "`csr_identity::VENDOR`."),
        part("device", 16, 16, "`csr_identity::DEVICE`."),
    ]),
    reg("version", 0x008, ReadOnly, "Version of this map: a driver refuses another `major`.").parts(&[
        part("minor", 0, 16, "What a driver may do without."),
        part("major", 16, 16, "What it may not."),
    ]),
    reg("status", 0x00c, ReadOnly, "State of the device.").parts(&[
        part("ready", 0, 1, "Tables are empty and commands are taken."),
        part("draining", 1, 1, "A reset waits for what is under way on the bus."),
    ]),
    reg("queues", 0x010, ReadOnly, "How many there are, as log2.").parts(&[
        part("qps_log2", 0, 8, "Queue pairs."),
        part("cqs_log2", 8, 8, "Completion queues."),
        part("mrs_log2", 16, 8, "Memory regions."),
        part("vectors_log2", 24, 8, "Vectors of MSI-X."),
    ]),
    reg("width", 0x014, ReadOnly, "Bits of a beat.").parts(&[
        part("data_bits", 0, 16, "Network side."),
        part("edge_bits", 16, 16, "Host side."),
    ]),
    reg("clock_khz", 0x018, ReadOnly, "Clock in kHz."),
    reg("limits", 0x01c, ReadOnly, "What a connection can have.").parts(&[
        part("mtu", 0, 16, "Largest Ethernet payload in octets."),
        part("window_log2", 16, 8, "log2 of the advertised window in octets."),
        part("counters", 24, 8, "How many of the counters there are."),
    ]),
    reg("ticks_low", 0x020, ReadOnly, "Ticks since power-up: read `ticks_high`, this, and `ticks_high` again."),
    reg("ticks_high", 0x024, ReadOnly, "Its upper half."),
    reg("ack_delay", 0x028, ReadWrite, "Units of 10 us that an ACK may wait, 0 to 32767.").reset(20).parts(&[
        part("units", 0, 16, "Units of 10 us."),
    ]),
    reg(
        "rto_min",
        0x02c,
        ReadWrite,
        "Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least; 0: neither it nor a probe expires.",
    )
    .reset(100)
    .parts(&[part("units", 0, 16, "Units of 10 us.")]),
    reg("retry_limit", 0x030, ReadWrite, "Waits in a row after which a connection is lost, probes of a closed window among them.").reset(15).parts(&[
        part("waits", 0, 8, "Waits."),
    ]),
    reg("read_timeout", 0x034, ReadWrite, "Ticks that a read of host memory may take, 1 to 100; another number is not taken.").reset(50).parts(&[part(
        "ticks",
        0,
        7,
        "Ticks.",
    )]),
    reg("raw_tx_consumer", 0x038, ReadOnly, "Consumer index of the raw transmit ring."),
    reg(
        "restart",
        0x03c,
        WriteOnly,
        "A write of 1 empties the device as a function-level reset does, but keeps registers and interrupts. The \
         4-tuple table then takes the secret anew.",
    )
    .parts(&[part("go", 0, 1, "Restart.")]),
    reg(
        "secret",
        0x040,
        WriteOnly,
        "Random bits for the 4-tuple table, all of them random; written before `restart`, kept over every reset.",
    )
    .times(10),
    reg("recovery", 0x06c, ReadWrite, "What a connection does about loss, beside its timer.").reset(15).parts(&[
        part("congestion", 0, 1, "A congestion window (RFC 5681) bounds what is in flight, beside the peer's window."),
        part("fast", 1, 1, "Three duplicate ACKs make octets leave again (RFC 5681 section 3.2)."),
        part("probe", 2, 1, "A probe finds a lost tail before the timer does (RFC 8985 section 7)."),
        part("restart", 3, 1, "The congestion window is the initial one again behind idle time (RFC 5681 section 4.1)."),
    ]),
    reg("cycles_low", 0x070, ReadOnly, "Cycles of the clock since power-up: read as `ticks_low` is."),
    reg("cycles_high", 0x074, ReadOnly, "Its upper half."),
    reg("error_what", 0x080, WriteClears, "First error at the bus edge since this was cleared; 0: none.").parts(&[
        part("kind", 0, 8, "One of `edge_error`."),
        part("bar", 8, 3, "Of a request: the BARs that it hit, a bit each: 0, 2, 4."),
        part("be", 12, 8, "Of a request: first, then last byte enables."),
        part("dwords", 20, 10, "Of a request: its length; 0 means 1024."),
    ]),
    reg("error_head", 0x084, ReadOnly, "Dword 0 of that request's header."),
    reg("error_address", 0x088, ReadOnly, "Low 32 bits of that request's address."),
    reg("eth_link", 0x08c, ReadOnly, "The Ethernet link, as the MAC tells of it.").parts(&[part("is_up", 0, 1, "The link is up.")]),
    reg("rx_filter", 0x090, ReadWrite, "Frames that are received: those to an address of `rx_mac`, and these.").reset(1).parts(&[
        part("promiscuous", 0, 1, "All of them."),
        part("broadcast", 1, 1, "Those to all stations."),
        part("multicast", 2, 1, "Those to any group but all stations."),
    ]),
    reg("watchdog", 0x094, ReadWrite, "Ticks without a transfer after which a channel has stalled, 0 to 4095; 0: never.")
        .reset(500)
        .parts(&[part("ticks", 0, 12, "Ticks.")]),
    reg("stalled", 0x098, ReadOnly, "Channels that have stalled and not moved since.").parts(&[
        part("admin", 0, 1, "A command of the admin port has no answer."),
        part("receive", 1, 1, "An FPDU that came is not placed or delivered."),
        part("transmit", 2, 1, "An FPDU that is to leave, or its octets, do not come to TCP."),
        part("frame", 3, 1, "The Ethernet port takes no frame."),
    ]),
    reg("pcie_link", 0x09c, ReadOnly, "The PCI Express link. Every reset but power-up keeps this.").parts(&[part(
        "resets",
        0,
        8,
        "Times that the link went down or had a hot reset since power-up; stays at 255.",
    )]),
    reg("rx_mac_low", 0x0a0, ReadWrite, "Octets 0 to 3 of an address that is received; octet 0 is bits 7:0.").times(4),
    reg("rx_mac_high", 0x0b0, ReadWrite, "The rest of the address.").times(4).parts(&[
        part("octets", 0, 16, "Octets 4 and 5; octet 4 is bits 7:0."),
        part("is_valid", 16, 1, "There is such an address."),
    ]),
    reg("admin_go", 0x0c0, WriteOnly, "Gives the command that stands in `admin_command`.").parts(&[part(
        "octets",
        0,
        16,
        "Its length, 1 to 256; refused while `admin_status.busy`.",
    )]),
    reg("admin_status", 0x0c4, ReadOnly, "State of the admin window.").parts(&[
        part("busy", 0, 1, "A command is under way."),
        part("done", 1, 1, "`admin_answer` holds the last command's answer."),
        part("failed", 2, 1, "The answer is longer than its window or was bad: only its beginning is there."),
        part("octets", 16, 16, "Length of the answer."),
    ]),
    reg("cq_vector", 0x100, ReadWrite, "Vector that tells of a completion queue's events, one a completion queue.")
        .each(Each::CompletionQueue, 1)
        .parts(&[part("vector", 0, 4, "Vector.")]),
    reg("counter", 0x200, ReadOnly, "Events since reset, one of `counter` each; stays at 2^32 - 1.").times(128),
    reg("admin_command", 0x400, WriteOnly, "Octets of the next command; refused while `admin_status.busy`.").times(64),
    reg("admin_answer", 0x500, ReadOnly, "Octets of the answer; 0 beyond its length.").times(64),
    reg("moderation", 0x600, ReadWrite, "Ticks between two messages of a vector at least.").times(16).parts(&[
        part("ticks", 0, 8, "Ticks; 0: every one at once."),
    ]),
    reg(
        "qp_counter",
        0x800,
        ReadOnly,
        "Events since reset: eight places for each queue pair, one of `qp_counter` each; stays at 2^32 - 1. A connection goes on \
         where the one before it on its queue pair ended.",
    )
    .each(Each::QueuePair, super::counters::QP_PLACES),
];

/// Refuses registers that overlap, are not aligned or lie outside of BAR0.
const fn check(registers: &[Register]) {
    let mut at = 0;
    let mut i = 0;
    while i < registers.len() {
        let r = &registers[i];
        assert!(r.offset.is_multiple_of(4) && r.offset >= at, "a register overlaps the one before it");
        assert!(r.end() <= BAR0_OCTETS, "a register lies outside of BAR0");
        // a place among them is told by some bits of the address
        assert!(
            matches!(r.each, Each::Device)
                || r.offset.is_multiple_of(4 * r.count) && r.count.is_power_of_two(),
            "what is there for each queue is not aligned to its size"
        );
        at = r.end();
        i += 1;
    }
}
const _: () = check(REGISTERS);

/// The register of this name.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}
