// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both ends of a TCP connection, judged by the frames of their link alone.
//!
//! The judge is plain code after RFC 9293, 5681, 6298, 6582, 3465, 6928 and 8985. It shares nothing
//! with the device. Where the device's own document (`hdl/src/tcp/README.md`) departs from an RFC,
//! the rule here says so. [`judge`] gets the frames with the time at which each left and arrived.
//! It returns [`Finding`]s: none if all is right.
//!
//! - `segment`: what a frame says of TCP. `frame`: when frames arrive.
//! - `sender`: rules S1 to S6. `stream`: octets that have left. `window`: the congestion window.
//!   `timer`: when the timer may and must expire. `estimate`: SRTT and RTTVAR.
//! - `receiver`: rules R1 to R5. [`trace`]: traces written by hand.
//!
//! **Time.** An end may know of a segment from its arrival on. A device decides before a segment
//! leaves. So a rule that allows something looks back: by [`INSIDE_PS`], and farther while the port
//! was busy without a pause, but no farther than [`QUEUE_PS`]. Timers know less: [`KNOWN_PS`] and
//! [`HEADER_PS`]. A rule that demands something waits for [`Rules::answer_ps`],
//! [`Rules::stored_ps`], or for a time that the timers tell and [`INSIDE_PS`], or [`TURNS_PS`]
//! while the port is busy.
//!
//! **Not seen.** A connection with a RST is judged up to the RST. SYNs, options, SACK and the times
//! of window probes are not judged. A frame that the receiver had no room for counts as arrived.

mod estimate;
mod finding;
mod frame;
mod past;
mod receiver;
mod segment;
mod sender;
mod stream;
mod timer;
pub mod trace;
mod window;

pub use finding::{Finding, Rule};
pub use frame::{frames, Changes, Frame, FrameError};
pub use segment::{flag, Segment};

use ferrowarp_sim::Side;
use receiver::Receiver;
use sender::Sender;
use std::collections::HashMap;
use std::net::SocketAddr;

/// Picoseconds of a microsecond.
const US: u64 = 1_000_000;
/// From a decision to the departure of its segment at most, while the port is idle: the payload
/// comes from the host's memory.
pub const INSIDE_PS: u64 = 5 * US;
/// The same at most, while the port is busy: a device decides of so many segments before they
/// leave.
pub const QUEUE_PS: u64 = 80 * US;
/// From an expiry to the departure of its segment at most, while the port is busy: what leaves
/// again waits for the turns of other connections, too.
pub const TURNS_PS: u64 = 150 * US;
/// The port is busy for so long with a frame, and a pause behind it.
const FRAME_PS: u64 = 2 * US;
/// From the arrival of a segment to what the timers know of it, at most.
pub const KNOWN_PS: u64 = US;
/// From a segment's header to its departure at most.
pub const HEADER_PS: u64 = US / 2;
/// From the arrival of a segment out of order to its ACK at most, beside no other connection.
pub const ANSWER_PS: u64 = 3 * US;

/// How one end of a connection is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// SMSS, the greatest if it changes.
    pub smss: u64,
    /// It has a congestion window: S4.
    pub congestion: bool,
    /// The window is the initial one at most behind idle time (RFC 5681 section 4.1).
    pub restart: bool,
    /// Three duplicate ACKs make octets leave again.
    pub fast: bool,
    /// A lost tail is probed.
    pub probe: bool,
    /// Picoseconds of a unit of its timers.
    pub unit_ps: u64,
    /// Picoseconds between two steps of their clock, which counts units.
    pub grain_ps: u64,
    /// Units of the least RTO beyond SRTT; 0: no timer expires.
    pub rto_min: u64,
    /// The same when the connection began.
    pub first_rto_min: u64,
    /// Expiries in a row that end the connection.
    pub retry_limit: u32,
    /// Units of the round trip that the handshake has shown; 0: it is not known.
    pub rtt: u64,
    /// From the arrival of a segment out of order to its ACK, at most: [`ANSWER_PS`] of a
    /// connection that is alone.
    pub answer_ps: u64,
    /// From the arrival of a segment in order to an ACK that waits for nothing else, at most: its
    /// octets go to the host's memory.
    pub stored_ps: u64,
    /// Longest wait of an ACK for a second segment, beyond that.
    pub ack_delay_ps: u64,
}

/// A connection, established when its frames begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conn {
    /// Address and port of both ends.
    pub ends: [SocketAddr; 2],
    /// Sequence number of the first octet of each.
    pub starts: [u32; 2],
    /// Octets of the window that each offers at first.
    pub windows: [u64; 2],
    /// Shift of the windows that each offers.
    pub scales: [u8; 2],
    /// How each is set up.
    pub rules: [Rules; 2],
}

/// When the port of each end begins a frame, in the order of time.
struct Ports([Vec<u64>; 2]);

impl Ports {
    fn new(frames: &[Frame]) -> Self {
        let began = |side| frames.iter().filter(|f| f.from == side).map(|f| f.began_ps).collect();
        Self(Side::BOTH.map(began))
    }

    /// From an expiry at `at_ps` to the departure of its segment at most.
    fn inside_ps(&self, at: usize, at_ps: u64) -> u64 {
        let began = &self.0[at];
        let before = began.partition_point(|began_ps| *began_ps <= at_ps).checked_sub(1);
        match before {
            Some(n) if began[n] + FRAME_PS >= at_ps => TURNS_PS,
            _ => INSIDE_PS,
        }
    }
}

/// Findings of one end, as they are made.
struct Found<'a> {
    conn: &'a Conn,
    ports: &'a Ports,
    at: usize,
    frame: usize,
    all: &'a mut Vec<Finding>,
}

impl Found<'_> {
    /// From an expiry of this end's timer at `at_ps` to the departure of its segment at most.
    fn inside_ps(&self, at_ps: u64) -> u64 {
        self.ports.inside_ps(self.at, at_ps)
    }

    /// What a frame shows.
    fn add(&mut self, rule: Rule, at_ps: u64, seen: String, allowed: String) {
        self.put(rule, at_ps, Some(self.frame), seen, allowed);
    }

    /// What no frame shows.
    fn late(&mut self, rule: Rule, at_ps: u64, seen: String, allowed: String) {
        self.put(rule, at_ps, None, seen, allowed);
    }

    fn put(&mut self, rule: Rule, at_ps: u64, frame: Option<usize>, seen: String, allowed: String) {
        let Conn { ends, .. } = self.conn;
        let (side, ends) = (Side::BOTH[self.at], [ends[self.at], ends[1 - self.at]]);
        self.all.push(Finding { rule, side, ends, at_ps, frame, seen, allowed });
    }
}

/// A frame leaves an end, or comes to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at_ps: u64,
    /// What comes is known to what leaves at the same time.
    leaves: bool,
    frame: usize,
}

/// The frames of one connection: what happens, and what each end sends.
#[derive(Default)]
struct Log {
    events: Vec<Event>,
    /// Segments with octets that each end sends.
    sent: [Vec<Sent>; 2],
}

/// A segment with octets that an end sends.
#[derive(Clone, Copy)]
struct Sent {
    left_ps: u64,
    /// When the end decided of it, at the earliest.
    decided_ps: u64,
    /// Sequence number behind its last octet.
    end: u32,
}

/// When the end that sent a frame decided of it, at the earliest.
fn decided_ps(frame: &Frame) -> u64 {
    let free_ps = frame.busy_ps.saturating_sub(INSIDE_PS);
    free_ps.max(frame.began_ps.saturating_sub(QUEUE_PS))
}

/// Judges both ends of each connection by the frames of their link, up to `end_ps`. The findings
/// are in the order of time. End 0 of a connection is [`Side::A`].
pub fn judge(frames: &[Frame], conns: &[Conn], end_ps: u64) -> Vec<Finding> {
    let mut by_ends = HashMap::new();
    for (n, conn) in conns.iter().enumerate() {
        let [a, b] = conn.ends;
        by_ends.insert([a, b], (n, 0));
        by_ends.insert([b, a], (n, 1));
    }
    let mut logs: Vec<Log> = conns.iter().map(|_| Log::default()).collect();
    for (n, frame) in frames.iter().enumerate() {
        let Some(segment) = Segment::read(&frame.data).filter(|s| !s.has(flag::SYN)) else { continue };
        let Some(&(conn, from)) = by_ends.get(&segment.ends) else { continue };
        let log = &mut logs[conn];
        log.events.push(Event { at_ps: frame.began_ps, leaves: true, frame: n });
        let comes = |at_ps: &u64| Event { at_ps: *at_ps, leaves: false, frame: n };
        log.events.extend(frame.arrived_ps.iter().map(comes));
        if segment.length() > 0 {
            let end = segment.seq.wrapping_add(segment.length() as u32);
            let decided_ps = decided_ps(frame);
            log.sent[from].push(Sent { left_ps: frame.began_ps, decided_ps, end });
        }
    }
    let ports = Ports::new(frames);
    let mut all = vec![];
    for (conn, mut log) in conns.iter().zip(logs) {
        log.events.sort_unstable();
        one(frames, &ports, conn, &log, end_ps, &mut all);
    }
    all.sort_by_key(|finding| finding.at_ps);
    all
}

/// Judges one connection.
fn one(frames: &[Frame], ports: &Ports, conn: &Conn, log: &Log, end_ps: u64, all: &mut Vec<Finding>) {
    let mut senders = [0, 1].map(|at| Sender::new(conn, at));
    let mut receivers = [0, 1].map(|at| Receiver::new(conn, at));
    // of what each end sends, the first that leaves behind the present time
    let mut ahead = [0; 2];
    let until = |at_ps, senders: &mut [Sender; 2], receivers: &mut [Receiver; 2], all: &mut Vec<_>| {
        for at in 0..2 {
            let found = &mut Found { conn, ports, at, frame: 0, all };
            senders[at].until(at_ps, found);
            receivers[at].until(at_ps, found);
        }
    };
    for &Event { at_ps, leaves, frame } in &log.events {
        until(at_ps, &mut senders, &mut receivers, all);
        let (sent, from) = (&frames[frame], frames[frame].from as usize);
        let octets = match &sent.changed {
            Some(changed) if !leaves => changed,
            _ => &sent.data,
        };
        let Some(segment) = Segment::read(octets) else { continue };
        if segment.has(flag::RST) {
            return;
        }
        if leaves {
            let found = &mut Found { conn, ports, at: from, frame, all };
            receivers[from].leaves(at_ps, &segment, found);
            senders[from].leaves([decided_ps(sent), at_ps], &segment, found);
            continue;
        }
        let to = 1 - from;
        if receivers[to].comes(at_ps, &segment) {
            let sent = &log.sent[to];
            ahead[to] += sent[ahead[to]..].iter().take_while(|sent| sent.left_ps <= at_ps).count();
            let first = ahead[to].saturating_sub(1);
            let near = sent[first..].iter().take_while(|sent| sent.decided_ps <= at_ps);
            senders[to].comes(at_ps, &segment, near.map(|sent| sent.end));
        }
    }
    until(end_ps, &mut senders, &mut receivers, all);
}
