// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-over of a connection from firmware to hardware (design decision D4).
//!
//! The order is fixed: our octets are acknowledged and no timer of ours runs; the row is inserted;
//! the raw ring is consumed up to the index at which the row became visible, its data ignored, its
//! RST, FIN and window kept; these are passed on; then the Reply (responder) or the
//! ready-to-receive message (initiator) leaves through the hardware.
use super::api::{Offer, Terms};
use super::liveness::Liveness;
use crate::error::ConnError;
use crate::port::{Command, DeviceEvent, QpId, Rtr};
use crate::tcp::conn::Conn;
use crate::tcp::segment::{is_acceptable, within, Segment};
use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_abi::types::{ByteCount, MacAddr, SeqNum};

/// Which side of MPA this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The Reply was parsed; the message to send first, if one was agreed on.
    Initiator(Option<Rtr>),
    /// The Reply was not sent yet.
    Responder {
        /// Its octets.
        reply: Vec<u8>,
        /// The application is told with it.
        early: bool,
    },
}

/// How far it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Waits until our octets are acknowledged and the next hop is known.
    Draining,
    /// The commands are given.
    Inserting,
    /// The row is visible since this index of the raw ring.
    Catching(u32),
}

/// What the raw ring brought between our last segment and the insertion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    /// Highest acknowledgement, its window in octets, the sequence number that brought it.
    ack: Option<(SeqNum, u32, SeqNum)>,
    reset: bool,
    fin: Option<SeqNum>,
    ack_now: bool,
}

impl Caught {
    /// Looks at a segment that hardware did not see. `conn` is as it was when its row was made.
    pub fn segment(&mut self, conn: &Conn, segment: &Segment, window: u32) {
        let rcv_nxt = conn.rcv_nxt();
        if !is_acceptable(segment.seq, segment.len(), rcv_nxt, window) {
            // A Reply or Request again: the ACK was lost
            self.ack_now |= !segment.rst;
            return;
        }
        if segment.rst {
            self.reset |= segment.seq == rcv_nxt;
            self.ack_now |= segment.seq != rcv_nxt;
            return;
        }
        let (una, nxt) = (conn.sender().una(), conn.sender().nxt());
        let Some(ack) = segment.ack.filter(|ack| !segment.syn && within(una, *ack, nxt)) else {
            self.ack_now = true;
            return;
        };
        let (old_seq, old_ack) = self.ack.map_or(conn.window_marks(), |(ack, _, seq)| (seq, ack));
        if old_seq.is_before(segment.seq) || (old_seq == segment.seq && !ack.is_before(old_ack)) {
            self.ack = Some((ack, u32::from(segment.window) << conn.snd_scale(), segment.seq));
        }
        // data before the FIN that hardware has not seen comes again, and the FIN with it
        if segment.fin && segment.end() == rcv_nxt.plus(1) {
            self.fin = Some(rcv_nxt);
        }
    }

    /// Whether the peer reset the connection.
    pub fn is_reset(&self) -> bool {
        self.reset
    }

    /// The commands that tell the hardware.
    pub fn commands(&self, qp: QpId, conn: &Conn) -> Vec<Command> {
        let mut commands = vec![];
        let (una, window, seq) = (conn.sender().una(), conn.sender().window(), conn.window_marks().0);
        if self.ack.is_some() || self.ack_now {
            let (ack, window, seq) = self.ack.unwrap_or((una, window, seq));
            commands.push(Command::ConnAck { qp, ack, window, seq, ack_now: self.ack_now });
        }
        commands.extend(self.fin.map(|seq| Command::PeerFin { qp, seq }));
        commands
    }
}

/// A round trip in units of 10 us. It began and ended somewhere in its first and last tick.
fn units(ticks: u64, tick_us: u32) -> u16 {
    let us = (ticks + 1).saturating_mul(tick_us.into());
    (us / 10).clamp(1, u16::MAX.into()) as u16
}

/// A hand-over.
#[derive(Clone, Debug)]
pub struct HandOver {
    qp: QpId,
    side: Side,
    terms: Terms,
    offer: Offer,
    liveness: Liveness,
    step: Step,
    caught: Caught,
    early: Vec<DeviceEvent>,
    cancelled: Option<ConnError>,
}

impl HandOver {
    /// Nothing is done yet.
    pub fn new(qp: QpId, side: Side, (terms, offer): (Terms, Offer), liveness: Liveness) -> Self {
        let (caught, early) = (Caught::default(), Vec::new());
        Self { qp, side, terms, offer, liveness, step: Step::Draining, caught, early, cancelled: None }
    }

    /// What the application wants.
    pub fn liveness(&self) -> Liveness {
        self.liveness
    }

    /// Its queue pair.
    pub fn qp(&self) -> QpId {
        self.qp
    }

    /// Whether the hardware was not given anything yet: firmware still owns TCP.
    pub fn is_draining(&self) -> bool {
        self.step == Step::Draining
    }

    /// Whether this is the initiator's side.
    pub fn is_initiator(&self) -> bool {
        matches!(self.side, Side::Initiator(_))
    }

    /// What was agreed on.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The commands of the insertion, if TCP is ready for it. Firmware sends nothing any more from
    /// here on.
    pub fn start(
        &mut self,
        conn: &mut Conn,
        mtu: u16,
        tick_us: u32,
        ours: MacAddr,
        hop: MacAddr,
        vlan: Option<u16>,
    ) -> Vec<Command> {
        if self.step != Step::Draining || !conn.sender().is_done() {
            return vec![];
        }
        self.step = Step::Inserting;
        let mut row = self.row(conn, mtu);
        row.rtt = conn.round_trip().map_or(0, |ticks| units(ticks, tick_us));
        (row.source_mac, row.destination_mac) = (ours, hop);
        self.liveness.fill(&mut row);
        (row.has_vlan, row.vlan_tci) = (vlan.is_some(), vlan.unwrap_or(0));
        conn.freeze();
        let (qp, agreed) = (self.qp, self.terms.agreed);
        vec![
            Command::Depths { qp, ird: agreed.ird, ord: agreed.ord },
            Command::ConnInsert { qp, row: row.into() },
        ]
    }

    fn row(&self, conn: &Conn, mtu: u16) -> ConnRow {
        let bits = |ip: IpAddr| match ip {
            IpAddr::V4(v4) => u128::from(v4.to_bits()),
            IpAddr::V6(v6) => v6.to_bits(),
        };
        let (local, remote) = (conn.tuple.local, conn.tuple.remote);
        let ours = match &self.side {
            Side::Responder { reply, .. } => reply.len() as u32,
            Side::Initiator(_) => 0,
        };
        let terms = &self.terms;
        let (wl1, wl2) = conn.window_marks();
        let sender = conn.sender();
        ConnRow {
            is_ipv6: remote.is_ipv6(),
            // a client's first FPDU may leave at once; a ready-to-receive message passes the gate,
            // others wait for it
            gate_open: self.side == Side::Initiator(None),
            ack_now: conn.owes_ack(),
            tx_markers: terms.tx_markers,
            rx_markers: terms.rx_markers,
            tx_crc: terms.crc,
            rx_crc: terms.crc,
            local_ip: bits(local.ip()),
            remote_ip: bits(remote.ip()),
            local_port: local.port(),
            remote_port: remote.port(),
            ttl: crate::net::frame::HOP_LIMIT,
            snd_scale: conn.snd_scale(),
            rcv_scale: conn.rcv_scale(),
            mtu,
            emss: conn.emss(),
            mulpdu: crate::mpa::fpdu::mulpdu(conn.emss(), terms.tx_markers),
            rcv_nxt: conn.rcv_nxt(),
            snd_una: sender.una(),
            snd_nxt: sender.nxt(),
            snd_wnd: ByteCount(sender.window()),
            rx_seq_start: conn.rcv_nxt(),
            tx_seq_start: sender.nxt().plus(ours),
            snd_wl1: wl1,
            snd_wl2: wl2,
            ..ConnRow::default()
        }
    }

    /// The row is visible since this index.
    pub fn inserted(&mut self, raw_index: u32) {
        if self.step == Step::Inserting {
            self.step = Step::Catching(raw_index);
        }
    }

    /// A segment from the raw ring.
    pub fn segment(&mut self, conn: &Conn, segment: &Segment, window: u32) {
        self.caught.segment(conn, segment, window);
    }

    /// An event of the hardware that overtook the answer: kept for later.
    pub fn event(&mut self, event: DeviceEvent) {
        self.early.push(event);
    }

    /// Whether the ring was consumed far enough; `next` is the index of the next frame to be taken.
    pub fn is_complete(&self, next: u32) -> bool {
        matches!(self.step, Step::Catching(until) if next.wrapping_sub(until) < 1 << 31)
    }

    /// It is not wanted any more; the row is taken out as soon as it is in.
    pub fn cancel(&mut self, why: ConnError) {
        self.cancelled.get_or_insert(why);
    }

    /// Why the row must go at once, if it must.
    pub fn doom(&self) -> Option<ConnError> {
        let reset = self.caught.reset.then_some(ConnError::Reset);
        self.cancelled.clone().or(reset)
    }

    /// Everything, for the phase that follows.
    pub fn into_parts(self) -> (Side, (Terms, Offer), Caught, Vec<DeviceEvent>) {
        (self.side, (self.terms, self.offer), self.caught, self.early)
    }
}
