// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an insert gives of a connection to the transmit stage.
use crate::record::Record;
use crate::tcp_wire::Conn;
use ferrowarp_hdl::gen::ConnRow;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// log2 of the window that the bench top advertises (profile tiny).
pub const WINDOW_LOG2: u32 = 15;

/// What a connection begins with, beside its headers.
#[derive(Clone, Debug)]
pub struct Row {
    /// Headers.
    pub conn: Conn,
    /// FPDUs may leave.
    pub gate: bool,
    /// An ACK is due at once.
    pub ack_now: bool,
    /// We insert markers.
    pub markers: bool,
    /// We fill the CRC field.
    pub crc: bool,
    /// Shift of our window.
    pub rcv_scale: u32,
    /// Largest segment in octets.
    pub emss: u16,
    /// RCV.NXT.
    pub rcv_nxt: u32,
    /// SND.UNA.
    pub una: u32,
    /// SND.NXT.
    pub nxt: u32,
    /// SND.WND in octets.
    pub wnd: u32,
    /// SeqStart of our octets.
    pub start: u32,
    /// Round trip of the handshake in units of 10 us.
    pub rtt: u16,
    /// Waits in a row; 0: as the port says.
    pub limit: u8,
    /// A part of the keepalive time, which has 128, in units of 128 ticks; 0: there is none.
    pub keepalive: u16,
}

impl Row {
    /// A connection with random headers and numbers whose window is wide open; its first FPDU is at
    /// stream offset 0.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let (ipv6, vlan, timestamps) = rng.random();
        let nxt = rng.random();
        let rcv_scale = rng.random_range(0..=14);
        let window = (1_u32 << WINDOW_LOG2 >> rcv_scale).min(0xFFFF) as u16;
        Self {
            conn: Conn { window, ..Conn::random(rng, ipv6, vlan, timestamps) },
            gate: true,
            ack_now: false,
            markers: false,
            crc: true,
            rcv_scale,
            emss: 8960,
            rcv_nxt: rng.random(),
            una: nxt,
            nxt,
            wnd: 1 << 30,
            start: nxt,
            rtt: 1,
            limit: 0,
            keepalive: 0,
        }
    }

    /// The record; fields that the transmit side does not read are drawn.
    pub(super) fn record(&self, rng: &mut ChaCha8Rng) -> Record<ConnRow> {
        let c = &self.conn;
        let mac = |octets: [u8; 6]| octets.iter().fold(0, |n, o| n << 8 | u64::from(*o));
        let noise = |rng: &mut ChaCha8Rng, width: usize| rng.random::<u64>() >> (64 - width);
        let record = Record::new()
            .with("destination_mac", mac(c.destination_mac))
            .with("source_mac", mac(c.source_mac))
            .with("vlan_tci", c.vlan.map_or_else(|| noise(rng, 16), u64::from))
            .with("has_vlan", c.vlan.is_some())
            .with("is_ipv6", c.ipv6)
            .with("gate_open", self.gate)
            .with("ack_now", self.ack_now)
            .with("tx_markers", self.markers)
            .with("tx_crc", self.crc)
            .with("timestamps", c.timestamps)
            .with("local_ip", u128::from_be_bytes(c.local_ip))
            .with("remote_ip", u128::from_be_bytes(c.remote_ip))
            .with("local_port", c.local_port)
            .with("remote_port", c.remote_port)
            .with("ttl", c.ttl)
            .with("traffic_class", c.traffic_class)
            .with("rcv_scale", self.rcv_scale)
            .with("retry_limit", self.limit)
            .with("emss", self.emss)
            .with("rtt", self.rtt)
            .with("rcv_nxt", self.rcv_nxt)
            .with("snd_una", self.una)
            .with("snd_nxt", self.nxt)
            .with("snd_wnd", self.wnd)
            .with("tx_seq_start", self.start)
            .with("flow_label", c.flow_label)
            .with("keepalive", self.keepalive);
        let unread =
            [("rx_markers", 1), ("rx_crc", 1), ("sack", 1), ("ecn", 1), ("snd_scale", 4), ("mtu", 16)];
        let numbers = ["rx_seq_start", "snd_wl1", "snd_wl2", "ts_recent", "ts_offset"];
        let unread = unread.into_iter().chain([("mulpdu", 16)]).chain(numbers.map(|name| (name, 32)));
        unread.fold(record, |record, (field, width)| record.with(field, noise(rng, width)))
    }
}
