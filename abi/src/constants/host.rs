// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of the host interface.
use super::{c, x, Group};

/// Its groups.
pub const GROUPS: &[Group] = &[
    WC_STATUS,
    EVENT_KIND,
    STALL,
    WORK_OPCODE,
    DOORBELL_KIND,
    QP_STATE,
    READ_LIMIT,
    RAW_REASON,
    ADMIN_OPCODE,
    ADMIN_ROW,
    ADMIN_STATUS,
    CARRIER,
    CARRIER_KIND,
    CARRIER_RECORD,
];

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
        c("fin_acked", 8, 11, "Ferrowarp", "The peer acknowledged the end of our side of the stream."),
        c("link_down", 8, 12, "Ferrowarp", "The Ethernet link went down; `number` is 0."),
        c("link_up", 8, 13, "Ferrowarp", "The Ethernet link came up; `number` is 0."),
        c(
            "stalled",
            8,
            14,
            "Ferrowarp",
            "Nothing moved for the ticks of `watchdog`; `info` is one of `stall`, `number` the queue pair of `receive` and `transmit`.",
        ),
        c("bus_error", 8, 15, "Ferrowarp", "The PCI Express block has reported an error of our requests to the host."),
        c(
            "octets_after_fin",
            8,
            16,
            "Ferrowarp",
            "The peer sent octets behind its FIN; they are dropped. Once a connection.",
        ),
        c("raw_rx", 8, 17, "Ferrowarp", "A frame stands in the raw receive ring, which was armed; `number` is 0."),
    ],
};

const STALL: Group = Group {
    name: "stall",
    doc:
        "What has stalled, for `info` of the event `stalled`; its bit in the register `stalled` is one less.",
    constants: &[
        c("admin", 8, 1, "Ferrowarp", "A command of the admin port has no answer."),
        c("receive", 8, 2, "Ferrowarp", "An FPDU that came is not placed or delivered."),
        c("transmit", 8, 3, "Ferrowarp", "An FPDU that is to leave, or its octets, do not come to TCP."),
        c("frame", 8, 4, "Ferrowarp", "The Ethernet port takes no frame."),
    ],
};

const WORK_OPCODE: Group = Group {
    name: "work_opcode",
    doc: "Opcodes of a send work request that are no RDMAP message; beyond the four bits of RDMAP's.",
    constants: &[
        c("raw", 8, 16, "Ferrowarp", "Octets for the stream as they are, in one segment: MPA's Reply."),
        c("fin", 8, 17, "Ferrowarp", "The end of our side of the stream. No payload."),
        c(
            "invalidate",
            8,
            18,
            "Ferrowarp",
            "Place of: a region of ours, `local_stag`, ends. Refused: not built.",
        ),
        c(
            "bind",
            8,
            19,
            "Ferrowarp",
            "Place of: a memory window gets the key `local_stag`. Refused: not built.",
        ),
        c(
            "register",
            8,
            20,
            "Ferrowarp",
            "Place of: the first SGE names a page list for the region `local_stag`. Refused: not built.",
        ),
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
            "Make an event for the oldest completion that was neither taken nor told of; the value is the consumer index.",
        ),
        c("event_consumer", 8, 4, "Ferrowarp", "Consumer index of the event ring."),
        c("raw_rx_consumer", 8, 5, "Ferrowarp", "Consumer index of the raw receive ring."),
        c("raw_tx_producer", 8, 6, "Ferrowarp", "Producer index of the raw transmit ring."),
        c(
            "raw_rx_arm",
            8,
            7,
            "Ferrowarp",
            "Make one event `raw_rx` when the producer index of the raw receive ring differs from the value.",
        ),
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

const READ_LIMIT: Group = Group {
    name: "read_limit",
    doc: "Read depths that hardware can hold; `qp_write` refuses more.",
    constants: &[
        c("ird", 8, 8, "Ferrowarp", "Read Requests of a peer that a queue pair answers at once."),
        c("ord", 8, 16, "Ferrowarp", "Read Requests of ours that a queue pair has under way at once."),
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
        c("conn_ack", 8, 3, "Ferrowarp", "The newest acknowledgement and window that firmware saw during hand-over."),
        c(
            "conn_update",
            8,
            4,
            "Ferrowarp",
            "Writes the fields of a connection row that may change while it lives.",
        ),
        c("mr_write", 8, 5, "Ferrowarp", "Writes a memory region row."),
        c("mr_revoke", 8, 6, "Ferrowarp", "Makes a memory region invalid; answered when the device reaches its memory no more."),
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
        c(
            "raw_tx",
            8,
            5,
            "Ferrowarp",
            "Consumer index of the raw transmit ring: the answer's `value`, no row follows.",
        ),
        c("path", 8, 6, "Ferrowarp", "What transmit knows of a connection's path."),
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

const CARRIER: Group = Group {
    name: "carrier_frame",
    doc: "Of every frame of the carrier.",
    constants: &[
        x("ether_type", 16, 0x88B5, "IEEE 802 section 9.2.4", "EtherType for local experiments."),
        c("version", 4, 1, "Ferrowarp", "Version of the layout."),
    ],
};

const CARRIER_KIND: Group = Group {
    name: "carrier_kind",
    doc: "What a frame of the carrier is.",
    constants: &[
        c(
            "hello",
            8,
            1,
            "Ferrowarp",
            "Begins an epoch (host), or answers that the device is ready (device).",
        ),
        c("data", 8, 2, "Ferrowarp", "Records."),
        c("ack", 8, 3, "Ferrowarp", "Acknowledges; nothing else."),
    ],
};

const CARRIER_RECORD: Group = Group {
    name: "carrier_record",
    doc: "What a record is.",
    constants: &[
        c("tlp", 8, 1, "Ferrowarp", "A TLP."),
        c("config", 8, 2, "Ferrowarp", "Configuration of the function (host)."),
        c("reset", 8, 3, "Ferrowarp", "Function Level Reset (host)."),
        c("reset_done", 8, 4, "Ferrowarp", "The Function Level Reset has ended (device)."),
    ],
};
