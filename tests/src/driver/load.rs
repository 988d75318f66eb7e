// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbered messages both ways between two drivers: each must arrive once, in order, and octet by
//! octet.
//!
//! Message `n` is a Write into place `n` of the peer's memory and a Send behind the Write. Octets
//! and lengths follow from the sender and the number, so that the receiver knows both.
use crate::stack::{net, PATIENCE};
use ferrowarp::{
    Access, Completion, CompletionQueue, ConnectOptions, Connection, Device, Error, MemoryRegion,
    ProtectionDomain, QpOptions, QueuePair, Remote, Status, WcOpcode,
};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::thread::scope;

/// Messages of an end that may be on their way at once.
const WINDOW: u64 = 4;
/// Most messages that an end is ahead of the other one: who waits for a retransmission is waited
/// for.
const AHEAD: u64 = 12;
/// Most octets of a Write, and of a Send.
const MOST: usize = 6_000;
/// Port of the first device.
const PORT: u16 = 7_100;

/// What an end has beside its connection. Both regions have [`WINDOW`] places for Writes, then for
/// Sends.
struct Place {
    _pd: ProtectionDomain,
    cq: CompletionQueue,
    outbox: MemoryRegion,
    inbox: MemoryRegion,
}

struct End {
    place: Place,
    connection: Connection,
    /// Messages that were posted.
    posted: u64,
    /// Work requests that have completed: two a message.
    completed: u64,
    /// Messages of the peer that have arrived.
    arrived: u64,
}

/// Two ends with traffic both ways.
pub struct Load {
    ends: [End; 2],
    seed: u64,
    /// Completions that say no success, by the end. Then nothing is posted any more.
    pub failed: [Vec<Completion>; 2],
}

/// Where the Write and the Send of message `n` lie.
fn places(n: u64) -> [usize; 2] {
    [n % WINDOW, WINDOW + n % WINDOW].map(|place| place as usize * MOST)
}

impl Place {
    fn new(device: &Device) -> Result<(Self, QueuePair), Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue(4 * WINDOW as u32)?;
        let options = QpOptions::default().sends(2 * WINDOW as u32).receives(WINDOW as u32);
        let qp = device.queue_pair(&pd, [&cq, &cq], options)?;
        let octets = 2 * WINDOW as usize * MOST;
        let [outbox, inbox] = [pd.allocate(octets, Access::default())?, pd.allocate(octets, Access::ALL)?];
        let place = Self { _pd: pd, cq, outbox, inbox };
        (0..WINDOW).try_for_each(|n| qp.post_recv(n, &[place.inbox.segment(places(n)[1], MOST)?]))?;
        Ok((place, qp))
    }
}

impl Load {
    /// Connects two devices that have the addresses of [`net`]`(1)` and `(2)`.
    ///
    /// # Panics
    /// If a thread does.
    pub fn connect(devices: &[Device; 2], seed: u64) -> Result<Self, Error> {
        let options = || ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
        let [(near, near_qp), (far, far_qp)] = [Place::new(&devices[0])?, Place::new(&devices[1])?];
        let listener = devices[0].listen(PORT, 1)?;
        let (accepted, connected) = scope(|scope| {
            let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(&near_qp, options().into()));
            let connected = devices[1].connect(&far_qp, (net(1).addresses[0].ip, PORT).into(), options());
            (accepted.join().expect("no panic while it accepts"), connected)
        });
        let end = |place, connection| End { place, connection, posted: 0, completed: 0, arrived: 0 };
        let ends = [end(near, accepted?), end(far, connected?)];
        Ok(Self { ends, seed, failed: Default::default() })
    }

    /// Octets of the Write and of the Send of message `n` of an end.
    fn octets(&self, from: usize, n: u64) -> [Vec<u8>; 2] {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ (n << 8) ^ (from as u64) << 56);
        [(); 2].map(|()| {
            let mut octets = vec![0; rng.random_range(1..=MOST)];
            rng.fill_bytes(&mut octets);
            octets
        })
    }

    /// Posts as many messages of both ends as there is room for.
    pub fn post(&mut self) -> Result<(), Error> {
        for from in 0..2 {
            while self.failed.iter().all(Vec::is_empty) && self.has_room(from) {
                let n = self.ends[from].posted;
                let octets = self.octets(from, n);
                let (near, far) = (&self.ends[from], &self.ends[1 - from].place);
                let [write, send] = places(n);
                for (at, octets) in [write, send].into_iter().zip(&octets) {
                    near.place.outbox.memory().write(at, octets)?;
                }
                let mut remote = Remote { stag: far.inbox.stag(), to: far.inbox.to_base() };
                remote.to.0 += write as u64;
                let (qp, outbox) = (near.connection.queue_pair(), &near.place.outbox);
                qp.write(2 * n, &[outbox.segment(write, octets[0].len())?], remote).post()?;
                let segment = outbox.segment(send, octets[1].len())?;
                qp.send(2 * n + 1, &[segment]).post()?;
                self.ends[from].posted += 1;
            }
        }
        Ok(())
    }

    fn has_room(&self, from: usize) -> bool {
        let (near, far) = (&self.ends[from], &self.ends[1 - from]);
        let is_ahead = near.posted >= near.arrived.min(far.arrived) + AHEAD;
        !is_ahead && near.posted - (near.completed / 2).min(far.arrived) < WINDOW
    }

    /// Takes what has completed. The error is a message that is not the next one, or has other
    /// octets.
    pub fn look(&mut self) -> Result<(), String> {
        for at in 0..2 {
            let mut done = vec![];
            self.ends[at].place.cq.poll_into(&mut done, 64).map_err(|e| e.to_string())?;
            for completion in done {
                match completion {
                    Completion { status, .. } if status != Status::Success => {
                        self.failed[at].push(completion)
                    }
                    Completion { opcode: WcOpcode::Receive, .. } => self.receive(at, &completion)?,
                    Completion { wr_id, .. } => {
                        let due = self.ends[at].completed;
                        if wr_id != due {
                            return Err(format!("end {at}: request {wr_id} completes, {due} is due"));
                        }
                        self.ends[at].completed += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn receive(&mut self, at: usize, completion: &Completion) -> Result<(), String> {
        let n = self.ends[at].arrived;
        let [wrote, sent] = self.octets(1 - at, n);
        let place = &self.ends[at].place;
        if (completion.wr_id, completion.octets as usize) != (n, sent.len()) {
            return Err(format!("end {at}: message {n} of {} octets is due: {completion:?}", sent.len()));
        }
        for ((what, octets), from) in [("Write", &wrote), ("Send", &sent)].into_iter().zip(places(n)) {
            let found = place.inbox.memory().copy(from, octets.len()).map_err(|e| e.to_string())?;
            if let Some(wrong) = found.iter().zip(octets).position(|(found, sent)| found != sent) {
                return Err(format!("end {at}, {what} {n}: octet {wrong} of {} is wrong", octets.len()));
            }
        }
        let receive = place.inbox.segment(places(n)[1], MOST);
        let qp = self.ends[at].connection.queue_pair();
        receive.and_then(|segment| qp.post_recv(n + WINDOW, &[segment])).map_err(|e| e.to_string())?;
        self.ends[at].arrived += 1;
        Ok(())
    }

    /// Messages that have arrived at each end.
    pub fn arrived(&self) -> [u64; 2] {
        self.ends.each_ref().map(|end| end.arrived)
    }

    /// Work requests of each end that have completed well, and those that were posted.
    pub fn requests(&self) -> [[u64; 2]; 2] {
        self.ends.each_ref().map(|end| [end.completed, 2 * end.posted])
    }

    /// All that was posted has arrived, and its sender knows.
    pub fn is_settled(&self) -> bool {
        let [a, b] = &self.ends;
        [(a, b), (b, a)]
            .iter()
            .all(|(from, to)| from.posted == to.arrived && 2 * from.posted == from.completed)
    }

    /// How the connection of each end has ended, if it has.
    pub fn ended(&self) -> [Option<Result<(), Error>>; 2] {
        self.ends.each_ref().map(|end| end.connection.ended())
    }

    /// Closes both ends at once.
    ///
    /// # Panics
    /// If a thread does.
    pub fn close(self) -> Result<(), Error> {
        // memory stays until both have closed
        let [(_a, a), (_b, b)] = self.ends.map(|end| (end.place, end.connection));
        scope(|scope| {
            let theirs = scope.spawn(move || b.disconnect(PATIENCE));
            a.disconnect(PATIENCE).and(theirs.join().expect("no panic while it closes"))
        })
    }
}
