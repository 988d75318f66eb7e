//! Tables of constants. `cargo xtask gen` writes them as Rust constants into [`crate::consts`] and as functions
//! that make `Const` fields into `hdl/src/gen/consts.rs`.

/// A group of constants: one module in the generated files.
#[derive(Copy, Clone, Debug)]
pub struct Group {
    /// Name of the module.
    pub name: &'static str,
    /// What they are constants of.
    pub doc: &'static str,
    /// The constants.
    pub constants: &'static [Constant],
}

/// One constant.
#[derive(Copy, Clone, Debug)]
pub struct Constant {
    /// `snake_case`; in Rust upper case.
    pub name: &'static str,
    /// Width in bits of the field it is compared with, 1 to 128.
    pub width: usize,
    /// Value.
    pub value: u128,
    /// Written in hexadecimal: a code or a mask, not a quantity.
    pub hex: bool,
    /// Document and section.
    pub source: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// A quantity.
const fn c(
    name: &'static str,
    width: usize,
    value: u128,
    source: &'static str,
    doc: &'static str,
) -> Constant {
    assert!(width >= 1 && width <= 128, "a constant has 1 to 128 bits");
    assert!(width == 128 || value >> width == 0, "the value does not fit the constant's width");
    Constant { name, width, value, hex: false, source, doc }
}

/// A code or a mask.
const fn x(
    name: &'static str,
    width: usize,
    value: u128,
    source: &'static str,
    doc: &'static str,
) -> Constant {
    Constant { hex: true, ..c(name, width, value, source, doc) }
}

/// Every group that is not derived from the tables of opcodes and errors.
pub const GROUPS: &[Group] = &[
    ETHER_TYPE,
    IP_PROTOCOL,
    TCP_FLAG,
    TCP_OPTION,
    TCP_LIMIT,
    MPA,
    CRC32C,
    DDP,
    RDMAP,
    WC_STATUS,
    EVENT_KIND,
    WORK_OPCODE,
    DOORBELL_KIND,
    QP_STATE,
    RAW_REASON,
    ADMIN_OPCODE,
    ADMIN_ROW,
    ADMIN_STATUS,
];

const ETHER_TYPE: Group = Group {
    name: "ether_type",
    doc: "EtherTypes.",
    constants: &[
        x("ipv4", 16, 0x0800, "RFC 894", "IPv4."),
        x("arp", 16, 0x0806, "RFC 826", "ARP."),
        x("vlan", 16, 0x8100, "IEEE 802.1Q section 9.5", "A VLAN tag follows."),
        x("ipv6", 16, 0x86DD, "RFC 2464 section 3", "IPv6."),
    ],
};

const IP_PROTOCOL: Group = Group {
    name: "ip_protocol",
    doc: "Protocol numbers of IP.",
    constants: &[
        c("icmp", 8, 1, "RFC 792", "ICMP."),
        c("tcp", 8, 6, "RFC 9293 section 3.1", "TCP."),
        c("icmpv6", 8, 58, "RFC 4443 section 1", "ICMPv6."),
    ],
};

const TCP_FLAG: Group = Group {
    name: "tcp_flag",
    doc: "TCP's flags as masks of octet 13 of its header.",
    constants: &[
        x("fin", 8, 0x01, "RFC 9293 section 3.1", "No more data from the sender."),
        x("syn", 8, 0x02, "RFC 9293 section 3.1", "Synchronise sequence numbers."),
        x("rst", 8, 0x04, "RFC 9293 section 3.1", "Reset the connection."),
        x("psh", 8, 0x08, "RFC 9293 section 3.1", "Push."),
        x("ack", 8, 0x10, "RFC 9293 section 3.1", "The acknowledgment number counts."),
        x("urg", 8, 0x20, "RFC 9293 section 3.1", "The urgent pointer counts."),
        x("ece", 8, 0x40, "RFC 3168 section 6.1", "ECN echo."),
        x("cwr", 8, 0x80, "RFC 3168 section 6.1", "Congestion window reduced."),
    ],
};

const TCP_OPTION: Group = Group {
    name: "tcp_option",
    doc: "Kinds of TCP options.",
    constants: &[
        c("end_of_list", 8, 0, "RFC 9293 section 3.2", "One octet; nothing follows."),
        c("no_operation", 8, 1, "RFC 9293 section 3.2", "One octet of filling."),
        c("mss", 8, 2, "RFC 9293 section 3.2", "Maximum segment size."),
        c("window_scale", 8, 3, "RFC 7323 section 2.2", "Window scale."),
        c("sack_permitted", 8, 4, "RFC 2018 section 2", "The sender takes SACK options."),
        c("sack", 8, 5, "RFC 2018 section 3", "Blocks received beyond a gap."),
        c("timestamps", 8, 8, "RFC 7323 section 3.2", "Timestamps."),
    ],
};

const TCP_LIMIT: Group = Group {
    name: "tcp_limit",
    doc: "Numbers that TCP fixes.",
    constants: &[
        c("window_shift_max", 8, 14, "RFC 7323 section 2.3", "Largest window scale that counts."),
        c("mss_default_ipv4", 16, 536, "RFC 9293 section 3.7.1", "MSS over IPv4 without the option."),
        c("mss_default_ipv6", 16, 1220, "RFC 9293 section 3.7.1", "MSS over IPv6 without the option."),
    ],
};

const MPA: Group = Group {
    name: "mpa",
    doc: "MPA.",
    constants: &[
        x(
            "key_request",
            128,
            u128::from_be_bytes(*b"MPA ID Req Frame"),
            "RFC 5044 section 7.1.1",
            "Key of a Request frame: the octets `MPA ID Req Frame`.",
        ),
        x(
            "key_reply",
            128,
            u128::from_be_bytes(*b"MPA ID Rep Frame"),
            "RFC 5044 section 7.1.1",
            "Key of a Reply frame: the octets `MPA ID Rep Frame`.",
        ),
        c("revision", 8, 1, "RFC 5044 section 7.1.1", "Revision of a plain startup frame."),
        c("revision_enhanced", 8, 2, "RFC 6581 section 6", "Lowest revision of the enhanced setup."),
        c("private_data_max", 16, 512, "RFC 5044 section 7.1.1", "Most octets of private data."),
        c(
            "private_data_max_enhanced",
            16,
            508,
            "RFC 6581 section 9",
            "Most octets of private data after the enhanced words.",
        ),
        x("depth_max", 14, 0x3FFE, "RFC 6581 section 9.1", "Largest Read depth that can be negotiated."),
        x(
            "depth_not_negotiated",
            14,
            0x3FFF,
            "RFC 6581 section 9.1",
            "In place of a Read depth: leave yours as it is.",
        ),
        c("marker_interval", 16, 512, "RFC 5044 section 4.3", "Octets from marker to marker, one included."),
        x("fpdu_pointer_mask", 16, 0xFFFC, "RFC 5044 section 4.2", "Bits of a marker's pointer that count."),
        c("crc_octets", 16, 4, "RFC 5044 section 4.1", "Octets of the CRC at the end of every FPDU."),
        c("mulpdu_min", 16, 128, "RFC 5044 section 4.5", "Least MULPDU, whatever the EMSS."),
        c("mulpdu_max", 16, 64768, "RFC 5044 section 4.5", "Greatest MULPDU, whatever the EMSS."),
    ],
};

const CRC32C: Group = Group {
    name: "crc32c",
    doc: "CRC32c as MPA uses it: octets enter least significant bit first; the value is sent least significant \
          octet first.",
    constants: &[
        x("polynomial", 32, 0x1EDC_6F41, "RFC 3385, RFC 5044 section 4.4", "Most significant bit first."),
        x("polynomial_reflected", 32, 0x82F6_3B78, "RFC 5044 section 4.4", "Least significant bit first."),
        x("init", 32, 0xFFFF_FFFF, "RFC 5044 section 4.4", "Register before the first octet."),
        x("xor_out", 32, 0xFFFF_FFFF, "RFC 5044 section 4.4", "The value is the register xor this."),
        x(
            "residue",
            32,
            0xB798_B438,
            "RFC 5044 section 4.4",
            "Register, before `xor_out`, after data and their right CRC.",
        ),
    ],
};

const DDP: Group = Group {
    name: "ddp",
    doc: "DDP.",
    constants: &[
        c("version", 2, 1, "RFC 5041 section 4.1", "DV of every segment."),
        c("msn_first", 32, 1, "RFC 5041 section 4.3", "MSN of the first message of a queue."),
    ],
};

const RDMAP: Group = Group {
    name: "rdmap",
    doc: "RDMAP.",
    constants: &[
        c("version", 2, 1, "RFC 5040 section 4.1", "RV of every message of this RFC."),
        c("version_rdmac", 2, 0, "RFC 5040 section 4.1", "RV of a peer of the RDMA Consortium."),
        c("queue_send", 32, 0, "RFC 5040 section 4.1", "Untagged queue of the four Sends."),
        c("queue_read_request", 32, 1, "RFC 5040 section 4.1", "Untagged queue of Read Requests."),
        c("queue_terminate", 32, 2, "RFC 5040 section 4.1", "Untagged queue of the Terminate."),
    ],
};

const WC_STATUS: Group = Group {
    name: "wc_status",
    doc: "How a work request ended; each has the meaning that rdma-core gives it.",
    constants: &[
        c("success", 8, 0, "Ferrowarp", "Done."),
        c("loc_len_err", 8, 1, "Ferrowarp", "A message is longer than the receive."),
        c("loc_qp_op_err", 8, 2, "Ferrowarp", "The work request is not possible."),
        c("loc_prot_err", 8, 3, "Ferrowarp", "An SGE lies outside the regions of its protection domain."),
        c("wr_flush_err", 8, 4, "Ferrowarp", "The queue pair was in error before it was begun."),
        c("loc_access_err", 8, 5, "Ferrowarp", "A region does not allow what the peer asked of it."),
        c("rem_access_err", 8, 6, "Ferrowarp", "The peer refused access."),
        c("rem_op_err", 8, 7, "Ferrowarp", "The peer could not do it."),
        c("retry_exc_err", 8, 8, "Ferrowarp", "The peer did not answer."),
        c("fatal_err", 8, 9, "Ferrowarp", "The queue pair stopped for a fault of the stream."),
        c("general_err", 8, 10, "Ferrowarp", "None of the others."),
    ],
};

const EVENT_KIND: Group = Group {
    name: "event_kind",
    doc: "What an event says.",
    constants: &[
        c("cq_notify", 8, 1, "Ferrowarp", "An armed completion queue has a new entry."),
        c("qp_fatal", 8, 2, "Ferrowarp", "A queue pair stopped for a fault of the stream."),
        c("qp_request_error", 8, 3, "Ferrowarp", "A queue pair stopped for one of its own work requests."),
        c(
            "qp_access_error",
            8,
            4,
            "Ferrowarp",
            "A queue pair stopped because its peer asked for what it may not.",
        ),
        c("cq_overrun", 8, 5, "Ferrowarp", "A completion queue had no room; its queue pairs stop."),
        c("first_fpdu", 8, 6, "Ferrowarp", "The first good FPDU of a connection came."),
        c("peer_fin", 8, 7, "Ferrowarp", "The peer closed its side in order."),
        c("peer_reset", 8, 8, "Ferrowarp", "A valid reset came."),
        c(
            "peer_terminate",
            8,
            9,
            "Ferrowarp",
            "A Terminate came; `info` is its control field, layer in the four highest bits.",
        ),
        c("connection_lost", 8, 10, "Ferrowarp", "The peer acknowledged nothing for the whole retry limit."),
    ],
};

const WORK_OPCODE: Group = Group {
    name: "work_opcode",
    doc: "Opcodes of a send work request that are no RDMAP message; beyond the four bits of RDMAP's.",
    constants: &[
        c("raw", 8, 16, "Ferrowarp", "Octets for the stream as they are, in one segment: MPA's Reply."),
        c("fin", 8, 17, "Ferrowarp", "The end of our side of the stream. No payload."),
    ],
};

const DOORBELL_KIND: Group = Group {
    name: "doorbell_kind",
    doc: "What a doorbell tells.",
    constants: &[
        c("sq", 8, 0, "Ferrowarp", "Producer index of a send queue."),
        c("rq", 8, 1, "Ferrowarp", "Producer index of a receive queue."),
        c("cq_consumer", 8, 2, "Ferrowarp", "Consumer index of a completion queue."),
        c(
            "cq_arm",
            8,
            3,
            "Ferrowarp",
            "Make an event for the next completion; the value is the consumer index.",
        ),
        c("event_consumer", 8, 4, "Ferrowarp", "Consumer index of the event ring."),
        c("raw_rx_consumer", 8, 5, "Ferrowarp", "Consumer index of the raw receive ring."),
        c("raw_tx_producer", 8, 6, "Ferrowarp", "Producer index of the raw transmit ring."),
    ],
};

const QP_STATE: Group = Group {
    name: "qp_state",
    doc: "State of a queue pair.",
    constants: &[
        c("reset", 8, 0, "Ferrowarp", "Does nothing."),
        c("ready", 8, 1, "Ferrowarp", "Works."),
        c("error", 8, 2, "Ferrowarp", "Stopped."),
    ],
};

const RAW_REASON: Group = Group {
    name: "raw_reason",
    doc: "Why a frame came to the raw receive ring.",
    constants: &[
        c("not_ip", 8, 1, "Ferrowarp", "Neither IPv4 nor IPv6: ARP and others."),
        c("not_tcp", 8, 2, "Ferrowarp", "IP, but not TCP."),
        c("fragment", 8, 3, "Ferrowarp", "A fragment of an IP packet."),
        c("ip_extension", 8, 4, "Ferrowarp", "IPv6 with extension headers."),
        c("no_connection", 8, 5, "Ferrowarp", "TCP of no connection in the table."),
        c("connection", 8, 6, "Ferrowarp", "SYN, FIN or RST of a connection in the table."),
    ],
};

const ADMIN_OPCODE: Group = Group {
    name: "admin_opcode",
    doc: "Commands of the admin port.",
    constants: &[
        c("nothing", 8, 0, "Ferrowarp", "Answered, does nothing."),
        c("conn_insert", 8, 1, "Ferrowarp", "Writes a connection row and makes it visible."),
        c("conn_remove", 8, 2, "Ferrowarp", "Takes a connection out."),
        c("conn_ack", 8, 3, "Ferrowarp", "An acknowledgement that firmware saw during hand-over."),
        c(
            "conn_update",
            8,
            4,
            "Ferrowarp",
            "Writes the fields of a connection row that may change while it lives.",
        ),
        c("mr_write", 8, 5, "Ferrowarp", "Writes a memory region row."),
        c("mr_revoke", 8, 6, "Ferrowarp", "Makes a memory region invalid."),
        c("qp_write", 8, 7, "Ferrowarp", "Writes a queue pair row."),
        c("cq_write", 8, 8, "Ferrowarp", "Writes a completion queue row."),
        c("read_row", 8, 9, "Ferrowarp", "Reads a row."),
        c("event_ring", 8, 10, "Ferrowarp", "Places the event ring."),
        c("raw_rx_ring", 8, 11, "Ferrowarp", "Places the raw receive ring."),
        c("raw_tx_ring", 8, 12, "Ferrowarp", "Places the raw transmit ring."),
        c(
            "conn_control",
            8,
            13,
            "Ferrowarp",
            "Sends the slot that follows (a `SendWqe` with inline octets: Terminate or FIN), also for a queue pair in error.",
        ),
        c("conn_reset", 8, 14, "Ferrowarp", "Sends a RST and nothing more of the connection."),
    ],
};

const ADMIN_ROW: Group = Group {
    name: "admin_row",
    doc: "What `read_row` reads.",
    constants: &[
        c("conn", 8, 0, "Ferrowarp", "Connection row."),
        c("qp", 8, 1, "Ferrowarp", "Queue pair row."),
        c("cq", 8, 2, "Ferrowarp", "Completion queue row."),
        c("mr", 8, 3, "Ferrowarp", "Memory region row."),
        c("captured", 8, 4, "Ferrowarp", "First error of a queue pair."),
    ],
};

const ADMIN_STATUS: Group = Group {
    name: "admin_status",
    doc: "How a command ended.",
    constants: &[
        c("done", 8, 0, "Ferrowarp", "Done."),
        c("bad_opcode", 8, 1, "Ferrowarp", "No such command."),
        c("bad_index", 8, 2, "Ferrowarp", "No such row."),
        c("bad_row", 8, 3, "Ferrowarp", "A field of the row is impossible, or the row is too short."),
        c("present", 8, 4, "Ferrowarp", "The 4-tuple is in the table already."),
        c("full", 8, 5, "Ferrowarp", "No place in the table for the 4-tuple."),
        c("absent", 8, 6, "Ferrowarp", "The row is not in use."),
        c("bad_mulpdu", 8, 7, "Ferrowarp", "MULPDU is below 128, or its FPDU does not fit into EMSS."),
        c("bad_cq", 8, 8, "Ferrowarp", "A completion queue of the row is not there, or has overrun."),
    ],
};
