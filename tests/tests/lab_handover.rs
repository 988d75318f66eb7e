// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-over at every point, through driver, firmware and Verilog: `conn_insert` takes 0 to 50
//! frames while the peer repeats itself, resets, closes or changes its window, and always one of
//! the defined outcomes follows.
//!
//! A process of its own: the test counts the threads of its process.
use ferrowarp::{Access, ConnectOptions, Connected, Connection, Error, Listener, MemoryRegion, QueuePair};
use ferrowarp_firmware::error::ConnError;
use ferrowarp_sim::seeds;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::device::Delays;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::mpa_model::fpdu;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Frames that come during a hand-over; the longest delay is one less.
const FRAMES: u32 = 51;
/// A peer's retransmission timeout.
const RTO: Duration = Duration::from_millis(100);
/// A window that no other segment has.
const WINDOW: u16 = 777;

/// What the peer does during the hand-over.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Repeat,
    Reset,
    Fin,
    Window,
    Nothing,
}

const ACTS: [Act; 5] = [Act::Repeat, Act::Reset, Act::Fin, Act::Window, Act::Nothing];

/// One hand-over.
#[derive(Copy, Clone, Debug)]
struct Case {
    act: Act,
    /// The frame at which it is done.
    at: u32,
    delays: Delays,
}

/// The device that all hand-overs have.
struct Scene {
    lab: Lab,
    listener: Listener,
    region: MemoryRegion,
    /// What came of the acts: whether the hardware had the connection already when they came; a
    /// window always counts.
    outcomes: BTreeSet<(Act, bool)>,
}

fn options() -> ConnectOptions {
    ConnectOptions::default().patience(PATIENCE)
}

impl Case {
    /// Does it, with frames of others before and behind; `last` is what the peer said last.
    /// Firmware has seen all frames up to the act before the next one comes.
    fn disturb(self, lab: &mut Lab, last: &[u8]) {
        let elsewhere = Seg::new(lab.peer.ours, ([10, 9, 0, 77], PORT).into(), 1, 1);
        for n in 0..FRAMES {
            if n != self.at {
                lab.send(&elsewhere);
                continue;
            }
            lab.sync();
            let seg = match self.act {
                Act::Repeat => {
                    let seq = lab.peer.snd_nxt.wrapping_sub(last.len() as u32);
                    Seg { data: last.to_vec(), seq, ..lab.peer.seg() }
                }
                Act::Reset => lab.peer.reset(),
                Act::Fin => lab.peer.finish(),
                Act::Window => Seg { window: WINDOW, ..lab.peer.seg() },
                Act::Nothing => elsewhere.clone(),
            };
            lab.send(&seg);
            lab.sync();
        }
        if self.act == Act::Fin {
            self.insist(lab);
        }
    }

    /// Repeats the FIN, as TCP does, until it is acknowledged.
    fn insist(self, lab: &mut Lab) {
        let (end, mut sent) = (lab.peer.snd_nxt, Instant::now());
        lab.until("the FIN is acknowledged", |lab| {
            if sent.elapsed() >= RTO {
                sent = Instant::now();
                let fin = Seg { fin: true, seq: end.wrapping_sub(1), ..lab.peer.seg() };
                lab.send(&fin);
            }
            lab.peer.log.iter().any(|seg| seg.ack == Some(end))
        });
    }
}

impl Scene {
    fn new(name: &str) -> Self {
        let lab = Lab::new(name);
        let listener = lab.device.listen(PORT, 8).expect("a free port");
        let region = lab.pd.allocate(64, Access::LOCAL).expect("a region");
        Self { lab, listener, region, outcomes: BTreeSet::new() }
    }

    /// The window is the last one that the peer said, whether firmware saw it or the hardware.
    fn window(&mut self, qp: &QueuePair, case: Case) {
        if case.act == Act::Window {
            let number = qp.number();
            self.lab.until("the window", |lab| lab.row(number).snd_wnd.0 == u32::from(WINDOW));
            self.outcomes.insert((case.act, true));
        }
    }

    /// The row is right: octets go both ways.
    fn works(&mut self, qp: &QueuePair<Connected>, case: Case) {
        let before = self.lab.peer.inbox.len();
        let segment = self.region.segment(0, 8).expect("a segment");
        qp.send(1, &[segment]).post().expect("a connection");
        // length, untagged header, eight octets, CRC
        self.lab.until("a Send", |lab| lab.peer.inbox.len() >= before + 32);
        let send = &self.lab.peer.inbox[before..];
        assert_eq!(send, fpdu(&send[2..28], before as u64, false, true), "{case:?}");
        self.lab.say(&empty_write());
        let end = self.lab.peer.snd_nxt;
        self.lab.until("an acknowledgement", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
        assert_eq!(self.lab.row(qp.number()).rcv_nxt.0, end, "{case:?}");
        assert!(!self.lab.peer.rst && !self.lab.peer.fin, "{case:?}");
    }

    /// The stream ended as the peer wanted it.
    fn ends(&mut self, app: JoinHandle<Result<Connection, Error>>, case: Case, in_order: bool) {
        let why = if case.act == Act::Reset { ConnError::Reset } else { ConnError::PeerClosed };
        let ended = self.lab.finish("what became of the connection", app);
        self.outcomes.insert((case.act, ended.is_ok()));
        let told = match ended {
            Err(Error::Connection(told)) => told,
            Err(other) => panic!("{case:?}: {other}"),
            // it was established before
            Ok(connection) => {
                assert!(in_order, "{case:?}: established");
                self.lab.until("the end of what can be received", |_| connection.is_closed());
                let app = self.lab.app(move |_| connection.disconnect(PATIENCE));
                match self.lab.finish("the end of the connection", app) {
                    Ok(()) => ConnError::PeerClosed,
                    Err(Error::Connection(told)) => told,
                    Err(other) => panic!("{case:?}: {other}"),
                }
            }
        };
        assert_eq!(told, why, "{case:?}");
        if case.act == Act::Fin {
            self.lab.until("our FIN", |lab| lab.peer.fin);
            assert!(!self.lab.peer.rst, "{case:?}");
        }
    }

    /// The device has its Reply; the peer goes on while the row comes in.
    fn initiator(&mut self, case: Case) {
        let (_cq, qp) = self.lab.queue_pair();
        let (remote, ours) = (self.lab.peer.ours, qp.clone());
        let app = self.lab.app(move |device| device.connect(&ours, remote, options()));
        self.lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
        self.lab.peer.inbox.clear();
        let reply = Frame::reply().enhanced(0x0004_0004).octets();
        self.lab.backend.delay(case.delays);
        self.lab.say(&reply);
        self.lab.until("conn_insert", |lab| lab.backend.has_begun());
        case.disturb(&mut self.lab, &reply);
        if matches!(case.act, Act::Reset | Act::Fin) {
            return self.ends(app, case, true);
        }
        let connected = self.lab.finish("the connection", app);
        let connection = connected.unwrap_or_else(|why| panic!("{case:?}: {why}"));
        self.window(&qp, case);
        self.works(connection.queue_pair(), case);
    }

    /// The device accepts a Request; the peer goes on while the row comes in, and the Reply waits
    /// for it.
    fn responder(&mut self, case: Case) {
        self.lab.opens(PORT);
        let request = Frame::request().enhanced(0x0004_0004);
        self.lab.frame(&request);
        let arrival = self.listener.next(PATIENCE).expect("a request");
        let (_cq, qp) = self.lab.queue_pair();
        self.lab.backend.delay(case.delays);
        let ours = qp.clone();
        let app = self.lab.app(move |_| arrival.accept(&ours, options().into()));
        self.lab.until("conn_insert", |lab| lab.backend.has_begun());
        case.disturb(&mut self.lab, &request.octets());
        if matches!(case.act, Act::Reset | Act::Fin) {
            return self.ends(app, case, false);
        }
        self.lab.until("the Reply", |lab| lab.peer.inbox.len() >= 24);
        let reply = std::mem::take(&mut self.lab.peer.inbox);
        assert_eq!((reply.len(), &reply[..16]), (24, &b"MPA ID Rep Frame"[..]), "{case:?}");
        self.lab.say(&empty_write());
        let accepted = self.lab.finish("the connection", app);
        let connection = accepted.unwrap_or_else(|why| panic!("{case:?}: {why}"));
        self.works(connection.queue_pair(), case);
    }
}

/// Every delay with every act, on both sides; of the points at which row and act come, those of
/// each seed.
#[test]
fn every_point_of_a_hand_over_has_a_defined_outcome() {
    let mut scene = Scene::new("handover");
    let before = scene.lab.held();
    for seed in seeds(0..1, 0..12) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut outcomes = vec![];
        for hand_over in [Scene::initiator, Scene::responder] {
            for (delay, act) in (0..FRAMES).flat_map(|delay| ACTS.map(|act| (delay, act))) {
                let visible = [0, delay / 2, delay][rng.random_range(0..3_usize)];
                let anywhere = rng.random_range(0..FRAMES);
                let at = [delay.saturating_sub(1), delay, anywhere][rng.random_range(0..3_usize)];
                let case = Case { act, at, delays: Delays { visible, answer: delay - visible } };
                scene.lab.meet(rng.random_range(1_024..60_000), rng.random());
                hand_over(&mut scene, case);
                scene.lab.settles(&before);
            }
            outcomes.push(std::mem::take(&mut scene.outcomes));
        }
        let (reset, fin, window) = (Act::Reset, Act::Fin, Act::Window);
        // without a ready-to-receive message the initiator is established before it learns of a FIN
        let initiator = [(reset, false), (reset, true), (fin, true), (window, true)];
        assert_eq!(outcomes[0], initiator.into(), "seed {seed}, initiator");
        // a responder is not established before the initiator's first FPDU
        assert_eq!(outcomes[1], [(reset, false), (fin, false)].into(), "seed {seed}, responder");
    }
}
