// SPDX-License-Identifier: MIT OR Apache-2.0
//! The protocol of the host's end.
use super::frame::{self, Came, Dropped};
use super::receiver::{Place, Receiver};
use super::sender::Sender;
use super::{CarrierConfig, CarrierStats, NEVER};
use crate::pcie::{is_last_completion, is_non_posted};
use ferrowarp_abi::carrier::{Frame, Record};
use ferrowarp_abi::codec::{self, CarrierHdr};
use ferrowarp_abi::consts::carrier_kind;
use ferrowarp_abi::host::carrier::NON_POSTED;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, VecDeque};

/// Whether the device is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CarrierState {
    /// A new epoch has begun, and the device has not answered.
    Calling,
    /// The device answers.
    Up,
    /// The device has been silent for too long. Hellos continue.
    Gone,
}

/// The host's end: it calls the device, and carries TLPs in order and without loss.
#[derive(Debug)]
pub struct HostEnd {
    config: CarrierConfig,
    rng: ChaCha8Rng,
    state: CarrierState,
    epoch: u16,
    sender: Sender,
    receiver: Receiver,
    /// Non-posted requests that wait for the device. Other TLPs may pass them (2.4.1).
    held: VecDeque<(u8, Vec<u8>)>,
    /// Tags of non-posted requests that the device has, or will have.
    asked: BTreeSet<u8>,
    /// A reset is under way: requests behind it wait.
    resetting: bool,
    /// The device takes non-posted requests.
    np_ok: bool,
    came: VecDeque<Came>,
    /// When the epoch began, a frame of the epoch came last, any frame left, the device was asked
    /// for an answer.
    began: u64,
    heard: u64,
    left: u64,
    asked_at: u64,
    next_hello: u64,
    stats: CarrierStats,
}

impl HostEnd {
    /// Calls the device from time 0 on. The seed is that of epochs.
    pub fn new(config: CarrierConfig, seed: u64) -> Self {
        let ((sender, receiver), (held, asked, came), stats) = Default::default();
        let mut end = Self {
            config,
            rng: ChaCha8Rng::seed_from_u64(seed),
            state: CarrierState::Calling,
            epoch: 0,
            sender,
            receiver,
            held,
            asked,
            resetting: false,
            np_ok: false,
            came,
            began: 0,
            heard: 0,
            left: 0,
            asked_at: 0,
            next_hello: 0,
            stats,
        };
        end.restart(0, 0);
        end
    }

    /// Begins a new epoch: what is under way both ways is lost, and the device is reset. The first
    /// hello leaves `wait` nanoseconds behind `now`.
    pub fn restart(&mut self, now: u64, wait: u64) {
        let before = self.epoch;
        while self.epoch == before {
            self.epoch = self.rng.random();
        }
        if self.state == CarrierState::Up {
            self.state = CarrierState::Calling;
        }
        (self.sender, self.receiver) = Default::default();
        self.held.clear();
        self.asked.clear();
        self.came.clear();
        (self.resetting, self.np_ok) = (false, false);
        (self.began, self.next_hello) = (now, now.saturating_add(wait));
        self.stats.epochs += 1;
    }

    /// Whether the device is there.
    pub fn state(&self) -> CarrierState {
        self.state
    }

    /// Epoch that runs or is called.
    pub fn epoch(&self) -> u16 {
        self.epoch
    }

    /// What was counted.
    pub fn stats(&self) -> CarrierStats {
        self.stats
    }

    /// Another TLP is wanted.
    pub fn has_room(&self) -> bool {
        self.state == CarrierState::Up && self.sender.has_room()
    }

    /// Everything that was to be sent has arrived.
    pub fn is_idle(&self) -> bool {
        self.sender.is_empty() && self.held.is_empty() && self.came.is_empty()
    }

    /// Sends a TLP, octets in the order of the specification's figures, that hits the BARs of
    /// `bar_hit` (bit 0: BAR0, bit 1: BAR2, bit 2: BAR4). Without a device the TLP is lost.
    ///
    /// # Panics
    /// If no frame holds the TLP: fewer than 3 dwords, or more than 370.
    pub fn send(&mut self, tlp: &[u8], bar_hit: u8) {
        let record = frame::tlp(tlp, bar_hit);
        if self.state != CarrierState::Up {
            return;
        }
        match is_non_posted(tlp) {
            Some(tag) => self.held.push_back((tag, record)),
            None => self.sender.push(record),
        }
    }

    /// Tells the device what it sees of configuration space.
    pub fn configure(&mut self, config: codec::CarrierConfig) {
        if self.state == CarrierState::Up {
            self.sender.push(frame::record(&Record::Config(config)));
        }
    }

    /// Asks for a Function Level Reset; [`Came::ResetDone`] tells its end.
    pub fn reset(&mut self) {
        if self.state == CarrierState::Up {
            self.sender.push(frame::record(&Record::Reset));
            self.resetting = true;
        }
    }

    /// The next thing that came from the device.
    pub fn take(&mut self) -> Option<Came> {
        self.came.pop_front()
    }

    /// A frame came from the wire, without FCS. What is none of the device's frames is counted and
    /// dropped.
    pub fn frame_came(&mut self, now: u64, octets: &[u8]) {
        let frame = match frame::read(octets, &self.config, self.epoch) {
            Ok(frame) => frame,
            Err(Dropped::Other) => return,
            Err(Dropped::Foreign) => return self.stats.foreign += 1,
            Err(Dropped::Stale) => return self.stats.stale += 1,
            Err(Dropped::Malformed(why)) => {
                tracing::debug!(%why, "a malformed frame of the carrier");
                return self.stats.malformed += 1;
            }
        };
        if self.state != CarrierState::Up {
            self.state = CarrierState::Up;
            self.stats.answered += 1;
        }
        let header = frame.header;
        (self.heard, self.np_ok) = (now, header.np_ok);
        if header.kind == carrier_kind::HELLO {
            return;
        }
        let replay = self.config.replay_ns;
        if !self.sender.acknowledged(now, replay, header.acknowledged) {
            self.stats.strange_acks += 1;
        } else if header.nak {
            self.stats.naks += 1;
            self.sender.misses(now, replay);
        }
        if header.kind == carrier_kind::DATA {
            self.data_came(now, &frame);
        }
    }

    fn data_came(&mut self, now: u64, frame: &Frame<'_>) {
        match self.receiver.place(frame.header.sequence_number) {
            Place::Next => {
                self.receiver.takes(now, self.config.ack_ns);
                self.stats.taken += 1;
            }
            Place::Before => {
                self.receiver.repeats(now);
                return self.stats.duplicates += 1;
            }
            Place::Ahead => {
                self.stats.naks_sent += u64::from(self.receiver.misses(now));
                return self.stats.out_of_order += 1;
            }
        }
        for came in frame::came(frame) {
            match &came {
                Came::Tlp(tlp) => {
                    if let Some(tag) = is_last_completion(tlp) {
                        self.asked.remove(&tag);
                    }
                }
                Came::ResetDone => {
                    // requests from before the reset have no answer any more
                    self.asked.clear();
                    self.resetting = false;
                }
            }
            self.came.push_back(came);
        }
    }

    /// The next frame to send, if there is one. Call this until there is none, after each call of
    /// another method and at [`HostEnd::next_timer`].
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        self.expire(now);
        if self.state != CarrierState::Up {
            return self.hello(now);
        }
        while self.may_ask() {
            let Some((tag, record)) = self.held.pop_front() else { break };
            self.asked.insert(tag);
            self.sender.push(record);
        }
        let (kind, replay) = (carrier_kind::DATA, self.config.replay_ns);
        if let Some(leaves) = self.sender.next(now, replay) {
            let head = CarrierHdr {
                kind,
                sequence_number: leaves.sequence,
                records: leaves.records,
                epoch: self.epoch,
                acknowledged: self.receiver.expected(),
                nak: self.receiver.tell(),
                ..CarrierHdr::default()
            };
            let counts = if leaves.again { &mut self.stats.sent_again } else { &mut self.stats.sent };
            *counts += 1;
            self.left = now;
            return Some(frame::write(head, leaves.body, &self.config));
        }
        let ask = self.ask_due() <= now;
        (ask || self.receiver.due() <= now).then(|| self.ack(now, ask))
    }

    /// First time at which [`HostEnd::poll`] has something to do although nothing came.
    pub fn next_timer(&self) -> u64 {
        match self.state {
            CarrierState::Calling => self.next_hello.min(self.gone_at()),
            CarrierState::Gone => self.next_hello,
            CarrierState::Up => {
                let timers = [self.sender.deadline(), self.receiver.due(), self.ask_due(), self.gone_at()];
                timers.into_iter().min().unwrap_or(NEVER)
            }
        }
    }

    /// A non-posted request may go to the device.
    fn may_ask(&self) -> bool {
        self.np_ok && !self.resetting && self.asked.len() < NON_POSTED
    }

    /// When the silence is too long.
    fn gone_at(&self) -> u64 {
        let since = if self.state == CarrierState::Up { self.heard } else { self.began };
        since.saturating_add(self.config.gone_ns)
    }

    /// When the device is asked for an answer: behind a silence, and sooner if a request waits for
    /// the device's word that requests are taken.
    fn ask_due(&self) -> u64 {
        let is_held = !self.held.is_empty() && !self.np_ok;
        let pause = if is_held { self.config.replay_ns } else { self.config.keepalive_ns };
        self.heard.min(self.left).max(self.asked_at).saturating_add(pause)
    }

    fn expire(&mut self, now: u64) {
        if self.state != CarrierState::Gone && self.gone_at() <= now {
            self.stats.gone += 1;
            self.restart(now, 0);
            self.state = CarrierState::Gone;
        }
        if self.sender.expires(now, self.config.replay_ns) {
            self.stats.replays += 1;
        }
    }

    fn hello(&mut self, now: u64) -> Option<Vec<u8>> {
        if self.next_hello > now {
            return None;
        }
        self.next_hello = now.saturating_add(self.config.hello_ns);
        self.stats.hellos += 1;
        (self.left, self.asked_at) = (now, now);
        let head = CarrierHdr { kind: carrier_kind::HELLO, epoch: self.epoch, ..CarrierHdr::default() };
        Some(frame::write(head, &[], &self.config))
    }

    fn ack(&mut self, now: u64, ask: bool) -> Vec<u8> {
        if ask {
            self.asked_at = now;
        }
        self.left = now;
        let head = CarrierHdr {
            kind: carrier_kind::ACK,
            epoch: self.epoch,
            acknowledged: self.receiver.expected(),
            nak: self.receiver.tell(),
            ask,
            ..CarrierHdr::default()
        };
        frame::write(head, &[], &self.config)
    }
}
