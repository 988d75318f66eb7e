//! Rows: what the admin port writes of a connection, queue pair, completion queue and memory region.
use crate::table::{Field, Kind, Layout};

/// Connection row.
pub const CONN: Layout = Layout::new(
    "ConnRow",
    "Ferrowarp, RFC 9293 section 3.3.1",
    "A connection as `conn_insert` hands it over; its index is its queue pair's. `conn_update` writes the fields that \
     say so and ignores all others. `read_row` gives `gate_open`, RCV.NXT, SND.UNA, SND.NXT, SND.WND, SND.WL1 and \
     SND.WL2 as they are now, and zero if there is no connection. Timestamps, SACK and ECN have their places; until \
     hardware keeps them `conn_insert` refuses a row in which one of their flags or a block is not zero.",
    144,
    &[
        Field::new("destination_mac", 0, 48, "Next hop; `conn_update` writes it.").kind(Kind::Mac),
        Field::new("source_mac", 48, 48, "Ours; `conn_update` writes it.").kind(Kind::Mac),
        Field::new("vlan_tci", 96, 16, "Tag control information, with `has_vlan`; `conn_update` writes it."),
        Field::new("has_vlan", 112, 1, "Frames carry an 802.1Q tag; `conn_update` writes it."),
        Field::new("is_ipv6", 113, 1, "IPv6, else IPv4."),
        Field::new(
            "gate_open",
            114,
            1,
            "FPDUs may leave; else they wait for the first good one received. `conn_update` opens it, and never closes it.",
        ),
        Field::new("ack_now", 115, 1, "An ACK is due at once."),
        Field::new("tx_markers", 116, 1, "We insert markers."),
        Field::new("rx_markers", 117, 1, "The peer inserts markers."),
        Field::new("tx_crc", 118, 1, "We send CRCs."),
        Field::new("rx_crc", 119, 1, "We check CRCs."),
        Field::new("timestamps", 120, 1, "RFC 7323 timestamps are in use."),
        Field::new("sack", 121, 1, "RFC 2018 selective acknowledgements are in use."),
        Field::new("ecn", 122, 1, "RFC 3168 congestion notification is in use."),
        Field::reserved("flags", 123, 5),
        Field::new("local_ip", 128, 128, "Ours; IPv4 in the last 32 bits, the rest zero."),
        Field::new("remote_ip", 256, 128, "The peer's, in the same form."),
        Field::new("local_port", 384, 16, "Ours."),
        Field::new("remote_port", 400, 16, "The peer's."),
        Field::new("ttl", 416, 8, "TTL or hop limit of what we send; `conn_update` writes it.").reset(64),
        Field::new("traffic_class", 424, 8, "DSCP and ECN bits of what we send; `conn_update` writes it."),
        Field::new("snd_scale", 432, 4, "Shift of the windows that the peer advertises, 0 to 14."),
        Field::new("rcv_scale", 436, 4, "Shift of the window that we advertise, 0 to 14."),
        Field::reserved("spare", 440, 8),
        Field::new("mtu", 448, 16, "Largest IP packet in octets."),
        Field::new("emss", 464, 16, "Effective maximum segment size in octets; `conn_update` writes it."),
        Field::new(
            "mulpdu",
            480,
            16,
            "Largest ULPDU in octets, at least 128, its FPDU within EMSS; `conn_update` writes it, and it counts from the \
             next message on.",
        ),
        Field::reserved("spare_1", 496, 16),
        Field::new("rcv_nxt", 512, 32, "RCV.NXT, and RCV.ACK too.").kind(Kind::SeqNum),
        Field::new("snd_una", 544, 32, "SND.UNA: stream offset 0 of the transmit side.").kind(Kind::SeqNum),
        Field::new("snd_nxt", 576, 32, "SND.NXT.").kind(Kind::SeqNum),
        Field::new("snd_wnd", 608, 32, "SND.WND in octets.").kind(Kind::ByteCount),
        Field::new("rx_seq_start", 640, 32, "SeqStart of the peer's octets.").kind(Kind::SeqNum),
        Field::new("tx_seq_start", 672, 32, "SeqStart of our octets.").kind(Kind::SeqNum),
        Field::new("snd_wl1", 704, 32, "SND.WL1.").kind(Kind::SeqNum),
        Field::new("snd_wl2", 736, 32, "SND.WL2.").kind(Kind::SeqNum),
        Field::new("ts_recent", 768, 32, "TS.Recent."),
        Field::new("ts_offset", 800, 32, "What is added to the clock in our timestamps."),
        Field::new("flow_label", 832, 20, "IPv6 flow label of what we send; `conn_update` writes it."),
        Field::reserved("spare_2", 852, 12),
        Field::reserved("spare_3", 864, 32),
        Field::new("sack_left_0", 896, 32, "Block 0 of what came beyond a gap: its first octet.").kind(Kind::SeqNum),
        Field::new("sack_right_0", 928, 32, "Its end.").kind(Kind::SeqNum),
        Field::new("sack_left_1", 960, 32, "Block 1 of what came beyond a gap: its first octet.").kind(Kind::SeqNum),
        Field::new("sack_right_1", 992, 32, "Its end.").kind(Kind::SeqNum),
        Field::new("sack_left_2", 1024, 32, "Block 2 of what came beyond a gap: its first octet.").kind(Kind::SeqNum),
        Field::new("sack_right_2", 1056, 32, "Its end.").kind(Kind::SeqNum),
        Field::new("sack_left_3", 1088, 32, "Block 3 of what came beyond a gap: its first octet.").kind(Kind::SeqNum),
        Field::new("sack_right_3", 1120, 32, "Its end.").kind(Kind::SeqNum),
    ],
);

/// Queue pair row.
pub const QP: Layout = Layout::new(
    "QpRow",
    "Ferrowarp",
    "A queue pair. Writing it empties its queues: producer and consumer indices become 0. `read_row` gives state \
     error after a fault.",
    32,
    &[
        Field::new("state", 0, 8, "One of `qp_state`."),
        Field::new("use_srq", 8, 1, "Receives come from `srq`."),
        Field::reserved("flags", 9, 7),
        Field::new("pd", 16, 16, "Protection domain."),
        Field::new("send_cq", 32, 16, "Completion queue of sends, written before unless the state is *reset*."),
        Field::new("recv_cq", 48, 16, "Completion queue of receives, written before unless the state is *reset*."),
        Field::new("srq", 64, 16, "Shared receive queue, with `use_srq`."),
        Field::reserved("spare", 80, 16),
        Field::new("sq_base", 96, 64, "First octet of slot 0 of the send queue."),
        Field::new("rq_base", 160, 64, "First octet of slot 0 of the receive queue."),
        Field::new("sq_log2", 224, 8, "log2 of the send queue's slots, 0 to 15."),
        Field::new("rq_log2", 232, 8, "log2 of the receive queue's slots, 0 to 15."),
        Field::new("ird", 240, 8, "Read Requests of the peer under way at once."),
        Field::new("ord", 248, 8, "Our Read Requests under way at once."),
    ],
);

/// Completion queue row.
pub const CQ: Layout = Layout::new(
    "CqRow",
    "Ferrowarp",
    "A completion queue. Writing it empties it: both indices become 0, it is not armed. `read_row` gives it as not \
     valid after an overrun.",
    16,
    &[
        Field::new("base", 0, 64, "First octet of slot 0."),
        Field::new("log2", 64, 8, "log2 of its slots, 0 to 16."),
        Field::new("is_valid", 72, 1, "The queue exists."),
        Field::reserved("spare", 73, 55),
    ],
);

/// Memory region row.
pub const MR: Layout = Layout::new(
    "MrRow",
    "Ferrowarp, RFC 5040 section 2.1, design decision D5",
    "A memory region: one range of addresses. Its STag is `index << 8 | key`; index 0 is never valid.",
    32,
    &[
        Field::new("base", 0, 64, "IOVA of its first octet."),
        Field::new("length", 64, 64, "Octets, 0 or more."),
        Field::new("to_base", 128, 64, "Tagged offset of its first octet.").kind(Kind::TaggedOffset),
        Field::new("pd", 192, 16, "Protection domain."),
        Field::new("local_write", 208, 1, "Receives and Read Responses may write it."),
        Field::new("remote_read", 209, 1, "The peer may read it."),
        Field::new("remote_write", 210, 1, "The peer may write it."),
        Field::new(
            "bound_to_qp",
            211,
            1,
            "Only the stream of `qp` may name it, whatever the protection domain.",
        ),
        Field::new("is_valid", 212, 1, "The region exists."),
        Field::reserved("flags", 213, 3),
        Field::new("key", 216, 8, "Low 8 bits of its STag."),
        Field::new("qp", 224, 16, "With `bound_to_qp`."),
        Field::reserved("spare", 240, 16),
    ],
);
