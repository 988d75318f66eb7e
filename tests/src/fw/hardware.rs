// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection as the hardware runs it, from its row to its removal: enough of TCP and MPA to
//! answer a peer.
use super::wire::{Mac, Seg};
use crate::mpa_model::{crc32c, fpdu};
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_firmware::port::{Captured, Change, DeviceEvent, QpId, Rtr};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Ticks from an octet's transmission to its repetition.
const RTO: u64 = 200;

/// A connection in hardware.
#[derive(Debug)]
pub struct Connection {
    /// Its queue pair.
    pub qp: QpId,
    /// The row that was inserted.
    pub row: ConnRow,
    ours: SocketAddr,
    theirs: SocketAddr,
    una: u32,
    nxt: u32,
    rcv_nxt: u32,
    /// Octets from `una` on.
    queue: Vec<u8>,
    fin: bool,
    /// Sequence number behind the FIN that is not acknowledged.
    fin_end: Option<u32>,
    sent_at: u64,
    expiries: u32,
    acks: u32,
    stream: Vec<u8>,
    good: u32,
    peer_fin: bool,
    dead: bool,
    /// FPDUs may leave.
    pub gate: bool,
    /// The peer's window is closed.
    is_held: bool,
}

impl Connection {
    /// From a row.
    pub fn new(qp: QpId, row: ConnRow) -> Self {
        let address = |bits: u128| match row.is_ipv6 {
            true => IpAddr::from(Ipv6Addr::from_bits(bits)),
            false => IpAddr::from(Ipv4Addr::from_bits(bits as u32)),
        };
        Self {
            qp,
            row,
            ours: (address(row.local_ip), row.local_port).into(),
            theirs: (address(row.remote_ip), row.remote_port).into(),
            una: row.snd_una.0,
            nxt: row.snd_nxt.0,
            rcv_nxt: row.rcv_nxt.0,
            queue: vec![],
            fin: false,
            fin_end: None,
            sent_at: 0,
            expiries: 0,
            acks: u32::from(row.ack_now),
            stream: vec![],
            good: 0,
            peer_fin: false,
            dead: false,
            gate: row.gate_open,
            is_held: false,
        }
    }

    /// Whether a segment is its own.
    pub fn owns(&self, seg: &Seg) -> bool {
        seg.to == self.ours && seg.from == self.theirs
    }

    /// Next numbers, both FINs counted.
    pub fn numbers(&self) -> (u32, u32, u32) {
        (self.una, self.nxt, self.rcv_nxt)
    }

    /// Frames to the next hop.
    pub fn stations(&self) -> (Mac, Mac) {
        (self.row.source_mac.0, self.row.destination_mac.0)
    }

    /// Another next hop, or another EMSS: a smaller one only if what was too big is in flight.
    pub fn update(&mut self, change: Change) {
        match change {
            Change::NextHop(station) => self.row.destination_mac = station,
            Change::PathMtu { emss, mulpdu, quoted } => {
                let in_flight = quoted.0.wrapping_sub(self.una) < self.nxt.wrapping_sub(self.una);
                if emss > self.row.emss || in_flight {
                    (self.row.emss, self.row.mulpdu) = (emss, mulpdu);
                }
            }
        }
    }

    /// FPDUs received, good ones.
    pub fn good(&self) -> u32 {
        self.good
    }

    /// Octets outside of FPDUs.
    pub fn raw(&mut self, octets: &[u8]) {
        self.queue.extend(octets);
    }

    /// A Terminate's ULPDU.
    pub fn terminate(&mut self, ulpdu: &[u8]) {
        assert!(self.gate, "a Terminate at a closed gate");
        self.queue.extend(self.fpdu(ulpdu));
    }

    /// The ready-to-receive message; of the three, with the octets of `ddp-mpa2-notes.md`
    /// section 5.
    pub fn rtr(&mut self, kind: Rtr) {
        let ulpdu = match kind {
            Rtr::Send => crate::mpa_model::hex("4143 00000000 00000000 00000001 00000000"),
            Rtr::Write => crate::mpa_model::hex("c140 00000001 0000000000000000"),
            Rtr::Read => crate::mpa_model::hex(
                "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 0000000000000000",
            ),
        };
        self.queue.extend(self.fpdu(&ulpdu));
    }

    fn fpdu(&self, ulpdu: &[u8]) -> Vec<u8> {
        let end = self.una.wrapping_add(self.queue.len() as u32);
        let offset = end.wrapping_sub(self.row.tx_seq_start.0);
        fpdu(ulpdu, offset.into(), self.row.tx_markers, self.row.tx_crc)
    }

    /// The peer's window is closed from now on: no FIN leaves.
    pub fn hold(&mut self) {
        self.is_held = true;
    }

    /// The peer acknowledges octets that the driver had posted.
    pub fn acknowledge(&mut self, octets: u32) {
        self.una = self.una.wrapping_add(octets);
        self.nxt = self.nxt.wrapping_add(octets);
    }

    /// A FIN after what is queued.
    pub fn finish(&mut self) {
        if self.is_held {
            return;
        }
        self.fin = true;
        self.fin_end = Some(self.una.wrapping_add(self.queue.len() as u32 + 1));
    }

    /// The reset of an abort.
    pub fn reset(&mut self) -> Seg {
        self.dead = true;
        Seg { rst: true, ..self.seg(self.nxt) }
    }

    /// A FIN that firmware saw.
    pub fn peer_fin(&mut self, seq: u32) -> Vec<DeviceEvent> {
        if seq != self.rcv_nxt || self.peer_fin {
            return vec![];
        }
        self.rcv_nxt = self.rcv_nxt.wrapping_add(1);
        self.peer_fin = true;
        self.acks += 1;
        vec![DeviceEvent::PeerFin(self.qp)]
    }

    /// An ACK is owed.
    pub fn owe_ack(&mut self) {
        self.acks += 1;
    }

    fn seg(&self, seq: u32) -> Seg {
        Seg::new(self.ours, self.theirs, seq, self.rcv_nxt)
    }

    /// A segment of the peer.
    pub fn segment(&mut self, seg: &Seg) -> Vec<DeviceEvent> {
        let mut events = vec![];
        if self.dead {
            return events;
        }
        if seg.rst {
            if seg.seq == self.rcv_nxt {
                self.dead = true;
                events.push(DeviceEvent::PeerReset(self.qp));
            }
            return events;
        }
        if let Some(ack) = seg.ack.filter(|ack| ack.wrapping_sub(self.una) <= self.nxt.wrapping_sub(self.una))
        {
            let octets = (ack.wrapping_sub(self.una) as usize).min(self.queue.len());
            self.expiries = if ack == self.una { self.expiries } else { 0 };
            self.queue.drain(..octets);
            let fin_acked = self.fin && self.queue.is_empty() && ack == self.nxt && self.fin_is_out();
            // `una` counts octets of the queue; the FIN is the one after them
            self.una = if fin_acked { ack.wrapping_sub(1) } else { ack };
            let reached = |end: u32| ack.wrapping_sub(end) < 1 << 31;
            if self.fin_end.take_if(|end| reached(*end)).is_some() {
                events.push(DeviceEvent::FinAcked(self.qp));
            }
            if fin_acked {
                self.una = ack;
                self.fin = false;
            }
        }
        if seg.is_empty() {
            return events;
        }
        self.acks += 1;
        let known = self.rcv_nxt.wrapping_sub(seg.seq);
        if seg.syn || known >= 1 << 31 || known > seg.data.len() as u32 {
            return events;
        }
        let fresh = &seg.data[known as usize..];
        self.rcv_nxt = self.rcv_nxt.wrapping_add(fresh.len() as u32);
        self.stream.extend(fresh);
        self.fpdus(&mut events);
        if seg.fin {
            events.extend(self.peer_fin(self.rcv_nxt));
        }
        events
    }

    fn fin_is_out(&self) -> bool {
        self.nxt == self.una.wrapping_add(self.queue.len() as u32 + 1) || self.fin_end == Some(self.nxt)
    }

    /// FPDUs without markers; enough for peers that insert none.
    fn fpdus(&mut self, events: &mut Vec<DeviceEvent>) {
        while self.stream.len() >= 2 {
            let length = usize::from(self.stream[0]) << 8 | usize::from(self.stream[1]);
            let covered = (2 + length).next_multiple_of(4);
            if self.stream.len() < covered + 4 {
                return;
            }
            let whole: Vec<_> = self.stream.drain(..covered + 4).collect();
            let crc = u32::from_le_bytes(whole[covered..].try_into().unwrap());
            if self.row.rx_crc && crc != crc32c(&whole[..covered]) {
                self.stream.clear();
                events.push(DeviceEvent::Fault(self.qp, Captured { error: 0x2002, segment: None }));
                return;
            }
            self.good += 1;
            if self.good == 1 {
                self.gate = true;
                events.push(DeviceEvent::FirstFpdu(self.qp));
            }
            if whole[3] & 0xF == 7 {
                events.push(DeviceEvent::Terminate(self.qp, whole[20..2 + length].to_vec()));
            }
        }
    }

    /// What leaves at this tick, and what is to be told.
    pub fn tick(&mut self, now: u64) -> (Vec<Seg>, Vec<DeviceEvent>) {
        let (mut out, mut events) = (vec![], vec![]);
        if self.dead {
            return (out, events);
        }
        let end = self.una.wrapping_add(self.queue.len() as u32 + u32::from(self.fin));
        let idle = self.una == end;
        if !idle && self.nxt == end && now >= self.sent_at + (RTO << self.expiries) {
            self.expiries += 1;
            self.nxt = self.una;
            if self.expiries > 6 {
                self.dead = true;
                events.push(DeviceEvent::Lost(self.qp));
                return (out, events);
            }
        }
        while self.nxt != end {
            let from = self.nxt.wrapping_sub(self.una) as usize;
            let to = self.queue.len().min(from + usize::from(self.row.emss));
            let data = self.queue.get(from..to).unwrap_or_default().to_vec();
            let fin = self.fin && to == self.queue.len();
            let seg = Seg { data, fin, ..self.seg(self.nxt) };
            self.nxt = self.nxt.wrapping_add(seg.len());
            self.sent_at = now;
            self.acks = self.acks.saturating_sub(1);
            out.push(seg);
        }
        for _ in 0..std::mem::take(&mut self.acks) {
            out.push(self.seg(self.nxt));
        }
        (out, events)
    }
}
