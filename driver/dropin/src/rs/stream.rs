// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connected rsocket: its connection, both buffers, and what each end has said. Nothing here
//! waits; `socket` and `close` do.
use super::inbox::Inbox;
use super::maps::Maps;
use super::outbox::Outbox;
use super::rig::{Rig, OWN_CONTROL};
use super::window::Window;
use super::wire::{Greeting, Place, Word, BAD, PLACE, PLACES, WORD};
use crate::errno::Errno;
use ferrowarp::{Arm, Completion, Connection, ConnectionEvent, Error, Status, WcOpcode};
use std::os::fd::{AsFd, BorrowedFd};

/// Completions of one look.
const BATCH: usize = 64;
/// The connection ended without a goodbye.
const RESET: Errno = Errno(libc::ECONNRESET);

/// How far a connection has ended.
#[derive(Debug, Default)]
pub struct Ends {
    /// This end reads nothing more.
    pub is_deaf: bool,
    /// This end writes nothing more.
    pub is_mute: bool,
    /// A word of the end that waits for its turn.
    pub farewell: Option<Word>,
    /// This end has said that it disconnects.
    pub has_left: bool,
    /// The peer sends no more data.
    pub peer_is_mute: bool,
    /// The peer has said that it disconnects.
    pub peer_has_left: bool,
    /// The connection is closed on its way to the peer.
    pub is_closing: bool,
    /// Nothing comes over the connection any more, for this reason if it is known.
    pub is_cut: bool,
    /// The connection manager has told the end.
    pub is_closed: bool,
    /// Nothing works any more.
    pub is_failed: bool,
    /// Why, until the program was told.
    pub error: Option<Errno>,
}

/// What a signaled request of the send queue was, in the upper half of its identifier. The lower
/// half has the octets that it frees in the send buffer.
#[derive(Debug, Clone, Copy)]
pub enum Sent {
    /// A Write of data and its word.
    Data = 1,
    /// A mapping and its word.
    Map = 2,
    /// A Write into a mapping of the peer.
    Direct = 3,
    /// Another word.
    Control = 4,
}

impl Sent {
    /// The identifier.
    pub fn id(self, octets: usize) -> u64 {
        (self as u64) << 32 | octets as u64
    }
}

/// A connected rsocket.
#[derive(Debug)]
pub struct Stream {
    /// Until it was reset.
    pub connection: Option<Connection>,
    /// Objects of the device.
    pub rig: Rig,
    /// What the peer has written.
    pub inbox: Inbox,
    /// The send buffer.
    pub outbox: Outbox,
    /// Room of the peer.
    pub window: Window,
    /// Mapped memory of both ends.
    pub maps: Maps,
    /// How far it has ended.
    pub ends: Ends,
    /// Places of the send queue that data may take.
    pub places: u32,
    /// Signaled requests without a completion.
    pub under_way: u32,
    /// Words of control that may be sent.
    control: u32,
    /// The peer's table of buffers, and its entry that is written next.
    peers: (Place, u32),
    /// Entry of the own table that the peer writes next.
    entry: usize,
    is_armed: bool,
}

impl Stream {
    /// Of a connection that was made, with the private data of its peer.
    pub fn new(rig: Rig, connection: Connection, greeting: Greeting) -> Self {
        let (ends, under_way, is_armed) = Default::default();
        Self {
            inbox: Inbox::new(rig.options.receive_buffer / 2, rig.greeting().credits),
            outbox: Outbox::new(rig.options.send_buffer),
            window: Window::new(greeting.credits, greeting.buffer),
            maps: Maps::new(rig.options.maps, &greeting),
            places: rig.options.sends,
            control: OWN_CONTROL,
            // entry 0 is the buffer of the private data, on both sides
            peers: (greeting.table, 1),
            entry: 1,
            connection: Some(connection),
            rig,
            ends,
            under_way,
            is_armed,
        }
    }

    /// Descriptors that are readable when [`Stream::progress`] has something to do.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let connection = self.connection.as_ref().map(AsFd::as_fd);
        connection.into_iter().chain([self.rig.channel.as_fd()])
    }

    /// Does what can be done without waiting. A failure is kept in `ends`.
    pub fn progress(&mut self) {
        if self.ends.is_failed {
            return;
        }
        if let Err(why) = self.turn() {
            self.fail(why);
        }
    }

    /// The descriptors tell of the next completion.
    pub fn arm(&mut self) {
        if self.ends.is_failed || self.is_armed {
            return;
        }
        match self.rig.cq.arm(Arm::Next) {
            Ok(()) => self.is_armed = true,
            Err(why) => self.fail(why.into()),
        }
    }

    /// The connection is over: the peer gets a reset.
    pub fn fail(&mut self, why: Errno) {
        tracing::debug!(?why, "an rsocket fails");
        self.ends.is_failed = true;
        self.ends.error = Some(why);
        self.connection = None;
    }

    fn turn(&mut self) -> Result<(), Errno> {
        // an event of the connection is behind the completions before it
        let why = self.hear();
        while self.rig.channel.try_next()?.is_some() {
            self.is_armed = false;
        }
        let mut done = Vec::with_capacity(BATCH);
        while self.rig.cq.poll_into(&mut done, BATCH)? > 0 {
            let mut back = vec![];
            for completion in done.drain(..) {
                back.extend(self.completed(&completion)?);
            }
            if !back.is_empty() {
                self.rig.post(back)?;
            }
        }
        // a peer that was told of the end closes without a word
        if self.ends.is_cut && !self.ends.peer_has_left && !self.ends.has_left {
            return Err(why.unwrap_or(RESET));
        }
        self.tell()
    }

    /// Takes the events of the connection. The answer is why it has ended.
    fn hear(&mut self) -> Option<Errno> {
        let mut why = None;
        while let Some(event) = self.connection.as_ref().and_then(Connection::next_event) {
            self.ends.is_cut = true;
            if let ConnectionEvent::Closed(end) = event {
                self.ends.is_closed = true;
                why = end.err().map(Errno::from);
            }
        }
        why
    }

    /// A request is done. The answer is the receive that may be posted again.
    fn completed(&mut self, done: &Completion) -> Result<Option<u64>, Errno> {
        if done.opcode != WcOpcode::Receive {
            self.under_way = self.under_way.saturating_sub(1);
            self.outbox.left((done.wr_id & u64::from(u32::MAX)) as usize);
            match done.wr_id >> 32 {
                kind if kind == Sent::Control as u64 => self.control += 1,
                kind if kind == Sent::Direct as u64 => self.places += 1,
                _ => self.places += 2,
            }
        }
        match (done.status, done.opcode) {
            (Status::Success, WcOpcode::Receive) => {
                if done.octets as usize != WORD {
                    return Err(BAD);
                }
                self.heard(Word::of(self.rig.word(done.wr_id)?)?)?;
                Ok(Some(done.wr_id))
            }
            (Status::Success, _) => Ok(None),
            _ => {
                self.ends.is_cut = true;
                Ok(None)
            }
        }
    }

    /// A word of the peer. What was written before it is in memory.
    fn heard(&mut self, word: Word) -> Result<(), Errno> {
        // a peer that has ended says nothing more of data
        let is_late = self.ends.peer_is_mute;
        match word {
            Word::Data(_) if is_late => return Err(BAD),
            Word::Data(octets) => self.inbox.arrived(octets as usize)?,
            Word::Credits(limit) => {
                self.window.extend(limit)?;
                self.take_places()?;
            }
            Word::Mapped(index) => {
                self.maps.heard(index, self.rig.table.memory())?;
                self.inbox.spent();
            }
            Word::Alive => {}
            Word::Shutdown => self.ends.peer_is_mute = true,
            Word::Disconnect => (self.ends.peer_is_mute, self.ends.peer_has_left) = (true, true),
        }
        Ok(())
    }

    /// Takes new entries out of the own table. The peer writes an entry again when its buffer was
    /// used, so the entry is cleared before that.
    fn take_places(&mut self) -> Result<(), Errno> {
        for _ in 0..PLACES {
            let (at, memory) = (self.entry * PLACE, self.rig.table.memory());
            let mut octets = [0; PLACE];
            // the last word is read first: with its length the whole entry is there
            memory.read(at, &mut octets).map_err(|_| Errno::FAILED)?;
            let place = Place::of_entry(&octets);
            if place.len == 0 {
                break;
            }
            memory.write(at, &[0; PLACE]).map_err(|_| Errno::FAILED)?;
            self.window.offer(place)?;
            self.entry = (self.entry + 1) % PLACES;
        }
        Ok(())
    }

    /// Says what is to be said: room, mappings, the end.
    pub fn tell(&mut self) -> Result<(), Errno> {
        if self.ends.peer_has_left {
            return self.leave();
        }
        if self.ends.has_left || self.ends.is_failed {
            return Ok(());
        }
        while let Some(due) = self.inbox.due().filter(|_| self.control > 0) {
            let (table, entry) = self.peers;
            let half = due.half.map(|at| {
                let half = u32::try_from(self.rig.options.receive_buffer / 2).unwrap_or(u32::MAX);
                Place::of(&self.rig.inbox, at, half).to_entry()
            });
            let at = table.at(u64::from(entry) * PLACE as u64);
            let written = half.as_ref().map(|octets| (octets.as_slice(), at));
            self.say(Word::Credits(due.limit), written)?;
            self.peers.1 = if half.is_some() { (entry + 1) % table.len } else { entry };
            self.inbox.told(due);
        }
        self.tell_maps()?;
        if self.control > 0 && !self.maps.has_untold() {
            if let Some(word) = self.ends.farewell.take() {
                self.say(word, None)?;
                self.ends.has_left = word == Word::Disconnect;
            }
        }
        Ok(())
    }

    /// Sends a word of control, behind a Write of a few octets.
    fn say(&mut self, word: Word, written: Option<(&[u8], ferrowarp::Remote)>) -> Result<(), Errno> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let mut sends = connection.queue_pair().sends();
        if let Some((octets, at)) = written {
            sends.write_inline(0, octets, at).unsignaled().post()?;
        }
        sends.send_inline(Sent::Control.id(0), &word.to_bytes()).post()?;
        sends.ring()?;
        self.control -= 1;
        self.under_way += 1;
        Ok(())
    }

    /// Closes the connection: a FIN leaves behind all that was sent. Once is enough.
    pub fn leave(&mut self) -> Result<(), Errno> {
        if std::mem::replace(&mut self.ends.is_closing, true) {
            return Ok(());
        }
        match self.connection.as_ref().map_or(Ok(()), Connection::start_disconnect) {
            // it has ended meanwhile, which its events tell
            Err(Error::Call(_)) | Ok(()) => Ok(()),
            Err(why) => Err(why.into()),
        }
    }
}
