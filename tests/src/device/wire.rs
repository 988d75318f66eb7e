// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection between two devices: its row at each end.
use super::config;
use super::nic::Nic;
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::host::conn_row::first_window_log2;
use ferrowarp_abi::types::{ByteCount, MacAddr, SeqNum};
use ferrowarp_hdl::config::Config;
use ferrowarp_sim::pcap::{Endpoint, Established};
use ferrowarp_sim::Bench;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// One end.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Ethernet address.
    pub mac: [u8; 6],
    /// IP address.
    pub ip: IpAddr,
    /// TCP port.
    pub port: u16,
    /// Sequence number of its first octet of full operation.
    pub seq_start: u32,
    /// It wants markers in what it receives.
    pub wants_markers: bool,
}

/// A connection.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// Both ends.
    pub ends: [End; 2],
    /// 802.1Q tag control information.
    pub vlan: Option<u16>,
    /// FPDUs have CRCs.
    pub crc: bool,
    /// Largest IP packet in octets.
    pub mtu: u16,
    /// log2 of the window that both advertise.
    pub window_log2: u32,
}

/// Shift of the windows that are advertised here.
const SCALE: u8 = 7;

impl Wire {
    /// A connection as figures use it: IPv4, CRCs, neither VLAN nor markers. It is not the same as
    /// another one if the ports `20_000 + run` differ.
    pub fn plain(run: u16, mtu: u16, window_log2: u32) -> Self {
        let end = |n: u8| End {
            mac: [2, 0, 0, 0, 0, n],
            ip: IpAddr::from([10, 0, 0, n]),
            port: 20_000 + run,
            seq_start: 0xC0FF_EE00 + u32::from(n),
            wants_markers: false,
        };
        Self { ends: [end(1), end(2)], vlan: None, crc: true, mtu, window_log2 }
    }

    /// Effective maximum segment size without options.
    pub fn emss(&self) -> u16 {
        let ip = if self.ends[0].ip.is_ipv6() { 40 } else { 20 };
        self.mtu - ip - 20
    }

    /// MULPDU of what the end `from` sends (RFC 5044 section 4.5).
    pub fn mulpdu(&self, from: usize) -> u16 {
        let emss = self.emss();
        let markers = if self.ends[1 - from].wants_markers { 4 * emss.div_ceil(512) } else { 0 };
        emss - 6 - markers - emss % 4
    }

    /// The row at end `at`.
    pub fn row(&self, at: usize) -> ConnRow {
        let (us, peer) = (self.ends[at], self.ends[1 - at]);
        let number = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => u128::from(u32::from(ip)),
            IpAddr::V6(ip) => u128::from(ip),
        };
        ConnRow {
            destination_mac: MacAddr(peer.mac),
            source_mac: MacAddr(us.mac),
            vlan_tci: self.vlan.unwrap_or(0),
            has_vlan: self.vlan.is_some(),
            is_ipv6: us.ip.is_ipv6(),
            gate_open: true,
            tx_markers: peer.wants_markers,
            rx_markers: us.wants_markers,
            tx_crc: self.crc,
            rx_crc: self.crc,
            local_ip: number(us.ip),
            remote_ip: number(peer.ip),
            local_port: us.port,
            remote_port: peer.port,
            snd_scale: SCALE,
            rcv_scale: SCALE,
            mtu: self.mtu,
            emss: self.emss(),
            mulpdu: self.mulpdu(at),
            rcv_nxt: SeqNum(peer.seq_start),
            snd_una: SeqNum(us.seq_start),
            snd_nxt: SeqNum(us.seq_start),
            snd_wnd: ByteCount(1 << first_window_log2(self.window_log2)),
            rx_seq_start: SeqNum(peer.seq_start),
            tx_seq_start: SeqNum(us.seq_start),
            snd_wl1: SeqNum(peer.seq_start),
            snd_wl2: SeqNum(us.seq_start),
            rtt: 1,
            ..Default::default()
        }
    }

    /// Inserts it at end `at` as the connection of queue pair `qp`.
    pub fn insert(&self, nic: &mut Nic, bench: &mut Bench, at: usize, qp: u16) {
        nic.command(bench, admin_opcode::CONN_INSERT, qp, &self.row(at).octets().expect("fields fit"));
    }

    /// What a capture is told of it.
    pub fn established(&self) -> Established {
        let end = |e: End| Endpoint {
            mac: e.mac,
            ip: e.ip,
            port: e.port,
            seq_start: e.seq_start,
            window_scale: SCALE,
            wants_markers: e.wants_markers,
        };
        Established { ends: self.ends.map(end), vlan: self.vlan, crc: self.crc }
    }
}

/// A connection of a run: number `nth` of run `run`, so that no two of a capture have the same
/// ports. With `markers` both ends want them.
pub fn random_wire(rng: &mut ChaCha8Rng, run: u16, nth: u16, markers: bool) -> Wire {
    let Config { mtu, window_log2, .. } = config();
    let (mtu, window_log2) = (mtu as u16, window_log2 as u32);
    let six = rng.random();
    let ip = |n: u8| match six {
        true => IpAddr::V6(Ipv6Addr::new(0xFD00, 0, 0, run, 0, 0, nth, u16::from(n))),
        false => IpAddr::V4(Ipv4Addr::new(10, (run >> 8) as u8, run as u8, n)),
    };
    let mut end = |n: u8| End {
        mac: [2, 0, 0, run as u8, nth as u8, n],
        ip: ip(n),
        port: 20_000 + 8 * (run % 4_096) + nth,
        seq_start: if rng.random_bool(0.3) { u32::MAX - rng.random_range(0..20_000) } else { rng.random() },
        wants_markers: markers,
    };
    let ends = [end(1), end(2)];
    let vlan = rng.random_bool(0.3).then(|| rng.random_range(1..4_095));
    Wire { ends, vlan, crc: true, mtu, window_log2 }
}
