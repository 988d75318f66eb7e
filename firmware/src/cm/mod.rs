// SPDX-License-Identifier: MIT OR Apache-2.0
//! The manager: every connection from the first SYN to the removal of its row, and the
//! application's calls.
//!
//! [`api`] is what goes in and out; [`flow`] is what is kept; [`handover`] and [`running`] are the
//! machines around the hardware. The manager itself is spread over `calls` (the application's),
//! `arrivals` (frames, answers, events), `strangers` (passive opens), `local` (our ends), `stream`
//! (raw octets), `startup` (MPA) and `ends` (timers, failures, close).

pub mod api;
mod arrivals;
pub mod audit;
mod calls;
mod closing;
mod counters;
mod ends;
pub mod flow;
pub mod handover;
pub mod liveness;
mod local;
pub mod path;
pub mod running;
mod startup;
mod strangers;
mod stream;

use crate::config::{Config, ConfigError};
use crate::net::Net;
use crate::port::{Command, Port};
use crate::tcp::conn::Settings;
use crate::tcp::isn::Secret;
use crate::tcp::segment::Tuple;
use crate::tcp::time_wait::TimeWait;
use crate::time::{Ration, Ticks};
use alloc::collections::{BTreeMap, VecDeque};
use api::{ConnId, Event, Listen, ListenerId};
use counters::Counters;
use flow::Flow;
use running::Do;

/// Frames of the raw ring that one poll takes: timers, calls and deadlines come to their turn under
/// any flood.
const FRAMES_A_TURN: u32 = 64;

/// Resets a second to segments of no connection, and how many of them at once.
const RESETS: (u64, u64) = (1_000, 50);

/// What a command that was not answered yet was for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Purpose {
    Insert,
    Remove,
    /// The application is told once it is done.
    Begin,
    /// The connection cannot go on without it.
    Vital,
    /// The connection can go on without it: older hardware may not know it.
    Hint,
}

/// Link manager of one device.
#[derive(Debug)]
pub struct Manager {
    config: Config,
    secret: Secret,
    net: Net,
    now: Ticks,
    flows: BTreeMap<ConnId, Flow>,
    tuples: BTreeMap<Tuple, ConnId>,
    listeners: BTreeMap<ListenerId, Listen>,
    time_wait: TimeWait,
    /// Resets to strangers.
    resets: Ration,
    /// Half-open connections may have been given up whose ACK is still to come, until then.
    pressed_until: Ticks,
    /// Commands not given yet.
    commands: VecDeque<(ConnId, Command)>,
    /// Commands given and not answered yet.
    pending: VecDeque<(ConnId, Purpose)>,
    events: VecDeque<Event>,
    /// Index of the next frame of the raw receive ring.
    next_frame: u32,
    names: u64,
    opened: u64,
    counters: Counters,
}

impl Manager {
    /// A manager without connections.
    pub fn new(config: Config, now: Ticks) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            secret: Secret::new(config.secret),
            net: Net::new(&config, now),
            now,
            flows: BTreeMap::new(),
            tuples: BTreeMap::new(),
            listeners: BTreeMap::new(),
            time_wait: TimeWait::new(
                config.time_waits,
                config.timing.time_wait,
                config.timing.time_wait_answer,
            ),
            pressed_until: now,
            resets: Ration::new(RESETS.0, RESETS.1, config.timing.tick_us, now),
            commands: VecDeque::new(),
            pending: VecDeque::new(),
            events: VecDeque::new(),
            next_frame: 0,
            names: 0,
            opened: 0,
            counters: Counters::default(),
            config,
        })
    }

    /// Does what can be done now, of the raw ring's frames the first `FRAMES_A_TURN`. To be
    /// called when a frame, an answer or an event is there, after calls of the application, at
    /// [`Manager::due`], and at once if it returns `true`: frames may be left.
    #[must_use = "`true` asks for another poll at once"]
    pub fn poll(&mut self, port: &mut impl Port) -> bool {
        self.now = port.now();
        let mut frames = 0;
        loop {
            self.flush(port);
            // events first: one that was written before an answer must not be taken for the next
            // use of its row
            if let Some(event) = port.event() {
                self.device_event(event);
            } else if let Some(answer) = port.answer() {
                self.answered(answer);
            } else if frames == FRAMES_A_TURN {
                break;
            } else if let Some(frame) = port.receive() {
                frames += 1;
                self.next_frame = frame.index.wrapping_add(1);
                self.frame(&frame);
            } else {
                break;
            }
            self.complete_hand_overs();
        }
        self.expire();
        self.flush(port);
        frames == FRAMES_A_TURN
    }

    /// The next event for the application.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When [`Manager::poll`] has to be called at the latest.
    pub fn due(&self) -> Option<Ticks> {
        let of_flow = |flow: &Flow| {
            let running = match &flow.phase {
                flow::Phase::Running(running) => running.due(),
                _ => None,
            };
            [flow.deadline, flow.tcp.due(), running].into_iter().flatten().min()
        };
        let flows = self.flows.values().filter_map(of_flow).min();
        [flows, self.net.due(), self.time_wait.due()].into_iter().flatten().min()
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    fn name(&mut self) -> u64 {
        self.names += 1;
        self.names
    }

    fn settings(&self, tuple: &Tuple) -> Settings {
        let (config, timing) = (&self.config, &self.config.timing);
        let mss = config.mtu - tuple.headers();
        Settings {
            mss,
            most: mss,
            window: config.window,
            scale: config.window_scale,
            rto: timing.rto_initial,
            rto_max: timing.rto_max,
            retries: timing.retries,
        }
    }

    fn perform(&mut self, id: ConnId, todo: impl IntoIterator<Item = Do>) {
        for one in todo {
            match one {
                Do::Command(command) => self.commands.push_back((id, command)),
                Do::Tell(event) => self.events.push_back(event),
            }
        }
    }

    /// Commands to the port; what TCP has to send to the network; the network's frames to the port.
    fn flush(&mut self, port: &mut impl Port) {
        self.start_hand_overs();
        while let Some((id, command)) = self.commands.pop_front() {
            let purpose = match command {
                Command::RawMessage { .. } | Command::Rtr { .. } | Command::OpenGate { .. } => Purpose::Begin,
                Command::ConnInsert { .. } => Purpose::Insert,
                Command::ConnRemove { .. } => Purpose::Remove,
                Command::ConnUpdate { .. } | Command::ConnAck { .. } | Command::Progress { .. } => {
                    Purpose::Hint
                }
                _ => Purpose::Vital,
            };
            self.pending.push_back((id, purpose));
            port.submit(command);
        }
        for flow in self.flows.values_mut().filter(|flow| flow.speaks_tcp()) {
            // one SYN, when it can leave, and not one for each expiry before
            if flow.tcp.opens() && self.net.station(flow.tcp.tuple.remote.ip(), self.now).is_none() {
                continue;
            }
            for segment in flow.tcp.emit(self.now) {
                self.net.send(&flow.tcp.tuple, &segment, self.now);
            }
        }
        while let Some(frame) = self.net.pop() {
            self.counters.frames_dropped += u64::from(port.transmit(&frame).is_err());
        }
    }
}
