// SPDX-License-Identifier: MIT OR Apache-2.0
//! An end of a connection between two devices: a Write and a Send each way, and the memory that
//! both end up in.
use super::pair::PATIENCE;
use ferrowarp::{
    Access, CompletionQueue, Connection, Device, MemoryRegion, ProtectionDomain, QpOptions, QueuePair,
    Remote, Status, TaggedOffset,
};

/// Octets that each end writes, and that each end sends.
const OCTETS: usize = 100;
/// Requests of the application.
const WRITES: u64 = 1;
const SENDS: u64 = 2;
const RECEIVES: [u64; 2] = [10, 11];

/// An end: its memory is what it writes and sends, what the peer writes, what the peer sends.
#[derive(Debug)]
pub struct Place {
    _pd: ProtectionDomain,
    cq: CompletionQueue,
    /// Its queue pair, with room for exactly the requests of the application.
    pub qp: QueuePair,
    region: MemoryRegion,
}

impl Place {
    /// Whose octets to write and send are `fill`.
    ///
    /// # Panics
    /// If the device has no room for it.
    pub fn new(device: &Device, fill: u8) -> Self {
        let pd = device.protection_domain().expect("a domain");
        let cq = device.completion_queue(16).expect("a queue");
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(2).receives(2));
        let qp = qp.expect("a queue pair");
        let region = pd.allocate(3 * OCTETS, Access::ALL).expect("a region");
        region.memory().write(0, &[fill; OCTETS]).expect("octets");
        let place = Self { _pd: pd, cq, qp, region };
        for wr_id in RECEIVES {
            let part = place.region.segment(2 * OCTETS, OCTETS).expect("a segment");
            place.qp.post_recv(wr_id, &[part]).expect("room");
        }
        place
    }

    /// Writes and sends; what completes until the peer's Send has come is this and nothing else.
    ///
    /// # Panics
    /// If something else completes.
    pub fn works(&self, connection: &Connection, peer: &Self, takes_rtr: bool) {
        let qp = connection.queue_pair();
        let part = self.region.segment(0, OCTETS).expect("a segment");
        let to = TaggedOffset(peer.region.to_base().0 + OCTETS as u64);
        qp.write(WRITES, &[part], Remote { stag: peer.region.stag(), to }).post().expect("room");
        qp.send(SENDS, &[part]).post().expect("room");
        let mut due = vec![(WRITES, 0), (SENDS, 0), (RECEIVES[0], OCTETS)];
        if takes_rtr {
            due[2] = (RECEIVES[0], 0);
            due.push((RECEIVES[1], OCTETS));
        }
        let mut done: Vec<_> = due.iter().map(|_| self.cq.wait(PATIENCE).expect("a completion")).collect();
        assert!(done.iter().all(|done| done.status == Status::Success), "{done:?}");
        done.sort_by_key(|done| done.wr_id);
        let done: Vec<_> = done.iter().map(|done| (done.wr_id, done.octets as usize)).collect();
        assert_eq!(done, due);
        assert!(self.cq.poll().expect("entries").is_none(), "a completion that nobody asked for");
    }

    /// What the peer has written and sent is in memory.
    ///
    /// # Panics
    /// If it is not.
    pub fn holds(&self, fill: u8) {
        assert_eq!(self.region.memory().copy(OCTETS, 2 * OCTETS).expect("octets"), [fill; 2 * OCTETS]);
    }
}
