// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device: raw rings, admin commands whose answers come late, events; it implements the
//! firmware's `Port`.
use super::hardware::Connection;
use super::wire::Seg;
use ferrowarp_firmware::port::*;
use ferrowarp_firmware::time::Ticks;
use std::collections::VecDeque;

/// How late the device is, in frames that arrive in between.
#[derive(Copy, Clone, Debug, Default)]
pub struct Delays {
    /// From a `conn_insert` until the row is visible.
    pub visible: u32,
    /// From then until its answer.
    pub answer: u32,
}

/// The device.
#[derive(Debug, Default)]
pub struct Device {
    /// Ticks since reset.
    pub now: u64,
    /// Frames that left and were not taken by the bench.
    pub sent: VecDeque<Vec<u8>>,
    /// Every command in order.
    pub commands: Vec<Command>,
    /// Connections in the table.
    pub table: Vec<Connection>,
    /// Delays of insertions.
    pub delays: Delays,
    /// `conn_insert` is refused with this.
    pub refuse: Option<Refusal>,
    /// Slots left in the raw transmit ring; none: it is endless.
    pub room: Option<usize>,
    ring: VecDeque<RawFrame>,
    produced: u32,
    /// Commands that are not done yet.
    queue: VecDeque<Command>,
    answers: VecDeque<Answer>,
    events: VecDeque<DeviceEvent>,
    /// Frames left until the insertion at the head of `queue` is visible, then until it is
    /// answered.
    waiting: Option<(u32, Option<(u32, u32)>)>,
}

impl Device {
    /// A frame from the wire. It counts for the delays.
    pub fn deliver(&mut self, frame: Vec<u8>) {
        self.count();
        let seg = Seg::parse(&untagged(&frame));
        let row = seg.as_ref().and_then(|seg| self.table.iter_mut().find(|c| c.owns(seg)));
        if let (Some(connection), Some(seg)) = (row, &seg) {
            self.events.extend(connection.segment(seg));
            return;
        }
        let reason = if seg.is_some() { RawReason::NoConnection } else { RawReason::NotTcp };
        self.ring.push_back(RawFrame { index: self.produced, reason, octets: frame });
        self.produced = self.produced.wrapping_add(1);
    }

    /// An event that the hardware would make.
    pub fn raise(&mut self, event: DeviceEvent) {
        self.events.push_back(event);
    }

    /// Whether commands wait for an answer.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty() || !self.answers.is_empty()
    }

    /// The connection of a queue pair.
    pub fn connection(&mut self, qp: u16) -> Option<&mut Connection> {
        self.table.iter_mut().find(|c| c.qp == QpId(qp))
    }

    /// Commands that match, in order.
    pub fn ordered<T>(&self, pick: impl Fn(&Command) -> Option<T>) -> Vec<T> {
        self.commands.iter().filter_map(pick).collect()
    }

    /// A tick of the hardware: it works on commands and sends.
    pub fn tick(&mut self) {
        self.work();
        for connection in &mut self.table {
            let (segs, events) = connection.tick(self.now);
            let (from, to) = connection.stations();
            self.sent.extend(segs.iter().map(|seg| seg.frame(from, to)));
            self.events.extend(events);
        }
    }

    fn count(&mut self) {
        if let Some((visible, answer)) = &mut self.waiting {
            match answer {
                Some((left, _)) => *left = left.saturating_sub(1),
                None => *visible = visible.saturating_sub(1),
            }
        }
        self.work();
    }

    fn work(&mut self) {
        while let Some(command) = self.queue.pop_front() {
            match self.execute(&command) {
                Some(answer) => self.answers.push_back(answer),
                None => {
                    self.queue.push_front(command);
                    return;
                }
            }
        }
    }

    /// The answer, or nothing while it is not due.
    fn execute(&mut self, command: &Command) -> Option<Answer> {
        let done = Some(Answer::Done);
        let absent = Some(Answer::Refused(Refusal::Absent));
        let qp = match command {
            Command::ConnInsert { qp, row } => return self.insert(*qp, **row),
            Command::Depths { .. } => return done,
            Command::ConnRemove { qp } => {
                let Some(place) = self.table.iter().position(|c| c.qp == *qp) else { return absent };
                let (una, nxt, rcv) = self.table.remove(place).numbers();
                let (snd_una, snd_nxt, rcv_nxt) = (seq(una), seq(nxt), seq(rcv));
                return Some(Answer::Removed { snd_una, snd_nxt, rcv_nxt });
            }
            Command::ConnAck { qp, .. } | Command::ConnUpdate { qp, .. } | Command::PeerFin { qp, .. } => *qp,
            Command::RawMessage { qp, .. } | Command::Rtr { qp, .. } | Command::OpenGate { qp } => *qp,
            Command::Terminate { qp, .. } | Command::Fin { qp } | Command::Rst { qp } => *qp,
            Command::Progress { qp } => {
                let Some(connection) = self.table.iter().find(|c| c.qp == *qp) else { return absent };
                let (una, nxt, _) = connection.numbers();
                return Some(Answer::Acknowledged { snd_una: seq(una), snd_nxt: seq(nxt) });
            }
        };
        let Some(connection) = self.table.iter_mut().find(|c| c.qp == qp) else { return absent };
        match command {
            Command::ConnAck { ack_now: true, .. } => connection.owe_ack(),
            Command::ConnUpdate { change, .. } => connection.update(*change),
            Command::PeerFin { seq, .. } => self.events.extend(connection.peer_fin(seq.0)),
            Command::RawMessage { octets, .. } => connection.raw(octets),
            Command::Terminate { ulpdu, .. } => connection.terminate(ulpdu),
            Command::Rtr { kind, .. } => connection.rtr(*kind),
            Command::OpenGate { .. } => connection.gate = true,
            Command::Fin { .. } => connection.finish(),
            Command::Rst { .. } => {
                let (from, to) = connection.stations();
                let reset = connection.reset().frame(from, to);
                self.sent.push_back(reset);
            }
            _ => {}
        }
        done
    }

    fn insert(&mut self, qp: QpId, row: ferrowarp_abi::codec::ConnRow) -> Option<Answer> {
        if let Some(why) = self.refuse {
            return Some(Answer::Refused(why));
        }
        let waiting = self.waiting.get_or_insert((self.delays.visible, None));
        if waiting.0 == 0 && waiting.1.is_none() {
            assert!(self.table.iter().all(|c| c.qp != qp), "{qp:?} has a row already");
            self.table.push(Connection::new(qp, row));
            waiting.1 = Some((self.delays.answer, self.produced));
        }
        let (left, raw_index) = waiting.1?;
        if left > 0 {
            return None;
        }
        self.waiting = None;
        Some(Answer::Inserted { raw_index })
    }
}

fn seq(n: u32) -> ferrowarp_abi::types::SeqNum {
    ferrowarp_abi::types::SeqNum(n)
}

/// The frame without an 802.1Q tag.
pub fn untagged(frame: &[u8]) -> Vec<u8> {
    match frame.get(12..14) {
        Some([0x81, 0x00]) => [&frame[..12], &frame[16..]].concat(),
        _ => frame.to_vec(),
    }
}

impl Port for Device {
    fn now(&self) -> Ticks {
        Ticks(self.now)
    }

    fn receive(&mut self) -> Option<RawFrame> {
        self.ring.pop_front()
    }

    fn transmit(&mut self, frame: &[u8]) -> Result<(), RingFull> {
        if let Some(room) = &mut self.room {
            *room = room.checked_sub(1).ok_or(RingFull)?;
        }
        assert!(frame.len() >= 60, "a frame of {} octets", frame.len());
        self.sent.push_back(frame.to_vec());
        Ok(())
    }

    fn submit(&mut self, command: Command) {
        self.commands.push(command.clone());
        self.queue.push_back(command);
        self.work();
    }

    fn answer(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }

    fn event(&mut self) -> Option<DeviceEvent> {
        self.events.pop_front()
    }
}
