// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the network receive stage must make of frames, in plain code on their octets.
use crate::net_rx_frames::{Tuple, ACK, FIN, RST, SYN, URG};
use ferrowarp_sim::wire::{checksum, tcp_checksum};

/// Octets of receive window that the bench top is built for.
pub const WINDOW: u32 = 4_096;
/// Longest frame of rubbish that it passes on as a raw frame, in octets.
pub const MOST_LOW: usize = 3 << 10;
/// Longest frame that it stores, in octets.
pub const LONGEST: usize = 8 << 11;

/// Bits of `bad`, by what they count.
pub mod bad {
    /// Frame with `err`.
    pub const FCS: usize = 0;
    /// Frame too long.
    pub const LONG: usize = 1;
    /// Frame cut for want of room.
    pub const ROOM: usize = 2;
    /// Malformed.
    pub const MALFORMED: usize = 3;
    /// Checksum of an IPv4 header.
    pub const IP: usize = 4;
    /// Checksum of TCP.
    pub const TCP: usize = 5;
    /// Not acceptable.
    pub const OUTSIDE: usize = 6;
    /// No ACK bit or an impossible ACK.
    pub const ACK: usize = 7;
    /// Beyond a gap.
    pub const GAP: usize = 8;
    /// Challenge ACK.
    pub const CHALLENGE: usize = 9;
    /// Urgent pointer.
    pub const URGENT: usize = 10;
    /// Raw frame without room.
    pub const RAW: usize = 11;
    /// To a group of stations, or of a connection in another VLAN.
    pub const STRANGE: usize = 12;
    /// Raw frame that others are spared.
    pub const SPARED: usize = 13;
}

/// What transmit is told.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// Connection.
    pub qp: u8,
    /// ACK that advances.
    pub ack: Option<u32>,
    /// New window in octets.
    pub window: Option<u32>,
    /// One ACK is owed.
    pub ack_now: bool,
    /// Duplicate ACK.
    pub is_dup: bool,
}

/// What firmware saw of a connection before it was inserted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Connection.
    pub qp: u8,
    /// Sequence number of the segment.
    pub seq: u32,
    /// Its ACK.
    pub ack: u32,
    /// Its window in octets.
    pub window: u32,
    /// One ACK is owed.
    pub ack_now: bool,
}

/// A segment announced to MPA, with its octets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Connection.
    pub qp: u8,
    /// Sequence number of the first octet.
    pub seq: u32,
    /// The stream ends after it.
    pub end: bool,
    /// The octets.
    pub octets: Vec<u8>,
}

/// All that came, or must come, out of the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Facts; true: an ACK that is rationed and may be withheld.
    pub facts: Vec<(Fact, bool)>,
    /// Events: connection and kind.
    pub events: Vec<(u8, u8)>,
    /// Octets in order.
    pub texts: Vec<Text>,
    /// Raw frames and reasons.
    pub raw: Vec<(Vec<u8>, u8)>,
    /// Pulses of `bad`.
    pub counts: [u64; 14],
}

/// One connection as receive sees it.
#[derive(Clone, Debug)]
pub struct Conn {
    /// The peer sends, we receive.
    pub tuple: Tuple,
    /// RCV.NXT.
    pub rcv_nxt: u32,
    /// SND.UNA.
    pub una: u32,
    /// SND.NXT.
    pub snd_nxt: u32,
    /// SND.WL1.
    pub wl1: u32,
    /// SND.WL2.
    pub wl2: u32,
    /// SND.WND in octets.
    pub window: u32,
    /// MAX.SND.WND in octets.
    pub most: u32,
    /// Shift of the peer's windows.
    pub scale: u32,
    /// FIN was taken.
    pub closed: bool,
    /// Octets behind the FIN came.
    pub late: bool,
    /// Tag of its frames.
    pub vlan: Option<u16>,
}

impl Conn {
    /// A connection between two segments: nothing in flight, a window of 64 KiB.
    pub fn new(tuple: Tuple, rcv_nxt: u32, una: u32) -> Self {
        let (wl1, wl2) = (rcv_nxt, una);
        let (window, most) = (65_536, 65_536);
        let snd_nxt = una;
        let (closed, late) = (false, false);
        Self { tuple, rcv_nxt, una, snd_nxt, wl1, wl2, window, most, scale: 0, closed, late, vlan: None }
    }
}

/// a - b as a signed distance of sequence numbers.
fn distance(a: u32, b: u32) -> i64 {
    i64::from(a.wrapping_sub(b) as i32)
}

fn be16(octets: &[u8], at: usize) -> usize {
    usize::from(octets[at]) << 8 | usize::from(octets[at + 1])
}

fn be32(octets: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]])
}

/// The tag of a frame.
fn tag(frame: &[u8]) -> Option<u16> {
    (be16(frame, 12) == 0x8100).then(|| be16(frame, 14) as u16)
}

/// The VLAN that a tag names: 0 without one, and of a tag that has a priority alone.
fn vid(tci: Option<u16>) -> u16 {
    tci.unwrap_or(0) & 0xFFF
}

/// Neither ARP nor ICMP, of a raw frame that is no TCP segment.
fn is_low(frame: &[u8]) -> bool {
    let at = 14 + 4 * usize::from(tag(frame).is_some());
    match be16(frame, at - 2) {
        0x0806 => false,
        0x0800 => be16(frame, at + 6) & 0x3FFF != 0 || ![1, 58].contains(&frame[at + 9]),
        0x86DD => ![1, 58].contains(&frame[at + 6]),
        _ => true,
    }
}

/// What a frame holds.
enum Content<'a> {
    Raw(u8),
    Bad(usize),
    Tcp(Tuple, &'a [u8]),
}

fn read(frame: &[u8]) -> Content<'_> {
    let malformed = Content::Bad(bad::MALFORMED);
    if frame.len() <= 14 {
        return malformed;
    }
    let (ethertype, at) = match be16(frame, 12) {
        0x8100 if frame.len() <= 18 => return malformed,
        0x8100 => (be16(frame, 16), 18),
        other => (other, 14),
    };
    let packet = &frame[at..];
    match ethertype {
        0x0800 => {
            let header = usize::from(packet[0] & 15) * 4;
            if packet[0] >> 4 != 4 || header < 20 || packet.len() < 20 {
                return malformed;
            }
            let total = be16(packet, 2);
            if total < header || packet.len() < total {
                return malformed;
            }
            if checksum(&[&packet[..header]]) != 0 {
                return Content::Bad(bad::IP);
            }
            if be16(packet, 6) & 0x3FFF != 0 {
                return Content::Raw(3);
            }
            read_tcp(&packet[12..16], &packet[16..20], packet[9] == 6, &packet[header..total])
        }
        0x86DD => {
            if packet.len() < 40 || packet[0] >> 4 != 6 || packet.len() < 40 + be16(packet, 4) {
                return malformed;
            }
            if [0, 43, 44, 51, 60].contains(&packet[6]) {
                return Content::Raw(4);
            }
            let segment = &packet[40..40 + be16(packet, 4)];
            read_tcp(&packet[8..24], &packet[24..40], packet[6] == 6, segment)
        }
        _ => Content::Raw(1),
    }
}

fn read_tcp<'a>(source: &[u8], destination: &[u8], is_tcp: bool, tcp: &'a [u8]) -> Content<'a> {
    if !is_tcp {
        return Content::Raw(2);
    }
    if tcp.len() < 20 || tcp[12] < 0x50 || usize::from(tcp[12] >> 4) * 4 > tcp.len() {
        return Content::Bad(bad::MALFORMED);
    }
    if tcp_checksum(source, destination, tcp) != 0 {
        return Content::Bad(bad::TCP);
    }
    let (source, destination) = (source.to_vec(), destination.to_vec());
    let ports = (be16(tcp, 0) as u16, be16(tcp, 2) as u16);
    Content::Tcp(Tuple { source, destination, source_port: ports.0, destination_port: ports.1 }, tcp)
}

/// The stage: its connections, and what must have come out so far.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// By queue pair.
    pub conns: [Option<Conn>; 4],
    /// What must come.
    pub expected: Outcome,
}

impl Model {
    /// A frame arrives, `err` with a wrong FCS.
    pub fn take(&mut self, frame: &[u8], err: bool) {
        let out = &mut self.expected;
        if frame.len() > LONGEST {
            out.counts[bad::LONG] += 1;
            return;
        }
        if err {
            out.counts[bad::FCS] += 1;
            return;
        }
        match read(frame) {
            Content::Raw(_) if frame.len() > MOST_LOW && is_low(frame) => out.counts[bad::SPARED] += 1,
            Content::Raw(reason) => out.raw.push((frame.to_vec(), reason)),
            Content::Bad(which) => out.counts[which] += 1,
            Content::Tcp(..) if frame[0] & 1 == 1 => out.counts[bad::STRANGE] += 1,
            Content::Tcp(tuple, tcp) => {
                let owner = (0..)
                    .zip(&mut self.conns)
                    .find_map(|(qp, conn)| conn.as_mut().filter(|c| c.tuple == tuple).map(|c| (qp, c)));
                match owner {
                    None => out.raw.push((frame.to_vec(), 5)),
                    Some((_, conn)) if vid(conn.vlan) != vid(tag(frame)) => out.counts[bad::STRANGE] += 1,
                    Some((qp, conn)) => conn.segment(qp, tcp, out),
                }
            }
        }
    }
}

impl Model {
    /// Firmware tells: ACK and window count as those of a segment that comes now.
    pub fn told(&mut self, told: Told) {
        let Told { qp, seq, ack, window, ack_now } = told;
        let Some(conn) = self.conns.get_mut(usize::from(qp)).and_then(Option::as_mut) else { return };
        let mut fact = Fact { qp, ack_now, ..Fact::default() };
        let mut rationed = false;
        if conn.is_impossible(ack) {
            self.expected.counts[bad::ACK] += 1;
            (fact.ack_now, rationed) = (true, !ack_now);
        } else {
            conn.acknowledged(&mut fact, (seq, ack), window, false);
        }
        if fact != (Fact { qp, ..Fact::default() }) {
            self.expected.facts.push((fact, rationed));
        }
    }
}

impl Conn {
    /// RFC 9293 section 3.10.7.4 with RFC 5961, in its order.
    fn segment(&mut self, qp: u8, tcp: &[u8], out: &mut Outcome) {
        let (seq, ack, flags) = (be32(tcp, 4), be32(tcp, 8), tcp[13]);
        let data = &tcp[usize::from(tcp[12] >> 4) * 4..];
        let has = |flag: u8| flags & flag != 0;
        let length = data.len() as i64 + i64::from(has(FIN)) + i64::from(has(SYN));
        let at = distance(seq, self.rcv_nxt);
        let inside = |place: i64| (0..i64::from(WINDOW)).contains(&place);
        let mut fact = Fact { qp, ..Fact::default() };
        let mut rationed = false;
        if has(URG) {
            out.counts[bad::URGENT] += 1;
        }
        let acceptable = inside(at) || (length > 0 && inside(at + length - 1));
        if !acceptable {
            out.counts[bad::OUTSIDE] += 1;
            fact.ack_now = !has(RST);
            // an answer to an ACK may be withheld, one to text or to a probe of the window may not
            let probes = at == -1 && has(ACK) && !has(SYN) && !self.is_impossible(ack);
            rationed = !has(RST) && data.is_empty() && !has(FIN) && !probes;
        } else if has(RST) || has(SYN) {
            if has(RST) && at == 0 {
                out.events.push((qp, 1));
            } else {
                out.facts.push((Fact { ack_now: true, ..fact }, true));
            }
            return;
        } else if !has(ACK) {
            out.counts[bad::ACK] += 1;
        } else if self.is_impossible(ack) {
            out.counts[bad::ACK] += 1;
            (fact.ack_now, rationed) = (true, true);
        } else {
            let window = (be16(tcp, 14) as u32) << self.scale;
            let still = ack == self.una && self.snd_nxt != self.una;
            fact.is_dup = still && length == 0 && window == self.window;
            // a pure ACK with nothing in flight may answer a probe
            let answers = length == 0 && self.snd_nxt == self.una;
            self.acknowledged(&mut fact, (seq, ack), window, answers);
            if length > 0 {
                self.text(&mut fact, seq, data, has(FIN), out);
            }
        }
        if fact != (Fact { qp, ..Fact::default() }) {
            out.facts.push((fact, rationed));
        }
    }

    /// An ACK of what was not sent, or older than any window.
    fn is_impossible(&self, ack: u32) -> bool {
        distance(ack, self.snd_nxt) > 0 || distance(self.una, ack) > i64::from(self.most)
    }

    /// ACK and window of a segment that may be looked at.
    fn acknowledged(&mut self, fact: &mut Fact, (seq, ack): (u32, u32), window: u32, answers: bool) {
        let advance = distance(ack, self.una);
        let later = distance(seq, self.wl1);
        if advance >= 0 && (later > 0 || (later == 0 && distance(ack, self.wl2) >= 0)) {
            fact.window = (window != self.window || answers).then_some(window);
            (self.wl1, self.wl2, self.window) = (seq, ack, window);
            self.most = self.most.max(window);
        }
        if advance > 0 {
            fact.ack = Some(ack);
            self.una = ack;
        }
    }

    /// Data and FIN.
    fn text(&mut self, fact: &mut Fact, seq: u32, data: &[u8], fin: bool, out: &mut Outcome) {
        let at = distance(seq, self.rcv_nxt);
        if at > 0 {
            out.counts[bad::GAP] += 1;
            fact.ack_now = true;
            return;
        }
        let fresh = &data[-at as usize..];
        if self.closed {
            out.counts[bad::OUTSIDE] += 1;
            if !fresh.is_empty() && !std::mem::replace(&mut self.late, true) {
                out.events.push((fact.qp, 3));
            }
            return;
        }
        let kept = &fresh[..fresh.len().min(WINDOW as usize)];
        let end = fin && kept.len() == fresh.len();
        out.texts.push(Text { qp: fact.qp, seq: self.rcv_nxt, end, octets: kept.to_vec() });
        self.rcv_nxt = self.rcv_nxt.wrapping_add(kept.len() as u32 + u32::from(end));
        if end {
            self.closed = true;
        }
    }
}
