// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces written by hand: frames of two ends, and what is found in them.
//!
//! End A has 5 us to end B. SMSS is 1,000 octets, a unit of the timers 10 us, and the least RTO 20
//! units beyond SRTT. Sequence and acknowledgment numbers count from the first octet of each end.
use super::segment::flag;
use super::{judge, Conn, Finding, Frame, Rule, Rules, ANSWER_PS};
use crate::tcp_wire;
use ferrowarp_sim::Side;
use std::net::{IpAddr, SocketAddr};

const US: u64 = 1_000_000;
/// Microseconds on the way.
const WAY: u64 = 5;
/// Octets of a full segment.
pub const SMSS: u32 = 1_000;
/// Sequence numbers of the first octets: that of A wraps soon.
const STARTS: [u32; 2] = [u32::MAX - 1_500, 77];
/// Octets of the window that an end offers.
pub const WINDOW: u16 = 60_000;
/// TCP port of both ends.
const PORT: u16 = 7_000;

/// How both ends of a trace are set up.
pub const RULES: Rules = Rules {
    smss: SMSS as u64,
    congestion: true,
    restart: true,
    fast: true,
    probe: false,
    unit_ps: 10 * US,
    grain_ps: 10 * US,
    rto_min: 20,
    first_rto_min: 20,
    retry_limit: 15,
    rtt: 1,
    answer_ps: ANSWER_PS,
    stored_ps: 8 * US,
    ack_delay_ps: 500 * US,
};

/// Frames, and how both ends are set up.
pub struct Trace {
    /// Frames, in any order.
    pub frames: Vec<Frame>,
    /// How both ends are set up.
    pub rules: Rules,
    /// Octets of the window that each end offers from now on; at the trace's end, that it offered
    /// first.
    pub windows: [u16; 2],
}

/// A frame that has just left.
pub struct Last<'a>(&'a mut Frame);

impl Last<'_> {
    /// It does not arrive.
    pub fn lost(self) {
        self.0.arrived_ps.clear();
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self { frames: vec![], rules: RULES, windows: [WINDOW; 2] }
    }
}

impl Trace {
    /// Two full segments of A and their ACK.
    pub fn exchange() -> Self {
        let mut trace = Self::default();
        trace.train(0, 0, 2);
        trace.ack(6, 2_000);
        trace
    }

    /// Segments of A, of which the first is lost, and an ACK for each of the others.
    pub fn gap(segments: u32) -> Self {
        let mut trace = Self::default();
        trace.train(0, 0, segments);
        trace.frames[0].arrived_ps.clear();
        for _ in 1..segments {
            trace.ack(6, 0);
        }
        trace
    }

    /// A segment of A is lost, and leaves again a while behind an RTO of `rto` microseconds.
    pub fn mended(rto: u64) -> Self {
        let mut trace = Self::default();
        trace.data(0, 0, SMSS).lost();
        trace.data(rto + 10, 0, SMSS);
        trace.ack(rto + 30, SMSS);
        trace
    }

    /// A segment leaves at so many microseconds.
    pub fn segment(
        &mut self,
        at: u64,
        from: Side,
        flags: u8,
        [seq, ack]: [u32; 2],
        payload: &[u8],
    ) -> Last<'_> {
        let side = from as usize;
        let conn = tcp_wire::Conn {
            destination_mac: [2, 0, 0, 0, 0, 1],
            source_mac: [2, 0, 0, 0, 0, 2],
            vlan: None,
            ipv6: false,
            timestamps: false,
            local_ip: ip(side),
            remote_ip: ip(1 - side),
            local_port: PORT,
            remote_port: PORT,
            ttl: 64,
            traffic_class: 0,
            flow_label: 0,
            window: self.windows[side],
        };
        let (seq, ack) = (STARTS[side].wrapping_add(seq), STARTS[1 - side].wrapping_add(ack));
        let data = conn.flagged(flags, seq, ack, payload);
        let (began_ps, arrived_ps) = (at * US, vec![(at + WAY) * US]);
        let n = self.frames.len();
        self.frames.push(Frame { from, began_ps, busy_ps: began_ps, data, arrived_ps, changed: None });
        Last(&mut self.frames[n])
    }

    /// A sends octets `seq` to `seq + octets`; it has received nothing.
    pub fn data(&mut self, at: u64, seq: u32, octets: u32) -> Last<'_> {
        let payload: Vec<u8> = (seq..seq + octets).map(|n| (n * 7 + n / 256) as u8).collect();
        self.segment(at, Side::A, flag::ACK, [seq, 0], &payload)
    }

    /// A sends full segments, as fast as can be.
    pub fn train(&mut self, at: u64, seq: u32, segments: u32) {
        for n in 0..segments {
            self.data(at, seq + n * SMSS, SMSS);
        }
    }

    /// B acknowledges; it has sent nothing.
    pub fn ack(&mut self, at: u64, ack: u32) -> Last<'_> {
        self.segment(at, Side::B, flag::ACK, [0, ack], &[])
    }

    /// What is found up to so many microseconds.
    pub fn found(mut self, until: u64) -> Vec<Finding> {
        let ends = [0, 1].map(|side| {
            let [.., a, b, c, d] = ip(side);
            SocketAddr::new(IpAddr::from([a, b, c, d]), PORT)
        });
        let windows = self.windows.map(u64::from);
        let conn = Conn { ends, starts: STARTS, windows, scales: [0; 2], rules: [self.rules; 2] };
        self.frames.sort_by_key(|frame| frame.began_ps);
        judge(&self.frames, &[conn], until * US)
    }

    /// Nothing is found.
    ///
    /// # Panics
    /// If something is.
    pub fn is_right(self, until: u64) {
        self.breaks_all(&[], until);
    }

    /// An end breaks this rule once, and no other one is broken.
    ///
    /// # Panics
    /// If something else is found.
    pub fn breaks(self, rule: Rule, side: Side, until: u64) {
        self.breaks_all(&[(rule, side)], until);
    }

    /// These rules are broken once each, in this order, and no others.
    ///
    /// # Panics
    /// If something else is found.
    pub fn breaks_all(self, rules: &[(Rule, Side)], until: u64) {
        let findings = self.found(until);
        let found: Vec<_> = findings.iter().map(|finding| (finding.rule, finding.side)).collect();
        let told: Vec<_> = findings.iter().map(|finding| format!("\n  {finding}")).collect();
        assert_eq!(found, rules, "found:{}", told.concat());
    }
}

fn ip(side: usize) -> [u8; 16] {
    let mut ip = [0; 16];
    ip[12..].copy_from_slice(&[10, 0, 0, 1 + side as u8]);
    ip
}
