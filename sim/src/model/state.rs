// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of a running instance as a whole: kept, compared, put back, moved in time.
use super::{Model, PortId, Rounds, Time};
use ferrowarp_hdl::emit::Direction;

impl Model {
    /// Whether the state can be seen: the top has a part that counts time, and no waveform is
    /// written.
    pub(crate) fn shows_state(&self) -> bool {
        self.library.rounds().is_some() && self.instance.state().is_some() && !self.library.is_traced()
    }

    /// Copies the state; nothing if [`Model::shows_state`] is false.
    pub(crate) fn save(&self, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.instance.state().unwrap_or_default());
    }

    /// The state is what [`Model::save`] copied of this instance.
    pub(crate) fn is_at(&self, state: &[u8]) -> bool {
        self.instance.state() == Some(state)
    }

    /// Puts a state back that [`Model::save`] copied of this instance.
    pub(crate) fn restore(&mut self, state: &[u8]) {
        self.instance.restore(state);
    }

    /// Its time; none if it counts none.
    pub(crate) fn time(&self) -> Option<(Time, Rounds)> {
        Some((Time::of(&self.instance.time()?), self.library.rounds()?))
    }

    /// Sets its time, and settles.
    pub(crate) fn set_time(&mut self, time: &Time) {
        self.instance.set_time(time.octets());
        self.instance.eval();
    }

    /// Copies the values of all outputs.
    pub(crate) fn outputs(&self, into: &mut Vec<u8>) {
        into.clear();
        let ports = self.library.ports().iter().enumerate();
        for (n, _) in ports.filter(|(_, port)| port.direction == Direction::Output) {
            into.extend_from_slice(self.instance.read(n));
        }
    }

    /// Sets an input of one bit.
    pub(crate) fn put_bit(&mut self, port: PortId, high: bool) {
        self.instance.write_u64(port.number(), u64::from(high));
    }
}
