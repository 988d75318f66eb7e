// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules of TCP across the hand-over (RFC 9293 section 3.10.7, RFC 5961): a peer that says odd
//! things before, during and after the moment at which the hardware takes a connection over,
//! through driver, firmware and Verilog.
use ferrowarp::Listener;
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::device::Delays;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::proves::proves;
use std::time::Duration;

/// Frames that the longest hand-over takes.
const FRAMES: u32 = 9;

/// In which what is owed is acknowledged, and a challenge ACK may be sent again.
const QUIET: Duration = Duration::from_millis(50);

/// What the peer says that TCP has a rule for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Odd {
    /// Octets that it has said before: an ACK.
    Old,
    /// Octets behind a gap: an ACK of what is there.
    Gap,
    /// Octets beyond the window: an ACK.
    Beyond,
    /// It acknowledges what was never sent: an ACK.
    AckAhead,
    /// A reset that is not at RCV.NXT, but in the window: an ACK (RFC 5961 section 3.2).
    ResetInWindow,
    /// A reset outside the window: nothing.
    ResetBeyond,
    /// A SYN in the window: an ACK (RFC 5961 section 4.2).
    Syn,
    /// A segment without ACK: nothing.
    NoAck,
}

/// See [`Odd::answers`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Answers {
    Never,
    Once,
    Always,
}

const ODDS: [Odd; 8] = [
    Odd::Old,
    Odd::Gap,
    Odd::Beyond,
    Odd::AckAhead,
    Odd::ResetInWindow,
    Odd::ResetBeyond,
    Odd::Syn,
    Odd::NoAck,
];

impl Odd {
    /// The segment; `last` is what the peer said last.
    fn segment(self, lab: &Lab, last: &[u8]) -> Seg {
        let seg = lab.peer.seg();
        let (seq, next) = (seg.seq, lab.peer.rcv_nxt);
        match self {
            Self::Old => Seg { data: last.to_vec(), seq: seq.wrapping_sub(last.len() as u32), ..seg },
            Self::Gap => Seg { data: vec![0xDB; 20], seq: seq.wrapping_add(40), ..seg },
            Self::Beyond => Seg { data: vec![0xDB; 20], seq: seq.wrapping_add(0x100_0000), ..seg },
            Self::AckAhead => Seg { ack: Some(next.wrapping_add(0x10_0000)), ..seg },
            Self::ResetInWindow => Seg { rst: true, seq: seq.wrapping_add(1_000), ..seg },
            Self::ResetBeyond => Seg { rst: true, seq: seq.wrapping_add(0x100_0000), ..seg },
            Self::Syn => Seg { syn: true, ack: None, ..seg },
            Self::NoAck => Seg { ack: None, data: vec![0xDB; 20], ..seg },
        }
    }

    /// How often it is answered: never, each time unless a hand-over goes on, or at least once,
    /// since challenge ACKs are throttled (RFC 5961 section 7).
    fn answers(self) -> Answers {
        match self {
            Self::ResetBeyond | Self::NoAck => Answers::Never,
            Self::AckAhead | Self::ResetInWindow | Self::Syn => Answers::Once,
            _ => Answers::Always,
        }
    }

    /// The peer says it; while a hand-over drains the ring, firmware leaves octets to be brought
    /// again, so that the peer insists. Up to `owed` ACKs are for what it said before. Whether
    /// others came.
    fn say(self, lab: &mut Lab, last: &[u8], owed: usize) -> bool {
        let seg = self.segment(lab, last);
        let before = lab.peer.log.len();
        let answers = |lab: &Lab| lab.peer.log[before..].iter().filter(|seg| seg.data.is_empty()).count();
        for _ in 0..3 {
            lab.send(&seg);
            lab.sync();
        }
        if self.answers() == Answers::Always && answers(lab) <= owed {
            lab.until("an ACK", |lab| {
                lab.send(&seg);
                lab.pause(Duration::from_millis(20));
                answers(lab) > owed
            });
        }
        // frames that let a hand-over go on
        (0..FRAMES).for_each(|_| lab.sync());
        let answered = answers(lab) > owed;
        assert!(!answered || self.answers() != Answers::Never, "{self:?}: {:?}", lab.peer.log.last());
        answered
    }
}

/// Rules for everything that the device has sent on a connection.
fn obeys(lab: &Lab, odd: Odd) {
    let log = &lab.peer.log;
    let syn = log.iter().find(|seg| seg.syn).expect("its SYN");
    let (mut next, mut ack, mut edge) = (syn.seq.wrapping_add(1), None, None::<u32>);
    let mut stream: Vec<u8> = vec![];
    let is_behind = |a: u32, b: u32| b.wrapping_sub(a) < 1 << 31;
    for seg in log.iter().filter(|seg| !seg.syn) {
        assert!(!seg.rst, "{odd:?}: {seg:?}");
        let acked = seg.ack.expect("every segment of an open connection has ACK");
        assert!(ack.is_none_or(|ack| is_behind(ack, acked)), "{odd:?}: RCV.NXT went back: {log:?}");
        assert!(is_behind(acked, lab.peer.snd_nxt), "{odd:?}: it acknowledges what was not said: {seg:?}");
        ack = Some(acked);
        // window scale 0: the peer has not offered it
        let right = acked.wrapping_add(seg.window.into());
        assert!(edge.is_none_or(|edge| is_behind(edge, right)), "{odd:?}: the window shrank: {log:?}");
        edge = Some(right);
        // octets follow on each other, or are those of before
        let begin = syn.seq.wrapping_add(1);
        let at = seg.seq.wrapping_sub(begin) as usize;
        assert!(is_behind(seg.seq, next), "{odd:?}: a hole before {seg:?}");
        let known = stream.len().saturating_sub(at).min(seg.data.len());
        assert_eq!(stream[at..at + known], seg.data[..known], "{odd:?}: other octets than before");
        stream.extend(&seg.data[known..]);
        next = begin.wrapping_add(stream.len() as u32);
    }
}

/// The device has its Reply; the hand-over takes some frames, and the peer talks in it or behind
/// it. Whether an odd segment was answered.
fn initiator(lab: &mut Lab, port: u16, odd: Odd, delays: Option<Delays>) -> bool {
    lab.meet(port, 0xFFFF_F000);
    let (cq, qp) = lab.queue_pair();
    let (remote, ours) = (lab.peer.ours, qp.clone());
    let app = lab.app(move |device| device.connect(&ours, remote, options()));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    lab.peer.inbox.clear();
    let reply = Frame::reply().enhanced(CLIENT).octets();
    lab.backend.delay(delays.unwrap_or_default());
    lab.say(&reply);
    let mut answered = false;
    if delays.is_some() {
        lab.until("conn_insert", |lab| lab.backend.has_begun());
        answered = odd.say(lab, &reply, 2);
    }
    let connection = lab.finish("the connection", app).expect("a good Reply");
    if delays.is_none() {
        lab.pause(QUIET);
        answered = odd.say(lab, &reply, 0);
    }
    let ours = Talk::over(lab, cq, connection);
    ours.works(lab);
    answered |= odd.say(lab, &empty_write(), 0);
    ours.works(lab);
    obeys(lab, odd);
    answered
}

/// The device has a Request, which its application accepts; the peer talks before that, while the
/// row comes in, or behind it. Whether an odd segment was answered.
fn responder(lab: &mut Lab, listener: &Listener, port: u16, odd: Odd, delays: Option<Delays>) -> bool {
    lab.meet(port, 0xFFFF_F000);
    let (cq, qp) = lab.queue_pair();
    lab.backend.delay(delays.unwrap_or_default());
    let request = Frame::request().enhanced(CLIENT);
    let app = Talk::accept(lab, listener, &qp, options(), &request);
    let mut answered = false;
    if delays.is_some() {
        lab.until("conn_insert", |lab| lab.backend.has_begun());
        answered = odd.say(lab, &request.octets(), 2);
    }
    lab.reply();
    if delays.is_none() {
        lab.pause(QUIET);
        answered = odd.say(lab, &request.octets(), 0);
    }
    lab.say(&empty_write());
    let connection = lab.finish("the connection", app).expect("a good first FPDU");
    let ours = Talk::over(lab, cq, connection);
    ours.works(lab);
    obeys(lab, odd);
    answered
}

#[test]
fn the_rules_of_tcp_hold_across_the_hand_over() {
    let _proof = proves("MPA-7.1.5-05");
    // the row is in before the odd segments, comes in before, among and behind them, or is answered
    // late
    let points =
        [(0, 0), (2, 2), (FRAMES, 0), (0, FRAMES)].map(|(visible, answer)| Some(Delays { visible, answer }));
    for odd in ODDS {
        // a device of its own: a challenge ACK is throttled by the device's clock, which is slow
        let mut lab = Lab::new(&format!("tcp-{odd:?}"));
        let listener = lab.device.listen(PORT, 8).expect("a free port");
        let (mut answered, mut port) = (false, 22_000);
        for delays in [None].into_iter().chain(points) {
            port += 2;
            answered |= initiator(&mut lab, port, odd, delays);
            answered |= responder(&mut lab, &listener, port + 1, odd, delays);
        }
        assert_eq!(answered, odd.answers() != Answers::Never, "{odd:?}");
    }
}
