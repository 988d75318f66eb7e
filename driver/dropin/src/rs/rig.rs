// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a connection needs of its device before there is a connection. All receives are posted
//! here: the first word may come with the end of the handshake.
use super::options::Options;
use super::wire::{Greeting, Place, MAP, PLACE, PLACES, WORD};
use crate::devices::Opened;
use crate::errno::Errno;
use ferrowarp::{
    Access, CompletionChannel, CompletionQueue, CqOptions, MemoryRegion, ProtectionDomain, QpOptions,
    QueuePair,
};
use std::sync::Arc;

/// Words beside words of data that a peer may have under way: two buffers, four limits, a shutdown
/// and a disconnect, and some signs of life.
const CONTROL: u32 = 16;
/// Words beside words of data that this end has under way. Each may have a Write before it.
pub const OWN_CONTROL: u32 = 4;
/// Octets of a receive: as many as a word and its alignment.
const PLACE_OF_WORD: usize = 8;

/// Objects of one connection.
#[derive(Debug)]
pub struct Rig {
    /// Told of completions when the queue is armed.
    pub channel: CompletionChannel,
    /// All completions.
    pub cq: CompletionQueue,
    /// The queue pair.
    pub qp: QueuePair,
    /// The domain of all regions.
    pub domain: ProtectionDomain,
    /// The peer writes data here.
    pub inbox: MemoryRegion,
    /// Data that leaves.
    pub outbox: MemoryRegion,
    /// The peer writes here where its buffers and its mappings are.
    pub table: MemoryRegion,
    /// Words of the peer.
    words: MemoryRegion,
    /// As they were when the connection began, within the device's limits.
    pub options: Options,
    /// Keeps the device open. It is dropped last.
    _opened: Arc<Opened>,
}

impl Rig {
    /// Makes everything, and posts the receives.
    pub fn new(opened: &Arc<Opened>, options: &Options) -> Result<Self, Errno> {
        let (device, has) = (&opened.device, &opened.info.limits);
        let mut options = options.clone();
        let completions = has.completions.saturating_sub(has.queue_pairs.into()) / 2;
        let of_device = |queue: u32| queue.min(completions);
        let sends = of_device(has.queue_pair.sends).saturating_sub(2 * OWN_CONTROL);
        let receives = of_device(has.queue_pair.receives).saturating_sub(CONTROL);
        (options.sends, options.receives) = (options.sends.min(sends), options.receives.min(receives));
        options.inline = options.inline.min(has.queue_pair.inline);
        if options.sends < 2 || options.receives < 1 {
            return Err(Errno::NO_ROOM);
        }
        let depths = QpOptions::default().sends(options.sends + 2 * OWN_CONTROL);
        let depths = depths.receives(options.receives + CONTROL);
        let channel = device.completion_channel()?;
        let entries = CqOptions::default().entries(depths.sends + depths.receives);
        let cq = device.completion_queue_of(entries.channel(&channel))?;
        let domain = device.protection_domain()?;
        let qp = device.queue_pair(&domain, [&cq, &cq], depths)?;
        let written = Access { local_write: true, remote_read: false, remote_write: true };
        let inbox = domain.allocate(options.receive_buffer, written)?;
        let outbox = domain.allocate(options.send_buffer, Access::default())?;
        let table = domain.allocate(PLACES * PLACE + options.maps * MAP, written)?;
        let words = domain.allocate(depths.receives as usize * PLACE_OF_WORD, Access::LOCAL)?;
        let rig =
            Self { channel, cq, qp, domain, inbox, outbox, table, words, options, _opened: opened.clone() };
        rig.post(0..depths.receives.into())?;
        Ok(rig)
    }

    /// Posts the receives of these numbers.
    pub fn post(&self, numbers: impl IntoIterator<Item = u64>) -> Result<(), Errno> {
        let mut receives = self.qp.receives();
        for number in numbers {
            receives.post(number, &[self.words.segment(place(number)?, WORD)?])?;
        }
        Ok(receives.ring()?)
    }

    /// The word of a receive that has completed.
    pub fn word(&self, number: u64) -> Result<u32, Errno> {
        let mut octets = [0; WORD];
        self.words.memory().read(place(number)?, &mut octets).map_err(|_| Errno::FAILED)?;
        Ok(u32::from_le_bytes(octets))
    }

    /// The private data of this end.
    pub fn greeting(&self) -> Greeting {
        let half = self.options.receive_buffer / 2;
        Greeting {
            credits: u16::try_from(self.options.receives).unwrap_or(u16::MAX),
            maps: u8::try_from(self.options.maps).unwrap_or(u8::MAX),
            table: Place::of(&self.table, 0, PLACES as u32),
            buffer: Place::of(&self.inbox, 0, u32::try_from(half).unwrap_or(u32::MAX)),
        }
    }
}

fn place(number: u64) -> Result<usize, Errno> {
    let number = usize::try_from(number).ok().and_then(|number| number.checked_mul(PLACE_OF_WORD));
    number.ok_or(Errno::FAILED)
}
