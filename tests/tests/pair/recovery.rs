// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices 5 us apart, with the timers of a card: a lost tail, a lost opening of a window, the
//! first octets of a connection, a small window.
//!
//! Time is the device's own. A unit of the timers is 10 us. An ACK waits 200 us, as after a reset.
//! Trains have an even number of segments: the ACK of one is late.
use ferrowarp_abi::host::conn_row::first_window_log2;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{model, run_pair_on, Library, LinkConfig, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, config, library, link, rewrite, stranger, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND,
};
use ferrowarp_tests::tcp_judge::Changes;
use std::sync::{Arc, Mutex, PoisonError};

/// Nanoseconds on the way.
const DELAY_NS: u64 = 5_000;
/// Picoseconds of a microsecond, and of a unit of the estimator.
const US: u64 = 1_000_000;
const UNIT: u64 = 10 * US;
/// Octets of a full segment, and of a Write's payload in one; a Send's payload has four less.
const SEGMENT: u32 = 1_460;
const WRITTEN: usize = 1_440;
/// Of TCP's header in a frame of IPv4 without VLAN: acknowledgment number, window.
const ACK: usize = 14 + 20 + 8;
const WINDOW: usize = 14 + 20 + 14;
/// Units that the timer waits beyond the round trip: where its time is judged, and for ever.
const SOON: u64 = 20;
const NEVER: u64 = 65_535;
/// Parts of the register `recovery`.
const ALL: u64 = 7;
const NO_CONGESTION: u64 = 6;
const NO_PROBE: u64 = 3;

/// Runs a case on two fresh devices.
fn far(name: &str, library: &Arc<Library>, body: impl Fn(&mut Pair) -> Result<(), String>) {
    run_pair_on(name, library, LinkConfig { delay_ns: DELAY_NS, ..link() }, 1, body);
}

/// One connection, and timers in the device's own time.
fn traffic(pair: &mut Pair, window_log2: u32, rto_min: u64) -> Result<Traffic, String> {
    let (wires, numbers) = (vec![Wire::plain(0, 1_500, window_log2)], vec![5]);
    let timing = MemoryTiming::steady(clock_ps());
    pair.link.capture();
    let traffic = Traffic::new(pair, Plan { wires, numbers, timing, longest: 20_000, budget: 80_000 })?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("tick_use_pin", 0);
        bench.set("rto_min", rto_min);
        bench.set("retry_limit", 15);
        bench.set("ack_delay", 20);
    }
    Ok(traffic)
}

/// Writes of four segments that the estimator takes to know the round trip.
const KNOWN: u8 = 6;

/// The same behind these Writes.
fn measured(pair: &mut Pair, rto_min: u64) -> Result<Traffic, String> {
    let mut traffic = traffic(pair, 14, rto_min)?;
    for n in 0..KNOWN {
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; 4 * WRITTEN]));
        traffic.until_settled(pair, cycles(100 * US))?;
    }
    Ok(traffic)
}

/// Cycles of so many picoseconds.
fn cycles(ps: u64) -> u64 {
    ps / clock_ps()
}

/// The frame is A's, and has payload.
fn is_data(sent: &Sent<'_>) -> bool {
    sent.from == Side::A && sent.data.len() > 200
}

/// B has an octet for a second time, and answers with an ACK at once.
fn provoke(pair: &mut Pair) {
    let wire = Wire::plain(0, 1_500, 14);
    let [a, b] = wire.ends.map(|end| end.seq_start);
    pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), stranger(&wire, 0, a, b, &[0]));
}

/// Completions are owed in a case without what mends the loss.
fn owed(without: &str, done: Result<(), String>) -> Result<(), String> {
    match done {
        Err(why) if why.starts_with("completions are owed") => Ok(()),
        other => Err(format!("without {without} nothing mends the loss, and yet: {other:?}")),
    }
}

/// What a hook and a case share.
type Shared<T> = Arc<Mutex<T>>;

fn with<T, R>(shared: &Shared<T>, does: impl FnOnce(&mut T) -> R) -> R {
    does(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Which data frames of A are lost, and when things happened.
#[derive(Default)]
struct Tail {
    /// Frames of the train that arrive, and those behind them that do not.
    arrive: usize,
    lost: usize,
    /// When the first frame of the train left, when A had its ACK, when the first lost frame left.
    left_ps: Option<u64>,
    acked_ps: Option<u64>,
    lost_ps: Option<u64>,
}

impl Tail {
    fn fate(&mut self, sent: &Sent<'_>) -> Fate {
        if sent.from == Side::B {
            self.acked_ps = self.acked_ps.or(Some(sent.at_ps + DELAY_NS * 1_000));
        }
        if !is_data(sent) || self.arrive + self.lost == 0 {
            return Fate::Deliver;
        }
        if self.arrive > 0 {
            if self.left_ps.is_none() {
                (self.left_ps, self.acked_ps) = (Some(sent.at_ps), None);
            }
            self.arrive -= 1;
            return Fate::Deliver;
        }
        self.lost -= 1;
        self.lost_ps = self.lost_ps.or(Some(sent.at_ps));
        Fate::Drop
    }
}

/// A message of so many segments, of which the last ones are lost once; no timer expires. The error
/// says that completions are owed when a probe must have mended the loss.
///
/// `phase_us` moves what happens against the estimator's clock.
fn lost_tail(
    pair: &mut Pair,
    opcode: u8,
    [segments, lost]: [usize; 2],
    recovery: u64,
    phase_us: u64,
) -> Result<(), String> {
    let mut traffic = measured(pair, NEVER)?;
    (0..cycles(phase_us * US)).for_each(|_| traffic.step(pair));
    let tail = Shared::<Tail>::default();
    let hook = tail.clone();
    pair.link.set_hook(move |sent| with(&hook, |tail| tail.fate(sent)));
    pair.a.set("recovery", recovery);
    with(&tail, |tail| (tail.arrive, tail.lost) = (segments - lost, lost));
    let payload = if opcode == SEND { WRITTEN - 4 } else { WRITTEN };
    traffic.post(pair, 0, 0, Message::plain(opcode, vec![0x5A; segments * payload]));
    (0..cycles(30 * US)).for_each(|_| traffic.step(pair));
    let times = with(&tail, |tail| Some((tail.acked_ps? - tail.left_ps?, tail.lost_ps?)));
    let (round_ps, lost_ps) = times.ok_or("no frame was lost, or no ACK came")?;
    // The last ACK comes a round trip later. The probe waits two, in whole units, and one more as
    // the wait begins between two (hdl/src/tcp/README.md). Then there is one more round trip.
    let most = lost_ps + 4 * round_ps + 2 * UNIT;
    traffic.until_settled(pair, cycles(most) - pair.a.cycle())?;
    let took = pair.a.cycle() * clock_ps() - lost_ps;
    eprintln!("{lost} of {segments} lost: {} ns of {}", took / 1_000, (most - lost_ps) / 1_000);
    // what is acknowledged may be on its way to memory
    (0..1_000).for_each(|_| traffic.step(pair));
    traffic.judge_tcp(pair, &Changes::default())?;
    traffic.compare(pair)
}

#[test]
fn a_lost_tail_is_mended_by_a_probe_and_no_timer() {
    let library = library().expect("the device's model");
    let cases = [(RDMA_WRITE, [8, 2]), (SEND, [8, 2]), (RDMA_WRITE, [8, 4]), (RDMA_WRITE, [9, 2])];
    for (opcode, train) in cases {
        far("lost_tail", &library, |pair| lost_tail(pair, opcode, train, ALL, 0));
    }
    for phase_us in 1..10 {
        far("lost_tail", &library, |pair| lost_tail(pair, RDMA_WRITE, [8, 2], ALL, phase_us));
    }
    far("lost_tail_without_probe", &library, |pair| {
        owed("probes", lost_tail(pair, RDMA_WRITE, [8, 2], NO_PROBE, 0))
    });
}

/// Segments that B takes until its window is closed.
const TAKEN: u32 = 10;

/// A window of B that closes as segments come, and its opening, which is lost.
#[derive(Default)]
struct Closing {
    /// Sequence number behind the last octet that B takes. A's congestion window ends there.
    edge: Option<u32>,
    /// B's next frame tells that the window is open, and is lost: when, and when A's octets follow.
    opens: bool,
    lost_ps: Option<u64>,
    on_ps: Option<u64>,
}

impl Closing {
    fn fate(&mut self, sent: &Sent<'_>) -> Fate {
        if sent.from == Side::A {
            if self.lost_ps.is_some() && is_data(sent) {
                self.on_ps = self.on_ps.or(Some(sent.at_ps));
            }
            return Fate::Deliver;
        }
        if self.opens {
            (self.edge, self.opens, self.lost_ps) = (None, false, Some(sent.at_ps));
            return Fate::Drop;
        }
        let Some(edge) = self.edge else { return Fate::Deliver };
        let ack = sent.data[ACK..ACK + 4].iter().fold(0, |ack, octet| ack << 8 | u32::from(*octet));
        Fate::Replace(rewrite(sent.data, WINDOW, (edge.wrapping_sub(ack) >> 7) as u16))
    }
}

/// B's window opens so many microseconds after it was closed, and the ACK that says so is lost. The
/// error says that A does not go on within two time-outs.
fn lost_opening(pair: &mut Pair, after_us: u64, rto_min: u64) -> Result<(), String> {
    let mut traffic = measured(pair, rto_min)?;
    let closing = Shared::<Closing>::default();
    let hook = closing.clone();
    let changes = Changes::default();
    pair.link.set_hook(changes.over(move |sent| with(&hook, |closing| closing.fate(sent))));
    let edge = Wire::plain(0, 1_500, 14).ends[0].seq_start + (4 * u32::from(KNOWN) + TAKEN) * SEGMENT;
    with(&closing, |closing| closing.edge = Some(edge));
    for n in 0..7 {
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; 2 * WRITTEN]));
    }
    (0..cycles((60 + after_us) * US)).for_each(|_| traffic.step(pair));
    traffic.look(pair)?;
    let waiting = traffic.waiting(0, 0);
    if waiting != 2 {
        return Err(format!("{waiting} of 7 Writes wait, not the last 2 for the closed window"));
    }
    with(&closing, |closing| closing.opens = true);
    provoke(pair);
    // SRTT is one unit
    let most = 2 * (SOON + 1) * UNIT;
    traffic.until_settled(pair, cycles(most + 60 * US))?;
    let times = with(&closing, |closing| Some((closing.lost_ps?, closing.on_ps?)));
    let (lost_ps, on_ps) = times.ok_or("no news of the window was lost")?;
    if on_ps - lost_ps > most {
        return Err(format!("{} us until octets leave again", (on_ps - lost_ps) / US));
    }
    (0..1_000).for_each(|_| traffic.step(pair));
    traffic.judge_tcp(pair, &changes)?;
    traffic.compare(pair)
}

#[test]
fn a_window_whose_opening_is_lost_is_found_by_a_probe_within_two_timeouts() {
    let library = library().expect("the device's model");
    // a probe has found the window closed before the last one
    for after_us in [5, 120, 240] {
        far("lost_opening", &library, |pair| lost_opening(pair, after_us, SOON));
    }
    far("lost_opening_without_timer", &library, |pair| owed("timers", lost_opening(pair, 5, 0)));
}

/// Octets that A sends while no ACK comes.
fn unanswered(library: &Arc<Library>, recovery: u64) -> u32 {
    // whether A hears of B again, and what A sent before
    let state = Shared::<(bool, u32)>::default();
    far("unanswered", library, |pair| {
        let mut traffic = traffic(pair, 20, SOON)?;
        pair.a.set("recovery", recovery);
        with(&state, |state| *state = (false, 0));
        let hook = state.clone();
        pair.link.set_hook(move |sent| {
            with(&hook, |(hears, octets)| {
                if sent.from == Side::A && !*hears {
                    *octets += u32::from(u16::from_be_bytes([sent.data[16], sent.data[17]])) - 40;
                }
                if sent.from == Side::A || *hears {
                    Fate::Deliver
                } else {
                    Fate::Drop
                }
            })
        });
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![7; 20 * WRITTEN]));
        (0..cycles(60 * US)).for_each(|_| traffic.step(pair));
        with(&state, |(hears, _)| *hears = true);
        provoke(pair);
        traffic.until_settled(pair, cycles(100 * US))?;
        (0..1_000).for_each(|_| traffic.step(pair));
        traffic.judge_tcp(pair, &Changes::default())?;
        traffic.compare(pair)
    });
    with(&state, |(_, octets)| *octets)
}

/// RFC 6928 section 2: `min(10 * MSS, max(2 * MSS, 14600))`.
#[test]
fn a_connection_begins_with_the_initial_window() {
    let own = Config { window_log2: 20, ..config() };
    let library = model(Top::DeviceW64, &own).expect("the device's model");
    let most = (10 * SEGMENT).min(14_600.max(2 * SEGMENT));
    assert_eq!(unanswered(&library, ALL), most);
    let whole = (1 << first_window_log2(20)) / SEGMENT * SEGMENT;
    assert_eq!(unanswered(&library, NO_CONGESTION), whole, "the peer's window has bounded it");
}

/// Two segments at a time fit a window that never has more than 896 octets.
#[test]
fn small_messages_pass_a_window_of_896_octets() {
    let library = library().expect("the device's model");
    far("small_window", &library, |pair| {
        let mut traffic = traffic(pair, 14, SOON)?;
        let changes = Changes::default();
        pair.link.set_hook(changes.over(|sent| match sent.from {
            Side::A => Fate::Deliver,
            Side::B => Fate::Replace(rewrite(sent.data, WINDOW, 896 >> 7)),
        }));
        for n in 0..20 {
            traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; 400]));
        }
        traffic.until_settled(pair, cycles(300 * US))?;
        (0..1_000).for_each(|_| traffic.step(pair));
        traffic.judge_tcp(pair, &changes)?;
        traffic.compare(pair)
    });
}
