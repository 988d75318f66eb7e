//! Firmware's view of the device: its `Port` over rings and the admin port.
use super::commands::{Commands, FinWatch};
use crate::admin;
use crate::device::Shared;
use crate::error::Error;
use crate::rings::{EventRing, RawReceiveRing, RawSendRing};
use ferrowarp_abi::codec;
use ferrowarp_abi::consts::{admin_opcode, event_kind};
use ferrowarp_firmware::port::{
    Answer, Captured, Command, DeviceEvent, Port, QpId, RawFrame, RingFull, Slot,
};
use ferrowarp_firmware::time::Ticks;
use std::sync::Arc;

/// log2 of the slots of the event ring, of both raw rings.
const EVENTS_LOG2: u8 = 8;
const RAW_LOG2: u8 = 6;

/// The rings, and the commands under way.
pub(super) struct DevicePort {
    shared: Arc<Shared>,
    events: EventRing,
    receives: RawReceiveRing,
    sends: RawSendRing,
    commands: Commands,
    /// Ends of streams whose acknowledgement is awaited.
    fins: Vec<FinWatch>,
    /// The device's first failure; `Port` has no place for it.
    failure: Option<Error>,
}

impl DevicePort {
    /// Places the rings.
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, Error> {
        let backend = &shared.backend;
        let events = EventRing::new(backend, EVENTS_LOG2)?;
        let receives = RawReceiveRing::new(backend, RAW_LOG2)?;
        let sends = RawSendRing::new(backend, RAW_LOG2)?;
        admin::command(&**backend, admin_opcode::EVENT_RING, 0, events.row().octets())?;
        for (opcode, row) in [sends.row(), receives.row()] {
            admin::command(&**backend, opcode, 0, row.octets())?;
        }
        let commands = Commands::new(shared);
        Ok(Self { shared: shared.clone(), events, receives, sends, commands, fins: vec![], failure: None })
    }

    /// What went wrong since the last call, if anything did.
    pub(super) fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Commands that were not answered, and ends of streams that were not acknowledged.
    pub(super) fn under_way(&self) -> usize {
        self.commands.under_way() + self.fins.len()
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
                self.failure.get_or_insert(why);
                None
            }
        }
    }

    /// What an event of the hardware is to firmware.
    fn translate(&mut self, event: codec::Event) -> Option<DeviceEvent> {
        let qp = QpId(event.number);
        let captured = Captured { error: event.error, segment: None };
        let told = match event.kind {
            event_kind::FIRST_FPDU => DeviceEvent::FirstFpdu(qp),
            event_kind::PEER_FIN => DeviceEvent::PeerFin(qp),
            event_kind::PEER_RESET => DeviceEvent::PeerReset(qp),
            event_kind::PEER_TERMINATE => DeviceEvent::Terminate(qp, event.info.to_be_bytes().to_vec()),
            event_kind::CONNECTION_LOST => DeviceEvent::Lost(qp),
            event_kind::QP_FATAL | event_kind::QP_REQUEST_ERROR | event_kind::QP_ACCESS_ERROR => {
                DeviceEvent::Fault(qp, captured)
            }
            // queues are polled, and the queue pairs of one that overran have events of their own
            _ => return None,
        };
        let stops = !matches!(told, DeviceEvent::FirstFpdu(_) | DeviceEvent::PeerFin(_));
        if let Some(qp) = self.shared.qp(event.number).filter(|_| stops) {
            qp.fail();
        }
        Some(told)
    }
}

impl Port for DevicePort {
    fn now(&self) -> Ticks {
        Ticks(self.shared.backend.ticks())
    }

    fn receive(&mut self) -> Option<RawFrame> {
        let taken = self.receives.take();
        self.good(taken)
    }

    fn transmit(&mut self, frame: &[u8]) -> Result<(), RingFull> {
        let put = self.sends.put(frame, self.shared.backend.ticks());
        // a device that has failed sends nothing; who asks for the failure hears of it
        self.good(put.map(Some)).unwrap_or(Err(RingFull))
    }

    fn submit(&mut self, command: Command) {
        match &command {
            Command::ConnRemove { qp } | Command::Rst { qp } => self.fins.retain(|fin| fin.qp() != *qp),
            _ => {}
        }
        self.commands.submit(command);
    }

    fn answer(&mut self) -> Option<Answer> {
        let step = self.commands.step();
        let (answer, fin) = self.good(step)?;
        self.fins.extend(fin);
        Some(answer)
    }

    fn event(&mut self) -> Option<DeviceEvent> {
        loop {
            let taken = self.events.take();
            let Some(event) = self.good(taken) else { break };
            if let Some(event) = self.translate(event) {
                return Some(event);
            }
        }
        let now = self.shared.backend.ticks();
        let through = self.fins.iter_mut().position(|fin| fin.is_through(&*self.shared.backend, now));
        through.map(|n| DeviceEvent::Retired(self.fins.swap_remove(n).qp(), Slot::Fin))
    }
}
