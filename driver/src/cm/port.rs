// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware's view of the device: its `Port` over rings and the admin port.
use super::caught::Caught;
use super::commands::Commands;
use crate::admin::{self, Asked, PATIENCE};
use crate::error::Error;
use crate::objects::{Managed, Notified};
use crate::platform::PlatformEvent;
use crate::rings::{EventRing, RawReceiveRing, RawSendRing};
use crate::shared::Shared;
use ferrowarp_abi::codec::{self, Ring};
use ferrowarp_abi::consts::{admin_opcode, admin_row, event_kind};
use ferrowarp_firmware::port::{Answer, Command, DeviceEvent, Port, QpId, RawFrame, RingFull};
use ferrowarp_firmware::time::Ticks;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Events that can wait for one queue pair: the first FPDU, FIN, octets behind that, its
/// acknowledgement, Terminate or fault, reset or loss. Its number is not used again before they are
/// taken ([`crate::numbers::Rounds`]). A completion queue has an overrun, and a notification of
/// each kind of arm: a queue is armed again when the last notification was taken. Events of the
/// device itself use half of the ring at most.
const A_QUEUE_PAIR: u32 = 7;
const A_COMPLETION_QUEUE: u32 = 3;
/// log2 of the slots of both raw rings.
const RAW_LOG2: u8 = 6;
/// How long frames may take to leave when the device is closed, and time between two looks at that.
const MOMENT: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_micros(200);

/// The rings, and the commands under way.
pub(super) struct DevicePort {
    shared: Arc<Shared>,
    receives: RawReceiveRing,
    sends: RawSendRing,
    commands: Commands,
    /// An event that waits for a row; events behind it wait, too.
    caught: Option<Caught>,
    /// The device's time at the last look.
    at: Cell<Ticks>,
    /// What firmware hears next.
    later: Option<DeviceEvent>,
    /// The device's first failure; `Port` has no place for it.
    failure: Option<Error>,
    /// It has failed: it is asked nothing any more.
    lost: bool,
    /// The last frame found no place to be sent from: firmware has it still.
    is_full: bool,
    /// The event of the next frame of the slow path has not come yet.
    is_armed: bool,
}

impl Drop for DevicePort {
    /// The rings' memory goes: the device must not reach it any more, whatever still comes on the
    /// wire. If it does not say that it does not, within the time of an end, the memory stays until
    /// it is closed. Who closes a device waits for that time at most, not for this end.
    fn drop(&mut self) {
        let (last, events) = (Instant::now() + self.shared.backend.ends_within(), self.shared.desk.close());
        let ended = if self.lost {
            Ok(())
        } else {
            self.drain(last).and_then(|()| self.place(Ring::default(), false, last))
        };
        if let Err(why) = &ended {
            tracing::debug!(%why, "the device keeps its rings");
        }
        if self.lost || ended.is_err() {
            self.receives.keep();
            self.sends.keep();
            if let Some(mut events) = events {
                events.keep();
            }
        }
    }
}

impl DevicePort {
    /// Places the rings.
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, Error> {
        let backend = &shared.backend;
        let has = backend.capabilities();
        let most =
            A_QUEUE_PAIR * u32::from(has.queue_pairs) + A_COMPLETION_QUEUE * u32::from(has.completion_queues);
        // no event of a queue has to take the place of another: the half that the device's own
        // events leave holds all of them
        let events = EventRing::new(backend, (2 * most).next_power_of_two().ilog2() as u8)?;
        let receives = RawReceiveRing::new(backend, RAW_LOG2)?;
        let sends = RawSendRing::new(backend, RAW_LOG2)?;
        let commands = Commands::new(shared);
        let (shared, lost, at) = (shared.clone(), false, Cell::default());
        let (caught, later, failure, [is_full, is_armed]) = Default::default();
        let port =
            Self { shared, receives, sends, commands, caught, at, later, failure, lost, is_full, is_armed };
        port.place(events.row(), true, Instant::now() + PATIENCE)?;
        port.shared.desk.open(events);
        Ok(port)
    }

    /// Tells the device where the rings are, or that it has none any more. An answer comes behind
    /// the last access to what a ring was. The last answer is waited for until `last`.
    fn place(&self, events: Ring, is_valid: bool, last: Instant) -> Result<(), Error> {
        let backend = &*self.shared.backend;
        let rings = [(admin_opcode::EVENT_RING, events), self.sends.row(), self.receives.row()];
        for (opcode, row) in rings {
            let left = last.saturating_duration_since(Instant::now());
            admin::command_within(backend, opcode, 0, Ring { is_valid, ..row }.octets(), left)?;
        }
        Ok(())
    }

    /// Gives the device a moment for the frames that it has not sent, a last RST among them.
    /// Answers are waited for until `last`.
    fn drain(&self, last: Instant) -> Result<(), Error> {
        let begun = Instant::now();
        let left = || last.saturating_duration_since(Instant::now());
        while !self.sends.is_through(left())? && begun.elapsed() < MOMENT {
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// For how long no register is read but on demand.
    pub(super) fn quiet_for(&self) -> Duration {
        self.shared.quiet_for()
    }

    /// Whether the device is there, by a look at it.
    pub(super) fn look(&self) -> Result<(), Error> {
        Ok(self.shared.backend.look()?)
    }

    /// Wakes all who wait for completions.
    pub(super) fn notify_all(&self) {
        self.shared.cqs_by_number.all().into_iter().for_each(Notified::notify);
    }

    /// Puts a queue pair in error.
    pub(super) fn fail(&self, qp: u16) {
        self.shared.qps_by_number.get(qp).into_iter().for_each(Managed::fail);
    }

    /// What went wrong since the last call, if anything did.
    pub(super) fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Commands that were not answered.
    pub(super) fn under_way(&self) -> usize {
        self.commands.under_way()
    }

    /// Whether events wait until it is known what stopped a queue pair, or that all before a FIN
    /// has come.
    pub(super) fn has_caught(&self) -> bool {
        self.caught.is_some()
    }

    /// Has the device make an interrupt for the next frame of the slow path, if the device can. A
    /// frame that has come already makes one, too.
    pub(super) fn arm(&mut self) {
        if !self.is_armed && self.shared.backend.tells_frames() {
            let armed = self.receives.arm();
            self.is_armed = self.good(armed.map(Some)).is_some();
        }
    }

    /// Whether firmware has something to hear, or something is under way.
    pub(super) fn has_work(&self) -> bool {
        let is_busy = self.under_way() > 0 || self.has_caught() || self.failure.is_some() || self.is_full;
        is_busy || self.shared.desk.has_next() || self.receives.has_next()
    }

    /// A number that was given back before the last round has no event in the ring, once that is
    /// empty.
    pub(super) fn end_round(&self) {
        if !self.shared.desk.has_next() {
            self.shared.rounds.pass();
        }
    }

    /// Asks what stopped a queue pair, if anything did.
    pub(super) fn ask_captured(&self, qp: u16) -> Result<Asked, Error> {
        let (opcode, row) = (admin_opcode::READ_ROW, admin_row::CAPTURED);
        let head = codec::AdminCommand { opcode, row, index: qp };
        Ok(Asked::new(&*self.shared.backend, head, &[])?)
    }

    /// A value that is there, or none and a failure. An entry that cannot be is told and left out.
    fn good<T>(&mut self, result: Result<Option<T>, Error>) -> Option<T> {
        match result {
            Ok(value) => value,
            Err(Error::Entry(entry)) => {
                tracing::error!(%entry, "an entry is left out");
                None
            }
            Err(why) => {
                self.lost = true;
                self.failure.get_or_insert(why);
                None
            }
        }
    }

    /// What an event of the hardware is to firmware; what stopped a queue pair is asked for first.
    fn translate(&mut self, event: codec::Event) -> Option<DeviceEvent> {
        let qp = QpId(event.number);
        let told = match event.kind {
            event_kind::FIRST_FPDU => return Some(DeviceEvent::FirstFpdu(qp)),
            event_kind::FIN_ACKED => return Some(DeviceEvent::FinAcked(qp)),
            event_kind::PEER_RESET => Some(DeviceEvent::PeerReset(qp)),
            event_kind::CONNECTION_LOST => Some(DeviceEvent::Lost(qp)),
            event_kind::OCTETS_AFTER_FIN => Some(DeviceEvent::OctetsAfterFin(qp)),
            event_kind::RAW_RX => {
                self.is_armed = false;
                return None;
            }
            kind if Caught::is_for(kind) => None,
            // the queue pairs of a queue that overran have events of their own
            event_kind::CQ_OVERRUN => {
                if let Some(cq) = self.shared.cqs_by_number.get(event.number) {
                    if let Some(overrun) = PlatformEvent::of(&event) {
                        self.shared.events.tell(overrun);
                    }
                    cq.told();
                }
                return None;
            }
            _ => {
                if let Some(event) = PlatformEvent::of(&event) {
                    self.shared.events.tell(event);
                }
                return None;
            }
        };
        // what the device has finished before the event may not have been told yet: nothing is
        // flushed before the answer with the captured error, or the end of the connection
        if event.kind != event_kind::PEER_FIN {
            self.shared.qps_by_number.get(event.number).into_iter().for_each(Managed::err);
        }
        if told.is_none() {
            if event.kind != event_kind::PEER_FIN {
                self.stamp(event.number);
            }
            if let Some(stopped) = PlatformEvent::of(&event) {
                self.shared.events.tell(stopped);
            }
            let asked = Caught::new(&*self.shared.backend, event);
            self.caught = self.good(asked.map(Some).map_err(Error::from));
        }
        told
    }

    /// Keeps the device's time at the event that stops a queue pair. How often the device is looked
    /// at from here on depends on this machine.
    fn stamp(&self, number: u16) {
        let Some(qp) = self.shared.qps_by_number.get(number) else { return };
        if let Some([first, _]) = self.shared.cycles() {
            qp.stops_at(first);
        }
    }

    /// The next event of the ring, in order.
    fn next_event(&mut self) -> Option<DeviceEvent> {
        loop {
            if let Some(told) = self.later.take() {
                return Some(told);
            }
            if let Some(caught) = &mut self.caught {
                let told = caught.poll()?;
                let stopped = caught.stopped();
                self.caught = None;
                stopped.into_iter().for_each(|qp| self.fail(qp));
                if let Some((told, later)) = self.good(told.map(Some).map_err(Error::from)) {
                    self.later = later;
                    return Some(told);
                }
            }
            let Some(taken) = self.shared.next_event() else {
                self.end_round();
                return None;
            };
            let event = self.good(taken.map(Some))?;
            if let Some(told) = self.translate(event) {
                return Some(told);
            }
        }
    }
}

impl Port for DevicePort {
    fn now(&self) -> Ticks {
        if !self.shared.is_quiet() {
            self.at.set(Ticks(self.shared.backend.ticks()));
        }
        self.at.get()
    }

    fn receive(&mut self) -> Option<RawFrame> {
        let taken = self.receives.take();
        self.good(taken)
    }

    fn transmit(&mut self, frame: &[u8]) -> Result<(), RingFull> {
        let put = self.sends.put(frame);
        // a device that has failed sends nothing; who asks for the failure hears of it
        let put = self.good(put.map(Some)).unwrap_or(Err(RingFull));
        self.is_full = put.is_err();
        put
    }

    fn submit(&mut self, command: Command) {
        self.commands.submit(command);
    }

    fn answer(&mut self) -> Option<Answer> {
        let step = self.commands.step();
        self.good(step)
    }

    fn event(&mut self) -> Option<DeviceEvent> {
        self.next_event()
    }
}
