// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mapped memory: what this end lets the peer write, and what the peer lets this end write.
use super::wire::{Greeting, Map, Place, BAD, MAP, PLACE, PLACES};
use crate::errno::Errno;
use ferrowarp::dma::DmaMemory;
use ferrowarp::MemoryRegion;
use std::collections::VecDeque;

/// Memory that the program has mapped.
#[derive(Debug)]
pub struct Own {
    /// Where the memory is.
    pub address: usize,
    /// Octets.
    pub len: usize,
    /// Entry of the peer's table, and the region; none of memory that is not for the peer.
    pub shared: Option<(u32, MemoryRegion)>,
}

/// Mappings of both ends.
#[derive(Debug)]
pub struct Maps {
    /// Of this end.
    pub own: Vec<Own>,
    /// Mappings that the peer was not told of yet, with their entries.
    pub untold: VecDeque<(u32, Map)>,
    /// Of the peer, as its words have told.
    peers: Vec<Option<Map>>,
    /// The peer's table.
    pub table: Place,
}

impl Maps {
    /// With a table of `entries` for the peer.
    pub fn new(entries: usize, greeting: &Greeting) -> Self {
        let Greeting { maps, table, .. } = greeting;
        let to = table.at(u64::from(table.len) * PLACE as u64).to.0;
        let table = Place { to, len: (*maps).into(), ..*table };
        Self { own: vec![], untold: VecDeque::new(), peers: vec![None; entries], table }
    }

    /// Whether the peer is to be told of a mapping.
    pub fn has_untold(&self) -> bool {
        !self.untold.is_empty()
    }

    /// The peer has written an entry. EPROTO: there is no such entry.
    pub fn heard(&mut self, index: u32, table: &DmaMemory) -> Result<(), Errno> {
        let index = usize::try_from(index).map_err(|_| BAD)?;
        let entry = self.peers.get_mut(index).ok_or(BAD)?;
        let mut octets = [0; MAP];
        table.read(PLACES * PLACE + index * MAP, &mut octets).map_err(|_| Errno::FAILED)?;
        *entry = Some(Map::of_entry(&octets)).filter(|map| map.place.len > 0);
        Ok(())
    }

    /// The peer's memory at an offset: up to `most` octets of it. EINVAL: none is mapped there.
    pub fn find(&self, offset: u64, most: usize) -> Result<Place, Errno> {
        let inside = |map: &Map| {
            let at = offset.checked_sub(map.offset).filter(|&at| at < u64::from(map.place.len))?;
            let left = u32::try_from(most).unwrap_or(u32::MAX).min(map.place.len - at as u32);
            Some(Place { to: map.place.at(at).to.0, key: map.place.key, len: left })
        };
        self.peers.iter().flatten().find_map(inside).ok_or(Errno::INVALID)
    }

    /// The first entry of the peer's table that is free. ENOMEM: there is none.
    pub fn free(&self) -> Result<u32, Errno> {
        let is_used = |index| self.own.iter().flat_map(|own| &own.shared).any(|(used, _)| *used == index);
        (0..self.table.len).find(|&index| !is_used(index)).ok_or(Errno::NO_ROOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_found_in_the_mapping_that_has_it() {
        let place = Place { to: 1000, key: 7, len: 2 };
        let greeting = Greeting { credits: 1, maps: 1, table: place, buffer: place };
        let mut maps = Maps::new(2, &greeting);
        maps.peers[1] = Some(Map { offset: 50, place: Place { len: 10, ..place } });
        assert_eq!(maps.find(55, 100), Ok(Place { to: 1005, key: 7, len: 5 }));
        assert_eq!(maps.find(50, 4).map(|found| found.len), Ok(4));
        assert_eq!([maps.find(49, 1), maps.find(60, 1)], [Err(Errno::INVALID); 2]);
        assert_eq!((maps.table.to, maps.table.len), (1032, 1), "behind the table of buffers");
    }
}
