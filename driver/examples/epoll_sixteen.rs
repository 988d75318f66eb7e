// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sixteen connections at both of their ends in one thread: whatever happens makes a descriptor
//! readable, and one `epoll` waits for all descriptors. Nothing blocks, and nobody polls in a loop.
//!
//!     cargo run -p ferrowarp --features sim --example epoll_sixteen -- \
//!         'sim:eth=qemu-dgram:/tmp/a,/tmp/b;ip=10.0.0.1/24' 'sim:eth=qemu-dgram:/tmp/b,/tmp/a;ip=10.0.0.2/24'
use ferrowarp::{
    AcceptOptions, Access, Arm, CompletionChannel, CompletionQueue, ConnectOptions, Connecting, Connection,
    ConnectionEvent, Device, Listener, MemoryRegion, QpOptions, QueuePair, Status, WcOpcode,
};
use rustix::event::{epoll, Timespec};
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const PORT: u16 = 7002;
const CONNECTIONS: usize = 16;
/// Messages of each client.
const ROUNDS: u32 = 2;
/// Octets of a message.
const OCTETS: usize = 32;
/// Seconds without any event after which the program gives up: a simulated device is slow.
const PATIENCE: i64 = 120;

/// What `epoll` tells of descriptors: those of a side's ends have their index.
const LISTENER: u64 = CONNECTIONS as u64;
const CHANNEL: u64 = LISTENER + 1;
const SIDE: u64 = 100;

/// Where an end of a connection is.
enum Stage {
    Free,
    Connecting(Connecting),
    Made(Connection),
    Over,
}

/// One end of a connection.
struct End {
    cq: CompletionQueue,
    qp: QueuePair,
    buffer: MemoryRegion,
    stage: Stage,
    received: u32,
    /// Messages that are to leave when there is a connection.
    owed: u32,
}

impl End {
    fn new(device: &Device, channel: &CompletionChannel) -> Result<Self, Failure> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue_in(16, channel)?;
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
        let buffer = pd.allocate(2 * OCTETS, Access::LOCAL)?;
        let end = Self { cq, qp, buffer, stage: Stage::Free, received: 0, owed: 0 };
        end.cq.arm(Arm::Next)?;
        end.expects()?;
        Ok(end)
    }

    fn expects(&self) -> Result<(), Failure> {
        Ok(self.qp.post_recv(0, &[self.buffer.segment(OCTETS, OCTETS)?])?)
    }

    fn sends(&mut self) -> Result<(), Failure> {
        let Stage::Made(connection) = &self.stage else { return Ok(()) };
        let message = [self.buffer.segment(0, OCTETS)?];
        for _ in 0..std::mem::take(&mut self.owed) {
            connection.queue_pair().send(1, &message).post()?;
        }
        Ok(())
    }

    /// The descriptor of the connection is readable.
    fn goes_on(&mut self) -> Result<(), Failure> {
        if let Stage::Connecting(connecting) = &mut self.stage {
            let Some(connection) = connecting.poll()? else { return Ok(()) };
            self.stage = Stage::Made(connection);
            self.sends()?;
        }
        while let Stage::Made(connection) = &self.stage {
            match connection.next_event() {
                None => break,
                Some(ConnectionEvent::PeerFinished) => connection.start_disconnect()?,
                Some(ConnectionEvent::Closed(how)) => {
                    how?;
                    self.stage = Stage::Over;
                }
                Some(event) => return Err(format!("the connection breaks: {event:?}").into()),
            }
        }
        Ok(())
    }

    /// The completion queue has something.
    fn completes(&mut self, is_client: bool) -> Result<(), Failure> {
        self.cq.arm(Arm::Next)?;
        while let Some(done) = self.cq.poll()? {
            match (done.status, done.opcode) {
                (Status::Success, WcOpcode::Receive) => {
                    self.received += 1;
                    self.expects()?;
                    match &self.stage {
                        Stage::Made(connection) if is_client && self.received == ROUNDS => {
                            connection.start_disconnect()?;
                        }
                        // the first message may come before the connection is told
                        _ => self.owed += 1,
                    }
                }
                // receives that no message came for end with the connection
                (Status::Success | Status::Flushed, _) => {}
                (status, opcode) => return Err(format!("{opcode:?}: {status}").into()),
            }
        }
        self.sends()
    }
}

/// All ends at one device.
struct Side {
    device: Device,
    channel: CompletionChannel,
    /// Of the server.
    listener: Option<Listener>,
    ends: Vec<End>,
}

impl Side {
    fn new(url: &str) -> Result<Self, Failure> {
        let device = Device::open(url)?;
        let channel = device.completion_channel()?;
        let ends = (0..CONNECTIONS).map(|_| End::new(&device, &channel)).collect::<Result<_, _>>()?;
        Ok(Self { device, channel, listener: None, ends })
    }

    fn is_over(&self) -> bool {
        self.ends.iter().all(|end| matches!(end.stage, Stage::Over))
    }

    /// A descriptor of this side is readable.
    fn hears(&mut self, epoll: &OwnedFd, token: u64) -> Result<(), Failure> {
        let is_client = self.listener.is_none();
        match token % SIDE {
            LISTENER => {
                while let Some(request) =
                    self.listener.as_ref().map(Listener::try_next).transpose()?.flatten()
                {
                    let free = self.ends.iter().position(|end| matches!(end.stage, Stage::Free));
                    let nth = free.ok_or("one connection too many")?;
                    let connecting = request.start_accept(&self.ends[nth].qp, AcceptOptions::default())?;
                    watch(epoll, &connecting, token - LISTENER + nth as u64)?;
                    self.ends[nth].stage = Stage::Connecting(connecting);
                }
                Ok(())
            }
            CHANNEL => {
                while let Some(ready) = self.channel.try_next()? {
                    let end = self.ends.iter_mut().find(|end| end.cq == ready);
                    end.map_or(Ok(()), |end| end.completes(is_client))?;
                }
                Ok(())
            }
            nth => self.ends[nth as usize].goes_on(),
        }
    }
}

fn watch(epoll: &OwnedFd, fd: &impl AsFd, token: u64) -> Result<(), Failure> {
    Ok(epoll::add(epoll, fd, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
}

/// Both sides of all connections; how many messages each of them has received.
pub fn run(server_url: &str, client_url: &str, server_ip: &str) -> Result<[u32; 2], Failure> {
    let mut sides = [Side::new(server_url)?, Side::new(client_url)?];
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (side, token) in sides.iter().zip([0, SIDE]) {
        watch(&epoll, &side.channel, token + CHANNEL)?;
    }
    let listener = sides[0].device.listen(PORT, CONNECTIONS)?;
    watch(&epoll, &listener, LISTENER)?;
    sides[0].listener = Some(listener);
    let remote = SocketAddr::new(server_ip.parse()?, PORT);
    let Side { device, ends, .. } = &mut sides[1];
    for (end, token) in ends.iter_mut().zip(SIDE..) {
        let connecting = device.start_connect(&end.qp, remote, ConnectOptions::default())?;
        watch(&epoll, &connecting, token)?;
        (end.stage, end.owed) = (Stage::Connecting(connecting), 1);
    }
    let patience = Timespec { tv_sec: PATIENCE, tv_nsec: 0 };
    let mut ready = Vec::with_capacity(2 * CONNECTIONS);
    while !sides.iter().all(Side::is_over) {
        ready.clear();
        epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut ready), Some(&patience))?;
        if ready.is_empty() {
            return Err(format!("nothing has happened for {PATIENCE} s").into());
        }
        for event in &ready {
            let token = event.data.u64();
            sides[(token / SIDE) as usize].hears(&epoll, token)?;
        }
    }
    Ok(sides.map(|side| side.ends.iter().map(|end| end.received).sum()))
}

#[allow(dead_code, clippy::print_stdout)] // a test has this file as a module; it prints for people
fn main() -> Result<(), Failure> {
    let urls: Vec<String> = std::env::args().skip(1).collect();
    let [server, client] = urls.as_slice() else {
        return Err("give two device URLs, the server's first".into());
    };
    let [served, echoed] = run(server, client, "10.0.0.1")?;
    println!("{CONNECTIONS} connections: {served} messages came, {echoed} came back");
    Ok(())
}
