// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices of which any two have a connection: verbs of all of them at once.
use crate::stack::{net, PATIENCE};
use ferrowarp::{
    Access, CompletionQueue, ConnectOptions, Connection, Device, Error, MemoryRegion, ProtectionDomain,
    QpOptions, QueuePair, Remote, Status,
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::thread::scope;

/// Octets of a Write.
const WRITE: usize = 16_000;
/// Octets of a Send.
const SEND: usize = 4_000;
/// Completions of an end: of its Write, its Send, and the peer's Send.
const COMPLETIONS: usize = 3;
/// The port at which a device listens for device 0; those for others follow.
const PORT: u16 = 7_000;

/// A device's end towards one peer, without its connection. Both regions have room for a Write,
/// then for a Send.
struct Place {
    _pd: ProtectionDomain,
    cq: CompletionQueue,
    outbox: MemoryRegion,
    inbox: MemoryRegion,
}

impl Place {
    fn new(device: &Device) -> Result<(Self, QueuePair), Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue(2 * COMPLETIONS as u32)?;
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(2).receives(1))?;
        let [outbox, inbox] =
            [pd.allocate(WRITE + SEND, Access::default())?, pd.allocate(WRITE + SEND, Access::ALL)?];
        Ok((Self { _pd: pd, cq, outbox, inbox }, qp))
    }
}

/// The devices. An end is named by its own device and the peer's, both counted from 0.
pub struct Mesh {
    ends: BTreeMap<[usize; 2], (Place, Connection)>,
    rng: ChaCha8Rng,
}

impl Mesh {
    /// Connects any two devices, all at once. Device `n` has the addresses of [`net`]`(n + 1)`.
    ///
    /// # Panics
    /// If a thread does.
    pub fn connect(devices: &[Device]) -> Result<Self, Error> {
        let pairs = (0..devices.len()).flat_map(|low| (low + 1..devices.len()).map(move |high| [low, high]));
        let ends = scope(|scope| {
            let threads: Vec<_> = pairs.map(|pair| scope.spawn(move || join(devices, pair))).collect();
            let ends = threads.into_iter().map(|thread| thread.join().expect("no panic while it connects"));
            ends.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(Self { ends: ends.into_iter().flatten().collect(), rng: ChaCha8Rng::seed_from_u64(1) })
    }

    /// All others write and send to a device at once; waits for all completions and compares all
    /// octets.
    pub fn all_to(&mut self, to: usize) -> Result<(), String> {
        let ways: Vec<_> = self.ends.keys().copied().filter(|[_, peer]| *peer == to).collect();
        let told = |e: Error| e.to_string();
        let sent = ways.iter().map(|&way| self.post(way)).collect::<Result<Vec<_>, _>>().map_err(told)?;
        for (&[from, to], octets) in ways.iter().zip(sent) {
            let (near, far) = (&self.ends[&[from, to]].0, &self.ends[&[to, from]].0);
            for cq in [&near.cq, &near.cq, &far.cq] {
                let done = cq.wait(PATIENCE).map_err(told)?;
                if done.status != Status::Success {
                    return Err(format!("device {from} to {to}: {done:?}"));
                }
            }
            if far.inbox.memory().copy(0, WRITE + SEND).map_err(|e| e.to_string())? != octets {
                return Err(format!("device {to} has other octets than {from} wrote and sent"));
            }
        }
        Ok(())
    }

    /// Posts a receive at the far end, a Write and a Send at the near one: the octets of both.
    fn post(&mut self, [from, to]: [usize; 2]) -> Result<Vec<u8>, Error> {
        let mut octets = vec![0; WRITE + SEND];
        self.rng.fill_bytes(&mut octets);
        let ((near, ours), (far, theirs)) = (&self.ends[&[from, to]], &self.ends[&[to, from]]);
        near.outbox.memory().write(0, &octets)?;
        theirs.queue_pair().post_recv(0, &[far.inbox.segment(WRITE, SEND)?])?;
        let remote = Remote { stag: far.inbox.stag(), to: far.inbox.to_base() };
        let qp = ours.queue_pair();
        qp.write(1, &[near.outbox.segment(0, WRITE)?], remote).post()?;
        qp.send(2, &[near.outbox.segment(WRITE, SEND)?]).post()?;
        Ok(octets)
    }

    /// Closes all connections at once.
    ///
    /// # Panics
    /// If a thread does.
    pub fn close(self) -> Result<(), Error> {
        // memory stays until all ends have closed
        let (_places, connections): (Vec<_>, Vec<_>) = self.ends.into_values().unzip();
        scope(|scope| {
            let close = |connection: Connection| scope.spawn(move || connection.disconnect(PATIENCE));
            let threads: Vec<_> = connections.into_iter().map(close).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic while it closes"))
        })
    }
}

type Joined = [([usize; 2], (Place, Connection)); 2];

/// Connects two devices: the one of the higher number asks.
fn join(devices: &[Device], [low, high]: [usize; 2]) -> Result<Joined, Error> {
    let options = || ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
    let [(near, near_qp), (far, far_qp)] = [Place::new(&devices[low])?, Place::new(&devices[high])?];
    let port = PORT + high as u16;
    let listener = devices[low].listen(port, 1)?;
    let (accepted, connection) = scope(|scope| {
        let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(&near_qp, options().into()));
        let to = (net(low as u8 + 1).addresses[0].ip, port).into();
        let connection = devices[high].connect(&far_qp, to, options());
        (accepted.join().expect("no panic while it accepts"), connection)
    });
    Ok([([low, high], (near, accepted?)), ([high, low], (far, connection?))])
}
