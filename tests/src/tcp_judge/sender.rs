// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender's side of a connection: rules S1 to S6.
use super::past::Past;
use super::segment::{flag, Segment};
use super::stream::{place, Stream, ORIGIN};
use super::timer::{Expiry, Timer};
use super::window::Window;
use super::{Conn, Found, Rule, Rules};

/// Duplicate ACKs behind which octets leave again (RFC 5681 section 3.2).
const DUPLICATES: usize = 3;

/// What one end sends, judged by the ACKs that have come to it.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    rules: Rules,
    start: u32,
    peer_start: u32,
    scale: u8,
    stream: Stream,
    una: Past,
    /// Right edge of the offered window: the greatest that came.
    offered: u64,
    /// SND.WND, SND.WL1 and SND.WL2.
    wnd: u64,
    wl: [u64; 2],
    window: Window,
    timer: Timer,
    /// When duplicate ACKs of this SND.UNA came; none counts while `echoes`.
    duplicates: Vec<u64>,
    echoes: bool,
    /// Third duplicates after which nothing has left again, and when the newest came.
    fires: u32,
    fired_ps: u64,
    /// All was acknowledged then. What was decided before may still leave again.
    drained_ps: Option<u64>,
    /// Octets leave again, and this place is due.
    again: Option<u64>,
    /// SND.NXT when octets began to leave again.
    recover: u64,
    /// SND.NXT when third duplicates asked for that, which RFC 6582 calls `recover`. Octets of an
    /// earlier resend may leave in between, so that the sender may know either place.
    asked: u64,
    /// SND.UNA has not come there.
    repairs: bool,
}

impl Sender {
    /// Of the end `at` of a connection.
    pub(super) fn new(conn: &Conn, at: usize) -> Self {
        let rules = conn.rules[at];
        Self {
            rules,
            start: conn.starts[at],
            peer_start: conn.starts[1 - at],
            scale: conn.scales[1 - at],
            stream: Stream::new(),
            una: Past::new(ORIGIN),
            offered: ORIGIN + conn.windows[1 - at],
            wnd: conn.windows[1 - at],
            wl: [ORIGIN; 2],
            window: Window::new(rules.smss, ORIGIN),
            timer: Timer::new(rules),
            duplicates: vec![],
            echoes: false,
            fires: 0,
            fired_ps: 0,
            drained_ps: None,
            again: None,
            recover: ORIGIN,
            asked: ORIGIN,
            repairs: false,
        }
    }

    fn flight(&self) -> u64 {
        self.stream.ends.saturating_sub(self.una.now())
    }

    /// An acceptable segment of the peer has come. `soon` are the sequence numbers behind what left
    /// last, and behind what leaves soon and may know nothing of this segment.
    pub(super) fn comes(&mut self, at_ps: u64, segment: &Segment<'_>, soon: impl Iterator<Item = u32>) {
        let una = self.una.now();
        let ack = place(self.start, una, segment.ack);
        if !segment.has(flag::ACK) || ack > self.stream.ends {
            return;
        }
        let wnd = u64::from(segment.window) << self.scale;
        let seq = place(self.peer_start, self.wl[0], segment.seq);
        let is_same = wnd == self.wnd;
        if ack >= una && [seq, ack] >= self.wl {
            (self.wnd, self.wl) = (wnd, [seq, ack]);
        }
        self.offered = self.offered.max(ack + wnd);
        if ack > una {
            let ends = soon.map(|number| place(self.start, una, number)).max();
            self.advance(at_ps, ack, ends.unwrap_or(una));
        } else if ack == una && self.flight() > 0 && segment.length() == 0 && is_same {
            self.duplicate(at_ps);
        }
    }

    fn advance(&mut self, at_ps: u64, una: u64, ends: u64) {
        let before = self.una.now();
        self.window.acknowledged(at_ps, before, una - before, ends);
        self.una.set(at_ps, una);
        self.stream.forget(una.saturating_sub(1 << 20));
        self.timer.acknowledged(at_ps, una, self.flight());
        self.duplicates.clear();
        self.echoes = una == self.recover;
        self.repairs &= una < self.recover;
        self.drained_ps = (self.flight() == 0).then_some(at_ps);
    }

    fn duplicate(&mut self, at_ps: u64) {
        self.duplicates.push(at_ps);
        let lends = self.rules.fast && self.duplicates.len() < DUPLICATES;
        self.window.lend(at_ps, if lends { self.duplicates.len() as u64 } else { 0 });
        let is_echo = self.echoes && self.una.now() == self.asked;
        if self.duplicates.len() != DUPLICATES || is_echo || !self.rules.fast {
            return;
        }
        // whether the sender takes them for echoes is not known: no smaller window is demanded, and
        // its timer may go on
        if !self.echoes {
            self.timer.duplicates(at_ps, self.flight());
            self.lose(at_ps, false);
        }
        (self.fires, self.fired_ps, self.drained_ps) = (self.fires + 1, at_ps, None);
        (self.recover, self.asked) = (self.stream.ends, self.stream.ends);
    }

    /// The congestion window shrinks: once until SND.UNA comes to `recover`, or by the timer.
    fn lose(&mut self, at_ps: u64, by_timer: bool) {
        if by_timer || !self.repairs {
            self.window.lost(at_ps, self.una.now(), by_timer);
        }
        self.repairs = true;
    }

    /// A segment leaves at the second of these times. Its sender has decided of it since the first
    /// one.
    pub(super) fn leaves(&mut self, times: [u64; 2], segment: &Segment<'_>, found: &mut Found<'_>) {
        let [from_ps, at_ps] = times;
        if self.drained_ps.is_some_and(|drained_ps| drained_ps < from_ps) {
            (self.fires, self.again, self.drained_ps) = (0, None, None);
        }
        let ends = self.stream.ends;
        let at = place(self.start, ends, segment.seq);
        let length = segment.length();
        if length == 0 {
            if at + 1 == ends {
                self.timer.persist();
            } else if at != ends {
                let seen = format!("a segment without octets at {}", shown(at));
                found.add(Rule::Place, at_ps, seen, format!("at {} or one before", shown(ends)));
            }
            return;
        }
        let end = at + length;
        let una = self.una.least(from_ps);
        let is_placed = at <= ends && (at == ends || at >= una);
        if !is_placed {
            let seen = format!("octets {} to {}", shown(at), shown(end));
            found.add(Rule::Place, at_ps, seen, format!("{} to {} as the first", shown(una), shown(ends)));
        }
        if end > self.offered {
            let allowed = format!("up to {}", shown(self.offered));
            found.add(Rule::Offered, at_ps, format!("octets up to {}", shown(end)), allowed);
        }
        if at < ends && is_placed {
            self.leaves_again(times, [at, end], found);
        } else if at >= ends {
            let (is_first, fires) = (self.una.now() >= ends, self.fires > 0);
            if let Some(over_ps) = self.timer.rested(from_ps).filter(|_| is_first && self.rules.restart) {
                self.window.rested(over_ps, ends);
            }
            self.timer.leaves(at_ps, end, end.saturating_sub(self.una.now()), is_first, fires);
        }
        let edge = self.window.edge(from_ps, at < ends);
        if self.rules.congestion && end > edge {
            let allowed = format!("up to {}, SND.UNA is {}", shown(edge), shown(self.una.now()));
            found.add(Rule::Congestion, at_ps, format!("octets up to {}", shown(end)), allowed);
        }
        let fin = u64::from(segment.has(flag::FIN));
        if let Some(other) = self.stream.leave(at, segment.payload, fin) {
            let seen = format!("octet {} is another one", shown(other));
            found.add(Rule::Octets, at_ps, seen, "what left first".into());
        }
        if at >= ends && self.fires > 0 {
            self.recover = self.stream.ends;
        }
    }

    fn leaves_again(&mut self, times: [u64; 2], [at, end]: [u64; 2], found: &mut Found<'_>) {
        let (una, ends) = (self.una.now(), self.stream.ends);
        let goes_on = self.again.is_some_and(|due| (due..=due.max(una)).contains(&at));
        if !goes_on {
            self.begin_again(times, at, found);
        } else if at == una && times[0] > self.fired_ps {
            // these are the octets that the duplicates asked for
            self.fires = 0;
        }
        self.again = (end < ends).then_some(end);
    }

    fn begin_again(&mut self, times: [u64; 2], at: u64, found: &mut Found<'_>) {
        let [from_ps, at_ps] = times;
        let may = [self.una.least(from_ps), self.una.now()];
        let by_duplicates = self.fires > 0;
        let told = self.timer.told(at_ps);
        let expiry = self.timer.expiry(times);
        if !(may[0]..=may[1]).contains(&at) {
            let allowed =
                format!("{}, or what is due: {:?}", may.map(shown).join(" to "), self.again.map(shown));
            found.add(Rule::Reason, at_ps, format!("octets leave again from {} on", shown(at)), allowed);
        } else if !by_duplicates && expiry.is_none() {
            let seen = format!("octets leave again, duplicate ACKs: {}, {told}", self.duplicates.len());
            found.add(Rule::Reason, at_ps, seen, "after three duplicate ACKs, a probe's time, an RTO".into());
        }
        if by_duplicates {
            self.fires -= 1;
        } else if self.flight() > 0 {
            self.asked = self.stream.ends;
            let by_timer = expiry == Some(Expiry::Timer);
            self.lose(at_ps, by_timer);
            if by_timer {
                self.duplicates.retain(|came_ps| *came_ps >= from_ps);
                self.echoes = false;
            }
        }
        let cause = match (by_duplicates, expiry) {
            (false, _) => expiry,
            // echoes to the sender, whose timer then expired
            (true, Some(_)) if self.echoes => Some(Expiry::Either),
            (true, _) => None,
        };
        self.timer.again(at_ps, self.flight(), cause);
        if self.flight() > 0 {
            self.recover = self.stream.ends;
        }
    }

    /// Time has come to `at_ps`. Octets that the peer's newest window does not take are not missed.
    pub(super) fn until(&mut self, at_ps: u64, found: &mut Found<'_>) {
        if self.flight() == 0 || self.wnd < self.rules.smss {
            return;
        }
        let Some([over_ps, most_ps]) = self.timer.overdue(at_ps) else { return };
        let inside_ps = found.inside_ps(over_ps);
        let until_ps = over_ps + inside_ps;
        if until_ps < at_ps {
            let una = shown(self.una.now());
            let seen = format!("octets from {una} on have not left again by {} ns", until_ps / 1_000);
            let allowed = format!("an RTO of {} ns, {} ns inside", most_ps / 1_000, inside_ps / 1_000);
            found.late(Rule::Mended, until_ps, seen, allowed);
            self.timer.tell();
        }
    }
}

/// A place as an offset from the first octet.
pub(super) fn shown(at: u64) -> String {
    (at as i64 - ORIGIN as i64).to_string()
}
