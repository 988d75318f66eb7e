// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two ends of a connection, as most cases need them.
use crate::pair::{both, Pair, PATIENCE};
use ferrowarp::{
    Access, Completion, CompletionQueue, ConnectOptions, Connected, Connection, Device, MemoryRegion,
    ProtectionDomain, QpOptions, QueuePair, Remote, Status, WcOpcode,
};

/// Port of the first device.
pub const PORT: u16 = 7_174;

/// One end: a queue pair, one queue for all of its completions, memory that the peer may use.
pub struct End {
    device: Device,
    pub pd: ProtectionDomain,
    pub cq: CompletionQueue,
    pub qp: QueuePair,
    pub region: MemoryRegion,
}

impl End {
    pub fn new(device: &Device, octets: usize) -> Self {
        Self::with(device, octets, QpOptions::default())
    }

    pub fn with(device: &Device, octets: usize, options: QpOptions) -> Self {
        let pd = device.protection_domain().unwrap();
        let cq = device.completion_queue(64).unwrap();
        let qp = device.queue_pair(&pd, [&cq, &cq], options).unwrap();
        let region = pd.allocate(octets, Access::ALL).unwrap();
        Self { device: device.clone(), pd, cq, qp, region }
    }

    /// Posts a receive of a part of the region.
    pub fn receive(&self, wr_id: u64, at: usize, octets: usize) {
        self.qp.post_recv(wr_id, &[self.region.segment(at, octets).unwrap()]).unwrap();
        self.known();
    }

    /// The device knows of every receive that was posted. Doorbells of two devices have no order
    /// between them, so a message of the other one might come first; but a read of a register comes
    /// back behind the doorbells before it.
    pub fn known(&self) {
        assert!(self.device.clock_ns().is_some(), "a device with registers");
    }

    /// The next completion.
    pub fn next(&self) -> Completion {
        self.cq.wait(PATIENCE).unwrap()
    }

    /// The next completion, which has to be this.
    pub fn done(&self, wr_id: u64, opcode: WcOpcode) -> Completion {
        let next = self.next();
        assert_eq!((next.wr_id, next.status, next.opcode), (wr_id, Status::Success, opcode), "{next:?}");
        next
    }

    /// Identifiers and states of so many completions, by identifier: sends and receives are flushed
    /// in an order of their own.
    pub fn ends(&self, count: usize) -> Vec<(u64, Status)> {
        let mut ends: Vec<_> = (0..count).map(|_| self.next()).map(|wc| (wc.wr_id, wc.status)).collect();
        ends.sort_by_key(|end| end.0);
        ends
    }

    /// Octets of the region.
    pub fn copy(&self, at: usize, octets: usize) -> Vec<u8> {
        self.region.memory().copy(at, octets).unwrap()
    }

    /// Puts octets into the region.
    pub fn put(&self, at: usize, octets: &[u8]) {
        self.region.memory().write(at, octets).unwrap();
    }

    /// A place in the region, for the peer.
    pub fn place(&self, at: u64) -> Remote {
        place(&self.region, at)
    }

    /// Sends a part of the region.
    pub fn send(&self, qp: &QueuePair<Connected>, wr_id: u64, at: usize, octets: usize) {
        qp.send(wr_id, &[self.region.segment(at, octets).unwrap()]).post().unwrap();
    }
}

/// A place in a region, for the peer.
pub fn place(region: &MemoryRegion, at: u64) -> Remote {
    let mut to = region.to_base();
    to.0 += at;
    Remote { stag: region.stag(), to }
}

/// Octets of which none is that of its neighbours; `seed` gives others.
pub fn pattern(seed: u8, octets: usize) -> Vec<u8> {
    (0..octets).map(|at| (at as u8).wrapping_mul(5) ^ (at >> 8) as u8 ^ seed).collect()
}

/// What connections here ask for.
pub fn options() -> ConnectOptions {
    ConnectOptions::default().ird(4).ord(4).patience(PATIENCE)
}

/// Connects the second end to the first one, at a port of its own; both may speak at once.
pub fn connect_at(pair: &Pair, ends: [&End; 2], port: u16) -> [Connection; 2] {
    let listener = pair.devices[0].listen(port, 1).unwrap();
    let initiate = options().peer_to_peer(true);
    let accept = || listener.next(PATIENCE).unwrap().accept(&ends[0].qp, options().into()).unwrap();
    let (theirs, ours) =
        both(accept, || pair.devices[1].connect(&ends[1].qp, pair.remote(port), initiate).unwrap());
    [theirs, ours]
}

/// The same at [`PORT`].
pub fn connect(pair: &Pair, ends: [&End; 2]) -> [Connection; 2] {
    connect_at(pair, ends, PORT)
}

/// Two ends, connected.
pub fn connected(pair: &Pair, octets: usize) -> ([End; 2], [Connection; 2]) {
    let ends = pair.devices.each_ref().map(|device| End::new(device, octets));
    let connections = connect(pair, [&ends[0], &ends[1]]);
    (ends, connections)
}

/// Both close at once, in order.
pub fn disconnect(connections: [Connection; 2]) {
    let [theirs, ours] = connections;
    let (first, second) = both(|| theirs.disconnect(PATIENCE), || ours.disconnect(PATIENCE));
    first.unwrap();
    second.unwrap();
}
