// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Connection row.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, MacAddr, SeqNum};

/// A connection as `conn_insert` hands it over; its index is its queue pair's. `conn_update` writes
/// the fields that say so and ignores all others. `read_row` gives `gate_open`, RCV.NXT, SND.UNA,
/// SND.NXT, SND.WND, SND.WL1 and SND.WL2 as they are now, and zero if there is no connection.
/// Timestamps, SACK and ECN have places. Hardware does not keep them yet, so `conn_insert` refuses
/// a row with one of their flags or with a SACK block.
///
/// 144 octets, Ferrowarp, RFC 9293 section 3.3.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConnRow {
    /// Next hop; `conn_update` writes it.
    pub destination_mac: MacAddr,
    /// Ours; `conn_update` writes it.
    pub source_mac: MacAddr,
    /// Tag control information, with `has_vlan`; `conn_update` writes it.
    pub vlan_tci: u16,
    /// Frames carry an 802.1Q tag; `conn_update` writes it.
    pub has_vlan: bool,
    /// IPv6, else IPv4.
    pub is_ipv6: bool,
    /// FPDUs may leave; else they wait for the first good one received. `conn_update` opens it, and
    /// never closes it.
    pub gate_open: bool,
    /// An ACK is due at once.
    pub ack_now: bool,
    /// We insert markers.
    pub tx_markers: bool,
    /// The peer inserts markers.
    pub rx_markers: bool,
    /// We send CRCs.
    pub tx_crc: bool,
    /// We check CRCs.
    pub rx_crc: bool,
    /// RFC 7323 timestamps are in use.
    pub timestamps: bool,
    /// RFC 2018 selective acknowledgements are in use.
    pub sack: bool,
    /// RFC 3168 congestion notification is in use.
    pub ecn: bool,
    /// Ours; IPv4 in the last 32 bits, the rest zero.
    pub local_ip: u128,
    /// The peer's, in the same form.
    pub remote_ip: u128,
    /// Ours.
    pub local_port: u16,
    /// The peer's.
    pub remote_port: u16,
    /// TTL or hop limit of what we send; `conn_update` writes it.
    pub ttl: u8,
    /// DSCP and ECN bits of what we send; `conn_update` writes it.
    pub traffic_class: u8,
    /// Shift of the windows that the peer advertises, 0 to 14. 4 bits.
    pub snd_scale: u8,
    /// Shift of the window that we advertise, 0 to 14. A window beyond 32 KiB begins with 16 KiB. 4
    /// bits.
    pub rcv_scale: u8,
    /// Waits in a row after which the connection is lost; 0: as many as register `retry_limit`
    /// says.
    pub retry_limit: u8,
    /// Largest IP packet in octets.
    pub mtu: u16,
    /// Effective maximum segment size in octets; `conn_update` writes it.
    pub emss: u16,
    /// Largest ULPDU in octets, at least 128, its FPDU within EMSS; `conn_update` writes it, and it
    /// counts from the next message on.
    pub mulpdu: u16,
    /// Round trip that the handshake has shown, in units of 10 us; 0: not known.
    pub rtt: u16,
    /// RCV.NXT, and RCV.ACK too.
    pub rcv_nxt: SeqNum,
    /// SND.UNA: stream offset 0 of the transmit side.
    pub snd_una: SeqNum,
    /// SND.NXT.
    pub snd_nxt: SeqNum,
    /// SND.WND in octets.
    pub snd_wnd: ByteCount,
    /// SeqStart of the peer's octets.
    pub rx_seq_start: SeqNum,
    /// SeqStart of our octets.
    pub tx_seq_start: SeqNum,
    /// SND.WL1.
    pub snd_wl1: SeqNum,
    /// SND.WL2.
    pub snd_wl2: SeqNum,
    /// TS.Recent.
    pub ts_recent: u32,
    /// What is added to the clock in our timestamps.
    pub ts_offset: u32,
    /// IPv6 flow label of what we send; `conn_update` writes it. 20 bits.
    pub flow_label: u32,
    /// Units of 163.84 ms without a segment, after which the peer is asked for a sign of life; 0:
    /// it is never asked.
    pub keepalive: u16,
    /// Block 0 of what came beyond a gap: its first octet.
    pub sack_left_0: SeqNum,
    /// Its end.
    pub sack_right_0: SeqNum,
    /// Block 1 of what came beyond a gap: its first octet.
    pub sack_left_1: SeqNum,
    /// Its end.
    pub sack_right_1: SeqNum,
    /// Block 2 of what came beyond a gap: its first octet.
    pub sack_left_2: SeqNum,
    /// Its end.
    pub sack_right_2: SeqNum,
    /// Block 3 of what came beyond a gap: its first octet.
    pub sack_left_3: SeqNum,
    /// Its end.
    pub sack_right_3: SeqNum,
}

impl Default for ConnRow {
    fn default() -> Self {
        Self {
            destination_mac: MacAddr::from_bits(0),
            source_mac: MacAddr::from_bits(0),
            vlan_tci: 0,
            has_vlan: false,
            is_ipv6: false,
            gate_open: false,
            ack_now: false,
            tx_markers: false,
            rx_markers: false,
            tx_crc: false,
            rx_crc: false,
            timestamps: false,
            sack: false,
            ecn: false,
            local_ip: 0,
            remote_ip: 0,
            local_port: 0,
            remote_port: 0,
            ttl: 64,
            traffic_class: 0,
            snd_scale: 0,
            rcv_scale: 0,
            retry_limit: 0,
            mtu: 0,
            emss: 0,
            mulpdu: 0,
            rtt: 0,
            rcv_nxt: SeqNum::from_bits(0),
            snd_una: SeqNum::from_bits(0),
            snd_nxt: SeqNum::from_bits(0),
            snd_wnd: ByteCount::from_bits(0),
            rx_seq_start: SeqNum::from_bits(0),
            tx_seq_start: SeqNum::from_bits(0),
            snd_wl1: SeqNum::from_bits(0),
            snd_wl2: SeqNum::from_bits(0),
            ts_recent: 0,
            ts_offset: 0,
            flow_label: 0,
            keepalive: 0,
            sack_left_0: SeqNum::from_bits(0),
            sack_right_0: SeqNum::from_bits(0),
            sack_left_1: SeqNum::from_bits(0),
            sack_right_1: SeqNum::from_bits(0),
            sack_left_2: SeqNum::from_bits(0),
            sack_right_2: SeqNum::from_bits(0),
            sack_left_3: SeqNum::from_bits(0),
            sack_right_3: SeqNum::from_bits(0),
        }
    }
}

impl ConnRow {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::conn_row::CONN;

    /// Octets.
    pub const LEN: usize = 144;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<144>("ConnRow", octets)?;
        let w14 = o[14];
        let w15 = o[15];
        let w54 = o[54];
        let w104 = u32::from_be_bytes([o[104], o[105], o[106], o[107]]);
        Ok(Self {
            destination_mac: MacAddr::from_bits(u64::from_be_bytes([
                0, 0, o[0], o[1], o[2], o[3], o[4], o[5],
            ])),
            source_mac: MacAddr::from_bits(u64::from_be_bytes([0, 0, o[6], o[7], o[8], o[9], o[10], o[11]])),
            vlan_tci: u16::from_be_bytes([o[12], o[13]]),
            has_vlan: w14 & 0x80 != 0,
            is_ipv6: w14 & 0x40 != 0,
            gate_open: w14 & 0x20 != 0,
            ack_now: w14 & 0x10 != 0,
            tx_markers: w14 & 0x8 != 0,
            rx_markers: w14 & 0x4 != 0,
            tx_crc: w14 & 0x2 != 0,
            rx_crc: w14 & 0x1 != 0,
            timestamps: w15 & 0x80 != 0,
            sack: w15 & 0x40 != 0,
            ecn: w15 & 0x20 != 0,
            local_ip: u128::from_be_bytes([
                o[16], o[17], o[18], o[19], o[20], o[21], o[22], o[23], o[24], o[25], o[26], o[27], o[28],
                o[29], o[30], o[31],
            ]),
            remote_ip: u128::from_be_bytes([
                o[32], o[33], o[34], o[35], o[36], o[37], o[38], o[39], o[40], o[41], o[42], o[43], o[44],
                o[45], o[46], o[47],
            ]),
            local_port: u16::from_be_bytes([o[48], o[49]]),
            remote_port: u16::from_be_bytes([o[50], o[51]]),
            ttl: o[52],
            traffic_class: o[53],
            snd_scale: w54 >> 4,
            rcv_scale: w54 & 0xf,
            retry_limit: o[55],
            mtu: u16::from_be_bytes([o[56], o[57]]),
            emss: u16::from_be_bytes([o[58], o[59]]),
            mulpdu: u16::from_be_bytes([o[60], o[61]]),
            rtt: u16::from_be_bytes([o[62], o[63]]),
            rcv_nxt: SeqNum::from_bits(u32::from_be_bytes([o[64], o[65], o[66], o[67]])),
            snd_una: SeqNum::from_bits(u32::from_be_bytes([o[68], o[69], o[70], o[71]])),
            snd_nxt: SeqNum::from_bits(u32::from_be_bytes([o[72], o[73], o[74], o[75]])),
            snd_wnd: ByteCount::from_bits(u32::from_be_bytes([o[76], o[77], o[78], o[79]])),
            rx_seq_start: SeqNum::from_bits(u32::from_be_bytes([o[80], o[81], o[82], o[83]])),
            tx_seq_start: SeqNum::from_bits(u32::from_be_bytes([o[84], o[85], o[86], o[87]])),
            snd_wl1: SeqNum::from_bits(u32::from_be_bytes([o[88], o[89], o[90], o[91]])),
            snd_wl2: SeqNum::from_bits(u32::from_be_bytes([o[92], o[93], o[94], o[95]])),
            ts_recent: u32::from_be_bytes([o[96], o[97], o[98], o[99]]),
            ts_offset: u32::from_be_bytes([o[100], o[101], o[102], o[103]]),
            flow_label: w104 >> 12,
            keepalive: u16::from_be_bytes([o[108], o[109]]),
            sack_left_0: SeqNum::from_bits(u32::from_be_bytes([o[112], o[113], o[114], o[115]])),
            sack_right_0: SeqNum::from_bits(u32::from_be_bytes([o[116], o[117], o[118], o[119]])),
            sack_left_1: SeqNum::from_bits(u32::from_be_bytes([o[120], o[121], o[122], o[123]])),
            sack_right_1: SeqNum::from_bits(u32::from_be_bytes([o[124], o[125], o[126], o[127]])),
            sack_left_2: SeqNum::from_bits(u32::from_be_bytes([o[128], o[129], o[130], o[131]])),
            sack_right_2: SeqNum::from_bits(u32::from_be_bytes([o[132], o[133], o[134], o[135]])),
            sack_left_3: SeqNum::from_bits(u32::from_be_bytes([o[136], o[137], o[138], o[139]])),
            sack_right_3: SeqNum::from_bits(u32::from_be_bytes([o[140], o[141], o[142], o[143]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 144], EmitError> {
        let mut o = [0; 144];
        let w0: u64 = self.destination_mac.to_bits();
        o[0..6].copy_from_slice(&w0.to_be_bytes()[2..]);
        let w6: u64 = self.source_mac.to_bits();
        o[6..12].copy_from_slice(&w6.to_be_bytes()[2..]);
        let w12: u16 = self.vlan_tci;
        o[12..14].copy_from_slice(&w12.to_be_bytes());
        o[14] = (u8::from(self.has_vlan) << 7)
            | (u8::from(self.is_ipv6) << 6)
            | (u8::from(self.gate_open) << 5)
            | (u8::from(self.ack_now) << 4)
            | (u8::from(self.tx_markers) << 3)
            | (u8::from(self.rx_markers) << 2)
            | (u8::from(self.tx_crc) << 1)
            | u8::from(self.rx_crc);
        o[15] = (u8::from(self.timestamps) << 7) | (u8::from(self.sack) << 6) | (u8::from(self.ecn) << 5);
        let w16: u128 = self.local_ip;
        o[16..32].copy_from_slice(&w16.to_be_bytes());
        let w32: u128 = self.remote_ip;
        o[32..48].copy_from_slice(&w32.to_be_bytes());
        let w48: u16 = self.local_port;
        o[48..50].copy_from_slice(&w48.to_be_bytes());
        let w50: u16 = self.remote_port;
        o[50..52].copy_from_slice(&w50.to_be_bytes());
        o[52] = self.ttl;
        o[53] = self.traffic_class;
        o[54] = (fit("ConnRow.snd_scale", self.snd_scale, 4)? << 4)
            | fit("ConnRow.rcv_scale", self.rcv_scale, 4)?;
        o[55] = self.retry_limit;
        let w56: u16 = self.mtu;
        o[56..58].copy_from_slice(&w56.to_be_bytes());
        let w58: u16 = self.emss;
        o[58..60].copy_from_slice(&w58.to_be_bytes());
        let w60: u16 = self.mulpdu;
        o[60..62].copy_from_slice(&w60.to_be_bytes());
        let w62: u16 = self.rtt;
        o[62..64].copy_from_slice(&w62.to_be_bytes());
        let w64: u32 = self.rcv_nxt.to_bits();
        o[64..68].copy_from_slice(&w64.to_be_bytes());
        let w68: u32 = self.snd_una.to_bits();
        o[68..72].copy_from_slice(&w68.to_be_bytes());
        let w72: u32 = self.snd_nxt.to_bits();
        o[72..76].copy_from_slice(&w72.to_be_bytes());
        let w76: u32 = self.snd_wnd.to_bits();
        o[76..80].copy_from_slice(&w76.to_be_bytes());
        let w80: u32 = self.rx_seq_start.to_bits();
        o[80..84].copy_from_slice(&w80.to_be_bytes());
        let w84: u32 = self.tx_seq_start.to_bits();
        o[84..88].copy_from_slice(&w84.to_be_bytes());
        let w88: u32 = self.snd_wl1.to_bits();
        o[88..92].copy_from_slice(&w88.to_be_bytes());
        let w92: u32 = self.snd_wl2.to_bits();
        o[92..96].copy_from_slice(&w92.to_be_bytes());
        let w96: u32 = self.ts_recent;
        o[96..100].copy_from_slice(&w96.to_be_bytes());
        let w100: u32 = self.ts_offset;
        o[100..104].copy_from_slice(&w100.to_be_bytes());
        let w104: u32 = fit("ConnRow.flow_label", self.flow_label, 20)? << 12;
        o[104..108].copy_from_slice(&w104.to_be_bytes());
        let w108: u16 = self.keepalive;
        o[108..110].copy_from_slice(&w108.to_be_bytes());
        let w112: u32 = self.sack_left_0.to_bits();
        o[112..116].copy_from_slice(&w112.to_be_bytes());
        let w116: u32 = self.sack_right_0.to_bits();
        o[116..120].copy_from_slice(&w116.to_be_bytes());
        let w120: u32 = self.sack_left_1.to_bits();
        o[120..124].copy_from_slice(&w120.to_be_bytes());
        let w124: u32 = self.sack_right_1.to_bits();
        o[124..128].copy_from_slice(&w124.to_be_bytes());
        let w128: u32 = self.sack_left_2.to_bits();
        o[128..132].copy_from_slice(&w128.to_be_bytes());
        let w132: u32 = self.sack_right_2.to_bits();
        o[132..136].copy_from_slice(&w132.to_be_bytes());
        let w136: u32 = self.sack_left_3.to_bits();
        o[136..140].copy_from_slice(&w136.to_be_bytes());
        let w140: u32 = self.sack_right_3.to_bits();
        o[140..144].copy_from_slice(&w140.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 47] {
        [
            ("destination_mac", u128::from(self.destination_mac.to_bits())),
            ("source_mac", u128::from(self.source_mac.to_bits())),
            ("vlan_tci", u128::from(self.vlan_tci)),
            ("has_vlan", u128::from(self.has_vlan)),
            ("is_ipv6", u128::from(self.is_ipv6)),
            ("gate_open", u128::from(self.gate_open)),
            ("ack_now", u128::from(self.ack_now)),
            ("tx_markers", u128::from(self.tx_markers)),
            ("rx_markers", u128::from(self.rx_markers)),
            ("tx_crc", u128::from(self.tx_crc)),
            ("rx_crc", u128::from(self.rx_crc)),
            ("timestamps", u128::from(self.timestamps)),
            ("sack", u128::from(self.sack)),
            ("ecn", u128::from(self.ecn)),
            ("local_ip", self.local_ip),
            ("remote_ip", self.remote_ip),
            ("local_port", u128::from(self.local_port)),
            ("remote_port", u128::from(self.remote_port)),
            ("ttl", u128::from(self.ttl)),
            ("traffic_class", u128::from(self.traffic_class)),
            ("snd_scale", u128::from(self.snd_scale)),
            ("rcv_scale", u128::from(self.rcv_scale)),
            ("retry_limit", u128::from(self.retry_limit)),
            ("mtu", u128::from(self.mtu)),
            ("emss", u128::from(self.emss)),
            ("mulpdu", u128::from(self.mulpdu)),
            ("rtt", u128::from(self.rtt)),
            ("rcv_nxt", u128::from(self.rcv_nxt.to_bits())),
            ("snd_una", u128::from(self.snd_una.to_bits())),
            ("snd_nxt", u128::from(self.snd_nxt.to_bits())),
            ("snd_wnd", u128::from(self.snd_wnd.to_bits())),
            ("rx_seq_start", u128::from(self.rx_seq_start.to_bits())),
            ("tx_seq_start", u128::from(self.tx_seq_start.to_bits())),
            ("snd_wl1", u128::from(self.snd_wl1.to_bits())),
            ("snd_wl2", u128::from(self.snd_wl2.to_bits())),
            ("ts_recent", u128::from(self.ts_recent)),
            ("ts_offset", u128::from(self.ts_offset)),
            ("flow_label", u128::from(self.flow_label)),
            ("keepalive", u128::from(self.keepalive)),
            ("sack_left_0", u128::from(self.sack_left_0.to_bits())),
            ("sack_right_0", u128::from(self.sack_right_0.to_bits())),
            ("sack_left_1", u128::from(self.sack_left_1.to_bits())),
            ("sack_right_1", u128::from(self.sack_right_1.to_bits())),
            ("sack_left_2", u128::from(self.sack_left_2.to_bits())),
            ("sack_right_2", u128::from(self.sack_right_2.to_bits())),
            ("sack_left_3", u128::from(self.sack_left_3.to_bits())),
            ("sack_right_3", u128::from(self.sack_right_3.to_bits())),
        ]
    }
}
