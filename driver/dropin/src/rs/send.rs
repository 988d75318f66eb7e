// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the program: those that leave, and those that came.
use super::stream::{Ends, Sent, Stream};
use super::wire::{Word, LONGEST};
use crate::errno::Errno;

/// Nobody reads what would be written.
const PIPE: Errno = Errno(libc::EPIPE);

impl Ends {
    /// Whether the program may write. EPIPE: not any more.
    fn may_write(&mut self) -> Result<(), Errno> {
        match self.error.take() {
            Some(why) => Err(why),
            None if self.is_failed || self.is_mute || self.peer_has_left => Err(PIPE),
            None => Ok(()),
        }
    }
}

impl Stream {
    /// Whether a word of data can leave.
    fn has_room(&self) -> bool {
        let is_open = !self.maps.has_untold() && self.places >= 2 && self.outbox.room() > 0;
        is_open && self.window.has_credit() && self.window.octets() > 0
    }

    /// What `poll` says of the socket.
    pub fn ready(&self) -> i16 {
        let Ends { is_deaf, is_mute, peer_is_mute, peer_has_left, is_failed, .. } = self.ends;
        let is_over = is_failed || peer_has_left;
        let when = |is_so: bool, event: i16| if is_so { event } else { 0 };
        when(self.inbox.unread() > 0 || peer_is_mute || is_failed || is_deaf, libc::POLLIN)
            | when((self.has_room() && self.outbox.is_roomy()) || is_over || is_mute, libc::POLLOUT)
            // as of TCP: a peer that has closed leaves this end open
            | when(is_failed || (peer_is_mute && is_mute), libc::POLLHUP)
            | when(self.ends.error.is_some(), libc::POLLERR)
    }

    /// Sends as many octets as there is room for: how many.
    pub fn send(&mut self, octets: &[u8]) -> Result<usize, Errno> {
        self.ends.may_write()?;
        let mut done = 0;
        while done < octets.len() && self.has_room() {
            let rest = &octets[done..];
            let is_inline = rest.len() <= self.rig.options.inline;
            let room = if is_inline { rest.len() } else { self.outbox.room().min(LONGEST) };
            let len = rest.len().min(self.window.octets()).min(room);
            self.send_piece(&rest[..len], is_inline)?;
            done += len;
        }
        Ok(done)
    }

    /// Writes a piece that fits into the peer's buffer, and tells of it.
    fn send_piece(&mut self, octets: &[u8], is_inline: bool) -> Result<(), Errno> {
        let Self { connection, rig, window, outbox, .. } = self;
        let (Some(connection), Some(place)) = (connection, window.take(octets.len())) else {
            return Err(Errno::FAILED);
        };
        let (mut sends, word) = (connection.queue_pair().sends(), Word::Data(place.len).to_bytes());
        let used = if is_inline { 0 } else { octets.len() };
        if is_inline {
            sends.write_inline(0, octets, place.at(0)).unsignaled().post()?;
        } else {
            let at = outbox.take(used);
            rig.outbox.memory().write(at, octets).map_err(|_| Errno::FAILED)?;
            sends.write(0, &[rig.outbox.segment(at, used)?], place.at(0)).unsignaled().post()?;
        }
        sends.send_inline(Sent::Data.id(used), &word).post()?;
        sends.ring()?;
        window.spend();
        self.places -= 2;
        self.under_way += 1;
        Ok(())
    }

    /// Writes as many octets as there is room for into memory that the peer has mapped: how many.
    /// EINVAL: the peer has mapped nothing at the offset of the first octet.
    pub fn write_mapped(&mut self, octets: &[u8], offset: u64) -> Result<usize, Errno> {
        self.ends.may_write()?;
        let mut done = 0;
        while done < octets.len() && self.places >= 1 && self.outbox.room() > 0 {
            let rest = octets.len() - done;
            let at = offset.checked_add(done as u64).ok_or(Errno::INVALID)?;
            let place = match self.maps.find(at, rest.min(self.outbox.room())) {
                Err(_) if done > 0 => break,
                found => found?,
            };
            let Self { connection, rig, outbox, .. } = self;
            let Some(connection) = connection else { return Err(Errno::FAILED) };
            let len = place.len as usize;
            let from = outbox.take(len);
            rig.outbox.memory().write(from, &octets[done..done + len]).map_err(|_| Errno::FAILED)?;
            let segment = [rig.outbox.segment(from, len)?];
            connection.queue_pair().write(Sent::Direct.id(len), &segment, place.at(0)).post()?;
            self.places -= 1;
            self.under_way += 1;
            done += len;
        }
        Ok(done)
    }

    /// Gives octets that came: how many. `None`: more may come. 0: none will come. With `is_peek`
    /// the octets stay.
    pub fn receive(&mut self, into: &mut [u8], is_peek: bool) -> Result<Option<usize>, Errno> {
        if self.ends.is_deaf || into.is_empty() {
            return Ok(Some(0));
        }
        let mut done = 0;
        while done < into.len() && done < self.inbox.unread() {
            let (at, len) = self.inbox.piece(done, into.len() - done);
            self.rig.inbox.memory().read(at, &mut into[done..done + len]).map_err(|_| Errno::FAILED)?;
            done += len;
        }
        if done == 0 {
            return match self.ends.error.take() {
                Some(why) => Err(why),
                None => Ok((self.ends.peer_is_mute || self.ends.is_failed).then_some(0)),
            };
        }
        if !is_peek {
            self.inbox.take(done);
            if let Err(why) = self.tell() {
                // the octets are the program's all the same
                self.fail(why);
            }
        }
        Ok(Some(done))
    }
}
