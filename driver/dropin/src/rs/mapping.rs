// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that a program maps for the peer of a stream.
use super::maps::Own;
use super::stream::{Sent, Stream};
use super::wire::{Map, Place, Word, MAP};
use crate::errno::Errno;
use ferrowarp::Access;
use std::ptr::NonNull;

impl Stream {
    /// Maps memory of the program; `offset` is its address if the program names none. The answer
    /// is the offset.
    ///
    /// # Safety
    /// The memory stays until it is unmapped, or the socket closed. The peer writes it at any time.
    pub unsafe fn map(
        &mut self,
        start: NonNull<u8>,
        len: usize,
        is_shared: bool,
        offset: Option<u64>,
    ) -> Result<u64, Errno> {
        let address = start.as_ptr().addr();
        let octets = u32::try_from(len).ok().filter(|&octets| octets > 0).ok_or(Errno::INVALID)?;
        let offset = offset.unwrap_or(address as u64);
        let mut shared = None;
        if is_shared {
            let index = self.maps.free()?;
            let rights = Access { local_write: true, remote_read: false, remote_write: true };
            // SAFETY: the caller's promise.
            let region = unsafe { self.rig.domain.register_foreign(start, len, rights) }?;
            self.maps.untold.push_back((index, Map { offset, place: Place::of(&region, 0, octets) }));
            shared = Some((index, region));
        }
        self.maps.own.push(Own { address, len, shared });
        self.tell()?;
        Ok(offset)
    }

    /// Takes a mapping back. EINVAL: there is none. What the peer still writes there ends the
    /// connection.
    pub fn unmap(&mut self, address: usize, len: usize) -> Result<(), Errno> {
        let is_it = |own: &Own| own.address == address && own.len == len;
        let nth = self.maps.own.iter().position(is_it).ok_or(Errno::INVALID)?;
        if let Own { shared: Some((index, _)), .. } = self.maps.own.remove(nth) {
            self.maps.untold.retain(|(untold, _)| *untold != index);
        }
        Ok(())
    }

    /// Tells the peer of mappings, as far as there is room.
    pub fn tell_maps(&mut self) -> Result<(), Errno> {
        while self.window.has_credit() && self.places >= 2 && !self.ends.is_mute {
            let Some(connection) = &self.connection else { return Ok(()) };
            let Some((index, map)) = self.maps.untold.pop_front() else { return Ok(()) };
            let at = self.maps.table.at(u64::from(index) * MAP as u64);
            let mut sends = connection.queue_pair().sends();
            sends.write_inline(0, &map.to_entry(), at).unsignaled().post()?;
            sends.send_inline(Sent::Map.id(0), &Word::Mapped(index).to_bytes()).post()?;
            sends.ring()?;
            self.window.spend();
            self.places -= 2;
            self.under_way += 1;
        }
        Ok(())
    }
}
