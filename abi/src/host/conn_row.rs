// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row of a connection, as the admin port writes and reads it.
use crate::table::{Field, Kind, Layout};

/// log2 of the octets beyond RCV.NXT that the peer is told before the insert, by a device whose
/// window has `2^window_log2`. The device goes on from there and never takes back what was told. A
/// window of up to 32 KiB, which is what the device's store of frames holds, is told whole. A
/// larger one begins with 16 KiB and grows.
pub const fn first_window_log2(window_log2: u32) -> u32 {
    match window_log2 {
        0..=15 => window_log2,
        _ => 14,
    }
}

/// Connection row.
pub const CONN: Layout = Layout::new(
    "ConnRow",
    "Ferrowarp, RFC 9293 section 3.3.1",
    "A connection as `conn_insert` hands it over; its index is its queue pair's. `conn_update` writes the fields that \
     say so and ignores all others. `read_row` gives `gate_open`, RCV.NXT, SND.UNA, SND.NXT, SND.WND, SND.WL1 and \
     SND.WL2 as they are now, and zero if there is no connection. Timestamps, SACK and ECN have places. \
     Hardware does not keep them yet, so `conn_insert` refuses a row with one of their flags or with a SACK block.",
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
        Field::new("rcv_scale", 436, 4, "Shift of the window that we advertise, 0 to 14. A window beyond 32 KiB begins with 16 KiB."),
        Field::new(
            "retry_limit",
            440,
            8,
            "Waits in a row after which the connection is lost; 0: as many as register `retry_limit` says.",
        ),
        Field::new("mtu", 448, 16, "Largest IP packet in octets."),
        Field::new("emss", 464, 16, "Effective maximum segment size in octets; `conn_update` writes it."),
        Field::new(
            "mulpdu",
            480,
            16,
            "Largest ULPDU in octets, at least 128, its FPDU within EMSS; `conn_update` writes it, and it counts from the \
             next message on.",
        ),
        Field::new("rtt", 496, 16, "Round trip that the handshake has shown, in units of 10 us; 0: not known."),
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
        Field::new(
            "keepalive",
            864,
            16,
            "Units of 163.84 ms without a segment, after which the peer is asked for a sign of life; 0: it is never asked.",
        ),
        Field::reserved("spare_3", 880, 16),
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
