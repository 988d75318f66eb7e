// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an insert gives of a connection to the transmit stage.
use crate::record::pack;
use crate::tcp_wire::Conn;
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
    pub(super) fn octets(&self, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let c = &self.conn;
        let number = |octets: &[u8]| octets.iter().fold(0, |n, o| n << 8 | u64::from(*o));
        let flag = |b: bool| (u64::from(b), 1);
        let mut noise = |width: usize| (rng.random::<u64>() >> (64 - width), width);
        pack(&[
            (number(&c.destination_mac), 48),
            (number(&c.source_mac), 48),
            c.vlan.map_or_else(|| noise(16), |tci| (tci.into(), 16)),
            flag(c.vlan.is_some()),
            flag(c.ipv6),
            flag(self.gate),
            flag(self.ack_now),
            flag(self.markers),
            noise(1),
            flag(self.crc),
            noise(1),
            flag(c.timestamps),
            noise(1),
            noise(1),
            (number(&c.local_ip[8..]), 64),
            (number(&c.local_ip[..8]), 64),
            (number(&c.remote_ip[8..]), 64),
            (number(&c.remote_ip[..8]), 64),
            (c.local_port.into(), 16),
            (c.remote_port.into(), 16),
            (c.ttl.into(), 8),
            (c.traffic_class.into(), 8),
            noise(4),
            (self.rcv_scale.into(), 4),
            (self.limit.into(), 8),
            noise(16),
            (self.emss.into(), 16),
            noise(16),
            (self.rtt.into(), 16),
            (self.rcv_nxt.into(), 32),
            (self.una.into(), 32),
            (self.nxt.into(), 32),
            (self.wnd.into(), 32),
            noise(32),
            (self.start.into(), 32),
            noise(32),
            noise(32),
            noise(32),
            noise(32),
            (c.flow_label.into(), 20),
            (self.keepalive.into(), 16),
        ])
    }
}
