// SPDX-License-Identifier: MIT OR Apache-2.0
//! The connection manager's thread: it pumps firmware.
use super::arrival::Arrivals;
use super::ending::{Ending, Wish};
use super::greetings::Greetings;
use super::hears::{Hears, Step};
use super::port::DevicePort;
use super::sleep::{Bed, LOOK, THERE};
use super::streams::Streams;
use crate::error::Error;
use ferrowarp_firmware::cm::api::{ConnId, Connect, ListenerId};
use ferrowarp_firmware::error::CallError;
use ferrowarp_firmware::port::Port;
use ferrowarp_firmware::time::Ticks;
use ferrowarp_firmware::Manager;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// Ticks of a simulated device that may pass in a millisecond of the wall: a timer is looked at
/// when a part of its time has passed.
const FASTEST: u64 = 20;
/// Longest time between two looks at timers.
const LONGEST: Duration = Duration::from_secs(10);

/// Requests remembered that came to nothing: hostile peers can make any number of them.
pub(super) const MOST_FAILED: usize = 64;

/// Something that the thread is to do.
pub(super) type Call = Box<dyn FnOnce(&mut Pump) + Send>;

/// The thread's state.
pub(super) struct Pump {
    pub(super) manager: Manager,
    pub(super) port: DevicePort,
    pub(super) connections: BTreeMap<ConnId, Hears>,
    pub(super) listeners: BTreeMap<ListenerId, Arrivals>,
    /// Connections in raw mode and their listeners.
    pub(super) streams: Streams,
    /// Connections whose MPA starts behind greetings, and their listeners.
    pub(super) greetings: Greetings,
    /// Requests that came to nothing while no application had them, newest last.
    pub(super) failed: VecDeque<Failed>,
    /// Streams that the application ends.
    pub(super) endings: Vec<Ending>,
    /// When firmware was polled last, and its time then.
    pub(super) polled: (Instant, Ticks),
}

/// A connection of a listener that ended before it was accepted.
pub(super) struct Failed {
    pub(super) id: ConnId,
    /// None of one that was opened here in raw mode.
    pub(super) listener: Option<ListenerId>,
    pub(super) why: Error,
}

impl Pump {
    /// Until nobody can call any more. The error is that of the device.
    pub(super) fn run(&mut self, inbox: &Receiver<Call>, bed: &Bed) -> Result<(), Error> {
        let (mut more, mut looked, mut moved) = (false, Instant::now(), Instant::now());
        loop {
            if bed.is_watching() && looked.elapsed() >= THERE && self.port.quiet_for().is_zero() {
                self.port.look()?;
                looked = Instant::now();
            }
            if !more {
                if !self.is_busy() {
                    self.port.arm();
                }
                if bed.sleep(self.is_busy(), moved.elapsed(), self.timer())? {
                    self.port.look()?;
                }
            }
            match inbox.try_recv() {
                Ok(call) => {
                    // it is to find firmware's time as it is now
                    self.turn()?;
                    call(self);
                }
                // a look at the time is a read over the bus, which the program's own accesses wait
                // for
                Err(TryRecvError::Empty) if !more && self.rests() => {
                    self.port.end_round();
                    continue;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
            while let Ok(call) = inbox.try_recv() {
                call(self);
            }
            moved = Instant::now();
            more = self.turn()?;
        }
    }

    /// Whether something is to be done, or is under way.
    fn is_busy(&self) -> bool {
        self.port.has_work() || !self.endings.is_empty()
    }

    /// Time until a timer may have expired, or until a look at the time is allowed again.
    fn timer(&self) -> Option<Duration> {
        let (at, now) = self.polled;
        let most = Duration::from_millis(self.manager.due()?.0.saturating_sub(now.0) / FASTEST);
        Some(most.clamp(LOOK, LONGEST).saturating_sub(at.elapsed()).max(self.port.quiet_for()))
    }

    /// Whether nothing is to be done, and no timer can have expired.
    fn rests(&self) -> bool {
        !self.is_busy() && self.timer().is_none_or(|left| !left.is_zero())
    }

    /// What can be done in one turn; `true` if there may be more at once.
    fn turn(&mut self) -> Result<bool, Error> {
        // an answer that is there now comes behind the events that `poll` finds
        self.endings.iter_mut().for_each(Ending::look);
        self.polled = (Instant::now(), self.port.now());
        let mut more = self.manager.poll(&mut self.port);
        self.end_streams();
        while let Some(event) = self.manager.next_event() {
            // what a greeter says leaves with the next poll
            more |= self.greetings.is_busy();
            self.tell(event);
        }
        self.port.take_failure().map_or(Ok(more), Err)
    }

    /// Begins an active open; its number and our end.
    pub(super) fn connect(&mut self, connect: Connect) -> Result<(ConnId, SocketAddr), Error> {
        let id = self.manager.connect(connect)?;
        let local = self.manager.local(id).ok_or(CallError::Unknown(id.0))?;
        Ok((id, local))
    }

    /// The device has stopped, and all connections with it. Who waits for a completion looks again.
    pub(super) fn end_all(&mut self, why: &Error) {
        for connection in std::mem::take(&mut self.connections).into_values() {
            connection.hear(Step::Ended(Err(why.clone())));
        }
        self.streams.end_all(why);
        self.port.notify_all();
    }

    /// Resets the connection of a queue pair, which is in error from now on.
    pub(super) fn stop(&mut self, qp: u16) {
        let of_qp = self.connections.iter().find(|(_, hears)| hears.qp.number.index == qp);
        if let Some(id) = of_qp.map(|(id, _)| *id) {
            // one that ended by itself is unknown, which is as good
            drop(self.manager.abort(id));
        }
        self.port.fail(qp);
    }

    /// Begins the end of a connection.
    pub(super) fn close(&mut self, id: ConnId) -> Result<(), Error> {
        self.begin_end(id, Wish::Close)
    }

    /// Begins the end of our direction.
    pub(super) fn finish_sending(&mut self, id: ConnId) -> Result<(), Error> {
        self.begin_end(id, Wish::FinishSending)
    }

    /// The application may have heard of a fault before firmware, by a completion; its Terminate
    /// has to leave before our FIN. So the hardware is asked for the fault first: it answers when
    /// it has told what it knows of, and an answer comes behind the events before it. A connection
    /// that ended by itself is unknown, and its end is told already.
    fn begin_end(&mut self, id: ConnId, wish: Wish) -> Result<(), Error> {
        let Some(qp) = self.connections.get(&id).map(Hears::qp) else { return Ok(()) };
        let asked = Some(self.port.ask_captured(qp)?);
        self.endings.push(Ending { id, wish, asked });
        Ok(())
    }

    /// Ends the streams whose answers are there, when firmware has heard all events before them.
    fn end_streams(&mut self) {
        if self.port.has_caught() {
            return;
        }
        for Ending { id, wish, .. } in self.endings.extract_if(.., |ending| ending.asked.is_none()) {
            let ended = match wish {
                Wish::Close => self.manager.close(id),
                Wish::FinishSending => self.manager.finish_sending(id),
            };
            if let Err(why) = ended {
                tracing::debug!(id = id.0, %why, "a stream that is to end has ended by itself");
            }
        }
    }
}
